"""Holds a flow's settings against their types and targets."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.catalog import targets, values
from app.catalog.faults import one_of
from app.catalog.flow import Flow, Setting
from app.catalog.ground import Ground, own_ground
from app.catalog.scripts import placeholders
from app.catalog.targets import Target
from app.kube import durations
from app.kube.flags import FLAGS
from app.kube.nodes import Node
from app.kube.releases import NAMES
from app.kube.yaml_values import Path, Problem
from app.sim.elections import LEADERS
from app.sim.lags import DEFAULT_LAGS
from app.sim.maps import ordered_keys
from app.sim.programs import faults

# What a target takes; the rest take any type.
_TYPES = {
    "lag": "lag",
    "prestop": "duration",
    "load rate": "count",
    "load duration": "duration",
    "load through": "choice",
    "load refresh": "duration",
    "load offset": "duration",
    "load retries": "count",
    "load check": "duration",
    "keep": "switch",
    "exists": "switch",
    "begins": "switch",
    "elects": "switch",
    "flag": "duration",
    "cluster nodes": "count",
    "cluster version": "choice",
    "health": "choice",
}

_PARSERS: dict[str, Callable[[str], int]] = {"count": int, "duration": durations.parse, "lag": durations.parse}


def check(flow: Flow) -> Iterator[Problem]:
    """Every setting is of a known type, has an allowed default, and is written somewhere that exists."""
    ground = own_ground(flow)
    for at, setting in enumerate(flow.settings):
        path: Path = ("settings", at)
        wrong = [*one_of((*path, "type"), setting.type, values.TYPES)] or [*_bounds(path, setting)]
        wrong = wrong or [*_targets(flow, path, setting)]
        wrong = wrong or [*check_value(ground, (*path, "default"), setting, setting.default)]
        for number, choice in enumerate(setting.choices if not wrong else ()):
            wrong += check_value(ground, (*path, "choices", number), setting, choice)
        yield from wrong


def check_value(ground: Ground, path: Path, setting: Setting, text: str) -> Iterator[Problem]:
    """A value is allowed by its type and by every object that it is written to."""
    try:
        value = values.canonical(setting, text)
    except ValueError as error:
        yield Problem(path, str(error))
        return
    for target in map(targets.parse, setting.sets):
        placed = ground.place(target)
        if placed is None or target.verb == "load":
            continue
        try:
            targets.write(placed[0], target, setting, value)
        except ValueError as error:
            yield Problem(path, str(error))
        except KeyError:
            # The place itself is missing, which was told of the target.
            return


def _bounds(path: Path, setting: Setting) -> Iterator[Problem]:
    if (setting.type == "choice") != bool(setting.choices):
        needs = "at least one, for a choice" if setting.type == "choice" else f"none, for a {setting.type}"
        yield Problem((*path, "choices"), f"found {len(setting.choices)}; allowed: {needs}")
    if setting.open_choices and setting.type != "choice":
        yield Problem((*path, "open_choices"), f"found true; allowed: false, for a {setting.type}")
    parse = _PARSERS.get(setting.type)
    wrong = False
    for key in ("least", "most", "step"):
        text = getattr(setting, key)
        fault = _bound(setting, text, parse) if text else ""
        if fault:
            wrong = True
            yield Problem((*path, key), fault)
    if not wrong and parse and setting.least and setting.most and parse(setting.least) > parse(setting.most):
        yield Problem((*path, "most"), f"found {setting.most}; allowed: no less than least, {setting.least}")


def _bound(setting: Setting, text: str, parse: Callable[[str], int] | None) -> str:
    if parse is None:
        return f'found "{text}"; allowed: nothing, for a {setting.type}'
    try:
        parse(text)
    except ValueError as error:
        return str(error) if parse is durations.parse else f'found "{text}"; allowed: a whole number'
    return ""


def _targets(flow: Flow, path: Path, setting: Setting) -> Iterator[Problem]:
    if not setting.sets:
        yield Problem((*path, "sets"), f"found none; allowed: at least one of {', '.join(targets.FORMS.values())}")
    for number, text in enumerate(setting.sets):
        here = (*path, "sets", number)
        try:
            target = targets.parse(text)
        except ValueError as error:
            yield Problem(here, str(error))
            continue
        detailed = f"{target.verb} {target.name}"
        wanted = _TYPES.get(detailed if target.verb in ("load", "cluster") else target.verb, setting.type)
        if setting.type != wanted:
            yield Problem(here, f'"{text}" takes a {wanted}, and this setting is a {setting.type}')
        elif setting.type == "lag" and target.verb != "lag":
            yield Problem(here, f'found "{text}"; allowed for a lag: {targets.FORMS["lag"]}')
        else:
            yield from _place(flow, here, setting, target)


def _place(flow: Flow, path: Path, setting: Setting, target: Target) -> Iterator[Problem]:
    """The object, field, container, process or script that a target names exists."""
    if target.verb == "begins":
        if not flow.applies:
            yield Problem(path, f'found "begins {target.name}"; allowed: only in a flow that `applies` something')
    elif target.verb == "elects":
        yield from one_of(path, target.name, LEADERS if flow.leaders else ())
    elif target.verb == "program":
        yield from (Problem(path, text) for text in faults({target.name.partition(" ")[2]: setting.default}))
    elif target.verb == "lag":
        yield from _process(flow, path, target.name)
    elif target.verb == "flag":
        yield from one_of(path, target.name, FLAGS)
    elif target.verb == "cluster" and target.name == "version":
        yield from one_of((*path[:1], path[1], "default"), setting.default, NAMES)
    elif target.verb == "cluster":
        if not any(isinstance(obj, Node) for obj in flow.cluster):
            yield Problem(path, "cluster.yaml has no Node that others could be made like")
    elif target.verb == "script":
        scripted = [*flow.script, *(line for scene in flow.scenes for line in scene.script)]
        used = list(dict.fromkeys(name for line in scripted for name in placeholders(line)))
        if target.name not in used:
            found = ", ".join(f"{{{name}}}" for name in used) or "no name in braces"
            yield Problem(path, f"no script has {{{target.name}}}; they have {found}")
    else:
        yield from _object(flow, path, setting, target)


def _process(flow: Flow, path: Path, name: str) -> Iterator[Problem]:
    process, slash, node = name.partition("/")
    yield from one_of(path, process, ordered_keys(DEFAULT_LAGS))
    if slash:
        yield from one_of(path, node, [obj.metadata.name for obj in flow.cluster if isinstance(obj, Node)])


def _object(flow: Flow, path: Path, setting: Setting, target: Target) -> Iterator[Problem]:
    obj = next((obj for obj in flow.cluster if obj.ref == target.ref), None)
    if obj is None:
        yield from one_of(path, str(target.ref), [str(obj.ref) for obj in flow.cluster])
    elif target.verb != "load":
        try:
            targets.write(obj, target, setting, values.canonical(setting, setting.default))
        except KeyError as error:
            yield Problem(path, f"{obj.ref}: {error.args[0]}")
        except ValueError:
            # The value is at fault, not the place; that is told of the default.
            return
