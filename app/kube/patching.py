"""Documents that change others: what a patch says is written over the object of its kind and name.

So whoever asks "what if" leaves his manifests as they are. Mappings are merged, null takes a field out, lists whose
entries have names are merged by them as `kubectl patch` does with containers, and all other values are replaced.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.kube.annotations import PREFIX
from app.kube.members import Member, text_at
from app.kube.meta import Ref
from app.kube.near_names import did_you_mean
from app.kube.quoting import shown
from app.kube.yaml_values import ListNode, MapNode, Node, Problem, ScalarNode

ANNOTATION = f"{PREFIX}patch"
MERGE, DELETE = "merge", "delete"
WORDS = (MERGE, DELETE)
MOST = 20
"""Patches of one object that are followed."""

_PLACE = ("metadata", "annotations", ANNOTATION)


def is_patch(member: Member) -> bool:
    """Whether it is no object but changes one."""
    return bool(text_at(member.node, *_PLACE))


def patched(found: Iterable[Member], patches: Iterable[Member]) -> tuple[list[Member], list[str]]:
    """The members with every patch written to them in order, and what is wrong with patches."""
    after: dict[int, Member] = dict(enumerate(found))
    known: dict[Ref, int] = {}
    for at, member in after.items():
        known.setdefault(member.identity, at)
    problems = []
    for patch in patches:
        at = known.get(patch.identity, -1)
        if problem := _fault(patch, after.get(at), known):
            problems.append(patch.told(problem))
        elif text_at(patch.node, *_PLACE) == DELETE:
            del after[at]
        else:
            under = after[at]
            after[at] = under._replace(node=merged(under.node, _plain(patch)), patches=(*under.patches, patch))
    return list(after.values()), problems


def _fault(patch: Member, under: Member | None, known: Iterable[Ref]) -> Problem | None:
    word = text_at(patch.node, *_PLACE)
    if word not in WORDS:
        return Problem(_PLACE, f"found {shown(word)}; allowed: {', '.join(WORDS)}{did_you_mean(word, WORDS)}")
    if not patch.identity.name:
        return Problem(("metadata", "name"), "missing; a patch says the kind and the name of what it changes")
    if under is None:
        names = [str(ref) for ref in known]
        near = did_you_mean(str(patch.identity), names)
        return Problem((), f"there is no {patch.identity} here that it could change{near}")
    if len(under.patches) >= MOST:
        return Problem((), f"found more than {MOST} patches of one object, which is the most that are followed")
    return None


def _plain(patch: Member) -> Node:
    """The patch without the word that makes it one; its tree is otherwise shared, so that places can be told."""
    root = patch.node
    if not isinstance(root, MapNode):
        return root
    meta = root.entries["metadata"]
    words = meta.entries["annotations"] if isinstance(meta, MapNode) else meta
    if not isinstance(meta, MapNode) or not isinstance(words, MapNode):
        return root
    return _with(root, "metadata", _with(meta, "annotations", _with(words, ANNOTATION, None)))


def _with(node: MapNode, key: str, value: Node | None) -> MapNode:
    entries = {name: row for name, row in node.entries.items() if name != key or value is not None}
    return MapNode(entries | ({key: value} if value is not None else {}), node.lines, node.line)


def merged(under: Node, over: Node) -> Node:
    """One tree written over another."""
    if isinstance(under, MapNode) and isinstance(over, MapNode):
        entries = dict(under.entries)
        for key, value in over.entries.items():
            if isinstance(value, ScalarNode) and value.value is None:
                entries.pop(key, None)
            else:
                entries[key] = merged(entries[key], value) if key in entries else value
        return MapNode(entries, under.lines | over.lines, under.line)
    if isinstance(under, ListNode) and isinstance(over, ListNode) and _named(under) and _named(over):
        rows = {text_at(item, "name"): item for item in under.items}
        for item in over.items:
            name = text_at(item, "name")
            rows[name] = merged(rows[name], item) if name in rows else item
        return ListNode(tuple(rows.values()), under.line)
    return over


def _named(node: ListNode) -> bool:
    """Whether every entry has a name of its own."""
    names = [text_at(item, "name") for item in node.items]
    return bool(names) and all(names) and len(set(names)) == len(names)
