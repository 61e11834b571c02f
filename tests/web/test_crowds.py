"""Small versions of what the bench does with a server that is killed, and with many sessions at once."""

from contextlib import closing
from pathlib import Path

import pytest

from app.store.database import Store
from tests.crowds import Crowd, broken_promises, prepared, stepping
from tests.servers import Client, server


@pytest.mark.databases("sqlite", "postgresql")
def test_a_killed_server_has_kept_every_step_that_it_acknowledged(database_url: str, tmp_path: Path) -> None:
    with closing(Store(database_url)) as store, server(database_url, tmp_path / "log", RATE_SESSIONS="off") as served:
        crowd = Crowd(served, clients=8, steps=160, kill_at=80)
        crowd.run()
        assert served.process.returncode == -9
        assert crowd.acknowledged >= 80
        assert broken_promises(store, crowd.promised) == []
        served.start()
        reader = Client(served.port)
        for promised in crowd.promised:
            answer = reader.get(f"{promised.path}/{promised.step}")
            assert answer.status == 200
            # It replays as it was when it was taken.
            assert b"Since you took step" not in answer.body
        reader.close()


def test_many_sessions_that_step_at_once_all_get_on(database_url: str, tmp_path: Path) -> None:
    with closing(Store(database_url)) as store:
        store.migrate()
        paths = prepared(store, 60)
        with server(database_url, tmp_path / "log") as served:
            waited = stepping(served, paths, steps=2)
            assert waited.failed == []
            assert len(waited.spent) == 120
            assert "database is locked" not in served.logged()
            assert '"level":"error"' not in served.logged()
