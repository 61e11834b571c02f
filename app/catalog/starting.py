"""From a flow, settings, manifests and choices to the world that a walk starts from, and to when it is over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from typing import ParamSpec, TypeVar

from app.catalog import beginnings, goals, reading, scripts, sizes, subjects
from app.catalog import settings as settings_of
from app.catalog.assuming import assumed
from app.catalog.flow import Flow, Setup
from app.catalog.ground import Ground, foreign_ground, own_ground, with_files
from app.catalog.targets import TEMPLATED, template
from app.errors import BadInput
from app.kube import durations
from app.kube.annotations import PREFIX
from app.kube.manifests import Manifests
from app.kube.meta import Ref
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.release_fields import fitted
from app.kube.releases import Release
from app.kube.static_pods import from_a_file
from app.kube.yaml_values import written
from app.loops.registry import LOOPS
from app.sim import interventions
from app.sim.draft import Draft
from app.sim.engine import Model
from app.sim.intervention import Intervention
from app.sim.references import parse_ref, resolve
from app.sim.schedule import run
from app.sim.walk import Choice, Goal, Walk, parse_pick
from app.sim.world import World

P = ParamSpec("P")
T = TypeVar("T")

KEPT = 64
"""Starting worlds in memory; each is a pure function of its setup."""


@cache
def model() -> Model:
    """All loops."""
    return Model(LOOPS)


def digest(flow: str) -> str:
    """Changes when any file of the flow does; NotFound for a flow that does not exist."""
    return reading.flow(flow).digest


def setup(
    flow: str,
    *,
    settings: Mapping[str, str],
    manifests: Manifests | None = None,
    scene: str = "",
    choices: Sequence[tuple[str, str]] = (),
    until: str = "",
    applies: Mapping[str, Manifests] | None = None,
) -> Setup:
    """Everything that decides a walk; `choices` are (do | pick, text) in order. BadInput lists every problem."""
    asked = reading.flow(flow)
    return set_up(
        asked,
        settings=settings,
        manifests=manifests,
        scene=scene,
        choices=choices,
        until=until,
        applies={name: given.objects for name, given in (applies or {}).items()},
    )


def set_up(
    flow: Flow,
    *,
    settings: Mapping[str, str],
    manifests: Manifests | None = None,
    scene: str = "",
    choices: Sequence[tuple[str, str]] = (),
    until: str = "",
    applies: Mapping[str, tuple[Object, ...]] | None = None,
) -> Setup:
    """`setup` for a flow that is at hand."""
    manifests = None if manifests is None else with_files(flow, manifests)
    flow = flow if manifests is None else subjects.asking(flow, manifests.objects)
    preset = settings_of.scene_of(flow, scene)
    meant = subjects.chosen(flow, {**(preset.settings if preset else {}), **settings})
    ground = own_ground(flow) if manifests is None else foreign_ground(flow, manifests, *meant)
    said = ground.says(flow)
    problems: list[str] = []
    # Faults of settings do not hide those of choices, which are read with the defaults meanwhile.
    effective = _tried(problems, settings_of.effective, flow, preset, settings, said)
    effective = effective or settings_of.effective(flow, None, {}, said)
    applied = _tried(problems, settings_of.applied, flow, ground, effective, said)
    applied = applied or settings_of.unapplied(flow, ground, effective)
    objects, dropped = _fitted(applied.objects, applied.release, problems)
    brought = {name: _fitted(rows, applied.release, problems)[0] for name, rows in (applies or {}).items()}
    words = {"target": ground.target, **applied.words}
    nodes = [obj.metadata.name for obj in ground.objects if isinstance(obj, Node)]
    begins = applied.begins or ("apply" if flow.applies else "rest")
    usual = () if preset and preset.instead else beginnings.script(flow, begins)
    later = () if begins == "rest" else _later(flow, ground, objects)
    opening = () if preset and preset.instead else beginnings.opening(begins)
    lines = (*(preset.script if preset else ()), *opening, *usual)
    scripted = list(_scripted(flow, lines, ground, words, problems))
    known = {**beginnings.at_hand(flow), **brought}
    chosen = [*scripted, *_chosen(choices, words, known, nodes, problems)]
    end = _until(until or (preset.until if preset else "") or flow.until, problems)
    if problems:
        raise BadInput(problems)
    images = flow.images if manifests is None else _images(flow, objects)
    return Setup(
        flow=flow,
        settings=effective,
        objects=tuple(obj for obj in objects if obj not in later),
        choices=tuple(chosen),
        until=end,
        scene=scene,
        begins=begins,
        later=later,
        target=ground.target,
        lags=applied.lags,
        loads=beginnings.loads(applied.loads, begins),
        images=images,
        applies=brought,
        alone=applied.alone,
        programs=applied.programs,
        release=applied.release,
        not_modelled=ground.not_modelled,
        assumed=assumed(flow, ground, effective, settings, images),
        dropped=dropped,
    )


def _fitted(
    objects: tuple[Object, ...], release: Release, problems: list[str]
) -> tuple[tuple[Object, ...], tuple[tuple[str, str, str], ...]]:
    """The objects as that release takes them, and (object, path, release) of every field that it drops."""
    found = [fitted(obj, release) for obj in objects]
    problems += [
        f"kubernetes {release.name}: {row.object.ref}: {written(problem.path)}: {problem.text}"
        for row in found
        for problem in row.problems
    ]
    dropped = [(str(row.object.ref), written(field.path), field.since) for row in found for field in row.dropped]
    return tuple(row.object for row in found), tuple(dropped)


def _later(flow: Flow, ground: Ground, objects: tuple[Object, ...]) -> tuple[Object, ...]:
    """What `kubectl apply` brings: the objects that the flow names, or all that a reader's files hold but Nodes."""
    if not flow.applies:
        return ()
    named = {parse_ref(text) for text in flow.applies}
    if ground.foreign:
        there = (obj.ref for obj in objects if isinstance(obj, Pod) and from_a_file(obj))
        before = {*ground.assumed, *there}
        return tuple(obj for obj in objects if obj.kind != "Node" and obj.ref not in before)
    return tuple(obj for obj in objects if obj.ref in named)


