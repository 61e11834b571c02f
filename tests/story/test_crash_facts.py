"""The flow about crashing pods: what kubectl shows of each branch at its end, as recorded of v1.36."""

from __future__ import annotations

import pytest

from app.story.fact import Subject
from app.story.facts import FACTS
from app.story.play import play, request

NAMES = ("status-shown", "restart-count", "last-exit-code", "last-reason")


@pytest.mark.parametrize(
    ("scene", "shown"),
    [
        ("app-error", ("Error", 3, 1, "Error")),
        ("oom-killed", ("OOMKilled", 3, 137, "OOMKilled")),
        ("liveness-kill", ("Running", 3, 143, "Error")),
        ("exits-with-0", ("Completed", 3, 0, "Completed")),
        ("startup-budget-raised", ("Running", 1, 143, "Error")),
        ("pending", ("Running", 0, None, None)),
    ],
)
def test_status_restarts_exit_code_and_reason_lead_to_the_branch(
    scene: str, shown: tuple[str, int, int | None, str | None]
) -> None:
    played = play(request("diagnose", scene=scene))
    subject = Subject(played.walk, played.target)
    assert tuple(FACTS[name](subject).value for name in NAMES) == shown


def test_the_step_that_decides_is_the_first_end_of_a_container() -> None:
    played = play(request("diagnose", scene="oom-killed"))
    step = FACTS["last-reason"](Subject(played.walk, played.target)).step
    assert step is not None
    assert played.steps[step - 1].step.moment == "oom-killed"


def test_of_a_pod_that_is_not_there_nothing_is_shown() -> None:
    played = play(request("termination"))
    subject = Subject(played.walk, played.target)
    assert [FACTS[name](subject).value for name in NAMES] == [None, 0, None, None]
