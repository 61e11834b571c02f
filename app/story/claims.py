"""Claims about a walk: `NAME OP VALUE`, joined by `and`, such as `requests-failed > 0 and killed == no`.

A name alone claims that it came about: a `yes`, an instant, a count that is not 0.
"""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from app.errors import BadInput
from app.kube import durations

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
FORM = (
    "the form is NAME, or NAME OP VALUE, with OP one of == != < <= > >= and VALUE a number, a duration, yes, no, "
    "or with == and != one of Kubernetes' words, such as Burstable"
)
PART = re.compile(r"^([a-z][a-z0-9-]*)(?:\s*(==|!=|<=|>=|<|>)\s*(\S+))?$")

WORD = re.compile(r"[A-Z][A-Za-z]+", re.ASCII)


class Claim(Struct, frozen=True):
    """One comparison, or with no operator that it came about. Durations are in seconds, yes and no are 1 and 0."""

    name: str
    operator: str
    value: float | str

    def holds(self, value: float | bool | str | None) -> bool:
        """Whether it is true of a fact; of what did not happen nothing holds."""
        if value is None:
            return False
        if not self.operator:
            return bool(value)
        if isinstance(value, str) or isinstance(self.value, str):
            return (value == self.value) == (self.operator == "==")
        return OPERATORS[self.operator](float(value), self.value)


def parse(text: str, names: Mapping[str, object]) -> tuple[Claim, ...]:
    """Read a claim; BadInput lists every part that is wrong. `names` are the facts that exist."""
    claims: list[Claim] = []
    problems: list[str] = []
    for part in re.split(r"\s+and\s+", text.strip()):
        found = PART.match(part.strip())
        if found is None:
            problems.append(f"claim {part!r}: {FORM}")
            continue
        name, sign, word = found.groups()
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            problems.append(f"claim {part!r}: no fact is called {name!r}{hint} allowed: {', '.join(names)}")
            continue
        try:
            claims.append(Claim(name, sign, _value(word, sign)) if sign else Claim(name, "", 1.0))
        except ValueError:
            problems.append(f"claim {part!r}: {word!r} is no value; {FORM}")
    if problems:
        raise BadInput(problems)
    return tuple(claims)


def _value(word: str, sign: str) -> float | str:
    if word in ("yes", "true"):
        return 1.0
    if word in ("no", "false"):
        return 0.0
    if sign in ("==", "!=") and WORD.fullmatch(word):
        return word
    try:
        return float(word)
    except ValueError:
        return durations.parse(word) / 1000
