"""Everything that can be said to the model besides plain Kubernetes objects, as the code that reads it has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from app.catalog import reading, strict_walk, values
from app.catalog.flow import Flow
from app.catalog.reading import told
from app.errors import BadInput
from app.kube import disks, durations, load_balancer, machine_grammar, patching
from app.kube.annotations import PREFIX, READERS, VOLUME
from app.kube.yaml_reading import read_documents
from app.kube.yaml_values import Problem
from app.paths import flows_dir
from app.sim.interventions import VERBS

FILE = "inputs.yaml"
NONSENSE = "?!"
"""What no reader takes, so that it says what it would take."""
DURATION = f"a duration such as {durations.ALLOWED}"


class Meanings(Struct, frozen=True):
    """`flows/inputs.yaml`: what each name means, by where it is said."""

    pods: dict[str, str]
    volumes: dict[str, str]
    nodes: dict[str, str]
    disks: dict[str, str]
    services: dict[str, str]
    patches: dict[str, str]
    verbs: dict[str, str]


class Input(Struct, frozen=True):
    """One thing that can be said."""

    name: str
    """An annotation in full, or the form of an intervention."""
    allowed: str
    """What may stand there; empty where the name has it."""
    meaning: str


class OfFlow(Struct, frozen=True):
    """What may be set in one flow."""

    id: str
    title: str
    settings: tuple[Input, ...]


class Inputs(Struct, frozen=True):
    """All of them, in the order in which the code has them."""

    pods: tuple[Input, ...]
    nodes: tuple[Input, ...]
    disks: tuple[Input, ...]
    services: tuple[Input, ...]
    patches: tuple[Input, ...]
    verbs: tuple[Input, ...]
    flows: tuple[OfFlow, ...]


def inputs() -> Inputs:
    """What the code reads, with the words for it; BadInput when the file of words is broken."""
    words = meanings()
    return Inputs(
        pods=(
            *_annotations("", READERS, words.pods),
            *_annotations("NAME.", {VOLUME: READERS["disk"]}, words.volumes),
        ),
        nodes=_annotations("", machine_grammar.READERS, words.nodes),
        disks=tuple(
            Input(PREFIX + name, f"{DURATION}, {never}", words.disks.get(name, ""))
            for name, never in disks.NEVER.items()
        ),
        services=tuple(
            Input(PREFIX + name, ", ".join(allowed), words.services.get(name, ""))
            for name, allowed in load_balancer.READERS.items()
        ),
        patches=tuple(
            Input(f"{patching.ANNOTATION}: {word}", "", words.patches.get(word, "")) for word in patching.WORDS
        ),
        verbs=tuple(Input(verb.usage, "", words.verbs.get(name, "")) for name, verb in VERBS.items()),
        flows=tuple(_of_flow(flow) for flow in reading.flows().values()),
    )


def meanings() -> Meanings:
    """The words; every fault of the file with its line."""
    given = read_documents((flows_dir() / FILE).read_text(encoding="utf-8"), FILE)
    if given.problems:
        raise BadInput(list(given.problems))
    problems: list[Problem] = []
    root = given.documents[0].root
    found = strict_walk.read(Meanings, root, problems)
    if problems:
        raise BadInput(told(FILE, root, problems))
    return found


def _of_flow(flow: Flow) -> OfFlow:
    rows = [Input(row.name, values.allowed(row), f"{row.title}. {row.help}".rstrip()) for row in flow.settings]
    return OfFlow(flow.id, flow.title, tuple(rows))


def _annotations(
    before: str, readers: Mapping[str, Callable[[str], Any]], words: Mapping[str, str]
) -> tuple[Input, ...]:
    return tuple(
        Input(f"{PREFIX}{before}{name}", allowed(reader), words.get(name, "")) for name, reader in readers.items()
    )


def allowed(reader: Callable[[str], Any]) -> str:
    """What a reader takes, in its own words."""
    try:
        reader(NONSENSE)
    except ValueError as error:
        told_allowed = str(error).partition("allowed: ")[2]
        return told_allowed or DURATION
    return "any text"
