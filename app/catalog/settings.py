"""A flow's settings: which values are in effect, and the cluster, lags and clients that follow from them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from app.catalog import releases, targets, values
from app.catalog.flow import Flow, Scene, Setting
from app.catalog.ground import Ground, with_nodes
from app.catalog.targets import WORKLOADS, Target
from app.errors import BadInput
from app.kube import durations
from app.kube.meta import Ref
from app.kube.near_names import did_you_mean
from app.kube.objects import Object
from app.kube.releases import CURRENT, Release, release
from app.kube.validation import problems_of
from app.kube.yaml_values import written
from app.sim.lags import Lag
from app.sim.ledger import Load
from app.sim.programs import faults

NODES = "nodes"
"""Clients that come through the nodes' rules, and through no front."""


class Applied(Struct, frozen=True):
    """What settings make of a ground."""

    objects: tuple[Object, ...]
    lags: dict[str, Lag]
    loads: tuple[Load, ...]
    words: dict[str, str]
    """Values for `{NAME}` in scripts."""
    begins: str = ""
    """Where a setting lets the walk begin; empty for where the flow does."""
    alone: tuple[str, ...] = ()
    """Processes that work without being elected."""
    programs: dict[str, dict[str, str]] = {}
    """How programs behave, by image."""
    release: Release = CURRENT


def scene_of(flow: Flow, name: str) -> Scene | None:
    """The scene of that name, None for no name; BadInput says which there are."""
    if not name:
        return None
    names = [row.id for row in flow.scenes]
    if name not in names:
        allowed = f"allowed: {', '.join(names) or 'none'}{did_you_mean(name, names)}"
        raise BadInput([f'scene "{name}": the flow {flow.id} has no such scene; {allowed}'])
    return flow.scenes[names.index(name)]


def effective(
    flow: Flow, scene: Scene | None, given: Mapping[str, str], said: Mapping[str, str] | None = None
) -> dict[str, str]:
    """All settings in the flow's order; BadInput lists every fault.

    What was given wins over the scene, the scene over what manifests say themselves, and that over the default.
    """
    by_name = {setting.name: setting for setting in flow.settings}
    problems = [
        f'setting "{name}": the flow {flow.id} has no such setting; '
        f"allowed: {', '.join(by_name) or 'none'}{did_you_mean(name, by_name)}"
        for name in given
        if name not in by_name
    ]
    found = {}
    asked_for = {**(scene.settings if scene else {}), **given}
    known = releases.of(flow, asked_for)
    for name, setting in by_name.items():
        asked = asked_for.get(name)
        if asked == "" and targets.follows(setting):
            asked = None
        own = (said or {}).get(name)
        if own is not None and asked in (None, own):
            # What stands in a manifest needs no leave of the flow, also when it is given back as a setting.
            found[name] = own
            continue
        try:
            found[name] = values.canonical(setting, targets.usual(setting, known) if asked is None else asked)
        except ValueError as error:
            problems.append(f"setting {name}: {error}")
    if problems:
        raise BadInput(problems)
    return found


def applied(flow: Flow, ground: Ground, settings: Mapping[str, str], said: Mapping[str, str] | None = None) -> Applied:
    """The ground with every setting written to its targets, save those that it says already."""
    writing = _Writing(flow, ground)
    for setting in flow.settings:
        value = settings[setting.name]
        if (said or {}).get(setting.name) != value:
            for text in setting.sets:
                writing.write(setting, targets.parse(text), value)
    return writing.finished()


def unapplied(flow: Flow, ground: Ground, settings: Mapping[str, str]) -> Applied:
    """The ground as it is, with nothing but the words for scripts."""
    pairs = [(targets.parse(text), settings[setting.name]) for setting in flow.settings for text in setting.sets]
    words = {target.name: value for target, value in pairs if target.verb == "script"}
    return Applied(ground.objects, {}, (), words, release=releases.of(flow, settings))


def _part(part: str, value: str) -> int | str:
    """What a setting says of clients, as a Load keeps it."""
    if part == "through":
        return "" if value == NODES else value
    return int(value) if part in ("rate", "retries") else durations.parse(value)


