"""Which rows of a coverage list the flows teach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from app.catalog.flow import Flow
from app.errors import BadInput
from app.kube.yaml_values import Problem
from app.sim.walk import Walk

# A row of these kinds is taught by something that happens, not by words beside it.
HAPPENING = frozenset({"step", "fact"})


class Row(msgspec.Struct, frozen=True):
    """One thing to be taught."""

    id: str
    flow: str
    kind: str
    seed: str = ""
    what: str = ""


def read_rows(text: bytes, file: str) -> tuple[Row, ...]:
    """The rows of a coverage list; BadInput when it is none."""
    try:
        rows = msgspec.json.decode(text, type=tuple[Row, ...])
    except msgspec.DecodeError as error:
        raise BadInput([f"{file}: {error}; allowed: a JSON list of rows with id, flow and kind"]) from None
    return rows


def occurring(walks: Iterable[Walk]) -> set[str]:
    """The moments that a reader meets in some of the walks; folded acts have none that is seen."""
    return {record.step.moment for walk in walks for record in walk.steps if record.step.moment}


def covered_by(flow: Flow, kinds: Mapping[str, str], occurring: Iterable[str]) -> set[str]:
    """The ids that a flow covers; `occurring` are the moments of its default walk and of its scenes' walks."""
    happening = set(occurring)
    moments = {row.id: row for row in flow.moments}
    shown = {id for name, row in moments.items() if name in happening for id in row.covers}
    told = {
        id for part in (flow.symptoms, flow.questions, flow.traps, flow.figures) for row in part for id in row.covers
    }
    return shown | {id for id in told if kinds.get(id) not in HAPPENING}


def coverage(
    rows: Iterable[Row], flows: Mapping[str, Flow], occurring: Mapping[str, Iterable[str]]
) -> dict[str, list[str]]:
    """`covered` and `missing` ids, in the order of the rows; `occurring` are each flow's moments that really occur."""
    rows = tuple(rows)
    kinds = {row.id: row.kind for row in rows}
    found = {id for name, flow in flows.items() for id in covered_by(flow, kinds, occurring.get(name, ()))}
    return {
        "covered": [row.id for row in rows if row.id in found],
        "missing": [row.id for row in rows if row.id not in found],
    }


def never_occurring(flow: Flow, occurring: Iterable[str]) -> list[Problem]:
    """Moments that no walk of the flow shows, so that their notes are never read."""
    happening = sorted(set(occurring))
    return [
        Problem(
            ("moments", at, "id"),
            f'"{row.id}" occurs neither in the default walk nor in a scene; what occurs: {", ".join(happening)}',
        )
        for at, row in enumerate(flow.moments)
        if row.id not in happening
    ]


def as_json(found: Mapping[str, Any]) -> str:
    """The form that `check --coverage --format json` prints."""
    return msgspec.json.format(msgspec.json.encode(found), indent=1).decode()
