import pytest

from app.kube.pods import Probe
from app.kube.probes import (
    FAILURE,
    LIVENESS,
    READINESS,
    STARTUP,
    SUCCESS,
    UNKNOWN,
    Counting,
    asks,
    container_ready,
    counted,
    fresh,
    goes_on_while_terminating,
)

WORDS = {"S": SUCCESS, "F": FAILURE, "U": UNKNOWN}


def results(kind: str, answers: str, *, success: int = 1, failure: int = 3) -> str:
    state, found = fresh(kind), ""
    for answer in answers:
        state = counted(state, WORDS[answer], kind, Probe(successThreshold=success, failureThreshold=failure))
        found += state.result[0]
    return found


@pytest.mark.parametrize(
    ("kind", "answers", "success", "failure", "expected"),
    [
        pytest.param(READINESS, "SSSFFFFF", 1, 3, "SSSSSFFF", id="three failures in a row"),
        pytest.param(READINESS, "SFFSFFSFFF", 1, 3, "SSSSSSSSSF", id="a success starts the count anew"),
        pytest.param(READINESS, "SSSSSFSSS", 3, 1, "FFSSSFFFS", id="three successes in a row"),
        pytest.param(LIVENESS, "FFFSSS", 1, 3, "SSFFFF", id="after liveness failed nothing is asked"),
        pytest.param(STARTUP, "FFSFFF", 1, 3, "UUSSSF", id="startup"),
    ],
)
def test_thresholds(kind: str, answers: str, success: int, failure: int, expected: str) -> None:
    assert results(kind, answers, success=success, failure=failure) == expected


def test_a_failed_liveness_probe_is_on_hold() -> None:
    probe = Probe(failureThreshold=1)
    state = counted(fresh(LIVENESS), FAILURE, LIVENESS, probe)
    assert state == Counting(FAILURE, FAILURE, 0, on_hold=True)
    assert counted(state, SUCCESS, LIVENESS, probe) == state


@pytest.mark.parametrize(
    ("kind", "started", "now", "expected"),
    [
        pytest.param(READINESS, True, 9_999, False, id="within the initial delay"),
        pytest.param(READINESS, True, 10_000, True, id="whole seconds: started at 0.7 s counts as 0"),
        pytest.param(READINESS, False, 60_000, False, id="not before startup"),
        pytest.param(LIVENESS, False, 60_000, False, id="nor liveness"),
        pytest.param(STARTUP, False, 60_000, True, id="startup first"),
        pytest.param(STARTUP, True, 60_000, False, id="and never again"),
    ],
)
def test_asks(kind: str, started: bool, now: int, expected: bool) -> None:
    assert asks(kind, Probe(initialDelaySeconds=10), started=started, started_at=700, now=now) is expected


def test_only_readiness_goes_on_while_terminating() -> None:
    assert [kind for kind in (READINESS, LIVENESS, STARTUP) if goes_on_while_terminating(kind)] == [READINESS]


@pytest.mark.parametrize(
    ("running", "started", "readiness", "expected"),
    [
        (True, True, None, True),
        (True, False, None, False),
        (False, True, None, False),
        (True, True, fresh(READINESS), False),
        (True, True, Counting(SUCCESS), True),
    ],
)
def test_container_ready(running: bool, started: bool, readiness: Counting | None, expected: bool) -> None:
    assert container_ready(running=running, started=started, readiness=readiness) is expected
