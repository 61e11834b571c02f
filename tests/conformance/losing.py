"""Areas about nodes that are lost: when they count as silent, how disrupted their zones are, which pods they lose."""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from app.kube import zones
from app.kube.meta import Condition, ObjectMeta, Ref, condition
from app.kube.node_health import GRACE, STARTUP_GRACE
from app.kube.node_monitor import Health, Monitor
from app.kube.nodes import LEASES, Lease, LeaseSpec, Node, NodeSpec, NodeStatus, Taint
from app.kube.pods import Container, Pod, PodSpec, PodStatus, Toleration
from app.kube.stringmap import StringMap
from app.kube.taints import shortest
from app.loops import kubectl, node_lifecycle, taint_eviction
from app.loops.zone_passes import MONITOR
from app.sim.acts import Act, Event, Patch, Wait
from app.sim.engine import Model
from app.sim.intervention import Intervention
from app.sim.lags import Lag
from app.sim.schedule import run
from app.sim.start import at_rest
from tests.conformance.building import build
from tests.conformance.cases import Actual, Given
from tests.loops.beliefs import decided, requested, turn

NOW = 10_000_000
KEY = Ref(Node.kind, "", "n1")
UNREACHABLE = NodeSpec(taints=(Taint("node.kubernetes.io/unreachable", "NoExecute"),))
NO_TAINTS = (("spec.taints", ()),)

# Silence.


def health(given: Given) -> Actual:
    """One pass of the node lifecycle controller over one node."""
    ready = given.take("nodeReady", None)
    node = _node("n1", "", ready)
    pods = [_on_node(given.part(row), row.get("name", f"p{n}")) for n, row in enumerate(given.take("pods", None) or [])]
    grace = given.take("graceSeconds", None)
    silence = round(given.take("secondsSinceObservedHeartbeat") * 1000)
    usual = GRACE if ready else STARTUP_GRACE
    # Only by how much the silence is longer than the grace period matters.
    observed = NOW - silence + (0 if grace is None else grace * 1000 - usual)
    memory = {KEY: Health(renewed=0, observed=observed, ready=ready or ""), MONITOR: Monitor(base=NOW)}
    lease = Lease(ObjectMeta(name="n1", namespace=LEASES), LeaseSpec(renewTime=0))
    loop = node_lifecycle.LOOP
    made = _acts(decided(loop, turn(loop, KEY, node, lease, *pods, now=NOW, memory=memory)))
    after: Any = next((requested(act) for act in made if act.verb == "mark-unknown"), node)
    marked: dict[str, Any] = {act.object.name: requested(act) for act in made if act.verb == "mark-not-ready"}
    found = condition(after.status.conditions, "Ready") or Condition("Ready", "")
    return {
        "ready": found.status,
        "reason": found.reason,
        "message": found.message,
        "nodeEvent": next((row.reason for row in _events(made, KEY)), None),
        "podReady": next((_ready(marked.get(pod.metadata.name, pod)) for pod in pods), None),
        "podReadyChanged": bool(marked),
        "podEvent": next((_told(row) for pod in pods for row in _events(made, pod.ref)), None),
    }


def _node(name: str, zone: str, ready: str | None) -> Node:
    rows = (Condition("Ready", ready),) if ready else ()
    labels = StringMap({zones.ZONE: zone} if zone else {})
    return Node(ObjectMeta(name=name, labels=labels), status=NodeStatus(conditions=rows))


def _on_node(given: Given, name: str) -> Pod:
    ready = "True" if given.take("ready", default=True) else "False"
    status = PodStatus(given.take("phase", "Running"), conditions=(Condition("Ready", ready),))
    given.done()
    return Pod(ObjectMeta(name=name, namespace="default"), PodSpec(nodeName="n1"), status)


def _acts(made: Iterable[Act | Wait]) -> list[Act]:
    return [act for act in made if isinstance(act, Act)]


def _events(made: list[Act], about: Ref) -> list[Event]:
    return [row for act in made if act.object == about for row in act.events]


def _told(event: Event) -> dict[str, str]:
    return {"type": event.type, "reason": event.reason, "message": event.message}


