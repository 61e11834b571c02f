"""A recording beside a walk as a page."""

from __future__ import annotations

import json

import yaml
from starlette.testclient import TestClient

from app.story.play import play, request
from app.story.watch import trace
from tests.web.documents import document

RECORDED = trace(play(request("termination")).walk)


def form_of(server: TestClient, address: str) -> tuple[str, dict[str, str]]:
    """Where the form of a walk's page leads, with what it carries."""
    (link,) = [row for row in document(server.get(address).text).all("a") if "Beside a recording" in row.text]
    form = document(server.get(link.attributes["href"]).text).one("form", class_="paste")
    fields = [row.attributes for row in form.all("input") if row.attributes.get("type") == "hidden"]
    return form.attributes["action"], {row["name"]: row["value"] for row in fields}


def test_a_walk_leads_to_a_place_for_a_recording(server: TestClient) -> None:
    assert form_of(server, "/f/termination/3?set.prestop=15s") == ("/f/termination/overlay", {"set.prestop": "15s"})


def test_the_same_walk_matches_and_every_time_leads_to_it(server: TestClient) -> None:
    action, fields = form_of(server, "/f/termination/3")
    answer = server.post(action, data=fields | {"text": json.dumps(RECORDED)})
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    page = document(answer.text)
    assert " match, 0 only recorded, 0 only modelled." in page.one("p", class_="verdict").text
    rows = page.one("table").one("tbody").all("tr")
    assert {row.attributes["class"] for row in rows} == {"state-same"}
    for link in [*rows[0].all("a"), *rows[-1].all("a")]:
        assert server.get(link.attributes["href"]).status_code == 200


def test_another_walk_is_told_apart(server: TestClient) -> None:
    action, fields = form_of(server, "/f/termination/3?set.prestop=15s")
    recorded = [*RECORDED, {"t": 1, "kind": "Pod", "object": "default/stranger", "event": "ADDED"}]
    page = document(server.post(action, data=fields | {"text": json.dumps(recorded)}).text)
    states = {row.attributes["class"] for row in page.one("tbody").all("tr")}
    assert {"state-same", "state-time", "state-recorded"} <= states
    assert "The walk does nothing with: Pod default/stranger." in page.one("main").text


def test_what_came_before_can_be_left_out(server: TestClient) -> None:
    page = document(server.post("/f/termination/overlay", data={"text": json.dumps(RECORDED), "since": "500ms"}).text)
    assert page.one("input", name="since").attributes["value"] == "500ms"
    assert "state-modelled" in {row.attributes["class"] for row in page.one("tbody").all("tr")}
    assert page.one("textarea").text.strip() == json.dumps(RECORDED), "so that another time can be tried"
    told = server.post("/f/termination/overlay", data={"text": json.dumps(RECORDED), "since": "soon"})
    assert (told.status_code, "since: found" in told.text) == (422, True)


def test_what_cannot_be_read_is_said_and_can_be_mended(server: TestClient) -> None:
    answer = server.post("/f/termination/overlay", data={"text": '{"kind": 1}'})
    assert answer.status_code == 422
    page = document(answer.text)
    assert page.one("div", class_="problems").text.strip().startswith("recording: found an object with kind; allowed: ")
    assert page.one("textarea", name="text").text.strip() == '{"kind": 1}'
    many = [RECORDED[0]] * 5_001
    told = server.post("/f/termination/overlay", data={"text": json.dumps(many)})
    assert (told.status_code, "found 5,001 entries; allowed: at most 5,000" in told.text) == (422, True)


def test_a_recording_may_be_a_file_also_of_yaml(server: TestClient) -> None:
    about = {"kind": "Node", "name": "n1"}
    seen = {"reason": "NodeNotReady", "message": "Node n1", "firstTimestamp": "2026-05-06T07:08:10Z"}
    text = yaml.safe_dump({"kind": "Event", "metadata": {"name": "x"}, "involvedObject": about} | seen)
    files = [("files", ("events.yaml", text.encode(), "application/yaml"))]
    answer = server.post("/f/termination/overlay", data={"text": "", "set.prestop": "5s"}, files=files)
    assert answer.status_code == 200
    assert "1 only recorded" in document(answer.text).one("p", class_="verdict").text
