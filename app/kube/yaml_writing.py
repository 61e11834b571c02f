"""Nodes back to YAML text that reads as the same nodes: aliases written out, comments gone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from app.kube.yaml_values import ListNode, MapNode, Node, ScalarNode

_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9 _./-]*[A-Za-z0-9])?", re.ASCII)
# Readers of other YAML versions take these for something else than text.
_NO_TEXT = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
# Line breaks and signs of control, which would not come back as they are.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")


def written_out(node: Node) -> str:
    """A document in block style, with a newline at its end."""
    return "".join(f"{line}\n" for line in _lines(node))


def _lines(node: Node) -> Iterator[str]:
    match node:
        case MapNode() if node.entries:
            for key, value in node.entries.items():
                yield from _entry(f"{_text(key)}:", value, "  ")
        case ListNode() if node.items:
            for item in node.items:
                first, *rest = _lines(item)
                yield f"- {first}"
                yield from (f"  {line}" for line in rest)
        case MapNode():
            yield "{}"
        case ListNode():
            yield "[]"
        case ScalarNode():
            yield _scalar(node)


def _entry(key: str, value: Node, indent: str) -> Iterator[str]:
    rows = list(_lines(value))
    inner = (isinstance(value, MapNode) and value.entries) or (isinstance(value, ListNode) and value.items)
    if inner:
        yield key
        yield from (f"{indent}{row}" for row in rows)
    else:
        yield f"{key} {rows[0]}"


def _scalar(node: ScalarNode) -> str:
    # Numbers keep their spelling, which a quantity is known by.
    if isinstance(node.value, str):
        return _text(node.value)
    return "null" if node.value is None else node.text


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _NO_TEXT:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)
