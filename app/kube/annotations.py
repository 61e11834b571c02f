"""The annotations on a pod template that say how its application behaves: `sim.loopscope.dev/[CONTAINER.]NAME`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from app.errors import BadInput
from app.kube import behaviour_grammar as grammar
from app.kube.behaviour import Behaviour, Point, healthy, next_change
from app.kube.health import Answer
from app.kube.health_grammar import dependencies, health
from app.kube.near_names import did_you_mean
from app.kube.quoting import listed, shown
from app.kube.stringmap import StringMap

__all__ = ["PREFIX", "Answer", "Behaviour", "Fault", "behaviour", "check", "healthy", "next_change"]

PREFIX = "sim.loopscope.dev/"

READERS: dict[str, Callable[[str], Any]] = {
    "startup": grammar.duration,
    "on-sigterm": grammar.on_sigterm,
    "exit-code-on-sigterm": grammar.exit_code,
    "post-start": grammar.hook,
    "pre-stop": grammar.hook,
    "memory": grammar.curve,
    "child-memory": grammar.curve,
    "disk": grammar.curve,
    "health": health,
    "image-pull": grammar.image_pull,
    "exit": grammar.exit_by_itself,
    "unmount": grammar.unmount,
    "leader-election": grammar.leads,
    "depends-on": dependencies,
    "log": grammar.log,
    "placement": grammar.placement,
}
_OF_THE_POD = frozenset({"unmount", "placement"})
VOLUME = "volume"


class Fault(NamedTuple):
    """What is wrong with one annotation."""

    annotation: str
    text: str


@lru_cache(maxsize=4096)
def behaviour(pod_annotations: StringMap, container: str) -> Behaviour:
    """How that container's application behaves; an annotation for the container wins over one for the whole pod."""
    values: dict[str, Any] = {}
    problems = []
    for prefix in (PREFIX, f"{PREFIX}{container}."):
        for name, reader in READERS.items():
            text = pod_annotations.get(prefix + name)
            try:
                if text is not None:
                    values[name.replace("-", "_")] = reader(text)
            except ValueError as error:
                problems.append(f"{prefix}{name}: {error}")
    for key, text in pod_annotations.items():
        before, _, name = key.removeprefix(PREFIX).rpartition(".")
        if key.startswith(PREFIX) and name == VOLUME:
            problems += [f"{key}: {fault}" for fault in _volume_faults(before, text)]
    if problems:
        raise BadInput(problems)
    return Behaviour(**values)


@lru_cache(maxsize=4096)
def volume_use(pod_annotations: StringMap, volume: str) -> tuple[Point, ...]:
    """How a volume of the pod fills, from the start of the pod on: `sim.loopscope.dev/VOLUME.volume`."""
    text = pod_annotations.get(f"{PREFIX}{volume}.{VOLUME}")
    return grammar.curve(text) if text is not None else ()


@lru_cache(maxsize=4096)
def placement(pod_annotations: StringMap) -> tuple[str, ...]:
    """The nodes that the scheduler prefers for the pod to all others on which it fits."""
    text = pod_annotations.get(f"{PREFIX}placement")
    return grammar.placement(text) if text is not None else ()


def check(annotations: StringMap, containers: Iterable[str] | None = None) -> list[Fault]:
    """All faults in the annotations of a pod, whose containers are these if they are known."""
    names = None if containers is None else tuple(containers)
    return [Fault(key, text) for key, value in annotations.items() for text in _faults(key, value, names)]


def _faults(key: str, value: str, containers: tuple[str, ...] | None) -> Iterator[str]:
    if not key.startswith(PREFIX):
        if "loopscope" in key.partition("/")[0]:
            yield f"no such annotation; those for Loopscope begin with {PREFIX}"
        return
    before, dot, after = key.removeprefix(PREFIX).partition(".")
    container, name = (before, after) if dot else ("", before)
    if name == VOLUME:
        yield from _volume_faults(container, value)
        return
    if name not in READERS:
        allowed = ", ".join((*READERS, f"VOLUME.{VOLUME}"))
        yield f"no such annotation; allowed after {PREFIX}: {allowed}{did_you_mean(name, READERS)}"
        return
    if container and name in _OF_THE_POD:
        yield f"belongs to the whole pod; write {PREFIX}{name}"
    elif container and containers is not None and container not in containers:
        near = did_you_mean(container, containers)
        yield f"no container {shown(container)} in this pod; allowed: {listed(containers)}{near}"
    try:
        READERS[name](value)
    except ValueError as error:
        yield str(error)


def _volume_faults(volume: str, value: str) -> Iterator[str]:
    if not volume:
        yield f"belongs to a volume; write {PREFIX}NAME.{VOLUME}"
    try:
        grammar.curve(value)
    except ValueError as error:
        yield str(error)
