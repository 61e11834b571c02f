"""A session opened for a page: the stored strings, played again."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session as Database

from app.errors import NotFound
from app.store import sessions
from app.store.tables import Choice, Note, Session
from app.story.play import Play, position
from app.web.address import Query
from app.web.clearing import kept_until
from app.web.moment import Moment
from app.web.session_parts import Kept, NoteRow
from app.web.site import Site
from app.web.telling import taken


@dataclass(frozen=True, kw_only=True)
class Sitting:
    """One session with what is stored of it, and its walk."""

    session: Session
    may_edit: bool
    choices: tuple[Choice, ...]
    notes: tuple[Note, ...]
    played: Play
    drift: str

    @property
    def id(self) -> str:
        """The one by which it was opened."""
        return self.session.edit_id if self.may_edit else self.session.read_id

    @property
    def query(self) -> Query:
        """Its walk as an address would give it."""
        return query_of(self.session, self.choices)


def query_of(session: Session, choices: tuple[Choice, ...]) -> Query:
    """A stored walk as an address would give it, with all settings."""
    return Query(
        manifest=session.manifest_hash or "",
        scene=session.scene,
        settings=tuple((name, str(value)) for name, value in session.effective_settings().items()),
        choices=tuple(("do" if row.kind == "do" else "pick", row.text) for row in choices),
    )


def open_sitting(site: Site, id: str) -> Sitting:
    """Read it, play it, and compare the steps with what they were when they were taken."""
    with site.store.reading() as db:
        opened = sessions.get_for_reading(db, id=id)
        session = opened.session
        choices = tuple(sessions.choices(db, session_id=session.id))
        notes = tuple(sessions.notes(db, session_id=session.id))
    played = site.play(session.flow, query_of(session, choices))
    with site.store.reading() as db:
        differs = sessions.first_difference(db, session_id=session.id, steps=taken(played))
    return Sitting(
        session=session,
        may_edit=opened.may_edit,
        choices=choices,
        notes=notes,
        played=played,
        drift=str(differs.n) if differs else "",
    )


def remember(db: Database, sitting: Sitting, n: int) -> None:
    """Where the reader stands now, and the steps that led there."""
    if sitting.session.position != n:
        sessions.set_position(db, edit_id=sitting.session.edit_id, position=n)
    sessions.record_taken(db, edit_id=sitting.session.edit_id, steps=taken(sitting.played)[:n])


def kept(sitting: Sitting, moment: Moment, origin: str) -> Kept:
    """What the page says of the session."""
    looks = moment.place.query
    reading = f"/s/{sitting.session.read_id}/{moment.n}{looks}"
    return Kept(
        title=sitting.session.title,
        may_edit=sitting.may_edit,
        action=f"/s/{sitting.id}",
        reading=f"{origin}{reading}",
        carried=(("step", str(moment.n)), ("seen", str(len(sitting.choices))), *looks.pairs()),
        notes=tuple(_note(moment, row) for row in sitting.notes),
        drift=sitting.drift,
        until=kept_until(sitting.session),
        free=moment.without_session.step(moment.n),
    )


def _note(moment: Moment, row: Note) -> NoteRow:
    try:
        n = position(moment.played, row.step_id)
    except NotFound:
        return NoteRow(step=row.step_id, href="", actor=row.actor, text=row.text, here=False)
    return NoteRow(step=str(n), href=moment.step(n), actor=row.actor, text=row.text, here=n == moment.n)
