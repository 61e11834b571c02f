"""Many readers on one server: what they were promised, what they got, and how long they waited."""

from __future__ import annotations

import http.client
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from sqlmodel import col, select

from app import __version__
from app.store import sessions
from app.store.backups import faults_of
from app.store.database import Store
from app.store.tables import Choice, Note, Session, Taken
from app.story.play import play, request
from tests.databases import Cluster, programs
from tests.servers import Client, Server, server

T = TypeVar("T")

FLOW = "termination"
A_SESSION = 10
"""Steps that a reader takes in one session before the next."""
CHOICES = (("do", "50s cordon node/node-2"), ("do", "55s uncordon node/node-2"))


@dataclass
class Promised:
    """What the server has acknowledged of one session."""

    path: str
    step: int = 0
    notes: list[str] = field(default_factory=list)


class Crowd:
    """Readers who step, note and begin anew until so many steps are acknowledged, or nobody answers any more."""

    def __init__(self, server: Server, *, clients: int, steps: int, kill_at: int | None = None) -> None:
        self._server, self._steps, self._kill_at = server, steps, kill_at
        self._lock = threading.Lock()
        self._clients = clients
        self.acknowledged = 0
        self.promised: list[Promised] = []
        self.faults: list[str] = []

    def run(self) -> None:
        together(self._clients, self._read)

    def _read(self, number: int) -> None:
        client = Client(self._server.port)
        try:
            while not self._done():
                self._walk(client, number)
        except (OSError, http.client.HTTPException) as error:
            if self._kill_at is None:
                self.faults.append(repr(error))
        finally:
            client.close()

    def _walk(self, client: Client, number: int) -> None:
        made = client.post("/sessions", ("flow", FLOW), ("step", "0"), ("title", f"reader {number}"), *CHOICES)
        if made.status != 303:
            self.faults.append(f"POST /sessions: {made.status}")
            return
        promised = Promised(made.location.rpartition("/")[0])
        self.promised.append(promised)
        for n in range(1, A_SESSION + 1):
            if self._done():
                return
            answer = client.step(f"{promised.path}/{n}")
            if answer.status != 200:
                self.faults.append(f"{answer.status}: {answer.body[:200]!r}")
                return
            promised.step = n
            self._count()
        text = f"seen by {number}"
        if client.post(f"{promised.path}/notes", ("step", str(A_SESSION)), ("text", text)).status == 303:
            promised.notes.append(text)

    def _done(self) -> bool:
        return self.acknowledged >= self._steps

    def _count(self) -> None:
        with self._lock:
            self.acknowledged += 1
            kill = self.acknowledged == self._kill_at
        if kill:
            self._server.kill()


def broken_promises(store: Store, promised: Sequence[Promised]) -> list[str]:
    """Where the database lacks what was acknowledged, or has half of something."""
    with store.reading() as db:
        rows = {row.edit_id: row for row in db.exec(select(Session))}
        chosen = _by_session(db.exec(select(Choice.session_id, Choice.text)))
        noted = _by_session(db.exec(select(Note.session_id, Note.text)))
        taken = _by_session(db.exec(select(Taken.session_id, Taken.n).order_by(col(Taken.n))))
    found = [] if store.engine.dialect.name != "sqlite" else faults_of(Path(store.url.database or ""))
    for row in rows.values():
        if len(chosen.get(row.id, ())) != len(CHOICES):
            found.append(f"session {row.id} has {len(chosen.get(row.id, ()))} of {len(CHOICES)} choices")
        if taken.get(row.id, []) != list(range(1, row.position + 1)):
            found.append(f"session {row.id} stands at {row.position} and has the steps {taken.get(row.id)}")
    for promise in promised:
        kept = rows.get(promise.path.removeprefix("/s/"))
        if kept is None:
            found.append(f"{promise} is not there")
        elif kept.position not in (promise.step, promise.step + 1):
            found.append(f"{promise} stands at {kept.position}")
        elif not set(promise.notes) <= set(noted.get(kept.id, ())):
            found.append(f"{promise} has the notes {noted.get(kept.id)}")
    return found


def _by_session(pairs: Iterable[tuple[int, T]]) -> dict[int, list[T]]:
    found: dict[int, list[T]] = {}
    for session, value in pairs:
        found.setdefault(session, []).append(value)
    return found


