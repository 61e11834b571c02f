"""Areas about the scheduler, and about what pods ask for."""

from typing import Any

from app.kube.defaults import defaulted
from app.kube.meta import ObjectMeta
from app.kube.nodes import Node, NodeSpec, Taint
from app.kube.pods import Container, Pod, PodSpec, ResourceRequirements, Toleration
from app.kube.qos import qos_class
from app.kube.resources import pod_requests
from app.kube.scheduling import EMPTY_LOAD, PODS, fit, fit_error, least_allocated, refusal, taint_score
from app.kube.stringmap import StringMap
from app.kube.taints import untolerated
from tests.conformance.building import build
from tests.conformance.cases import Actual, Given


def scheduler(given: Given) -> Actual:
    after = given.take("postFilter", "") or ""
    if "reasons" in given:
        count, reasons = given.take("nodes"), given.take("reasons")
        rows = [[row] if isinstance(row, str) else row for row in reasons.values()]
        assert len(rows) == count, "a reason for every node"
        return {"message": fit_error(rows, after)}
    tolerations = tuple(build(Toleration, row) for row in given.take("podTolerations", []))
    pod = Pod(metadata=ObjectMeta(name="web"), spec=PodSpec(tolerations=tolerations))
    refusals = [refusal(pod, _node(given.part(row), row["name"]), EMPTY_LOAD) for row in given.take("nodes")]
    return {"message": fit_error([row.reasons for row in refusals if row is not None], after)}


def _node(given: Given, name: str) -> Node:
    taints = tuple(_taint(row) for row in given.take("taints", []))
    node = Node(
        metadata=ObjectMeta(name=name),
        spec=NodeSpec(unschedulable=given.take("unschedulable", default=False), taints=taints),
    )
    given.done()
    return node


def _taint(row: Any) -> Taint:
    if isinstance(row, dict):
        return build(Taint, row)
    left, effect = row.rsplit(":", 1)
    key, _, value = left.partition("=")
    return Taint(key=key, value=value, effect=effect)


def taint_filter(given: Given) -> Actual:
    tolerations = [build(Toleration, row) for row in given.take("tolerations", [])]
    taints = [build(Taint, row) for row in given.take("taints", [])]
    gate = given.take("comparisonOperatorsGate", default=False)
    if untolerated(taints, tolerations, comparisons=gate) is None:
        return {"schedulable": True, "code": "Success", "reason": ""}
    # With the gate the node is refused in the same words; the model's scheduler runs without it.
    pod = Pod(metadata=ObjectMeta(name="web"), spec=PodSpec(tolerations=() if gate else tuple(tolerations)))
    found = refusal(pod, Node(metadata=ObjectMeta(name="n"), spec=NodeSpec(taints=tuple(taints))), EMPTY_LOAD)
    assert found is not None
    return {"schedulable": False, "code": _code(unresolvable=found.unresolvable), "reason": found.reasons[0]}


def taint_scores(given: Given) -> Actual:
    tolerations = [build(Toleration, row) for row in given.take("tolerations", [])]
    nodes = {name: [build(Taint, row) for row in rows] for name, rows in given.take("nodes").items()}
    return {"scores": taint_score(nodes, tolerations)}


def resource_fit(given: Given) -> Actual:
    given.take("units")
    spec = PodSpec(
        containers=tuple(_asking(given.part(row)) for row in given.take("containers", [])),
        initContainers=tuple(_asking(given.part(row)) for row in given.take("initContainers", [])),
    )
    allocatable = {PODS: 110} | given.take("allocatable")
    pods = given.first("podsOnNode", "podCountOnNode", default=0)
    found = fit(pod_requests(spec), allocatable, given.take("requestedOnNode", {}), pods)
    if found is None:
        return {"code": "Success", "reasons": []}
    return {"code": _code(unresolvable=found.unresolvable), "reasons": list(found.reasons)}


def _asking(given: Given) -> Container:
    policy = "Always" if given.take("sidecar", default=False) else given.take("restartPolicy", "") or ""
    requests = {key: f"{amount}m" if key == "cpu" else str(amount) for key, amount in given.rest("")}
    return Container(name="c", restartPolicy=policy, resources=ResourceRequirements(requests=StringMap(requests)))


def _code(*, unresolvable: bool) -> str:
    return "UnschedulableAndUnresolvable" if unresolvable else "Unschedulable"


def least_allocated_score(given: Given) -> Actual:
    wanted, weights = given.take("podRequest", {}), given.take("weights")
    scores = {
        row["name"]: least_allocated(wanted, row["allocatable"], row["requested"], weights)
        for row in given.take("nodes")
    }
    return {"scores": scores}


def qos(given: Given) -> Actual:
    spec = build(PodSpec, given.take("spec"))
    if given.take("requestsDefaultedFromLimits", default=False):
        stored = defaulted(Pod(metadata=ObjectMeta(name="web"), spec=spec))
        assert isinstance(stored, Pod)
        spec = stored.spec
    return {"qosClass": qos_class(spec), "defaultedRequests": dict(spec.containers[0].resources.requests.items())}
