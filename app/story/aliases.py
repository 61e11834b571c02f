"""Which name of a walk stands for which of a recording: generated names mean nothing, and nodes have any."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

LETTERS = "[bcdfghjklmnpqrstvwxz2456789]"
"""What generated names are made of."""
OF_REPLICA_SET = re.compile(rf"(?P<maker>.+)-{LETTERS}{{6,10}}")
OF_MAKER = re.compile(rf"(?P<maker>.+)-{LETTERS}{{5}}")
OF_RUN = re.compile(r"(?P<maker>.+)-\d{8,10}")
FORMS = {"ReplicaSet": OF_REPLICA_SET, "Pod": OF_MAKER, "EndpointSlice": OF_MAKER, "Job": OF_RUN}
MAKERS = ("ReplicaSet", "Job")
"""Kinds that have generated names and make pods; a maker's name is matched before those of what it made."""
WORD = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")
MADE = re.compile(r"Created pod: (\S+)")
SCALED = re.compile(r"Scaled up replica set (\S+) (?:from 0 to \d+|to \d+(?: from 0)?)$")


PLACED = re.compile(r"^Successfully assigned \S+ to (\S+)$")
SERVES = re.compile(r"\bnode=(\S+)")


class Mention(Struct, frozen=True):
    """A name at a place in a trace, and whether the object came about there."""

    kind: str
    namespace: str
    name: str
    new: bool


Family = tuple[str, str, str, bool]
"""Kind, namespace, maker, and whether they came about in the trace or were there before."""


def aliases(recorded: Sequence[Mapping[str, Any]], modelled: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The recorded name for each generated name of the model that has one.

    They are matched by kind, by what made them, by whether they are new, and by order of appearance.
    """
    known: dict[str, str] = {}
    for kinds in (MAKERS, ("Pod", "EndpointSlice")):
        theirs, mine = _families(recorded, kinds, {}), _families(modelled, kinds, known)
        for family, names in mine.items():
            known |= dict(zip(names, theirs.get(family, ()), strict=False))
    return known | machines(recorded, modelled, known)


def machines(
    recorded: Sequence[Mapping[str, Any]], modelled: Sequence[Mapping[str, Any]], names: Mapping[str, str]
) -> dict[str, str]:
    """The recorded name for each node of the model that is called otherwise: the one to which most of the same came.

    What came to a node is what changed in it, the Events about it, and the pods that were placed there. Of those that
    are alike the first to appear are the same.
    """
    theirs, mine = _by_node(recorded, {}), _by_node(modelled, names)
    free, spare = ([node for node in one if node not in other] for one, other in ((mine, theirs), (theirs, mine)))
    pairs = [(node, other) for node in free for other in spare]
    # Sorting keeps the order of appearance among those that have as much in common.
    pairs.sort(key=lambda pair: -(mine[pair[0]] & theirs[pair[1]]).total())
    found: dict[str, str] = {}
    for node, other in pairs:
        if node not in found and other not in found.values():
            found[node] = other
    return found


def _by_node(entries: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> dict[str, Counter[tuple[str, ...]]]:
    """What came to each node, in order of appearance."""
    found: dict[str, Counter[tuple[str, ...]]] = {}
    for entry in entries:
        for node, what in _of_nodes(entry, names):
            found.setdefault(node, Counter())[what] += 1
    return found


def _of_nodes(entry: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    kind, path = about(entry)
    if kind == "Node":
        if entry["kind"] == "Event":
            yield path, (entry["reason"],)
        for change in entry.get("changes", ()):
            yield path, (change["path"], str(change.get("after")).partition(" ")[0])
    elif kind == "Pod" and entry["kind"] == "Event" and (placed := PLACED.search(entry.get("message", ""))):
        yield placed[1], (renamed(path, names),)
    for change in entry.get("changes", ()):
        if change["path"] == "spec.nodeName" and isinstance(change.get("after"), str):
            yield change["after"], (renamed(path, names),)
        elif change["path"].startswith("endpoints[") and (there := SERVES.search(str(change.get("after")))):
            yield there[1], ()


def about(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Kind and path of the object that an entry is about, of an Event that of the object it names."""
    if entry["kind"] != "Event":
        return entry["kind"], entry["object"]
    kind, _, path = entry["object"].partition(" ")
    return kind, path


def renamed(text: str, names: Mapping[str, str]) -> str:
    """A text with every name in it replaced by what it is called on the other side."""
    return WORD.sub(lambda word: names.get(word[0], word[0]), text)


def _families(
    entries: Sequence[Mapping[str, Any]], kinds: Sequence[str], names: Mapping[str, str]
) -> dict[Family, list[str]]:
    """Names of some kinds in order of appearance; makers are called by `names`."""
    mentions = [row for entry in entries for row in _mentions(entry) if row.kind in kinds]
    new = {(row.kind, row.namespace, row.name) for row in mentions if row.new}
    found: dict[Family, dict[str, None]] = {}
    for row in mentions:
        form = FORMS[row.kind].fullmatch(row.name)
        if form is None:
            continue
        maker = names.get(form["maker"], form["maker"])
        is_new = (row.kind, row.namespace, row.name) in new
        found.setdefault((row.kind, row.namespace, maker, is_new), {}).setdefault(row.name)
    return {family: list(called) for family, called in found.items()}


def _mentions(entry: Mapping[str, Any]) -> Iterator[Mention]:
    """The objects with generated names that an entry speaks of, makers of pods among them."""
    kind, path = about(entry)
    namespace, _, name = path.rpartition("/")
    born = entry["kind"] != "Event" and entry["event"] == "ADDED"
    for of, form in (("Pod", MADE), ("ReplicaSet", SCALED)):
        match = form.search(entry.get("message", ""))
        if match:
            yield from _made(of, namespace, match[1], new=True)
    if kind in FORMS:
        yield from _made(kind, namespace, name, new=born)
    for change in entry.get("changes", ()):
        listed = re.fullmatch(r"endpoints\[(.+)\]", change["path"])
        if listed:
            yield from _made("Pod", namespace, listed[1], new=False)


def _made(kind: str, namespace: str, name: str, *, new: bool) -> Iterator[Mention]:
    """The object, and what its own name says of its maker."""
    form = OF_MAKER.fullmatch(name) if kind == "Pod" else None
    if form:
        for maker in MAKERS:
            if FORMS[maker].fullmatch(form["maker"]):
                yield Mention(maker, namespace, form["maker"], new=False)
    yield Mention(kind, namespace, name, new)
