"""The page that gives what to paste into other pages: its model, and how it is made of a moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from app import diagram
from app.errors import BadInput
from app.story import pinned
from app.web.address import THEMES, VIEWS, Query, with_parts
from app.web.embedding import USUAL_VIEW, span
from app.web.frames import frame
from app.web.framing import FramedPlace, Framing, framing_of
from app.web.moment import Moment, clock_text
from app.web.pages import Frame
from app.web.rendering import Page
from app.web.snippets import KINDS, USUAL_SIZE, Source
from app.web.telling import titles

SIZES = (200, 2000)


@dataclass(frozen=True, kw_only=True)
class EmbedDialogPage(Page):
    """A dialog over the player; a page of its own where there is no JavaScript."""

    template: ClassVar[str] = "embed_dialog.html"
    part: ClassVar[str] = "partials/embed_options.html"

    frame: Frame
    """Title, theme, navigation."""
    words: str
    """The step that is embedded, with its flow."""
    back: str
    """The player at this step."""
    action: str
    """Where the form of options goes: here."""
    carried: tuple[tuple[str, str], ...]
    """Hidden fields of that form: the walk."""
    named: dict[str, str]
    """Each option as it was given."""
    themes: tuple[str, ...]
    """To choose from."""
    views: tuple[str, ...]
    """To choose from."""
    problems: tuple[str, ...]
    """What is wrong with the options."""
    snippets: tuple[tuple[str, str], ...]
    """Kind of host, and what to paste there; none where the options are wrong."""
    source: Source | None
    """Addresses and words that they are made of."""


def embed_dialog(moment: Moment, pairs: Sequence[tuple[str, str]], *, origin: str) -> EmbedDialogPage:
    """`moment` stands at the address that others may have."""
    named = {name: value.strip() for name, value in pairs}
    source: Source | None = None
    problems: tuple[str, ...] = ()
    try:
        framing, size = _options(moment, pairs)
        source = source_of(moment, framing, origin, size=size)
    except BadInput as error:
        problems = tuple(error.problems)
    words = pinned.words_at(moment.played, moment.n)
    here = moment.place.asking(Query()).embed(moment.id)
    return EmbedDialogPage(
        frame=frame(
            title=f"Embed · {words}",
            theme=moment.place.query.theme,
            current="flows",
            here=lambda theme: f"{here}{moment.place.query.in_theme(theme)}",
        ),
        words=words,
        back=moment.step(moment.n),
        action=here,
        carried=moment.place.query.pairs(without=("theme", "view")),
        named={name: named.get(name, "") for name in ("theme", "view", "from", "to", "only", "width", "height")},
        themes=THEMES,
        views=(USUAL_VIEW, *(view for view in VIEWS if view != USUAL_VIEW)),
        problems=problems,
        snippets=tuple((kind, written(source)) for kind, written in KINDS.items()) if source else (),
        source=source,
    )


def _options(moment: Moment, pairs: Sequence[tuple[str, str]]) -> tuple[Framing, tuple[int, int]]:
    """The steps and the size of the frame; BadInput lists every one that cannot be."""
    named = {name: value.strip() for name, value in pairs}
    problems: list[str] = []
    size = []
    for name, usual in zip(("width", "height"), USUAL_SIZE, strict=True):
        text = named.get(name, "") or str(usual)
        if not (text.isascii() and text.isdigit() and len(text) < 6 and SIZES[0] <= int(text) <= SIZES[1]):
            problems.append(f"{name}: found {text[:40]!r}; allowed: {SIZES[0]} to {SIZES[1]}")
            text = str(usual)
        size.append(int(text))
    framing = Framing()
    try:
        # The form's height is the frame's own; an embed's address has the word for a message there.
        framing = framing_of([(name, value) for name, value in pairs if name != "height"])
        first, last = span(moment.played, framing)
        if not first <= moment.n <= last:
            problems.append(f"from, to: found {first} to {last}; allowed: a range with this step, {moment.n}, in it")
    except BadInput as error:
        problems += error.problems
    if problems:
        raise BadInput(problems)
    return framing, (size[0], size[1])


def source_of(moment: Moment, framing: Framing, origin: str, *, size: tuple[int, int] = USUAL_SIZE) -> Source:
    """Every address with what the reader sees now, so that it can be told when that no longer holds."""
    played, n, place = moment.played, moment.n, moment.place
    theme, view = place.query.theme, place.query.view
    seen = (("seen", str(pinned.pin(played, n))),)
    shown = place.asking(replace(place.query, view="", theme=""))
    framed = place.at(f"/embed{place.path}")
    coloured = (("theme", theme), *seen)
    picture, messages = (
        origin + with_parts(shown.form(moment.id, "svg", which), coloured)
        for which in (framing.only or view or USUAL_VIEW, "messages")
    )
    words = pinned.words_at(played, n)
    return Source(
        page=origin + with_parts(shown.step(moment.id), seen),
        picture=picture,
        messages=messages,
        embed=origin + with_parts(FramedPlace(place=framed, framing=framing).step(moment.id), seen),
        words=words,
        title=f"{n} / {len(moment.steps)} · {clock_text(moment.now)} · {titles(played)[n - 1] if n else words}",
        mermaid=diagram.mermaid(played.walk, n, played.flow),
        width=size[0],
        height=size[1],
    )
