"""Claims held against a team's own manifests: each by every flow that answers it and can run on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from app.catalog import reading, subjects
from app.catalog.claims_file import Asked
from app.catalog.flow import Flow
from app.errors import BadInput
from app.story import claims
from app.story.claims import Claim
from app.story.facts import FACTS
from app.story.play import Answered, Play, Seen, play, request
from app.story.report import verdict_row
from app.story.searching import searched

OF_REQUESTS = frozenset({"requests-failed", "requests-cut", "answered-badly", "met-nobody", "peak-per-pod"})


class Held(Struct, frozen=True):
    """What one flow says of one claim."""

    asked: Asked
    flow: str
    holds: bool
    answers: tuple[Answered, ...]
    """One for each part of the claim, in its order."""
    symptoms: tuple[Seen, ...]
    """What else the walk shows: where a claim fails, they say why."""
    steps: Mapping[int, str]
    """The ids of the walk's steps, by number."""

    def place(self, step: int | None) -> str:
        """Where that is, as text; empty for no step."""
        return f" (step {step}, {self.steps[step]})" if step else ""

    def decided(self, answer: Answered) -> str:
        """The step that decides an answer; what has not come about to the end fails at the last one."""
        if answer.step or self.holds or not self.steps:
            return self.place(answer.step)
        last = max(self.steps)
        return f" (not by the last step, {last}, {self.steps[last]})"


class Unfit(Struct, frozen=True):
    """A flow that cannot run on these manifests, and why."""

    flow: str
    problems: tuple[str, ...]


