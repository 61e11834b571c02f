"""Cases of the flow `api-outage`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import yaml

from app.kube.batch import Job
from app.kube.cronjobs import SCHEDULED_FOR
from app.kube.meta import Ref
from app.kube.networking import EndpointSlice
from app.kube.nodes import Node
from app.kube.pods import Pod
from app.sim.loop import SERVER
from app.sim.served import failure
from app.sim.walk import Record
from app.sim.world import World
from app.story.events import newest
from app.story.play import Play
from tests.real_cases.asking import Answer, Real, fact
from tests.real_cases.clusters import Documents, behaves, by_hand, documents, named

DNS = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: coredns, namespace: kube-system}
spec:
  replicas: 2
  selector: {matchLabels: {k8s-app: kube-dns}}
  template:
    metadata: {labels: {k8s-app: kube-dns}}
    spec: {containers: [{name: coredns, image: "coredns:1", ports: [{containerPort: 53}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: kube-system}
spec: {selector: {k8s-app: kube-dns}, clusterIP: 10.96.0.10, ports: [{port: 53}]}
"""
# What the processes log at these moments.
LOGS = {
    "master-disruption-entered": "Controller detected that all Nodes are not-Ready. Entering master disruption mode.",
    "leader-lost": "leader election lost",
}

SHOP, NAMES = Ref("Service", "default", "shop"), Ref("Service", "kube-system", "kube-dns")


def walked(found: Documents, do: Sequence[str], until: str, settings: Mapping[str, str] | None = None) -> Play:
    return by_hand(found, do, until=until, flow="outage", settings=settings)


def logged(walk: Play) -> str:
    return "\n".join(LOGS[row.step.moment] for row in walk.steps if row.step.moment in LOGS)


def world_at(walk: Play, seconds: int) -> World:
    found = walk.walk.start
    for row in walk.walk.records:
        if row.step.at <= seconds * 1000:
            found = row.step.world
    return found


# api-01: who is cut off from whom.

REPAIR = 900
CUT = ("n1", "n2", "n3", "n4", "n5", "n6")


def api_01(case: dict[str, Any]) -> Real:
    """The way from the kubelets to the API server is broken for 15 minutes, or the API server is down for everybody."""

    def shop(lines: Sequence[str], until: str = "17m") -> Play:
        found = [*documents(case), *yaml.safe_load_all(DNS)]
        for name in ("shop", "coredns"):
            behaves(named(found, "Deployment", name), startup="0s", on_sigterm="exit")
        return walked(found, lines, until)

    def run(given: dict[str, Any]) -> Play:
        if given:
            return shop(DOWN)
        cut = [f"0s cut api-server kubelet/{name}" for name in CUT]
        return shop([*cut, *(f"{REPAIR}s restore api-server kubelet/{name}" for name in CUT)])

    broken = {
        "crashed_containers_restarted_by_kubelet": lambda _: restarted_alone(shop([*DOWN, "100s crash pod/shop-1"])),
        "dead_pod_addresses_stay_in_rules": lambda _: stays_in_rules(shop([DOWN[0], "100s power-off node/n1"], "10m")),
    }
    return Real(run, {**CLIFF, **broken})


DOWN = (f"0s stop {SERVER}", f"{REPAIR}s start {SERVER}")


def unknown_at(walk: Play) -> float | None:
    """When the last node was given up; the first one not before 40 s."""
    found = [row.step.at / 1000 for row in walk.steps if row.step.moment == "node-unknown"]
    assert len(found) == len(CUT)
    assert min(found) >= 40
    return max(found)


def endpoints(world: World, service: str) -> list[str]:
    """Addresses that are ready."""
    slices = [row for row in world.etcd.find(EndpointSlice.kind) if isinstance(row, EndpointSlice)]
    mine = [row for row in slices if row.metadata.labels.get("kubernetes.io/service-name") == service]
    return sorted(piece.addresses[0] for row in mine for piece in row.endpoints if piece.conditions.ready is not False)


def success(world: World, service: Ref) -> float:
    """The share of connections that are served, over all nodes."""
    serving = {
        pod.ip for host in world.hosts.values() for pod in host.pods.values() if pod.ip and not failure(host, pod)
    }
    shares = []
    for node in world.nodes:
        rules = world.hosts[node].proxy.rules.get(service)
        backends = rules.backends if rules else ()
        shares.append(sum(address in serving for address in backends) / len(backends) if backends else 0.0)
    return sum(shares) / len(shares)


