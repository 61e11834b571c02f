"""Answers for nodes that are cordoned, drained and lost."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from typing import Any

from tests.real_cases.reading import Answer, Json, Report, name
from tests.real_cases.rolling import ready

T0 = datetime.fromisoformat("2026-01-01T12:00:00Z")
UNREACHABLE = "node.kubernetes.io/unreachable"
CODES = {"too-many-requests": 429, "internal-error": 500, "forbidden": 403}
CONTROL_PLANE_LOG = "Controller detected that all Nodes are not-Ready. Entering master disruption mode."


def evicted_on(walk: Report, nodes: tuple[str, ...]) -> int:
    """Evictions that a kubelet of these nodes carried out."""
    return sum(row["node"] in nodes for row in walk.steps if row["moment"] == "killing")


def refusals(walk: Report) -> list[Json]:
    return walk.events("FailedScheduling")


def served(walk: Report) -> float:
    """The share of what comes through the load balancer that is answered."""
    return float(walk.fact("lb-backends") > 0 and walk.fact("requests-failed") == 0)


CORDONED: dict[str, Answer] = {
    "healthy_lb_backends": lambda walk: walk.fact("lb-backends"),
    "external_success_rate": served,
    "evictions": lambda walk: walk.fact("evicted"),
    "replacement_phase": lambda walk: "Pending" if refusals(walk) else "Running",
    "from_s": lambda walk: walk.at("scheduling-failed"),
    "message_contains": lambda walk: refusals(walk)[0]["message"],
    "unavailable_s": lambda walk: walk.fact("none-ready-for"),
    "evictions_on_n2_n3": lambda walk: evicted_on(walk, ("n2", "n3")),
    "drain_exit": lambda walk: walk.fact("drain-exit"),
    "drain_seconds": lambda walk: walk.fact("drain-finished"),
}

SHORT = ("agent", "dashboard", "kube-proxy-n1", "lonely", "queue", "small")


def short(found: str) -> str:
    """A pod as the cases name it, without what controllers add."""
    return next((head for head in SHORT if found == head or found.startswith(f"{head}-")), found)


def outcome(walk: Report) -> str:
    if walk.fact("drain-exit") == 0:
        return "drained"
    return "drain blocked forever" if walk.found["stopped"] == "stuck" else "failed"


def sent_away(walk: Report) -> list[str]:
    rows = [*walk.verbs("evict", "kubectl"), *walk.verbs("delete", "kubectl")]
    return sorted({short(name(row)) for row in rows if row["outcome"] == "ok"})


def on_node(walk: Report, node: str = "n1") -> list[Json]:
    return [row for row in walk.objects("Pod") if row["spec"].get("nodeName") == node]


def budget(walk: Report, field: str) -> int:
    """What the budget allowed at the start: no write has touched it before the first eviction."""
    changed = (row for _, row in walk.changes("PodDisruptionBudget") if row["path"] == f"status.{field}")
    first = next(changed, None)
    held: int = walk.objects("PodDisruptionBudget")[0]["status"].get(field, 0)
    return held if first is None else first["before"] or 0


def pause(walk: Report) -> int | None:
    """Between two attempts, if it is always the same."""
    times = [row["at"] for row in walk.verbs("evict", "kubectl")]
    found = {round(later - at) for at, later in pairwise(times)}
    return found.pop() if len(found) == 1 else None


def status_code(walk: Report) -> int | None:
    words = [row["outcome"].partition(":")[0] for row in walk.verbs("evict", "kubectl")]
    return next((CODES[word] for word in words if word in CODES), None)


def closed(walk: Report) -> bool:
    return any(row["spec"].get("unschedulable", False) for row in walk.objects("Node", "n1"))


def runs_on(walk: Report) -> bool:
    pods = on_node(walk)
    return bool(pods) and all("deletionTimestamp" not in row["metadata"] for row in pods)


def lost_scratch(walk: Report) -> bool:
    """Whether the pod with an emptyDir is another one now."""
    gone = walk.times("object-removed", "dashboard")
    return bool(gone) and any("emptyDir" in str(row["spec"]["volumes"]) for row in walk.objects("Pod", "dashboard"))


DRAINED: dict[str, Answer] = {
    "outcome": outcome,
    "blocking_pod": lambda walk: name(walk.verbs("evict", "kubectl")[-1]),
    "disruptionsAllowed": lambda walk: budget(walk, "disruptionsAllowed"),
    "desiredHealthy": lambda walk: budget(walk, "desiredHealthy"),
    "http_status": status_code,
    "message_contains": Report.printed,
    "errors_contain": Report.printed,
    "retry_every_s": pause,
    "new_pods_created": lambda walk: len(walk.created()),
    "unschedulable": closed,
    "exit": lambda walk: walk.fact("drain-exit"),
    "at_s": lambda walk: walk.found["clock"],
    "pod_still_running": runs_on,
    "drops_below": lambda walk: walk.fact("fewest-ready"),
    "downtime": lambda walk: (walk.fact("none-ready-for") or 0) > 0,
    "pdb_ignored": lambda walk: walk.fact("refusals") == 0 and budget(walk, "disruptionsAllowed") == 0,
    "evicted": sent_away,
    "left": lambda walk: sorted(short(row["metadata"]["name"]) for row in on_node(walk)),
    "mentions_kube_proxy": lambda walk: "kube-proxy" in walk.printed(),
    "lonely_recreated": lambda walk: bool(walk.created("lonely")),
    "emptyDir_data_lost": lost_scratch,
}


def target(walk: Report) -> str:
    """The name of the pod that the walk is about."""
    text: str = walk.found["target"]
    return text.rpartition("/")[2]


def held(walk: Report, pod: str) -> Json | None:
    """The pod of that name at the end, if it is still the one of the start."""
    made = {name(row) for row in walk.created()}
    rows = [row for row in walk.objects("Pod") if row["metadata"]["name"] == pod and pod not in made]
    return rows[0] if rows else None


def status_of(walk: Report, pod: str) -> str:
    found = held(walk, pod)
    if found is None:
        return "gone"
    return "Terminating" if "deletionTimestamp" in found["metadata"] else "there"


def until(walk: Report) -> str:
    """What ends it, by the further walks of the row."""
    words = ("node returns", "is deleted", "or pod is force-deleted")
    ended = [word for word, other in zip(words, walk.others, strict=True) if held(other, target(other)) is None]
    return ", ".join(ended) if status_of(walk, target(walk)) != "gone" else "never"


def replacement_at(walk: Report, begins: str = "") -> float | None:
    return next((row["at"] for row in walk.created(begins)), None)


def nominal(walk: Report) -> int:
    """When the replacement comes if the machine dies right after a heartbeat, and a pass ends its grace at once."""
    created = replacement_at(walk)
    lost = next(name(row) for row in walk.steps if row["moment"] == "node-unknown")
    renewed = next(row["spec"]["renewTime"] for row in walk.objects("Lease") if row["metadata"]["name"] == lost)
    assert created is not None
    return int(created + (T0 - datetime.fromisoformat(renewed)).total_seconds()) // 5 * 5


def after_not_ready(walk: Report) -> float:
    created, noticed = replacement_at(walk), walk.at("node-unknown")
    assert created is not None
    assert noticed is not None
    return created - noticed


def marked_with_node(walk: Report) -> str:
    same = walk.at("pod-marked-not-ready") == walk.at("node-unknown")
    return "same time as NotReady" if same else "at another time"


def errors_until(walk: Report) -> str:
    """Until no node's rules lead to the lost machine any more."""
    noticed = walk.at("node-unknown")
    changed = [row["at"] for row in walk.steps if row["moment"] == "rules-changed" and row["reason"] == "NoEndpoints"]
    assert noticed is not None
    return "NotReady + propagation" if noticed <= max(changed) < noticed + 2 else "at another time"


