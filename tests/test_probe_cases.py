"""Public cases of probes, each run from its own manifests with its right values."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.manifests import read_manifests
from app.kube.meta import Ref
from app.kube.networking import EndpointSlice
from app.kube.objects import Object
from app.kube.pods import Pod, Probe
from app.kube.probe_budget import AT_RISK, outcome_of_start, startup_budget
from app.loops.registry import LOOPS
from app.sim.engine import Model
from app.sim.intervention import parse
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.step import Step
from app.sim.walk import Walk
from app.story.fact import Subject
from app.story.facts import FACTS

CASES: dict[str, dict[str, Any]] = {
    row["id"]: row for row in json.loads((Path(__file__).parent / "data" / "real-cases.json").read_text())
}
MODEL = Model(LOOPS)
NODE = "{apiVersion: v1, kind: Node, metadata: {name: node-1}}"
SERVICE = """
apiVersion: v1
kind: Service
metadata: {name: sync}
spec: {selector: {app: sync}, ports: [{port: 80, targetPort: 3000}]}
"""
PREFIX = "sim.loopscope.dev/"
NOBODY = Ref("", "", "")


def checks(case: str) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in CASES[case]["expect"]["checks"]}


def behaving(case: str, **words: str) -> str:
    """The case's manifest with what its program does in the template's annotations."""
    said = ", ".join(f'{PREFIX}{name.replace("_", "-")}: "{text}"' for name, text in words.items())
    label = "metadata: {labels:" if "metadata: {labels:" in CASES[case]["manifests"] else "metadata: {name:"
    text: str = CASES[case]["manifests"]
    return text.replace(label, f"metadata: {{annotations: {{{said}}}, {label.removeprefix('metadata: {')}")


def walked(*texts: str, script: tuple[str, ...] = (), later: str = "", until: str = "10m") -> Walk:
    world = at_rest(MODEL, read_manifests("\n---\n".join((NODE, *texts))).objects)
    world = replace(world, manifests=world.manifests.set("later", read_manifests(later).objects if later else ()))
    end = parse(f"{until} x").at or 0
    return run(MODEL, world, [parse(line) for line in script], until=end)


def steps(walk: Walk, moment: str) -> list[Step]:
    return [row.step for row in walk.records if row.step.moment == moment]


def messages(walk: Walk) -> list[str]:
    return [event.message for row in walk.records for event in row.step.events]


def restarts_of_each(walk: Walk) -> list[int]:
    pods = [obj for obj in walk.world.etcd.find("Pod") if isinstance(obj, Pod)]
    return [sum(row.restartCount for row in pod.status.containerStatuses) for pod in pods]


def ready_endpoints(objects: list[Object]) -> int:
    slices = [obj for obj in objects if isinstance(obj, EndpointSlice)]
    return sum(row.conditions.ready is not False for piece in slices for row in piece.endpoints)


def within(found: list[float], bounds: dict[str, float]) -> bool:
    return bool(found) and all(bounds["min"] <= value <= bounds["max"] for value in found)


# probe-01: super-productivity#9599, a liveness probe that asks the database.


@cache
def outage(seconds: int, health: str = "/health: 200; while database down: 503", path: str = "/health") -> Walk:
    """The database is unreachable from 0 on for so long."""
    manifest = behaving("probe-01", startup="5s", on_sigterm="exit=2s", health=health)
    manifest = manifest.replace(
        "livenessProbe: {httpGet: {path: /health,", f"livenessProbe: {{httpGet: {{path: {path},"
    )
    script = ("0s set dependency/database down", f"{seconds}s set dependency/database up")
    return walked(manifest, SERVICE, script=script)


def at_of_each(walk: Walk, moment: str) -> list[float]:
    """When it first happened to each pod."""
    found: dict[Ref, float] = {}
    for step in steps(walk, moment):
        found.setdefault(step.object, step.at / 1000)
    assert len(found) in (0, 3)
    return list(found.values())


def test_all_replicas_leave_rotation_and_none_is_left() -> None:
    expected = checks("probe-01")["unready"]["assert"]
    walk = outage(145)
    assert within(at_of_each(walk, "readiness-failed"), expected["each_unready_at_s"])
    at_40s = next(row.step.world for row in walk.records if row.step.at >= 40_000)
    assert ready_endpoints(at_40s.etcd.find("EndpointSlice")) == expected["ready_endpoints"]


def test_then_each_is_killed_once() -> None:
    expected = checks("probe-01")["killed"]["assert"]
    walk = outage(145)
    assert within(at_of_each(walk, "liveness-kill"), expected["each_killed_at_s"])
    assert restarts_of_each(walk) == [expected["restarts_per_pod"]] * 3
    assert expected["event_contains"] in messages(walk)


def test_a_short_outage_restarts_nobody() -> None:
    assert restarts_of_each(outage(55)) == [checks("probe-01")["short"]["assert"]["restarts_per_pod"]] * 3


def test_between_60_and_90_s_the_phase_of_the_clock_decides() -> None:
    """`0 or 1, depending on probe phase`: the range says so, whatever this walk shows."""
    subject = Subject(outage(75), next(step.object for step in steps(outage(145), "liveness-kill")))
    fact = FACTS["time-to-detect"](subject)
    assert (fact.least, fact.most) == (60, 90)
    assert set(restarts_of_each(outage(75))) <= {0, 1}


def test_a_probe_of_the_process_alone_restarts_nobody_and_readiness_does_its_work() -> None:
    expected = checks("probe-01")["process-only"]["assert"]
    walk = outage(145, path="/live")
    assert restarts_of_each(walk) == [expected["restarts_per_pod"]] * 3
    assert within(at_of_each(walk, "readiness-failed"), expected["each_unready_at_s"])


def test_an_answer_that_hangs_is_told_of_as_a_timeout() -> None:
    expected = checks("probe-01")["hang"]["assert"]
    walk = outage(145, health="/health: 200; while database down: hangs")
    assert any(expected["message_contains"] in message for message in messages(walk))
    assert within(at_of_each(walk, "liveness-kill"), expected["each_killed_at_s"])


# probe-03: sapcc/helm-charts#4852, a startup budget that is not what it seems.

MAILER = Probe(initialDelaySeconds=3, periodSeconds=5, failureThreshold=3)
FIELDS = "initialDelaySeconds: 3, periodSeconds: 5, failureThreshold: 3"


@cache
def mailer(startup: str, fields: str = FIELDS, until: str = "3m") -> Walk:
    """The StatefulSet is created at 0."""
    manifest = behaving("probe-03", startup=startup).replace(FIELDS, fields)
    return walked(later=manifest, script=("0s apply m:later",), until=until)


def killed_after_start(walk: Walk) -> list[float]:
    started, killed = steps(walk, "container-started"), steps(walk, "startup-kill")
    return [(killed[0].at - started[0].at) / 1000] if killed else []


def test_it_is_killed_again_and_again_and_never_ready() -> None:
    expected = checks("probe-03")["kill"]["assert"]
    walk = mailer("20s")
    assert within(killed_after_start(walk), expected["kill_after_start_s"])
    assert any(expected["message_contains"] in message for message in messages(walk))
    assert bool(steps(walk, "pod-ready")) is expected["ever_ready"]
    states = [commit.after for row in walk.records for commit in row.step.commits if isinstance(commit.after, Pod)]
    reasons = [row.state.waiting.reason for pod in states for row in pod.status.containerStatuses if row.state.waiting]
    assert reasons[-1] == expected["ends_in"]


def test_liveness_and_readiness_are_not_asked_before_the_start_is_over() -> None:
    expected = checks("probe-03")["liveness-not-running"]["assert"]
    asked = [row.step.reason for row in mailer("20s").records if row.step.verb == "probe"]
    kinds = [reason.partition(" ")[0] for reason in asked]
    assert (kinds.count("liveness"), kinds.count("readiness")) == (
        expected["liveness_probes_sent"],
        expected["readiness_probes_sent"],
    )


def test_a_faster_program_is_not_restarted() -> None:
    assert restarts_of_each(mailer("10s")) == [checks("probe-03")["fast-app"]["assert"]["restarts"]]


def test_in_between_it_is_at_risk() -> None:
    assert outcome_of_start(15_000, MAILER) == AT_RISK


def test_twice_the_threshold_is_enough() -> None:
    expected = checks("probe-03")["ok"]["assert"]
    walk = mailer("20s", FIELDS.replace("failureThreshold: 3", "failureThreshold: 6"))
    assert restarts_of_each(walk) == [expected["restarts"]]
    assert startup_budget(replace(MAILER, failureThreshold=6)).least / 1000 == expected["guaranteed_budget_s"]
    started = steps(walk, "container-started")[0].at
    assert within([(step.at - started) / 1000 for step in steps(walk, "readiness-passed")], expected["ready_at_s"])


@pytest.mark.parametrize(
    ("check", "fields", "until"),
    [
        ("one-second", "initialDelaySeconds: 0, periodSeconds: 1, failureThreshold: 1", "30s"),
        ("eighteen-by-ten", "periodSeconds: 10, failureThreshold: 18", "4m"),
    ],
)
def test_other_numbers(check: str, fields: str, until: str) -> None:
    expected = checks("probe-03")[check]["assert"]
    assert within(killed_after_start(mailer("1h", fields, until)), expected["kill_after_start_s"])
