"""What an embed is made of: one frozen dataclass, every field told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.web.player_parts import Clock, Drawn
from app.web.rendering import Page


@dataclass(frozen=True, kw_only=True)
class EmbedPage(Page):
    """One step in a frame on somebody else's page."""

    template: ClassVar[str] = "embed.html"
    part: ClassVar[str] = "partials/embedded.html"

    title: str
    """The flow and the step in one line."""
    theme: str
    """`light`, `dark`, or empty: as the page around it is."""
    clock: Clock
    """Where in the walk this is, and the links within the range of steps that was asked for."""
    caption: str
    """The step in one line; of the start, the flow's title."""
    text: str
    """What the flow says of it."""
    told: str
    """Step, time and title, for screen readers."""
    picture: Drawn
    """One view, in the two shapes of a frame."""
    page: str
    """The same moment outside of any frame."""
    oembed: str
    """Where it is described for programs that embed it."""
    controls: bool
    """Whether more than the picture is shown."""
    posts: bool
    """Whether the page around it is told its height."""
    changed: bool
    """Whether this step is no longer what it was when it was embedded."""
