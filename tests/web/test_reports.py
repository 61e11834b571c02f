"""Reports through the web: of an address and of a session, and who may write into one."""

from __future__ import annotations

import io

import pypdf
import pytest
from starlette.testclient import TestClient

from app.export.reporting import FORMS
from tests.web.documents import document

REPORT = "/f/termination/report?question=Why%3F&against=set.prestop%3D15s"


def test_the_page_has_the_report_and_links_to_its_files(server: TestClient) -> None:
    answer = server.get(REPORT)
    assert answer.status_code == 200
    page = document(answer.text)
    headings = [heading.text for heading in page.all("h2")]
    assert headings[:4] == ["Question", "Decisions", "Verdicts", "Symptoms met"]
    assert "Beside the other variant" in headings
    files = {link.text: link.attributes["href"] for link in page.all("a", class_="button")}
    assert len(files) == len(FORMS)
    for href in files.values():
        assert server.get(href).status_code == 200
    text = "".join(part.extract_text() for part in pypdf.PdfReader(io.BytesIO(server.get(files["PDF"]).content)).pages)
    assert "Why?" in text
    assert "preStop hook" in text


def test_each_step_that_it_names_can_be_seen(server: TestClient) -> None:
    page = document(server.get(REPORT).text)
    links = {link.attributes["href"] for link in page.all("a") if link.text.startswith("step ")}
    assert len(links) > 5
    assert all(server.get(link).status_code == 200 for link in links)


def test_the_other_variant_that_cannot_be_is_said_beside_the_report(server: TestClient) -> None:
    answer = server.get("/f/termination/report?against=set.nope%3D1")
    assert answer.status_code == 422
    page = document(answer.text)
    assert 'other variant: setting "nope"' in page.one(class_="problems").text
    assert page.one("input", name="against").attributes["value"] == "set.nope=1"
    assert server.get("/f/termination/report?form=pdf&against=set.nope%3D1").status_code == 422
    assert server.get("/f/termination/report?form=doc").status_code == 422
    assert server.get(f"/f/termination/report?question={'x' * 1001}").status_code == 422


@pytest.fixture
def session(browser: TestClient) -> str:
    made = browser.post("/sessions", data={"flow": "termination", "step": "7", "set.prestop": "5s", "title": "Web <1>"})
    return made.headers["location"].rpartition("/")[0]


def reading(browser: TestClient, session: str) -> str:
    page = document(browser.get(f"{session}/3").text)
    found = next(
        field.attributes["value"]
        for field in page.one(id="share").all("input")
        if "/s/" in field.attributes.get("value", "")
    )
    return "/" + found.partition("//")[2].partition("/")[2].rpartition("/")[0]


def test_a_session_keeps_its_question_and_decisions(browser: TestClient, session: str) -> None:
    assert browser.post(f"{session}/question", data={"question": "Is 5 s <enough>?"}).status_code == 303
    decision = {"text": "15 s it is", "actor": "Bo", "step": "9"}
    assert browser.post(f"{session}/decisions", data=decision).headers["location"] == f"{session}/report"
    browser.post(f"{session}/notes", data={"step": "7", "text": "Look"})
    answer = browser.get(f"{session}/report")
    assert answer.headers["cache-control"] == "no-store"
    page = document(answer.text)
    assert page.one("h1").text == "Web <1>"
    assert "Is 5 s <enough>?" in page.text
    said = [quote.text for quote in page.all("blockquote")]
    assert said[0].startswith("15 s it isBo, at step 9:")
    assert said[1].startswith("Lookat step 7:")
    told = browser.get(f"{session}/report?form=md").text
    assert "> 15 s it is" in told
    assert session.rpartition("/")[2] not in told
    browser.post(f"{session}/question", data={"question": ""})
    assert "No question was written down." in document(browser.get(f"{session}/report").text).text


def test_whoever_may_only_read_sees_it_and_changes_nothing(browser: TestClient, session: str) -> None:
    browser.post(f"{session}/question", data={"question": "Enough?"})
    read = reading(browser, session)
    page = document(browser.get(f"{read}/report").text)
    assert "Enough?" in page.text
    assert not page.all("form", method="post")
    for path, fields in (("question", {"question": "Mine"}), ("decisions", {"text": "Mine", "step": "1"})):
        assert browser.post(f"{read}/{path}", data=fields).status_code == 403
        assert (
            browser.post(f"{session}/{path}", data=fields, headers={"sec-fetch-site": "cross-site"}).status_code == 403
        )
    assert "Mine" not in browser.get(f"{read}/report").text


@pytest.mark.parametrize(
    ("path", "fields", "says"),
    [
        ("question", {"question": "x" * 1001}, "question: has 1001 characters; at most 1000"),
        ("decisions", {"text": " ", "step": "1"}, "decision: is empty"),
        ("decisions", {"text": "Yes", "step": "999"}, "step 999: this walk has"),
        ("decisions", {"text": "x" * 4001, "step": "1"}, "decision: has 4001 characters"),
    ],
)
def test_what_cannot_be_written_down_is_said(
    browser: TestClient, session: str, path: str, fields: dict[str, str], says: str
) -> None:
    answer = browser.post(f"{session}/{path}", data=fields)
    assert answer.status_code in (404, 422)
    assert says in document(answer.text).text
