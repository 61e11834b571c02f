"""Cases of the flow `node-loss`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from app.kube.endpoints import is_ready
from app.kube.networking import EndpointSlice
from app.kube.nodes import Node
from app.kube.pods import Pod
from app.sim.walk import Record
from app.story.play import Play, play, request
from tests.real_cases.asking import PREFIX, Real, fact, moment_at
from tests.real_cases.clusters import Documents, behaves, documents, named, placed, text

UNREACHABLE = "node.kubernetes.io/unreachable"
SAME_LEASE = "3s"
FOUR_HOURS = 14_400
HOUR = 3_600
ZONE = "topology.kubernetes.io/zone"
MASTER = "node-role.kubernetes.io/control-plane"
LOG = "Controller detected that all Nodes are not-Ready. Entering master disruption mode."


def lost(found: Documents, do: Sequence[str] = (), until: str = "10m") -> Play:
    """The machine of the first pod loses power at 0 s, and more is done."""
    return play(request("node-loss", manifest=text(found), choices=[("do", line) for line in do], until=until))


def only_on(found: Documents, nodes: Iterable[str]) -> str:
    """Keep pods off all other nodes for as long as it takes to place them; what opens those again."""
    others = [row for row in found if row["kind"] == "Node" and row["metadata"]["name"] not in nodes]
    for row in others:
        row.setdefault("spec", {})["unschedulable"] = True
    return " ".join(["0s uncordon", *(f"node/{row['metadata']['name']}" for row in others)])


def with_service(found: Documents, app: str) -> None:
    spec = {"selector": {"app": app}, "ports": [{"port": 80, "targetPort": 8080}]}
    found.append({"apiVersion": "v1", "kind": "Service", "metadata": {"name": app}, "spec": spec})


def leases(found: Documents, age: str) -> None:
    """How old the Lease of every node is."""
    for row in found:
        if row["kind"] == "Node":
            row["metadata"].setdefault("annotations", {})[f"{PREFIX}lease-age"] = age


def node_01(case: dict[str, Any]) -> Real:
    """A pod of a Deployment on a node that loses power."""

    def run(given: dict[str, Any], do: Sequence[str] = ()) -> Play:
        found = documents(case)
        workload = named(found, "Deployment")
        behaves(workload, startup=f"{case['settings']['app']['main']['startup_s']}s", on_sigterm="exit")
        if "tolerationSeconds" in given:
            row = {"key": UNREACHABLE, "operator": "Exists", "effect": "NoExecute"}
            seconds = {"tolerationSeconds": given["tolerationSeconds"]}
            workload["spec"]["template"]["spec"]["tolerations"] = [row | seconds]
        with_service(found, "controller")
        nodes = set(case["settings"]["placement"].values())
        walk = lost(found, [only_on(found, nodes), *do])
        assert placed(walk, "controller") == nodes
        return walk

    def until(walk: Play) -> str:
        ends = {
            "node returns": "6m bring-back node/n2",
            "is deleted": "6m delete node/n2",
            "or pod is force-deleted": "6m delete pod/controller-1 force=true",
        }
        gone = [word for word, line in ends.items() if not there(run({}, [line]), first_pod(walk))]
        return ", ".join(gone) if there(walk, first_pod(walk)) else "never"

    return Real(
        run,
        {
            "notready_at_s": fact("unknown-after"),
            "replacement_created_at_s": replacement_at,
            "nominal": lambda walk: round(replacement_at(walk) or 0, -1),
            "pod_ready_condition_false_at": marked_with_node,
            "traffic_errors_until": errors_until,
            "old_pod_status": lambda walk: status_of(walk, first_pod(walk)),
            "until": until,
            "replacement_after_notready_s": after_not_ready,
            "still_300": lambda walk: seconds_of(walk, first_pod(walk)) == 300,
        },
    )


def first_pod(walk: Play) -> Pod:
    """The pod that the walk is about."""
    held = walk.walk.start.etcd.get(walk.target)
    assert held is not None
    assert isinstance(held.object, Pod)
    return held.object


def there(walk: Play, pod: Pod) -> bool:
    held = walk.walk.world.etcd.get(pod.ref)
    return held is not None and held.object.metadata.uid == pod.metadata.uid


def status_of(walk: Play, pod: Pod) -> str:
    held = walk.walk.world.etcd.get(pod.ref)
    if held is None or held.object.metadata.uid != pod.metadata.uid:
        return "gone"
    return "Terminating" if held.object.metadata.deletionTimestamp is not None else "there"


def seconds_of(walk: Play, pod: Pod) -> int | None:
    """What stands in the pod itself, whatever the API server would write into a new one."""
    held = walk.walk.world.etcd.get(pod.ref)
    rows = held.object.spec.tolerations if held is not None and isinstance(held.object, Pod) else ()
    return next((row.tolerationSeconds for row in rows if row.key == UNREACHABLE), None)


def made(walk: Play, prefix: str = "") -> list[Record]:
    """Pods that were created after the start."""
    return [
        row
        for row in walk.walk.records
        for commit in row.step.commits
        if commit.ref.kind == "Pod" and commit.before is None and commit.ref.name.startswith(prefix)
    ]


def replacement_at(walk: Play) -> float | None:
    rows = made(walk)
    return rows[0].step.at / 1000 if rows else None


def after_not_ready(walk: Play) -> float:
    created, noticed = replacement_at(walk), moment_at(walk, "node-unknown")
    assert created is not None
    assert noticed is not None
    return created - noticed


def marked_with_node(walk: Play) -> str:
    same = moment_at(walk, "pod-marked-not-ready") == moment_at(walk, "node-unknown")
    return "same time as NotReady" if same else "at another time"


def errors_until(walk: Play) -> str:
    """What clients meet at an address of the lost machine; that of an empty Service is another matter."""
    lost_routes = [
        row.step.at / 1000
        for row in walk.walk.records
        if any(failing.kind == "unanswered" for failing in row.step.world.ledger.failing.values())
    ]
    noticed = moment_at(walk, "node-unknown")
    assert noticed is not None
    return "NotReady + propagation" if noticed <= max(lost_routes) < noticed + 2 else "at another time"


def node_02(case: dict[str, Any]) -> Real:
    """A StatefulSet's pod and a Deployment's on a node that stays away."""
    actions = {
        "kubectl delete pod ci-0 --force --grace-period=0 at t=1000": "1000s delete pod/ci-0 force=true",
        "kubectl delete node n2 at t=1000": "1000s delete node/n2",
        "n2 returns at t=1000": "1000s bring-back node/n2",
    }
    taint = "1000s taint node/n2 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"

    def run(given: dict[str, Any], *, budget: bool = True) -> Play:
        found = [row for row in documents(case) if budget or row["kind"] != "PodDisruptionBudget"]
        for kind in ("StatefulSet", "Deployment"):
            behaves(named(found, kind), startup="1s", on_sigterm="exit")
        nodes = set(case["settings"]["placement"].values())
        action = given.get("action")
        do = [actions.get(action, taint)] if action else []
        walk = lost(found, [only_on(found, nodes), *do], until=f"{FOUR_HOURS}s")
        assert placed(walk, "ci") == placed(walk, "web") == nodes
        return walk

    def budget_counts(walk: Play) -> bool:
        free = run({}, budget=False)
        return [(row.step.at, row.id) for row in made(walk)] != [(row.step.at, row.id) for row in made(free)]

    return Real(
        run,
        {
            # Nothing but heartbeats is left: it stays so for as long as one likes to look.
            "at_s": lambda walk: FOUR_HOURS if walk.walk.stopped == "quiet" else None,
            "ci_available": lambda walk: sum(pod.ready for pod in pods(walk, "ci-")),
            "ci_0_status": lambda walk: status_of(walk, pods(walk, "ci-0")[0]),
            "ci_replacement": lambda walk: next((row.id for row in made(walk, "ci-")), None),
            "web_replacement_created_at_s": lambda walk: made(walk, "web-")[0].step.at / 1000,
            "web_old_pod_status": lambda walk: next(status_of(walk, pod) for pod in old(walk, "web-")),
            "pdb_has_effect": budget_counts,
            "ci_0_recreated_at_s": recreated,
            "ci_0_recreated_by_s": recreated,
        },
    )


def recreated(walk: Play) -> float | None:
    rows = made(walk, "ci-0")
    return rows[0].step.at / 1000 if rows else None


def pods(walk: Play, prefix: str) -> list[Pod]:
    rows = walk.walk.world.etcd.find("Pod")
    return [row for row in rows if isinstance(row, Pod) and row.metadata.name.startswith(prefix)]


def old(walk: Play, prefix: str) -> list[Pod]:
    rows = walk.walk.start.etcd.find("Pod")
    return [row for row in rows if isinstance(row, Pod) and row.metadata.name.startswith(prefix)]


def node_05(case: dict[str, Any]) -> Real:
    """Many nodes of a zone at once."""

    def run(given: dict[str, Any]) -> Play:
        found, down = fleet(case, given)
        with_service(found, "portal")
        behaves(named(found, "Deployment"), startup="1s", on_sigterm="exit")
        names = [row["metadata"]["name"] for row in found if row["kind"] == "Node"]
        nodes = [name for name in case["settings"]["placement"].values() if name in names] or down[:4]
        do = [only_on(found, nodes), *(f"0s power-off node/{name}" for name in down)]
        walk = lost(found, do, until=f"{HOUR}s")
        assert placed(walk, "portal") == set(nodes)
        assert sum(row.step.verb == "power-off" for row in walk.steps) >= len(down)
        return walk

    return Real(
        run,
        {
            "at_s": lambda walk: HOUR if walk.walk.stopped == "quiet" else None,
            "pods_evicted": evicted,
            "evictions": any_evicted,
            "nodes_with_NoExecute_unreachable": lambda walk: len(executed(walk)),
            "zone_state": lambda walk: zone_states(walk)[-1].partition(",")[0],
            "pod_ready_conditions_false": lambda walk: sum(not pod.ready for pod in pods(walk, "portal-")),
            "service_endpoints_ready": endpoints_ready,
            "share": lambda walk: len({row.step.object for row in unknown(walk)}) / len(walk.walk.start.nodes),
            "one_node_per_s": apart,
            "eviction_rate_nodes_per_s": lambda walk: 1 / apart(walk),
            "rate_nodes_per_s": lambda walk: 1 / apart(walk),
            "log_contains": lambda walk: LOG if moment_at(walk, "master-disruption-entered") is not None else "",
            "existing_unreachable_taints_removed": lambda walk: (
                moment_at(walk, "no-execute-withdrawn") is not None and not executed(walk)
            ),
        },
    )


def any_evicted(walk: Play) -> bool | int:
    """Whether anything is evicted; where all are lost the case counts."""
    everything = len({row.step.object for row in unknown(walk)}) == len(walk.walk.start.nodes)
    return evicted(walk) if everything else evicted(walk) > 0


def fleet(case: dict[str, Any], given: dict[str, Any]) -> tuple[Documents, list[str]]:
    """The machines of a check with the case's manifests, and those of them that go down."""
    found = documents(case)
    for row, machine in zip(found, case["settings"]["nodes"], strict=False):
        if machine.get("role") == "control-plane":
            row["spec"] = {"taints": [{"key": MASTER, "effect": "NoSchedule"}]}
    names = [row["name"] for row in case["settings"]["nodes"]]
    down = [name for name in names if not name.startswith("master")]
    if given.get("down") == "all 8":
        # Found one after the other, so that there is a taint to be taken back.
        return found, names
    leases(found, SAME_LEASE)
    if "zones" in given:
        return _zones(found), [f"c{number}" for number in range(1, 5)]
    if "nodes" in given:
        fresh = [_machine(f"m{number:02}") for number in range(1, given["nodes"] + 1)]
        rest = [row for row in found if row["kind"] != "Node"]
        return [*fresh, *rest], [row["metadata"]["name"] for row in fresh[: given["down"]]]
    return found, given.get("down", down)


