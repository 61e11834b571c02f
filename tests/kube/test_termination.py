import pytest

from app.kube.pods import Container, PodSpec
from app.kube.termination import Behaviour, Stop, termination_schedule

ALONE = PodSpec(containers=(Container(name="app"),))
SIDECARS = PodSpec(
    initContainers=tuple(Container(name=name, restartPolicy="Always") for name in ("s1", "s2")),
    containers=(Container(name="app"),),
)


@pytest.mark.parametrize(
    ("behaviour", "grace", "expected"),
    [
        pytest.param(Behaviour(0), 30, Stop(0, 0, 30, 0, killed=False), id="exits at once"),
        pytest.param(Behaviour(None), 30, Stop(0, 0, 30, 30_000, killed=True), id="ignores SIGTERM"),
        pytest.param(
            Behaviour(None, 40_000), 30, Stop(30_000, 30_000, 2, 32_000, killed=True), id="a hook of 40 s is cut at 30"
        ),
        pytest.param(
            Behaviour(1_000, None), 10, Stop(10_000, 10_000, 2, 11_000, killed=False), id="a hook that never returns"
        ),
        pytest.param(
            Behaviour(5_000, 25_500), 30, Stop(25_500, 25_500, 5, 30_500, killed=False), id="parts of seconds are free"
        ),
    ],
)
def test_one_container(behaviour: Behaviour, grace: int, expected: Stop) -> None:
    assert termination_schedule(ALONE, {"app": behaviour}, grace) == {"app": expected}


def test_sidecars_follow_in_reverse_order() -> None:
    stops = termination_schedule(SIDECARS, dict.fromkeys(("app", "s1", "s2"), Behaviour(1_000)), 30)
    assert {name: stop.signalled for name, stop in stops.items()} == {"app": 0, "s2": 1_000, "s1": 2_000}


def test_all_that_wait_are_stopped_when_the_grace_is_over() -> None:
    stops = termination_schedule(SIDECARS, dict.fromkeys(("app", "s1", "s2"), Behaviour(None)), 10)
    assert stops["app"] == Stop(0, 0, 10, 10_000, killed=True)
    assert stops["s2"] == Stop(0, 10_000, 2, 12_000, killed=True)
    assert stops["s1"] == Stop(0, 10_000, 2, 12_000, killed=True)


def test_the_hook_of_a_sidecar_runs_while_the_app_stops() -> None:
    behaviours = {"app": Behaviour(6_500), "s2": Behaviour(0, 4_000)}
    stops = termination_schedule(SIDECARS, behaviours, 30)
    assert stops["s2"] == Stop(4_000, 6_500, 24, 6_500, killed=False)


def test_a_sidecar_that_does_not_run_breaks_the_chain() -> None:
    spec = PodSpec(
        initContainers=tuple(Container(name=name, restartPolicy="Always") for name in ("s1", "s2", "s3")),
        containers=(Container(name="app"),),
    )
    stops = termination_schedule(spec, {"app": Behaviour(1_000), "s1": Behaviour(0), "s3": Behaviour(5_000)}, 30)
    assert stops["s1"].signalled == 1_000
