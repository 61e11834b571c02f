"""Answers for an API server that cannot be reached, controllers that are away, and leaders that cannot renew."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from tests.real_cases.reading import Answer, Json, Report, name

# What the processes log at these moments.
LOGS = {
    "master-disruption-entered": "Controller detected that all Nodes are not-Ready. Entering master disruption mode.",
    "leader-lost": "leader election lost",
}


def logged(walk: Report) -> str:
    return "\n".join(LOGS[row["moment"]] for row in walk.steps if row["moment"] in LOGS)


# api-01: who is cut off from whom. The second walk ends at 100 s, in the middle of it.


def unknown_at(walk: Report) -> float:
    """When the last of the six nodes was given up; the first one not before 40 s."""
    times = walk.times("node-unknown")
    assert len(times) == 6
    assert min(times) >= 40
    return max(times)


def endpoints(walk: Report, service: str) -> list[Json]:
    """Addresses that are ready at the end."""
    slices = walk.objects("EndpointSlice", service)
    return [row for found in slices for row in found.get("endpoints", ()) if row["conditions"].get("ready")]


def success(walk: Report, service: str) -> float:
    """The share of nodes whose rules lead anywhere at the end."""
    rows = [row for row in walk.steps if row["moment"] == "rules-changed" and name(row) == service]
    last = {row["node"]: row["reason"] for row in rows}
    nodes = [str(row["metadata"]["name"]) for row in walk.objects("Node")]
    return float(sum(last.get(node) != "NoEndpoints" for node in nodes)) / len(nodes)


def running(walk: Report, begins: str) -> int:
    """Containers that run at the end and have not been started anew."""
    rows = [part for pod in walk.objects("Pod", begins) for part in pod["status"]["containerStatuses"]]
    return sum("running" in row["state"] and row["restartCount"] == 0 for row in rows)


def restart_counts(walk: Report) -> int:
    rows = [part for pod in walk.objects("Pod") for part in pod["status"]["containerStatuses"]]
    return sum(row["restartCount"] for row in rows)


def tainted(walk: Report) -> int:
    return len({row["object"] for row, _ in walk.changes("Node") if row["moment"] == "no-execute-added"})


def endpoints_back(walk: Report) -> float | None:
    """When the Service had a ready endpoint again after it had none."""
    rows = [row for row in walk.steps if row["object"].startswith("endpointslice/shop")]
    return next((row["at"] for row in rows if row["at"] > 100 and row["moment"] == "endpoint-ready"), None)


def changed(walk: Report) -> bool:
    rows = [(row["at"], change["object"]) for row, change in walk.changes("EndpointSlice")]
    return any(at < 900 and slice_.startswith("endpointslice/shop") for at, slice_ in rows)


def stays_in_rules(walk: Report) -> bool:
    """Whether no rule was changed although a machine died at 100 s, for minutes."""
    died = walk.at("you-power-off")
    return died is not None and not [row for row in walk.steps if row["moment"] == "rules-changed" and row["at"] > died]


CLIFF: dict[str, Answer] = {
    "nodes_unknown_at_s": unknown_at,
    "endpoints_ready_after": lambda walk: len(endpoints(walk.others[0], "shop")),
    "service_success_rate_after": lambda walk: success(walk.others[0], "shop"),
    "dns_works": lambda walk: bool(endpoints(walk.others[0], "kube-dns")),
    "containers_running": lambda walk: running(walk, "shop"),
    "restarts": restart_counts,
    "pods_evicted": lambda walk: len(walk.times("taint-eviction")),
    "nodes_with_NoExecute": tainted,
    "log_contains": logged,
    "endpoints_back_at_s": endpoints_back,
    "endpoints_change": changed,
    "service_success_rate": lambda walk: float(walk.fact("requests-failed") == 0),
    "new_pods": lambda walk: len(walk.created()),
    "crashed_containers_restarted_by_kubelet": lambda walk: restart_counts(walk.others[0]) == 1,
    "dead_pod_addresses_stay_in_rules": lambda walk: stays_in_rules(walk.others[1]),
}

# api-03: controllers that are away for a night. A walk begins at noon, the case at 22:00.

LATER = timedelta(hours=10)
BEGINS = datetime.fromisoformat("2026-01-01T22:00:00+00:00")
BACK = 8 * 3600 + 30
SOON = 28
"""Seconds after the return in which what was missed is made up: the next full minute is 30 s away."""
SCHEDULED_FOR = "metadata.annotations.cronjob-scheduled-timestamp"


def made(walk: Report) -> list[tuple[float, datetime]]:
    """When each Job was made, and for which time on the case's clock."""
    rows = [(row["at"], change["after"]) for row, change in walk.changes("Job") if change["path"] == SCHEDULED_FOR]
    return [(at, datetime.fromisoformat(due) + LATER) for at, due in rows if due]


def caught_up(walk: Report) -> list[datetime]:
    return [due for at, due in made(walk) if BACK <= at <= BACK + SOON]


def next_at(walk: Report) -> str:
    """The first run that comes by itself."""
    due = next((due for at, due in made(walk) if at > BACK + SOON), None)
    if due is None:
        return "never"
    today = (BEGINS + timedelta(seconds=BACK)).date()
    return f"{due:%H:%M:%S}" if due.date() == today else f"{due:%H:%M} next day"


def warned(walk: Report) -> str:
    rows = [row for row in walk.events() if row["object"].startswith("cronjob/") and row["type"] == "Warning"]
    return ", ".join(dict.fromkeys(f"{row['reason']} ({row['type']})" for row in rows))


def for_time(walk: Report) -> str:
    return ", ".join(f"{due:%H:%M:%S}" for due in caught_up(walk))


NIGHT: dict[str, Answer] = {
    "jobs_created_on_recovery": lambda walk: len(caught_up(walk)),
    "for_schedule_time": for_time,
    "next_at": next_at,
    "event": warned,
    "stays_scheduled": lambda walk: next_at(walk) != "never",
}

# api-05: leaders that cannot renew.

MANAGER = "controller-manager-election"


def leader_at(walk: Report, loop: str = MANAGER) -> float | None:
    return next((row["at"] for row in walk.verbs("acquire", loop)), None)


def leads_again(walk: Report) -> float | None:
    return walk.at("app-serving", "operator")


def restarted_by(walk: Report) -> str:
    row = next(row for row in walk.verbs("start-container"))
    away = row["at"] < (walk.at("api-server-back") or 0)
    return f"{row['from'].partition(' ')[0]}, {'without' if away else 'with'} the API server"


def alike(walk: Report) -> bool:
    """Whether controllers and scheduler exit within the same seconds as the operator, and lead again."""
    for loop in (MANAGER, "scheduler-election"):
        exits = [row["at"] for row in walk.verbs("exit", loop)]
        if len(exits) != 1 or not 8 <= exits[0] <= 13 or leader_at(walk, loop) is None:
            return False
    return True


LEADING: dict[str, Answer] = {
    "first_exit_at_s": lambda walk: walk.at("process-exited", "operator"),
    "log_contains": logged,
    "restarts": restart_counts,
    "leading_again_at_s": leads_again,
    "takeover_after_s": leader_at,
    "restart_done_by": restarted_by,
    "same_behaviour": alike,
}

ANSWERS: dict[str, dict[str, Any]] = {"api-01": CLIFF, "api-03": NIGHT, "api-05": LEADING}
