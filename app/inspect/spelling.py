"""Numbers as readers see them: durations, ranges, amounts and lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.kube import durations
from app.kube.probe_budget import Range
from app.kube.quantity import canonical, in_bytes

MOST_NAMES = 8
IN_BYTES = ("memory", "ephemeral-storage")


def span(milliseconds: int) -> str:
    return durations.format(milliseconds)


def spread(found: Range) -> str:
    """`30s` or `30s to 40s`."""
    least, most = span(found.least), span(found.most)
    return least if least == most else f"{least} to {most}"


def amount(name: str, whole: int) -> str:
    """`250m` of cpu, `128Mi` of memory."""
    if name == "cpu":
        return canonical(f"{whole}m")
    return in_bytes(whole) if name in IN_BYTES or name.startswith("hugepages-") else str(whole)


def together(amounts: Mapping[str, int]) -> str:
    """`cpu 250m, memory 128Mi`; empty where nothing is asked for."""
    return ", ".join(f"{name} {amount(name, whole)}" for name, whole in sorted(amounts.items()) if whole)


def names(rows: Iterable[object]) -> str:
    """One after the other, each once; of many, the first."""
    found = list(dict.fromkeys(rows))
    more = f" and {len(found) - MOST_NAMES:,} more" if len(found) > MOST_NAMES else ""
    return ", ".join(str(row) for row in found[:MOST_NAMES]) + more
