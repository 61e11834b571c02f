"""Areas about what kubectl prints."""

from app.kube.ages import human_duration
from app.kube.nodes import Node
from app.kube.pod_columns import pod_columns
from app.kube.pods import Pod
from app.kube.printers import node_cells
from tests.conformance.building import build, milliseconds
from tests.conformance.cases import Actual, Given

_POD_COLUMNS = ("NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES")
_NODE_COLUMNS = (
    "NAME",
    "STATUS",
    "ROLES",
    "AGE",
    "VERSION",
    "INTERNAL-IP",
    "EXTERNAL-IP",
    "OS-IMAGE",
    "KERNEL-VERSION",
    "CONTAINER-RUNTIME",
)


def kubectl_get_pods(given: Given) -> Actual:
    given.take("wide")
    return dict(zip(_POD_COLUMNS, pod_columns(build(Pod, given.take("pod")), _now(given)), strict=True))


def kubectl_get_nodes(given: Given) -> Actual:
    given.take("wide")
    return dict(zip(_NODE_COLUMNS, node_cells(build(Node, given.take("node")), _now(given)), strict=True))


def human_durations(given: Given) -> Actual:
    if "secondsList" in given:
        return {"texts": [human_duration(round(seconds * 1000)) for seconds in given.take("secondsList")]}
    return {"text": human_duration(round(given.take("seconds") * 1000))}


def _now(given: Given) -> int:
    text = given.take("now")
    return milliseconds(text) if text else 0