def _machine(name: str, zone: str = "") -> dict[str, Any]:
    meta = {"name": name, "annotations": {f"{PREFIX}lease-age": SAME_LEASE}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta | ({"labels": {ZONE: zone}} if zone else {})}


def _zones(found: Documents) -> Documents:
    """Three zones of four nodes each."""
    rows = [_machine(f"{zone}{number}", f"zone-{zone}") for zone in "abc" for number in range(1, 5)]
    return [*rows, *(row for row in found if row["kind"] != "Node")]


def evicted(walk: Play) -> int:
    return sum(row.step.moment == "taint-eviction" for row in walk.walk.records)


def unknown(walk: Play) -> list[Record]:
    return [row for row in walk.steps if row.step.moment == "node-unknown"]


def zone_states(walk: Play) -> list[str]:
    return [row.step.outcome for row in walk.steps if row.step.verb == "set-zone-state"]


def executed(walk: Play) -> list[Node]:
    """Nodes that have the taint at the end."""
    nodes = [row for row in walk.walk.world.etcd.find("Node") if isinstance(row, Node)]
    return [row for row in nodes if any((t.key, t.effect) == (UNREACHABLE, "NoExecute") for t in row.spec.taints)]


def endpoints_ready(walk: Play) -> int:
    rows = [row for row in walk.walk.world.etcd.find("EndpointSlice") if isinstance(row, EndpointSlice)]
    return sum(is_ready(endpoint) for row in rows for endpoint in row.endpoints)


def apart(walk: Play) -> float:
    """Seconds between the taints of two nodes; of the limiter's own pace the later ones tell."""
    times = [row.step.at / 1000 for row in walk.steps if row.step.moment == "no-execute-added"]
    return round([later - earlier for earlier, later in pairwise(times)][-1])
