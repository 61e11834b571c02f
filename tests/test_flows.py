"""Every flow and scene: its golden trace, its claims, and each symptom seen where it is shown and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.catalog.reading import flow, flows
from app.sim.walk import Record
from app.story.claims import parse
from app.story.fact import Subject
from app.story.facts import FACTS
from app.story.play import Play, play, request
from app.story.words import title

GOLDEN = Path(__file__).parent / "golden"
WALKS = [(name, scene.id) for name, row in sorted(flows().items()) for scene in row.scenes] + [
    (name, "") for name in sorted(flows())
]


def played(name: str, scene: str) -> Play:
    return play(request(name, scene=scene))


def line(row: Record) -> str:
    """One step of a golden trace."""
    step = row.step
    parts = [f"{step.at / 1000:9.3f}", row.id, f"{step.sender} -> {step.to}", step.outcome]
    return "  ".join(part for part in (*parts, f"[{step.moment}]" if step.moment else "") if part)


@pytest.mark.parametrize(("name", "scene"), WALKS)
def test_the_walk_is_the_golden_one(name: str, scene: str, update_golden: bool) -> None:
    """Written by --update-golden, and read by a person before it is committed."""
    walk = played(name, scene)
    verdicts = [f"= {row.id}: {row.text}" for row in walk.verdicts]
    text = "\n".join([*(line(row) for row in walk.steps), f"stopped: {walk.walk.stopped}", *verdicts]) + "\n"
    path = GOLDEN / f"{name}.{scene or 'default'}.trace"
    if update_golden:
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize(("name", "scene"), WALKS)
def test_a_walk_shows_what_it_claims(name: str, scene: str) -> None:
    row = flow(name)
    claims = next((found.claims for found in row.scenes if found.id == scene), row.claims)
    walk = played(name, scene)
    subject = Subject(walk.walk, walk.target)
    broken = [
        (text, FACTS[claim.name](subject).value)
        for text in claims
        for claim in parse(text, FACTS)
        if not claim.holds(FACTS[claim.name](subject).value)
    ]
    assert not broken


UNFIT = re.compile(
    r"\{\w+\}|  |\bnone\b.*\bnone\b|(?<![\w.-])1 (?:change|call|pod|node|request)s\b|\w\.node-\d|: ok$|:$"
)
"""What no sentence may hold: a name that was not filled, several times nothing, and what only the model calls so."""


@pytest.mark.parametrize(("name", "scene"), WALKS)
def test_every_sentence_about_a_walk_is_one(name: str, scene: str) -> None:
    walk = played(name, scene)
    told = [*(title(walk.flow, row) for row in walk.steps), *(row.text for row in walk.verdicts)]
    assert not [text for text in told if UNFIT.search(text)]


@pytest.mark.parametrize("name", sorted(flows()))
def test_the_default_walk_shows_the_one_symptom_it_is_about(name: str) -> None:
    present = [row.id for row in played(name, "").symptoms if row.present]
    about = flow(name).about
    assert present == ([about] if about else [])


@pytest.mark.parametrize(
    ("name", "symptom", "scene"),
    [(name, row.id, row.scene) for name, found in sorted(flows().items()) for row in found.symptoms],
)
def test_a_symptom_is_seen_in_its_scene(name: str, symptom: str, scene: str) -> None:
    assert symptom in [row.id for row in played(name, scene).symptoms if row.present]


def test_every_golden_trace_belongs_to_a_scene() -> None:
    expected = {f"{name}.{scene or 'default'}.trace" for name, scene in WALKS}
    assert {path.name for path in GOLDEN.glob("*.trace")} == expected
