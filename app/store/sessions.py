"""Sessions: a walk kept by name (flow, manifest, settings, choices, position), reopened, changed, forked, listed."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import delete as delete_from
from sqlmodel import Session as Database
from sqlmodel import col, func, or_, select
from sqlmodel.sql.expression import SelectOfScalar

from app.configuration import MOST_SESSIONS
from app.errors import BadInput, MovedOn, NotFound, ReadOnly, TooMuch
from app.store import manifests
from app.store.tables import NAME_LENGTH, STEP_ID_LENGTH, Choice, Note, Session, Taken, now
from app.store.texts import check_text, is_token

Kind = Literal["do", "pick"]
NoteKind = Literal["note", "decision"]

MOST_TITLE = 200
MOST_CHOICE = 4_000
MOST_NOTE = 4_000
MOST_ACTOR = 100
MOST_QUESTION = 1_000
MOST_POSITION = 1_000_000
THE_START = "0"
"""Where a note stands that is on no step yet."""
THE_STEP = "step"
"""What a note is pinned to that concerns the step itself."""


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A session as one of its two addresses gives it."""

    session: Session
    may_edit: bool


@dataclass(frozen=True, kw_only=True)
class StepTaken:
    """What is kept of a step: its number, id and time, and a digest of its effects (16 hexadecimal digits)."""

    n: int
    step_id: str
    at_ms: int
    digest: str


def create(
    db: Database,
    *,
    owner: str,
    flow: str,
    settings: Mapping[str, Any],
    engine_version: str,
    title: str,
    manifest_hash: str | None = None,
    scene: str = "",
) -> Session:
    """A new session at the start of its flow; `settings` are all effective ones, defaults included."""
    check_text("owner", owner, most=64)
    check_text("title", title, most=MOST_TITLE)
    _check_room(db, owner)
    if manifest_hash is not None:
        manifests.get(db, hash=manifest_hash)
    session = Session(
        owner=owner,
        flow=flow,
        manifest_hash=manifest_hash,
        scene=scene,
        settings=json.dumps(settings, sort_keys=True, ensure_ascii=False, allow_nan=False),
        engine_version=engine_version,
        title=title,
    )
    db.add(session)
    db.flush()
    return session


def _check_room(db: Database, owner: str) -> None:
    most = MOST_SESSIONS.get()
    if most is None or db.exec(select(func.count()).where(Session.owner == owner)).one() < most:
        return
    told = f"{most} sessions are kept for this browser, and no more are allowed; delete one that is not needed any more"
    raise TooMuch(told, limit="most-sessions", wait=3600)


def get_for_reading(db: Database, *, id: str) -> Opened:
    """By either id; `may_edit` says which of them it was."""
    return _opened(db, id, select(Session))


def _opened(db: Database, id: str, asked: SelectOfScalar[Session]) -> Opened:
    by_either = asked.where(or_(col(Session.read_id) == id, col(Session.edit_id) == id))
    session = db.exec(by_either).one_or_none() if is_token(id) else None
    if session is None:
        raise NotFound(f"no session {id!r}; it may have been deleted")
    return Opened(session=session, may_edit=session.edit_id == id)


def get_for_editing(db: Database, *, edit_id: str) -> Session:
    """The session, kept from every other writer until this unit of work ends."""
    # SQLite has locked everything already; PostgreSQL waits here, and then reads the row as it is by then.
    opened = _opened(db, edit_id, select(Session).with_for_update().execution_options(populate_existing=True))
    if not opened.may_edit:
        raise ReadOnly("this address of the session may read it, not change it; fork it to go your own way")
    return opened.session


def list_for_owner(db: Database, *, owner: str, most: int = 100) -> list[Session]:
    """What one browser has made, the latest touched first."""
    if not is_token(owner):
        return []
    latest_first = col(Session.updated_at).desc(), col(Session.id).desc()
    return list(db.exec(select(Session).where(Session.owner == owner).order_by(*latest_first).limit(most)))


def choices(db: Database, *, session_id: int) -> list[Choice]:
    return list(db.exec(select(Choice).where(Choice.session_id == session_id).order_by(col(Choice.n))))


