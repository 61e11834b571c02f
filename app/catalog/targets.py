"""Where settings are written: the targets in `sets`, each with what it writes and what stands there already."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec.structs import replace

from app.catalog import probe_answers
from app.catalog.flow import Setting
from app.errors import BadInput
from app.kube import disks, durations, flags, machines
from app.kube.annotations import PREFIX, behaviour
from app.kube.annotations import check as check_annotations
from app.kube.batch import CronJob, Job
from app.kube.behaviour import hook
from app.kube.defaults import defaulted
from app.kube.meta import Ref
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Container, ExecAction, Lifecycle, LifecycleHandler, Pod, PodTemplateSpec
from app.kube.releases import CURRENT, Release
from app.kube.storage import PersistentVolume
from app.kube.stringmap import StringMap
from app.kube.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet
from app.sim.paths import item_of, with_path, without_path
from app.sim.references import parse_ref

Workload = Deployment | StatefulSet | ReplicaSet | Pod
WORKLOADS = (Deployment, StatefulSet, ReplicaSet, Pod)
"""What a walk can be about."""
Templated = Workload | DaemonSet | Job | CronJob
TEMPLATED = (*WORKLOADS, DaemonSet, Job, CronJob)
"""Whatever says how its pods are."""

FORMS = {
    "field": "field KIND/NAME PATH",
    "annotation": "annotation KIND/NAME NAME",
    "prestop": "prestop KIND/NAME CONTAINER",
    "keep": "keep KIND/NAME PATH",
    "exists": "exists KIND/NAME",
    "health": "health KIND/NAME startup|liveness|readiness",
    "load": "load service/NAME rate|duration|through|refresh|offset|retries|check",
    "lag": "lag PROCESS[/NODE]",
    "program": "program IMAGE BEHAVIOUR",
    "flag": "flag NAME",
    "cluster": "cluster nodes|version",
    "script": "script NAME",
    "begins": "begins bound|rest",
    "elects": "elects PROCESS",
}
LOAD = ("rate", "duration", "through", "refresh", "offset", "retries", "check")
"""What may be said of clients and of the front that they come through."""
PROBES = ("startup", "liveness", "readiness")
PLACELESS = ("lag", "flag", "cluster", "script", "begins", "elects")
"""Targets that are no place on an object."""
_SEGMENT = re.compile(r"(?<=\[)[^\]]+|[^.\[\]]+")


class Target(NamedTuple):
    """One place. `ref` is None where no object is written to."""

    verb: str
    ref: Ref | None
    name: str
    """The path, annotation, container, part of the load, process or name in scripts."""


def parse(text: str) -> Target:
    """Read one target; ValueError says what is allowed."""
    verb, *words = text.split()
    form = FORMS.get(verb)
    if form is None or len(words) != len(form.split()) - 1:
        raise ValueError(f'found "{text}"; allowed: {form or ", ".join(FORMS.values())}')
    if (verb == "begins" and words[0] not in ("bound", "rest")) or (
        verb == "cluster" and words[0] not in ("nodes", "version")
    ):
        raise ValueError(f'found "{text}"; allowed: {form}')
    if verb in PLACELESS:
        return Target(verb, None, words[0])
    if verb == "program":
        return Target(verb, None, f"{words[0]} {words[1]}")
    try:
        ref = parse_ref(words[0])
    except BadInput as error:
        raise ValueError("; ".join(error.problems)) from None
    if verb == "health" and words[1] not in PROBES:
        raise ValueError(f'found "{text}"; allowed: {form}')
    if verb == "load" and (ref.kind != "Service" or words[1] not in LOAD):
        raise ValueError(f'found "{text}"; allowed: {form}')
    return Target(verb, ref, words[1] if verb != "exists" else "")


def usual(setting: Setting, release: Release) -> str:
    """What a setting is unless somebody says otherwise: a flag that a flow leaves alone is that of the release."""
    for target in map(parse, setting.sets):
        if target.verb == "flag" and setting.default == durations.format(flags.usual(target.name, CURRENT)):
            return durations.format(flags.usual(target.name, release))
    return setting.default


def follows(setting: Setting) -> bool:
    """Whether its usual value may differ from release to release."""
    return any(text.startswith("flag ") for text in setting.sets)


def template(workload: Templated) -> PodTemplateSpec:
    """Metadata and spec of the pods that a workload makes; of a Pod its own."""
    match workload:
        case Pod():
            return PodTemplateSpec(workload.metadata, workload.spec)
        case CronJob():
            return workload.spec.jobTemplate.spec.template
        case _:
            return workload.spec.template


def _with_template(workload: Templated, new: PodTemplateSpec) -> Templated:
    match workload:
        case Pod():
            return replace(workload, metadata=new.metadata, spec=new.spec)
        case CronJob():
            job = replace(workload.spec.jobTemplate.spec, template=new)
            made = replace(workload.spec.jobTemplate, spec=job)
            return replace(workload, spec=replace(workload.spec, jobTemplate=made))
        case _:
            return replace(workload, spec=replace(workload.spec, template=new))


def write(obj: Object, target: Target, setting: Setting, value: str) -> Object:
    """The object with a setting's value at the target; ValueError or KeyError when there is no such place."""
    return _WRITERS[target.verb](obj, target.name, setting, value)


