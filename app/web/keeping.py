"""Answers about walks, kept for as long as they are likely to be asked for again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Concatenate, Generic, ParamSpec, TypeVar

from app.sim.walk import Walk
from app.story.play import KEPT, Play

T = TypeVar("T")
P = ParamSpec("P")


class Kept(Generic[P, T]):
    """A function of a walk, and of hashable arguments by position, that remembers the answers asked for last."""

    def __init__(self, of: Callable[Concatenate[Play, P], T], *, most: int = KEPT) -> None:
        self._of = of
        self._most = most
        self._found: OrderedDict[Hashable, tuple[Walk, T]] = OrderedDict()
        self._lock = Lock()
        self._hits = 0
        self._misses = 0

    def tally(self) -> tuple[int, int]:
        """How often an answer was found, and how often one was computed."""
        return self._hits, self._misses

    def __call__(self, played: Play, *args: P.args, **_: P.kwargs) -> T:
        key = (played.request, *args)
        with self._lock:
            found = self._found.get(key)
            # A walk that was played anew, because its flow's files changed, is another object.
            if found is not None and found[0] is played.walk:
                self._found.move_to_end(key)
                self._hits += 1
                return found[1]
            self._misses += 1
        answer = self._of(played, *args, **_)
        with self._lock:
            self._found[key] = (played.walk, answer)
            while len(self._found) > self._most:
                self._found.popitem(last=False)
        return answer
