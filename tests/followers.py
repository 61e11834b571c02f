"""A presenter and many followers over real connections: how soon each lands on a step, and who is lost by a restart."""

from __future__ import annotations

import asyncio
import json
import tempfile
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.databases import Cluster, programs
from tests.servers import Client, server

HOST = "127.0.0.1"


@dataclass
class Follower:
    """One window that follows: it keeps what it was told last, and comes back when its connection breaks."""

    port: int
    path: str
    step: int = -1
    landed: float = 0.0
    """When it was told of that step."""
    connected: int = 0
    _came: asyncio.Event = field(default_factory=asyncio.Event)

    async def follow(self) -> None:
        retry = 0.3
        while True:
            try:
                async for name, value in self._lines():
                    if name == "retry":
                        retry = int(value) / 1000
                    elif name == "data":
                        self._told(json.loads(value))
            except (OSError, asyncio.IncompleteReadError):
                pass
            await asyncio.sleep(retry)

    async def _lines(self) -> AsyncIterator[tuple[str, str]]:
        reader, writer = await asyncio.open_connection(HOST, self.port)
        try:
            asked = {"host": f"{HOST}:{self.port}", "accept": "text/event-stream", "accept-encoding": "gzip"}
            lines = [f"GET {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in asked.items()), "", ""]
            writer.write("\r\n".join(lines).encode())
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            assert b"content-type: text/event-stream" in head, head
            self.connected += 1
            unpack, held = zlib.decompressobj(16 + zlib.MAX_WBITS), b""
            while size := int(await reader.readuntil(b"\r\n"), 16):
                *told, held = (held + unpack.decompress((await reader.readexactly(size + 2))[:-2])).split(b"\n")
                for line in told:
                    name, _, value = line.decode().partition(": ")
                    yield name, value
        finally:
            writer.close()

    def _told(self, data: dict[str, object]) -> None:
        assert data["html"], "an event without its picture"
        self.step, self.landed = int(str(data["step"])), asyncio.get_running_loop().time()
        self._came.set()

    async def lands_on(self, step: int) -> float:
        while self.step != step:
            self._came.clear()
            await self._came.wait()
        return self.landed


class Presenter:
    """Whoever made the session: with its cookie, and its link that may change it."""

    def __init__(self, port: int, flow: str) -> None:
        """Keep a walk and begin to present it."""
        self._client = Client(port)
        made = self._client.post("/sessions", ("flow", flow)).location
        self.session = made.rpartition("/")[0]
        begun = self._client.post(f"{self.session}/present", ("step", "0")).location
        page = self._client.get(begun).body.decode()
        self.reading = page.partition('value="http')[2].partition(f":{port}")[2].partition("/follow")[0]
        self._client.close()

    def step(self, n: int) -> None:
        assert self._client.step(f"{self.session}/{n}/present").status == 200
        self._client.close()


@dataclass
class Measured:
    spent: list[float]
    """Milliseconds from the press until each follower has the step, sorted."""
    after_restart: float
    """Seconds from the end of the old server until all have the step that was presented right after it."""
    back: int
    """How many came back by themselves."""

    def percentile(self, share: float) -> float:
        return self.spent[min(len(self.spent) - 1, int(share * len(self.spent)))]


async def meeting(database: str, *, followers: int, steps: int, servers: int = 1, patience: float = 120.0) -> Measured:
    """Present, step by step; then kill the servers, start them again and go one step on. The audience sits at all."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        logs = [Path(folder) / f"{number}.log" for number in range(servers)]
        started = [running.enter_context(server(database, log, LOG="off")) for log in logs]
        presenter = Presenter(started[0].port, "termination")
        path = f"{presenter.reading}/live?shape=wide"
        audience = [Follower(started[at % servers].port, path) for at in range(followers)]
        async with asyncio.timeout(patience), asyncio.TaskGroup() as group:
            following = [group.create_task(one.follow()) for one in audience]
            await landed(audience, 0)
            spent = [at for n in range(1, steps + 1) for at in await pressed(presenter, audience, n)]
            await asyncio.gather(*(asyncio.to_thread(one.kill) for one in started))
            gone = asyncio.get_running_loop().time()
            await asyncio.gather(*(asyncio.to_thread(one.start) for one in started))
            await asyncio.to_thread(presenter.step, steps + 1)
            last = max(await landed(audience, steps + 1))
            for task in following:
                task.cancel()
        return Measured(sorted(spent), last - gone, sum(one.connected == 2 for one in audience))


async def pressed(presenter: Presenter, audience: list[Follower], n: int) -> list[float]:
    """Milliseconds from the press of a key until each of them has the step."""
    begun = asyncio.get_running_loop().time()
    answered = asyncio.ensure_future(asyncio.to_thread(presenter.step, n))
    times = await landed(audience, n)
    await answered
    return [1000 * (at - begun) for at in times]


async def landed(audience: list[Follower], n: int) -> list[float]:
    """When each of them was told of the step."""
    return [await one.lands_on(n) for one in audience]


def bench() -> Iterator[str]:
    """Two hundred followers at one server with a file, then at two that share a PostgreSQL, if there is one."""
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(meeting(f"sqlite:///{folder}/bench.db", followers=200, steps=20))
    yield told("SQLite, 1 server", found)
    folder_of_programs = programs()
    if folder_of_programs is None:
        yield "followers: PostgreSQL is not measured, no server program is found"
        return
    cluster = Cluster(folder_of_programs)
    try:
        with cluster.database() as url:
            yield told("PostgreSQL, 2 servers", asyncio.run(meeting(url, followers=200, steps=20, servers=2)))
    finally:
        cluster.stop()


def told(where: str, found: Measured) -> str:
    p50, p95, p99 = (found.percentile(share) for share in (0.5, 0.95, 0.99))
    return (
        f"followers: {where}: 200 land on a step in p50 {p50:.0f} ms, p95 {p95:.0f} ms (bar 500), p99 {p99:.0f} ms; "
        f"{found.back} of 200 came back after kill -9, the last {found.after_restart:.1f} s after it"
    )
