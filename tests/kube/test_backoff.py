import pytest

from app.kube.backoff import (
    CRASH_LOOP,
    IMAGE_PULL,
    Entry,
    Ladder,
    after_attempt,
    crash_loop,
    crash_loop_event,
    crash_loop_message,
    full_name,
    waits_until,
)


def delays(ladder: Ladder, runs: list[int]) -> list[int]:
    """How long a container that runs so many milliseconds each time waits after each end."""
    found, entry, now = [], None, 0
    for run in runs:
        ended = now + run
        now = waits_until(entry, ended, ladder)
        found.append(now - ended)
        entry = after_attempt(entry, ended, now, ladder)
    return found


def test_the_crash_loop_ladder() -> None:
    seconds = [delay // 1000 for delay in delays(CRASH_LOOP, [1_000] * 9)]
    assert seconds == [0, 10, 20, 40, 80, 160, 300, 300, 300]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        pytest.param(600_000, [0, 10_000, 20_000], id="ten minutes are not enough"),
        pytest.param(600_001, [0, 0, 0], id="longer ones start anew"),
    ],
)
def test_a_long_run_is_forgiven(run: int, expected: list[int]) -> None:
    assert delays(CRASH_LOOP, [1_000, run, run]) == expected


def test_image_pulls_wait_from_the_first_failure_on() -> None:
    entry: Entry | None = None
    waits, now = [], 0
    for _ in range(7):
        entry = after_attempt(entry, now, now, IMAGE_PULL)
        waits.append((waits_until(entry, now, IMAGE_PULL) - now) // 1000)
        now = waits_until(entry, now, IMAGE_PULL)
    assert waits == [10, 20, 40, 80, 160, 300, 300]


@pytest.mark.parametrize(
    ("max_period", "reduced", "initial", "most"),
    [
        (None, False, 10_000, 300_000),
        (None, True, 1_000, 60_000),
        (2_000, False, 2_000, 2_000),
        (2_000, True, 1_000, 2_000),
        (300_000, True, 1_000, 300_000),
        (11_000, False, 10_000, 11_000),
    ],
)
def test_configuration(max_period: int | None, reduced: bool, initial: int, most: int) -> None:
    assert crash_loop(max_period, reduced=reduced) == Ladder(initial, most, 600_000)


def test_messages() -> None:
    pod = full_name("web-1", "default", "u-1")
    assert crash_loop_message(80_000, "app", pod) == (
        "back-off 1m20s restarting failed container=app pod=web-1_default(u-1)"
    )
    assert crash_loop_event("app", pod) == "Back-off restarting failed container app in pod web-1_default(u-1)"
