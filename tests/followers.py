"""A presenter and many followers over real connections: how soon each lands on a step, and who is lost by a restart."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
import tempfile
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from tests.databases import Cluster, programs

ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def body(self) -> AsyncIterator[bytes]:
        """Each chunk as it comes, until the last or until the connection breaks."""
        while size := int((await self.reader.readuntil(b"\r\n")).strip(), 16):
            chunk = await self.reader.readexactly(size + 2)
            yield chunk[:-2]


async def ask(port: int, method: str, path: str, headers: Mapping[str, str], body: str = "") -> Answer:
    """One request on a connection of its own."""
    reader, writer = await asyncio.open_connection(HOST, port)
    sent = {"host": f"{HOST}:{port}", "connection": "close", "content-length": str(len(body)), **headers}
    writer.write(f"{method} {path} HTTP/1.1\r\n".encode())
    writer.write("".join(f"{name}: {value}\r\n" for name, value in sent.items()).encode() + b"\r\n" + body.encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    named = (row.partition(": ") for row in head[1:] if row)
    return Answer(int(head[0].split()[1]), {name.lower(): value for name, _, value in named}, reader, writer)


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
        headers = {"accept": "text/event-stream", "accept-encoding": "gzip"}
        answer = await ask(self.port, "GET", self.path, headers)
        assert answer.headers["content-type"].startswith("text/event-stream"), answer
        self.connected += 1
        unpack, held = zlib.decompressobj(16 + zlib.MAX_WBITS), b""
        try:
            async for chunk in answer.body():
                *lines, held = (held + unpack.decompress(chunk)).split(b"\n")
                for line in lines:
                    name, _, value = line.decode().partition(": ")
                    yield name, value
        finally:
            answer.writer.close()

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

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie = ""
        self.session = ""
        self.follow = ""

    async def post(self, path: str, fields: Mapping[str, str]) -> str:
        headers = {"content-type": "application/x-www-form-urlencoded", "cookie": self.cookie}
        answer = await ask(self.port, "POST", path, headers, urlencode(fields))
        answer.writer.close()
        assert answer.status == 303, answer
        self.cookie = answer.headers.get("set-cookie", self.cookie).partition(";")[0]
        return answer.headers["location"]

    async def begin(self, flow: str) -> None:
        self.session = (await self.post("/sessions", {"flow": flow})).rpartition("/")[0]
        await self.post(f"{self.session}/present", {"step": "0"})
        page = await self.page(f"{self.session}/0/present")
        self.follow = page.partition('value="http')[2].partition('"')[0].partition(str(self.port))[2]

    async def page(self, path: str) -> str:
        answer = await ask(self.port, "GET", path, {"cookie": self.cookie, "hx-request-type": "full"})
        text = b"".join([chunk async for chunk in answer.body()]) if "transfer-encoding" in answer.headers else b""
        text = text or await answer.reader.read()
        answer.writer.close()
        assert answer.status == 200, answer
        return text.decode()

    async def step(self, n: int) -> None:
        await self.page(f"{self.session}/{n}/present")


class Server:
    """`loopscope serve` as a process of its own, which may be killed and comes back at the same port."""

    def __init__(self, database: str) -> None:
        with socket.socket() as probe:
            probe.bind((HOST, 0))
            self.port: int = probe.getsockname()[1]
        self._environment = {**os.environ, "LOOPSCOPE_DATABASE_URL": database, "LOOPSCOPE_LOG": "off"}
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        command = [sys.executable, "-m", "app", "serve", "--port", str(self.port)]
        self._process = await asyncio.create_subprocess_exec(
            *command, cwd=ROOT, env=self._environment, stdout=asyncio.subprocess.DEVNULL
        )
        while True:
            try:
                answer = await ask(self.port, "GET", "/healthz", {})
            except OSError:
                assert self._process.returncode is None, "the server has ended"
                await asyncio.sleep(0.02)
            else:
                answer.writer.close()
                return

    async def kill(self, how: int = signal.SIGKILL) -> None:
        assert self._process is not None
        self._process.send_signal(how)
        await self._process.wait()


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
    running = [Server(database) for _ in range(servers)]
    try:
        for server in running:
            await server.start()
        presenter = Presenter(running[0].port)
        await presenter.begin("termination")
        path = f"{presenter.follow.removesuffix('/follow')}/live?shape=wide"
        audience = [Follower(running[at % servers].port, path) for at in range(followers)]
        async with asyncio.timeout(patience), asyncio.TaskGroup() as group:
            following = [group.create_task(one.follow()) for one in audience]
            await landed(audience, 0)
            spent = [at for n in range(1, steps + 1) for at in await pressed(presenter, audience, n)]
            await asyncio.gather(*(server.kill() for server in running))
            gone = asyncio.get_running_loop().time()
            await asyncio.gather(*(server.start() for server in running))
            await presenter.step(steps + 1)
            last = max(await landed(audience, steps + 1))
            for task in following:
                task.cancel()
        return Measured(sorted(spent), last - gone, sum(one.connected == 2 for one in audience))
    finally:
        await asyncio.gather(*(server.kill() for server in running))


async def pressed(presenter: Presenter, audience: list[Follower], n: int) -> list[float]:
    """Milliseconds from the press of a key until each of them has the step."""
    begun = asyncio.get_running_loop().time()
    answered = asyncio.ensure_future(presenter.step(n))
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