def append_choice(db: Database, *, edit_id: str, kind: Kind, text: str, seen: int, position: int) -> Choice:
    """Choose at a step. `seen` is how many choices the reader's page was made from: two tabs cannot both be right."""
    session = get_for_editing(db, edit_id=edit_id)
    there = db.exec(select(func.count()).where(Choice.session_id == session.id)).one()
    if there != seen:
        raise MovedOn(f"choices in the session by now: {there}, known to this page: {seen}; reload it or fork it")
    _forget_after(db, session, position)
    return _choose(db, session, [(kind, text)], first=seen + 1)[0]


def replace_choices(db: Database, *, edit_id: str, choices: Sequence[tuple[Kind, str]], position: int) -> list[Choice]:
    """Put other choices in place of all; for a session just forked, whose old branch is kept elsewhere."""
    session = get_for_editing(db, edit_id=edit_id)
    db.exec(delete_from(Choice).where(col(Choice.session_id) == session.id))
    _forget_after(db, session, position)
    return _choose(db, session, choices, first=1)


def set_position(db: Database, *, edit_id: str, position: int) -> Session:
    """Go to a step, back or on; choices and steps taken stay as they are."""
    session = get_for_editing(db, edit_id=edit_id)
    _move(session, position)
    db.flush()
    return session


def fork(db: Database, *, id: str, owner: str, choices_kept: int, position: int, title: str | None = None) -> Session:
    """Another session with the first choices of this one, and its steps and notes up to `position`; needs no rights."""
    source = get_for_reading(db, id=id).session
    branch = create(
        db,
        owner=owner,
        flow=source.flow,
        settings=source.effective_settings(),
        engine_version=source.engine_version,
        title=source.title if title is None else title,
        manifest_hash=source.manifest_hash,
        scene=source.scene,
    )
    branch.forked_from, branch.question = source.id, source.question
    _move(branch, position)
    kept = choices(db, session_id=source.id)[:choices_kept]
    db.add_all(Choice(session_id=branch.id, n=old.n, kind=old.kind, text=old.text) for old in kept)
    _copy_trail(db, source, branch)
    db.flush()
    return branch


def rename(db: Database, *, edit_id: str, title: str) -> Session:
    check_text("title", title, most=MOST_TITLE)
    session = get_for_editing(db, edit_id=edit_id)
    session.title, session.updated_at = title, now()
    db.flush()
    return session


def delete(db: Database, *, edit_id: str) -> None:
    """With its choices, steps and notes; sessions forked from it stay."""
    session = get_for_editing(db, edit_id=edit_id)
    db.exec(delete_from(Session).where(col(Session.id) == session.id))


def record_taken(db: Database, *, edit_id: str, steps: Iterable[StepTaken], position: int | None = None) -> int:
    """Keep steps as they were when first taken, and say how many were new; taking one again changes nothing.

    With a position, stand there.
    """
    session = get_for_editing(db, edit_id=edit_id)
    if position is not None and position != session.position:
        _move(session, position)
    given = {step.n: step for step in steps}
    between = col(Taken.n).between(min(given, default=0), max(given, default=0))
    there = set(db.exec(select(Taken.n).where(Taken.session_id == session.id, between)))
    fresh = [step for n, step in given.items() if n not in there]
    db.add_all(Taken(session_id=session.id, **vars(step)) for step in fresh)
    db.flush()
    return len(fresh)


def taken(db: Database, *, session_id: int) -> list[Taken]:
    return list(db.exec(select(Taken).where(Taken.session_id == session_id).order_by(col(Taken.n))))


Trail = dict[int, tuple[str, str]]
"""The id and the digest of each step that was taken, by its number, in the order of the numbers."""


def trail(db: Database, *, session_id: int) -> Trail:
    columns = select(Taken.n, Taken.step_id, Taken.digest)
    found = db.exec(columns.where(Taken.session_id == session_id).order_by(col(Taken.n)))
    return {n: (step_id, digest) for n, step_id, digest in found}


def first_difference(old: Trail, steps: Iterable[StepTaken]) -> int | None:
    """The first step that was another when it was taken, times apart; None if the walk replays as it was."""
    replayed = {step.n: (step.step_id, step.digest) for step in steps}
    return next((n for n, what in old.items() if replayed.get(n) != what), None)