def _write_field(obj: Object, path: str, setting: Setting, value: str) -> Object:
    # On the object as the API server would hold it, because a path may lead through what it fills in.
    try:
        return with_path(defaulted(obj), path, field_value(path, setting, value))  # type: ignore[no-any-return]
    except KeyError as error:
        raise KeyError(f"found no {error.args[0]} on the way along {path}") from None


def field_value(path: str, setting: Setting, value: str) -> object:
    """A value as the field holds it; ValueError where a duration goes to a field that does not count seconds."""
    match setting.type:
        case "switch":
            return value == "true"
        case "count":
            return int(value)
        case "duration":
            if not path.endswith("Seconds"):
                raise ValueError(f"a duration goes only to fields that count seconds, and {path} is none")
            if durations.parse(value) % 1000:
                raise ValueError(f"found {value}; allowed: whole seconds, because {path} counts them")
            return durations.parse(value) // 1000
        case _:
            return int(value) if value.isascii() and value.isdigit() else value


def _write_annotation(obj: Object, name: str, _: Setting, value: str) -> Object:
    if isinstance(obj, Node | PersistentVolume):
        return _write_own(obj, PREFIX + name, value)
    pod = template(_workload(obj))
    full = PREFIX + name
    if faults := check_annotations(StringMap({full: value}), [row.name for row in pod.spec.containers]):
        raise ValueError("; ".join(f"{fault.annotation}: {fault.text}" for fault in faults))
    # A container's own annotation would win over the one for the whole pod.
    own = [f"{PREFIX}{row.name}.{name}" for row in pod.spec.containers]
    words = pod.metadata.annotations.without(*own).merged({full: value})
    return _with_template(_workload(obj), replace(pod, metadata=replace(pod.metadata, annotations=words)))


def _write_own(obj: Node | PersistentVolume, key: str, value: str) -> Object:
    """What stands on a Node is about its machine and its kubelet, on a PersistentVolume about its disk."""
    words = obj.metadata.annotations.merged({key: value})
    found = machines.check(words) if isinstance(obj, Node) else disks.faults(words)
    if faults := [f"{name}: {text}" for name, text in found]:
        raise ValueError("; ".join(faults))
    return replace(obj, metadata=replace(obj.metadata, annotations=words))


def _write_prestop(obj: Object, name: str, _: Setting, value: str) -> Object:
    pod = template(_workload(obj))
    container = _container(pod, name)
    # In a pod of one container the annotation is the pod's, where `set pod/... pre-stop=fails` can change it.
    whole, own = f"{PREFIX}pre-stop", f"{PREFIX}{name}.pre-stop"
    words = pod.metadata.annotations.without(own, *([whole] if len(pod.spec.containers) == 1 else []))
    handler = None
    if length := durations.parse(value):
        handler = LifecycleHandler(exec=ExecAction(("sleep", f"{length / 1000:g}")))
        words = words.merged({whole if len(pod.spec.containers) == 1 else own: value})
    after_start = container.lifecycle.postStart if container.lifecycle else None
    lifecycle = Lifecycle(postStart=after_start, preStop=handler) if handler or after_start else None
    new = with_path(pod, f"spec.containers[{name}].lifecycle", lifecycle)
    return _with_template(_workload(obj), replace(new, metadata=replace(pod.metadata, annotations=words)))