def running(world: World, name: str) -> int:
    pods = [pod for host in world.hosts.values() for pod in host.pods.values() if pod.ref.name.startswith(name)]
    return sum(run.state == "running" for pod in pods for run in pod.containers)


def restart_counts(walk: Play) -> int:
    pods = [row for row in walk.walk.world.etcd.find(Pod.kind) if isinstance(row, Pod)]
    return sum(row.restartCount for pod in pods for row in pod.status.containerStatuses)


def tainted(walk: Play) -> int:
    """Nodes that ever had a NoExecute taint."""
    found = {
        commit.ref
        for row in walk.walk.records
        for commit in row.step.commits
        if isinstance(commit.after, Node) and any(taint.effect == "NoExecute" for taint in commit.after.spec.taints)
    }
    return len(found)


def endpoints_back(walk: Play) -> float | None:
    """When the Service had a ready endpoint again after it had none."""
    empty = False
    for row in walk.walk.records:
        there = (
            bool(endpoints(row.step.world, "shop"))
            if any(c.ref.kind == "EndpointSlice" for c in row.step.commits)
            else None
        )
        if there is False:
            empty = True
        elif there and empty:
            return row.step.at / 1000
    return None


def restarted_alone(walk: Play) -> bool:
    return bool(fact("local-restarts")(walk) == 1)


def stays_in_rules(walk: Play) -> bool:
    """Whether every other node's rules still lead to what died at 100 s, minutes later."""
    dead = {pod.ip for pod in walk.walk.start.hosts["n1"].pods.values() if pod.ref.name.startswith("shop")}
    end = walk.walk.world
    rules = [end.hosts[node].proxy.rules.get(SHOP) for node in end.nodes if node != "n1"]
    return bool(dead) and all(row is not None and dead <= set(row.backends) for row in rules)


CLIFF: dict[str, Answer] = {
    "nodes_unknown_at_s": unknown_at,
    "endpoints_ready_after": lambda walk: len(endpoints(world_at(walk, 100), "shop")),
    "service_success_rate_after": lambda walk: success(world_at(walk, 100), SHOP),
    "dns_works": lambda walk: success(world_at(walk, 100), NAMES) > 0,
    "containers_running": lambda walk: running(world_at(walk, REPAIR - 1), "shop"),
    "restarts": restart_counts,
    "pods_evicted": fact("taint-evictions"),
    "nodes_with_NoExecute": tainted,
    "log_contains": logged,
    "endpoints_back_at_s": endpoints_back,
    "endpoints_change": lambda walk: (
        endpoints(world_at(walk, REPAIR - 1), "shop") != endpoints(walk.walk.start, "shop")
    ),
    "service_success_rate": lambda walk: min(success(row.step.world, SHOP) for row in walk.walk.records),
    "new_pods": lambda walk: sum(row.step.verb == "create-pod" for row in walk.walk.records),
}


# api-03: controllers that are away for a night.

BEGINS = datetime(2026, 1, 1, 12, tzinfo=UTC)
"""A walk begins at noon, the case at 22:00."""
LATER = timedelta(hours=10)
BACK = 8 * 3600 + 30
SOON = 28
"""Seconds after the return in which what was missed is made up: the next full minute is 30 s away."""


def api_03(case: dict[str, Any]) -> Real:
    """kube-controller-manager is away from 22:00:00 to 06:00:30."""

    def run(given: dict[str, Any]) -> Play:
        found = documents({**case, "settings": {**case["settings"], "nodes": [{"name": "n1"}]}})
        tick = named(found, "CronJob")
        spec = tick["spec"]
        spec["schedule"] = _shifted(given.get("schedule", spec["schedule"]))
        spec |= {key: given[key] for key in ("startingDeadlineSeconds", "suspend") if key in given}
        behaves(
            {"kind": "Job", **spec["jobTemplate"]},
            startup="0s",
            exit=f"after {case['settings']['app']['main']['run_s']}s code 0",
        )
        lines = ["0s stop kube-controller-manager", f"{BACK}s start kube-controller-manager"]
        return walked(found, lines, "29h10m" if "startingDeadlineSeconds" in given else "8h3m")

    return Real(run, NIGHT)


def _shifted(schedule: str) -> str:
    """The same time of the case's day on the walk's clock."""
    minute, hour, *rest = schedule.split()
    return " ".join((minute, hour if hour == "*" else str((int(hour) - 10) % 24), *rest))


