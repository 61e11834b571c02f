"""What commands of the table print as JSON, and the questions that are asked of it again and again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import yaml

from app.cli import main

ROOT = Path(__file__).resolve().parent.parent.parent
COMMANDS = ROOT / "docs" / "cases" / "commands.yaml"

Json = dict[str, Any]
Answer = Callable[["Report"], Any]


class Row(NamedTuple):
    """Some checks of a case and the commands that answer them, the first of which tells most."""

    checks: tuple[str, ...]
    commands: tuple[str, ...]


@cache
def table() -> dict[str, tuple[Row, ...]]:
    """By case, its rows."""
    found = yaml.safe_load(COMMANDS.read_text())
    return {
        case: tuple(Row(tuple(row["checks"]), tuple(row["commands"])) for row in rows) for case, rows in found.items()
    }


class Report:
    """What one command printed; `others` are those of the further commands of its row."""

    def __init__(self, found: Json, others: Sequence[Report] = ()) -> None:
        self.found = found
        self.others = others

    @property
    def steps(self) -> list[Json]:
        rows: list[Json] = self.found["steps"]
        return rows

    def at(self, moment: str, about: str = "") -> float | None:
        """When a moment first came (to an object whose name begins so)."""
        return next(iter(self.times(moment, about)), None)

    def times(self, moment: str, about: str = "") -> list[float]:
        return [row["at"] for row in self.steps if row["moment"] == moment and name(row).startswith(about)]

    def verbs(self, verb: str, loop: str = "") -> list[Json]:
        return [row for row in self.steps if row["verb"] == verb and loop in ("", row["loop"])]

    def fact(self, wanted: str) -> Any:
        """A fact that was asked for, or a verdict of the flow."""
        rows = [*self.found.get("facts", ()), *self.found["verdicts"]]
        return next(row["value"] for row in rows if row["id"] == wanted)

    def objects(self, kind: str, begins: str = "") -> list[Json]:
        """What is there at the end."""
        rows = [row for row in self.found["objects"] if row["kind"] == kind]
        return [row for row in rows if row["metadata"]["name"].startswith(begins)]

    def changes(self, kind: str) -> Iterator[tuple[Json, Json]]:
        """Every step with each field that it changed in objects of a kind."""
        for row in self.steps:
            for change in row["changes"]:
                if change["object"].startswith(f"{kind.lower()}/"):
                    yield row, change

    def created(self, begins: str = "") -> list[Json]:
        """The steps that made pods."""
        rows = [row for row in self.verbs("create-pod") if row["outcome"] == "ok"]
        return [row for row in rows if name(row).startswith(begins)]

    def printed(self) -> str:
        return "\n".join(row["text"] for row in self.found["output"])

    def events(self, reason: str = "") -> list[Json]:
        return [row for row in self.found["events"] if reason in ("", row["reason"])]


def name(step: Json) -> str:
    """The name of what a step is about."""
    text: str = step["object"]
    return text.rpartition("/")[2]


@cache
def report(commands: tuple[str, ...]) -> Report:
    """Run the commands of a row, from the root of the project as readers do."""
    found = [_run(line) for line in commands]
    return Report(found[0], [Report(row) for row in found[1:]])


@cache
def _run(line: str) -> Json:
    program, *arguments = shlex.split(line)
    assert program == "loopscope"
    with TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        assert main([*arguments, "--format", "json", "-o", str(out)]) in (0, 1)
        found: Json = json.loads(out.read_text())
    return found
