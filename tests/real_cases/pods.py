"""Answers for probes, and for machines that run short."""

from __future__ import annotations

import re
from typing import Any

from tests.real_cases.reading import Answer, Json, Report, name


def first_of_each(walk: Report, moment: str) -> list[float]:
    """When it first happened to each pod."""
    found: dict[str, float] = {}
    for row in walk.steps:
        if row["moment"] == moment:
            found.setdefault(row["object"], row["at"])
    return list(found.values())


def restarts(walk: Report) -> int | str:
    """Of each pod, where it is the same of all."""
    rows = [row["status"].get("containerStatuses", ()) for row in walk.objects("Pod")]
    found = sorted({sum(part["restartCount"] for part in row) for row in rows})
    return found[0] if len(found) == 1 else f"between {found[0]} and {found[-1]}"


def decided_by_phase(walk: Report) -> int | str:
    """Where the outage ends between the least and the most that a detection takes, the phase of a probe decides."""
    row = next((row for row in walk.found["facts"] if row["id"] == "time-to-detect"), None)
    away = walk.at("dependency-up")
    if row is None or away is None or not row["least"] < away < row["most"]:
        return restarts(walk)
    return "0 or 1, depending on probe phase"


def rests(walk: Report) -> int | str:
    return decided_by_phase(walk) if "facts" in walk.found else restarts(walk)


def messages(walk: Report, begins: str = "") -> str:
    return "\n".join(row["message"] for row in walk.events() if row["message"].startswith(begins))


def ready_at_outage(walk: Report) -> int:
    """How few endpoints were ready before the program was well again, by the last word on each."""
    until = walk.at("dependency-up") or 0
    rows = [change for row, change in walk.changes("EndpointSlice") if row["at"] < until]
    last = {row["path"]: str(row["after"]) for row in rows if row["path"].startswith("endpoints[")}
    return sum("ready=true" in text for text in last.values())


DATABASE: dict[str, Answer] = {
    "each_unready_at_s": lambda walk: first_of_each(walk, "readiness-failed"),
    "ready_endpoints": ready_at_outage,
    "each_killed_at_s": lambda walk: first_of_each(walk, "liveness-kill"),
    "restarts_per_pod": rests,
    "event_contains": messages,
    "message_contains": messages,
}


def killed_after_start(walk: Report) -> float | None:
    started, killed = walk.at("container-started"), walk.at("startup-kill")
    return None if started is None or killed is None else round(killed - started, 3)


def last_word(walk: Report) -> str:
    """What the container was last said to wait for."""
    told = [str(row["after"]) for _, row in walk.changes("Pod") if row["path"].endswith(".state")]
    words = [text.removeprefix("waiting ").partition(":")[0] for text in told if text.startswith("waiting ")]
    return words[-1]


def probes_sent(walk: Report, kind: str) -> int:
    """A program that does not listen yet would have failed every one of them, with an event."""
    return sum(row["count"] for row in walk.events("Unhealthy") if row["message"].startswith(kind))


def budget(walk: Report) -> Json:
    """What `inspect` computes of the time to start in."""
    found: Json = walk.found["workloads"][0]["containers"][0]["startup"]
    return found


def starts(walk: Report) -> int | str:
    """How often it is started again; of a start that takes as long as the budget `inspect` says that it is at risk."""
    if "workloads" not in walk.found:
        return restarts(walk)
    says = next((row["says"] for row in walk.found["findings"] if row["rule"].startswith("startup")), "")
    takes = float((re.search(r"takes (\d+)s to start", says) or ["", "0"])[1])
    inside = budget(walk)["least"] <= takes <= budget(walk)["most"]
    return "0 or more, depends on tick phase; tool must say 'at risk'" if inside else "it is not at risk"


def ready_after_start(walk: Report) -> float | None:
    started, passed = walk.at("container-started"), walk.at("readiness-passed")
    return None if started is None or passed is None else round(passed - started, 3)


STARTS: dict[str, Answer] = {
    "kill_after_start_s": killed_after_start,
    "message_contains": messages,
    "ever_ready": lambda walk: bool(walk.times("pod-ready")),
    "ends_in": last_word,
    "liveness_probes_sent": lambda walk: probes_sent(walk, "Liveness"),
    "readiness_probes_sent": lambda walk: probes_sent(walk, "Readiness"),
    "restarts": starts,
    "guaranteed_budget_s": lambda walk: budget(walk.others[0])["least"],
    "ready_at_s": ready_after_start,
}


def evicted(walk: Report) -> list[str]:
    return [name(row) for row in walk.steps if row["moment"] == "pod-evicted"]


def rank(walk: Report) -> list[str]:
    """Who would go first, as the kubelet's ranking stood when it looked."""
    return [row["pod"].removeprefix("pod/") for row in walk.found["orders"][0]["evictees"]]


def pod(walk: Report, begins: str) -> Json:
    return walk.objects("Pod", begins)[0]


def gone(walk: Report) -> Json:
    """What is left in the API of the first pod that was evicted."""
    first = evicted(walk)
    found: Json = pod(walk, first[0])["status"] if first else {}
    return found


