"""Holds a flow against the code: every name that it uses exists, every value is allowed, every text is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from app.catalog import script_checks, setting_checks
from app.catalog.faults import duration, exists, one_of
from app.catalog.flow import STEP_WORDS, Flow, Lexicon, Notes
from app.catalog.goals import GOALS
from app.catalog.scripts import placeholders
from app.errors import BadInput
from app.kube.nodes import Node
from app.kube.yaml_values import Path, Problem
from app.loops.registry import LOOPS
from app.sim.engine import API
from app.sim.interventions import YOU
from app.sim.references import parse_ref

KINDS = ("user", "api", "controller", "scheduler", "kubelet", "kube-proxy", "runtime", "kernel", "app", "clients")
"""Families of lanes; each has a colour."""
VIEWS = ("messages", "cluster", "timeline", "mermaid")
"""Where a figure may be shown."""

CLIENTS = ("always", "after-wait", "on-nodes")
"""Since when clients send."""

DEPTHS = Notes.__struct_fields__
# Steps that no loop takes: the API server's own acts, and the reader's.
_NO_LOOPS = ("api-server", "you")


class Known(Struct, frozen=True):
    """What the layers above the catalog have to offer a flow."""

    verdicts: tuple[str, ...]
    claim: Callable[[str], object]
    """Reads a claim about a walk; raises BadInput."""


def check_flow(flow: Flow, known: Known | None = None) -> list[Problem]:
    """Every fault of a flow; names that layers above decide on are checked when they are `known`."""
    settings = list(setting_checks.check(flow))
    return [
        *_ids(flow),
        *_frame(flow),
        *settings,
        # Scripts are filled in with settings, so these come first.
        *(() if settings else script_checks.check(flow)),
        *_references(flow),
        *_words(flow),
        *(_claims(flow, known) if known else ()),
    ]


def _ids(flow: Flow) -> Iterator[Problem]:
    """Ids name one thing each."""
    lists = ("moments", "symptoms", "verdicts", "scenes", "questions", "traps")
    named = [(part, row.id, "id", at) for part in lists for at, row in enumerate(getattr(flow, part))]
    named += [("settings", row.name, "name", at) for at, row in enumerate(flow.settings)]
    named += [("lanes", row.lane, "lane", at) for at, row in enumerate(flow.lanes)]
    seen: set[tuple[str, str]] = set()
    for part, name, key, at in named:
        if (part, name) in seen:
            yield Problem((part, at, key), f'"{name}" stands twice in {part}; keep one')
        seen.add((part, name))


def _frame(flow: Flow) -> Iterator[Problem]:
    """Lanes, goals, target and the state of kube-proxy at the start."""
    nodes = [obj.metadata.name for obj in flow.cluster if isinstance(obj, Node)]
    for at, lane in enumerate(flow.lanes):
        yield from one_of(("lanes", at, "kind"), lane.kind, KINDS)
        yield from one_of(("lanes", at, "lane"), lane.lane, lanes())
    yield from one_of(("clients",), flow.clients, CLIENTS)
    for at, text in enumerate(flow.applies):
        yield from one_of(("applies", at), text, [str(obj.ref) for obj in flow.cluster if not isinstance(obj, Node)])
    names = (*(loop.name for loop in LOOPS), *_NO_LOOPS)
    for at, act in enumerate(flow.folds):
        yield from one_of(("folds", at), act.partition(":")[0].rpartition(".")[0], names)
    for at, text in enumerate(flow.spare):
        yield from one_of(("spare", at), text, [str(obj.ref) for obj in flow.cluster])
    for at, text in enumerate(flow.brings):
        yield from one_of(("brings", at), text, [str(obj.ref) for obj in flow.cluster if not isinstance(obj, Node)])
    for at, name in enumerate(flow.goal):
        yield from one_of(("goal", at), name, GOALS)
    if flow.target:
        yield from _target(flow)
    for node, ago in flow.last_sync.items():
        yield from one_of(("last_sync", node), node, nodes)
        yield from duration(("last_sync", node), ago)
    yield from duration(("until",), flow.until)
    yield from duration(("monitor",), flow.monitor)


def lanes() -> list[str]:
    """Every lane that may be drawn; `*` stands for the name of any node."""
    found = [f"{loop.lane} *" if loop.per_node else loop.lane for loop in LOOPS]
    return list(dict.fromkeys((YOU, API, *found)))


def _target(flow: Flow) -> Iterator[Problem]:
    try:
        ref = parse_ref(flow.target)
    except BadInput as error:
        yield Problem(("target",), "; ".join(error.problems))
        return
    yield from exists(flow, ("target",), ref)


def _references(flow: Flow) -> Iterator[Problem]:
    """Names of one part of the flow that stand in another."""
    moments = [row.id for row in flow.moments]
    scenes = [row.id for row in flow.scenes]
    if flow.about:
        yield from one_of(("about",), flow.about, [row.id for row in flow.symptoms])
    for at, row in enumerate(flow.symptoms):
        if row.scene:
            yield from one_of(("symptoms", at, "scene"), row.scene, scenes)
        elif row.id != flow.about:
            needs = "only the symptom that `about` names is shown by the default walk"
            yield Problem(("symptoms", at, "scene"), f"missing, and {needs}; allowed: {', '.join(scenes) or 'none'}")
        if not row.words:
            yield Problem(("symptoms", at, "words"), "found none; allowed: at least one thing that people type")
    for part in ("questions", "traps"):
        for at, asked in enumerate(getattr(flow, part)):
            if asked.moment:
                yield from one_of((part, at, "moment"), asked.moment, moments)
    for at, figure in enumerate(flow.figures):
        yield from one_of(("figures", at, "view"), figure.view, VIEWS)
    processes = dict.fromkeys(name for loop in LOOPS for name in (loop.process, loop.name) if name)
    for at, verdict in enumerate(flow.verdicts):
        for number, name in enumerate(verdict.varies):
            yield from one_of(("verdicts", at, "varies", number), name, processes)


def _words(flow: Flow) -> Iterator[Problem]:
    """What titles and notes name in braces is what a step knows."""
    for at, moment in enumerate(flow.moments):
        texts = {("title",): moment.title} | {("notes", depth): getattr(moment.notes, depth) for depth in DEPTHS}
        for path, text in texts.items():
            yield from step_words(("moments", at, *path), text)


def step_words(path: Path, text: str) -> Iterator[Problem]:
    """A problem for each name in braces that no step fills."""
    for name in placeholders(text):
        yield from one_of(path, f"{{{name}}}", [f"{{{word}}}" for word in STEP_WORDS])


def check_lexicon(lexicon: Lexicon) -> list[Problem]:
    """Acts are of loops that exist, and their sentences name what a step knows."""
    names = (*(loop.name for loop in LOOPS), *_NO_LOOPS)
    found = []
    for act, text in lexicon.acts.items():
        found += [*one_of(("acts", act), act.rpartition(".")[0], names), *step_words(("acts", act), text)]
    return found


def acts_without_words(lexicon: Lexicon, acts: Iterable[str]) -> list[str]:
    """`LOOP.VERB` of walks for which the lexicon has no sentence."""
    return sorted(set(acts) - set(lexicon.acts))


def _claims(flow: Flow, known: Known) -> Iterator[Problem]:
    """Verdicts that are computed, and claims that can be read."""
    told: list[tuple[Path, Sequence[str]]] = [(("claims",), flow.claims)]
    rows: list[tuple[Path, Any]] = [(("scenes", at), scene) for at, scene in enumerate(flow.scenes)]
    told += [((*path, "claims"), scene.claims) for path, scene in rows]
    for at, verdict in enumerate(flow.verdicts):
        yield from one_of(("verdicts", at, "id"), verdict.id, known.verdicts)
    single = [(("verdicts", at, "ok"), row.ok) for at, row in enumerate(flow.verdicts)]
    single += [(("symptoms", at, "when"), row.when) for at, row in enumerate(flow.symptoms)]
    for path, text in (*((((*path, at)), text) for path, texts in told for at, text in enumerate(texts)), *single):
        try:
            if text:
                known.claim(text)
        except BadInput as error:
            yield from (Problem(path, problem) for problem in error.problems)
