"""`loopscope inspect`: what it reads, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli import main

DISRUPTED = """
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 3, selector: {matchLabels: {app: web}}}
"""
LABELLED = """
apiVersion: v1
kind: Pod
metadata: {name: NAME, labels: {app: web}}
spec: {containers: [{name: a, image: "a:1"}]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A pod and a budget for three, among other files."""
    (tmp_path / "b").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.yaml").write_text(DISRUPTED)
    (tmp_path / "b" / "one.yml").write_text(LABELLED.replace("NAME", "one"))
    (tmp_path / ".git" / "c.yaml").write_text("not: [read")
    (tmp_path / "notes.txt").write_text("not read")
    (tmp_path / "loopscope.yaml").write_text("claims: []")
    return tmp_path


def test_a_folder_stands_for_its_manifests(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "-f", str(folder), "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert {row["file"] for row in found["findings"]} == {str(folder / "a.yaml"), str(folder / "b" / "one.yml")}


@pytest.mark.parametrize(
    ("text", "at", "status"),
    [
        (LABELLED, "warning", 1),
        (LABELLED, "error", 0),
        (LABELLED, "never", 0),
        (DISRUPTED.replace("3", "0"), "note", 0),
        ("a: [", "never", 2),
    ],
)
def test_the_exit_status_of_an_inspection(text: str, at: str, status: int, tmp_path: Path) -> None:
    file = tmp_path / "set.yaml"
    file.write_text(text.replace("NAME", "one"))
    assert main(["inspect", "-f", str(file), "--fail-on", at]) == status


def test_help_says_what_the_exit_status_means(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["inspect", "--help"])
    assert "Exit status: 0" in " ".join(capsys.readouterr().out.split())
