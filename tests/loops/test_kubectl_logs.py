"""kubectl logs and kubectl exec in a cluster: who is asked, what is printed, and what cannot be had."""

from __future__ import annotations

import pytest

from app.catalog import starting
from app.kube.manifests import read_manifests
from app.sim.intervention import parse
from app.sim.interventions import check
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.walk import Walk

CLUSTER = """
{apiVersion: v1, kind: Node, metadata: {name: n1}}
---
apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations: {sim.loopscope.dev/log: "ready", sim.loopscope.dev/memory: "0s=90Mi,5s=300Mi"}
spec:
  containers: [{name: web, image: "web:1", resources: {limits: {memory: 256Mi}}}]
"""
WORLD = at_rest(starting.model(), read_manifests(CLUSTER).objects, images=("web:1",))


def walk(*script: str) -> Walk:
    return run(starting.model(), WORLD, [parse(line) for line in script], until=30_000)


def said(found: Walk) -> list[tuple[str, str]]:
    return [(line.stream, line.text) for row in found.records for line in row.step.output]


def moments(found: Walk) -> list[str]:
    return [row.step.moment for row in found.steps if row.step.moment]


def test_the_api_server_asks_the_kubelet_of_the_pod_s_node() -> None:
    found = walk("0s logs pod/web")
    asked = ["logs-requested", "kubelet-dialled", "logs-printed"]
    assert [name for name in moments(found) if name in asked] == asked
    assert said(found) == [("stdout", "ready")]
    assert [command.exit for command in found.world.commands.values()] == [0]


@pytest.mark.parametrize("fault", ["stop kubelet/n1", "power-off node/n1"])
@pytest.mark.parametrize("command", ["logs pod/web", "exec pod/web date"])
def test_without_that_kubelet_there_is_neither(fault: str, command: str) -> None:
    found = walk(f"0s {fault}", f"0s {command}")
    assert "kubelet-unreachable" in moments(found)
    ((stream, text),) = said(found)
    assert stream == "stderr"
    assert text.endswith("connection refused" if "stop" in fault else "no route to host")
    assert [command.exit for command in found.world.commands.values()] == [1]


def test_without_the_api_server_nobody_is_asked() -> None:
    found = walk("0s stop kube-apiserver", "0s logs pod/web")
    assert "kubelet-dialled" not in moments(found)
    assert said(found)[0][1].startswith("The connection to the server was refused")


def test_the_run_before_can_be_read_once_there_is_one() -> None:
    assert said(walk("1s logs pod/web previous=true")) == [
        ("stderr", 'Error from server (BadRequest): previous terminated container "web" in pod "web" not found')
    ]
    assert said(walk("20s logs pod/web previous=true")) == [("stdout", "ready")]


def test_a_command_runs_in_a_container_that_runs() -> None:
    assert said(walk("0s exec pod/web date")) == []
    assert "exec-printed" in moments(walk("0s exec pod/web date"))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("logs node/n1", "allowed: pod/NAME"),
        ("logs pod/web container=a.b", "the name of a container"),
        ("logs pod/web follow=true", "logs takes no follow"),
        ("exec pod/web", "is the form"),
    ],
)
def test_what_is_no_command_says_why(line: str, problem: str) -> None:
    assert problem in check(parse(line))[0]
