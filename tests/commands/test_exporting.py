"""`loopscope export` and `loopscope report`: what they write, and what they leave alone."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from app.cli import main
from app.commands.exporting import FORMS as TYPED
from app.commands.reviewing import FORMS as REPORTS
from app.export import reporting
from app.export.asked import FORMS


def test_what_can_be_typed_is_what_there_is() -> None:
    assert set(TYPED) == {*FORMS, "pdf"}
    assert set(REPORTS) == set(reporting.FORMS)


@pytest.mark.parametrize("form", ["svg", "mmd", "sheet", "animated", "html", "pdf"])
def test_the_same_walk_gives_the_same_file(tmp_path: Path, form: str) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for path in (one, other):
        assert main(["export", "cordon", "--form", form, "-o", str(path)]) == 0
    assert one.read_bytes() == other.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "other"]


def test_a_folder_is_made_whole_and_no_other_is_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = tmp_path / "walk"
    asked = ["export", "cordon", "--form", "folder", "-o", str(there)]
    assert main(asked) == 0
    assert {"index.html", "000.html", "001-cluster.svg", "walk.mmd", "walk.md"} <= {
        path.name for path in there.iterdir()
    }
    assert main(asked) == 2
    assert "walk: is there already; give a folder that is not, or is empty" in capsys.readouterr().err
    assert main(["export", "cordon", "--form", "folder", "-o", str(tmp_path / "no" / "such")]) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["walk"]
    assert main(["export", "cordon", "--form", "folder"]) == 2


def test_a_folder_may_be_packed_with_the_same_files(tmp_path: Path) -> None:
    main(["export", "cordon", "--form", "folder", "-o", str(tmp_path / "walk")])
    main(["export", "cordon", "--form", "folder", "-o", str(tmp_path / "walk.zip")])
    with zipfile.ZipFile(tmp_path / "walk.zip") as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert packed == {f"cordon/{path.name}": path.read_bytes() for path in (tmp_path / "walk").iterdir()}


def test_a_step_is_shown_alone(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["export", "termination", "--form", "svg", "--step", "7", "--view", "cluster", "--theme", "dark"]) == 0
    assert b"Step 7, T+0.006 s" in capsysbinary.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--form", "html", "--step", "7"], "step: a step of its own is had as svg, png, mmd"),
        (["--form", "svg", "--step", "777"], "step: step 777: this walk has"),
        (["--form", "pdf", "--from", "3"], "--form pdf: is of the whole walk"),
    ],
)
def test_what_cannot_be_exits_2(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "termination", *arguments]) == 2
    assert says in capsys.readouterr().err


def test_a_report_answers_its_question_beside_another_variant(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["report", "termination", "--question", "Does it drop *requests*?", "--against", "?set.prestop=15s"]
    assert main(asked) == 0
    told = capsys.readouterr().out
    assert "Does it drop \\*requests\\*?" in told
    assert "| Settings: preStop hook | 0s | 15s |" in told


@pytest.mark.parametrize(
    ("against", "says"),
    [
        ("set.nope=1", '--against: setting "nope": the flow termination has no such setting'),
        ("m=abc", "--against: m names a manifest that a server keeps"),
    ],
)
def test_another_variant_that_cannot_be_exits_2(against: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "termination", "--against", against]) == 2
    assert says in capsys.readouterr().err
