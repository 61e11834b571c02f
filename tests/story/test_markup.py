"""Text in Markdown stays text."""

import html

import markdown
import pytest
from markdown_it import MarkdownIt

from app.story.markup import in_markdown, line_of_markdown

TEXTS = [
    "plain words, 3.5 s (half)",
    "<b>bold</b> &amp; <!-- gone -->",
    "[a](javascript:alert(1)) ![b](c) <https://d.test>",
    "*a* _b_ **c** `d` ~~e~~ \\f $g$ | h",
    "# heading",
    "1. item",
    "12) item",
    "- item",
    "+ item",
    "=== under",
    "two\nlines\n\nand one",
    "{: onclick=x }",
]


@pytest.mark.parametrize("text", TEXTS)
def test_every_reader_shows_the_text_itself(text: str) -> None:
    shown = " ".join(text.split())
    line = line_of_markdown(text)
    for page in (MarkdownIt("commonmark", {"html": True}).render(line), markdown.markdown(line, extensions=["extra"])):
        assert html.unescape(page.strip()) == f"<p>{shown}</p>"
        assert page.count("<") == 2


def test_within_a_line_a_number_stays_readable() -> None:
    assert in_markdown("3.467 requests (1.0 s)") == "3.467 requests (1.0 s)"
