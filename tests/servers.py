"""`loopscope serve` as a process of its own, to be loaded and killed; clients of it that cost little."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parent.parent
FORM = {"content-type": "application/x-www-form-urlencoded"}


class Server:
    """One server on a database, at a free port of this machine; what it logs goes to a file."""

    def __init__(self, url: str, log: Path, **settings: str) -> None:
        self._log = log
        given = {"DATABASE_URL": url, "LOG": "json", **settings}
        self._environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self._environment |= {f"LOOPSCOPE_{name}": text for name, text in given.items()}
        self.port = _free_port()

    def start(self, until: str = "/readyz") -> None:
        """Also again after a kill, at the same port."""
        with self._log.open("ab") as log:
            command = [sys.executable, "-m", "app", "serve", "--port", str(self.port)]
            self.process = subprocess.Popen(command, cwd=ROOT, env=self._environment, stdout=log, stderr=log)
        self.wait(until)

    def wait(self, until: str) -> None:
        """Until this address answers."""
        deadline = time.monotonic() + 120
        while not self._answers(until):
            with suppress(subprocess.TimeoutExpired):
                raise AssertionError(f"ended with {self.process.wait(0.05)}:\n{self.logged()}")
            assert time.monotonic() < deadline, self.logged()

    def _answers(self, path: str) -> bool:
        with suppress(OSError, http.client.HTTPException), closing(Client(self.port)) as client:
            return client.get(path).status == 200
        return False

    def kill(self) -> None:
        """As `kill -9`."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()

    def logged(self) -> str:
        return self._log.read_text(errors="replace")

    def cpu(self) -> float:
        """Seconds of processor time that it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def server(url: str, log: Path, **settings: str) -> Iterator[Server]:
    started = Server(url, log, **settings)
    started.start()
    try:
        yield started
    finally:
        started.stop()


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    location: str
    body: bytes


@dataclass
class Client:
    """A browser with one connection and its cookie."""

    port: int
    _cookie: str = ""
    _connection: http.client.HTTPConnection | None = field(default=None, repr=False)

    def get(self, path: str, **headers: str) -> Answer:
        return self._ask("GET", path, None, headers)

    def post(self, path: str, *fields: tuple[str, str]) -> Answer:
        return self._ask("POST", path, urlencode(fields), FORM)

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        sent = {name.replace("_", "-"): text for name, text in headers.items()}
        if self._cookie:
            sent["cookie"] = self._cookie
        self._connection.request(method, path, body, sent)
        answer = self._connection.getresponse()
        given = answer.getheader("set-cookie")
        if given:
            self._cookie = given.partition(";")[0]
        return Answer(status=answer.status, location=answer.getheader("location") or "", body=answer.read())

    def step(self, path: str) -> Answer:
        """As htmx asks for one."""
        return self.get(path, hx_request="true", hx_request_type="partial")

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
