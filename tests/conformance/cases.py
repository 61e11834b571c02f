"""Upstream's cases: reading them, taking their inputs apart, comparing what the rules give."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

OURS = Path(__file__).parent.parent / "data" / "upstream"

Actual = dict[str, Any]


class Case(NamedTuple):
    stem: str
    area: str
    id: str
    input: dict[str, Any]
    expect: dict[str, Any]


def folder() -> Path:
    return Path(os.environ.get("LOOPSCOPE_CASES") or OURS)


def all_cases(within: Path) -> list[Case]:
    """Of every file in a folder; whole stories, which name a flow and no area, are told elsewhere."""
    return [
        Case(file.stem, row["area"], row["id"], row["input"], row["expect"])
        for file in sorted(within.glob("*.json"))
        for row in json.loads(file.read_text(encoding="utf-8"))
        if "flow" not in row
    ]


class Given:
    """The input of a case or of one of its rows: every key must be taken, or the adapter knows it too little."""

    def __init__(self, values: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
        self._left = {key: value for key, value in values.items() if key not in ("note", "notes", "name", "comment")}
        self._named = values.get("name", "")
        self.wanted = wanted
        self.shared: dict[str, Any] = {}
        """What an adapter has taken once and reads again."""

    def __contains__(self, key: str) -> bool:
        return key in self._left

    @property
    def name(self) -> str:
        return str(self._named)

    def take(self, key: str, default: Any = None) -> Any:
        return self._left.pop(key, default)

    def first(self, *keys: str, default: Any = None) -> Any:
        """The value under the first of several spellings that is there."""
        return next((self._left.pop(key) for key in keys if key in self._left), default)

    def rest(self, suffix: str) -> Iterator[tuple[str, Any]]:
        """All keys with that ending, without it."""
        for key in [key for key in self._left if key.endswith(suffix)]:
            yield key.removesuffix(suffix), self._left.pop(key)

    def part(self, values: Mapping[str, Any]) -> "Given":
        return Given(values, self.wanted)

    def done(self) -> None:
        if self._left:
            unknown(f"input keys {sorted(self._left)}")


Adapter = Callable[[Given], Actual]


def unknown(what: str) -> NoReturn:
    raise AssertionError(f"the adapter does not know {what}")


def actual(adapter: Adapter, case: Case) -> Actual:
    """What our rule says; an input with `rows` is as many inputs."""
    if "rows" not in case.input:
        return _once(adapter, case.input, case.expect)
    shared = {key: value for key, value in case.input.items() if key != "rows"}
    expected = case.expect.get("rows", [])
    assert len(expected) == len(case.input["rows"]), "as many rows expected as given"
    rows = [_once(adapter, shared | row, wanted) for row, wanted in zip(case.input["rows"], expected, strict=True)]
    return {"rows": rows}


def _once(adapter: Adapter, values: Mapping[str, Any], wanted: Mapping[str, Any]) -> Actual:
    given = Given(values, wanted)
    found = adapter(given)
    given.done()
    return found


def differences(expected: Any, found: Any, path: str = "") -> list[str]:
    """Every place where what was found is not what is expected; more than is asked for may be found."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return [line for key, value in expected.items() for line in _in_key(key, value, found, f"{path}.{key}")]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(expected, found, strict=True))
        return [line for number, (one, other) in pairs for line in differences(one, other, f"{path}[{number}]")]
    same = expected == found and isinstance(expected, bool) == isinstance(found, bool)
    return [] if same else [f"{path.lstrip('.')}: expected {expected!r}, got {found!r}"]


def _in_key(key: str, value: Any, found: Mapping[str, Any], path: str) -> list[str]:
    if key in ("note", "notes"):
        return []
    if key in found:
        return differences(value, found[key], path)
    whole = found.get(key.removesuffix("Prefix"))
    if key.endswith("Prefix") and isinstance(whole, str):
        return [] if whole.startswith(value) else [f"{path.lstrip('.')}: {whole!r} does not start with {value!r}"]
    return [f"{path.lstrip('.')}: the adapter gives no such value"]
