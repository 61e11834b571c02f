"""What are you seeing? Symptoms found by the words that people type."""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.catalog.flow import Flow, Symptom
from app.web.address import Query
from app.web.pages import Finding

MOST = 12
MOST_WORDS = 20
# Words that stand in every question and tell symptoms apart in none.
PLAIN = frozenset(
    {"a", "an", "and", "are", "at", "but", "by", "do", "does", "during", "every", "for", "from", "i", "in", "is", "it"}
    | {"my", "of", "on", "or", "our", "the", "to", "we", "why", "with"}
)
WHOLE, BEGINS, INSIDE = 4, 2, 1


def find(flows: Iterable[Flow], asked: str, theme: str = "") -> tuple[Finding, ...]:
    """Symptoms that have the words, the best first; all in the catalogue's order for no words.

    Of equals those go first for which people type just that.
    """
    wanted = words_of(asked)[:MOST_WORDS]
    rated = []
    for flow in flows:
        for symptom in flow.symptoms:
            score = _score(symptom, wanted)
            if score or not wanted:
                rated.append(((-score, bool(wanted) and not _just(symptom, asked)), _finding(flow, symptom, theme)))
    ordered = sorted(rated, key=lambda pair: pair[0])
    return tuple(finding for _, finding in (ordered[:MOST] if wanted else ordered))


def _just(symptom: Symptom, asked: str) -> bool:
    return asked.strip().lower() in [text.lower() for text in symptom.words]


def words_of(text: str) -> tuple[str, ...]:
    """The words that tell something: `502s` also means 502."""
    found = [word for word in re.findall(r"[\w.-]+", text.lower()) if word not in PLAIN]
    return tuple(dict.fromkeys(_stem(word) for word in found))


def _stem(word: str) -> str:
    bare = word.strip(".-")
    for ending in ("ing", "ed", "es", "s"):
        if bare.endswith(ending) and len(bare) - len(ending) >= 3:
            return bare.removesuffix(ending)
    return bare


def _score(symptom: Symptom, wanted: tuple[str, ...]) -> int:
    """What people type counts most, then the title, then the rest."""
    typed = words_of(" ".join(symptom.words))
    title = words_of(symptom.title)
    rest = words_of(f"{symptom.cause} {symptom.look}")
    return sum(3 * _best(word, typed) or 2 * _best(word, title) or _best(word, rest) for word in wanted)


def _best(word: str, known: tuple[str, ...]) -> int:
    if word in known:
        return WHOLE
    if len(word) >= 3 and any(
        other.startswith(word) or (len(other) >= 3 and word.startswith(other)) for other in known
    ):
        return BEGINS
    return INSIDE if len(word) >= 4 and any(word in other for other in known) else 0


def _finding(flow: Flow, symptom: Symptom, theme: str) -> Finding:
    walk = Query(scene=symptom.scene, theme=theme)
    return Finding(
        title=symptom.title,
        cause=symptom.cause,
        look=symptom.look,
        flow_title=flow.title,
        flow_href=f"/f/{flow.id}{Query(theme=theme)}",
        href=f"/f/{flow.id}{walk.near(symptom.id)}",
        words=symptom.words,
    )
