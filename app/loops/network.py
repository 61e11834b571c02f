"""What a machine's network plugin answers to CNI ADD: an address, or why it has none to give."""

from __future__ import annotations

import hashlib
from ipaddress import ip_address

from app.sim.host import Host


def error(host: Host) -> str:
    """The plugin's complaint; empty when it gives an address."""
    first, _, last = (host.pod_range or _usual_range(host)).partition("-")
    if host.machine.cni == "failing":
        return (
            'plugin type="bridge" failed (add): failed to set bridge addr: '
            f'"cni0" already has an IP address different from {first}/24'
        )
    if host.machine.cni == "no-addresses" or (host.pod_range and _in_use(host) >= _usable(first, last)):
        return (
            'plugin type="bridge" failed (add): failed to allocate for range 0: '
            f"no IP addresses available in range set: {first}-{last}"
        )
    return ""


def sandbox_id(uid: str, attempt: int) -> str:
    """The runtime's name for one sandbox of a pod."""
    return hashlib.sha256(f"sandbox {uid}#{attempt}".encode()).hexdigest()


def _usual_range(host: Host) -> str:
    return f"10.244.{host.number}.1-10.244.{host.number}.254"


def _usable(first: str, last: str) -> int:
    """The first address of the range is the bridge's own."""
    return int(ip_address(last)) - int(ip_address(first))


def _in_use(host: Host) -> int:
    return sum(pod.sandbox == "ready" and bool(pod.ip) for pod in host.pods.values())
