"""A server process hears of what another has kept, and of nothing that was not kept."""

import asyncio
from contextlib import aclosing, suppress

import pytest

from app.store import presenting
from app.store.announcing import heard
from app.store.database import Store
from app.store.tables import Session
from tests import loops_apart


def present(store: Store, session: Session, position: int, *, fails: bool = False) -> None:
    with suppress(ZeroDivisionError), store.writing() as db:
        presenting.start(db, edit_id=session.edit_id, browser="b", name="", position=position, takes_over=False)
        if fails:
            raise ZeroDivisionError


@pytest.mark.databases("sqlite", "postgresql")
def test_a_change_through_another_process_is_heard(store: Store, session: Session) -> None:
    other = Store(store.url.render_as_string(hide_password=False))

    async def listened() -> None:
        async with asyncio.timeout(20), aclosing(heard(store)) as rounds:
            # Once at the beginning, for what came before.
            await anext(rounds)
            for position in (1, 2):
                await asyncio.to_thread(present, other, session, position)
                await anext(rounds)

    loops_apart.run(listened())
    other.close()


@pytest.mark.databases("postgresql")
def test_what_was_taken_back_is_not_announced(store: Store, session: Session) -> None:
    other = Store(store.url.render_as_string(hide_password=False))

    async def listened() -> None:
        async with asyncio.timeout(20), aclosing(heard(store)) as rounds:
            await anext(rounds)
            await asyncio.to_thread(present, other, session, 1, fails=True)
            next_round = asyncio.ensure_future(anext(rounds))
            done, _ = await asyncio.wait([next_round], timeout=0.1)
            assert not done
            await asyncio.to_thread(present, other, session, 2)
            await next_round

    loops_apart.run(listened())
    other.close()


@pytest.mark.databases("postgresql")
def test_a_listener_that_was_cut_off_listens_again(
    store: Store, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.store.announcing.AGAIN", 0)

    async def listened() -> None:
        async with asyncio.timeout(20), aclosing(heard(store)) as rounds:
            await anext(rounds)
            await asyncio.to_thread(cut_off, store)
            await anext(rounds)
            await asyncio.to_thread(present, store, session, 1)
            await anext(rounds)

    loops_apart.run(listened())


def cut_off(store: Store) -> None:
    """End the connections that listen, as a database that is restarted does."""
    with store.engine.connect() as db:
        db.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND query LIKE 'LISTEN%%'"
        )
