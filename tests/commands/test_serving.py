"""`loopscope serve` as a process: alive before its tables are ready; gone, with the reason, where they cannot be."""

from contextlib import closing
from pathlib import Path

import pytest

from app.store.database import Store
from tests.servers import Client, Server


@pytest.mark.databases("postgresql")
def test_a_server_that_waits_for_the_migration_of_another_is_alive_and_not_ready(
    empty_url: str, tmp_path: Path
) -> None:
    server = Server(empty_url, tmp_path / "log")
    with closing(Store(empty_url)) as store, closing(Client(server.port)) as client:
        with store.migrating():
            server.start(until="/healthz")
            ready = client.get("/readyz")
            assert (ready.status, b"its tables are not made yet" in ready.body) == (503, True)
            made = client.post("/sessions", ("flow", "termination"))
            assert (made.status, b"the database does not answer just now" in made.body) == (503, True)
            assert client.get("/f/termination/3").status == 200
        server.wait(until="/readyz")
        assert client.post("/sessions", ("flow", "termination")).status == 303
    server.stop()
    assert "Loopscope " in server.logged()


def test_a_server_without_a_database_ends_and_says_why(tmp_path: Path) -> None:
    server = Server(f"sqlite:///{tmp_path}/nowhere/loopscope.db", tmp_path / "log")
    with pytest.raises(AssertionError, match=r"ended with 2:\n(.*\n)*LOOPSCOPE_DATABASE_URL: cannot open .*nowhere"):
        server.start()
    assert "http://" not in server.logged()
