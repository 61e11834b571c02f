"""Who leads a presentation and what its followers see: one at a time, on both databases."""

import pytest

from app.errors import MovedOn, ReadOnly
from app.store import presenting, sessions
from app.store.database import Store
from app.store.presenting import Shown
from app.store.tables import Session

pytestmark = pytest.mark.databases("sqlite", "postgresql")

ADA, BO = "browser-ada", "browser-bo"


def start(store: Store, session: Session, browser: str = ADA, *, position: int = 3, over: bool = False) -> Shown:
    with store.writing() as db:
        return presenting.start(
            db, edit_id=session.edit_id, browser=browser, name=browser[8:].title(), position=position, takes_over=over
        )


def move(store: Store, session: Session, position: int, browser: str = ADA) -> bool:
    with store.writing() as db:
        return presenting.move(db, session=session, browser=browser, position=position)


def seen(store: Store, session: Session) -> Shown:
    with store.reading() as db:
        return presenting.followed(db, id=session.read_id)


def branch_of(store: Store, session: Session, browser: str = ADA) -> Session:
    with store.writing() as db:
        branch = sessions.fork(db, id=session.read_id, owner=browser, choices_kept=0, position=3)
        presenting.take_along(db, source=session, branch=branch, browser=browser)
    return branch


def test_before_anybody_presents_the_session_itself_is_seen(store: Store, session: Session) -> None:
    found = seen(store, session)
    assert (found.session.id, found.position, found.revision, found.presenter) == (session.id, 0, 0, "")


def test_followers_go_where_the_presenter_goes(store: Store, session: Session) -> None:
    assert start(store, session).revision == 1
    assert move(store, session, 4)
    found = seen(store, session)
    assert (found.position, found.revision, found.presenter, found.name) == (4, 2, ADA, "Ada")


def test_to_stay_is_no_change(store: Store, session: Session) -> None:
    start(store, session)
    assert move(store, session, 3)
    assert seen(store, session).revision == 1


def test_nobody_else_moves_them(store: Store, session: Session) -> None:
    start(store, session)
    assert not move(store, session, 9, BO)
    assert not move(store, session, 9, "")
    assert seen(store, session).position == 3


def test_a_reading_address_cannot_present(store: Store, session: Session) -> None:
    with store.writing() as db, pytest.raises(ReadOnly):
        presenting.start(db, edit_id=session.read_id, browser=BO, name="", position=0, takes_over=True)
    with store.writing() as db, pytest.raises(ReadOnly):
        presenting.stop(db, edit_id=session.read_id)


def test_another_takes_over_only_if_they_say_so(store: Store, session: Session) -> None:
    start(store, session)
    with pytest.raises(MovedOn, match="Ada presents this by now"):
        start(store, session, BO, position=5)
    assert seen(store, session).presenter == ADA
    start(store, session, BO, position=5, over=True)
    assert not move(store, session, 8)
    assert move(store, session, 6, BO)
    assert (seen(store, session).name, seen(store, session).position) == ("Bo", 6)


def test_after_the_end_followers_stay_where_they_are_and_anybody_may_begin(store: Store, session: Session) -> None:
    start(store, session)
    with store.writing() as db:
        presenting.stop(db, edit_id=session.edit_id)
    found = seen(store, session)
    assert (found.position, found.presenter, found.name, found.revision) == (3, "", "", 2)
    assert not move(store, session, 4)
    assert start(store, session, BO).revision == 3


def test_a_branch_takes_the_followers_along_and_back(store: Store, session: Session) -> None:
    start(store, session)
    branch = branch_of(store, session)
    assert move(store, branch, 5)
    found = seen(store, session)
    assert (found.session.id, found.position, found.root) == (branch.id, 5, session.read_id)
    assert seen(store, branch).key == session.id
    assert move(store, session, 2)
    assert seen(store, session).session.id == session.id
    assert move(store, branch, 6)
    assert seen(store, session).session.id == branch.id


def test_what_a_follower_forks_is_their_own(store: Store, session: Session) -> None:
    start(store, session)
    own = branch_of(store, session, BO)
    assert not move(store, own, 5, BO)
    assert seen(store, session).session.id == session.id
    assert seen(store, own).key == own.id


def test_a_deleted_branch_leaves_the_session_and_a_deleted_session_nothing(store: Store, session: Session) -> None:
    start(store, session)
    branch = branch_of(store, session)
    move(store, branch, 5)
    with store.writing() as db:
        sessions.delete(db, edit_id=branch.edit_id)
    assert seen(store, session).session.id == session.id
    with store.writing() as db:
        sessions.delete(db, edit_id=session.edit_id)
    with store.reading() as db:
        assert presenting.newer(db, known={session.id: 2}) == {session.id: None}


def test_what_is_newer_is_found_in_one_go(store: Store, session: Session) -> None:
    with store.reading() as db:
        assert presenting.newer(db, known={session.id: 0}) == {}
    start(store, session)
    with store.reading() as db:
        found = presenting.newer(db, known={session.id: 0})[session.id]
        assert found is not None
        assert found.position == 3
        assert presenting.newer(db, known={session.id: 1}) == {}


def test_a_choice_in_what_is_shown_is_a_change_though_the_step_stays(store: Store, session: Session) -> None:
    start(store, session)
    with store.writing() as db:
        presenting.chosen(db, session=session)
    assert seen(store, session).revision == 2
    with store.writing() as db:
        other = sessions.fork(db, id=session.read_id, owner=BO, choices_kept=0, position=3)
        presenting.chosen(db, session=other)
    assert seen(store, session).revision == 2


def test_a_presentation_outlives_its_server(store: Store, session: Session) -> None:
    start(store, session)
    again = Store(store.url.render_as_string(hide_password=False))
    assert seen(again, session).position == 3
    again.close()
