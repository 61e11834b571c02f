"""A program that ends by itself, once: nobody asked it to, and nothing else about its pod changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from app.kube.meta import Ref
from app.sim.draft import Draft
from app.sim.host import ContainerRun, HostPod
from app.sim.intervention import Intervention
from app.sim.maps import ordered
from app.sim.references import resolve

if TYPE_CHECKING:
    from app.sim.engine import Model


def crash(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """End a running container of a pod, its first one unless another is named."""
    ref = resolve(draft, intervention.args[0])
    code = int(intervention.option("code") or 1)
    for node in draft.nodes:
        host = draft.hosts[node]
        for uid, pod in ordered(host.pods):
            run = _meant(pod, intervention.option("container")) if host.power and pod.ref == ref else None
            if run is not None:
                runs = tuple(_ended(row, code, draft.now) if row is run else row for row in pod.containers)
                model.change_host(draft, replace(host, pods=host.pods.set(uid, replace(pod, containers=runs))))
                return ref, f"exit {code}"
    return ref, "not running"


def _meant(pod: HostPod, container: str) -> ContainerRun | None:
    found = [run for run in pod.containers if run.state == "running" and container in ("", run.name)]
    return next((run for run in found if run.role == "app"), found[0] if found else None)


def _ended(run: ContainerRun, code: int, now: int) -> ContainerRun:
    reason = "Error" if code else "Completed"
    ended = replace(run, state="exited", exit_code=code, finished=now, reason=reason)
    return replace(ended, serving=False, fails="", closing="")