def tolerates(walk: Report) -> dict[str, int]:
    """For how long pods tolerate that their node cannot be reached, by name."""
    rows = [(row["metadata"]["name"], taint) for row in walk.objects("Pod") for taint in row["spec"]["tolerations"]]
    return {pod: taint["tolerationSeconds"] for pod, taint in rows if taint["key"] == UNREACHABLE}


def stays(walk: Report) -> bool:
    """Whether the flag is in new pods alone: the old one keeps what it was made with, and the new one has 30 s."""
    (new,) = {name(row) for row in walk.created()}
    found = tolerates(walk)
    return found.pop(new) == 30 and list(found.values()) == [300]


LOST: dict[str, Answer] = {
    "notready_at_s": lambda walk: walk.at("node-unknown"),
    "replacement_created_at_s": replacement_at,
    "nominal": nominal,
    "pod_ready_condition_false_at": marked_with_node,
    "traffic_errors_until": errors_until,
    "old_pod_status": lambda walk: status_of(walk, target(walk)),
    "until": until,
    "replacement_after_notready_s": after_not_ready,
    "still_300": stays,
}


def nothing_more(walk: Report, seconds: int) -> float | None:
    """That long one may look: nothing but heartbeats is left."""
    return seconds if walk.found["stopped"] == "quiet" else None


