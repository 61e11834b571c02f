"""Answers for images that are not there, no room for one more, an ingress that polls, and hooks that are too long."""

from __future__ import annotations

from typing import Any

from app.kube.backoff import IMAGE_PULL
from tests.real_cases.reading import Answer, Json, Report, name


def deployment(walk: Report) -> Json:
    return walk.objects("Deployment")[0]


def progressing(walk: Report) -> Json:
    rows = deployment(walk)["status"]["conditions"]
    found: Json = next(row for row in rows if row["type"] == "Progressing")
    return found


def new_pod(walk: Report) -> Json:
    """The first pod that the rollout made."""
    made = name(walk.created()[0])
    return next(row for row in walk.objects("Pod") if row["metadata"]["name"] == made)


def waiting_reasons(walk: Report) -> list[str]:
    """What new pods were said to wait for, in the order in which it was first said, once they were to be started."""
    told = [str(row["after"]) for _, row in walk.changes("Pod") if row["path"].endswith(".state")]
    words = [text.removeprefix("waiting ").partition(":")[0] for text in told if text.startswith("waiting ")]
    return [word for word in dict.fromkeys(words) if word != "ContainerCreating"]


def restarts(walk: Report) -> int:
    return sum(row["restartCount"] for row in new_pod(walk)["status"]["containerStatuses"])


def pulls(walk: Report) -> int:
    return sum(row["at"] <= 120 for row in walk.verbs("pull-image"))


def backoff(_: Report) -> list[int]:
    """Its pauses; the walk ends before the last of them."""
    return [min(IMAGE_PULL.initial * 2**step, IMAGE_PULL.most) // 1000 for step in range(6)]


def old_ready(walk: Report) -> int:
    made = {name(row) for row in walk.created()}
    pods = [row for row in walk.objects("Pod") if "ownerReferences" in row["metadata"]]
    return sum(ready(row) for row in pods if row["metadata"]["name"] not in made)


def ready(pod: Json) -> bool:
    rows = pod["status"].get("conditions", ())
    return any((row["type"], row["status"]) == ("Ready", "True") for row in rows)


def exit_code(walk: Report) -> int:
    return int("ProgressDeadlineExceeded" in [row["reason"] for row in walk.verbs("fail")])


def said(walk: Report) -> str:
    rows = walk.events("FailedScheduling")
    return "\n".join([walk.printed(), *(row["message"] for row in rows)])


def resolved(walk: Report, field: str) -> int | None:
    """In pods, as `inspect` computes it."""
    found = next(row for row in (walk, *walk.others) if "workloads" in row.found)
    value: int | None = found.found["workloads"][0]["rollout"][field]
    return value


def finished(walk: Report) -> bool:
    status = deployment(walk)["status"]
    wanted = deployment(walk)["spec"]["replicas"]
    return bool(status.get("updatedReplicas") == status.get("availableReplicas") == status["replicas"] == wanted)


def dropped(walk: Report) -> float:
    return float(walk.fact("requests-failed") + walk.fact("requests-cut"))


def downtime(walk: Report) -> str:
    """Nobody serves from the end of the old program to the start of the new one, and never else."""
    stops, serves = walk.times("process-exited", "portal"), walk.times("app-serving", "portal")
    once = len(stops) == len(serves) == 1 and stops[0] < serves[0]
    return "old termination + new startup" if once else f"ended {stops}, began {serves}"


def windows(walk: Report) -> float:
    """For how long, at most, the ingress sent to one pod in vain: until it read its list anew."""
    read = walk.times("front-refreshed")
    found = [next(at for at in read if at > since) - since for since in walk.times("request-refused")]
    return round(max(found, default=0.0), 3)


def error_kind(walk: Report) -> str:
    kinds = {row["outcome"] for row in walk.verbs("connect") if row["moment"].startswith("request-")}
    known = kinds - {"served"} <= {"refused", "unanswered"}
    return "connection refused / no route -> 5xx from the ingress" if known else ", ".join(sorted(kinds))


ROLLING: dict[str, Answer] = {
    "condition": lambda walk: f"Progressing={progressing(walk)['status']}",
    "reason": lambda walk: progressing(walk)["reason"],
    "at_s": lambda walk: walk.at("progress-deadline-exceeded"),
    "new_pod_phase": lambda walk: new_pod(walk)["status"]["phase"],
    "new_pod_waiting_reasons": waiting_reasons,
    "new_pod_restarts": restarts,
    "pull_attempts_in_first_120s": pulls,
    "backoff_s": backoff,
    "old_ready_pods": old_ready,
    "requests_dropped": dropped,
    "auto_rollback": lambda walk: "rolled back" in walk.printed() or finished(walk),
    "kubectl_rollout_status_exit": lambda walk: int(
        any(row["reason"] == "ProgressDeadlineExceeded" for row in walk.verbs("fail"))
    ),
    "message_contains": said,
    "maxSurge_resolved": lambda walk: resolved(walk, "max_surge"),
    "maxUnavailable_resolved": lambda walk: resolved(walk, "max_unavailable"),
    "old_pod_terminated": lambda walk: bool(walk.times("surplus-pod-deleted")),
    "rollout_completes": finished,
    "downtime": downtime,
    "rollout_drops_requests": lambda walk: walk.fact("requests-failed") > 0,
    "error_window_per_pod_s": windows,
    "worst_case_window_s": windows,
    "error_kind": error_kind,
    "failed_requests_total": lambda walk: walk.fact("requests-failed"),
}


def dead_at(walk: Report) -> float | None:
    return walk.at("process-exited") or walk.at("sigkill-sent")


def time_left(walk: Report) -> float:
    """From SIGTERM to SIGKILL."""
    term, kill = walk.at("sigterm-sent"), walk.at("sigkill-sent")
    assert term is not None
    assert kill is not None
    return kill - term


HOOKS: dict[str, Answer] = {
    "hook_completed": lambda walk: walk.at("prestop-done") is not None,
    "sigterm_at_s": lambda walk: walk.at("sigterm-sent"),
    "sigkill_at_s": lambda walk: walk.at("sigkill-sent"),
    "exit_code": lambda walk: walk.fact("exit-code"),
    "sigkilled": lambda walk: walk.fact("killed"),
    "container_dead_at_s": dead_at,
    "time_left_for_app_s": time_left,
}

ANSWERS: dict[str, dict[str, Any]] = {"start-01": ROLLING, "start-03": ROLLING, "term-01": ROLLING, "term-03": HOOKS}
