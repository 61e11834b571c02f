"""A world's identity for search: a 64-bit fingerprint, computed only for the parts that changed.

Parts are remembered by the object they are, so an unchanged map or struct costs one look-up. Fingerprints rest on
`hash()`, which differs between processes: they never leave one. Among a million worlds two share one with a chance of
less than one in ten million.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from operator import attrgetter, is_not

from msgspec import Struct

from app.kube.stringmap import StringMap
from app.sim.host import ContainerRun, Worker
from app.sim.lags import Bounds
from app.sim.maps import Map
from app.sim.world import World

MASK = (1 << 64) - 1
NAMES = tuple(name for name in World.__struct_fields__ if name not in ("now", "ledger"))
PARTS: Callable[[World], tuple[object, ...]] = attrgetter(*NAMES)
PLACES = range(len(NAMES))
# Structs among them are small and hold no map.
WHOLE = frozenset({int, str, bool, float, type(None), StringMap, Bounds, ContainerRun, Worker})


class Fingerprints:
    """Remembers the fingerprints of parts for as long as a search lasts."""

    def __init__(self) -> None:
        self._marks: dict[int, int] = {}
        # Holding a part keeps its id from being used again.
        self._held: list[object] = []
        # A search begins with no part that could be in these places.
        self._last: tuple[object, ...] = (self,) * len(PLACES)
        self._last_marks = [0] * len(PLACES)

    def of(self, world: World) -> int:
        """The identity of a world, its ledger left out."""
        parts = PARTS(world)
        # Worlds come in the order of a search, so most parts are those of the world before.
        for at in compress(PLACES, map(is_not, parts, self._last)):
            self._last_marks[at] = self._mark(parts[at])
        self._last = parts
        return hash((world.now, *self._last_marks))

    def _mark(self, value: object) -> int:
        if type(value) in WHOLE:
            return hash(value)
        mark = self._marks.get(id(value))
        if mark is None:
            self._marks[id(value)] = mark = self._computed(value)
            self._held.append(value)
        return mark

    def _computed(self, value: object) -> int:
        mark = self._mark
        if isinstance(value, Map):
            total = len(value)
            for key, item in value.items():
                # Squared: the hashes of (a, 1) and (a, 2) often lie as far apart as those of (b, 1) and (b, 2).
                part = hash((key, mark(item)))
                total += part * part
            return total & MASK
        if isinstance(value, Struct):
            return hash((type(value), *[mark(getattr(value, name)) for name in value.__struct_fields__]))
        if type(value) is tuple:
            return hash(tuple([mark(item) for item in value]))
        return hash(value)
