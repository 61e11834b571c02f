"""`flows/own.yaml`: the words about a reader's own manifests."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from msgspec import Struct

from app.catalog import strict_walk
from app.errors import BadInput
from app.kube.yaml_reading import read_documents
from app.kube.yaml_values import Problem, written
from app.paths import flows_dir

FILE = "own.yaml"
MOST_NAMES = 8
"""Names that one sentence tells; of more it says how many."""


class Question(Struct, frozen=True):
    """What the reader is asked."""

    name: str
    title: str
    help: str


class Words(Struct, frozen=True):
    """All of them."""

    questions: tuple[Question, ...]
    assumed: dict[str, str]
    """By what is assumed, a sentence with {names}."""


@cache
def words() -> Words:
    """The words; BadInput for every fault of the file."""
    reading = read_documents((flows_dir() / FILE).read_text(encoding="utf-8"), FILE)
    if reading.problems:
        raise BadInput(list(reading.problems))
    problems: list[Problem] = []
    found = strict_walk.read(Words, reading.documents[0].root, problems)
    if problems:
        raise BadInput([f"{FILE}: {written(row.path)}: {row.text}" for row in problems])
    return found


def sentence(what: str, names: Sequence[str]) -> str:
    """One thing that is assumed, told."""
    listed = ", ".join(names[:MOST_NAMES])
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return words().assumed[what].replace("{names}", f"{listed}{more}")
