"""A world's identity for search: a 64-bit fingerprint, computed only for the parts that changed.

Parts are remembered by the object they are, so an unchanged map or struct costs one look-up. Fingerprints rest on
`hash()`, which differs between processes: they never leave one. Among a million worlds two share one with a chance of
less than one in ten million.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from msgspec import Struct

from app.kube.stringmap import StringMap
from app.sim.maps import Map
from app.sim.world import World

MASK = (1 << 64) - 1
PARTS = attrgetter(*(name for name in World.__struct_fields__ if name != "ledger"))
PLAIN = (int, str, bool, float, type(None), StringMap)


class Fingerprints:
    """Remembers the fingerprints of parts for as long as a search lasts."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, int]] = {}

    def of(self, world: World) -> int:
        """The identity of a world, its ledger left out."""
        known = self._known
        parts = []
        for value in PARTS(world):
            found = known.get(id(value))
            parts.append(found[1] if found is not None else self._value(value))
        return hash(tuple(parts))

    def _value(self, value: Any) -> int:
        if isinstance(value, PLAIN):
            return hash(value)
        known = self._known.get(id(value))
        if known is not None:
            return known[1]
        found = self._computed(value)
        # Holding the part keeps its id from being used again.
        self._known[id(value)] = (value, found)
        return found

    def _computed(self, value: Any) -> int:
        if isinstance(value, Map):
            total = len(value)
            for key, item in value.items():
                total += hash((key, self._value(item)))
            return total & MASK
        if isinstance(value, Struct):
            return hash((type(value), *[self._value(getattr(value, name)) for name in value.__struct_fields__]))
        if isinstance(value, tuple):
            return hash(tuple([self._value(item) for item in value]))
        return hash(value)
