"""Limits on rate, size and number: what is refused, with which words, and what is never refused."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.requests import Request
from starlette.testclient import TestClient
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from app.configuration import PROXIES, Rate
from app.errors import TooMuch
from app.store.database import Store
from app.web import limits
from app.web.application import create_app
from app.web.limits import ROUTES, Bucket, Limits, client_of
from tests.web.documents import document

POD = "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{containers: [{{name: a, image: a}}]}}\n"


@pytest.fixture
def limited(store: Store, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ASGIApp]:
    """An application with settings of its own."""

    def make(**settings: str) -> ASGIApp:
        for name, value in settings.items():
            monkeypatch.setenv(f"LOOPSCOPE_{name}", value)
        return create_app(store)

    return make


def client(app: ASGIApp, address: str = "192.0.2.1", **headers: str) -> TestClient:
    return TestClient(app, client=(address, 50_000), follow_redirects=False, headers=headers)


def make_session(browser: TestClient) -> int:
    return browser.post("/sessions", data={"flow": "termination"}).status_code


def test_a_bucket_gives_what_it_holds_and_then_one_at_a_time() -> None:
    bucket = Bucket(Rate(2, 1))
    assert [bucket.take("a", now=0) for _ in range(3)] == [0, 0, 0.5]
    assert bucket.take("a", now=0.25) == 0.25
    assert bucket.take("a", now=0.5) == 0
    assert bucket.take("b", now=0.5) == 0
    # However long nobody asked, it holds no more than it did at first.
    assert [bucket.take("a", now=1_000) for _ in range(3)] == [0, 0, 0.5]


def test_of_many_clients_the_one_that_was_quiet_for_longest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_CLIENTS", 2)
    bucket = Bucket(Rate(1, 60))
    assert [bucket.take(name, now=0) for name in ("a", "b")] == [0, 0]
    assert bucket.take("a", now=1) == 59
    assert bucket.take("c", now=2) == 0
    assert bucket.take("a", now=3) == 57
    assert bucket.take("b", now=3) == 0


def test_a_client_that_comes_too_often_is_told_when_to_come_again(limited: Callable[..., ASGIApp]) -> None:
    app = limited(RATE_SESSIONS="2/m")
    reader = client(app)
    assert [make_session(reader) for _ in range(2)] == [303, 303]
    answer = reader.post("/sessions", data={"flow": "termination"})
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= 30
    assert "too many sessions from your address for now" in document(answer.text).text
    # Who only reads is not counted, and neither is somebody else.
    assert reader.get("/f/termination/3").status_code == 200
    assert make_session(client(app, "192.0.2.2")) == 303
    refused = {
        sample.labels["limit"]: sample.value
        for family in text_string_to_metric_families(reader.get("/metrics").text)
        for sample in family.samples
        if sample.name == "loopscope_refused_total"
    }
    assert refused == {"sessions": 1}


def test_each_of_these_routes_counts(limited: Callable[..., ASGIApp]) -> None:
    """The table names routes that there are, and every one of them is refused once its rate is used up."""
    rates = {f"RATE_{name}": "1/h" for name in ("SESSIONS", "MANIFESTS", "SEARCHES", "SWEEPS", "EXPORTS")}
    app = limited(**rates)
    for number, (method, route) in enumerate(ROUTES):
        reader = client(app, f"192.0.2.{number}")
        # Nothing is there: a request counts before anything of it is looked at.
        address = route.format(flow="nothing", id="nobody")
        first, second = (reader.request(method, address) for _ in range(2))
        assert first.status_code not in (405, 429), address
        assert second.status_code == 429, address


def test_a_rate_can_be_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPSCOPE_RATE_SESSIONS", "off")
    found = Limits()
    for _ in range(1_000):
        found.check("sessions", "192.0.2.1")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("testclient", "testclient", True),
    ],
)
def test_who_counts_as_one_client(one: str, other: str, same: bool) -> None:
    found = [client_of(Request({"type": "http", "client": (host, 1)})) for host in (one, other)]
    assert (found[0] == found[1]) is same


@pytest.mark.parametrize(
    ("proxies", "believed"), [("127.0.0.1", False), ("10.0.0.0/8", True), ("10.1.2.3, 192.0.2.9", True), ("*", True)]
)
def test_only_a_known_proxy_says_for_whom_it_asks(
    limited: Callable[..., ASGIApp], monkeypatch: pytest.MonkeyPatch, proxies: str, believed: bool
) -> None:
    monkeypatch.setenv("LOOPSCOPE_PROXIES", proxies)
    # As uvicorn wraps the application.
    app = ProxyHeadersMiddleware(limited(RATE_SESSIONS="1/h"), trusted_hosts=list(PROXIES.get()))  # type: ignore[arg-type]
    one, other = (client(app, "10.1.2.3", **{"x-forwarded-for": f"198.51.100.{n}"}) for n in (1, 2))  # type: ignore[arg-type]
    assert make_session(one) == 303
    assert make_session(other) == (303 if believed else 429)


def test_a_long_form_is_not_read_to_its_end(limited: Callable[..., ASGIApp]) -> None:
    reader = client(limited(MOST_BODY="1Ki"))
    answer = reader.post("/manifests", data={"flow": "sandbox", "text": "x" * 1024})
    assert answer.status_code == 413
    assert "at most 1 KiB are taken" in document(answer.text).text


def test_one_browser_keeps_so_many_sessions(limited: Callable[..., ASGIApp]) -> None:
    app = limited(MOST_SESSIONS="2")
    reader = client(app)
    made = [reader.post("/sessions", data={"flow": "termination"}).headers["location"] for _ in range(2)]
    answer = reader.post("/sessions", data={"flow": "termination"})
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "3600")
    assert "2 sessions are kept for this browser" in document(answer.text).text
    fork = reader.post(f"{made[0].rpartition('/')[0]}/fork", data={"step": "0"})
    assert fork.status_code == 429
    reader.post(f"{made[0].rpartition('/')[0]}/delete")
    assert make_session(reader) == 303
    assert make_session(client(app)) == 303


@pytest.mark.databases("sqlite", "postgresql")
def test_so_many_manifests_are_kept_in_all(browser: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPSCOPE_MOST_MANIFESTS", "1")

    def keep(name: str) -> int:
        return browser.post("/manifests", data={"flow": "sandbox", "text": POD.format(name=name)}).status_code

    assert [keep("a"), keep("b"), keep("a")] == [303, 429, 303]


def test_who_cannot_even_wait_for_a_search_is_sent_away_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_WAITING", 0)
    limits._places.cache_clear()
    with ExitStack() as places:
        places.enter_context(limits.searching())
        with pytest.raises(TooMuch, match="other searches are under way"):
            places.enter_context(limits.searching())
    with limits.searching():
        pass
    limits._places.cache_clear()
