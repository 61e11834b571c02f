from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from app.store.database import Store
from app.web.application import create_app


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    opened = Store(f"sqlite:///{tmp_path_factory.mktemp('web')}/loopscope.db")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def server(store: Store) -> Iterator[TestClient]:
    """One application for all tests that only read."""
    with TestClient(create_app(store), base_url="http://loopscope.test", follow_redirects=False) as client:
        yield client


@pytest.fixture
def browser(database_url: str) -> Iterator[TestClient]:
    """An application, a database and a cookie jar of its own."""
    opened = Store(database_url)
    with TestClient(create_app(opened), base_url="http://loopscope.test", follow_redirects=False) as client:
        yield client
    opened.close()
