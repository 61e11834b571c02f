"""Areas about the kernel's choice when memory runs out, and about what is left of dead pods."""

from app.kube.meta import ObjectMeta
from app.kube.oom_score import Process, badness, oom_score_adj, victim
from app.kube.pod_gc import BY_POD_GC, DEFAULT_THRESHOLD, beyond_threshold, orphaned
from app.kube.pods import Pod, PodSpec, PodStatus
from tests.conformance.building import build
from tests.conformance.cases import Actual, Given


def score(given: Given) -> Actual:
    capacity = given.take("memoryCapacityBytes")
    pod = Pod(metadata=ObjectMeta(name="p"), spec=build(PodSpec, given.take("spec")))
    rows = (*pod.spec.initContainers, *pod.spec.containers)
    return {"oomScoreAdj": {row.name: oom_score_adj(pod, row, capacity) for row in rows}}


def kernel(given: Given) -> Actual:
    total = given.take("totalPages")
    rows = [_process(given.part(row), row["name"]) for row in given.take("processes")]
    chosen = victim(rows, total)
    return {"badness": {row.name: badness(row, total) for row in rows}, "victim": chosen.name if chosen else None}


def _process(given: Given, name: str) -> Process:
    row = Process(
        name,
        given.take("rssPages", 0),
        given.take("swapPages", 0),
        given.take("pageTablePages", 0),
        given.take("oomScoreAdj", 0),
    )
    given.done()
    return row


def pod_gc(given: Given) -> Actual:
    """Too many finished pods, or pods of nodes that are gone."""
    if "terminatedPods" in given:
        pods = [_finished(given.part(row), row["name"]) for row in given.take("terminatedPods")]
        return {
            "deleted": [pod.metadata.name for pod in beyond_threshold(pods, given.take("threshold", DEFAULT_THRESHOLD))]
        }
    waited, quarantine = given.take("waitedSeconds"), given.take("quarantineSeconds")
    nodes = set(given.take("nodes"))
    pods = [_finished(given.part(row), row["name"]) for row in given.take("pods")]
    gone = orphaned(pods, nodes) if waited >= quarantine else []
    return {
        "forceDeleted": [pod.metadata.name for pod in gone],
        "patchedToFailed": [pod.metadata.name for pod in gone if not pod.finished],
        "condition": BY_POD_GC,
    }


def _finished(given: Given, name: str) -> Pod:
    created = given.take("createdSeconds", 0)
    pod = Pod(
        metadata=ObjectMeta(name=name, creationTimestamp=created * 1000),
        spec=PodSpec(nodeName=given.take("node", "") or ""),
        status=PodStatus(phase=given.take("phase"), reason=given.take("reason", "") or ""),
    )
    given.done()
    return pod
