"""Pages of another origin, as wikis are to Loopscope, from a folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread


@dataclass(frozen=True, kw_only=True)
class Wiki:
    """What lies in the folder is served at the address."""

    folder: Path
    address: str


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def hosting(folder: Path) -> Iterator[Wiki]:
    """Another site by name and by port: localhost, where Loopscope is 127.0.0.1."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Wiki(folder=folder, address=f"http://localhost:{server.server_port}")
    server.shutdown()
    server.server_close()
    thread.join(10)
