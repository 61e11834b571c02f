"""A page as a tree, for questions about its links, ids and texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Element]:
        """This element and all below it, in the order of the document."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child

    def all(self, tag: str = "", **attributes: str) -> list[Element]:
        """Elements with that tag and those attributes; `_` in a name stands for a hyphen."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [found for found in self if (not tag or found.tag == tag) and found.has(wanted)]

    def has(self, wanted: dict[str, str]) -> bool:
        """Whether every attribute is there with that value, or with it among several."""
        own = self.attributes
        return all(name in own and (own[name] == value or value in own[name].split()) for name, value in wanted.items())

    def drop(self, **attributes: str) -> None:
        """Take out every element with those attributes, and the white space behind it."""
        gone = self.all(**attributes)
        for element in self:
            kept: list[Element | str] = []
            for child in element.children:
                if any(child is one for one in gone):
                    continue
                if isinstance(child, str) and kept and isinstance(kept[-1], str):
                    kept[-1] = kept[-1] if not child.strip() else kept[-1] + child
                else:
                    kept.append(child)
            element.children = kept

    def one(self, tag: str = "", **attributes: str) -> Element:
        found = self.all(tag, **attributes)
        assert len(found) == 1, f"{len(found)} of {tag} {attributes}"
        return found[0]

    @property
    def text(self) -> str:
        """All text, white space as a browser shows it."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            else:
                yield from child._texts()


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("document", {})
        self.open = [self.root]
        self.problems: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1].tag == tag:
            self.open.pop()
        else:
            self.problems.append(f"</{tag}> closes <{self.open[-1].tag}> at {self.getpos()}")

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def document(text: str) -> Element:
    """The tree of a page; a tag that closes another one is a fault of the page."""
    builder = _Builder()
    builder.feed(text)
    builder.close()
    assert builder.problems == []
    assert [element.tag for element in builder.open] == ["document"]
    return builder.root
