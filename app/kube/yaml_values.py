"""Parsed YAML as a tree that knows its lines, holding JSON's scalar types only."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from msgspec import Struct

from app.kube.quoting import printable, shown

# Where in a document: field names and positions in lists.
Path = tuple[str | int, ...]
Scalar = str | int | float | bool | None

_TAG = "tag:yaml.org,2002:"
_TAGGED: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "bool": (bool,), "null": (type(None),)}
_UNTAGGED = "write a number, true, false or null plainly, and text in quotes"
# kubectl reads the words of YAML 1.1 (resolveMapList in go-yaml v2's resolve.go, which sigs.k8s.io/yaml builds on).
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("true", "True", "TRUE", "y", "Y", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "n", "N", "no", "No", "NO", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_NUMBER = re.compile(
    r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|0x[0-9a-fA-F]+|0o[0-7]+|0b[01]+", re.ASCII
)
_WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]*)", re.ASCII)
_OCTAL = re.compile(r"0o?([0-7]+)", re.ASCII)
_PLAIN_SEGMENT = re.compile(r"[\w$-]+", re.ASCII)


class ScalarNode(Struct, frozen=True):
    """One value. `text` is as written, so that an error can show it and a quantity keeps its spelling."""

    value: Scalar
    text: str
    line: int
    plain: bool = True


class ListNode(Struct, frozen=True):
    items: tuple[Node, ...]
    line: int


class MapNode(Struct, frozen=True):
    """Entries in the order written; `lines` holds the line of each key."""

    entries: dict[str, Node]
    lines: dict[str, int]
    line: int


Node = ScalarNode | ListNode | MapNode


class Problem(NamedTuple):
    """One fault in a document: where, and what was found, what is allowed, what probably happened.

    `about` names other places that it speaks of: where one of those is at fault already, this is no news.
    """

    path: Path
    text: str
    about: tuple[Path, ...] = ()


def scalar(text: str, *, plain: bool, tag: str | None) -> Scalar:
    """The JSON value of a YAML scalar; ValueError for a tag that JSON has no type for."""
    if tag in (None, "!"):
        return _untagged(text) if plain and tag is None else text
    kind = (tag or "").removeprefix(_TAG)
    if kind == "str":
        return text
    value = _untagged(text)
    if type(value) not in _TAGGED.get(kind, ()):
        raise ValueError(f"the tag {shown(kind)} is not read here; {_UNTAGGED}")
    return value


def _untagged(text: str) -> Scalar:
    if text in _WORDS:
        return _WORDS[text]
    if "_" in text and text[:1] in "+-0123456789":
        # go-yaml drops them from numbers.
        without = text.replace("_", "")
        return _untagged(without) if _NUMBER.fullmatch(without) else text
    if not _NUMBER.fullmatch(text):
        return text
    # 64 bits hold 18 digits in any case; Python refuses to read thousands.
    if _WHOLE.fullmatch(text) and len(text) <= 19:
        return int(text)
    if len(text) <= 18 and (octal := _OCTAL.fullmatch(text)):
        return int(octal[1], 8)
    if text.startswith(("0x", "0b")):
        return int(text, 0) if len(text) <= 17 else text
    value = float(text) if not text.startswith("0o") else float("inf")
    return text if value in (float("inf"), float("-inf")) else value


def as_key(node: ScalarNode) -> str:
    """The name of an entry: what is no text, spelled as convertToJSONableObject in sigs.k8s.io/yaml does."""
    if isinstance(node.value, bool):
        return "true" if node.value else "false"
    return str(node.value) if isinstance(node.value, int) else node.text


def plain(node: Node) -> Any:
    """The node as lists, dicts and scalars."""
    match node:
        case ScalarNode():
            return node.value
        case ListNode():
            return [plain(item) for item in node.items]
        case MapNode():
            return {key: plain(value) for key, value in node.entries.items()}


def line_of(node: Node, path: Path) -> int:
    """The line of the thing at `path`, or of the nearest thing around it that exists."""
    line = node.line
    for step in path:
        inner = _within(node, step)
        if inner is None:
            break
        line = node.lines[str(step)] if isinstance(node, MapNode) else inner.line
        node = inner
    return line


def node_at(node: Node, path: Path) -> Node:
    """The thing at `path`, or the nearest thing around it that exists."""
    for step in path:
        inner = _within(node, step)
        if inner is None:
            break
        node = inner
    return node


def _within(node: Node, step: str | int) -> Node | None:
    if isinstance(node, MapNode) and isinstance(step, str):
        return node.entries.get(step)
    if isinstance(node, ListNode) and isinstance(step, int) and step < len(node.items):
        return node.items[step]
    return None


def written(path: Path) -> str:
    """`spec.containers[0].image`; a name with other characters stands in brackets."""
    text = ""
    for step in path:
        if isinstance(step, str) and _PLAIN_SEGMENT.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{printable(str(step))}]"
    return text


def found(node: Node) -> str:
    """What stands there, in words."""
    match node:
        case ScalarNode(value=None):
            return "nothing"
        case ScalarNode(value=bool() as value):
            return "true" if value else "false"
        case ScalarNode(value=str() as value):
            return f"the text {shown(value)}"
        case ScalarNode(text=text):
            return f"the number {printable(text[:40])}"
        case ListNode():
            return "a list"
        case MapNode():
            return "a mapping"
