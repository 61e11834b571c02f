"""The kernel: immutable worlds, an API server, beliefs, actions and the order of things."""