def set_question(db: Database, *, edit_id: str, question: str) -> Session:
    """What a review is to answer; an empty one takes it back."""
    if question:
        check_text("question", question, most=MOST_QUESTION)
    session = get_for_editing(db, edit_id=edit_id)
    session.question, session.updated_at = question, now()
    db.flush()
    return session


def add_note(
    db: Database, *, edit_id: str, step_id: str, actor: str, text: str, kind: NoteKind = "note", author: str = ""
) -> Note:
    """Pin a note to a step, and there to whoever acts, to an object, or to the step itself."""
    check_text("step", step_id, most=STEP_ID_LENGTH)
    session = get_for_editing(db, edit_id=edit_id)
    if author:
        check_text("author", author, most=NAME_LENGTH)
    note = Note(session_id=session.id, step_id=step_id, actor=actor, text=text, author=author)
    _write(session, note, actor, text, kind)
    db.add(note)
    db.flush()
    return note


def change_note(db: Database, *, edit_id: str, id: int, text: str, kind: NoteKind) -> Note:
    session = get_for_editing(db, edit_id=edit_id)
    note = _note(db, session, id)
    _write(session, note, note.actor, text, kind)
    db.flush()
    return note


def delete_note(db: Database, *, edit_id: str, id: int) -> Note:
    session = get_for_editing(db, edit_id=edit_id)
    note = _note(db, session, id)
    session.updated_at = now()
    db.delete(note)
    db.flush()
    return note


def _note(db: Database, session: Session, id: int) -> Note:
    note = db.get(Note, id)
    if note is None or note.session_id != session.id:
        raise NotFound(f"no note {id} in this session; it may have been deleted")
    return note


def _write(session: Session, note: Note, actor: str, text: str, kind: str) -> None:
    if kind not in get_args(NoteKind):
        raise BadInput([f"kind: found {kind[:40]!r}; allowed: {' or '.join(get_args(NoteKind))}"])
    check_text(kind, text, most=MOST_NOTE)
    check_text("actor", actor, most=MOST_ACTOR)
    note.actor, note.text, note.kind = actor, text, kind
    session.updated_at = now()


def notes(db: Database, *, session_id: int) -> list[Note]:
    """In the order in which they were written."""
    return list(db.exec(select(Note).where(Note.session_id == session_id).order_by(col(Note.id))))


def _move(session: Session, position: int) -> None:
    if not 0 <= position <= MOST_POSITION:
        raise BadInput([f"position: {position} is no step; steps are numbered from 0 to at most {MOST_POSITION}"])
    session.position, session.updated_at = position, now()


def _forget_after(db: Database, session: Session, position: int) -> None:
    """Stand at a step whose next ones will be others."""
    _move(session, position)
    db.exec(delete_from(Taken).where(col(Taken.session_id) == session.id, col(Taken.n) > position))


def _choose(db: Database, session: Session, chosen: Sequence[tuple[Kind, str]], *, first: int) -> list[Choice]:
    for kind, text in chosen:
        if kind not in get_args(Kind):
            raise BadInput([f"{kind}: no kind of choice; allowed are {' and '.join(get_args(Kind))}"])
        check_text(kind, text, most=MOST_CHOICE)
    added = [
        Choice(session_id=session.id, n=n, kind=kind, text=text) for n, (kind, text) in enumerate(chosen, start=first)
    ]
    db.add_all(added)
    db.flush()
    return added


def _copy_trail(db: Database, source: Session, branch: Session) -> None:
    """Steps up to where the branch stands, and what was noted on them."""
    steps = [step for step in taken(db, session_id=source.id) if step.n <= branch.position]
    db.add_all(
        Taken(session_id=branch.id, n=step.n, step_id=step.step_id, at_ms=step.at_ms, digest=step.digest)
        for step in steps
    )
    shared = {THE_START, *(step.step_id for step in steps)}
    db.add_all(
        Note(session_id=branch.id, **note.model_dump(exclude={"id", "session_id"}))
        for note in notes(db, session_id=source.id)
        if note.step_id in shared
    )
