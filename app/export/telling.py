"""Every step of an export in words: the same for pages, Markdown and captions."""

from __future__ import annotations

from msgspec import Struct

from app.diagram.extract import deeds, names
from app.export.asked import Asked, Remark
from app.story import play as story
from app.story.play import Play
from app.story.words import Passage

ASIDE = ("ok", "")


class Told(Struct, frozen=True, kw_only=True):
    """One step."""

    n: int
    id: str
    at: str
    """`T+0.200 s`."""
    who: str
    """`kubelet node-1 → runtime node-1: SIGTERM`; empty at the start."""
    title: str
    text: str
    """The flow's note for the reader's depth; often there is none."""
    outcome: str
    reason: str
    failing: bool
    """Whether requests fail right now."""
    failed: str
    """How many have failed so far; empty while none has."""
    remarks: tuple[Remark, ...]


def told(played: Play, asked: Asked) -> tuple[Told, ...]:
    """The steps that are asked for, the start as step 0."""
    return tuple(_told(played, n, asked) for n in range(asked.first, asked.last + 1))


def of_step(played: Play, n: int, asked: Asked) -> Told:
    return _told(played, n, asked)


def _told(played: Play, n: int, asked: Asked) -> Told:
    said = story.passage(played, n, asked.depth)
    failed = f"{said.failed:g}" if said.failed else ""
    if n == 0:
        return _start(said, failed, asked)
    row = played.steps[n - 1]
    step = row.step
    return Told(
        n=n,
        id=row.id,
        at=f"T+{names.seconds(step.at)} s",
        who=deeds.sentence(played.flow, row),
        title=names.brief(said.title, step.object.name),
        text=names.brief(said.text.strip(), step.object.name),
        outcome="" if step.outcome in ASIDE else step.outcome,
        reason=step.reason,
        failing=said.harm,
        failed=failed,
        remarks=tuple(row for row in asked.remarks if row.step == step_id(played, n)),
    )


def _start(said: Passage, failed: str, asked: Asked) -> Told:
    return Told(
        n=0,
        id="0",
        at="T+0.000 s",
        who="",
        title=said.title,
        text=said.text.strip(),
        outcome="",
        reason="",
        failing=said.harm,
        failed=failed,
        remarks=tuple(row for row in asked.remarks if row.step == "0"),
    )


def step_anchor(n: int) -> str:
    """Where a step stands on a page of the whole walk."""
    return f"step-{n}"


def step_id(played: Play, n: int) -> str:
    return played.steps[n - 1].id if n else "0"


def origin(played: Play, asked: Asked) -> str:
    """Where the walk can be stepped through on a server; empty where no server is known."""
    return asked.address.replace("{step}", step_id(played, asked.first)) if asked.address else ""