def grace(walk: Report) -> float:
    text: str = next(row["outcome"] for row in walk.steps if row["moment"] == "pod-evicted")
    return float(text.removeprefix("grace ").removesuffix(" s"))


def cleared_after(walk: Report) -> float:
    relief, cleared = walk.at("signal-recovered"), walk.at("node-untainted")
    assert relief is not None
    assert cleared is not None
    return round(cleared - relief, 3)


def tainted(walk: Report) -> str:
    paths = (str(change["path"]) for row, change in walk.changes("Node") if row["moment"] == "node-tainted")
    return next(paths).removeprefix("spec.taints[").removesuffix("]")


def mechanism(walk: Report) -> str:
    """What ended the first program that had to go."""
    names = {
        "pod-evicted": "kubelet eviction",
        "node-oom": "kernel OOM, node-wide",
        "oom-killed": "cgroup OOM",
    }
    found: str = next((names[row["moment"]] for row in walk.steps if row["moment"] in names), "nothing")
    return found


def before_the_kubelet(words: str) -> Answer:
    """Of a spike the case says what is likely; the walk shows it."""
    return lambda walk: words if mechanism(walk) == "kernel OOM, node-wide" else mechanism(walk)


def killed(walk: Report) -> str:
    return next((name(row) for row in walk.steps if row["moment"] in ("node-oom", "oom-killed")), "nobody")


def ended(walk: Report, field: str) -> Any:
    """What the status of the first container that was killed says of its end."""
    (row, *_) = pod(walk, killed(walk))["status"]["containerStatuses"]
    found = row.get("lastState", {}).get("terminated") or row["state"].get("terminated") or {}
    return found.get(field)


PRESSED: dict[str, Answer] = {
    "eviction_rank": rank,
    "evicted": evicted,
    "phase": lambda walk: gone(walk)["phase"],
    "reason": lambda walk: gone(walk)["reason"],
    "message_contains": lambda walk: gone(walk)["message"],
    "grace_s": grace,
    "recreated": lambda walk: bool(walk.created()),
    "condition": lambda walk: next(row["reason"] for row in walk.steps if row["moment"] == "pressure-reported"),
    "taint": tainted,
    "cleared_after_relief_s": cleared_after,
    "mechanism": before_the_kubelet("kernel OOM kill likely before the kubelet acts"),
    "first_victim": killed,
}
KERNEL: dict[str, Answer] = {
    "mechanism": mechanism,
    "first_victim": killed,
    "victim": killed,
    "container_reason": lambda walk: ended(walk, "reason"),
    "exit_code": lambda walk: ended(walk, "exitCode"),
    "pod_phase": lambda walk: pod(walk, killed(walk))["status"]["phase"],
    "restarted_in_place": lambda walk: pod(walk, killed(walk))["status"]["containerStatuses"][0]["restartCount"] > 0,
    "condition_MemoryPressure": lambda walk: bool(walk.times("pressure-reported")),
    "evicted": evicted,
    "oom_score_adj": lambda walk: {
        row["object"].removeprefix("pod/"): row["containers"][0]["oom_score_adj"] for row in walk.found["workloads"]
    },
    "eviction_rank": rank,
    "first_evicted": lambda walk: evicted(walk)[0],
    "others_killed": lambda walk: sorted({name(row) for row in walk.verbs("oom-kill")} - {"hog"}),
}
SPIKED = KERNEL | {"mechanism": before_the_kubelet("kernel OOM possible before the next 10 s check")}


FILLS = 1024 / 20
"""Seconds in which the client writes 1 GiB."""


def upload_failed(walk: Report) -> bool:
    """The program ended before its client had written 3 GiB."""
    end = walk.at("process-exited")
    return end is not None and end < 3 * FILLS


def lost(walk: Report) -> bool:
    """Whether the new pod begins with nothing: it may write as much as the first one before it goes the same way."""
    first, second = walk.times("pod-evicted")[:2]
    return bool(walk.created()) and second - first > FILLS


def memory_limit(walk: Report) -> str:
    text: str = next(row["reason"] for row in walk.steps if row["moment"] == "oom-killed")
    return text.rpartition(": ")[2]


SPOOLED: dict[str, Answer] = {
    "phase": lambda walk: gone(walk)["phase"],
    "reason": lambda walk: gone(walk)["reason"] if evicted(walk) else ended(walk, "reason"),
    "message_contains": lambda walk: gone(walk)["message"],
    "at_s": lambda walk: walk.at("pod-evicted"),
    "grace_s": grace,
    "OOMKilled": lambda walk: bool(walk.times("oom-killed")),
    "node_DiskPressure": lambda walk: bool(walk.times("pressure-reported")),
    "new_pod_created": lambda walk: bool(walk.created()),
    "restart_count_of_old": lambda walk: gone(walk)["containerStatuses"][0]["restartCount"],
    "spool_content_lost": lost,
    "inflight_upload_failed": upload_failed,
    "mechanism": mechanism,
    "at_usage": memory_limit,
    "evicted": lambda walk: bool(evicted(walk)),
}

ANSWERS: dict[str, dict[str, Any]] = {
    "probe-01": DATABASE,
    "probe-03": STARTS,
    "press-01": PRESSED,
    "press-03": KERNEL,
    "press-05": SPOOLED,
}
