"""`crash pod/NAME`: one container ends once, and is started again by whoever looks after it."""

from __future__ import annotations

import pytest
from clusters import node, pod

from app.kube.meta import Ref
from app.kube.pods import Pod
from app.loops.registry import LOOPS
from app.sim.engine import Model
from app.sim.intervention import parse
from app.sim.interventions import check
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.walk import Walk

MODEL = Model(LOOPS)
WEB = Ref("Pod", "default", "web-1")


def walked(*script: str) -> Walk:
    world = at_rest(MODEL, [node("node-1"), pod()], images=("app:1",))
    return run(MODEL, world, [parse(line) for line in script], until=20_000)


def outcomes(walk: Walk) -> list[str]:
    return [row.step.outcome for row in walk.records if row.step.verb == "crash"]


def restarts(walk: Walk) -> int:
    held = walk.world.etcd.get(WEB)
    assert held is not None
    assert isinstance(held.object, Pod)
    return held.object.status.containerStatuses[0].restartCount


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("1s crash pod/web-1", "exit 1"),
        ("1s crash pod/web-1 code=0", "exit 0"),
        ("1s crash pod/web-1 code=7", "exit 7"),
    ],
)
def test_a_program_ends_once_and_its_kubelet_starts_it_again(line: str, outcome: str) -> None:
    walk = walked(line)
    assert outcomes(walk) == [outcome]
    assert restarts(walk) == 1


@pytest.mark.parametrize(
    "script",
    [
        ("1s crash pod/web-2",),
        ("1s crash pod/web-1 container=sidecar",),
        ("1s power-off node/node-1", "2s crash pod/web-1"),
    ],
)
def test_what_does_not_run_cannot_crash(script: tuple[str, ...]) -> None:
    assert outcomes(walked(*script)) == ["not running"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("crash node/node-1", "found node/node-1; allowed: pod/NAME"),
        ("crash pod/web-1 code=256", 'code: found "256"; allowed: an exit code from 0 to 255'),
        ("crash pod/web-1 cod=1", 'crash takes no cod; allowed: container, code; did you mean "code"?'),
    ],
)
def test_faults_are_told(line: str, problem: str) -> None:
    assert check(parse(line)) == [f"intervention '{line}': {problem}"]
