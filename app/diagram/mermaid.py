"""The messages of a walk as Mermaid text, for pages that render it themselves."""

from __future__ import annotations

from app.diagram.views import MessagesView, Shot

ARROWS = {"message": "->>", "self": "->>", "watch": "-->>"}
# Mermaid ends a statement at `;`, reads `#` as the start of a character code, and leaves out what looks like a tag.
ESCAPES = str.maketrans({"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;", "\n": " "})


def mermaid_text(view: MessagesView) -> str:
    """A sequence diagram with a participant for each lane and a line for each arrow."""
    lines = ["sequenceDiagram"]
    for at, lane in enumerate(view.lanes):
        title = escaped(f"{lane.title} {lane.under}".strip())
        lines.append(f"    participant {_id(at, lane.title)} as {title}")
    racing = False
    for shot in view.shots:
        if shot.racing and not racing:
            lines.append("    rect rgb(254, 226, 226)")
        if racing and not shot.racing:
            lines.append("    end")
        racing = shot.racing
        lines.append(f"    {_line(view, shot)}")
    if racing:
        lines.append("    end")
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Words of ours on one line of Mermaid."""
    return text.translate(ESCAPES)


def unescaped(text: str) -> str:
    """The words again."""
    for char, code in (("<", "#lt;"), (">", "#gt;"), (";", "#59;"), ("#", "#35;")):
        text = text.replace(code, char)
    return text


def _line(view: MessagesView, shot: Shot) -> str:
    one, other = (_id(at, view.lanes[at].title) for at in (shot.sender, shot.receiver))
    arrow = "--x" if shot.harm else ARROWS[shot.look]
    number = f"{shot.n}. " if shot.look != "watch" else ""
    return f"{one}{arrow}{other}: {number}{escaped(shot.text)}"


def _id(at: int, title: str) -> str:
    """Letters and digits only: words such as `end` mean something to Mermaid."""
    return f"p{at}_{''.join(char for char in title if char.isascii() and char.isalnum())}"
