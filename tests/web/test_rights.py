"""Whoever has the link to read can change nothing by any route, and nothing that anybody writes runs as a script."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from app.store import manifests, presenting, sessions
from app.store.database import Store
from app.web.following import Following
from app.web.meetings import Looks, told
from tests.web.documents import Element, document

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
Dump = dict[str, list[tuple[Any, ...]]]


def routes_of(found: Any) -> Iterator[APIRoute]:
    """Every route of an application, those of its families included."""
    for row in found.routes:
        if isinstance(row, APIRoute):
            yield row
        elif hasattr(row, "original_router"):
            yield from routes_of(row.original_router)


def dump(store: Store) -> Dump:
    with store.engine.connect() as db:
        names = [row[0] for row in db.exec_driver_sql("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: sorted(map(tuple, db.exec_driver_sql(f"SELECT * FROM {name}")), key=repr) for name in names}  # noqa: S608


@pytest.fixture
def store(browser: TestClient) -> Store:
    found: Store = browser.app.state.site.store  # type: ignore[attr-defined]
    return found


@pytest.fixture
def session(browser: TestClient, store: Store) -> tuple[str, str]:
    """The id that edits and the id that reads, of a session with everything that one can have."""
    made = browser.post("/sessions", data={"flow": "termination", "step": "4", "do": "50s delete pod/web-2"})
    path = made.headers["location"].rpartition("/")[0]
    for step in (3, 4):
        browser.post(f"{path}/notes", data={"step": str(step), "text": "look", "kind": "decision"})
    browser.post(f"{path}/question", data={"step": "4", "question": "Does it drop requests?"})
    browser.post(f"{path}/present", data={"step": "4"})
    browser.get(f"{path}/7")
    edit_id = path.rpartition("/")[2]
    with store.reading() as db:
        return edit_id, sessions.get_for_reading(db, id=edit_id).session.read_id


def forms(reading: str, pick: str) -> Iterator[dict[str, str]]:
    """What a form could hold: what ours do, and the reading id wherever there is a name."""
    common = {"step": "4", "seen": "1"}
    yield common
    yield {**common, "do": "9s delete pod/web-2"}
    yield {**common, "pick": pick}
    yield {**common, "title": "Mine now", "question": "Mine?", "text": "mine", "actor": "", "kind": "note"}
    yield {**common, "delete": "yes", "over": "yes", "text": "gone"}
    names = (
        "step",
        "seen",
        "id",
        "edit_id",
        "session",
        "flow",
        "title",
        "text",
        "actor",
        "kind",
        "delete",
        "over",
        "m",
    )
    yield dict.fromkeys(names, reading)


def tries(reading: str, pick: str) -> Iterator[tuple[str, dict[str, str]]]:
    for method in METHODS:
        yield from ((method, form) for form in (forms(reading, pick) if method == "POST" else [{}]))


def addresses(route: APIRoute, reading: str) -> Iterator[str]:
    """The route with the reading id in place of each name, and once in place of all."""
    usual = {"id": reading, "flow": "cordon", "step": "4", "note": "1", "suffix": "json", "name": "player.js"}
    names = re.findall(r"{(\w+)(?::\w+)?}", route.path)
    filled = [{name: usual.get(name, reading) for name in names}, dict.fromkeys(names, reading)]
    plain = re.sub(r"{(\w+):\w+}", r"{\1}", route.path)
    yield from (plain.format(**given) for given in filled)


def test_a_link_to_read_changes_nothing_by_any_route(
    browser: TestClient, store: Store, session: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def one_event(*_: object, **__: object) -> AsyncGenerator[bytes]:
        yield b"retry: 1\n\n"

    monkeypatch.setattr(Following, "stream", one_event)
    reading = session[1]
    page = document(browser.get(f"/s/{session[0]}/4").text)
    pick = page.one("ul", class_="offers").all("button")[-1].attributes["value"]
    before = dump(store)
    # Once as a stranger and once as the browser that made it: neither is what counts.
    clients = [stranger(browser, {}), stranger(browser, dict(browser.cookies))]
    tried = 0
    for route in routes_of(browser.app):
        for path in dict.fromkeys(addresses(route, reading)):
            for method, form in tries(reading, pick):
                # What names no session is the same to both.
                for client in clients if reading in path else clients[:1]:
                    answer = client.request(method, path, data=form or None)
                    assert answer.status_code < 500, (method, path, form)
                    tried += 1
    assert tried > 300
    after = dump(store)
    for table, rows in before.items():
        assert set(rows) <= set(after[table]), f"{table}: a row has been changed or is gone"
    ours = {row[0] for row in before["session"]}
    for table in ("choice", "note", "taken", "presentation", "taken_along"):
        added = set(after[table]) - set(before[table])
        columns = column(store, table)
        assert not {row[columns] for row in added} & ours, f"{table}: rows have been added to a session"


def column(store: Store, table: str) -> int:
    """Which one names the session."""
    with store.engine.connect() as db:
        return [row[1] for row in db.exec_driver_sql(f"PRAGMA table_info({table})")].index("session_id")


def stranger(browser: TestClient, cookies: dict[str, str]) -> TestClient:
    client = TestClient(browser.app, base_url="http://loopscope.test", follow_redirects=False)
    client.headers["accept-encoding"] = "identity"
    client.cookies.update(cookies)
    return client


def test_no_page_that_reads_tells_the_id_that_edits(browser: TestClient, session: tuple[str, str]) -> None:
    edit_id, reading = session
    alone = stranger(browser, {})
    for path in (
        "4",
        "0",
        "4.json",
        "4.md",
        "4/present",
        "4/speaker",
        "present",
        "speaker",
        "follow",
        "notes.md",
        "notes.json",
    ):
        answer = alone.get(f"/s/{reading}/{path}")
        assert answer.status_code == 200, path
        assert edit_id not in answer.text, path
        # The maker's own browser is told as little, at the address that only reads.
        assert edit_id not in browser.get(f"/s/{reading}/{path}").text, path


def test_a_page_says_which_link_is_which(browser: TestClient, session: tuple[str, str]) -> None:
    edit_id, reading = session
    share = document(browser.get(f"/s/{edit_id}/4").text).one("details", id="share")
    values = {label.text.partition(":")[0]: label.one("input").attributes["value"] for label in share.all("label")}
    assert values["This session, for others to read"] == f"http://loopscope.test/s/{reading}/4"
    warned = share.all("details")[1]
    assert warned.one("input").attributes["value"] == f"http://loopscope.test/s/{edit_id}/4"
    assert "nobody can take it back" in warned.one("p", class_="problem").text
    only_reads = document(browser.get(f"/s/{reading}/4").text).one("details", id="share")
    assert "that changes it" not in only_reads.text


CRAFTED = (
    "<script>parent.hacked=1</script>",
    '"><img src=x onerror=hacked=1>',
    "</title></svg></textarea></script><script>hacked=1</script>",
    "javascript:hacked=1//",
    "{{ 7*7 }}${hacked}",
    "]]>--><!--\n\nevent: step\ndata: {}\n\n",
)


@pytest.mark.parametrize("words", CRAFTED)
def test_what_somebody_writes_stays_words(
    browser: TestClient, store: Store, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOPSCOPE_NAME_HEADER", "X-User")
    name = {"X-User": " ".join(words.split())}
    made = browser.post("/sessions", data={"flow": "termination", "step": "4", "title": words})
    path = made.headers["location"].rpartition("/")[0]
    browser.post(f"{path}/question", data={"step": "4", "question": words})
    for kind in ("note", "decision"):
        note = {"step": "4", "text": words, "kind": kind, "actor": "kubelet node-1"}
        assert browser.post(f"{path}/notes", data=note, headers=name).status_code == 303
    assert browser.post(f"{path}/present", data={"step": "4"}, headers=name).status_code == 303
    plain = document(browser.get("/f/termination/4").text)
    for tail in ("/4", "/3", "/4/present", "/4/speaker", "/3/speaker", "/follow"):
        page = document(browser.get(f"{path}{tail}").text)
        assert harmless(page), tail
        assert {row.tag for row in page} <= {row.tag for row in plain} | {"textarea", "noscript", "label", "form"}, tail
    assert " ".join(words.split()) in document(browser.get(f"{path}/4").text).text
    assert harmless(document(browser.get("/sessions").text))
    assert "<" not in browser.get(f"{path}/notes.md").text.replace("&lt;", "")
    assert browser.get(f"{path}/notes.json").json()["notes"][0]["text"] == words.strip().replace("\n", "\n")
    with store.reading() as db:
        shown = presenting.followed(db, id=path.rpartition("/")[2])
    event = told(browser.app.state.site, Looks(shape="wide", view="timeline"), shown)  # type: ignore[attr-defined]
    assert "\n" not in event
    assert harmless(document(json.loads(event)["html"]))


def harmless(page: Element) -> bool:
    """No script but our files, no attribute that runs something, no address that does."""
    scripts = all(row.attributes.get("src", "").startswith("/static/") for row in page.all("script"))
    attributes = [(name, value) for row in page for name, value in row.attributes.items()]
    running = [name for name, _ in attributes if name.startswith("on")]
    addresses = [
        value for name, value in attributes if name in ("href", "src", "action") and "script:" in value.lower()
    ]
    return scripts and not running and not addresses


MANIFEST = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {note: "<script>hacked=1</script>"}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      annotations: {sim.loopscope.dev/log: "<script>hacked=1</script>"}
    spec:
      containers:
        - name: web
          image: "<img src=x onerror=hacked=1>"
          command: ["</svg><script>hacked=1</script>"]
          "<script>hacked=1</script>": true
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
"""


def test_a_crafted_manifest_stays_words(browser: TestClient, store: Store) -> None:
    with store.writing() as db:
        name = manifests.put(db, text=MANIFEST)
    answers = {
        path: browser.get(f"{path}m={name}")
        for path in (
            "/f/sandbox/3?",
            "/f/sandbox/3/present?",
            "/f/sandbox/3/speaker?",
            "/f/sandbox/report?",
            "/inspect?",
            *(f"/f/sandbox/3.svg?view={view}&" for view in ("cluster", "messages", "timeline")),
        )
    }
    assert [path for path, answer in answers.items() if answer.status_code != 200] == []
    for path, answer in answers.items():
        page = document(answer.text)
        assert harmless(page), path
        assert not [row for row in page.all("img") if row.attributes.get("src") == "x"], path
        if ".svg" in path:
            assert page.all("script") == []
    assert "&lt;script&gt;hacked=1" in answers["/inspect?"].text
