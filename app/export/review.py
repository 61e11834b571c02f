"""A review of a walk: what was asked, what it ran on, what came of it, what was decided, and what is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from app import __version__
from app.catalog.settings import effective
from app.diagram.words import say
from app.export.asked import Asked, Remark
from app.export.manifests import Brought, brought
from app.export.telling import Telling, Told, origin
from app.export.variants import JUDGED, Variants, variants
from app.story.play import Answered, Play
from app.story.sweeping import value_of

MOST_LISTED = 1_000
"""Steps in the list of all steps."""
MOST_KEYS = 200


class Given(Struct, frozen=True):
    """A setting."""

    name: str
    title: str
    value: str
    usual: str

    @property
    def differs(self) -> bool:
        return self.value != self.usual


class Answer(Struct, frozen=True):
    """A verdict with the step that decides it."""

    title: str
    value: str
    ok: str
    """good, bad or empty."""
    text: str
    step: int
    """0 where none does."""
    moment: str
    """What happens at that step."""


class Symptom(Struct, frozen=True):
    """A way to fail that the walk shows."""

    title: str
    cause: str
    look: str
    step: int


class Key(Struct, frozen=True):
    """A step that matters, and why."""

    told: Told
    reasons: tuple[str, ...]


class Pinned(Struct, frozen=True):
    """A note or a decision, with the number and the title of its step."""

    remark: Remark
    n: int
    """-1 where this walk has no such step."""
    moment: str


class Review(Struct, frozen=True, kw_only=True):
    """The whole report, in words; whoever writes it down only decides how it looks."""

    title: str
    question: str
    flow: str
    summary: str
    scene: str
    version: str
    kubernetes: str
    origin: str
    """Where the walk can be stepped through; empty where no server is known."""
    own: bool
    """Whether it ran on the reader's manifests."""
    manifest: str
    """Their hash, where they are kept."""
    objects: tuple[Brought, ...]
    settings: tuple[Given, ...]
    """Those that differ from the usual first."""
    choices: tuple[tuple[str, str], ...]
    """What the reader did and picked."""
    clock: str
    stopped: str
    answers: tuple[Answer, ...]
    symptoms: tuple[Symptom, ...]
    variants: Variants | None
    """The other variant beside this one."""
    key_steps: tuple[Key, ...]
    steps: tuple[Told, ...]
    """All, or the first where they are very many."""
    more_steps: int
    """How many are left out."""
    decisions: tuple[Pinned, ...]
    notes: tuple[Pinned, ...]
    assumes: tuple[str, ...]
    leaves_out: tuple[str, ...]
    not_modelled: tuple[tuple[str, str], ...]


class Subject(Struct, frozen=True, kw_only=True):
    """What a report is of, besides its walk."""

    title: str = ""
    """Of the session; empty for the flow's."""
    question: str = ""
    manifest: str = ""
    against: Play | None = None
    """The other variant."""


def review(played: Play, asked: Asked, subject: Subject) -> Review:
    """Everything there is to say about the walk."""
    flow, setup, walk = played.flow, played.setup, played.walk
    beside = variants(played, subject.against) if subject.against is not None else None
    scene = next((row.title for row in flow.scenes if row.id == setup.scene), "")
    telling = Telling(played, asked)
    pinned = [_pinned(telling, row) for row in asked.remarks]
    last = len(telling.rows)
    return Review(
        title=subject.title or flow.title,
        question=subject.question,
        flow=flow.title,
        summary=flow.summary,
        scene=scene,
        version=__version__,
        kubernetes=setup.release.name,
        origin=origin(played, asked),
        own=played.request.manifests is not None,
        manifest=subject.manifest,
        objects=brought(played),
        settings=_settings(played),
        choices=played.request.choices,
        clock=f"{walk.world.now / 1000:.3f}",
        stopped=walk.stopped,
        answers=tuple(_answer(telling, row) for row in played.verdicts),
        symptoms=tuple(
            Symptom(row.title, row.cause, row.look, row.step or 0) for row in played.symptoms if row.present
        ),
        variants=beside,
        key_steps=tuple(_key_steps(played, telling, asked, beside)),
        steps=tuple(telling.step(n) for n in range(1, min(last, MOST_LISTED) + 1)),
        more_steps=max(0, last - MOST_LISTED),
        decisions=tuple(row for row in pinned if row.remark.decision),
        notes=tuple(row for row in pinned if not row.remark.decision),
        assumes=flow.assumes,
        leaves_out=flow.leaves_out,
        not_modelled=setup.not_modelled,
    )


def _settings(played: Play) -> tuple[Given, ...]:
    usual = effective(played.flow, None, {})
    found = [
        Given(row.name, row.title, played.setup.settings[row.name], usual[row.name]) for row in played.flow.settings
    ]
    return tuple(sorted(found, key=lambda row: not row.differs))


def _answer(telling: Telling, row: Answered) -> Answer:
    moment = telling.step(row.step).title if row.step else ""
    return Answer(row.title, value_of(row), JUDGED[row.ok], row.text, row.step or 0, moment)


def _pinned(telling: Telling, remark: Remark) -> Pinned:
    n = telling.number(remark.step)
    return Pinned(remark, n, telling.step(n).title if n > 0 else "")


def _key_steps(played: Play, telling: Telling, asked: Asked, beside: Variants | None) -> Iterator[Key]:
    """The steps that something else in the report points to, in order, each with what does."""
    reasons: dict[int, list[str]] = {}
    for n, reason in _reasons(played, telling, asked, beside):
        if n > 0 and reason not in reasons.setdefault(n, []):
            reasons[n].append(reason)
    for n in sorted(reasons)[:MOST_KEYS]:
        yield Key(telling.step(n), tuple(reasons[n]))


def _reasons(played: Play, telling: Telling, asked: Asked, beside: Variants | None) -> Iterable[tuple[int, str]]:
    for record in telling.rows:
        if record.step.loop == "you" or record.cause == "intervention":
            yield record.n, say("report", "did")
    for answer in played.verdicts:
        yield answer.step or 0, say("report", "decides", title=answer.title)
    for symptom in played.symptoms:
        if symptom.present:
            yield symptom.step or 0, say("report", "shows", title=symptom.title)
    failing = [record.n for record in telling.rows if record.step.world.ledger.loses]
    if failing:
        yield failing[0], say("report", "fails")
        yield min(failing[-1] + 1, len(telling.rows)), say("report", "serves")
    if beside is not None:
        yield beside.parts_at, say("report", "parts")
    for remark in asked.remarks:
        yield telling.number(remark.step), say("report", "decided" if remark.decision else "noted")