def together(count: int, act: Callable[[int], None]) -> None:
    """So many threads that begin at once, until all have ended."""
    gate = threading.Barrier(count)

    def begin(number: int) -> None:
        gate.wait(120)
        act(number)

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@dataclass(frozen=True, kw_only=True)
class Waited:
    """How long the answers took, in milliseconds, and which were none."""

    seconds: float
    spent: list[float]
    failed: list[str]

    @property
    def p50(self) -> float:
        return statistics.median(self.spent)

    @property
    def p99(self) -> float:
        return sorted(self.spent)[int(len(self.spent) * 0.99)]


def prepared(store: Store, count: int) -> list[str]:
    """The paths of so many sessions of as many readers."""
    settings = play(request(FLOW)).setup.settings
    with store.writing() as db:
        made = [
            sessions.create(
                db, owner=f"reader-{n}", flow=FLOW, settings=settings, engine_version=__version__, title=f"reader {n}"
            )
            for n in range(count)
        ]
        return [f"/s/{session.edit_id}" for session in made]


def stepping(server: Server, paths: Sequence[str], *, steps: int, spread: float = 0.0) -> Waited:
    """Everybody takes as many steps, one after another; begun at once, or evenly over so many seconds."""
    spent: list[float] = []
    failed: list[str] = []

    def read(number: int) -> None:
        client = Client(server.port)
        pause = threading.Event()
        pause.wait(spread * number / len(paths))
        for n in range(1, steps + 1):
            begun = time.perf_counter()
            try:
                answer = client.step(f"{paths[number]}/{n}")
                if answer.status != 200:
                    failed.append(f"{answer.status}: {answer.body[:200]!r}")
            except (OSError, http.client.HTTPException) as error:
                failed.append(repr(error))
            spent.append(1000 * (time.perf_counter() - begun))
        client.close()

    begun = time.perf_counter()
    together(len(paths), read)
    return Waited(seconds=time.perf_counter() - begun, spent=spent, failed=failed)


def crash() -> Iterator[str]:
    """A server killed in the middle of 2,000 steps of 50 clients, started again, and the rest of the steps."""
    for kind in ("sqlite", "postgresql"):
        with _database(kind) as (url, folder):
            if not url:
                yield f"crash: {kind}: not found, not measured"
                continue
            with server(url, folder / "log", RATE_SESSIONS="off") as served:
                yield from _crashed(kind, url, served)


def _crashed(kind: str, url: str, served: Server) -> Iterator[str]:
    before = Crowd(served, clients=50, steps=2_000, kill_at=1_000)
    before.run()
    with closing(Store(url)) as store:
        lost = broken_promises(store, before.promised)
        served.start()
        after = Crowd(served, clients=50, steps=1_000)
        after.run()
        lost += broken_promises(store, [*before.promised, *after.promised])
    steps, begun = before.acknowledged + after.acknowledged, len(before.promised) + len(after.promised)
    yield (
        f"crash: {kind}: kill -9 after {before.acknowledged:,} of {steps:,} acknowledged steps of 50 clients in "
        f"{begun:,} sessions: {len(lost)} promises broken, {len(after.faults)} faults after the restart"
    )
    yield from (f"        {told}" for told in [*lost, *after.faults][:10])


def live() -> Iterator[str]:
    """A thousand sessions on SQLite: a step of all at the same instant, and steps spread over time."""
    with _database("sqlite") as (url, folder), closing(Store(url)) as store:
        store.migrate()
        paths = prepared(store, 1_000)
        with server(url, folder / "log") as served:
            stepping(served, paths[:20], steps=A_SESSION)
            for told, steps, spread in (
                ("a step of each at the same instant", 1, 0.0),
                ("three of each in a row, begun over 60 s", 3, 60.0),
            ):
                used = served.cpu()
                waited = stepping(served, paths, steps=steps, spread=spread)
                used = served.cpu() - used
                yield (
                    f"sessions: {len(paths):,} live on SQLite, {told}: p50 {waited.p50:,.0f} ms, "
                    f"p99 {waited.p99:,.0f} ms, {len(waited.spent) / waited.seconds:.0f}/s, "
                    f"{1000 * used / len(waited.spent):.1f} ms of processor each"
                )
                locked = served.logged().count("database is locked")
                yield f"        {len(waited.failed)} failed, 'database is locked' {locked} times (bar 0)"


@contextmanager
def _database(kind: str) -> Iterator[tuple[str, Path]]:
    """The URL of a new database, and a folder; no URL where there is no such database."""
    with tempfile.TemporaryDirectory() as name:
        found = programs()
        if kind == "sqlite":
            yield f"sqlite:///{name}/bench.db", Path(name)
        elif found is None:
            yield "", Path(name)
        else:
            cluster = Cluster(found, durable=True)
            with cluster.database() as url:
                yield url, Path(name)
            cluster.stop()
