"""Cases of the flow `cordon`."""

from __future__ import annotations

from typing import Any

from app.kube.meta import condition
from app.kube.pods import Pod
from app.story.play import Play, play, request
from tests.real_cases.asking import Answer, Real, fact
from tests.real_cases.clusters import behaves, by_hand, documents, named, placed, text

NEVER = (("uncordon_at", "1h"),)
BEFORE = 100
"""Seconds in which a machine of the cluster goes, so that it can come back as a new one."""


def cordon_01(case: dict[str, Any]) -> Real:
    """An ingress behind a load balancer, both of its nodes cordoned."""

    def run(_: dict[str, Any]) -> Play:
        found = documents(case)
        behaves(named(found, "Deployment"), on_sigterm="exit")
        for name in ("new-1", "new-2"):
            # They join later; until then nothing may land on them.
            named(found, "Node", name)["spec"] = {"unschedulable": True}
        do = [("do", "0s uncordon node/new-1 node/new-2"), ("do", "1s cordon node/old-1 node/old-2")]
        walk = play(request("cordon", manifest=text(found), settings=NEVER, choices=do, until="1m"))
        assert placed(walk, "ingress") == set(case["settings"]["placement"].values())
        return walk

    return Real(run, ANSWERS)


def cordon_04(case: dict[str, Any]) -> Real:
    """One node is drained while all are cordoned, and a new machine comes four minutes later."""

    def run(given: dict[str, Any]) -> Play:
        found = documents(case)
        settings = case["settings"]
        app = settings["app"]["api"]
        exits = f"exit={app['sigterm']['exit_after_s']}s"
        pull = f"{settings['image_pull_s']}s"
        behaves(named(found, "Deployment"), startup=f"{app['startup_s']}s", on_sigterm=exits, image_pull=pull)
        found.insert(0, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "new"}})
        named(found, "Node", "new")["spec"] = {"unschedulable": True}
        closed = given.get("cordoned", [row["name"] for row in settings["nodes"]])
        comes = BEFORE + settings["new_node_ready_at_s"] - 1
        do = [
            "0s power-off node/new",
            "1s delete node/new",
            f"{BEFORE}s cordon {' '.join(f'node/{name}' for name in closed)}",
            f"{BEFORE}s drain node/n1 ignore-daemonsets=true",
            f"{comes}s power-on node/new disk=new",
        ]
        walk = by_hand(found, do, until="8m")
        assert placed(walk, "billing") == {"n1"}
        return walk

    return Real(run, ANSWERS)


def pods(walk: Play) -> list[Pod]:
    return [row for row in walk.walk.world.etcd.find("Pod") if isinstance(row, Pod)]


def refusals(walk: Play) -> list[tuple[float, str]]:
    """When a pod was told that no node fits it, and what it was told."""
    found = []
    for row in walk.walk.records:
        for commit in row.step.commits:
            if isinstance(commit.after, Pod) and row.step.verb == "report-unschedulable":
                told = condition(commit.after.status.conditions, "PodScheduled")
                found.append((row.step.at / 1000 - BEFORE, told.message if told else ""))
    return found


def evictions_on(walk: Play, nodes: tuple[str, ...]) -> int:
    rows = [row for row in walk.walk.records if row.step.verb == "evict" and row.step.outcome == "ok"]
    held = [row.step.before.etcd.get(row.step.object) for row in rows]
    return sum(isinstance(row.object, Pod) and row.object.spec.nodeName in nodes for row in held if row)


def served(walk: Play) -> float:
    """The share of what comes through the load balancer that is answered."""
    return float(bool(fact("lb-backends")(walk)) and fact("requests-failed")(walk) == 0)


def took(walk: Play) -> float | None:
    done = fact("drain-finished")(walk)
    return None if done is None else float(done) - BEFORE


ANSWERS: dict[str, Answer] = {
    "healthy_lb_backends": fact("lb-backends"),
    "external_success_rate": served,
    "evictions": fact("evicted"),
    "replacement_phase": lambda walk: "Pending" if refusals(walk) else "Running",
    "from_s": lambda walk: refusals(walk)[0][0],
    "message_contains": lambda walk: refusals(walk)[0][1],
    "unavailable_s": fact("none-ready-for"),
    "evictions_on_n2_n3": lambda walk: evictions_on(walk, ("n2", "n3")),
    "drain_exit": fact("drain-exit"),
    "drain_seconds": took,
}
