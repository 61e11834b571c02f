"""How a session stands to those who follow it, and what they are told when that changes."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from starlette.requests import Request

from app.errors import LoopscopeError
from app.store.presenting import Shown
from app.web.address import Query
from app.web.browsers import browser_of, known_as
from app.web.moment import Moment
from app.web.session_parts import Meeting
from app.web.site import Site, origin_of
from app.web.sittings import moment_of, open_sitting
from app.web.stage import stage_of
from app.web.stage_pages import StagePart


@dataclass(frozen=True, kw_only=True)
class Looks:
    """How a follower looks at what is presented: all who look alike are sent the same bytes."""

    view: str = ""
    depth: str = ""
    words: str = ""
    shape: str = ""
    """Empty where only names are wanted, and no picture."""


class Told(msgspec.Struct, frozen=True, omit_defaults=True):
    """One event."""

    session: str
    step: int
    revision: int
    live: bool
    name: str
    lead: str
    html: str = ""


def told(site: Site, looks: Looks, shown: Shown | None) -> str:
    """One event's data, as JSON."""
    if shown is None:
        return "{}"
    found = Told(
        session=shown.session.read_id,
        step=shown.position,
        revision=shown.revision,
        live=bool(shown.presenter),
        name=shown.name,
        lead=known_as(shown.presenter),
        html=_drawn(site, looks, shown) if looks.shape else "",
    )
    return msgspec.json.encode(found).decode()


def _drawn(site: Site, looks: Looks, shown: Shown) -> str:
    query = Query(view=looks.view, depth=looks.depth, words=looks.words)
    try:
        moment = followed_moment(site, shown, query)
    except LoopscopeError:
        # Its flow has been taken away since, or does not know these words: the page stays as it is.
        return ""
    stage = stage_of(moment, (looks.shape,), words=True, revision=shown.revision)
    return site.renderer.text(StagePart(stage=stage, controls=False))


def followed_moment(site: Site, shown: Shown, looks: Query) -> Moment:
    """What followers see. A branch may be shorter than what it was left for."""
    sitting = open_sitting(site, shown.session.read_id)
    return moment_of(sitting, min(shown.position, len(sitting.played.steps)), looks)


def meeting_of(request: Request, shown: Shown, moment: Moment, *, id: str, may_edit: bool) -> Meeting:
    """`id` is the one in the address of the page."""
    browser, looks = browser_of(request), moment.place.query
    return Meeting(
        stream=f"/s/{id}/live{looks}",
        shown=shown.session.read_id,
        step=shown.position,
        revision=shown.revision,
        live=bool(shown.presenter),
        mine=bool(browser) and shown.presenter == browser,
        me=known_as(browser),
        name=shown.name,
        may_edit=may_edit,
        action=f"/s/{id}/present",
        carried=(("step", str(moment.n)), *looks.pairs()),
        follow=f"{origin_of(request)}/s/{shown.root}/follow",
        back=f"/s/{id}/follow{looks}",
        present=moment.beside("/present").step(moment.n),
        speaker=f"/s/{id}/speaker{looks}",
        current=f"/s/{id}/present{looks}",
    )
