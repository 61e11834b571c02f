"""Public cases with their right values: each runs by a command that anybody can type, from its own manifests.

The commands stand in docs/cases/commands.yaml, and docs/cases.md is written of what they print.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from app.kube.releases import NEWEST, OLDEST, USUAL
from tests.real_cases import control_plane, nodes, pods, rolling
from tests.real_cases.comparing import agrees, asserted
from tests.real_cases.page import page
from tests.real_cases.reading import ROOT, report, table

PAGE = ROOT / "docs" / "cases.md"
CASES: dict[str, dict[str, Any]] = {
    row["id"]: row for row in json.loads((Path(__file__).parent / "data" / "real-cases.json").read_text())
}
ANSWERS = {**rolling.ANSWERS, **nodes.ANSWERS, **pods.ANSWERS, **control_plane.ANSWERS}
SPECIAL = {("press-03", "spike"): pods.SPIKED}
"""Checks in which a name means something else than in the others of their case."""

OUT_OF_RANGE = {
    ("term-03", "old-double-grace"): "1.22 to 1.27",
    ("cordon-01", "old"): "1.18",
    ("cordon-01", "policy-cluster-old"): "1.18",
    ("api-01", "old-grace"): "1.14",
    ("api-01", "ancient"): "before 1.4",
    ("api-03", "v1"): "1.20 and before",
    ("api-03", "v1-deadline"): "1.20 and before",
    ("api-03", "v1-short"): "1.20 and before",
    ("node-01", "tol5"): "1.19",
    ("node-01", "tol10"): "1.19",
}
"""Checks about versions of Kubernetes that nobody models any more, with the versions."""
WORDS = {
    ("term-03", "rule"): "A rule in words: there is nothing to compute.",
    ("drain-05", "contrast-deployment"): "A remark in words: there is nothing to compute.",
    ("node-01", "flag-old"): "A flag that does nothing. The model has no such flag.",
}
"""Checks that are no computation, with what they are."""

CHECKS = [(case, check, row) for case, rows in table().items() for row in rows for check in row.checks]
BY_CHECK = {(case, check): row for case, check, row in CHECKS}
EXPECTED = {(case, row["id"]): row for case in CASES for row in CASES[case]["expect"]["checks"]}


def answers(case: str, check: str) -> dict[str, Any]:
    """What is computed of a check, by the names that it asserts."""
    found = report(BY_CHECK[case, check].commands)
    how = SPECIAL.get((case, check), ANSWERS[case])
    return {name: how[name](found) for name in asserted(EXPECTED[case, check])}


@pytest.fixture(autouse=True)
def _from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands name files as they are called from there."""
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize(("case", "check"), [(case, check) for case, check, _ in CHECKS])
def test_a_case_comes_out_as_in_real_life(case: str, check: str) -> None:
    expected = EXPECTED[case, check]
    tolerance = expected["assert"].get("tolerance", 0)
    wanted, found = asserted(expected), answers(case, check)
    wrong = {name: (found[name], row) for name, row in wanted.items() if not agrees(name, found[name], row, tolerance)}
    assert not wrong


def test_every_check_is_in_the_table_or_it_is_said_why_not() -> None:
    assert {(case, check) for case, check, _ in CHECKS} | OUT_OF_RANGE.keys() | WORDS.keys() == EXPECTED.keys()
    assert not BY_CHECK.keys() & (OUT_OF_RANGE.keys() | WORDS.keys())


@pytest.mark.parametrize("case", CASES)
def test_the_file_is_the_manifest_of_the_case(case: str) -> None:
    """And every command of the case is given it, as it is."""
    path = Path("docs", "cases", f"{case}.yaml")
    assert path.read_text() == CASES[case]["manifests"]
    commands = [line for row in table()[case] for line in row.commands]
    assert all(f"-f {path}" in line for line in commands)


def test_no_file_beside_them_is_left_over() -> None:
    used = PAGE.parent.joinpath("cases", "commands.yaml").read_text()
    files = [path.name for path in PAGE.parent.joinpath("cases").iterdir() if path.name != "commands.yaml"]
    assert [name for name in files if f"docs/cases/{name}" not in used] == []


def test_the_page_lists_every_case_with_command_and_answer(request: pytest.FixtureRequest) -> None:
    """`pytest --update-golden` writes it anew."""
    rows = {key: (BY_CHECK[key].commands, answers(*key)) for key in BY_CHECK}
    told = page(
        CASES.values(),
        rows,
        {key: f"Out of range: about Kubernetes {text}." for key, text in OUT_OF_RANGE.items()} | WORDS,
    )
    if request.config.getoption("--update-golden"):
        PAGE.write_text(told)
    assert PAGE.read_text() == told


SEVERAL = re.compile(r"(<=|>=|<)?1[.]([0-9]+)(?:-1[.]([0-9]+))?([+])?")


def named(case: str, check: str) -> tuple[int, int] | None:
    """The releases, from and to, that a check is about, or else its case; None where that is any."""
    text = EXPECTED[case, check].get("given", {}).get("kubernetes_version")
    found = SEVERAL.match(text or CASES[case]["settings"].get("kubernetes_version") or "")
    if found is None:
        return None
    sign, least, most, plus = found.groups()
    low, high = int(least), int(most or least)
    if sign in ("<=", "<"):
        return 0, high - (sign == "<")
    return low, 99 if sign or plus else high


def test_what_is_out_of_range_is_about_no_release_that_can_be_set() -> None:
    for case, check in EXPECTED:
        spans = named(case, check)
        beyond = spans is not None and (spans[1] < OLDEST or spans[0] > NEWEST)
        assert beyond == ((case, check) in OUT_OF_RANGE), (case, check)


@pytest.mark.parametrize(("case", "check"), [(case, check) for case, check, _ in CHECKS])
def test_a_command_runs_on_a_release_that_its_check_is_about(case: str, check: str) -> None:
    spans = named(case, check)
    for line in BY_CHECK[case, check].commands:
        version = next((word for word in shlex.split(line) if word.startswith("kubernetes=")), f"kubernetes=1.{USUAL}")
        if spans is not None and "loopscope run" in line:
            assert spans[0] <= int(version.rpartition(".")[2]) <= spans[1]
