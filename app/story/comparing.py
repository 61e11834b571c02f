"""Two walks of one flow on one clock: which steps they share, where they part, and what each comes to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from app.kube.names import generated_suffix
from app.kube.objects import Object
from app.kube.pods import Pod
from app.sim.maps import ordered
from app.sim.walk import Record, Walk
from app.story.play import Answered, Play, differences
from app.story.words import title

GENERATED = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")
"""A name as it stands in an id."""
HASH = "pod-template-hash"
INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T")


class Place(Struct, frozen=True):
    """A step in one of the walks."""

    n: int
    at: int
    """Milliseconds."""
    outcome: str
    says: tuple[str, ...] = ()
    """What it writes and prints, without times, and with names as they are in both walks."""


class Pair(Struct, frozen=True):
    """The same step in both walks, or one that only one of them has."""

    id: str
    """What makes it the same step; no address."""
    title: str
    first: Place | None
    second: Place | None

    @property
    def state(self) -> str:
        """same, later, earlier (in the second), changed (in outcome or words), first or second (only there)."""
        if self.first is None:
            return "second"
        if self.second is None:
            return "first"
        if self.first.outcome != self.second.outcome:
            return "changed"
        if self.first.at == self.second.at:
            return "same" if self.first.says == self.second.says else "changed"
        return "later" if self.second.at > self.first.at else "earlier"

    @property
    def words(self) -> tuple[str, str] | None:
        """The first thing that each says and the other does not; None where both say the same."""
        if self.first is None or self.second is None or self.first.says == self.second.says:
            return None
        mine = next((text for text in self.first.says if text not in self.second.says), "")
        theirs = next((text for text in self.second.says if text not in self.first.says), "")
        return (mine, theirs) if mine or theirs else None


class Judged(Struct, frozen=True):
    """A verdict in both walks."""

    id: str
    title: str
    first: Answered
    second: Answered

    @property
    def differs(self) -> bool:
        """Whether the number or the words are not the same."""
        return (self.first.value, self.first.text) != (self.second.value, self.second.text)


class Comparison(Struct, frozen=True):
    """Both walks, step by step in the order of their time."""

    pairs: tuple[Pair, ...]
    verdicts: tuple[Judged, ...]

    @property
    def parts_at(self) -> int | None:
        """Where in `pairs` the walks first differ; None when they never do."""
        return next((at for at, pair in enumerate(self.pairs) if pair.state != "same"), None)


def compare(first: Play, second: Play) -> Comparison:
    """Steps are the same when the same loop does the same to the same object for the same reason, as often as before.

    Generated names follow from the template, so that a pod has another name in each walk; it counts as the same when it
    is the same one of the same workload.
    """
    names = _names(first.walk), _names(second.walk)
    mine, theirs = _by_id(first, names[0]), _by_id(second, names[1])
    found = [
        Pair(id, title(first.flow, row), _place(row, names[0]), _place(theirs.get(id), names[1]))
        for id, row in mine.items()
    ]
    found += [
        Pair(id, title(second.flow, row), None, _place(row, names[1])) for id, row in theirs.items() if id not in mine
    ]
    answers = {row.id: row for row in second.verdicts}
    verdicts = tuple(Judged(row.id, row.title, row, answers[row.id]) for row in first.verdicts)
    return Comparison(tuple(sorted(found, key=_order)), verdicts)


def _by_id(played: Play, names: Mapping[str, str]) -> dict[str, Record]:
    """The steps by what they are: of the writes of one object, the first that has that reason is another step."""
    found: dict[str, Record] = {}
    for row in played.steps:
        step = row.step
        plain = _plain(step.id, names)
        plain = " ".join(part for part in (plain, step.moment, step.reason) if part)
        count = 1
        while (id := plain if count == 1 else f"{plain} ({count})") in found:
            count += 1
        found[id] = row
    return found


def _names(walk: Walk) -> dict[str, str]:
    """Every generated name by what it stands for: `web/2-1` is the first pod of the second ReplicaSet of web."""
    makers: dict[str, str] = {}
    """What the object with a uid is called here."""
    made: dict[str, int] = {}
    found: dict[str, str] = {}
    for obj in _appearing(walk):
        owner = obj.metadata.controller
        if owner is None:
            continue
        maker = makers.get(owner.uid, owner.name)
        made[owner.uid] = count = made.get(owner.uid, 0) + 1
        per = f"{obj.kind}/{maker}"
        if isinstance(obj, Pod):
            ordinal = _ordinal(obj.metadata.name, owner.uid, walk)
            called = f"{maker}-{ordinal or count}"
        else:
            made[per] = made.get(per, 0) + 1
            called = f"{maker}/{made[per]}"
        makers[obj.metadata.uid] = found[obj.metadata.name] = found[obj.metadata.uid] = called
        if not isinstance(obj, Pod) and HASH in obj.metadata.labels:
            found[obj.metadata.labels[HASH]] = called
    return found


def _ordinal(name: str, owner: str, walk: Walk) -> int:
    """Which of its maker's pods that is; 0 where its name is not generated."""
    suffix = name.rpartition("-")[2]
    last = walk.world.counters.get(owner, 0)
    return next((count for count in range(1, last + 1) if generated_suffix(owner, count) == suffix), 0)


def _appearing(walk: Walk) -> Iterator[Object]:
    """Every object once: those at the start by age and name, makers first, then the rest as they are created."""
    start = [row.object for _, row in ordered(walk.start.etcd.objects)]
    yield from sorted(start, key=lambda obj: (isinstance(obj, Pod), obj.metadata.creationTimestamp or 0))
    for row in walk.records:
        yield from (commit.after for commit in row.step.commits if commit.before is None and commit.after is not None)


def _place(row: Record | None, names: Mapping[str, str]) -> Place | None:
    return None if row is None else Place(row.n, row.step.at, _plain(row.step.outcome, names), _says(row, names))


def _says(row: Record, names: Mapping[str, str]) -> tuple[str, ...]:
    """Messages of Events, lines that are printed, and the texts of fields that change; instants are another matter."""
    found = [event.message for event in row.step.events]
    found += [line.text for line in row.step.output]
    texts = [(row.path, row.after) for row in differences(row) if not INSTANT.match(str(row.after))]
    found += [f"{path}: {after}" for path, after in texts]
    return tuple(_plain(text, names) for text in found)


def _plain(text: str, names: Mapping[str, str]) -> str:
    """With what names stand for in the place of generated ones."""
    return GENERATED.sub(lambda word: names.get(word[0], word[0]), text)


def _order(pair: Pair) -> tuple[int, int, int]:
    """By time, where a step has two by the earlier; then as it stands in its walk."""
    places = [place for place in (pair.first, pair.second) if place is not None]
    sooner = min(places, key=lambda place: place.at)
    return sooner.at, sooner.n, 0 if pair.first is not None else 1
