"""A machine with one pod on it, as a table test of a node's loop describes it, and what a loop there decides."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from app.kube.defaults import defaulted
from app.kube.meta import ObjectMeta, Ref
from app.kube.nodes import Node, NodeAddress, NodeStatus
from app.kube.objects import Object
from app.kube.pods import Container, ContainerPort, Pod, PodSpec, PodStatus
from app.kube.stringmap import StringMap
from app.loops.host_pods import with_pod
from app.sim.acts import Act, Wait
from app.sim.host import ContainerRun, Host, HostPod, Stop, Worker
from app.sim.loop import Loop, Turn
from tests.loops.beliefs import due, turn

NODE = "n1"
KEY = Ref("Pod", "default", "web-1")
UID = "uid-web-1"
ADDRESS = "10.244.1.2"
PORTS = (ContainerPort(8080, "http"),)
APP = Container("app", "app:v1", ports=PORTS)
PREFIX = "sim.loopscope.dev/"
MACHINE = Node(
    metadata=ObjectMeta(name=NODE, uid="uid-n1"),
    status=NodeStatus(addresses=(NodeAddress("InternalIP", "192.168.0.1"),)),
)


def api(
    *containers: Container,
    init: tuple[Container, ...] = (),
    grace: int = 30,
    deleted: int | None = None,
    behaves: dict[str, str] | None = None,
    uid: str = UID,
    status: PodStatus | None = None,
    **spec: Any,
) -> Pod:
    """A pod bound to the node; `deleted` is the grace it is deleted with, `behaves` its annotations."""
    made = Pod(
        metadata=ObjectMeta(
            name="web-1",
            namespace="default",
            uid=uid,
            annotations=StringMap({PREFIX + name: value for name, value in (behaves or {}).items()}),
            deletionTimestamp=None if deleted is None else deleted * 1000,
            deletionGracePeriodSeconds=deleted,
        ),
        spec=PodSpec(
            containers=containers or (APP,),
            initContainers=init,
            nodeName=NODE,
            terminationGracePeriodSeconds=grace,
            **spec,
        ),
        status=status or PodStatus(phase="Running"),
    )
    return defaulted(made)  # type: ignore[return-value]


def run(name: str = "app", state: str = "running", *, started: int | None = 0, **more: Any) -> ContainerRun:
    """A container; it runs since t = 0 unless said otherwise."""
    if state == "exited":
        code = more.pop("exit_code", 0)
        more = {"finished": 1_000, "reason": "Error" if code else "Completed", **more, "exit_code": code}
    return ContainerRun(name, more.pop("role", "app"), state=state, started=started, **more)


def stopping(asked: int, timeout: int = 30_000, *, signalled: int | None = None, **more: Any) -> ContainerRun:
    """A running container for which StopContainer was called."""
    return run(stop=Stop(asked, timeout, signalled), **more)


def there(pod: Pod, *runs: ContainerRun, **more: Any) -> HostPod:
    """What is there of a pod: a sandbox and these containers."""
    return HostPod(pod, **{"ip": ADDRESS, "sandbox": "ready", "containers": runs, **more})


def knows(pod: HostPod, **more: Any) -> Worker:
    """A worker that has seen the pod as it is."""
    return Worker(
        **{
            "since": 0,
            "seen": pod.containers,
            "seen_sandbox": pod.sandbox,
            "seen_ip": pod.ip,
            "volumes": "mounted",
            **more,
        }
    )


def machine(pod: HostPod | None = None, worker: Worker | None = None, **more: Any) -> Host:
    """The node, perhaps with a pod on it."""
    host = Host(NODE, **{"images": ("app:v1",), **more})
    return host if pod is None else with_pod(host, pod.pod.metadata.uid, pod, worker)


def at(loop: Loop, host: Host, *believed: Object, now: int = 0, fired: bool = False) -> Turn:
    """A turn about the pod."""
    return turn(loop, KEY, *believed, MACHINE, now=now, node=NODE, host=host, fired=fired)


def decides(loop: Loop, host: Host, *believed: Object, now: int = 0, fired: bool = False) -> str:
    """The decision as `VERB [OUTCOME]`, as `wait USUAL`, or as an empty text."""
    decision = loop.reconcile(at(loop, host, *believed, now=now, fired=fired))
    if decision is None:
        return ""
    if isinstance(decision, Wait):
        return f"wait {due(decision)}"
    assert isinstance(decision, Act)
    return f"{decision.verb} {decision.outcome}".strip()


def act(loop: Loop, host: Host, *believed: Object, now: int = 0, fired: bool = False) -> Act:
    """The one act that is decided."""
    decision = loop.reconcile(at(loop, host, *believed, now=now, fired=fired))
    assert isinstance(decision, Act), decision
    return decision


def pod_after(decision: Act, uid: str = UID) -> HostPod:
    """The pod as the act leaves it on its machine."""
    assert decision.host is not None
    return decision.host.pods[uid]


def worker_after(decision: Act, uid: str = UID) -> Worker:
    """What the kubelet keeps after the act."""
    assert decision.host is not None
    return decision.host.workers[uid]


def events(decision: Act) -> list[str]:
    """`REASON: MESSAGE` of each Event that goes with an act."""
    return [f"{row.reason}: {row.message}" for row in decision.events]


def off(host: Host) -> Host:
    """The machine without power."""
    return replace(host, power=False)
