"""What is said of all steps of a walk at once, kept for as long as the walk is likely to be asked for."""

from __future__ import annotations

from hashlib import sha256

import msgspec

from app.catalog.reading import lexicon
from app.diagram.extract import names
from app.sim.walk import Record
from app.store.sessions import StepTaken
from app.story.play import Play, differences
from app.story.searching import searched
from app.story.words import title
from app.web.keeping import Kept
from app.web.limits import searching


def _titles(played: Play) -> tuple[str, ...]:
    acts = lexicon().acts
    return tuple(brief(title(played.flow, row, acts), row) for row in played.steps)


def brief(text: str, row: Record) -> str:
    """With the pod named as it is in the pictures."""
    return names.brief(text, row.step.object.name)


def _taken(played: Play) -> tuple[StepTaken, ...]:
    return tuple(StepTaken(n=row.n, step_id=row.id, at_ms=row.step.at, digest=digest(row)) for row in played.steps)


def digest(row: Record) -> str:
    """What a step did, without words, times and counts: 8 bytes of SHA-256 over canonical JSON."""
    changes = [[change.object, change.path, change.after] for change in differences(row)]
    text = msgspec.json.encode([row.id, row.step.outcome, changes], order="sorted", enc_hook=str)
    return sha256(text).hexdigest()[:16]


def _orders(played: Play) -> Play:
    with searching():
        return searched(played)


found_orders = Kept(_orders)
"""The walk with its verdicts over every order."""

titles = Kept(_titles)
"""The titles of all steps."""

taken = Kept(_taken)
"""All steps as a session keeps them."""
