"""What the pages of a meeting are made of: presenting, following and speaking, every field told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.web.pages import Frame
from app.web.player_parts import Clock, Depth, Drawn, Saying
from app.web.rendering import Page
from app.web.session_parts import Meeting, NoteRow


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One step, large: a picture, a caption and the clock."""

    clock: Clock
    """Where in the walk it is, and the links onward."""
    saying: Saying
    """What just happened."""
    words: bool
    """Whether the text is shown under the caption."""
    view: str
    """Which picture."""
    picture: Drawn
    """That picture."""
    revision: int
    """How many changes of what is presented it knows of."""
    here: str
    """The address of this step, large."""


@dataclass(frozen=True, kw_only=True)
class StagePart(Page):
    """The stage alone, as followers are sent it."""

    template: ClassVar[str] = "partials/stage.html"

    stage: Stage
    """What is seen."""
    controls: bool
    """Whether it has links to the steps before and after."""


@dataclass(frozen=True, kw_only=True)
class PresentPage(Page):
    """A step for a projector."""

    template: ClassVar[str] = "present.html"
    part: ClassVar[str] = "partials/stage.html"

    frame: Frame
    """Title and theme."""
    flow_title: str
    """Of the lesson or the session."""
    stage: Stage
    """What is seen."""
    controls: bool
    """Whether the stage has links to the steps before and after."""
    views: tuple[Depth, ...]
    """Links to the other pictures."""
    leave: str
    """The same step in the player."""
    speaker: str
    """The notes to speak from, in a window of their own."""
    meeting: Meeting | None
    """None where the walk is no session."""


@dataclass(frozen=True, kw_only=True)
class FollowPage(Page):
    """What a presenter shows, for one who follows."""

    template: ClassVar[str] = "follow.html"
    part: ClassVar[str] = "partials/stage.html"

    frame: Frame
    """Title and theme."""
    flow_title: str
    """Of the session."""
    stage: Stage
    """What is seen."""
    controls: bool
    """Whether the stage has links to the steps before and after: the presenter steps."""
    views: tuple[Depth, ...]
    """Links to the other pictures."""
    depths: tuple[Depth, ...]
    """The four readers it is told for."""
    around: str
    """The same step in the player, where a follower may look around; `{id}` and `{step}` as they are now."""
    leads: str
    """The same with the names left open, for a script to fill in."""
    meeting: Meeting
    """Whose presentation it is."""


@dataclass(frozen=True, kw_only=True)
class SpeakerPage(Page):
    """What to say at this step, and what comes next."""

    template: ClassVar[str] = "speaker.html"
    part: ClassVar[str] = "partials/speaker.html"

    frame: Frame
    """Title and theme."""
    flow_title: str
    """Of the lesson or the session."""
    clock: Clock
    """Where in the walk it is, and the links onward."""
    saying: Saying
    """What just happened, at the chosen depth."""
    depths: tuple[Depth, ...]
    """The four readers it is told for."""
    coming: Saying | None
    """What the next step will tell; None at the end."""
    notes: tuple[NoteRow, ...]
    """Notes pinned to this step."""
    later: tuple[NoteRow, ...]
    """Notes pinned to the next step."""
    revision: int
    """How many changes of what is presented it knows of."""
    meeting: Meeting | None
    """None where the walk is no session."""
