"""Environment variables: defaults, what is refused, and that one module reads them."""

import ast
import os
from pathlib import Path

import pytest

from app import configuration
from app.configuration import FLOWS, FRAME_ANCESTORS, VARIABLES, Variable
from app.errors import BadInput

APP = Path(__file__).resolve().parent.parent / "app"

TALLY = Variable(name="LOOPSCOPE_TALLY", default="7", allowed="a whole number", meaning="For this test.", read=int)


def test_a_variable_set_to_nothing_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert TALLY.get() == 7
    monkeypatch.setenv(TALLY.name, "")
    assert TALLY.get() == 7
    monkeypatch.setenv(TALLY.name, "9")
    assert TALLY.get() == 9


def test_what_is_not_allowed_is_said_with_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TALLY.name, "many")
    with pytest.raises(BadInput) as refused:
        TALLY.get()
    (problem,) = refused.value.problems
    assert problem.startswith("LOOPSCOPE_TALLY: found 'many'; allowed: a whole number")


def test_folders_are_separated_as_in_path(monkeypatch: pytest.MonkeyPatch) -> None:
    assert FLOWS.get() == ()
    monkeypatch.setenv(FLOWS.name, f"one{os.pathsep}{os.pathsep}two")
    assert FLOWS.get() == (Path("one"), Path("two"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", "'self'"),
        ("'self'", "'self'"),
        ("'none'", "'none'"),
        ("https://wiki.example", "'self' https://wiki.example"),
        ("  https://*.example:8443   http://localhost:*  ", "'self' https://*.example:8443 http://localhost:*"),
        ("https: wiki.example *", "'self' https: wiki.example *"),
    ],
)
def test_who_may_frame_is_written_as_in_a_policy(monkeypatch: pytest.MonkeyPatch, text: str, value: str) -> None:
    monkeypatch.setenv(FRAME_ANCESTORS.name, text)
    assert FRAME_ANCESTORS.get() == value


@pytest.mark.parametrize(
    "text",
    ["https://a.example; script-src *", "https://a.example, b.example", "'none' *", "'unsafe-inline'", " ", "a/b"],
)
def test_nothing_else_gets_into_the_policy(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(FRAME_ANCESTORS.name, text)
    with pytest.raises(BadInput) as refused:
        FRAME_ANCESTORS.get()
    assert refused.value.problems[0].startswith("LOOPSCOPE_FRAME_ANCESTORS: found ")


def test_every_default_is_allowed_and_every_variable_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [value for value in vars(configuration).values() if isinstance(value, Variable)]
    assert {row.name for row in made} == {row.name for row in VARIABLES}
    for row in VARIABLES:
        monkeypatch.delenv(row.name, raising=False)
        row.get()
        assert row.name.startswith("LOOPSCOPE_")
        assert row.meaning.endswith(".")


def test_one_module_reads_the_environment() -> None:
    def reads(path: Path) -> bool:
        return any(
            isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
            for node in ast.walk(ast.parse(path.read_text()))
        )

    assert [path.name for path in APP.rglob("*.py") if reads(path)] == ["configuration.py"]
