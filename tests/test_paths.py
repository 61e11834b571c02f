import os
from pathlib import Path

import pytest

from app import paths


def test_a_checkout_has_its_folders_beside_app() -> None:
    root = Path(__file__).resolve().parent.parent
    assert (paths.templates_dir(), paths.static_dir(), paths.flows_dir()) == (
        root / "templates",
        root / "static",
        root / "flows",
    )


def test_a_wheel_has_its_folders_inside_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bundled").mkdir()
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path)
    assert paths.flows_dir() == tmp_path / "bundled" / "flows"


@pytest.mark.parametrize(
    ("value", "added"),
    [
        pytest.param("", [], id="none by default"),
        pytest.param("team", ["team"], id="one folder"),
        pytest.param(os.pathsep.join(["team", "drafts"]), ["team", "drafts"], id="several, in order"),
    ],
)
def test_a_team_adds_its_own_flows(value: str, added: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPSCOPE_FLOWS", value)
    assert paths.flows_dirs() == (paths.flows_dir(), *map(Path, added))
