"""Addresses of pods, which tell the machine that they are on."""

from __future__ import annotations


def pod_address(number: int, count: int) -> str:
    """The `count`th pod address of the machine with that number (10.244.N.C, going on into 10.245 and so forth)."""
    high, low = divmod(number, 256)
    return f"10.{244 + high}.{low}.{count + 1}"


def host_number(address: str) -> int:
    """The number of the machine that a pod address belongs to; of any other address a number that no machine has."""
    parts = address.split(".")
    if len(parts) != 4 or parts[0] != "10" or not all(part.isdigit() for part in parts):
        return 0
    return (int(parts[1]) - 244) * 256 + int(parts[2])
