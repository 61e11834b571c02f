"""Areas about Services: EndpointSlices and kube-proxy."""

from typing import Any

from app.kube.endpoints import Policies, backends, endpoint_conditions, should_be_in_slice
from app.kube.meta import ObjectMeta
from app.kube.networking import Endpoint, EndpointConditions, EndpointHints, HintedPlace
from app.kube.pods import Pod, PodStatus
from tests.conformance.cases import Actual, Given

_HERE, _ELSEWHERE = "this node", "another node"


def conditions(given: Given) -> Actual:
    row = endpoint_conditions(
        ready=given.take("podReady", default=False),
        terminating=given.first("deletionTimestampSet", "terminating", default=False),
        publish_not_ready=given.take("publishNotReadyAddresses", default=False),
    )
    return {"ready": row.ready, "serving": row.serving, "terminating": row.terminating}


def endpoint_slice(given: Given) -> Actual:
    if "pods" not in given:
        return conditions(given)
    rows = [_pod(given.part(row), row["name"]) for row in given.take("pods")]
    return {"inSlice": [pod.metadata.name for pod in rows if should_be_in_slice(pod)]}


def _pod(given: Given, name: str) -> Pod:
    addresses = given.take("ips", []) or [given.first("ip", "podIP", default="") or ""]
    pod = Pod(
        metadata=ObjectMeta(name=name, deletionTimestamp=0 if given.take("terminating", default=False) else None),
        status=PodStatus(phase=given.take("phase", "") or "", podIP=addresses[0]),
    )
    # Neither readiness nor the restart policy decides.
    given.first("ready")
    given.first("restartPolicy")
    given.done()
    return pod


def kube_proxy(given: Given) -> Actual:
    node = given.first("nodeName", "node", default=_HERE)
    rows = [_endpoint(given.part(row), node) for row in given.take("endpoints", [])]
    policies = Policies(
        internal_local=given.take("internalTrafficPolicy", "Cluster") == "Local",
        external_local=given.take("externalTrafficPolicy", "Cluster") == "Local",
        external=given.take("externallyReachable", default=False),
    )
    found = backends(rows, node, policies, given.first("nodeZone", "zone", default="") or "")
    reachable = _addresses(found.reachable)
    return {
        "cluster": _addresses(found.cluster),
        "local": _addresses(found.local),
        "all": reachable,
        "allReachable": reachable,
        "hasAny": found.anywhere,
    }


def _endpoint(given: Given, node: str) -> Endpoint:
    local = given.first("local", "isLocal", default=False)
    zones = given.first("zoneHints", "hints", default=()) or ()
    nodes = given.first("nodeHints", default=()) or ()
    endpoint = Endpoint(
        addresses=(given.first("addr", "address"),),
        conditions=EndpointConditions(given.take("ready"), given.take("serving"), given.take("terminating")),
        nodeName=given.first("nodeName", "node", default=node if local else _ELSEWHERE),
        hints=EndpointHints(forZones=tuple(map(HintedPlace, zones)), forNodes=tuple(map(HintedPlace, nodes))),
    )
    given.done()
    return endpoint


def _addresses(rows: tuple[Endpoint, ...] | None) -> Any:
    return None if rows is None else sorted(row.addresses[0] for row in rows)
