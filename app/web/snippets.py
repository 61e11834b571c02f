"""What is pasted into other people's pages: one moment, written in the way of each kind of host."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import escape

from app.diagram.mermaid import escaped
from app.story.markup import in_markdown

MARK = "%% loopscope:"
"""The comment in a Mermaid fence that says where its lines come from."""
USUAL_SIZE = (700, 394)


@dataclass(frozen=True, kw_only=True)
class Source:
    """Full addresses of one moment, and its words."""

    page: str
    picture: str
    messages: str
    """The picture of the messages, whatever is embedded."""
    embed: str
    words: str
    """The alternative text: flow and step."""
    title: str
    """Number, time and words of the step."""
    mermaid: str
    """The messages up to this step."""
    width: int = USUAL_SIZE[0]
    height: int = USUAL_SIZE[1]


def iframe(source: Source) -> str:
    return (
        f'<iframe src="{escape(source.embed)}" title="{escape(source.words)}" '
        f'width="{source.width}" height="{source.height}" loading="lazy"></iframe>'
    )


def linked_iframe(source: Source) -> str:
    """With a link below it, for hosts that leave out frames they were not told of."""
    return f"{iframe(source)}\n\n[{in_markdown(source.words)}]({source.page})\n"


def image(source: Source) -> str:
    """A picture that leads to the page: all that GitHub and GitLab let through."""
    title = source.title.replace("\\", "\\\\").replace('"', '\\"')
    return f'[![{in_markdown(source.words)}]({source.picture} "{title}")]({source.page})\n'


def fence(source: Source) -> str:
    head, _, rest = source.mermaid.partition("\n")
    told = f"    accTitle: {escaped(source.words)}\n    accDescr: {escaped(source.title)}\n"
    return f"```mermaid\n{head}\n    {MARK} {source.page}\n{told}{rest}```\n"


def asciidoc(source: Source) -> str:
    alt, title = in_asciidoc(source.words), in_asciidoc(source.title)
    return f'image::{source.picture}["{alt}",link="{source.page}",title="{title}"]\n'


def plain(source: Source) -> str:
    return f"{source.words}\n{source.page}\n"


def in_asciidoc(text: str) -> str:
    # Character references are read everywhere; a backslash before a quote by some only.
    return str(escape(text)).replace("{", r"\{")


KINDS = {
    "iframe": lambda source: f"{iframe(source)}\n",
    "techdocs": linked_iframe,
    "mkdocs": lambda source: f"{iframe(source)}\n",
    "confluence": lambda source: f"{iframe(source)}\n",
    "notion": lambda source: f"{source.embed}\n",
    "markdown": image,
    "mermaid": fence,
    "asciidoc": asciidoc,
    "link": plain,
}
