"""YAML events to nodes: aliases are shared, never copied, and all they stand for is counted as they are met."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from app.kube.quoting import shown
from app.kube.yaml_values import ListNode, MapNode, Node, ScalarNode, as_key, scalar

MAX_NODES = 100_000
MAX_CHARACTERS = 4 * 1024 * 1024
MAX_DEPTH = 64

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_COLLECTION_TAGS = (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_MERGE = "<<"


class TooMuchError(Exception):
    """The text stands for more than is read; nothing after this point was looked at."""


class BrokenError(Exception):
    """The rest of this document cannot be read."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line
        self.text = text


class Size(NamedTuple):
    """What a node amounts to once every alias in it is written out."""

    nodes: int
    characters: int
    depth: int


class Budget:
    """What one text may stand for, all its documents together."""

    def __init__(self) -> None:
        self.nodes = 0
        self.characters = 0

    def spend(self, size: Size, *, alias: bool = False) -> None:
        self.nodes += size.nodes
        self.characters += size.characters
        if self.nodes > MAX_NODES or self.characters > MAX_CHARACTERS:
            limit = f"{MAX_NODES:,} values" if self.nodes > MAX_NODES else f"{MAX_CHARACTERS // 1024**2} MiB of text"
            written_out = ", once aliases are written out; aliases of aliases multiply (a YAML bomb)" if alias else ""
            raise TooMuchError(f"found more than {limit}, which is the most that is read{written_out}")


class _Open:
    """A list or mapping whose end has not been reached."""

    __slots__ = ("anchor", "children", "is_list", "line", "size")

    def __init__(self, event: Any, line: int) -> None:
        self.is_list = isinstance(event, yaml.SequenceStartEvent)
        self.anchor: str | None = event.anchor
        self.line = line
        self.children: list[Node] = []
        self.size = Size(1, 0, 1)


class Composer:
    """Builds without recursion, so that no depth of nesting can harm."""

    def __init__(self, budget: Budget, first_line: int) -> None:
        self.faults: list[tuple[int, str]] = []
        self._budget = budget
        self._first_line = first_line
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Node, Size]] = {}
        self._root: Node | None = None

    def roots(self, text: str) -> Iterator[Node]:
        """The root of each document; PyYAML's own errors pass through."""
        for event in yaml.parse(text, Loader=_LOADER):
            match event:
                case yaml.DocumentStartEvent():
                    self._anchors = {}
                case yaml.DocumentEndEvent():
                    if self._root is not None:
                        yield self._root
                case yaml.AliasEvent():
                    self._alias(event)
                case yaml.ScalarEvent():
                    self._scalar(event)
                case yaml.CollectionStartEvent():
                    self._start(event)
                case yaml.CollectionEndEvent():
                    self._end()

    def _line(self, event: Any) -> int:
        return self._first_line + int(event.start_mark.line)

    def _fault(self, line: int, text: str) -> None:
        self.faults.append((line, text))

    def _start(self, event: Any) -> None:
        line = self._line(event)
        if len(self._stack) >= MAX_DEPTH:
            raise BrokenError(line, f"found more than {MAX_DEPTH} levels of nesting, which is the most that is read")
        if event.tag not in _COLLECTION_TAGS:
            self._fault(line, f"the tag {shown(event.tag)} is not read; write the list or mapping without it")
        self._stack.append(_Open(event, line))

    def _scalar(self, event: Any) -> None:
        line = self._line(event)
        bare = event.implicit[0] and not event.style
        try:
            value = scalar(event.value, plain=bare, tag=event.tag)
        except ValueError as error:
            self._fault(line, str(error))
            value = event.value
        size = Size(1, len(event.value), 0)
        self._budget.spend(size)
        self._add(ScalarNode(value, event.value, line, bare), size, event.anchor)

    def _alias(self, event: Any) -> None:
        line, name = self._line(event), event.anchor
        if any(row.anchor == name for row in self._stack):
            raise BrokenError(line, f"the alias *{name} stands inside its own anchor &{name}, which would never end")
        if name not in self._anchors:
            raise BrokenError(line, f"the alias *{name} has no anchor &{name} before it in this document")
        node, size = self._anchors[name]
        if len(self._stack) + size.depth > MAX_DEPTH:
            raise BrokenError(line, f"found more than {MAX_DEPTH} levels of nesting, which is the most that is read")
        self._budget.spend(size, alias=True)
        self._add(node, size, None)

    def _end(self) -> None:
        opened = self._stack.pop()
        self._budget.spend(Size(1, 0, 0))
        node = ListNode(tuple(opened.children), opened.line) if opened.is_list else self._mapping(opened)
        self._add(node, opened.size, opened.anchor)

    def _add(self, node: Node, size: Size, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = (node, size)
        if not self._stack:
            self._root = node
            return
        parent = self._stack[-1]
        parent.children.append(node)
        nodes, characters, depth = parent.size
        parent.size = Size(nodes + size.nodes, characters + size.characters, max(depth, size.depth + 1))

    def _mapping(self, opened: _Open) -> MapNode:
        result = MapNode({}, {}, opened.line)
        merged: list[Node] = []
        for key, value in zip(opened.children[::2], opened.children[1::2], strict=True):
            if not isinstance(key, ScalarNode):
                self._fault(key.line, "found a list or mapping as a key; a key must be text" + _HELM)
                continue
            name = as_key(key)
            if key.value is None:
                self._fault(key.line, "found nothing as a key; a key must be text")
            elif key.text == _MERGE and key.plain and not merged:
                merged = list(value.items) if isinstance(value, ListNode) else [value]
            elif name in result.entries or (key.text == _MERGE and key.plain):
                first = f" (first in line {result.lines[name]})" if name in result.lines else ""
                self._fault(key.line, f"the key {shown(key.text)} stands twice in one mapping{first}; keep one")
            else:
                result.entries[name] = value
                result.lines[name] = key.line
        for given in merged:
            self._merge(result, given)
        return result

    def _merge(self, into: MapNode, given: Node) -> None:
        if not isinstance(given, MapNode):
            self._fault(given.line, "the merge key << takes a mapping, or a list of mappings")
            return
        for key, node in given.entries.items():
            if key not in into.entries:
                into.entries[key] = node
                into.lines[key] = given.lines[key]


_HELM = "; `{{ … }}` is a Helm template: render it first, with `helm template`"