def _write_keep(obj: Object, path: str, _: Setting, value: str) -> Object:
    """As it is, or without what stands at the path."""
    there = _at(obj, path) is not None
    if value == "true" and not there:
        raise KeyError(f"found nothing at {path}")
    return without_path(obj, path) if there and value == "false" else obj


def _write_health(obj: Object, probe: str, _: Setting, value: str) -> Object:
    return _with_template(_workload(obj), probe_answers.written(template(_workload(obj)), probe, value))


def _write_exists(obj: Object, _: str, __: Setting, ___: str) -> Object:
    """An object changes in nothing by being there; that it is not is the affair of the whole ground."""
    return obj


_WRITERS: dict[str, Callable[[Object, str, Setting, str], Object]] = {
    "field": _write_field,
    "annotation": _write_annotation,
    "prestop": _write_prestop,
    "keep": _write_keep,
    "exists": _write_exists,
    "health": _write_health,
}


def _workload(obj: Object) -> Templated:
    if not isinstance(obj, TEMPLATED):
        raise KeyError("there is no pod template in it")
    return obj


def _container(pod: PodTemplateSpec, name: str) -> Container:
    found = next((row for row in pod.spec.containers if row.name == name), None)
    if found is None:
        raise KeyError(f"no container {name}; there is {', '.join(row.name for row in pod.spec.containers)}")
    return found


def standing(obj: Object, target: Target, setting: Setting) -> str | None:
    """What the object says of a setting; None where it says nothing that can be read as a value of its type."""
    if target.verb == "field":
        return _written_value(_at(defaulted(obj), target.name), target.name, setting)
    if target.verb in ("keep", "exists"):
        return "true" if target.verb == "exists" or _at(obj, target.name) is not None else None
    if isinstance(obj, Node | PersistentVolume):
        return obj.metadata.annotations.get(PREFIX + target.name)
    pod = template(_workload(obj))
    if target.verb == "health":
        return probe_answers.said(pod, target.name)
    container = _container(pod, target.name) if target.verb == "prestop" else pod.spec.containers[0]
    if target.verb == "annotation":
        names = (f"{container.name}.{target.name}", target.name)
        found = (pod.metadata.annotations.get(PREFIX + name) for name in names)
        return next((text for text in found if text is not None), None)
    # A real container without a hook has none: that is something said.
    handler = container.lifecycle.preStop if container.lifecycle else None
    if handler is None:
        return "0s"
    ends = hook(behaviour(pod.metadata.annotations, container.name).pre_stop, handler)
    return durations.format(ends.after) if ends.outcome == "returns" else ends.outcome


def _written_value(value: Any, path: str, setting: Setting) -> str | None:
    if value is None or not isinstance(value, bool | int | str):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if setting.type == "duration" and isinstance(value, int) and path.endswith("Seconds"):
        return durations.format(value * 1000)
    return str(value)


def _at(value: Any, path: str) -> Any:
    """The field at a path; None when there is none."""
    for part in _SEGMENT.findall(path):
        if isinstance(value, tuple):
            value = item_of(value, part)
        elif isinstance(value, StringMap):
            value = value.get(part)
        else:
            value = getattr(value, part, None)
    return value


def moved(target: Target, to: Object) -> Target:
    """The same place on another object: a Pod is its own template, its first container stands for one it lacks."""
    name = target.name
    if target.verb in ("field", "keep") and isinstance(to, Pod):
        name = name.removeprefix("spec.template.")
    if (names := containers(to)) and target.verb in _IN_PLACE:
        name = _IN_PLACE[target.verb].sub(lambda found: found[0] if found[0] in names else names[0], name)
    return Target(target.verb, to.ref, name)


def containers(obj: Object | None) -> list[str]:
    """The names of the containers in an object's pod template."""
    return [row.name for row in template(obj).spec.containers] if isinstance(obj, TEMPLATED) else []


# Where the name of a container stands.
_IN_PLACE = {
    "field": re.compile(r"(?<=containers\[)[^\]]+(?=\])"),
    "prestop": re.compile(r".+"),
    "annotation": re.compile(r"^[^.]+(?=\.)"),
}