def _ready(pod: Pod) -> str:
    row = condition(pod.status.conditions, "Ready")
    return row.status if row else ""


# Zones.


def zone_state(given: Given) -> Actual:
    """What a pass ends with: the state of each zone, and how fast its nodes are tainted."""
    large = given.take("largeClusterSizeThreshold", zones.LARGE)
    threshold = given.take("unhealthyZoneThreshold", zones.THRESHOLD)
    nodes = [node for zone, row in given.take("zones").items() for node in _zone(zone, given.part(row))]
    counts = {name.removeprefix(":"): count for name, count in zones.counted(nodes).items()}
    states = zones.states(counts, threshold)
    full = zones.all_full(states)
    rates = {zone: zones.rate(state, counts[zone].total, all_full=full, large=large) for zone, state in states.items()}
    return {**states, "nodesTaintedPerSecond": rates, "noExecuteTaintsRemoved": _withdrawn(nodes)}


def _zone(zone: str, given: Given) -> list[Node]:
    ready, lost = given.take("ready", 0), given.take("notReady", 0)
    given.done()
    return [_node(f"{zone}-{n}", zone, "True" if n < ready else "Unknown") for n in range(ready + lost)]


def _withdrawn(nodes: list[Node]) -> bool:
    """Whether the end of a pass takes the NoExecute taint off every node that has one."""
    tainted = [node if zones.is_ready(node) else replace(node, spec=UNREACHABLE) for node in nodes]
    loop, memory = node_lifecycle.LOOP, {MONITOR: Monitor(base=NOW, began=NOW - 1_000)}
    made = _acts(decided(loop, turn(loop, MONITOR, *tainted, now=NOW, fired=True, memory=memory)))
    freed = [act.object for act in made if act.request == Patch(act.object, NO_TAINTS)]
    return bool(freed) and freed == [node.ref for node in tainted if node.spec.taints]


# Pods.

MODEL = Model([kubectl.LOOP, taint_eviction.LOOP])
POD = Ref(Pod.kind, "default", "pod1")


def taint_eviction_of(given: Given) -> Actual:
    """How long a pod stays under taints, or what becomes of one on a node that is tainted at t = 0."""
    if "matchingTolerationSeconds" in given:
        limit = shortest(given.take("matchingTolerationSeconds"))
        return {"evictAfterSeconds": "never" if limit is None else limit}
    tolerations = tuple(_toleration(given.part(row)) for row in given.take("tolerations", None) or [])
    pod = Pod(ObjectMeta(name=POD.name, namespace="default"), PodSpec((Container("app"),), tolerations=tolerations))
    taints = given.take("taints")
    script = [Intervention(0, "taint", ("node/n1", *taints))]
    removed = given.take("taintRemovedAfterSeconds", None)
    if removed is not None:
        script.append(Intervention(round(removed * 1000), "untaint", ("node/n1", *taints)))
    return _stays(replace(pod, spec=replace(pod.spec, nodeName="n1")), script)


def _stays(pod: Pod, script: list[Intervention]) -> Actual:
    lags = {"kube-controller-manager": Lag(0, 0, 0)}
    world = at_rest(MODEL, [Node(ObjectMeta(name="n1")), pod], lags=lags)
    walk = run(MODEL, world, script, until=1_000_000)
    steps = [row.step for row in walk.records]
    deleted = next((step.at for step in steps if step.verb == "delete-pod"), None)
    events = [event for step in steps for event in step.events if step.loop == taint_eviction.LOOP.name]
    return {
        "deleted": deleted is not None,
        "afterSeconds": None if deleted is None else deleted / 1000,
        "event": events[-1].message if events else None,
    }


def _toleration(given: Given) -> Toleration:
    """One that names a taint of a case, or one as it stands in a pod."""
    if "taint" in given:
        row = Toleration(given.take("taint"), "Exists", tolerationSeconds=given.take("seconds", None))
    else:
        row = build(Toleration, {key: given.take(key) for key in Toleration.__struct_fields__ if key in given})
    given.done()
    return row
