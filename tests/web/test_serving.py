"""A server that is told to end lets its followers go, and does not wait for them."""

from __future__ import annotations

import threading
from http.client import HTTPConnection
from pathlib import Path

from app.store import presenting, sessions
from app.store.database import Store
from app.web.application import create_app
from app.web.serving import Server


def test_a_server_with_followers_ends_at_once(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path}/loopscope.db")
    server = Server(create_app(store), port=0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
        assert thread.is_alive()
    with store.writing() as db:
        made = sessions.create(db, owner="a", flow="termination", settings={}, engine_version="0", title="A walk")
        presenting.start(db, edit_id=made.edit_id, browser="a", name="", position=3, takes_over=False)
    connection = HTTPConnection("127.0.0.1", server.servers[0].sockets[0].getsockname()[1], timeout=20)
    connection.request("GET", f"/s/{made.read_id}/live")
    answer = connection.getresponse()
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.readline().startswith(b"retry: ")
    assert (answer.readline(), answer.readline()[:7]) == (b"\n", b"id: 1\n")
    server.should_exit = True
    assert b'"step":3' in answer.read()
    answer.close()
    connection.close()
    # Half of what it waits for others.
    thread.join(5)
    assert not thread.is_alive()
    store.close()