def made_when(walk: Report) -> list[tuple[float, str]]:
    return [(row["at"], name(row)) for row in walk.created()]


STATEFUL: dict[str, Answer] = {
    "at_s": lambda walk: nothing_more(walk, 14_400),
    "ci_available": lambda walk: sum(ready(row) for row in walk.objects("Pod", "ci-")),
    "ci_0_status": lambda walk: status_of(walk, "ci-0"),
    "ci_replacement": lambda walk: next((name(row) for row in walk.created("ci-")), None),
    "web_replacement_created_at_s": lambda walk: replacement_at(walk, "web-"),
    "web_old_pod_status": lambda walk: "Terminating" if going(walk, "web-") else "gone",
    "pdb_has_effect": lambda walk: made_when(walk) != made_when(walk.others[0]),
    "ci_0_recreated_at_s": lambda walk: replacement_at(walk, "ci-0"),
    "ci_0_recreated_by_s": lambda walk: replacement_at(walk, "ci-0"),
}


def going(walk: Report, begins: str) -> list[Json]:
    return [row for row in walk.objects("Pod", begins) if "deletionTimestamp" in row["metadata"]]


def executed(walk: Report) -> list[Json]:
    """Nodes that have the taint at the end."""
    rows = [(row, row["spec"].get("taints", ())) for row in walk.objects("Node")]
    wanted = (UNREACHABLE, "NoExecute")
    return [row for row, taints in rows if wanted in [(taint["key"], taint["effect"]) for taint in taints]]


def evictions(walk: Report) -> int:
    return len(walk.times("taint-eviction"))


def any_evicted(walk: Report) -> bool | int:
    """Whether anything is evicted; where all are lost the case counts."""
    found = evictions(walk)
    return found if unknown(walk) == len(walk.objects("Node")) else found > 0


def unknown(walk: Report) -> int:
    return len({row["object"] for row in walk.steps if row["moment"] == "node-unknown"})


def endpoints_ready(walk: Report) -> int:
    rows = [piece for row in walk.objects("EndpointSlice") for piece in row.get("endpoints", ())]
    return sum(bool(row["conditions"].get("ready")) for row in rows)


def apart(walk: Report) -> float:
    """Seconds between the taints of two nodes; of the limiter's own pace the later ones tell."""
    times = walk.times("no-execute-added")
    return round([later - earlier for earlier, later in pairwise(times)][-1])


def zone_state(walk: Report) -> str:
    text: str = walk.verbs("set-zone-state")[-1]["outcome"]
    return text.partition(",")[0]


MANY: dict[str, Answer] = {
    "at_s": lambda walk: nothing_more(walk, 3_600),
    "pods_evicted": evictions,
    "evictions": any_evicted,
    "nodes_with_NoExecute_unreachable": lambda walk: len(executed(walk)),
    "zone_state": zone_state,
    "pod_ready_conditions_false": lambda walk: sum(not ready(row) for row in walk.objects("Pod", "portal-")),
    "service_endpoints_ready": endpoints_ready,
    "share": lambda walk: unknown(walk) / len(walk.objects("Node")),
    "one_node_per_s": apart,
    "eviction_rate_nodes_per_s": lambda walk: 1 / apart(walk),
    "rate_nodes_per_s": lambda walk: 1 / apart(walk),
    "log_contains": lambda walk: CONTROL_PLANE_LOG if walk.times("master-disruption-entered") else "",
    "existing_unreachable_taints_removed": lambda walk: bool(walk.times("no-execute-withdrawn")) and not executed(walk),
}

ANSWERS: dict[str, dict[str, Any]] = {
    "cordon-01": CORDONED,
    "cordon-04": CORDONED,
    "drain-01": DRAINED,
    "drain-03": DRAINED,
    "drain-05": DRAINED,
    "node-01": LOST,
    "node-02": STATEFUL,
    "node-05": MANY,
}