def _tried(problems: list[str], make: Callable[P, T], *args: P.args, **more: P.kwargs) -> T | None:
    """What `make` returns, or nothing and its problems."""
    try:
        return make(*args, **more)
    except BadInput as error:
        problems += error.problems
        return None


def _scripted(
    flow: Flow, lines: Sequence[str], ground: Ground, words: Mapping[str, str], problems: list[str]
) -> Iterable[Intervention]:
    """The lines of the scene's script, which at one instant set the stage for the flow's, and of that."""
    nodes = tuple(obj.metadata.name for obj in flow.cluster if isinstance(obj, Node))
    for text in lines:
        found = _tried(problems, scripts.read, text, words)
        if found is None or (not ground.target and flow.target in found.args):
            continue
        for one in interventions.each(found):
            yield scripts.renamed(one, ground, nodes) if ground.foreign else one


def _chosen(
    choices: Sequence[tuple[str, str]],
    words: Mapping[str, str],
    applies: Mapping[str, tuple[Object, ...]],
    nodes: Sequence[str],
    problems: list[str],
) -> Iterable[Choice]:
    """The reader's own choices."""
    for kind, text in choices:
        if kind == "pick":
            pick = _tried(problems, parse_pick, text)
            yield from [pick] if pick else []
        elif found := _tried(problems, scripts.read, text, words):
            problems += scripts.unknown_manifest(found, applies)
            for one in interventions.each(found):
                problems += scripts.unknown_process(one, nodes)
                yield one


def _until(text: str, problems: list[str]) -> int:
    try:
        return durations.parse(text)
    except ValueError as error:
        problems.append(f"until: {error}")
        return 0


def _images(flow: Flow, objects: tuple[Object, ...]) -> tuple[str, ...]:
    """That images lie on every node is assumed of a reader's too, unless an annotation speaks of them."""
    found = list(flow.images)
    for obj in objects if flow.images else ():
        if isinstance(obj, TEMPLATED):
            pod = template(obj)
            spoken = [name for name, _ in pod.metadata.annotations.items() if name.startswith(PREFIX)]
            if not any(name.endswith("image-pull") for name in spoken):
                found += [row.image for row in (*pod.spec.initContainers, *pod.spec.containers)]
    return tuple(dict.fromkeys(found))


def start(setup: Setup, using: Model | None = None) -> World:
    """The world at t = 0: the cluster at rest, with clients, and each kube-proxy's last sync where the flow says."""
    return _start(_Known(setup), using or model())


class _Known:
    """A setup as the key of a cache: equal when all that decides the starting world is."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        rest = (setup.objects, setup.lags, setup.loads, setup.images, setup.flow.last_sync, setup.applies)
        life = (setup.flow.heartbeats, setup.flow.monitor, setup.flow.leaders, setup.flow.dns, setup.alone)
        parts = (
            *rest,
            *life,
            setup.release.name,
            setup.programs,
            setup.begins,
            setup.later,
            setup.flow.narrate_api,
            setup.flow.spare,
        )
        self.digest = sha256(repr(parts).encode()).digest()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and self.digest == other.digest


@lru_cache(maxsize=KEPT)
def _start(known: _Known, using: Model) -> World:
    return beginnings.begun(known.setup, using)


def target(setup: Setup, world: World) -> Ref:
    """The object that the walk is about, under its real name; an empty reference when there is none."""
    return resolve(Draft(world), setup.target) if setup.target else Ref("", "", "")


def choices(setup: Setup, world: World) -> tuple[Choice, ...]:
    """The choices with the target's machine filled in where they name it; BadInput when it runs on none."""
    if not any(_names_node(choice) for choice in setup.choices):
        return setup.choices
    held = world.etcd.get(target(setup, world))
    pod = held.object if held else None
    node = pod.spec.nodeName if isinstance(pod, Pod) else ""
    if not node:
        about = setup.target or "the target"
        raise BadInput([f"manifest: {about} runs on no node at the start, and this flow is about the node it is on"])
    return tuple(scripts.at_node(row, node) if isinstance(row, Intervention) else row for row in setup.choices)


def _names_node(choice: Choice) -> bool:
    return isinstance(choice, Intervention) and any(scripts.NODE in arg for arg in choice.args)


def goal(setup: Setup, target: Ref) -> Goal | None:
    """When the walk is over, besides its `until`."""
    return _goal(setup, start(setup), target)


def _goal(setup: Setup, world: World, target: Ref) -> Goal | None:
    held = world.etcd.get(target)
    subject = goals.Subject(target, held.object.metadata.uid) if held else None
    return goals.goal(setup.flow.goal, subject)


def walk(setup: Setup, using: Model | None = None) -> Walk:
    """The whole walk of a setup."""
    world = start(setup, using)
    over = _goal(setup, world, target(setup, world))
    folds = frozenset(setup.flow.folds)
    chosen = choices(setup, world)
    return run(using or model(), world, chosen, until=setup.until, goal=over, folds=folds, most_steps=sizes.MOST_STEPS)
