"""The address that the API server gives a Service which asks for none in particular."""

from __future__ import annotations

import hashlib
from collections.abc import Collection

from app.kube.networking import Service

POOL = 255 * 254
"""Of the usual range 10.96.0.0/12; 10.96.0.* is left to those who ask for an address of their own."""


def wants_one(service: Service) -> bool:
    return not service.spec.clusterIP and service.spec.type != "ExternalName"


def cluster_ip(namespace: str, name: str, taken: Collection[str]) -> str:
    """A free one. A real one is drawn by lot; this one follows from the name, whatever else was created before."""
    start = int.from_bytes(hashlib.sha256(f"{namespace}/{name}".encode()).digest()[:4])
    places = ((start + step) % POOL for step in range(POOL))
    found = (f"10.96.{1 + place // 254}.{1 + place % 254}" for place in places)
    return next((address for address in found if address not in taken), "")