class Verified(Struct, frozen=True):
    """All claims; `holds` when every one of them does in every flow that answered."""

    rows: tuple[Held, ...]
    unfit: tuple[Unfit, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing failed."""
        return all(row.holds for row in self.rows)


def verify(
    asked: Sequence[Asked],
    manifest: Mapping[str, str] | None,
    *,
    settings: Sequence[tuple[str, str]] = (),
    search: bool = False,
) -> Verified:
    """Hold every claim against the walks of the flows that fit; `manifest` None takes each flow's own cluster.

    `settings` go to the flows that have them. BadInput: a claim that no flow answers, or that none can run.
    """
    problems: list[str] = []
    rows: list[Held] = []
    unfit: dict[str, Unfit] = {}
    known = {name for flow in reading.flows().values() for name in _names(flow, manifest)}
    problems += [f"setting {name!r}: no flow has it" for name, _ in settings if name not in known]
    for row in asked:
        try:
            rows += _held(row, manifest, settings, unfit, search=search)
        except BadInput as error:
            problems += error.problems
    if problems:
        raise BadInput(problems)
    return Verified(tuple(rows), tuple(unfit.values()))


def _held(
    asked: Asked,
    manifest: Mapping[str, str] | None,
    settings: Sequence[tuple[str, str]],
    unfit: dict[str, Unfit],
    *,
    search: bool,
) -> list[Held]:
    parts = claims.parse(asked.claim, FACTS)
    found: list[Held] = []
    for flow in _answering(asked, parts):
        if found and flow.anything and not asked.flow:
            break
        given = [pair for pair in settings if pair[0] in _names(flow, manifest)]
        try:
            wanted = [*given, *asked.settings.items()]
            played = play(request(flow.id, settings=wanted, scene=asked.scene, manifest=manifest))
            if manifest is not None:
                _check_asked(parts, played)
        except BadInput as error:
            if asked.flow:
                raise BadInput(
                    [f"claim {asked.claim!r}, flow {flow.id}: {problem}" for problem in error.problems]
                ) from None
            unfit[flow.id] = Unfit(flow.id, tuple(error.problems))
            continue
        found.append(_judged(asked, parts, searched(played) if search else played))
    if not found:
        raise BadInput([f"claim {asked.claim!r}: no flow that answers it can run on these manifests", *_reasons(unfit)])
    return found


def _check_asked(parts: Sequence[Claim], played: Play) -> None:
    """What nobody sends cannot fail: a claim about requests says nothing of a walk without clients."""
    about = [part.name for part in parts if part.name in OF_REQUESTS]
    calls = any(row.call is not None for row in played.walk.world.commands.values())
    if about and not calls and not played.walk.start.load:
        text = f"{about[0]} says nothing here, as no Service of these manifests selects a workload's pods and nobody"
        raise BadInput([f"{text} sends requests; add the Service"])


def _answering(asked: Asked, parts: Sequence[Claim]) -> list[Flow]:
    """The flows whose verdicts have every name of the claim; last those without a stimulus of their own.

    They are asked only where no other fits: in the empty cluster that they begin with, nothing is ready yet.
    """
    flows = [reading.flow(asked.flow)] if asked.flow else list(reading.flows().values())
    wanted = {part.name for part in parts}
    fitting = [flow for flow in flows if wanted <= {row.id for row in flow.verdicts}]
    if not fitting:
        where = f"flow {asked.flow} has" if asked.flow else "a flow has"
        told = sorted({row.id for flow in flows for row in flow.verdicts})
        raise BadInput([f"claim {asked.claim!r}: these are no verdicts that {where}; allowed: {', '.join(told)}"])
    with_scene = [flow for flow in fitting if not asked.scene or any(row.id == asked.scene for row in flow.scenes)]
    return sorted(with_scene or fitting, key=lambda flow: flow.anything)


def _judged(asked: Asked, parts: Sequence[Claim], played: Play) -> Held:
    answers = {row.id: row for row in played.verdicts}
    told = tuple(answers[part.name] for part in parts)
    holds = all(_holds(part, row) for part, row in zip(parts, told, strict=True))
    symptoms = tuple(row for row in played.symptoms if row.present)
    return Held(asked, played.flow.id, holds, told, symptoms, {row.n: row.id for row in played.steps})


def _holds(part: Claim, answer: Answered) -> bool:
    """Of a range it must hold at both ends: what lies between follows for all comparisons but `!=`."""
    if answer.least is None or answer.most is None:
        return part.holds(answer.value)
    return all(part.holds(value) for value in (answer.value, answer.least, answer.most))


def _names(flow: Flow, manifest: Mapping[str, str] | None) -> set[str]:
    """The settings of a flow; on a reader's manifests also which pod and node are meant."""
    found = {row.name for row in flow.settings}
    return found if manifest is None else found | {subjects.ABOUT, subjects.NODE}


def _reasons(unfit: Mapping[str, Unfit]) -> list[str]:
    return [f"  {row.flow}: {problem}" for row in unfit.values() for problem in row.problems]


def plain(found: Verified) -> str:
    """For a terminal: one line for each claim and flow, what came of it, and the step."""
    lines = []
    for row in found.rows:
        where = f"{row.flow}/{row.asked.scene}" if row.asked.scene else row.flow
        lines.append(f"{'ok  ' if row.holds else 'FAIL'} {where}: {row.asked.claim}")
        for answer in row.answers:
            partly = "; not every order was searched" if answer.exact is False else ""
            lines.append(f"       {answer.text}{row.decided(answer)}{partly}")
        if not row.holds:
            lines += [f"     ! {seen.title}: {seen.cause}{row.place(seen.step)}" for seen in row.symptoms]
    lines += [f"--   {row.flow} does not fit: {problem}" for row in found.unfit for problem in row.problems]
    failed = sum(not row.holds for row in found.rows)
    lines.append(f"{len(found.rows) - failed} of {len(found.rows)} hold")
    return "\n".join(lines) + "\n"


def report(found: Verified) -> dict[str, Any]:
    """The same for programs."""
    return {
        "holds": found.holds,
        "claims": [
            {
                "claim": row.asked.claim,
                "flow": row.flow,
                "scene": row.asked.scene,
                "holds": row.holds,
                "verdicts": [verdict_row(answer) | _step(row, answer.step) for answer in row.answers],
                "symptoms": [{"id": seen.id} | _step(row, seen.step) for seen in row.symptoms],
            }
            for row in found.rows
        ],
        "unfit": [{"flow": row.flow, "problems": list(row.problems)} for row in found.unfit],
    }


def _step(row: Held, step: int | None) -> dict[str, Any]:
    return {"step": step, "step_id": row.steps[step] if step else ""}
