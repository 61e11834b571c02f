"""Every step of an export in words: the same for pages, Markdown and captions."""

from __future__ import annotations

from msgspec import Struct

from app.catalog.reading import lexicon
from app.diagram.extract import deeds, names
from app.export.asked import Asked, Remark
from app.story.play import Play
from app.story.words import tell

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


class Telling:
    """All steps of a walk, told when they are asked for."""

    def __init__(self, played: Play, asked: Asked) -> None:
        self.rows = played.steps
        self._played, self._asked = played, asked
        self._acts = lexicon().acts
        self._numbers = {row.id: row.n for row in self.rows} | {"0": 0}
        self._remarks: dict[str, list[Remark]] = {}
        for remark in asked.remarks:
            self._remarks.setdefault(remark.step, []).append(remark)

    def number(self, id: str) -> int:
        """-1 for a step that this walk does not have."""
        return self._numbers.get(id, -1)

    def id(self, n: int) -> str:
        return self.rows[n - 1].id if n else "0"

    def step(self, n: int) -> Told:
        """The start is step 0."""
        row = self.rows[n - 1] if n else None
        world = row.step.world if row else self._played.walk.start
        said = tell(self._played.flow, row, world, self._asked.depth, self._acts)
        step = row.step if row else None
        name = step.object.name if step else ""
        return Told(
            n=n,
            id=self.id(n),
            at=f"T+{names.seconds(step.at if step else 0)} s",
            who=deeds.sentence(self._played.flow, row) if row else "",
            title=names.brief(said.title, name),
            text=names.brief(said.text.strip(), name),
            outcome=step.outcome if step and step.outcome not in ASIDE else "",
            reason=step.reason if step else "",
            failing=said.harm,
            failed=f"{said.failed:g}" if said.failed else "",
            remarks=tuple(self._remarks.get(self.id(n), ())),
        )


def told(played: Play, asked: Asked) -> tuple[Told, ...]:
    """The steps that are asked for."""
    telling = Telling(played, asked)
    return tuple(telling.step(n) for n in range(asked.first, asked.last + 1))


def step_anchor(n: int) -> str:
    """Where a step stands on a page of the whole walk."""
    return f"step-{n}"


def origin(played: Play, asked: Asked) -> str:
    """Where the walk can be stepped through on a server; empty where no server is known."""
    first = played.steps[asked.first - 1].id if asked.first else "0"
    return asked.address.replace("{step}", first)
