"""What a walk on a reader's manifests takes for granted beyond them, so that he can say otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from app.catalog import subjects, targets
from app.catalog.flow import Flow
from app.catalog.ground import UNSET, Ground
from app.kube.nodes import Node


def assumed(
    flow: Flow, ground: Ground, settings: Mapping[str, str], given: Mapping[str, str], images: tuple[str, ...]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """(what, names) of everything; nothing of a flow's own cluster. `given` is what the reader has set."""
    if not ground.foreign:
        return ()
    said = ground.says(flow)
    rows = {
        "nodes": () if ground.brings_nodes else _nodes(ground),
        **{name: _guessed(name, flow, settings, given) for name in (subjects.ABOUT, subjects.NODE)},
        "service": (str(ground.made),) if ground.made is not None else (),
        "clients": _without_clients(flow, ground),
        "along": tuple(str(ref) for ref in ground.along),
        "objects": tuple(str(ref) for ref in ground.assumed if ref not in ground.along),
        "images": tuple(image for image in images if image not in flow.images),
        "settings": tuple(_unsaid(flow, settings, {**said, **given})),
    }
    return tuple((what, names) for what, names in rows.items() if names)


def _without_clients(flow: Flow, ground: Ground) -> tuple[str, ...]:
    """The workload that nobody sends anything to, in a flow that has clients."""
    loads = any(targets.parse(text).verb == "load" for setting in flow.settings for text in setting.sets)
    return (str(ground.workload.ref),) if loads and ground.service is None and ground.workload is not None else ()


def _nodes(ground: Ground) -> tuple[str, ...]:
    return tuple(obj.metadata.name for obj in ground.objects if isinstance(obj, Node))


def _guessed(name: str, flow: Flow, settings: Mapping[str, str], given: Mapping[str, str]) -> tuple[str, ...]:
    """A question that the reader has not answered."""
    asked = any(setting.name == name for setting in flow.settings)
    return (settings[name],) if asked and name not in given else ()


def _unsaid(flow: Flow, settings: Mapping[str, str], known: Mapping[str, str]) -> Iterator[str]:
    """How programs behave and what clients send, where neither manifests nor the reader say it."""
    for setting in flow.settings:
        value = settings[setting.name]
        speaks = any(_of_programs(targets.parse(text)) for text in setting.sets)
        if speaks and setting.name not in known and value != UNSET:
            yield f"{setting.name}={value}"


def _of_programs(target: targets.Target) -> bool:
    """Whether it says how a program behaves, or the first things that one wants to know of clients."""
    behaves = target.verb in ("annotation", "health") and target.ref is not None and target.ref.kind != Node.kind
    return behaves or (target.verb == "load" and target.name in ("rate", "duration"))
