"""Areas about kubectl cordon and drain."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from app.kube.drain_filters import Flags, gone, verdict
from app.kube.meta import Condition, ObjectMeta, OwnerReference, Ref
from app.kube.nodes import Node, NodeSpec
from app.kube.pods import Container, Pod, PodSpec, PodStatus, Volume
from app.kube.stringmap import StringMap
from app.loops import kubectl
from app.sim.acts import Act, Delete, Wait
from app.sim.engine import Model
from app.sim.index import Stored
from app.sim.intervention import Intervention
from app.sim.loop import Loop, Turn, own_key
from app.sim.schedule import run
from app.sim.start import empty
from app.sim.walk import Walk
from app.sim.world import World
from tests.conformance.building import build
from tests.conformance.cases import Actual, Given

NOW = 10_000_000


class _Other(Struct, frozen=True):
    """An object of a kind that the model need not know, such as the DaemonSet that drain looks for."""

    kind: str
    metadata: ObjectMeta

    @property
    def ref(self) -> Ref:
        return Ref(self.kind, self.metadata.namespace, self.metadata.name)


def _reap(found: Turn) -> Act | Wait | None:
    pod = found.read(Pod, found.key)
    return Act("remove", pod.ref, request=Delete(pod.ref, 0)) if pod is not None and pod.terminating else None


MODEL = Model(
    [
        kubectl.LOOP,
        # Pods go as soon as they are asked to.
        Loop(name="reaper", lane="kubelet", process="kubelet", reconcile=_reap, wakes={"Pod": own_key}),
    ]
)


def cordon(given: Given) -> Actual:
    """`kubectl cordon` or `uncordon` of one node."""
    verb, node = given.take("command"), given.part(given.take("node"))
    name, unschedulable = node.name, node.take("unschedulable", default=False)
    node.done()
    made = Node(ObjectMeta(name=name), NodeSpec(unschedulable=unschedulable))
    walk = _run(_world([made]), Intervention(0, verb, (f"node/{name}",)))
    patches = [
        row.step.id
        for row in walk.records
        if row.step.verb == "patch" and row.step.outcome == "ok" and row.step.commits
    ]
    wanted = True if verb == "cordon" else None
    return {
        "patch": {"spec": {"unschedulable": wanted}} if patches else None,
        "stdout": "\n".join(_output(walk, "stdout")),
        "stderr": "\n".join(_output(walk, "stderr")),
        "exit": _exit(walk),
    }


def drain(given: Given) -> Actual:
    """`kubectl drain` of one node, or one of its parts."""
    if "filter" in given:
        return _skipped(given)
    if "waiting" in given:
        awaited, now = given.take("waiting"), given.take("serverReturns")
        return {"finished": gone(awaited["uid"], now["uid"] if now else None)}
    verb, name = given.take("command"), given.take("node")
    options = tuple((_FLAGS[_plain(key)], _text(value)) for key, value in (given.take("flags", None) or {}).items())
    rows = [_bound(row, name) for row in given.take("pods", [])]
    exists = given.first("daemonSetExists", default=True)
    others = [_Other("DaemonSet", ObjectMeta(name="ds", namespace=pod.metadata.namespace)) for pod in rows if exists]
    walk = _run(_world([Node(ObjectMeta(name=name)), *rows], others), Intervention(0, verb, (f"node/{name}",), options))
    left = {obj.metadata.name for obj in walk.world.etcd.find("Pod")}
    out, err = _output(walk, "stdout"), _output(walk, "stderr")
    return {
        "fatal": _exit(walk) != 0,
        "exit": _exit(walk),
        "deletedPods": [pod.metadata.name for pod in rows if pod.metadata.name not in left],
        "stdoutContains": _found(given.wanted.get("stdoutContains", []), out),
        "stderrContains": _found(given.wanted.get("stderrContains", []), err),
    }


_FLAGS = {
    name.replace("-", ""): name
    for name in (
        "force",
        "ignore-daemonsets",
        "delete-emptydir-data",
        "disable-eviction",
        "grace-period",
        "pod-selector",
        "skip-wait-for-delete-timeout",
    )
}


def _plain(key: str) -> str:
    return key.replace("-", "").lower()


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _found(wanted: list[str], lines: list[str]) -> list[str]:
    return [text for text in wanted if any(text in line for line in lines)]


def _skipped(given: Given) -> Actual:
    """The filter that leaves out pods that are long on their way."""
    age, limit = given.take("deletionAgeSeconds", None), given.take("skipWaitForDeleteTimeout")
    given.take("filter")
    pod = _bound({"kind": "Pod", "name": "a", "controllerOwner": {"kind": "ReplicaSet", "name": "rs"}}, "n1")
    deleted = None if age is None else NOW - age * 1000
    pod = replace(pod, metadata=replace(pod.metadata, deletionTimestamp=deleted))
    return {"delete": verdict(pod, Flags(skip_wait_for_delete=limit), NOW, lambda _: "").delete}


def _bound(values: dict[str, Any], node: str) -> Pod:
    given = Given(values, {})
    owner = given.take("controllerOwner", None)
    given.take("kind")
    references = (build(OwnerReference, {"uid": "uid-owner", **owner}),) if owner else ()
    volumes = tuple(build(Volume, {"name": f"v{n}", **row}) for n, row in enumerate(given.take("volumes", [])))
    pod = Pod(
        ObjectMeta(
            name=given.name,
            namespace=given.take("namespace", "default"),
            uid=f"uid-{given.name}",
            annotations=StringMap(given.take("annotations", {})),
            labels=StringMap(given.take("labels", {})),
            ownerReferences=references,
        ),
        PodSpec((Container("app"),), volumes=volumes, nodeName=node),
        PodStatus(given.take("phase", "Running"), conditions=(Condition("Ready", "True"),)),
    )
    given.done()
    return pod


def _world(objects: list[Any], others: list[_Other] | None = None) -> World:
    world = replace(empty([obj for obj in objects if isinstance(obj, Node)]), now=0)
    etcd = world.etcd
    for obj in (*objects, *(others or ())):
        etcd = etcd.put(Stored(1, obj))
    return replace(world, etcd=etcd)


def _run(world: World, intervention: Intervention) -> Walk:
    return run(MODEL, world, [intervention], until=60_000)


def _output(walk: Walk, stream: str) -> list[str]:
    return [line.text for row in walk.records for line in row.step.output if line.stream == stream]


def _exit(walk: Walk) -> int | None:
    return next(command.exit for command in walk.world.commands.values())
