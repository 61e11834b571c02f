"""The objects that stand in documents, alone or in lists, as yet unread; and what other documents change in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from app.kube.meta import CLUSTER_SCOPED, DEFAULT_NAMESPACE, Ref
from app.kube.quoting import printable
from app.kube.yaml_reading import Document
from app.kube.yaml_values import ListNode, MapNode, Node, Path, Problem, ScalarNode, line_of, node_at, written

_LONGEST_NAME = 253


class Place(NamedTuple):
    """Where something stands: the file, the document in it, and the line."""

    source: str
    document: int
    line: int


class Member(NamedTuple):
    """One object as it stands in a document, alone or in a list."""

    source: str
    number: int
    node: Node
    prefix: Path
    kind: str
    patches: tuple[Member, ...] = ()
    """The documents that changed it, in order; parts of their trees are now parts of its own."""

    @property
    def place(self) -> str:
        return f"{self.source}: document {self.number}"

    def where(self, path: Path) -> Place:
        """Where the thing at the path stands, or the nearest thing around it that is written."""
        at = self.holding(path)
        return Place(at.source, at.number, line_of(self.node, path))

    def told(self, problem: Problem) -> str:
        """A problem of it with the place where the faulty part stands."""
        at = self.holding(problem.path)
        path = written((*at.prefix, *problem.path))
        name = f" ({self.name})" if self.name else ""
        where = f"{at.place}{name}, line {line_of(self.node, problem.path)}"
        return f"{where}: {path}{': ' if path else ''}{problem.text}"

    def holding(self, path: Path) -> Member:
        """Whose document holds the nearest thing to the path that is written anywhere: its own, or a patch's."""
        found = node_at(self.node, path)
        return next((row for row in reversed(self.patches) if _holds(row.node, found)), self)

    @property
    def name(self) -> str:
        """`kind/name` as far as both can be told; nobody has checked them yet."""
        kind, name, namespace = (
            printable(text[:_LONGEST_NAME])
            for text in (
                self.kind,
                text_at(self.node, "metadata", "name"),
                text_at(self.node, "metadata", "namespace"),
            )
        )
        return str(Ref(kind, namespace, name)) if kind and name else kind.lower()

    @property
    def identity(self) -> Ref:
        """What it will be called, when it turns out to be sound."""
        namespace = "" if self.kind in CLUSTER_SCOPED else text_at(self.node, "metadata", "namespace")
        default = "" if self.kind in CLUSTER_SCOPED else DEFAULT_NAMESPACE
        return Ref(self.kind, namespace or default, text_at(self.node, "metadata", "name"))


def members(
    document: Document, source: str, prefix: Path = (), node: Node | None = None, of_list: str = ""
) -> Iterator[Member]:
    """The document's object, or each item of a `List`, `PodList` or the like, also of lists in lists."""
    node = document.root if node is None else node
    kind = text_at(node, "kind") or of_list
    items = node.entries.get("items") if isinstance(node, MapNode) and kind.endswith("List") else None
    if isinstance(items, ListNode):
        for at, item in enumerate(items.items):
            yield from members(document, source, (*prefix, "items", at), item, kind.removesuffix("List"))
    elif kind != "List" or not _is_nothing(items):
        yield Member(source, document.number, node, prefix, kind)


def _is_nothing(node: Node | None) -> bool:
    return node is None or (isinstance(node, ScalarNode) and node.value is None)


def text_at(node: Node, *path: str) -> str:
    """The text at a path; empty where there is none."""
    for step in path:
        if not isinstance(node, MapNode) or step not in node.entries:
            return ""
        node = node.entries[step]
    return node.value if isinstance(node, ScalarNode) and isinstance(node.value, str) else ""


def _holds(tree: Node, part: Node) -> bool:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node is part:
            return True
        if isinstance(node, MapNode):
            waiting.extend(node.entries.values())
        elif isinstance(node, ListNode):
            waiting.extend(node.items)
    return False
