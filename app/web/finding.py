"""What are you seeing? Symptoms found by the words that people type, or by a message that they paste."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import log2

from app.catalog.flow import Flow, Symptom
from app.web.address import Query
from app.web.pages import Finding

MOST = 12
MOST_WORDS = 60
# Words that stand in every question and tell symptoms apart in none.
PLAIN = frozenset(
    {"a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "during", "every", "for", "from"}
    | {"i", "if", "in", "is", "it", "its", "my", "of", "on", "or", "our", "the", "this", "to", "was", "we", "why"}
    | {"will", "with"}
)
WHOLE, BEGINS, INSIDE = 1.0, 0.5, 0.25
TYPED, TITLE, REST = 3, 2, 1
# Of a fragment of a message so much has to be there, by the weight of its words: names and numbers in it vary.
NEARLY = 0.75
MOSTLY = 0.5
PHRASE = 4
# What has less than this part of the best one's score has words with the question in common, and no more.
WORTH = 0.25


@dataclass(frozen=True)
class _Known:
    """A symptom, and its words where people look for them."""

    flow: Flow
    symptom: Symptom
    phrases: tuple[tuple[str, ...], ...]
    typed: frozenset[str]
    title: frozenset[str]
    rest: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        return self.typed | self.title | self.rest


def find(flows: Iterable[Flow], asked: str, theme: str = "") -> tuple[Finding, ...]:
    """Symptoms that have the words, the best first; all in the catalogue's order for no words.

    Of equals those go first for which people type just that.
    """
    known = [_known(flow, symptom) for flow in flows for symptom in flow.symptoms]
    wanted = words_of(asked)[:MOST_WORDS]
    if not wanted:
        return tuple(_finding(row, theme) for row in known)
    weights = _weights(known, wanted)
    rated = [(_score(row, wanted, weights), row) for row in known]
    least = WORTH * max((score for score, _ in rated), default=0)
    found = [(score, row) for score, row in rated if score and score >= least]
    ordered = sorted(found, key=lambda pair: (-pair[0], not _just(pair[1].symptom, asked)))
    return tuple(_finding(row, theme, fits=_fits(row, wanted, weights)) for _, row in ordered[:MOST])


def _known(flow: Flow, symptom: Symptom) -> _Known:
    phrases = tuple(words_of(text) for text in symptom.words)
    return _Known(
        flow=flow,
        symptom=symptom,
        phrases=phrases,
        typed=frozenset(word for phrase in phrases for word in phrase),
        title=frozenset(words_of(symptom.title)),
        rest=frozenset(words_of(f"{symptom.cause} {symptom.look}")),
    )


def _just(symptom: Symptom, asked: str) -> bool:
    return asked.strip().lower() in [text.lower() for text in symptom.words]


@lru_cache(maxsize=4096)
def words_of(text: str) -> tuple[str, ...]:
    """The words that tell something: `502s` also means 502, and the end of `node(s)` nothing."""
    found = (word.strip(".-") for word in re.findall(r"[\w.-]+", text.lower()))
    telling = (word for word in found if word not in PLAIN and (len(word) > 1 or word.isdigit()))
    return tuple(dict.fromkeys(_stem(word) for word in telling))


def _stem(word: str) -> str:
    """Without its ending: node, nodes; refuse, refuses, refused, refusing."""
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _weights(known: list[_Known], wanted: tuple[str, ...]) -> dict[str, float]:
    """A word that few symptoms have says more than one that stands in many, such as pod or error."""
    rows = Counter(word for row in known for word in row.words)
    return {word: log2(1 + len(known) / max(1, rows[word])) for word in (*rows, *wanted)}


def _score(row: _Known, wanted: tuple[str, ...], weights: dict[str, float]) -> float:
    """What people type counts most, then the title, then the rest; and a whole fragment of a message most of all."""
    words = sum(
        weights[word]
        * max(TYPED * _best(word, row.typed), TITLE * _best(word, row.title), REST * _best(word, row.rest))
        for word in wanted
    )
    return words + PHRASE * max((_shared(phrase, wanted, weights) for phrase in row.phrases), default=0)


def _shared(phrase: tuple[str, ...], wanted: tuple[str, ...], weights: dict[str, float]) -> float:
    """The weight of the words of a fragment, if nearly all of them are there."""
    there = sum(weights[word] for word in phrase if word in wanted)
    return there if len(phrase) > 1 and there >= NEARLY * sum(weights[word] for word in phrase) else 0


def _best(word: str, known: frozenset[str]) -> float:
    if word in known:
        return WHOLE
    if len(word) >= 3 and any(
        other.startswith(word) or (len(other) >= 3 and word.startswith(other)) for other in known
    ):
        return BEGINS
    return INSIDE if len(word) >= 4 and any(word in other for other in known) else 0


def _fits(row: _Known, wanted: tuple[str, ...], weights: dict[str, float]) -> bool:
    """Whether a fragment of its messages is there, or most of what was typed; what has digits in it may be a name."""
    if any(_shared(phrase, wanted, weights) for phrase in row.phrases):
        return True
    telling = [word for word in wanted if not re.search(r"\d", word) or word in row.words]
    there = sum(weights[word] * _best(word, row.words) for word in telling)
    return there >= MOSTLY * sum(weights[word] for word in telling)


def _finding(row: _Known, theme: str, *, fits: bool = True) -> Finding:
    flow, symptom = row.flow, row.symptom
    walk = Query(scene=symptom.scene, theme=theme)
    return Finding(
        title=symptom.title,
        cause=symptom.cause,
        look=symptom.look,
        flow_title=flow.title,
        flow_href=f"/f/{flow.id}{Query(theme=theme)}",
        href=f"/f/{flow.id}{walk.near(symptom.id)}",
        words=symptom.words,
        fits=fits,
    )
