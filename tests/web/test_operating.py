"""What the server tells those who run it: readiness, metrics with few labels, a log that gives nothing away."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from app.store import database
from app.store.database import Store
from app.story import play as story
from app.web import logs
from app.web.application import create_app
from tests.databases import Cluster
from tests.web.documents import document

Labels = tuple[tuple[str, str], ...]


def scraped(browser: TestClient) -> dict[tuple[str, Labels], float]:
    """Every sample by its name and labels."""
    answer = browser.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    families = text_string_to_metric_families(answer.text)
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value for row in families for sample in row.samples
    }


def value(browser: TestClient, name: str, **labels: str) -> float:
    return scraped(browser).get((name, tuple(sorted(labels.items()))), 0)


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What the log has, as JSON lines."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(logs.JsonLines())
    level = logs.LOGGER.level
    logs.LOGGER.addHandler(handler)
    logs.LOGGER.setLevel(logging.INFO)
    yield text
    logs.LOGGER.removeHandler(handler)
    logs.LOGGER.setLevel(level)


def lines(written: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written.getvalue().splitlines()]


def test_requests_are_counted_and_timed_under_their_route(browser: TestClient) -> None:
    for n in (1, 2, 3):
        browser.get(f"/f/termination/{n}")
    browser.head("/f/termination/1")
    labels = {"method": "GET", "route": "/f/{flow}/{step}"}
    assert value(browser, "loopscope_http_requests_total", **labels, status="200") == 3
    assert value(browser, "loopscope_http_request_seconds_count", **labels) == 3
    assert value(browser, "loopscope_http_request_seconds_bucket", **labels, le="+Inf") == 3
    assert value(browser, "loopscope_http_requests_total", **{**labels, "method": "HEAD"}, status="200") == 1


def test_what_is_none_of_our_routes_makes_no_series_of_its_own(browser: TestClient) -> None:
    def ask(n: int) -> None:
        browser.get(f"/nope/{n}")
        browser.request(f"BREW{n}", "/nope")
        scraped(browser)

    ask(1)
    before = set(scraped(browser))
    for n in range(20):
        ask(n)
    assert set(scraped(browser)) == before
    assert value(browser, "loopscope_http_requests_total", method="GET", route="(other)", status="404") == 21
    assert value(browser, "loopscope_http_requests_total", method="(other)", route="(other)", status="404") == 21


def test_steps_are_counted_by_their_form(browser: TestClient) -> None:
    for address in ("/f/termination/1", "/f/termination/2", "/f/termination/3.svg", "/f/termination/99999"):
        browser.get(address)
    assert value(browser, "loopscope_steps_served_total", form="page") == 2
    assert value(browser, "loopscope_steps_served_total", form="svg") == 1


def test_a_walk_is_computed_once_and_then_found(browser: TestClient) -> None:
    def walks(computed: str) -> float:
        return value(browser, "loopscope_asked_total", what="walk", computed=computed)

    computed, found = walks("yes"), walks("no")
    for _ in range(3):
        browser.get("/f/termination/1?set.grace=57s")
    assert walks("yes") == computed + 1
    assert walks("no") >= found + 2


@pytest.mark.databases("sqlite", "postgresql")
def test_what_is_stored_is_counted_and_timed(browser: TestClient) -> None:
    browser.post("/sessions", data={"flow": "termination"})
    browser.post("/manifests", data={"flow": "sandbox", "text": "kind: Pod\napiVersion: v1\nmetadata: {name: a}\n"})
    found = scraped(browser)
    assert found["loopscope_sessions", ()] == found["loopscope_sessions_live", ()] == 1
    assert found["loopscope_database_up", ()] == 1
    assert found["loopscope_database_seconds_count", (("kind", "write"),)] >= 1
    (build,) = [dict(labels) for name, labels in found if name == "loopscope_build_info"]
    assert build["database"] in ("sqlite", "postgresql")


def test_followers_are_counted_while_they_are_connected(browser: TestClient) -> None:
    metrics = browser.app.state.site.metrics  # type: ignore[attr-defined]
    with metrics.following(), metrics.following():
        assert value(browser, "loopscope_followers") == 2
    assert value(browser, "loopscope_followers") == 0


def test_no_metric_names_a_session(browser: TestClient) -> None:
    session = browser.post("/sessions", data={"flow": "termination"}).headers["location"].split("/")[2]
    browser.get(f"/s/{session}/3")
    browser.get(f"/s/{session}x/3")
    assert session not in browser.get("/metrics").text


@pytest.mark.databases("postgresql")
def test_without_its_database_the_server_lives_says_so_and_recovers(
    database_url: str, browser: TestClient, postgres: Cluster
) -> None:
    session = browser.post("/sessions", data={"flow": "termination"}).headers["location"]
    with postgres.away(database_url):
        assert browser.get("/healthz").status_code == 200
        ready = browser.get("/readyz")
        assert (ready.status_code, ready.json()["status"]) == (503, "not ready")
        assert ready.json()["why"].startswith("the database does not answer: ")
        page = browser.get(session)
        assert (page.status_code, page.headers["retry-after"]) == (503, "5")
        assert "the database does not answer just now" in document(page.text).text
        assert browser.get("/f/termination/3").status_code == 200
        assert value(browser, "loopscope_database_up") == 0
        assert value(browser, "loopscope_database_errors_total", kind="OperationalError") >= 1
    assert browser.get("/readyz").status_code == 200
    assert browser.get(session).status_code == 200


@pytest.mark.databases("sqlite", "postgresql")
@pytest.mark.parametrize(
    ("action", "revision", "status", "why"),
    [
        ("downgrade", "base", 503, "its tables are not made yet: `loopscope db upgrade` makes them"),
        ("downgrade", "0001", 503, "its tables are of version 0001, and"),
        ("stamp", "head", 200, ""),
    ],
)
def test_a_server_is_ready_when_its_tables_are(
    browser: TestClient, action: str, revision: str, status: int, why: str
) -> None:
    store: Store = browser.app.state.site.store  # type: ignore[attr-defined]
    config = Config(Path(database.__file__).with_name("alembic.ini"))
    with store.migrating() as connection:
        config.attributes["connection"] = connection
        getattr(command, action)(config, revision)
    answer = browser.get("/readyz")
    assert answer.status_code == status
    assert answer.json().get("why", "").startswith(why)


def test_the_tables_of_a_newer_version_are_no_reason_to_stop(browser: TestClient) -> None:
    """While replicas are replaced one after another, the old ones go on with what the first new one has made."""
    store: Store = browser.app.state.site.store  # type: ignore[attr-defined]
    with store.migrating() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    assert browser.get("/readyz").status_code == 200


def test_the_log_has_one_line_a_request_and_nothing_of_the_reader(browser: TestClient, written: io.StringIO) -> None:
    location = browser.post("/sessions", data={"flow": "termination", "title": "Secret plans"}).headers["location"]
    browser.get(f"{location}?theme=dark&do=private")
    browser.get("/nope?token=hush")
    rows = lines(written)
    assert [(row["event"], row["method"], row["route"], row["status"]) for row in rows] == [
        ("request", "POST", "/sessions", 303),
        ("request", "GET", "/s/{id}/{step}", 200),
        ("request", "GET", "(other)", 404),
    ]
    assert all(row["ms"] >= 0 and row["at"].endswith("Z") and row["level"] == "info" for row in rows)
    for private in (location.split("/")[2], "Secret", "private", "hush", browser.cookies["loopscope_owner"]):
        assert private not in written.getvalue()


@pytest.mark.parametrize(
    ("given", "kept"),
    [("0af7651916cd43dd8448eb211c80319c", True), ("a" * 65, False), ('x"} {"level', False), ("", False)],
)
def test_a_request_keeps_the_id_that_it_came_with(
    browser: TestClient, written: io.StringIO, given: str, kept: bool
) -> None:
    id = browser.get("/healthz", headers={"x-request-id": given}).headers["x-request-id"]
    assert (id == given) is kept
    assert lines(written)[-1]["id"] == id


def test_a_fault_is_found_in_the_log_by_the_id_on_its_page(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: io.StringIO
) -> None:
    client = TestClient(create_app(store), follow_redirects=False)
    session = client.post("/sessions", data={"flow": "termination"}).headers["location"].split("/")[2]

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(f"cannot go on with {session} and depth=senior&do=private")

    monkeypatch.setattr(story, "play", broken)
    answer = client.get(f"/s/{session}/3?depth=senior&do=private")
    assert answer.status_code == 500
    assert answer.headers["content-security-policy"].startswith("default-src 'self'")
    id = answer.headers["x-request-id"]
    assert id in document(answer.text).text
    fault, request = lines(written)[-2:]
    assert (fault["level"], fault["event"], fault["id"], fault["route"]) == ("error", "failed", id, "/s/{id}/{step}")
    assert "RuntimeError: cannot go on with … and …" in fault["traceback"]
    assert "in broken" in fault["traceback"]
    assert (request["status"], request["id"]) == (500, id)
    assert session not in written.getvalue()
    assert "RuntimeError" not in answer.text


def test_the_log_for_people_says_the_same_on_one_line() -> None:
    record = logging.LogRecord("loopscope", logging.INFO, __file__, 1, "request", None, None)
    vars(record).update(created=1.5, id="abc", method="GET", route="/f/{flow}", status=200, ms=1.2)
    assert logs.Text().format(record) == (
        "1970-01-01T00:00:01.500Z info request id=abc method=GET route=/f/{flow} status=200 ms=1.2"
    )
