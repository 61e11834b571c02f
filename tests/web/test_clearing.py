"""Sessions that are kept for so long: taken out by the server itself, and saying so on their pages."""

import threading
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from sqlmodel import update
from starlette.testclient import TestClient

from app.store.database import Store
from app.store.tables import Session, now
from app.web import clearing
from app.web.application import create_app
from tests.web.documents import document


@pytest.fixture
def store(database_url: str) -> Store:
    return Store(database_url)


def begun(client: TestClient) -> str:
    location: str = client.post("/sessions", data={"flow": "termination"}).headers["location"]
    return location


def test_a_server_takes_out_what_is_old_when_it_starts(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    session = begun(TestClient(create_app(store), follow_redirects=False))
    with store.writing() as db:
        db.exec(update(Session).values(updated_at=now() - timedelta(days=31)))
    with TestClient(create_app(store)) as client:
        assert client.get(session).status_code == 200
    monkeypatch.setenv("LOOPSCOPE_RETENTION", "30d")
    ended = threading.Event()
    clear = clearing.clear

    def noted(*given: Any) -> None:
        clear(*given)
        ended.set()

    monkeypatch.setattr(clearing, "clear", noted)
    with TestClient(create_app(store)) as client:
        assert ended.wait(60)
        assert client.get(session).status_code == 404


def test_a_page_says_until_when_its_session_is_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    client = TestClient(create_app(store), follow_redirects=False)
    session = begun(client)
    assert "Kept until" not in client.get(session).text
    assert "Each is kept for" not in client.get("/sessions").text
    monkeypatch.setenv("LOOPSCOPE_RETENTION", "30d")
    with store.writing() as db:
        db.exec(update(Session).values(updated_at=datetime.fromisoformat("2030-01-10T12:00:00+00:00")))
    assert "Kept until 2030-02-09, and longer" in document(client.get(session).text).text
    assert "Each is kept for 30 days after it was changed last." in document(client.get("/sessions").text).text


def test_a_database_that_is_away_is_asked_again_the_next_time(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("SELECT", {}, Exception("gone"))

    monkeypatch.setattr(clearing, "prune", away)
    clearing.clear(store, timedelta(days=30))
    assert "could not be taken out: OperationalError" in caplog.text
