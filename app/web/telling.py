"""What is said of all steps of a walk at once, kept for as long as the walk is likely to be asked for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from typing import Generic, TypeVar

import msgspec

from app.diagram.extract.names import short
from app.sim.walk import Record, Walk
from app.store.sessions import StepTaken
from app.story.play import KEPT, Play, PlayRequest, differences
from app.story.words import title

T = TypeVar("T")


class _Kept(Generic[T]):
    """The answers for the walks asked for last."""

    def __init__(self, of: Callable[[Play], T]) -> None:
        self._of = of
        self._found: OrderedDict[PlayRequest, tuple[Walk, T]] = OrderedDict()
        self._lock = Lock()

    def __call__(self, played: Play) -> T:
        with self._lock:
            found = self._found.get(played.request)
            # A walk that was played anew, because its flow's files changed, is another object.
            if found is not None and found[0] is played.walk:
                self._found.move_to_end(played.request)
                return found[1]
        answer = self._of(played)
        with self._lock:
            self._found[played.request] = (played.walk, answer)
            while len(self._found) > KEPT:
                self._found.popitem(last=False)
        return answer


def _titles(played: Play) -> tuple[str, ...]:
    return tuple(brief(title(played.flow, row), row) for row in played.steps)


def brief(text: str, row: Record) -> str:
    """With the pod named as it is in the pictures: `web-8ml77` for `web-7db6699dfd-8ml77`."""
    name = row.step.object.name
    return text.replace(name, short(name)) if name else text


def _taken(played: Play) -> tuple[StepTaken, ...]:
    return tuple(StepTaken(n=row.n, step_id=row.id, at_ms=row.step.at, digest=digest(row)) for row in played.steps)


def digest(row: Record) -> str:
    """What a step did, without words, times and counts: 8 bytes of SHA-256 over canonical JSON."""
    changes = [[change.object, change.path, change.after] for change in differences(row)]
    text = msgspec.json.encode([row.id, row.step.outcome, changes], order="sorted", enc_hook=str)
    return sha256(text).hexdigest()[:16]


titles = _Kept(_titles)
"""The titles of all steps."""

taken = _Kept(_taken)
"""All steps as a session keeps them."""
