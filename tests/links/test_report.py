"""`loopscope check-links`: what it prints, and its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app import __version__
from app.cli import main
from app.story import pinned
from app.story.play import play, request

HOST = "https://loops.example"
PIN = str(pinned.pin(play(request("termination")), 5))
OLD = PIN.replace(__version__, "0.0.1")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main(["check-links", *arguments])
    printed = capsys.readouterr()
    return status, printed.out or printed.err


def test_all_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    write("docs/a.md", f"One {HOST}/f/termination/5?seen={PIN}\n")
    write("docs/deep/b.adoc", f"Two {HOST}/f/termination/5\n")
    write("docs/.hidden/c.md", f"{HOST}/f/termination/99\n")
    write("docs/node_modules/d.md", f"{HOST}/f/termination/99\n")
    write("docs/picture.svg", f"{HOST}/f/termination/99\n")
    status, told = run(capsys, "docs")
    assert status == 0
    assert told == "2 links in 2 files: 2 hold, 0 changed, 0 not checked; 1 say nothing of what was seen\n"


def test_what_has_changed_is_told_with_file_and_line(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.md", f"# A\n\n[x]({HOST}/f/termination/5?seen={OLD})\n{HOST}/s/{'a' * 22}/3\n")
    status, told = run(capsys, "a.md")
    assert status == 1
    assert told.splitlines() == [
        f"a.md:3: version: seen with 0.0.1, this is {__version__}",
        f"    {HOST}/f/termination/5?seen={OLD}",
        "a.md:4: not checked: there is no database at sqlite:///loopscope.db",
        f"    {HOST}/s/{'a' * 22}/3",
        "2 links in 1 file: 0 hold, 1 changed, 1 not checked; 0 say nothing of what was seen",
    ]
    assert run(capsys, "a.md", "--any-version")[0] == 0
    assert not Path("loopscope.db").exists()


def test_json_has_every_value(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.md", f"[x]({HOST}/f/termination/5?seen={OLD})\n")
    status, told = run(capsys, "a.md", "--format", "json")
    found = json.loads(told)
    assert status == 1
    assert (found["version"], found["files"]) == (__version__, 1)
    assert found["sums"] == {"holds": 0, "changed": 1, "unchecked": 0, "unpinned": 0}
    assert found["links"] == [
        {
            "file": "a.md",
            "line": 1,
            "address": f"{HOST}/f/termination/5?seen={OLD}",
            "state": "changed",
            "pinned": True,
            "changes": [{"what": "version", "before": "0.0.1", "now": __version__}],
            "why": "",
        }
    ]


def test_update_writes_into_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.md", f"[x]({HOST}/f/termination/5?seen={OLD})\n")
    assert run(capsys, "a.md", "--update")[0] == 0
    assert Path("a.md").read_text() == f"[x]({HOST}/f/termination/5?seen={PIN})\n"


def test_a_base_leaves_others_out(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.md", f"{HOST}/f/termination/99 https://b.example/f/termination/5\n")
    assert run(capsys, "a.md")[0] == 1
    assert run(capsys, "a.md", "--base", "https://b.example")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("gone.md",), "gone.md: cannot be read: No such file or directory"),
        (("b.md",), "b.md: cannot be read:"),
        (("a.md", "--database", "sqlite:///gone.db"), "--database 'sqlite:///gone.db': there is no such file"),
        (("a.md", "-f", "gone.yaml"), "gone.yaml: cannot be read"),
    ],
)
def test_what_cannot_be_read_is_said(arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    write("a.md", "")
    Path("b.md").write_bytes(b"\xff\xfe")
    status, said = run(capsys, *arguments)
    assert status == 2
    assert told in said


def test_our_own_documents_hold(capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest) -> None:
    root = request.config.rootpath
    assert run(capsys, str(root / "README.md"), str(root / "docs"))[0] == 0
