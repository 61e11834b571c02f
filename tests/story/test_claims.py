"""Claims: what is read, what they say of a fact, and what is refused."""

from __future__ import annotations

import pytest

from app.errors import BadInput
from app.story.claims import parse
from app.story.facts import FACTS


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("requests-failed == 0", 0.0, True),
        ("requests-failed == 0", 0.1, False),
        ("requests-failed > 0", 3.467, True),
        ("killed == yes", True, True),
        ("killed == no", True, False),
        ("gone-at <= 32s", 31.9, True),
        ("gone-at < 6m", 360.0, False),
        ("gone-at < 1h30m", 5_399.0, True),
        ("gone-at < 6m", None, False),
        ("qos == Burstable", "Burstable", True),
        ("qos == Burstable", "BestEffort", False),
        ("qos != Burstable", "BestEffort", True),
        ("qos == Burstable", None, False),
        ("qos == 1", "Burstable", False),
        ("drain-finished", 8.2, True),
        ("drain-finished", None, False),
        ("killed", True, True),
        ("killed", False, False),
        ("requests-failed", 0.0, False),
    ],
)
def test_a_claim_compares_in_the_fact_s_own_unit(text: str, value: float | str | None, holds: bool) -> None:
    (claim,) = parse(text, FACTS)
    assert claim.holds(value) is holds


def test_several_parts_are_joined_by_and() -> None:
    assert [claim.name for claim in parse("killed == no and gone-at < 5s", FACTS)] == ["killed", "gone-at"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the form is NAME, or NAME OP VALUE"),
        ("requests-failed ==", "the form is NAME, or NAME OP VALUE"),
        ("request-failed == 0", "did you mean requests-failed?"),
        ("killed == maybe", "'maybe' is no value"),
        ("qos < Burstable", "'Burstable' is no value"),
        ("killed = yes", "the form is NAME, or NAME OP VALUE"),
    ],
)
def test_what_is_no_claim_says_why(text: str, problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(text, FACTS)
    assert problem in str(caught.value)
