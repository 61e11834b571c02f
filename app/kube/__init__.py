"""Kubernetes-shaped objects and pure rules; imports nothing of ours."""
