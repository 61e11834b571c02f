"""Containers that the runtime does not have."""

from app.kube.container_status import absent
from app.kube.pods import (
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
)

WAITS = ContainerStatus("app", state=ContainerState(waiting=ContainerStateWaiting("ContainerCreating")))
RUNS = ContainerStatus("app", state=ContainerState(running=ContainerStateRunning(1_000)), restartCount=2)
ENDED = ContainerState(terminated=ContainerStateTerminated(exitCode=3, reason="Error"))


def test_a_container_of_which_nothing_was_known_waits() -> None:
    assert absent(None, WAITS, deleted=False) == WAITS


def test_one_that_ran_has_ended_nobody_knows_how() -> None:
    found = absent(RUNS, WAITS, deleted=False)
    assert found.restartCount == 3
    assert found.state == WAITS.state
    assert found.lastState == ContainerState(
        terminated=ContainerStateTerminated(
            exitCode=137,
            reason="ContainerStatusUnknown",
            message="The container could not be located when the pod was deleted.  The container used to be Running",
        )
    )
    assert absent(found, WAITS, deleted=False) == found


def test_one_that_had_ended_stays_so() -> None:
    before = ContainerStatus("app", state=ENDED, restartCount=1)
    assert absent(before, WAITS, deleted=True) == before


def test_what_is_known_of_an_earlier_run_is_kept() -> None:
    before = ContainerStatus("app", state=RUNS.state, lastState=ENDED, restartCount=1)
    found = absent(before, WAITS, deleted=False)
    assert (found.lastState, found.restartCount) == (ENDED, 1)
