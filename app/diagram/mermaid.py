"""The messages of a walk as Mermaid text, for pages that render it themselves."""

from __future__ import annotations

from app.diagram.views import MessagesView, Shot

ARROWS = {"message": "->>", "self": "->>", "watch": "-->>"}
# Mermaid ends a statement at `;` and reads `#` as the start of a character code.
ESCAPES = str.maketrans({"#": "#35;", ";": "#59;", "\n": " "})


def mermaid_text(view: MessagesView) -> str:
    """A sequence diagram with a participant for each lane and a line for each arrow."""
    lines = ["sequenceDiagram"]
    for at, lane in enumerate(view.lanes):
        title = f"{lane.title} {lane.under}".strip().translate(ESCAPES)
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


def _line(view: MessagesView, shot: Shot) -> str:
    one, other = (_id(at, view.lanes[at].title) for at in (shot.sender, shot.receiver))
    arrow = "--x" if shot.harm else ARROWS[shot.look]
    number = f"{shot.n}. " if shot.look != "watch" else ""
    return f"{one}{arrow}{other}: {number}{shot.text.translate(ESCAPES)}"


def _id(at: int, title: str) -> str:
    """Letters and digits only: words such as `end` mean something to Mermaid."""
    return f"p{at}_{''.join(char for char in title if char.isascii() and char.isalnum())}"
