"""Environment variables: defaults, what is refused, and that one module reads them."""

import ast
import os
from datetime import timedelta
from pathlib import Path

import pytest

from app import configuration
from app.configuration import FLOWS, FRAME_ANCESTORS, VARIABLES, Rate, Variable
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


def test_everything_that_is_set_wrong_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    configuration.check()
    monkeypatch.setenv("LOOPSCOPE_LOG", "xml")
    monkeypatch.setenv("LOOPSCOPE_RETENTION", "soon")
    with pytest.raises(BadInput) as refused:
        configuration.check()
    assert [problem.partition(":")[0] for problem in refused.value.problems] == ["LOOPSCOPE_LOG", "LOOPSCOPE_RETENTION"]


@pytest.mark.parametrize(
    ("variable", "text", "value"),
    [
        (configuration.RETENTION, "off", None),
        (configuration.RETENTION, "90d", timedelta(days=90)),
        (configuration.RETENTION, "99999d", timedelta(days=36_500)),
        (configuration.MOST_BODY, "512Ki", 512 * 1024),
        (configuration.MOST_BODY, "1Gi", 1024**3),
        (configuration.MOST_SESSIONS, "off", None),
        (configuration.MOST_SESSIONS, "12", 12),
        (configuration.RATE_SEARCHES, "5/s", Rate(5, 1)),
        (configuration.RATE_SEARCHES, "1000/h", Rate(1000, 3600)),
        (configuration.RATE_SEARCHES, "off", None),
        (configuration.PROXIES, "*", ("*",)),
        (configuration.PROXIES, "10.1.2.3/8, ::1", ("10.0.0.0/8", "::1/128")),
    ],
)
def test_what_a_text_comes_to(variable: Variable[object], text: str, value: object) -> None:
    assert variable.read(text) == value


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        (configuration.LOG, "JSON"),
        (configuration.RETENTION, "90"),
        (configuration.RETENTION, "0d"),
        (configuration.RETENTION, "-1d"),
        (configuration.MOST_BODY, "4M"),
        (configuration.MOST_BODY, "0Mi"),
        (configuration.MOST_SESSIONS, "0"),
        (configuration.MOST_SESSIONS, "1e3"),
        (configuration.MOST_SESSIONS, "٣"),
        (configuration.RATE_SEARCHES, "5"),
        (configuration.RATE_SEARCHES, "5/d"),
        (configuration.PROXIES, "the-proxy"),
        (configuration.PROXIES, "10.0.0.0/99"),
        (configuration.SEARCHES_AT_ONCE, "off"),
    ],
)
def test_a_text_that_is_not_allowed(variable: Variable[object], text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the message is the variable's
        variable.read(text)


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
