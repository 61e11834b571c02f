"""A team's claims in a file beside its manifests: what must hold, of which walk."""

from __future__ import annotations

from msgspec import Struct

from app.catalog import strict_walk
from app.catalog.reading import told
from app.errors import BadInput
from app.kube.yaml_reading import read_documents
from app.kube.yaml_values import ListNode, MapNode, Node, Problem, ScalarNode


class Asked(Struct, frozen=True):
    """One claim (see `story.claims`), and the walks that it is about."""

    claim: str
    flow: str = ""
    """Empty: every flow that has all of its names among its verdicts."""
    scene: str = ""
    settings: dict[str, str] = {}


class _File(Struct, frozen=True):
    claims: tuple[Asked, ...]


def read(text: str, file: str) -> tuple[Asked, ...]:
    """The list under `claims`: each a text, or a mapping with the keys of `Asked`. BadInput lists every fault."""
    reading = read_documents(text, file)
    faults = list(reading.problems)
    if len(reading.documents) != 1 and not faults:
        faults.append(f"{file}: found {len(reading.documents)} documents; allowed: one, with a list under `claims`")
    if faults:
        raise BadInput(faults)
    root = _spelled_out(reading.documents[0].root)
    problems: list[Problem] = []
    found = strict_walk.read(_File, root, problems)
    if problems:
        raise BadInput(told(file, root, problems))
    return found.claims


def _spelled_out(root: Node) -> Node:
    """`- requests-failed == 0` is short for a mapping that says no more."""
    rows = root.entries.get("claims") if isinstance(root, MapNode) else None
    if not isinstance(root, MapNode) or not isinstance(rows, ListNode):
        return root
    items = tuple(
        MapNode({"claim": row}, {"claim": row.line}, row.line) if isinstance(row, ScalarNode) else row
        for row in rows.items
    )
    return MapNode({**root.entries, "claims": ListNode(items, rows.line)}, root.lines, root.line)
