"""Takes the values out of Secrets, for texts that are kept: a Secret is known by its name and keys only."""

from __future__ import annotations

import re

from app.kube.meta import LAST_APPLIED, ObjectMeta
from app.kube.objects import struct_fields
from app.kube.yaml_reading import read_documents
from app.kube.yaml_values import ListNode, MapNode, Node, ScalarNode
from app.kube.yaml_writing import written_out

SECRET = "Secret"  # noqa: S105 - a kind
_SEPARATOR = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)

# What says which Secret it is. Whatever else stands in one, under any name, may be secret.
_NAMING = frozenset({"apiVersion", "kind", "metadata", "type", "immutable"})
_HOLDING = frozenset({"data", "stringData", "metadata"})
_NAMED = frozenset(field.name for field in struct_fields(ObjectMeta)) - {"annotations"}


def without_values(text: str) -> str:
    """The text with the values of every Secret emptied; documents that hold none stay as they are, to the letter.

    The text must have been read by `manifests` before, which bounds its size and its aliases.
    """
    if not _may_hold(text):
        return text
    parts = [_emptied(part) if _may_hold(part) else part for part in _SEPARATOR.split(text)]
    return _whole(text) if None in parts else "---".join(part for part in parts if part is not None)


def _may_hold(text: str) -> bool:
    """Only an escape, in double quotes, can spell the word without its letters."""
    return SECRET in text or "\\" in text


def _emptied(part: str) -> str | None:
    """None where a part cannot be read without what stands before it, such as a %TAG."""
    reading = read_documents(part, "")
    if reading.problems:
        return None
    before = [document.root for document in reading.documents]
    after = [_empty(root, member=True) for root in before]
    if before == after:
        return part
    return "\n" + "---\n".join(written_out(root) for root in after)


def _whole(text: str) -> str:
    roots = [_empty(document.root, member=True) for document in read_documents(text, "").documents]
    return "---\n".join(written_out(root) for root in roots)


def _empty(node: Node, kind: str = "", *, member: bool = False) -> Node:
    """The same without values of Secrets, wherever in it they are.

    A `member` is an object of its own, or an item of a list of `kind`; elsewhere the word alone may only refer to one.
    """
    if isinstance(node, ListNode):
        return ListNode(tuple(_empty(item, kind, member=member) for item in node.items), node.line)
    if isinstance(node, ScalarNode):
        return node
    kind = _word(node, "kind") or kind
    if kind == SECRET and (member or _HOLDING & node.entries.keys()):
        return _named(node)
    of_items = kind.removesuffix("List") if kind.endswith("List") else ""
    entries: dict[str, Node] = {}
    for key, value in node.entries.items():
        listed = key == "items" and bool(of_items)
        if not (key == LAST_APPLIED and _speaks_of_one(value)):
            entries[key] = _empty(value, of_items if listed else "", member=listed)
    return MapNode(entries, node.lines, node.line)


def _named(secret: MapNode) -> MapNode:
    """Names stay, of the Secret, of its keys and of its annotations."""
    entries = {key: value if key in _NAMING else _blank(value) for key, value in secret.entries.items()}
    meta = entries.get("metadata")
    if isinstance(meta, MapNode):
        kept = {key: value if key in _NAMED else _blank(value) for key, value in meta.entries.items()}
        notes = kept.get("annotations")
        if isinstance(notes, MapNode):
            known = {key: value for key, value in notes.entries.items() if key != LAST_APPLIED}
            kept["annotations"] = MapNode(known, notes.lines, notes.line)
        entries["metadata"] = MapNode(kept, meta.lines, meta.line)
    return MapNode(entries, secret.lines, secret.line)


def _blank(node: Node) -> Node:
    """Keys stay; whatever is no mapping goes as a whole."""
    if isinstance(node, MapNode):
        return MapNode({key: _nothing(value) for key, value in node.entries.items()}, node.lines, node.line)
    return _nothing(node)


def _nothing(node: Node) -> Node:
    match node:
        case ScalarNode():
            held = node.value is not None
        case ListNode():
            held = bool(node.items)
        case MapNode():
            held = bool(node.entries)
    return ScalarNode("", "", node.line, plain=False) if held else node


def _speaks_of_one(node: Node) -> bool:
    """Kubectl's own copy of a manifest, where a Secret stands in it: of a List, say."""
    return not isinstance(node, ScalarNode) or SECRET in node.text or "\\u" in node.text


def _word(node: MapNode, key: str) -> str:
    found = node.entries.get(key)
    return found.value if isinstance(found, ScalarNode) and isinstance(found.value, str) else ""
