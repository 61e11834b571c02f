"""Loopscope: step through what a Kubernetes cluster's control loops do, one computed action at a time."""

__version__ = "0.1.0"
