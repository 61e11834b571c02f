"""What Kubernetes computes from manifests without running anything, and what in them will cause trouble."""
