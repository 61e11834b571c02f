"""What the player's page is made of: one frozen dataclass, every field told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.story.pinned import Changed
from app.web.pages import Frame
from app.web.player_parts import (
    Chosen,
    Clock,
    Command,
    Depth,
    Drawn,
    Field,
    Insight,
    Offered,
    Saying,
    SceneLink,
    Scrubber,
    Sharing,
    StepRow,
    SymptomRow,
    Unmodelled,
    VerdictRow,
)
from app.web.ranking_parts import RankingPanel
from app.web.rendering import Page
from app.web.session_parts import Kept


@dataclass(frozen=True, kw_only=True)
class PlayerPage(Page):
    """A flow or a session at one step."""

    template: ClassVar[str] = "player.html"
    part: ClassVar[str] = "partials/step.html"

    frame: Frame
    """Title, theme, navigation."""
    flow_title: str
    """Of the lesson."""
    chapter: str
    """That the lesson stands in."""
    clock: Clock
    """Where in the walk this is, and the links onward."""
    scrubber: Scrubber
    """All steps as ticks of one slider."""
    steps: tuple[StepRow, ...]
    """All steps in order."""
    listing: str
    """What the step list and the slider say besides where the reader is: a digest."""
    listed: bool
    """Whether the page that this is swapped into has them already, and keeps them."""
    saying: Saying
    """What just happened."""
    depths: tuple[Depth, ...]
    """The four readers it is told for."""
    wordings: tuple[Depth, ...]
    """The words it can be told in; none where there is no choice."""
    cluster: Drawn
    """The cluster as it really is, with what is believed of it."""
    messages: Drawn
    """Who wrote to whom."""
    timeline: Drawn
    """Every interval that matters, to scale."""
    ranking: RankingPanel | None
    """Who would go first on one node; None where the lesson is not about memory."""
    commands: tuple[Command, ...]
    """What kubectl would print now."""
    changes: tuple[ChangeRow, ...]
    """The fields that this step changed."""
    output: tuple[Printed, ...]
    """What commands of this walk have printed so far."""
    symptoms: tuple[SymptomRow, ...]
    """What can fail here."""
    scenes: tuple[SceneLink, ...]
    """Presets of this flow, the plain one first."""
    fields: tuple[Field, ...]
    """The settings as a form."""
    carried: tuple[tuple[str, str], ...]
    """Hidden fields of the settings form: what else stands in the address."""
    settings_action: str
    """Where the settings form goes; from a session to the free walk, as a session's settings stay."""
    problems: tuple[str, ...]
    """What was wrong with what was typed and belongs to no field."""
    verdicts: tuple[VerdictRow, ...]
    """Computed answers about the whole walk."""
    offers: tuple[Offered, ...]
    """Which loop could go first instead."""
    offers_left: int
    """How many more there are that are not listed."""
    chosen: tuple[Chosen, ...]
    """What the reader has decided so far."""
    intervention: Intervening
    """The form to do something to the cluster."""
    insights: tuple[Insight, ...]
    """Questions and traps that hang on this moment."""
    assumes: tuple[str, ...]
    """What the lesson takes for granted."""
    leaves_out: tuple[str, ...]
    """What the lesson does not show."""
    assumed: tuple[str, ...]
    """What is taken for granted beyond the reader's own manifests."""
    not_modelled: tuple[Unmodelled, ...]
    """Fields of the manifests that the model does not read."""
    release: str
    """Which Kubernetes it is."""
    dropped: tuple[Unmodelled, ...]
    """Fields of the manifests that this Kubernetes drops."""
    versions: tuple[tuple[str, str], ...]
    """Every other Kubernetes, and this walk beside the same there."""
    orders: str
    """Where every order is searched; empty where that has been done."""
    sweep: str
    """Where one setting takes value after value."""
    compare: str
    """This walk beside the usual one; empty where it is that."""
    overlay: str
    """This walk beside a recording of the reader's own."""
    sharing: Sharing
    """Addresses of this moment, as page, picture and text."""
    oembed: str
    """Where this moment is described for programs that embed it."""
    changed: tuple[Changed, ...]
    """What of this step is no longer as somebody saw it when it was linked."""
    saving: tuple[tuple[str, str], ...]
    """Hidden fields of the form that makes a session; none in a session."""
    kept: Kept | None
    """The session, where this is one."""
    present: str
    """This step, large."""
    speaker: str
    """What to say at this step."""


@dataclass(frozen=True, kw_only=True)
class ChangeRow:
    """One field before and after."""

    object: str
    """`pod/web-1`, `host/node-1`."""
    path: str
    """The field."""
    before: str
    """Empty if it was not there."""
    after: str
    """Empty if it is gone."""


@dataclass(frozen=True, kw_only=True)
class Printed:
    """One line that a command of the walk has printed."""

    clock: str
    """When."""
    command: str
    """The command line; empty where the line before was of the same command."""
    text: str
    """The line."""
    error: bool
    """Whether it went to standard error."""


@dataclass(frozen=True, kw_only=True)
class Intervening:
    """The form to do something to the cluster right after this step."""

    action: str
    """Where it goes."""
    post: bool
    """In a session it changes something."""
    barred: bool
    """Whether the session may only be read."""
    carried: tuple[tuple[str, str], ...]
    """Hidden fields: what else stands in the address, or which choices the page knew."""
    value: str
    """What the field holds: the time after this step, or what was typed."""
    examples: tuple[str, ...]
    """Interventions that make sense in this cluster."""
    usages: tuple[str, ...]
    """The form of every verb."""