def _made(walk: Play) -> Iterator[tuple[float, datetime]]:
    """When each Job was made, and its time on the case's clock."""
    for row in walk.walk.records:
        for commit in row.step.commits:
            if isinstance(commit.after, Job) and commit.before is None:
                due = datetime.fromisoformat(commit.after.metadata.annotations[SCHEDULED_FOR])
                yield row.step.at / 1000, due + LATER


def caught_up(walk: Play) -> list[datetime]:
    return [due for at, due in _made(walk) if BACK <= at <= BACK + SOON]


def next_at(walk: Play) -> str:
    """The first run that comes by itself."""
    due = next((due for at, due in _made(walk) if at > BACK + SOON), None)
    if due is None:
        return "never"
    today = (BEGINS + LATER + timedelta(seconds=BACK)).date()
    return f"{due:%H:%M:%S}" if due.date() == today else f"{due:%H:%M} next day"


def warned(walk: Play) -> str:
    rows = [row for row in newest(walk.walk) if row.object.kind == "CronJob" and row.type == "Warning"]
    return ", ".join(dict.fromkeys(f"{row.reason} ({row.type})" for row in rows))


NIGHT: dict[str, Answer] = {
    "jobs_created_on_recovery": lambda walk: len(caught_up(walk)),
    "for_schedule_time": lambda walk: ", ".join(f"{due:%H:%M:%S}" for due in caught_up(walk)),
    "next_at": next_at,
    "event": warned,
    "stays_scheduled": lambda walk: next_at(walk) != "never",
}


# api-05: leaders that cannot renew.

MANAGER = "controller-manager-election"


def api_05(case: dict[str, Any]) -> Real:
    """The API server is away for 20 s, or as long as a check says; or the control plane's own leader is killed.

    The operator begins its work when it has seen the Lease of the one before unchanged for its duration, and a little.
    """
    usual = case["settings"]["app"]["manager"]["leader_election"]

    def run(given: dict[str, Any]) -> Play:
        found = documents({**case, "settings": {**case["settings"], "nodes": [{"name": "n1"}]}})
        elects = {**usual, **given.get("leader_election", {})}
        operator = named(found, "Deployment")
        operator["spec"]["template"].setdefault("metadata", {})["labels"] = {"app": "operator"}
        leads = f"renew={elects['renew_deadline_s']}s,start={usual['api_start_timeout_s']}s"
        behaves(operator, startup=f"{elects['lease_duration_s'] + 1}s", on_sigterm="exit", leader_election=leads)
        away = given.get("apiserver_down_s", case["settings"]["control_plane"]["apiserver_down_s"])
        lines = [f"0s stop {SERVER}", f"{away}s start {SERVER}"]
        if "fault" in given:
            lines = ["0s stop kube-controller-manager", "1500ms start kube-controller-manager"]
        settings = {"deadline": f"{elects['renew_deadline_s']}s", "lease": f"{elects['lease_duration_s']}s"}
        return walked(found, lines, "3m", settings)

    return Real(run, LEADING)


def _of_operator(walk: Play, verb: str) -> list[Record]:
    rows = [row for row in walk.walk.records if row.step.object.name.startswith("operator")]
    return [row for row in rows if row.step.verb == verb]


def first_exit(walk: Play) -> float | None:
    return next((row.step.at / 1000 for row in _of_operator(walk, "exit")), None)


def leads_again(walk: Play) -> float | None:
    return next((row.step.at / 1000 for row in _of_operator(walk, "serve")), None)


def restarted_by(walk: Play) -> str:
    row = _of_operator(walk, "start-container")[0]
    who = row.step.sender.partition(" ")[0]
    return f"{who}, {'without' if SERVER in row.step.before.down else 'with'} the API server"


def leader_at(walk: Play, loop: str = MANAGER) -> float | None:
    return next((row.step.at / 1000 for row in walk.steps if (row.step.loop, row.step.verb) == (loop, "acquire")), None)


def alike(walk: Play) -> bool:
    """Whether controllers and scheduler exit within the same seconds as the operator, are restarted, and lead again."""
    for loop in (MANAGER, "scheduler-election"):
        exits = [row.step.at / 1000 for row in walk.steps if (row.step.loop, row.step.verb) == (loop, "exit")]
        again = leader_at(walk, loop)
        if len(exits) != 1 or not 8 <= exits[0] <= 13 or again is None:
            return False
    return True


LEADING: dict[str, Answer] = {
    "first_exit_at_s": first_exit,
    "log_contains": logged,
    "restarts": restart_counts,
    "leading_again_at_s": leads_again,
    "takeover_after_s": leader_at,
    "restart_done_by": restarted_by,
    "same_behaviour": alike,
}
