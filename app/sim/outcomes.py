"""How an act and its answer are told: the object that it was about, its Events, and what came of it."""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.meta import Ref
from app.sim.acts import Act, Event
from app.sim.answers import Answer


def named(act: Act, answer: Answer) -> Ref:
    made = answer.outcome.object
    return made.ref if made is not None and not act.object.name else act.object


def events_of(act: Act, answer: Answer) -> tuple[Event, ...]:
    """A refused request has no events: they tell of what was done."""
    return tuple(_event(row, answer) for row in act.events) if answer.outcome.ok else ()


def _event(event: Event, answer: Answer) -> Event:
    """`{name}` in a message stands for the name that the API server gave the created object."""
    made = answer.outcome.object
    if made is None or "{name}" not in event.message:
        return event
    return replace(event, message=event.message.replace("{name}", made.metadata.name))


def word_of(act: Act, answer: Answer) -> str:
    outcome = answer.outcome
    if act.request is None:
        return act.outcome or "ok"
    return outcome.status if outcome.ok or not outcome.message else f"{outcome.status}: {outcome.message}"
