"""Cases of the flow `rollout`: an image that is not there, no room for one more, an ingress that polls."""

from __future__ import annotations

from typing import Any

import yaml

from app.kube import rollout
from app.kube.backoff import IMAGE_PULL
from app.kube.durations import format as written
from app.kube.meta import condition
from app.kube.pods import Pod
from app.kube.workloads import Deployment
from app.sim.host import HostPod
from app.sim.world import World
from app.story.play import Play, output, play, request
from app.story.stretches import stretches
from tests.real_cases.asking import Answer, Real, fact, moment_at
from tests.real_cases.clusters import Documents, named, text

NEW = "registry.example/web:1.5"
"""The image that the flow rolls out, whatever the manifest's own is called."""


def rolled(found: Documents, settings: dict[str, str], until: str) -> Play:
    return play(request("rollout", manifest=text(found), settings=tuple(settings.items()), until=until))


def with_service(found: Documents) -> Documents:
    """Clients need an address."""
    labels = named(found, "Deployment")["spec"]["selector"]["matchLabels"]
    name = named(found, "Deployment")["metadata"]["name"]
    spec = {"selector": labels, "ports": [{"port": 80}]}
    return [*found, {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}]


def start_01(case: dict[str, Any]) -> Real:
    """A tag that does not exist."""

    def run(_: dict[str, Any]) -> Play:
        found = with_service(list(yaml.safe_load_all(case["manifests"])))
        load = {"rate": str(case["settings"]["client_load"]["rps"])}
        return rolled(found, {"new_image": "not-found", **load}, "3m")

    return Real(run, ANSWERS)


def start_03(case: dict[str, Any]) -> Real:
    """Full machines: what others request stands for itself in pods."""

    def run(given: dict[str, Any]) -> Play:
        (workload,) = yaml.safe_load_all(case["manifests"])
        spec = workload["spec"]
        if "podAntiAffinity" in given:
            term = {"labelSelector": spec["selector"], "topologyKey": "kubernetes.io/hostname"}
            rule = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
            spec["replicas"], spec["template"]["spec"]["affinity"] = given["replicas"], rule
            nodes = [machine(f"n{number}", "4Gi") for number in range(1, given["nodes"] + 1)]
            return rolled(with_service([*nodes, workload]), {}, "11m")
        rows = case["settings"]["nodes"]
        nodes = [machine(row["name"], row["memory_allocatable"]) for row in rows]
        others = [other(row["name"], row["memory_requested_by_others"]) for row in rows]
        asked = given.get("strategy", {})
        names = {"maxSurge": "max_surge", "maxUnavailable": "max_unavailable"}
        settings = {names[key]: str(value) for key, value in asked.items()}
        return rolled(with_service([*nodes, workload, *others]), {"prestop": "0s", **settings}, "11m")

    return Real(run, ANSWERS)


