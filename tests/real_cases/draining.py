"""Cases of the flow `drain`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from app.kube.nodes import Node
from app.kube.pods import Pod
from app.kube.policy import PodDisruptionBudget
from app.story.play import Play, output, play, request
from tests.real_cases.asking import Answer, Real, fact
from tests.real_cases.clusters import Documents, behaves, documents, named, placed, short, text

CODES = {"too-many-requests": 429, "internal-error": 500, "forbidden": 403}
NAMES = ("agent", "dashboard", "kube-proxy-n1", "lonely", "queue", "small")
SECOND = "1s"


def drained(found: Documents, flags: list[str], timeout: int = 0) -> Play:
    """`kubectl drain n1` with flags."""
    on = {flag.removeprefix("--").replace("-", "_"): "true" for flag in flags}
    settings = {"ignore_daemonsets": "false", **on, "timeout": f"{timeout}s"}
    until = "3m" if timeout else "1m"
    return play(request("drain", manifest=text(found), settings=tuple(settings.items()), until=until))


def drain_01(case: dict[str, Any]) -> Real:
    """One pod, a budget that needs it."""

    def run(given: dict[str, Any]) -> Play:
        found = documents(case)
        workload, budget = named(found, "Deployment"), named(found, "PodDisruptionBudget")
        behaves(workload, startup=SECOND, on_sigterm="exit=1s")
        workload["spec"]["replicas"] = given.get("replicas", 1)
        budget["spec"] = {"selector": budget["spec"]["selector"], **given.get("pdb", {"minAvailable": 1})}
        flags = [*case["settings"]["drain"]["flags"], *given.get("drain", {}).get("flags", [])]
        walk = drained(found, flags, given.get("drain", {}).get("timeout_s", 0))
        assert placed(walk, "queue") == set(given.get("placement", case["settings"]["placement"]).values())
        return walk

    return Real(run, ANSWERS)


def drain_03(case: dict[str, Any]) -> Real:
    """Pods that drain does not send away without a flag."""

    def run(given: dict[str, Any]) -> Play:
        found = documents(case)
        named(found, "Pod", "lonely")["spec"]["nodeName"] = "n1"
        for kind, name in (("Deployment", "dashboard"), ("Pod", "lonely"), ("DaemonSet", "agent")):
            behaves(named(found, kind, name), on_sigterm="exit")
        for name in case["settings"]["static_pods"]:
            # The model's kubelet takes away a mirror of what it does not run.
            named(found, "Pod", name)["metadata"]["annotations"]["kubernetes.io/config.source"] = "file"
        # Where the case has its only pod; the scheduler is free to pick the other node.
        named(found, "Deployment")["spec"]["template"]["spec"]["nodeSelector"] = {"kubernetes.io/hostname": "n1"}
        return drained(found, given.get("flags", []))

    return Real(run, ANSWERS)


def drain_05(case: dict[str, Any]) -> Real:
    """Percentages of few pods."""

    def run(given: dict[str, Any]) -> Play:
        found = documents(case)
        workload, budget = named(found, "Deployment"), named(found, "PodDisruptionBudget")
        behaves(workload, startup="5s", on_sigterm="exit")
        workload["spec"]["replicas"] = given.get("replicas", 2)
        budget["spec"] = {"selector": budget["spec"]["selector"], **given.get("pdb", {"maxUnavailable": "1%"})}
        return drained(found, ["--ignore-daemonsets"])

    return Real(run, ANSWERS)


def budget_at_start(walk: Play) -> PodDisruptionBudget:
    return next(row for row in walk.walk.start.etcd.find("PodDisruptionBudget") if isinstance(row, PodDisruptionBudget))


def attempts(walk: Play) -> list[float]:
    return [row.step.at / 1000 for row in walk.walk.records if row.step.verb == "evict"]


def pause(walk: Play) -> int | None:
    """Between two attempts, if it is always the same."""
    found = {round(later - at) for at, later in pairwise(attempts(walk))}
    return found.pop() if len(found) == 1 else None


def outcome(walk: Play) -> str:
    if fact("drain-exit")(walk) == 0:
        return "drained"
    return "drain blocked forever" if walk.walk.stopped == "stuck" else "failed"


def evicted(walk: Play) -> list[str]:
    rows = [row for row in walk.walk.records if row.step.verb in ("evict", "delete") and row.step.outcome == "ok"]
    return short({row.step.object.name for row in rows if row.step.loop == "kubectl"}, NAMES)


def pods_on(walk: Play, node: str) -> list[Pod]:
    rows = [row for row in walk.walk.world.etcd.find("Pod") if isinstance(row, Pod)]
    return [row for row in rows if row.spec.nodeName == node]


def created(walk: Play) -> list[str]:
    commits = [commit for row in walk.walk.records for commit in row.step.commits]
    return [row.ref.name for row in commits if isinstance(row.after, Pod) and row.before is None]


def printed(walk: Play) -> str:
    return "\n".join(line.text for _, _, line in output(walk, len(walk.steps)))


def blocking_pod(walk: Play) -> str:
    held = [row.step.object.name for row in walk.walk.records if row.step.verb == "evict"]
    return held[-1] if held else ""


def lost_scratch_data(walk: Play) -> bool:
    gone = {row.metadata.uid for row in walk.walk.world.etcd.find("Pod")}
    pods = [row for row in walk.walk.start.etcd.find("Pod") if isinstance(row, Pod) and row.metadata.uid not in gone]
    return any(volume.emptyDir is not None for pod in pods for volume in pod.spec.volumes)


def status_code(walk: Play) -> int | None:
    words = [row.step.outcome.partition(":")[0] for row in walk.walk.records if row.step.verb == "evict"]
    return next((CODES[word] for word in words if word in CODES), None)


def closed(walk: Play) -> bool:
    nodes = [row for row in walk.walk.world.etcd.find("Node") if isinstance(row, Node)]
    return next(row.spec.unschedulable for row in nodes if row.metadata.name == "n1")


ANSWERS: dict[str, Answer] = {
    "outcome": outcome,
    "blocking_pod": blocking_pod,
    "disruptionsAllowed": lambda walk: budget_at_start(walk).status.disruptionsAllowed,
    "desiredHealthy": lambda walk: budget_at_start(walk).status.desiredHealthy,
    "http_status": status_code,
    "message_contains": printed,
    "errors_contain": printed,
    "retry_every_s": pause,
    "new_pods_created": lambda walk: len(created(walk)),
    "unschedulable": closed,
    "exit": fact("drain-exit"),
    "at_s": lambda walk: walk.walk.world.now / 1000,
    "pod_still_running": lambda walk: (
        all(not pod.terminating for pod in pods_on(walk, "n1")) and bool(pods_on(walk, "n1"))
    ),
    "drops_below": fact("fewest-ready"),
    "downtime": lambda walk: (fact("none-ready-for")(walk) or 0) > 0,
    "pdb_ignored": lambda walk: fact("refusals")(walk) == 0 and budget_at_start(walk).status.disruptionsAllowed == 0,
    "evicted": evicted,
    "left": lambda walk: short({pod.metadata.name for pod in pods_on(walk, "n1")}, NAMES),
    "mentions_kube_proxy": lambda walk: "kube-proxy" in printed(walk),
    "lonely_recreated": lambda walk: any(name.startswith("lonely") for name in created(walk)),
    "emptyDir_data_lost": lost_scratch_data,
}
