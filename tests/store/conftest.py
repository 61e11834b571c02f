from collections.abc import Iterator

import pytest

from app.store import sessions
from app.store.database import Store
from app.store.tables import Session


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    opened = Store(database_url)
    opened.migrate()
    yield opened
    opened.close()


@pytest.fixture
def session(store: Store) -> Session:
    with store.writing() as db:
        return sessions.create(
            db,
            owner="browser-1",
            flow="termination",
            settings={"grace": "30s", "prestop": "0s"},
            engine_version="0.1.0",
            title="Deleting web-1",
        )
