"""Whatever stands in a manifest: a result in every form, or errors that name the place. Never anything else."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings

from app.errors import BadInput
from app.inspect.inspecting import Inspection, inspect
from app.inspect.report import report
from app.inspect.sarif import sarif
from app.inspect.telling import sections
from app.inspect.text import plain
from app.kube.manifests import judged
from app.kube.secrets import without_values
from tests.inspect import making
from tests.inspect.mutations import changed_texts, changed_trees

SOURCE = "set.yaml"

fuzzed = settings(
    max_examples=400,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


def result(text: str) -> Inspection | list[str]:
    try:
        return inspect({SOURCE: text})
    except BadInput as error:
        return error.problems


def has_a_result(text: str) -> bool:
    """Whether it could be read; fails where neither comes of it."""
    found = result(text)
    if isinstance(found, list):
        assert found
        assert [row for row in found if not row.startswith((f"{SOURCE}: ", "and "))] == []
        return False
    assert json.dumps(report(found))
    assert json.dumps(sarif(found))
    assert plain(found)
    assert len(sections(found)) >= len(found.pods)
    for row in found.findings:
        assert row.object
        assert row.line >= 1
    # What a page keeps of it is read alike.
    assert judged({SOURCE: without_values(text)}).objects == judged({SOURCE: text}).objects
    return True


@fuzzed
@given(changed_trees())
def test_changed_manifests_have_a_result(text: str) -> None:
    has_a_result(text)


@settings(fuzzed, max_examples=200)
@given(making.texts())
def test_manifests_that_are_made_up_are_read(text: str) -> None:
    assert has_a_result(text)


@settings(fuzzed, max_examples=200)
@given(making.faulty_texts())
def test_made_up_manifests_with_mistakes_have_a_result(text: str) -> None:
    has_a_result(text)


@fuzzed
@given(changed_texts())
def test_changed_texts_have_a_result(text: str) -> None:
    has_a_result(text)
