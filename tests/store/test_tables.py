"""What a row promises: ids nobody can guess, instants that keep their zone, ties that hold."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy.exc import IntegrityError, StatementError
from sqlmodel import select

from app.store import tables
from app.store.database import Store
from app.store.tables import Choice, Session

pytestmark = pytest.mark.databases("sqlite", "postgresql")


def test_ids_carry_128_bits_and_never_repeat(session: Session) -> None:
    assert len({session.read_id, session.edit_id, *(tables.unguessable() for _ in range(1000))}) == 1002
    # 16 bytes in base64 without padding.
    assert len(session.read_id) == len(session.edit_id) == 22


def test_the_reading_id_tells_nothing_of_the_editing_id(session: Session) -> None:
    assert session.read_id not in session.edit_id
    assert session.edit_id not in session.read_id


@pytest.mark.usefixtures("session")
def test_an_instant_given_in_another_zone_comes_back_equal_and_in_utc(store: Store) -> None:
    summer = datetime(2026, 7, 1, 14, 30, 0, 123456, tzinfo=timezone(timedelta(hours=2)))
    with store.writing() as db:
        db.exec(select(Session)).one().created_at = summer
    with store.reading() as db:
        created_at = db.exec(select(Session)).one().created_at
    assert created_at == summer
    assert created_at.tzinfo is UTC
    assert created_at.hour == 12


def test_instants_of_different_zones_are_ordered_by_time(store: Store, session: Session) -> None:
    noon_in_utc_plus_9 = datetime(2026, 7, 1, 12, tzinfo=timezone(timedelta(hours=9)))
    four_in_utc = datetime(2026, 7, 1, 4, tzinfo=UTC)
    with store.writing() as db:
        db.exec(select(Session)).one().created_at = noon_in_utc_plus_9
    with store.reading() as db:
        assert db.exec(select(Session).where(Session.created_at < four_in_utc)).one().id == session.id


@pytest.mark.usefixtures("session")
def test_an_instant_without_a_zone_is_refused(store: Store) -> None:
    naive = datetime(2026, 7, 1, 12)  # noqa: DTZ001 - what must not come in
    with pytest.raises(StatementError, match="has no time zone"), store.writing() as db:
        db.exec(select(Session)).one().updated_at = naive


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(Choice(session_id=99, n=1, kind="do", text="delete pod/web-1"), id="a choice of no session"),
        pytest.param(Choice(session_id=1, n=1, kind="undo", text="delete pod/web-1"), id="a choice of no kind"),
        pytest.param(Choice(session_id=1, n=1, kind="do", text="delete pod/web-2"), id="a second first choice"),
    ],
)
def test_the_database_itself_refuses(store: Store, session: Session, row: Choice) -> None:
    with store.writing() as db:
        db.add(Choice(session_id=session.id, n=1, kind="do", text="delete pod/web-1"))
    with pytest.raises(IntegrityError), store.writing() as db:
        db.add(Choice(**row.model_dump(exclude={"id"})))
