"""Holds a flow's scripts and scenes against the verbs, the settings and the cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from app.catalog import beginnings, scripts
from app.catalog.faults import duration, exists
from app.catalog.flow import Flow
from app.catalog.ground import own_ground
from app.catalog.setting_checks import check_value
from app.catalog.targets import parse
from app.errors import BadInput
from app.kube.near_names import did_you_mean
from app.kube.nodes import Node
from app.kube.yaml_values import Path, Problem
from app.sim.intervention import Intervention
from app.sim.references import parse_ref

# Made by controllers, so that no cluster.yaml holds them.
_MADE = frozenset({"ReplicaSet", "EndpointSlice", "Lease"})


def check(flow: Flow) -> Iterator[Problem]:
    """The flow's own script, and each scene with its settings and its script."""
    defaults = {setting.name: setting.default for setting in flow.settings}
    yield from _script(flow, ("script",), flow.script, defaults)
    ground = own_ground(flow)
    by_name = {setting.name: setting for setting in flow.settings}
    for at, scene in enumerate(flow.scenes):
        path: Path = ("scenes", at)
        for name, text in scene.settings.items():
            if name not in by_name:
                allowed = f"{', '.join(by_name) or 'none'}{did_you_mean(name, by_name)}"
                yield Problem((*path, "settings", name), f"no such setting; allowed: {allowed}")
            else:
                yield from check_value(ground, (*path, "settings", name), by_name[name], text)
        yield from _script(flow, (*path, "script"), scene.script, {**defaults, **scene.settings})
        if scene.until:
            yield from duration((*path, "until"), scene.until)


def _script(flow: Flow, path: Path, lines: tuple[str, ...], settings: Mapping[str, str]) -> Iterator[Problem]:
    words = {"target": flow.target or "pod/none"}
    for setting in flow.settings:
        for target in map(parse, setting.sets):
            if target.verb == "script":
                words[target.name] = settings[setting.name]
    for at, line in enumerate(lines):
        try:
            found = scripts.read(line, words)
        except BadInput as error:
            yield from (Problem((*path, at), problem) for problem in error.problems)
        else:
            yield from _names(flow, (*path, at), found)


def _names(flow: Flow, path: Path, intervention: Intervention) -> Iterator[Problem]:
    """What an intervention is done to exists."""
    nodes = [obj.metadata.name for obj in flow.cluster if isinstance(obj, Node)]
    yield from (Problem(path, text) for text in scripts.unknown_process(intervention, nodes))
    yield from (Problem(path, text) for text in scripts.unknown_manifest(intervention, beginnings.at_hand(flow)))
    static = {f"{ref.removeprefix('pod/')}-{node}" for ref in flow.spare for node in nodes}
    for arg in intervention.args:
        try:
            ref = parse_ref(arg)
        except BadInput:
            continue
        if ref.kind not in _MADE and ref.name not in (scripts.NODE, *static):
            yield from exists(flow, path, ref)
