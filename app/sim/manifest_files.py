"""Manifests on a machine's own disk, which its kubelet runs without the API server: static pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from app.kube.meta import Ref
from app.kube.pods import Pod
from app.kube.static_pods import as_static, forbidden
from app.sim.draft import Draft
from app.sim.host import Host
from app.sim.intervention import Intervention
from app.sim.references import parse_ref

if TYPE_CHECKING:
    from app.sim.engine import Model


def write(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """Put the pods of a manifest into the folder that a kubelet watches."""
    ref = parse_ref(intervention.args[0])
    host = draft.hosts.get(ref.name)
    if host is None:
        return ref, "not found"
    given = draft.manifests.get(intervention.args[1].removeprefix("m:"), ())
    pods = [obj for obj in given if isinstance(obj, Pod)]
    refused = next((fault for pod in pods if (fault := forbidden(pod))), "")
    if refused or not pods:
        return ref, refused or "no pod in it"
    model.change_host(draft, with_files(host, pods))
    return ref, "written"


def remove(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """Take a pod's manifest away, by the name that stands in it."""
    ref = parse_ref(intervention.args[0])
    host = draft.hosts.get(ref.name)
    if host is None:
        return ref, "not found"
    name = f"{intervention.args[1]}-{host.node.lower()}"
    kept = tuple(pod for pod in host.static if pod.metadata.name != name)
    if len(kept) == len(host.static):
        return ref, "no such manifest"
    model.change_host(draft, replace(host, static=kept))
    return ref, "removed"


def with_files(host: Host, pods: list[Pod]) -> Host:
    """The machine with these manifests; one of the same name is written over."""
    new = {pod.ref: pod for pod in (as_static(pod, host.node) for pod in pods)}
    kept = {pod.ref: pod for pod in host.static} | new
    return replace(host, static=tuple(kept[ref] for ref in sorted(kept)))
