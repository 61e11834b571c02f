"""Bad input: a status from 400 to 499, a sentence that says what is wrong, what was typed, and never a traceback."""

import logging

import pytest
from starlette.testclient import TestClient

from app.store.database import Store
from app.story import play as story
from app.web import limits
from app.web.application import create_app
from tests.web.documents import document

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + at)}: &{chr(98 + at)} [{','.join(['*' + chr(97 + at)] * 9)}]\n" for at in range(12)
)

TABLE: list[tuple[str, str, int, str]] = [
    ("unknown page", "/flows", 404, "no such page"),
    ("unknown flow", "/f/terminaton/3", 404, "termination"),
    ("unknown step number", "/f/termination/99999", 404, "this walk has"),
    ("huge step number", "/f/termination/" + "9" * 5000, 404, "no"),
    ("unknown step id", "/f/termination/kubelet.nope:pod~x", 404, "no step of this walk has that id"),
    ("near step id", "/f/termination/sheduler.bind:pod~web-1", 404, "no step of this walk has that id"),
    ("unknown form", "/f/termination/7.gif", 404, "7.gif"),
    ("suffix without a step", "/f/termination/.svg", 404, ".svg"),
    ("unknown scene", "/f/termination/1?scene=rase", 422, "did you mean"),
    ("unknown setting", "/f/termination/1?set.grase=1s", 422, "did you mean"),
    ("setting of the wrong type", "/f/termination/1?set.grace=soon", 422, "a duration"),
    ("setting out of range", "/f/termination/1?set.grace=11h", 422, "up to 10m"),
    ("empty setting", "/f/termination/1?set.grace=", 422, "a duration"),
    ("unknown verb", "/f/termination/1?do=1s%20explode%20pod/web-1", 422, "explode"),
    ("broken quoting", "/f/termination/1?do=1s%20delete%20%22pod", 422, "quote"),
    ("reference to nothing", "/f/termination/1?do=1s%20delete%20pudding/web", 422, "pudding"),
    ("pick without a step", "/f/termination/1?pick=intervene", 422, "STEP-ID!ACTION"),
    ("pick of nothing that can happen", "/f/termination/1?pick=a.b:pod~x!intervene", 422, "never reached"),
    ("unknown depth", "/f/termination/1?depth=expert", 422, "junior"),
    ("unknown view", "/f/termination/1.svg?view=map", 422, "cluster, messages, timeline"),
    ("unknown manifest", "/f/termination/1?m=0123456789abcdef0123456789abcdef", 404, "m:0123456789"),
    ("manifest that is no hash", "/f/termination/1?m=../../etc/passwd", 404, "m:"),
    ("too many parts", "/f/termination/1?" + "&".join(["do=x"] * 600), 422, "at most 500"),
    ("bytes that are no text", "/f/termination/1?set.grace=%ff%00", 422, "a duration"),
    ("unknown session", "/s/abcdefghijklmnop/1", 404, "no session"),
    ("unknown file", "/static/../pyproject.toml", 404, "no"),
    ("unknown asset", "/static/nope.css", 404, "nope.css"),
]


