"""Takes the values out of Secrets, for texts that are kept: a Secret is known by its name and keys only."""

from __future__ import annotations

import re

from app.kube.yaml_reading import read_documents
from app.kube.yaml_values import ListNode, MapNode, Node, ScalarNode
from app.kube.yaml_writing import written_out

VALUES = ("data", "stringData")
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
SECRET = "Secret"  # noqa: S105 - a kind
_SEPARATOR = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)


def without_values(text: str) -> str:
    """The text with the values of every Secret emptied; documents that hold none stay as they are, to the letter.

    The text must have been read by `manifests` before, which bounds its size and its aliases.
    """
    if SECRET not in text:
        return text
    return "---".join(_emptied(part) if SECRET in part else part for part in _SEPARATOR.split(text))


def _emptied(part: str) -> str:
    before = [document.root for document in read_documents(part, "").documents]
    after = [_empty(root) for root in before]
    if before == after:
        return part
    return "\n" + "---\n".join(written_out(root) for root in after)


def _empty(node: Node, kind: str = "") -> Node:
    """The same without values of Secrets, wherever in it they are; `kind` is that of an item that names none."""
    if isinstance(node, ListNode):
        return ListNode(tuple(_empty(item, kind) for item in node.items), node.line)
    if isinstance(node, ScalarNode):
        return node
    kind = _word(node, "kind") or kind
    of_items = kind.removesuffix("List") if kind.endswith("List") else ""
    entries = {
        key: _blank(value) if kind == SECRET and key in VALUES else _empty(value, of_items if key == "items" else "")
        for key, value in node.entries.items()
    }
    meta = entries.get("metadata")
    if kind == SECRET and isinstance(meta, MapNode):
        entries["metadata"] = _without_copy(meta)
    return MapNode(entries, node.lines, node.line)


def _blank(node: Node) -> Node:
    """Keys stay; whatever is no mapping goes as a whole."""
    if isinstance(node, MapNode):
        return MapNode({key: ScalarNode("", "", node.line, plain=False) for key in node.entries}, node.lines, node.line)
    empty = isinstance(node, ScalarNode) and node.value is None
    return node if empty else ScalarNode("", "", node.line, plain=False)


def _without_copy(meta: MapNode) -> MapNode:
    """Without kubectl's own copy of the manifest among the annotations."""
    notes = meta.entries.get("annotations")
    if not isinstance(notes, MapNode) or LAST_APPLIED not in notes.entries:
        return meta
    kept = {key: value for key, value in notes.entries.items() if key != LAST_APPLIED}
    return MapNode({**meta.entries, "annotations": MapNode(kept, notes.lines, notes.line)}, meta.lines, meta.line)


def _word(node: MapNode, key: str) -> str:
    found = node.entries.get(key)
    return found.value if isinstance(found, ScalarNode) and isinstance(found.value, str) else ""