class _Writing:
    """A ground with some settings written to it."""

    def __init__(self, flow: Flow, ground: Ground) -> None:
        self.flow = flow
        self.ground = ground
        self.lags: dict[str, Lag] = {}
        self.loads: dict[Ref, Load] = {}
        self.words: dict[str, str] = {}
        self.begins = ""
        self.alone: list[str] = []
        self.programs: dict[str, dict[str, str]] = {}
        self.nodes: int | None = None
        self.release = CURRENT
        self.problems: list[str] = []
        self.before = {obj.ref: obj for obj in ground.objects}

    def write(self, setting: Setting, target: Target, value: str) -> None:
        match target.verb:
            case "lag":
                self.lags[target.name] = values.lag(value)
            case "flag":
                length = durations.parse(value)
                self.lags[target.name] = Lag(length, length, length)
            case "cluster" if target.name == "version":
                self.release = release(value)
            case "cluster":
                # After all that is written to Nodes, so that the copies have it, too.
                self.nodes = int(value)
            case "script":
                self.words[target.name] = value
            case "begins":
                self.begins = target.name if value == "true" else self.begins
            case "elects":
                self.alone += [] if value == "true" else [target.name]
            case "program":
                self._write_program(setting, target.name, value)
            case _:
                self._write_object(setting, target, value)

    def _write_object(self, setting: Setting, target: Target, value: str) -> None:
        placed = self.ground.place(target)
        if target.verb == "exists":
            self._write_existence(target, there=value == "true")
            return
        if placed is None:
            self.problems.append(f"setting {setting.name}: {self._no_place(target)}")
            return
        obj, here = placed
        if target.verb == "load":
            self._write_load(obj.ref, target.name, value)
            return
        try:
            new = targets.write(obj, here, setting, value)
        except KeyError as error:
            self.problems.append(f"setting {setting.name}: {obj.ref}: {error.args[0]}")
        except ValueError as error:
            self.problems.append(f"setting {setting.name}: {error}")
        else:
            self._put(obj, new)

    def _write_program(self, setting: Setting, target: str, value: str) -> None:
        image, _, behaviour = target.partition(" ")
        self.problems += [f"setting {setting.name}: {text}" for text in faults({behaviour: value})]
        self.programs.setdefault(image, {})[behaviour] = value

    def _write_existence(self, target: Target, *, there: bool) -> None:
        """The object is taken out, or, of a reader's cluster, brought in from the flow's."""
        found = next((obj for obj in self.ground.objects if obj.ref == target.ref), None)
        if found is not None and not there:
            self._put(found, None)
        elif found is None and there:
            own = next(obj for obj in self.flow.cluster if obj.ref == target.ref)
            self.ground = replace(self.ground, objects=(*self.ground.objects, own))

    def _put(self, old: Object, new: Object | None) -> None:
        """One object in the place of another, or nothing."""
        swapped = (new if obj is old else obj for obj in self.ground.objects)
        objects = tuple(obj for obj in swapped if obj is not None)
        workload = new if old is self.ground.workload and isinstance(new, WORKLOADS) else self.ground.workload
        self.ground = replace(self.ground, objects=objects, workload=workload)

    def _write_load(self, service: Ref, part: str, value: str) -> None:
        clients = self.flow.clients
        fresh = Load(service, 0, 0, waits=clients == "after-wait", local=clients == "on-nodes")
        self.loads[service] = replace(self.loads.get(service, fresh), **{part: _part(part, value)})

    def _no_place(self, target: Target) -> str:
        lacking = "Service" if target.verb == "load" else ", ".join(cls.kind for cls in WORKLOADS)
        found = "that selects its pods" if target.verb == "load" else "whose pods could take it"
        return f"it is written to {target.ref}, and there is no {lacking} {found}"

    def _refused(self) -> list[str]:
        """What the API server would say of objects that settings have changed, and did not say of them before."""
        found = []
        for obj in self.ground.objects:
            before = self.before.get(obj.ref)
            if before is not None and before != obj:
                known = {(row.path, row.text) for row in problems_of(before)}
                # A container that a switch takes out leaves its annotations behind, which then mean nothing.
                rows = [row for row in problems_of(obj) if "annotations" not in row.path]
                new = [row for row in rows if (row.path, row.text) not in known]
                found += [f"settings: {obj.ref}: {written(row.path)}: {row.text}" for row in new]
        return found

    def finished(self) -> Applied:
        if problems := self.problems or self._refused():
            raise BadInput(problems)
        loads = tuple(load for load in self.loads.values() if load.rate)
        objects = (self.ground if self.nodes is None else with_nodes(self.ground, self.nodes)).objects
        return Applied(
            objects, self.lags, loads, self.words, self.begins, tuple(self.alone), self.programs, self.release
        )
