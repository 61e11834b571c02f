"""Steps in words, from the flow's moments and the shared lexicon."""

from __future__ import annotations

import string
from collections.abc import Mapping

from msgspec import Struct

from app.catalog.flow import Flow, Moment
from app.catalog.reading import lexicon
from app.catalog.wording import reworded
from app.kube.meta import Ref
from app.sim.ledger import requests
from app.sim.walk import Record
from app.sim.world import World

DEPTHS = ("junior", "middle", "senior", "principal")


class Passage(Struct, frozen=True):
    """What one step means."""

    title: str
    text: str
    moment: str
    harm: bool
    """Whether requests fail right now."""
    failed: float
    """Requests that failed so far."""
    window: float
    """Seconds for which requests have failed so far."""


class _Gaps(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "{" + key + "}"


def filled(text: str, words: Mapping[str, str]) -> str:
    """A template with its names filled in; unknown names stay as they are, so that `check` can point at them."""
    return string.Formatter().vformat(text, (), _Gaps(words))


def words_of(row: Record) -> dict[str, str]:
    """What the titles and notes of a step may name."""
    step = row.step
    return {
        "object": str(step.object),
        "name": _named(step.object),
        "node": step.node,
        "at": f"{step.at / 1000:.3f} s",
        "reason": step.reason,
        "outcome": step.outcome,
        "from": step.sender,
        "to": step.to,
        "verb": step.verb,
    }


def _named(ref: Ref) -> str:
    """A process of a node as it is spoken of elsewhere: `kubelet on node-1`."""
    return ref.name.replace(".", " on ", 1) if ref.kind == "Process" else ref.name


def moment(flow: Flow, name: str) -> Moment | None:
    return next((row for row in flow.moments if row.id == name), None) if name else None


def title(flow: Flow, row: Record, acts: Mapping[str, str] | None = None) -> str:
    """The moment's title in the flow, or the lexicon's sentence for that moment of the act, or for the act.

    Who tells many steps gives the lexicon's `acts`: to look at its file each time takes a millisecond.
    """
    found = moment(flow, row.step.moment)
    act, acts = f"{row.step.loop}.{row.step.verb}", lexicon().acts if acts is None else acts
    usual = acts.get(f"{act}:{row.step.moment}") or acts.get(act, "{from}: {verb} {object}")
    text = found.title if found else usual
    # That it went well, or for no reason that has a name, is nothing to add.
    words = words_of(row)
    for name in ("outcome", "reason"):
        if words[name] in ("", "ok"):
            text = text.removesuffix(f": {{{name}}}")
    return reworded(filled(text, words), flow.terms, prose=True)


def tell(flow: Flow, row: Record | None, world: World, depth: str, acts: Mapping[str, str] | None = None) -> Passage:
    """The passage of a step; None stands for the start."""
    ledger = world.ledger
    failed = float(round(requests(ledger.exposure(world.now), world.load, len(world.nodes)), 3))
    end = world.now if ledger.loses else (ledger.last or 0)
    window = (end - ledger.first) / 1000 if ledger.first is not None else 0.0
    harm = ledger.loses
    if row is None:
        return Passage(flow.title, flow.summary, "", harm, failed, window)
    found = moment(flow, row.step.moment)
    text = reworded(filled(getattr(found.notes, depth), words_of(row)), flow.terms, prose=True) if found else ""
    return Passage(title(flow, row, acts), text, row.step.moment, harm, failed, window)
