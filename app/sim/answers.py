"""What the API server answers: an outcome, and the stages of a request's handling that readers see."""

from __future__ import annotations

from msgspec import Struct

from app.kube.meta import Ref
from app.kube.objects import resource_of
from app.sim.acts import Outcome
from app.sim.step import Commit
from app.sim.world import World


class Stage(Struct, frozen=True, gc=False):
    """Part of one request's handling that a reader sees as a step of its own."""

    commits: tuple[Commit, ...] = ()
    verb: str = ""
    """Empty for the request itself, else what the API server does of its own accord."""
    moment: str = ""
    object: Ref | None = None
    world: World | None = None
    """The world right after it; None where it is the last."""
    outcome: str = ""
    """What came of it, where that is not the outcome of the request."""


class Answer(Struct, frozen=True, gc=False):
    """The outcome, and the stages that led to it."""

    outcome: Outcome
    stages: tuple[Stage, ...] = (Stage(),)


def not_found(ref: Ref) -> Answer:
    """The API server's 404."""
    return Answer(Outcome("not-found", message=f'{resource_of(ref.kind)} "{ref.name}" not found'))
