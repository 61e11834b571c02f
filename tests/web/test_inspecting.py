"""The page of an inspection, what it keeps, and what programs get; health and readiness."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from app.inspect.inspecting import inspect
from app.inspect.report import report
from app.story.report import as_json
from tests.inspect.sets import Manifest, budget, container, held, service, template, workload
from tests.web.documents import document


def text_of(*objects: Manifest) -> str:
    return "\n---\n".join(json.dumps(row, indent=1) for row in objects)


TEXT = text_of(workload(pods=template(container(image="web"))), service(), budget(minAvailable=3))


def inspected(browser: TestClient, text: str) -> str:
    """The address that a pasted text is given."""
    answer = browser.post("/inspect", data={"text": text})
    assert answer.status_code == 303, document(answer.text).text[:2000]
    return answer.headers["location"]


def test_there_is_a_place_to_paste(server: TestClient) -> None:
    page = document(server.get("/inspect").text)
    assert page.one("textarea", name="text").text == ""
    assert "Findings" not in page.text
    assert "The budget allows no eviction, ever pdb-allows-nothing" in page.text


def test_a_finding_that_ends_with_a_question_has_one_end(browser: TestClient) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n"
    pod += "  - {name: web, image: 'web:1', resources: {requests: {memory: 256MB}}}\n"
    told = document(browser.get(inspected(browser, pod)).text).text
    assert 'did you mean "256M"?' in told
    assert "?." not in told


def test_findings_and_facts_are_told(browser: TestClient) -> None:
    page = document(browser.get(inspected(browser, TEXT.replace("\n", "\r\n"))).text)
    assert "3 objects read, 1 error, 1 warning, 0 notes" in page.text
    rows = page.one("ul", class_="findings").all("li")
    assert [row.attributes["class"] for row in rows] == ["panel error", "panel warning"]
    assert "minAvailable 67%" not in rows[0].text
    assert "must leave 3" in rows[0].text
    assert "pdb-allows-nothing" in rows[0].text
    assert "maxSurge 1, maxUnavailable 0" in page.text
    assert json.loads(page.one("textarea", name="text").text.partition("---")[0])["kind"] == "Deployment"


def test_every_link_of_it_answers(browser: TestClient) -> None:
    page = document(browser.get(inspected(browser, TEXT)).text)
    links = [link.attributes["href"] for link in page.one("main").all("a")]
    assert len(links) == 4
    for href in links:
        assert browser.get(href).status_code == 200


def test_programs_get_what_the_command_line_prints(browser: TestClient) -> None:
    name = inspected(browser, TEXT).partition("m=")[2]
    answer = browser.get(f"/api/v1/inspect?m={name}")
    assert answer.text == as_json(report(inspect({"manifest": TEXT})))
    told = browser.get(f"/api/v1/inspect?m={name}&format=sarif")
    assert told.headers["content-type"] == "application/sarif+json"
    assert told.json()["version"] == "2.1.0"
    assert browser.get(f"/api/v1/inspect?m={name}&format=xml").status_code == 422
    assert browser.get("/api/v1/inspect?m=0123456789abcdef").status_code == 404
    assert browser.get("/inspect?m=0123456789abcdef").status_code == 404


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (" ", "manifest: is empty"),
        ("a: [", "manifest: document 1"),
        ("kind: Deploymnet\napiVersion: apps/v1", 'did you mean "Deployment"?'),
    ],
)
def test_what_cannot_be_read_is_said_and_kept_nowhere(server: TestClient, text: str, problem: str) -> None:
    answer = server.post("/inspect", data={"text": text})
    assert answer.status_code == 422
    assert problem in document(answer.text).one("div", role="alert").text


def test_what_the_api_server_would_refuse_is_a_finding(browser: TestClient) -> None:
    page = document(browser.get(inspected(browser, text_of(workload(strategy={"type": "Rolling"})))).text)
    assert "The API server refuses it" in page.text


def test_values_of_secrets_are_not_kept(browser: TestClient) -> None:
    address = inspected(browser, text_of(workload(), held("Secret", "token", "value")))
    assert "eA==" not in browser.get(address).text


def test_markup_in_manifests_stays_text(browser: TestClient) -> None:
    page = browser.get(inspected(browser, text_of(service(selector={"app": "web"}, type="<b>x</b>")))).text
    assert "<b>x</b>" not in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page


def test_alive_asks_nothing_else_and_ready_asks_the_database(browser: TestClient) -> None:
    assert browser.get("/healthz").json()["status"] == "ok"
    assert browser.get("/readyz").json()["status"] == "ok"
    assert browser.get("/readyz").headers["cache-control"] == "no-store"