@pytest.mark.parametrize(("address", "status", "words"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_an_address_that_cannot_be_answered(server: TestClient, address: str, status: int, words: str) -> None:
    answer = server.get(address)
    assert answer.status_code == status
    assert words in document(answer.text).text
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "address", [row[1] for row in TABLE if row[2] == 422], ids=[row[0] for row in TABLE if row[2] == 422]
)
def test_a_part_is_swapped_in_for_htmx(server: TestClient, address: str) -> None:
    answer = server.get(address, headers={"HX-Request": "true", "HX-Request-Type": "partial"})
    assert "<!doctype" not in answer.text
    assert len(document(answer.text).all("div", id="step")) == 1


def test_a_wrong_value_stands_beside_its_field_and_the_rest_is_kept(server: TestClient) -> None:
    answer = server.get(
        "/f/termination/3?set.grace=40s&set.prestop=long&set.on_sigterm=drain&do=50s%20cordon%20node/node-1"
    )
    assert answer.status_code == 422
    page = document(answer.text)
    assert page.one("input", id="set.prestop").attributes["value"] == "long"
    assert 'found "long"; allowed: a duration' in page.one("p", id="set.prestop-problem").text
    assert page.one("input", id="set.on_sigterm").attributes["aria-invalid"] == "true"
    assert page.one("input", id="set.grace").attributes["value"] == "40s"
    assert page.one("a", id="next").attributes["href"] == "/f/termination/4?set.grace=40s&do=50s%20cordon%20node/node-1"


def test_an_intervention_is_typed_again_from_where_it_was_wrong(server: TestClient) -> None:
    answer = server.get("/f/termination/3?set.grace=40s&do=50s%20explode%20node/node-1")
    page = document(answer.text)
    assert page.one("input", name="do").attributes["value"] == "50s explode node/node-1"
    assert "explode" in page.one("div", class_="problems").text
    assert page.one("a", id="next").attributes["href"] == "/f/termination/4?set.grace=40s"


def test_what_cannot_be_mended_is_listed(server: TestClient) -> None:
    page = document(server.get("/f/termination/1?scene=nope&set.grace=40s").text)
    given = [
        [cell.text for cell in row.children if not isinstance(cell, str)]
        for row in page.one("table", class_="given").all("tr")
    ]
    assert given == [["scene", "nope"], ["set.grace", "40s"]]
    assert page.one("a", class_="primary").attributes["href"] == "/f/termination/1"


BROKEN_YAML = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web\n"
DEEP = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: "thirty"
      containers: [{name: web, image: registry.example/web:1.4}]
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        (BROKEN_YAML, "line"),
        (DEEP, "terminationGracePeriodSeconds"),
        (BOMB, "manifest"),
        ("x" * (1024 * 1024 + 1), "1 MiB"),
        ("kind: Deployment\nkind: Pod\n", "kind"),
        ("\0", ""),
    ],
    ids=["nothing", "broken", "a wrong type deep inside", "a bomb", "too long", "a key twice", "no text"],
)
def test_manifests_that_cannot_be_read_stay_in_the_field(server: TestClient, text: str, words: str) -> None:
    answer = server.post("/manifests", data={"flow": "termination", "text": text})
    assert answer.status_code == 422
    page = document(answer.text)
    assert words in page.one("div", class_="problems").text
    assert len(page.one("textarea").text) == len(" ".join(text.split())) or "\0" in text


def test_five_megabytes_are_not_even_read(server: TestClient) -> None:
    answer = server.post("/manifests", data={"flow": "termination", "text": "x" * 5_000_000})
    assert answer.status_code == 413
    assert "at most 4 MiB" in document(answer.text).text


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, 404),
        ({"flow": "nope"}, 404),
        ({"flow": "termination", "step": "x"}, 404),
        ({"flow": "termination", "set.grace": "soon"}, 422),
        ({"flow": "termination", "title": "x" * 201}, 422),
        ({"flow": "termination", "depth": "expert"}, 422),
    ],
)
def test_a_session_that_cannot_be_made(browser: TestClient, fields: dict[str, str], status: int) -> None:
    answer = browser.post("/sessions", data=fields)
    assert answer.status_code == status
    assert "set-cookie" not in answer.headers
    assert "None yet" in browser.get("/sessions").text


def test_a_form_in_another_form(server: TestClient) -> None:
    assert server.post("/sessions", json={"flow": "termination"}).status_code == 415
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert server.post("/sessions", content=b"flow=\xff", headers=form).status_code == 422
    assert server.put("/sessions", data={"flow": "termination"}).status_code == 405


@pytest.mark.parametrize(
    "address", ["/api/v1/flows/nope/run", "/api/v1/flows/termination/run?set.grace=soon", "/api/v1/nope"]
)
def test_programs_get_json(server: TestClient, address: str) -> None:
    answer = server.get(address)
    assert answer.status_code in (404, 422)
    assert answer.json()["problems"]


def test_a_fault_of_ours_shows_no_traceback(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the secret cause")

    monkeypatch.setattr(story, "play", broken)
    caplog.set_level(logging.CRITICAL)
    client = TestClient(create_app(store), raise_server_exceptions=False)
    answer = client.get("/f/termination/3")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text


def test_a_search_does_not_queue_for_ever(server: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PATIENCE", 0.01)
    with limits.searching():
        answer = server.get("/f/termination/orders?set.rate=31")
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "60")
    assert "try again in a minute" in document(answer.text).text


@pytest.mark.parametrize(
    "address",
    [
        "/f/termination/²",
        f"/f/termination/{'9' * 5000}",
        "/f/termination/²?set.prestop=soon",
        "/f/termination?at=²",
        "/f/termination/5?pick=x!advance:²",
        "/f/termination/5?pick=x!advance:1.²²²",
        f"/f/termination/5?pick=x!advance:{'9' * 5000}.000",
        f"/f/termination/5?pick=x!intervene@{'9' * 400}",
        "/f/termination/5?do=5s delete pod/web-²",
        f"/f/termination/5?do=5s delete pod/web-{'9' * 5000}",
        "/embed/f/termination/5?from=²",
        f"/embed/f/termination/5?to={'9' * 5000}",
    ],
)
def test_a_number_that_is_none_is_no_fault_of_ours(server: TestClient, address: str) -> None:
    assert server.get(address).status_code < 500
