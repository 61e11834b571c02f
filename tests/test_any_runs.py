"""Manifests made up by chance, sound or not, through whole walks of every flow: a walk, or an error with its place.

Chance is the same in every run of the tests (derandomized), so what fails once fails again.
"""

from __future__ import annotations

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.catalog.reading import flows
from app.errors import BadInput
from app.story.play import Play, play, request
from app.story.text import plain
from tests.inspect import making

SOURCE = "made.yaml"
FLOWS = st.sampled_from(sorted(flows()))
MOST_STEPS = 5_000
PLACED = re.compile(
    rf"{SOURCE}: document \d+.*, line \d+: |{SOURCE}: line \d+, column \d+|manifest: |and [\d,]+ more problems"
)
"""A fault of a manifest has its place; what a flow cannot do with all of them speaks of all."""

made_up = settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


def result(flow: str, text: str) -> Play | list[str]:
    try:
        return play(request(flow, manifest={SOURCE: text}))
    except BadInput as error:
        return error.problems


def comes_to_something(flow: str, text: str) -> bool:
    """Whether there was a walk; fails where neither comes of it."""
    found = result(flow, text)
    if isinstance(found, list):
        assert found
        assert [row for row in found if not PLACED.match(row)] == []
        return False
    assert found.walk.stopped in ("goal", "quiet", "until", "stuck")
    assert len(found.steps) < MOST_STEPS
    assert plain(found)
    return True


@made_up
@given(FLOWS, making.texts())
def test_sound_manifests_have_a_walk_or_a_reason(flow: str, text: str) -> None:
    comes_to_something(flow, text)


@made_up
@given(FLOWS, making.faulty_texts(most=1))
def test_manifests_with_mistakes_have_a_walk_or_a_reason(flow: str, text: str) -> None:
    comes_to_something(flow, text)


@settings(made_up, max_examples=30)
@given(making.texts())
def test_the_sandbox_takes_all_that_is_sound(text: str) -> None:
    # A static pod has run all along, so one that never gets ready leaves no rest to begin from.
    assert comes_to_something("sandbox", text) or "kubernetes.io/config.source" in text
