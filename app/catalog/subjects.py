"""What of a reader's manifests a walk is about. Where several things could be, that is a setting like any other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from app.catalog import own_words, targets
from app.catalog.flow import Flow, Scene, Setting
from app.catalog.targets import TEMPLATED, WORKLOADS, Templated, Workload
from app.errors import BadInput
from app.kube.meta import Ref
from app.kube.networking import Service
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.stringmap import StringMap
from app.kube.workloads import StatefulSet
from app.sim.references import parse_ref

ABOUT, NODE = "about", "node"
"""The settings."""
MOST_ORDINALS = 10
"""Pods of a StatefulSet that are offered each by its name."""
MOST_OFFERED = 100
"""Workloads that one is asked to choose from."""
ORDINAL = re.compile(r"(.+)-([0-9]+)")


def asking(flow: Flow, objects: Sequence[Object]) -> Flow:
    """The flow with a setting for each thing that these objects leave open, the guess being its default."""
    names = tuple(obj.metadata.name for obj in objects if isinstance(obj, Node))
    settings = tuple(_of_these_nodes(setting, flow, names) for setting in flow.settings)
    kind = parse_ref(flow.target).kind if flow.target else ""
    known = {setting.name for setting in settings}
    more = []
    if kind == Node.kind and len(names) > 1 and NODE not in known:
        usual = parse_ref(flow.target).name
        more.append(_question(NODE, usual if usual in names else names[0], names))
    pods = tuple(offered(flow, objects)) if kind not in ("", Node.kind) else ()
    if len(pods) > 1 and ABOUT not in known:
        more.append(_question(ABOUT, guess(flow, objects), pods))
    return replace(flow, settings=(*more, *settings), scenes=tuple(_here(row, flow, settings) for row in flow.scenes))


def chosen(flow: Flow, settings: Mapping[str, str]) -> tuple[str, str]:
    """What it is about, and the node that comes first; what cannot be is told with all other settings."""
    found = {}
    for setting in flow.settings:
        if setting.name in (ABOUT, NODE):
            value = settings.get(setting.name, "")
            found[setting.name] = value if value in setting.choices else setting.default
    return found.get(ABOUT, ""), found.get(NODE, "")


def _here(scene: Scene, flow: Flow, settings: Iterable[Setting]) -> Scene:
    """A scene that names one of the flow's own machines means the one in its place."""
    own = {setting.name: setting.choices for setting in flow.settings}
    moved = {row.name: row.choices for row in settings if row.choices != own[row.name]}
    values = {
        name: moved[name][own[name].index(value) % len(moved[name])] if name in moved and value in own[name] else value
        for name, value in scene.settings.items()
    }
    return replace(scene, settings=values)


def _question(name: str, usual: str, choices: tuple[str, ...]) -> Setting:
    said = next(row for row in own_words.words().questions if row.name == name)
    return Setting(name, said.title, "choice", usual, help=said.help, choices=choices)


def _of_these_nodes(setting: Setting, flow: Flow, names: tuple[str, ...]) -> Setting:
    """A choice among the flow's own machines is one among the reader's."""
    own = {obj.metadata.name for obj in flow.cluster if isinstance(obj, Node)}
    if not names or not setting.choices or not own.issuperset(setting.choices):
        return setting
    return replace(setting, choices=names, default=names[0])


def guess(flow: Flow, objects: Sequence[Object]) -> str:
    """What is most likely meant: what is called like the flow's own, is of its kind, or is behind a Service."""
    if not flow.target:
        return next((str(obj.ref) for obj in _workloads(objects)), "")
    kind, usual = parse_ref(flow.target).kind, workload_of(flow)

    def likely(obj: Workload) -> tuple[bool, bool, bool]:
        return usual is None or obj.ref != usual.ref, kind not in ("Pod", obj.kind), not _served(objects, obj)

    found = min(_fitting(flow, objects)[:MOST_OFFERED], key=likely, default=None)
    return "" if found is None else _told(found, kind)


def offered(flow: Flow, objects: Sequence[Object]) -> Iterable[str]:
    """Everything that the walk could be about, in the order of the manifests."""
    kind = parse_ref(flow.target).kind
    for obj in _fitting(flow, objects)[:MOST_OFFERED]:
        yield _told(obj, kind)
        if kind == "Pod" and isinstance(obj, StatefulSet):
            count = 1 if obj.spec.replicas is None else obj.spec.replicas
            yield from (str(pod_of(obj, nth)) for nth in range(1, min(count, MOST_ORDINALS)))


def _told(obj: Workload, kind: str) -> str:
    return str(pod_of(obj, 0) if kind == "Pod" else obj.ref)


def _fitting(flow: Flow, objects: Iterable[Object]) -> list[Workload]:
    """Where commands are about a kind of workload, only what is of it; else whatever has pods."""
    kind = parse_ref(flow.target).kind
    narrow = not flow.anything and kind in {cls.kind for cls in WORKLOADS} - {Pod.kind}
    return [obj for obj in _workloads(objects) if not narrow or obj.kind == kind]


def _workloads(objects: Iterable[Object]) -> list[Workload]:
    return [obj for obj in objects if isinstance(obj, WORKLOADS)]


def workload_about(text: str, objects: Iterable[Object]) -> Workload | None:
    """The workload that is named, or that makes the named pod."""
    ref = parse_ref(text)
    rows = _workloads(objects)
    made = (obj for obj in rows for nth in range(MOST_ORDINALS) if pod_of(obj, nth) == ref)
    return next((obj for obj in rows if obj.ref == ref), None) or next(made, None)


def pod_of(workload: Workload, nth: int) -> Ref:
    """The nth pod that a workload makes, from 0, as interventions name it."""
    if isinstance(workload, Pod):
        return workload.ref
    ordinal = first_ordinal(workload) + nth
    return Ref("Pod", workload.metadata.namespace, f"{workload.metadata.name}-{ordinal}")


def first_ordinal(workload: Workload) -> int:
    """Pods of a StatefulSet are counted from 0; for those with generated names interventions count from 1."""
    return 0 if isinstance(workload, StatefulSet) else 1


def selecting(objects: Iterable[Object], workload: Workload | None) -> Service | None:
    """The first Service that kube-proxy has rules for and whose selector matches the workload's pods."""
    if workload is None:
        return None
    labels = targets.template(workload).metadata.labels
    for obj in objects:
        if isinstance(obj, Service) and obj.metadata.namespace == workload.metadata.namespace and _routed(obj, labels):
            return obj
    return None


def _served(objects: Iterable[Object], workload: Workload) -> bool:
    return selecting(objects, workload) is not None


def _routed(service: Service, labels: StringMap) -> bool:
    spec = service.spec
    return bool(spec.selector) and spec.selector.selects(labels) and not spec.headless and spec.type != "ExternalName"


def workload_of(flow: Flow) -> Workload | None:
    """The workload that makes the flow's target, or that is it."""
    if not flow.target:
        return None
    try:
        found = maker(flow.cluster, parse_ref(flow.target))
    except BadInput:
        return None
    return found if isinstance(found, WORKLOADS) else None


def maker(objects: tuple[Object, ...], ref: Ref) -> Templated | None:
    """The object of that name, or for a pod what would make it: `web` for pod/web-1."""
    workloads = {obj.ref: obj for obj in objects if isinstance(obj, TEMPLATED)}
    if ref in workloads or ref.kind != "Pod":
        return workloads.get(ref)
    match = ORDINAL.fullmatch(ref.name)
    named = [obj for obj in workloads.values() if match and obj.ref[1:] == (ref.namespace, match[1])]
    return named[0] if named and not isinstance(named[0], Pod) else None