def machine(name: str, memory: str) -> dict[str, Any]:
    status = {"allocatable": {"cpu": "4", "memory": memory, "pods": "110"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}


def other(node: str, memory: str) -> dict[str, Any]:
    container = {"name": "other", "image": "other:1", "resources": {"requests": {"memory": memory}}}
    spec = {"nodeName": node, "containers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"other-{node}"}, "spec": spec}


def term_01(case: dict[str, Any]) -> Real:
    """An ingress that polls, at the worst moment: it reads just before each walk's first old pod leaves the slice."""

    def run(given: dict[str, Any]) -> Play:
        network, load = case["settings"]["network"] | given, case["settings"]["client_load"]
        ends = case["settings"]["app"]["web"]["sigterm"]["exit_after_s"]
        refresh = network["route_refresh_s"]
        settings = {
            "path": "ingress",
            "route_refresh": f"{refresh}s",
            "retries": str(network["upstream_retries"]),
            "rate": str(load["rps"]),
            "request_duration": f"{load['request_duration_ms']}ms",
            "on_sigterm": f"exit={round(ends * 1000)}ms",
            "prestop": f"{given.get('preStop_sleep_s', 0)}s",
        }
        manifest = list(yaml.safe_load_all(case["manifests"]))
        spec = manifest[0]["spec"]["template"]["spec"]["containers"][0]
        if given.get("preStop_sleep_s"):
            spec["lifecycle"] = {"preStop": {"exec": {"command": ["sleep", str(given["preStop_sleep_s"])]}}}
        leaves = moment_at(rolled(manifest, settings, "2m"), "endpoint-terminating")
        assert leaves is not None
        just_before = int(leaves * 10) * 100 % (refresh * 1000)
        return rolled(manifest, {**settings, "route_offset": written(just_before)}, "2m")

    return Real(run, ANSWERS)


def windows(walk: Play) -> list[float]:
    """For how long requests were sent to each pod in vain."""

    def failing(world: World) -> list[str]:
        return [route.address for route, row in world.ledger.failing.items() if row.weight]

    return [row.lasted / 1000 for row in stretches(walk.walk, failing)]


def per_pod(walk: Play) -> float:
    return max(windows(walk), default=0.0)


def error_kind(walk: Play) -> str:
    kinds = {tally.kind for tally in walk.walk.world.ledger.spent}
    return "connection refused / no route -> 5xx from the ingress" if kinds <= {"refused", "unanswered"} else str(kinds)


def deployment(walk: Play) -> Deployment:
    return next(row for row in walk.walk.world.etcd.find("Deployment") if isinstance(row, Deployment))


def progressing(walk: Play) -> str:
    row = condition(deployment(walk).status.conditions, "Progressing")
    return f"Progressing={row.status}" if row else ""


def reason(walk: Play) -> str:
    row = condition(deployment(walk).status.conditions, "Progressing")
    return row.reason if row else ""


def is_new(pod: Pod) -> bool:
    return any(row.image == NEW for row in pod.spec.containers)


def new_pod(walk: Play) -> Pod:
    return next(row for row in walk.walk.world.etcd.find("Pod") if isinstance(row, Pod) and is_new(row))


def waiting_reasons(walk: Play) -> list[str]:
    """What new pods were said to wait for, in the order in which it was first said, once they were to be started."""
    written_pods = [commit.after for row in walk.walk.records for commit in row.step.commits]
    pods = [row for row in written_pods if isinstance(row, Pod) and is_new(row)]
    states = [status.state.waiting for pod in pods for status in pod.status.containerStatuses]
    words = dict.fromkeys(state.reason for state in states if state is not None)
    return [word for word in words if word != "ContainerCreating"]


def restarts(walk: Play) -> int:
    return sum(row.restartCount for row in new_pod(walk).status.containerStatuses)


def pulls(walk: Play) -> int:
    asked = [row for row in walk.walk.records if row.step.verb == "pull-image"]
    return sum(row.step.at <= 120_000 for row in asked)


def ready_old(walk: Play) -> int:
    rows = [row for row in walk.walk.world.etcd.find("Pod") if isinstance(row, Pod)]
    return sum(row.ready and not is_new(row) and row.metadata.controller is not None for row in rows)


def refusal(walk: Play) -> str:
    row = condition(new_pod(walk).status.conditions, "PodScheduled")
    return row.message if row else ""


def said(walk: Play) -> str:
    return "\n".join(line.text for _, _, line in output(walk, len(walk.steps)))


def ended(walk: Play) -> bool:
    """Whether an old pod of the Deployment was deleted."""
    return any(row.step.moment == "surplus-pod-deleted" for row in walk.walk.records)


def downtime(walk: Play) -> str:
    """Nobody serves from the end of the old program to the start of the new one, and no longer."""
    none = [row for row in stretches(walk.walk, _nobody) if row.lasted]
    return "old termination + new startup" if len(none) == 1 else f"{len(none)} times"


def _nobody(world: World) -> list[str]:
    pods: list[HostPod] = [pod for _, host in world.hosts.items() for _, pod in host.pods.items()]
    serves = any(pod.serves for pod in pods if not pod.ref.name.startswith("other"))
    return [] if serves else ["nobody"]


def at(walk: Play) -> float | None:
    return moment_at(walk, "progress-deadline-exceeded")


ANSWERS: dict[str, Answer] = {
    "condition": progressing,
    "reason": reason,
    "at_s": at,
    "new_pod_phase": lambda walk: new_pod(walk).status.phase,
    "new_pod_waiting_reasons": waiting_reasons,
    "new_pod_restarts": restarts,
    "pull_attempts_in_first_120s": pulls,
    "backoff_s": lambda _: [min(IMAGE_PULL.initial * 2**step, IMAGE_PULL.most) // 1000 for step in range(6)],
    "old_ready_pods": ready_old,
    "requests_dropped": lambda walk: fact("requests-failed")(walk) + fact("requests-cut")(walk),
    "auto_rollback": lambda walk: not is_new(new_pod(walk)),
    "kubectl_rollout_status_exit": fact("rollout-exit"),
    "message_contains": lambda walk: said(walk) + refusal(walk),
    "maxSurge_resolved": lambda walk: rollout.max_surge(deployment(walk)),
    "maxUnavailable_resolved": lambda walk: rollout.max_unavailable(deployment(walk)),
    "old_pod_terminated": ended,
    "rollout_completes": lambda walk: fact("rollout-finished")(walk) is not None,
    "downtime": downtime,
    "rollout_drops_requests": lambda walk: (fact("requests-failed")(walk) or 0) > 0,
    "error_window_per_pod_s": per_pod,
    "worst_case_window_s": per_pod,
    "error_kind": error_kind,
    "failed_requests_total": fact("requests-failed"),
    "formula": lambda _: "pods * window * rps/ready_pods",
}
