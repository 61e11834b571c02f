"""What is presented of a session: who leads, which step the followers see, and how another takes over."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlmodel import Session as Database
from sqlmodel import col, select

from app.errors import MovedOn
from app.store import sessions
from app.store.announcing import announce
from app.store.tables import Presentation, Session, TakenAlong


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What the followers of a session see: the session itself where nobody has presented it yet."""

    key: int
    root: str
    """The id by which followers read the session whose presentation it is."""
    session: Session
    position: int
    revision: int = 0
    presenter: str = ""
    name: str = ""


def shown(db: Database, *, session: Session) -> Shown:
    """What followers see who opened this session, or a branch that was made while it was presented."""
    found = _presented(db, session)
    if found is None:
        return Shown(key=session.id, root=session.read_id, session=session, position=session.position)
    branch = db.get(Session, found.shown_id) if found.shown_id is not None else None
    root = session if session.id == found.session_id else db.get_one(Session, found.session_id)
    return Shown(
        key=found.session_id,
        root=root.read_id,
        session=branch or root,
        position=found.position,
        revision=found.revision,
        presenter=found.presenter,
        name=found.presenter_name,
    )


def newer(db: Database, *, known: Mapping[int, int]) -> dict[int, Shown | None]:
    """What changed of the presentations whose revisions are known; None of one that is gone with its session."""
    found = select(Presentation.session_id, Presentation.revision).where(col(Presentation.session_id).in_(known))
    now = dict(db.exec(found).all())
    there = set(db.exec(select(Session.id).where(col(Session.id).in_(set(known) - set(now)))))
    changed: dict[int, Shown | None] = {key: None for key in known if key not in now and key not in there}
    for key, revision in now.items():
        if revision != known[key]:
            changed[key] = shown(db, session=db.get_one(Session, key))
    return changed


def start(db: Database, *, edit_id: str, browser: str, name: str, position: int, takes_over: bool) -> Shown:
    """Lead from here. While another browser leads, only an explicit taking over does that."""
    session = sessions.get_for_editing(db, edit_id=edit_id)
    found = _locked(db, session)
    if found is None:
        found = Presentation(session_id=session.id)
        db.add(found)
    elif found.presenter not in {"", browser} and not takes_over:
        raise MovedOn(f"{found.presenter_name or 'somebody else'} presents this by now; reload the page to take over")
    found.presenter, found.presenter_name = browser, name
    _show(db, found, session, position)
    return shown(db, session=session)


def stop(db: Database, *, edit_id: str) -> None:
    """Nobody leads any longer; followers stay where they are."""
    session = sessions.get_for_editing(db, edit_id=edit_id)
    found = _locked(db, session)
    if found is not None and found.presenter:
        found.presenter = found.presenter_name = ""
        _changed(db, found)


def move(db: Database, *, session: Session, browser: str, position: int) -> bool:
    """Take the followers to a step, if this browser leads; whether it does."""
    found = _presented(db, session)
    if found is None or not _leads(found, browser):
        return False
    if _what(found) == (session.id, position):
        return True
    # Another may have taken over since.
    if _leads(_again(db, found), browser):
        _show(db, found, session, position)
    return _leads(found, browser)


def chosen(db: Database, *, session: Session) -> None:
    """What is shown may be another step by now, though its number is the same."""
    found = _locked(db, session)
    if found is not None and _what(found)[0] == session.id:
        _changed(db, found)


def take_along(db: Database, *, source: Session, branch: Session, browser: str) -> None:
    """A branch that whoever leads has just made belongs to what is presented."""
    found = _presented(db, source)
    if found is not None and _leads(found, browser):
        db.add(TakenAlong(session_id=branch.id, presented_id=found.session_id))
        db.flush()


def followed(db: Database, *, id: str) -> Shown:
    """What followers see who opened a session by either of its addresses."""
    return shown(db, session=sessions.get_for_reading(db, id=id).session)


def _leads(found: Presentation, browser: str) -> bool:
    return bool(browser) and found.presenter == browser


def _what(found: Presentation) -> tuple[int, int]:
    """The session that is shown, and the step."""
    return found.shown_id or found.session_id, found.position


def _presented(db: Database, session: Session) -> Presentation | None:
    own = db.get(Presentation, session.id)
    if own is not None:
        return own
    along = db.get(TakenAlong, session.id)
    return db.get(Presentation, along.presented_id) if along is not None else None


def _locked(db: Database, session: Session) -> Presentation | None:
    found = _presented(db, session)
    return _again(db, found) if found is not None else None


def _again(db: Database, found: Presentation) -> Presentation:
    """Read anew and kept from other writers; SQLite has locked everything already."""
    db.refresh(found, with_for_update=True)
    return found


def _show(db: Database, found: Presentation, session: Session, position: int) -> None:
    found.shown_id = None if session.id == found.session_id else session.id
    found.position = position
    _changed(db, found)


def _changed(db: Database, found: Presentation) -> None:
    found.revision += 1
    db.flush()
    announce(db)
