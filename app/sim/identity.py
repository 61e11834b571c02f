"""A world's identity for search: a 128-bit fingerprint, computed only for the parts that changed.

Parts are remembered by the object they are, so an unchanged map or struct costs one look-up. Fingerprints rest on
`hash()`, which differs between processes: they never leave one.
"""

from __future__ import annotations

from typing import Any

from immutables import Map
from msgspec import Struct

from app.kube.stringmap import StringMap
from app.sim.world import World

MASK = (1 << 64) - 1
IGNORED = frozenset({"ledger"})
FIELDS = tuple(name for name in World.__struct_fields__ if name not in IGNORED)

Pair = tuple[int, int]


class Fingerprints:
    """Remembers the fingerprints of parts for as long as a search lasts."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, Pair]] = {}

    def of(self, world: World) -> Pair:
        """The identity of a world, its ledger left out."""
        parts = tuple(self._value(getattr(world, name)) for name in FIELDS)
        return hash(parts), hash(("other", parts))

    def _value(self, value: Any) -> Pair:
        if value is None or isinstance(value, int | str | bool | StringMap):
            return hash(value), hash(("other", value))
        known = self._known.get(id(value))
        if known is not None:
            return known[1]
        found = self._computed(value)
        # Holding the part keeps its id from being used again.
        self._known[id(value)] = (value, found)
        return found

    def _computed(self, value: Any) -> Pair:
        if isinstance(value, Map):
            first = second = len(value)
            for key, item in value.items():
                one, two = self._value(item)
                first += hash((hash(key), one))
                second += hash((hash(("other", key)), two))
            return first & MASK, second & MASK
        if isinstance(value, Struct):
            parts: tuple[object, ...] = tuple(self._value(getattr(value, name)) for name in value.__struct_fields__)
        elif isinstance(value, tuple):
            parts = tuple(self._value(item) for item in value)
        else:
            parts = (value,)
        return hash((type(value).__name__, parts)), hash(("other", parts))
