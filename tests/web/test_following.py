"""What a server process sends to all who follow: now, then every change, each encoded once."""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing

import pytest

from app.store import presenting, sessions
from app.store.database import Store
from app.store.presenting import Shown
from app.store.tables import Session
from app.web import following
from app.web.following import Following
from tests import loops_apart


@pytest.fixture
def store(database_url: str) -> Store:
    opened = Store(database_url)
    opened.migrate()
    return opened


@pytest.fixture
def session(store: Store) -> Session:
    with store.writing() as db:
        return sessions.create(db, owner="ada", flow="termination", settings={}, engine_version="0", title="A walk")


def present(store: Store, session: Session, position: int) -> None:
    with store.writing() as db:
        presenting.start(db, edit_id=session.edit_id, browser="ada", name="", position=position, takes_over=False)


def seen(store: Store, session: Session) -> Shown:
    with store.reading() as db:
        return presenting.followed(db, id=session.read_id)


def position(shown: Shown | None) -> str:
    return json.dumps(shown.position if shown else None)


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(20):
            await test()

    loops_apart.run(limited())


async def told(stream: AsyncIterator[bytes]) -> str:
    return (await anext(stream)).decode().rpartition("data: ")[2].strip()


def test_who_comes_sees_what_is_shown_then_every_change(store: Store, session: Session) -> None:
    async def test() -> None:
        hub = Following(store)
        present(store, session, 3)
        async with aclosing(hub.stream(seen(store, session), "", position, packed=False)) as stream:
            assert (await anext(stream)).startswith(b"retry: ")
            assert await told(stream) == "3"
            for step in (4, 5):
                await asyncio.to_thread(present, store, session, step)
                hub.changed()
                assert await told(stream) == str(step)
        assert hub.followers == 0

    run(test)


def test_who_is_slow_sees_the_last_of_several_changes(store: Store, session: Session) -> None:
    async def test() -> None:
        hub = Following(store)
        async with aclosing(hub.stream(seen(store, session), "", position, packed=False)) as stream:
            await anext(stream)
            await anext(stream)
            for step in (4, 5, 6):
                await asyncio.to_thread(present, store, session, step)
                hub.changed()
            last = ""
            while last != "6":
                last = await told(stream)

    run(test)


def test_one_picture_serves_all_who_look_alike(store: Store, session: Session) -> None:
    drawn: list[str] = []

    def tell(shown: Shown | None) -> str:
        drawn.append(position(shown))
        return drawn[-1]

    async def test() -> None:
        hub = Following(store)
        first = seen(store, session)
        streams = [hub.stream(first, looks, tell, packed=False) for looks in ["wide"] * 20 + ["narrow"] * 20]
        for _ in range(2):
            await asyncio.gather(*(anext(stream) for stream in streams))
        assert drawn == ["0", "0"]
        await asyncio.to_thread(present, store, session, 7)
        hub.changed()
        assert {await told(stream) for stream in streams} == {"7"}
        assert drawn == ["0", "0", "7", "7"]
        for stream in streams:
            await stream.aclose()

    run(test)


def test_what_is_packed_once_any_follower_can_unpack(store: Store, session: Session) -> None:
    """Nobody's stream begins at the beginning: whichever events come, they follow each other."""

    async def test() -> None:
        hub = Following(store)
        early = hub.stream(seen(store, session), "", position, packed=True)
        unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
        text = [unpack.decompress(await anext(early)), unpack.decompress(await anext(early))]
        await asyncio.to_thread(present, store, session, 7)
        hub.changed()
        text.append(unpack.decompress(await anext(early)))
        late = hub.stream(seen(store, session), "", position, packed=True)
        other = zlib.decompressobj(16 + zlib.MAX_WBITS)
        assert other.decompress(await anext(late)).startswith(b"retry: ")
        assert other.decompress(await anext(late)) == b"id: 1\ndata: 7\n\n"
        assert text[1:] == [b"id: 0\ndata: 0\n\n", b"id: 1\ndata: 7\n\n"]
        await early.aclose()
        await late.aclose()

    run(test)


def test_a_silent_connection_says_that_it_is_there(
    store: Store, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "HEARTBEAT", 0.01)

    async def test() -> None:
        hub = Following(store)
        async with aclosing(hub.stream(seen(store, session), "", position, packed=False)) as stream:
            assert [await anext(stream) for _ in range(4)][2:] == [b":\n\n", b":\n\n"]

    run(test)


def test_a_deleted_session_is_said_once_and_ends_it(store: Store, session: Session) -> None:
    async def test() -> None:
        hub = Following(store)
        async with aclosing(hub.stream(seen(store, session), "", position, packed=False)) as stream:
            await anext(stream)
            await anext(stream)
            with store.writing() as db:
                sessions.delete(db, edit_id=session.edit_id)
            hub.changed()
            assert [event async for event in stream] == [b"event: gone\ndata: null\n\n"]

    run(test)


def test_a_server_that_ends_lets_everybody_go(store: Store, session: Session) -> None:
    async def test() -> None:
        hub = Following(store)
        stream = hub.stream(seen(store, session), "", position, packed=False)
        await anext(stream)
        await anext(stream)
        hub.close()
        assert [event async for event in stream] == []
        assert hub.full

    run(test)


@pytest.mark.databases("sqlite", "postgresql")
def test_a_change_through_another_process_comes_too(store: Store, session: Session) -> None:
    other = Store(store.url.render_as_string(hide_password=False))

    async def test() -> None:
        hub = Following(store)
        async with aclosing(hub.stream(seen(store, session), "", position, packed=False)) as stream:
            await anext(stream)
            await anext(stream)
            await asyncio.to_thread(present, other, session, 9)
            assert await told(stream) == "9"

    run(test)
    other.close()
    store.close()
