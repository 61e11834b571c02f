"""Holds every flow against the code and its own walks, and tells what of a list the flows teach."""

from __future__ import annotations

from pathlib import Path

from app.catalog import coverage as covering
from app.catalog.checking import Known, acts_without_words, check_flow, check_lexicon
from app.catalog.flow import Flow
from app.catalog.reading import flows, lexicon, source
from app.errors import BadInput
from app.kube.yaml_values import written
from app.story.claims import parse
from app.story.facts import FACTS
from app.story.play import Play, play, request
from app.story.searching import SEARCHED

VERDICTS = tuple(dict.fromkeys((*FACTS, *SEARCHED)))


def check_all() -> list[str]:
    """One line for every fault of every flow, its walks included."""
    known = Known(verdicts=VERDICTS, claim=lambda text: parse(text, FACTS))
    found: list[str] = []
    for name, flow in flows().items():
        problems = check_flow(flow, known) or covering.never_occurring(flow, occurring(flow))
        found += source(name).told(problems)
    return found + _lexicon()


def _lexicon() -> list[str]:
    """Sentences for acts that no loop takes or that name what no step knows, and acts of walks without a sentence."""
    words = lexicon()
    wrong = [f"lexicon.yaml: {written(problem.path)}: {problem.text}" for problem in check_lexicon(words)]
    acts = {
        f"{row.step.loop}.{row.step.verb}" for flow in flows().values() for walk in walks(flow) for row in walk.steps
    }
    return wrong + [f"lexicon.yaml: acts has no sentence for {act}" for act in acts_without_words(words, acts)]


def walks(flow: Flow) -> list[Play]:
    """The default walk, and that of each scene."""
    return [play(request(flow.id, scene=scene)) for scene in ("", *(row.id for row in flow.scenes))]


def occurring(flow: Flow) -> list[str]:
    """The moments that happen in the default walk or in a scene, in order of first appearance."""
    return list(dict.fromkeys(row.step.moment for walk in walks(flow) for row in walk.steps if row.step.moment))


def coverage(path: Path) -> dict[str, list[str]]:
    """What the flows cover of the rows in a file, and what is missing."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise BadInput([f"{path}: cannot be read: {error.strerror}"]) from None
    rows = covering.read_rows(text, str(path))
    return covering.coverage(rows, flows(), {name: occurring(flow) for name, flow in flows().items()})
