"""Manifests in the rendered shape of popular charts, and odd but legal YAML: all of them can be inspected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.inspect.inspecting import inspect
from app.inspect.report import report
from app.inspect.sarif import sarif
from app.inspect.telling import sections
from app.inspect.text import plain
from app.kube.manifests import judged
from app.kube.secrets import without_values
from tests.corpus import FILES, name_of, text_of


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_set_is_inspected_in_every_form(path: Path) -> None:
    text = text_of(path)
    found = inspect({path.name: text})
    assert plain(found)
    assert json.dumps(report(found))
    assert json.dumps(sarif(found))
    assert [row.line for row in found.findings if not 1 <= row.line <= len(text.splitlines())] == []
    # Whatever makes pods is either computed, or it is said why not.
    told = {row.title for row in sections(found)} | {str(obj.ref) for obj, _ in found.subject.refused}
    assert {str(row.ref) for row in found.subject.made} <= told


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_what_is_kept_of_a_set_is_inspected_alike(path: Path) -> None:
    text = text_of(path)
    kept = judged({"kept": without_values(text)})
    assert kept.objects == judged({"kept": text}).objects
