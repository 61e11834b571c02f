"""Follow me: what is presented, read once when it changes, rendered once, and sent to all who follow."""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import AsyncGenerator, Callable, Hashable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field

from anyio import CapacityLimiter, to_thread
from sqlalchemy.exc import SQLAlchemyError

from app.store import presenting
from app.store.announcing import AGAIN, heard
from app.store.database import Store
from app.store.presenting import Shown

HEARTBEAT = 15.0
"""Seconds after which a silent connection says that it is there."""
MOST_FOLLOWERS = 2_000
SOONEST, LATEST = 300, 1_500
"""Milliseconds: followers of a server that went away come back spread over this time."""

log = logging.getLogger(__name__)

Teller = Callable[[Shown | None], str]
"""One event's data; None is told of a session that is gone."""


@dataclass(kw_only=True)
class _Channel:
    """One presentation as this process knows it."""

    shown: Shown | None
    told: asyncio.Event = field(default_factory=asyncio.Event)
    events: dict[Hashable, asyncio.Task[_Event]] = field(default_factory=dict)
    followers: int = 0

    def tell(self, shown: Shown | None) -> None:
        """Wake all who wait: each then sends what is true by then, not what was when it was woken."""
        self.shown, self.events = shown, {}
        waiting, self.told = self.told, asyncio.Event()
        waiting.set()


@dataclass(frozen=True, kw_only=True)
class _Event:
    plain: bytes
    packed: bytes


class Following:
    """All followers of one server process. The database has the truth; nothing here needs to outlive the process."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._channels: dict[int, _Channel] = {}
        self._poked = asyncio.Event()
        # Not the threads that requests wait for: a step must not queue behind two hundred of them.
        self._threads = CapacityLimiter(4)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watching: asyncio.Task[None] | None = None
        self._closed = False
        self._counted = 0

    @property
    def followers(self) -> int:
        return sum(channel.followers for channel in self._channels.values())

    @property
    def full(self) -> bool:
        return self._closed or self.followers >= MOST_FOLLOWERS

    def changed(self) -> None:
        """This process has kept a change; may be called from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._poked.set)

    def close(self) -> None:
        """Let everybody go, in the loop that serves them: they would keep a server waiting that wants to end."""
        self._closed = True
        for channel in self._channels.values():
            channel.tell(channel.shown)

    async def stream(self, first: Shown, looks: Hashable, tell: Teller, *, packed: bool) -> AsyncGenerator[bytes]:
        """What is shown now, then every change; who is slow skips what was changed again meanwhile."""
        channel = self._join(first)
        try:
            self._counted += 1
            retry = SOONEST + self._counted * 37 % (LATEST - SOONEST)
            yield _event(f"retry: {retry}\n\n", head=True).packed if packed else f"retry: {retry}\n\n".encode()
            while not self._closed:
                # Taken before it is read, so that no change falls between the two.
                told, shown = channel.told, channel.shown
                event = await self._rendered(channel, looks, tell)
                yield event.packed if packed else event.plain
                if shown is None:
                    return
                while not await _within(told, HEARTBEAT):
                    yield BEAT.packed if packed else BEAT.plain
        finally:
            self._leave(first.key, channel)

    def _join(self, first: Shown) -> _Channel:
        channel = self._channels.get(first.key)
        if channel is None:
            channel = self._channels[first.key] = _Channel(shown=first)
        elif channel.shown is not None and channel.shown.revision < first.revision:
            channel.tell(first)
        channel.followers += 1
        if self._watching is None or self._watching.done():
            self._loop, self._poked, self._threads = asyncio.get_running_loop(), asyncio.Event(), CapacityLimiter(4)
            self._watching = self._loop.create_task(self._watch())
        return channel

    def _leave(self, key: int, channel: _Channel) -> None:
        channel.followers -= 1
        if channel.followers == 0 and self._channels.get(key) is channel:
            del self._channels[key]
        if not self._channels and self._watching is not None:
            self._watching.cancel()
            self._watching = None

    async def _rendered(self, channel: _Channel, looks: Hashable, tell: Teller) -> _Event:
        task = channel.events.get(looks)
        if task is None:
            work = to_thread.run_sync(_told, channel.shown, tell, limiter=self._threads)
            task = channel.events[looks] = asyncio.ensure_future(work)
        # One follower that goes away while all wait for the same picture must not take it with it.
        return await asyncio.shield(task)

    async def _watch(self) -> None:
        listening = asyncio.ensure_future(self._listen())
        try:
            while True:
                await self._poked.wait()
                self._poked.clear()
                try:
                    await self._read()
                except SQLAlchemyError as trouble:
                    log.warning("cannot read what is presented, trying again: %s", " ".join(str(trouble).split()))
                    await asyncio.sleep(AGAIN)
                    self._poked.set()
        finally:
            listening.cancel()

    async def _listen(self) -> None:
        async with aclosing(heard(self._store)) as rounds:
            async for _ in rounds:
                self._poked.set()

    async def _read(self) -> None:
        known = {key: channel.shown.revision for key, channel in self._channels.items() if channel.shown}
        for key, shown in (await to_thread.run_sync(self._newer, known, limiter=self._threads)).items():
            if key in self._channels:
                self._channels[key].tell(shown)

    def _newer(self, known: dict[int, int]) -> dict[int, Shown | None]:
        with self._store.reading() as db:
            return presenting.newer(db, known=known)


async def _within(told: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            return await told.wait()
    return False


def _told(shown: Shown | None, tell: Teller) -> _Event:
    name = "event: gone\n" if shown is None else f"id: {shown.revision}\n"
    # JSON has no line breaks of its own: nothing in it can begin another field.
    return _event(f"{name}data: {tell(shown)}\n\n")


def _event(text: str, *, head: bool = False) -> _Event:
    """Compressed once for all: each event begins afresh and ends on a byte, so that any may follow any other."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(text.encode()) + packer.flush(zlib.Z_SYNC_FLUSH)
    return _Event(plain=text.encode(), packed=GZIP_HEAD + packed if head else packed)


GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
BEAT = _event(":\n\n")
