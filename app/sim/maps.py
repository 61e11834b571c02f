"""Persistent maps, iterated only in the order of their keys.

The library's own iteration order follows string hashes, which differ between processes; nothing may depend on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from immutables import Map

K = TypeVar("K")
V = TypeVar("V")

EMPTY: Map[Any, Any] = Map()

__all__ = ["EMPTY", "Map", "ordered", "ordered_keys"]


def ordered(items: Map[K, V]) -> list[tuple[K, V]]:
    """All pairs, sorted by key: the only way to walk a map."""
    return sorted(items.items(), key=_first)


def ordered_keys(items: Map[K, V] | Iterable[K]) -> list[K]:
    """All keys, sorted."""
    return sorted(items)  # type: ignore[type-var]


def _first(pair: tuple[Any, Any]) -> Any:
    return pair[0]
