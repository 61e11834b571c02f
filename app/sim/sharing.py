"""Answers that many share: worked out once for the very same immutable values, whoever asks."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


class Shared(Generic[P, T]):
    """A function of immutable values that remembers its last answers, by which objects it was asked about.

    Equal values that are other objects are worked out anew, so that nothing depends on what is remembered.
    """

    def __init__(self, of: Callable[P, T], *, most: int = 256) -> None:
        self._of = of
        self._most = most
        # Holding what was asked about keeps its ids from being used again.
        self._known: dict[tuple[int, ...], tuple[tuple[object, ...], T]] = {}
        self._lock = Lock()

    def __call__(self, *parts: P.args, **_: P.kwargs) -> T:
        key = tuple(map(id, parts))
        found = self._known.get(key)
        if found is not None:
            return found[1]
        answer = self._of(*parts, **_)
        with self._lock:
            self._known[key] = (parts, answer)
            if len(self._known) > self._most:
                del self._known[next(iter(self._known))]
        return answer
