"""What kubectl prints of one pod's programs: its log, and that of the run before."""

from __future__ import annotations

from collections.abc import Sequence

from app.kube.annotations import behaviour
from app.kube.logs import Printed, logs
from app.kube.meta import Ref
from app.kube.pods import Pod
from app.sim.dialling import unreachable
from app.sim.world import World


def log_views(world: World, pods: Sequence[Pod], target: Ref) -> dict[str, str]:
    """By command: of the target, else of the first pod that was restarted; nothing where there is nothing to read."""
    told = [pod for pod in pods if _restarts(pod) or _says(pod)]
    pod = next((pod for pod in told if pod.ref == target), next((pod for pod in told if _restarts(pod)), None))
    if pod is None:
        return {}
    dial = unreachable(world, pod.spec.nodeName)
    name = pod.metadata.name
    found = {f"logs {name}": _text(logs(pod, dial=dial))}
    if _restarts(pod):
        found[f"logs {name} --previous"] = _text(logs(pod, previous=True, dial=dial))
    return found


def _restarts(pod: Pod) -> bool:
    return any(row.restartCount for row in (*pod.status.containerStatuses, *pod.status.initContainerStatuses))


def _says(pod: Pod) -> bool:
    return any(behaviour(pod.metadata.annotations, row.name).log for row in pod.spec.containers)


def _text(printed: Printed) -> str:
    return "\n".join(part for part in (printed.err, printed.out) if part)
