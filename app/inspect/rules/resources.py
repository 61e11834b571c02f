"""Rules about requests and limits: what the scheduler counts, and what eviction and the kernel make of it."""

from __future__ import annotations

from collections.abc import Iterator

from app.inspect.finding import Found, found
from app.inspect.spelling import IN_BYTES, amount, together
from app.inspect.subject import Made, Part, Subject, template_of
from app.kube.nodes import Node
from app.kube.quantity import parse
from app.kube.resources import amounts, pod_requests

FAR = 4
"""A limit of so many times the request: where such pods fill a node by their requests, it holds a quarter of what
they may use. Kubernetes itself knows no such bound."""


def _each(subject: Subject) -> Iterator[tuple[Made, Part]]:
    return ((made, part) for made in subject.made for part in _own_memory(made))


def _own_memory(made: Made) -> tuple[Part, ...]:
    """Containers that run on, of a pod whose memory is not asked for as a whole."""
    whole = made.pod.spec.resources
    return () if "memory" in whole.requests or "memory" in whole.limits else made.lasting


def best_effort(subject: Subject) -> Iterator[Found]:
    """No request and no limit of CPU and memory in any container: class BestEffort (ComputePodQOS), which the kernel
    kills first (oom_score_adj 1000) and whose memory all counts as excess in an eviction.
    """
    for made in subject.made:
        if made.qos == "BestEffort":
            yield found(made, made.at("containers", 0, "resources"), container=made.pod.spec.containers[0].name)


def no_memory_request(subject: Subject) -> Iterator[Found]:
    """The scheduler counts a missing request as 0 (PodRequests), so the node may be promised in full to others; in an
    eviction whatever such a container uses is excess (rankMemoryPressure).
    """
    for made, part in _each(subject):
        if made.qos != "BestEffort" and not _memory(part, "requests"):
            yield found(made, (*part.path, "resources", "requests"), container=part.row.name)


def memory_in_thousandths(subject: Subject) -> Iterator[Found]:
    """Memory and disk are counted in whole bytes; `64m` is 0.064 of one, and the API server warns of it
    (fractional byte value, pkg/api/pod/warnings.go).
    """
    parts = [(made, part) for made in subject.made for part in made.parts]
    for made, part in parts:
        limits, requests = part.row.resources.limits, part.row.resources.requests
        # A limit that was copied into the request is one mistake.
        asked = {name: text for name, text in requests.items() if text != limits.get(name)}
        for kind, texts in (("limits", limits), ("requests", asked)):
            for name in IN_BYTES:
                if name in texts and parse(texts[name]).denominator != 1:
                    path = (*part.path, "resources", kind, name)
                    words = {"amount": texts[name], "meant": f"{texts[name].rstrip('mun')}Mi"}
                    yield found(made, path, container=part.row.name, kind=kind, name=name, **words)


def memory_limit_without_request(subject: Subject) -> Iterator[Found]:
    """A limit without a request becomes the request, too (SetDefaults_Pod in pkg/apis/core/v1/defaults.go): the
    scheduler sets all of it aside.
    """
    for made in subject.made:
        template = template_of(made.owner)
        rows = (*template.spec.containers, *template.spec.initContainers) if template is not None else ()
        # As it is written: in what is stored the request is there.
        written = {row.name: row.resources for row in rows}
        for part in _own_memory(made):
            asked = written[part.row.name]
            if "memory" in asked.limits and "memory" not in asked.requests:
                yield found(made, (*part.path, "resources"), container=part.row.name, limit=asked.limits["memory"])


def no_memory_limit(subject: Subject) -> Iterator[Found]:
    """Without a limit the container's cgroup has none (memory.max of cgroup v2): a leak ends only when the node runs
    out, and then the kubelet or the kernel chooses among all pods.
    """
    for made, part in _each(subject):
        if made.qos != "BestEffort" and not _memory(part, "limits"):
            yield found(made, (*part.path, "resources", "limits"), container=part.row.name)


def limit_far_over_request(subject: Subject) -> Iterator[Found]:
    """The scheduler fills nodes by requests alone (NodeResourcesFit), limits may add up to any multiple of them; a
    pod above its request is among the first to be evicted (rankMemoryPressure).
    """
    for made, part in _each(subject):
        request, limit = _memory(part, "requests"), _memory(part, "limits")
        if request and limit >= FAR * request:
            values = {"request": amount("memory", request), "limit": amount("memory", limit)}
            path = (*part.path, "resources", "limits", "memory")
            yield found(made, path, container=part.row.name, **values, times=limit // request)


def _memory(part: Part, kind: str) -> int:
    return amounts(getattr(part.row.resources, kind)).get("memory", 0)


def request_over_nodes(subject: Subject) -> Iterator[Found]:
    """A pod fits a node only if its requests are at most what is allocatable there (NodeResourcesFit); one that fits
    no node stays Pending. Only where the manifests hold Nodes.
    """
    nodes = [row for row in subject.of(Node) if row.status.allocatable]
    for made in subject.made:
        asked = pod_requests(made.pod.spec)
        fits = any(_fits(asked, node) for node in nodes)
        if nodes and not fits and any(asked.values()):
            yield found(made, made.at("containers", 0, "resources", "requests"), asked=together(asked))


def _fits(asked: dict[str, int], node: Node) -> bool:
    free = amounts(node.status.allocatable)
    return all(whole <= free.get(name, 0) for name, whole in asked.items())
