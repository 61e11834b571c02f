"""Addresses in every format that documents come in, with the words and the lines that belong to them."""

import pytest

from app.links.finding import Link, links

FLOWS = ("termination",)
PAGE = "https://loops.example/f/termination/kubelet-pods@node-1.stop-container:pod~web-1~~2"


def found(text: str, *, bases: tuple[str, ...] = ()) -> list[Link]:
    return list(links(text, "doc", bases=bases, flows=FLOWS))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"[The words]({PAGE})", ("The words",)),
        (f"![The \\[words\\] \\*](<{PAGE}>)", ("The [words] *",)),
        (f'![The words]({PAGE} "Title")', ("The words",)),
        (f"[![Alt]({PAGE}.svg)]({PAGE})", ("Alt",)),
        (f"[ref]: {PAGE}", ()),
        (f"<{PAGE}>", ()),
        (f"See {PAGE}. Then", ()),
        (f"**{PAGE}**", ()),
        (f'<a href="{PAGE}" title="A title">The words</a>', ("A title", "The words")),
        (f"<iframe title='It&#39;s &amp; that' src='{PAGE}'>", ("It's & that",)),
        (f'<img\n  alt="The words"\n  src="{PAGE}">', ("The words",)),
        (f'image::{PAGE}["The \\"words\\", all",link="x"]', ('The "words", all',)),
        (f"link:{PAGE}[The words]", ("The words",)),
        (f".. image:: {PAGE}\n   :width: 50%\n   :alt: The words\n\nNext", ("The words",)),
        (f"`The words <{PAGE}>`_", ("The words",)),
    ],
)
def test_an_address_is_found_with_its_words(text: str, words: tuple[str, ...]) -> None:
    first = found(text)[0]
    assert first.address.removesuffix(".svg") == PAGE
    assert (first.kind, first.name, first.embed) == ("f", "termination", False)
    assert first.words == words
    assert text[first.start : first.start + len(first.written)] == first.written


def test_the_line_is_that_of_the_address() -> None:
    text = f"# Title\n\nText\n[one]({PAGE})\n\n[two]({PAGE})"
    assert [row.line for row in found(text)] == [4, 6]


def test_what_html_adds_is_taken_off() -> None:
    (row,) = found(f'<iframe src="{PAGE}?set.prestop=5s&amp;view=cluster&#38;seen=x"></iframe>')
    assert row.query == "set.prestop=5s&view=cluster&seen=x"
    assert "&amp;" in row.written


@pytest.mark.parametrize(
    ("text", "kind", "name", "step", "embed"),
    [
        ("https://l.example/f/termination", "f", "termination", "", False),
        ("https://l.example/f/termination/7.svg?theme=dark", "f", "termination", "7.svg", False),
        ("https://l.example/f/termination/7/embed", "f", "termination", "7", False),
        ("https://l.example/f/termination/7/present?theme=dark", "f", "termination", "7", False),
        ("https://l.example/embed/f/gone/7", "f", "gone", "7", True),
        ("https://l.example/f/gone/7?seen=1", "f", "gone", "7", False),
        ("https://l.example/f/termination/a%40b", "f", "termination", "a@b", False),
        ("https://l.example/s/AbCdEfGhIjKlMnOpQrStUv/7", "s", "AbCdEfGhIjKlMnOpQrStUv", "7", False),
        ("https://l.example/embed/s/short/7", "s", "short", "7", True),
    ],
)
def test_what_is_ours_is_known_by_its_path(text: str, kind: str, name: str, step: str, embed: bool) -> None:
    (row,) = found(text)
    assert (row.kind, row.name, row.step, row.embed) == (kind, name, step, embed)


@pytest.mark.parametrize(
    "text",
    [
        "https://l.example/f/other/7",
        "https://l.example/files/f/termination/7",
        "https://l.example/s/short/7",
        "https://l.example/f/termination/7/8/9",
        "https://l.example/f/",
        "/f/termination/7",
        "https://[/f/termination/7",
        "https://l.example/symptoms",
    ],
)
def test_what_only_looks_alike_is_left_alone(text: str) -> None:
    assert found(text) == []


def test_a_base_says_what_is_ours_and_what_is_not() -> None:
    text = "https://a.example/loops/f/gone/1 https://b.example/f/termination/1 https://a.example/f/termination/1"
    assert [row.name for row in found(text, bases=("https://a.example/loops",))] == ["gone"]
    assert len(found(text, bases=("https://a.example/loops/", "https://b.example"))) == 2


def test_a_fence_is_its_lines_without_what_is_only_told_of_it() -> None:
    fence = (
        "1. Item\n\n   ```mermaid\n   sequenceDiagram\n"
        f"       %% loopscope: {PAGE}\n       accTitle: The words#59; all\n       accDescr: More\n"
        "       participant a as A\n       a->>a: 1. x\n   ```\n\nText"
    )
    (row,) = found(fence)
    assert row.fence == ("sequenceDiagram", "participant a as A", "a->>a: 1. x")
    assert row.words == ("The words; all",)
    assert found(f"See {PAGE}")[0].fence is None
