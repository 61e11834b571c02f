"""docs/cases.md: every public case, the commands that compute its checks, what they answer and what is right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tests.real_cases.comparing import asserted

Key = tuple[str, str]
Json = dict[str, Any]
Rows = Mapping[Key, tuple[tuple[str, ...], Json]]
"""By case and check the commands, and what they answer."""

LONGEST = 160
"""Characters of a piece of text that an answer was found in; the rest is left out."""

HEAD = """\
# Public cases

Twenty things that happened to somebody, with their public reports. Each is computed from the manifests of its report,
as they are, by a command that you can type in a clone of this project. What a case says besides its manifests
(machines, what the programs do, which numbers are other ones) stands in a file beside them, as patches and annotations;
the page `/inputs` of a running Loopscope lists what may stand there.

Models and clusters differ in milliseconds, so most of what is right is a range. `tests/test_real_cases.py` runs every
command, holds every answer to the right one, and writes this page.
"""


def page(cases: Iterable[Json], rows: Rows, left_out: Mapping[Key, str]) -> str:
    """The whole page; `left_out` says why a check is not computed."""
    listed = list(cases)
    contents = ["| case | what happened | checks |", "| --- | --- | --- |"]
    contents += [f"| [{row['id']}](#{row['id']}) | {_cell(row['title'])} | {_counted(row, rows)} |" for row in listed]
    sections = ["\n".join(_section(case, rows, left_out)) for case in listed]
    return "\n\n".join(part.rstrip("\n") for part in (HEAD, "\n".join(contents), *sections)) + "\n"


def _counted(case: Json, rows: Rows) -> str:
    checks = [row["id"] for row in case["expect"]["checks"]]
    computed = sum((case["id"], check) in rows for check in checks)
    return f"{computed} computed" if computed == len(checks) else f"{computed} of {len(checks)} computed"


def _section(case: Json, rows: Rows, left_out: Mapping[Key, str]) -> Iterator[str]:
    name = case["id"]
    yield f"## {name}\n\n{case['title']}. Reported in <{case['source']}>."
    yield f"\nWhat was done: {case['stimulus']}. What came of it: {case['expect']['headline']}.\n"
    checks = {row["id"]: row for row in case["expect"]["checks"]}
    known: dict[tuple[str, ...], list[str]] = {}
    for check in checks:
        if (name, check) in rows:
            known.setdefault(rows[name, check][0], []).append(check)
    for commands, together in known.items():
        yield "```sh\n" + "\n".join(commands) + "\n```\n"
        yield "| check | answer | right |\n| --- | --- | --- |"
        for check in together:
            found, right = rows[name, check][1], checks[check]
            yield f"| {check} | {_told(found, right)} | {_wanted(right)} |"
        yield ""
    yield from (f"- {check}: {left_out[name, check]}" for check in checks if (name, check) in left_out)


def _told(found: Json, check: Json) -> str:
    return "<br>".join(_cell(f"{name} = {_spelled(value, asserted(check)[name])}") for name, value in found.items())


def _wanted(check: Json) -> str:
    return "<br>".join(_cell(f"{name}: {_right(value)}") for name, value in asserted(check).items())


def _spelled(value: Any, expected: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "nothing"}[value]
    if isinstance(value, list):
        return ", ".join(_spelled(row, None) for row in value) or "nothing"
    if isinstance(value, dict):
        return ", ".join(f"{key} {row}" for key, row in value.items())
    if isinstance(value, float):
        return f"{round(value, 3):g}"
    return _around(value, expected) if isinstance(value, str) else str(value)


def _around(text: str, expected: Any) -> str:
    """Of a long text the lines in which the right words stand."""
    pieces = [expected] if isinstance(expected, str) else expected or []
    if len(text) <= LONGEST and "\n" not in text:
        return text
    lines = [next((row.strip() for row in text.splitlines() if piece in row), "") for piece in pieces]
    return " … ".join(dict.fromkeys(row if len(row) <= LONGEST else f"{row[:LONGEST]}…" for row in lines))


def _right(value: Any) -> str:
    if isinstance(value, dict) and set(value) <= {"min", "max"}:
        if len(value) == 2:
            return f"{value['min']} to {value['max']}"
        return f"at least {value['min']}" if "min" in value else f"at most {value['max']}"
    if isinstance(value, list) and all(isinstance(row, str) for row in value):
        return ", ".join(value) or "nothing"
    return _spelled(value, value) if not isinstance(value, str) else value


def _cell(text: str) -> str:
    """Text within a table."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("\n", " ")
