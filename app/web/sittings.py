"""A session opened for a page: the stored strings, played again."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session as Database

from app.diagram import Pin
from app.errors import NotFound
from app.store import presenting, sessions
from app.store.presenting import Shown
from app.store.sessions import THE_STEP, Trail
from app.store.tables import Choice, Note, Session
from app.story.play import Play, in_words, position
from app.web.address import Place, Query
from app.web.clearing import kept_until
from app.web.moment import Moment
from app.web.pins import pins
from app.web.session_parts import Kept, Meeting, NoteRow
from app.web.site import Site, canonical
from app.web.telling import taken


@dataclass(frozen=True, kw_only=True)
class Sitting:
    """One session with what is stored of it, and its walk."""

    session: Session
    may_edit: bool
    choices: tuple[Choice, ...]
    notes: tuple[Note, ...]
    played: Play
    trail: Trail
    """The steps that were taken before."""
    drift: str
    shown: Shown
    """What its followers see."""

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
        shown = presenting.shown(db, session=session)
        trail = sessions.trail(db, session_id=session.id)
    played = site.play(session.flow, query_of(session, choices))
    differs = sessions.first_difference(trail, taken(played))
    return Sitting(
        session=session,
        may_edit=opened.may_edit,
        choices=choices,
        notes=notes,
        played=played,
        trail=trail,
        drift=str(differs) if differs else "",
        shown=shown,
    )


def moment_of(sitting: Sitting, n: int, looks: Query | None = None, tail: str = "") -> Moment:
    """A step of a session, in the words that are asked for."""
    place = Place(path=f"/s/{sitting.id}", query=looks or Query(), tail=tail)
    played = in_words(sitting.played, place.query.words)
    return Moment(played=played, n=n, place=place, free=canonical(sitting.played, sitting.query))


def arrive(site: Site, sitting: Sitting, n: int, browser: str) -> None:
    """Keep where an editor stands now; whoever follows this browser goes there, too."""
    if not sitting.may_edit:
        return
    with site.store.writing() as db:
        remember(db, sitting, n)
        leads = presenting.move(db, session=sitting.session, browser=browser, position=n)
    if leads:
        site.following.changed()


def remember(db: Database, sitting: Sitting, n: int) -> None:
    """Where the reader stands now, and the steps that led there."""
    fresh = [step for step in taken(sitting.played)[:n] if step.n not in sitting.trail]
    if fresh or sitting.session.position != n:
        sessions.record_taken(db, edit_id=sitting.session.edit_id, steps=fresh, position=n)


def kept(sitting: Sitting, moment: Moment, origin: str, meeting: Meeting) -> Kept:
    """What the page says of the session."""
    looks = moment.place.query
    reading = f"/s/{sitting.session.read_id}/{moment.n}{looks}"
    return Kept(
        title=sitting.session.title,
        may_edit=sitting.may_edit,
        action=f"/s/{sitting.id}",
        reading=f"{origin}{reading}",
        carried=(("step", str(moment.n)), ("seen", str(len(sitting.choices))), *looks.pairs()),
        notes=note_rows(sitting, moment),
        pins=pins(moment),
        marks=_marks(sitting, moment),
        drift=sitting.drift,
        until=kept_until(sitting.session),
        free=moment.without_session.step(moment.n),
        question=sitting.session.question,
        editing=f"{origin}/s/{sitting.session.edit_id}/{moment.n}{looks}" if sitting.may_edit else "",
        meeting=meeting,
    )


def note_rows(sitting: Sitting, moment: Moment) -> tuple[NoteRow, ...]:
    """All notes in the order of the walk; what this walk has no step for comes last."""
    rows = [_note(moment, row, f"/s/{sitting.id}/notes/{row.id}") for row in sitting.notes]
    return tuple(sorted(rows, key=lambda row: (row.n < 0, row.n)))


def _note(moment: Moment, row: Note, action: str) -> NoteRow:
    try:
        n = position(moment.played, row.step_id)
    except NotFound:
        n = -1
    return NoteRow(
        n=n,
        step=str(n) if n >= 0 else row.step_id,
        step_id=row.step_id,
        href=moment.step(n) if n >= 0 else "",
        kind=row.kind,
        actor="" if row.actor == THE_STEP else row.actor,
        text=row.text,
        author=row.author,
        here=n == moment.n,
        action=action,
    )


def _marks(sitting: Sitting, moment: Moment) -> tuple[Pin, ...]:
    """Notes as the timeline marks them."""
    rows = [row for row in note_rows(sitting, moment) if row.n >= 0]
    return tuple(Pin(row.n, moment.at(row.n).now, row.kind, row.actor, row.text) for row in rows)


def data_of(row: NoteRow) -> dict[str, object]:
    """A note for programs."""
    return {
        "step": row.n if row.n >= 0 else None,
        "id": row.step_id,
        "kind": row.kind,
        "actor": row.actor or THE_STEP,
        "author": row.author,
        "text": row.text,
    }
