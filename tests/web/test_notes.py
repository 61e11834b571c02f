"""Notes pinned to a step and to who acts in it: beside the step, on the timeline, in Markdown and JSON."""

import pytest
from starlette.testclient import TestClient

from tests.web.documents import Element, document

STEP = "4"


@pytest.fixture
def session(browser: TestClient) -> str:
    made = browser.post("/sessions", data={"flow": "termination", "step": STEP})
    return str(made.headers["location"].rpartition("/")[0])


def shown(browser: TestClient, address: str) -> Element:
    answer = browser.get(address)
    assert answer.status_code == 200, answer.text[:400]
    return document(answer.text)


def note(browser: TestClient, session: str, text: str, step: str = STEP, **fields: str) -> int:
    return browser.post(f"{session}/notes", data={"step": step, "text": text, **fields}).status_code


def test_a_note_stands_beside_its_step_with_what_it_is_pinned_to(browser: TestClient, session: str) -> None:
    offered = [row.text for row in shown(browser, f"{session}/4").one("select", name="actor").all("option")]
    assert offered[:3] == ["the step itself", "Controllers", "API server"]
    assert {"kubelet node-1", "Clients", "node/node-2"} <= set(offered)
    assert note(browser, session, "Why <so>?", actor="kubelet node-1") == 303
    assert note(browser, session, "Wait 15 s", kind="decision") == 303
    rows = shown(browser, f"{session}/4").all("div", class_="note")
    assert [row.one("p").text for row in rows] == ["kubelet node-1 Why <so>?", "Decision Wait 15 s"]
    elsewhere = shown(browser, f"{session}/5")
    assert elsewhere.all("div", class_="note") == []
    assert [row.one("a").attributes["href"] for row in elsewhere.one("ul", class_="notes").all("li")] == [
        f"{session}/4"
    ] * 2


def test_a_note_is_marked_on_the_timeline_and_told_in_its_twin(browser: TestClient, session: str) -> None:
    note(browser, session, "Why so?", actor="kubelet node-1")
    page = shown(browser, f"{session}/9")
    marks = [row for row in page.all("g") if row.attributes["class"].startswith("pin") and row.all("title")]
    assert [row.attributes["id"] for row in marks] == ["timeline-pin-0", "timeline-narrow-pin-0"]
    assert marks[0].one("title").text == "note on step 4, 5 ms, kubelet node-1: Why so?"
    twin = page.one("section", class_="timeline").one("details")
    assert twin.all("li")[-1].text == "note on step 4, 5 ms, kubelet node-1: Why so?"


@pytest.mark.parametrize("actor", ["pod/web-9", "nobody", "<b>"])
def test_a_note_is_pinned_only_to_what_is_there(browser: TestClient, session: str, actor: str) -> None:
    assert note(browser, session, "Why?", actor=actor) == 422
    assert (
        "a lane of this walk or an object at this step"
        in browser.post(f"{session}/notes", data={"step": STEP, "text": "Why?", "actor": actor}).text
    )


@pytest.mark.parametrize("fields", [{"text": " "}, {"text": "x" * 4001}, {"text": "x", "kind": "rumour"}])
def test_a_note_says_something(browser: TestClient, session: str, fields: dict[str, str]) -> None:
    assert browser.post(f"{session}/notes", data={"step": STEP, **fields}).status_code == 422


def test_a_note_is_changed_and_deleted_by_who_may_edit(browser: TestClient, session: str) -> None:
    note(browser, session, "First")
    row = shown(browser, f"{session}/4").one("div", class_="note")
    action = row.one("form").attributes["action"]
    assert browser.post(action, data={"step": STEP, "text": "Second", "kind": "decision"}).status_code == 303
    assert shown(browser, f"{session}/4").one("div", class_="note").one("p").text == "Decision Second"
    other = browser.post("/sessions", data={"flow": "termination"}).headers["location"].rpartition("/")[0]
    elsewhere = f"{other}/notes/{action.rpartition('/')[2]}"
    assert browser.post(elsewhere, data={"step": STEP, "delete": "yes"}).status_code == 404
    assert browser.post(action, data={"step": STEP, "delete": "yes"}).headers["location"] == f"{session}/4"
    assert shown(browser, f"{session}/4").all("div", class_="note") == []
    assert browser.post(action, data={"step": STEP, "text": "Third"}).status_code == 404


def test_readers_see_notes_and_no_form(browser: TestClient, session: str) -> None:
    note(browser, session, "Why?")
    share = shown(browser, f"{session}/4").one("details", id="share")
    label = next(row for row in share.all("label") if "for others to read" in row.text)
    reading = label.one("input").attributes["value"].removeprefix("http://loopscope.test")
    panel = shown(browser, reading).one("section", id="notes")
    assert panel.one("div", class_="note").text == "Why?"
    assert panel.all("form") == []


def test_notes_as_data_and_as_text(browser: TestClient, session: str) -> None:
    browser.post(f"{session}/question", data={"step": STEP, "question": "Does it drop *requests*?"})
    note(browser, session, "Later", step="9")
    note(browser, session, "Why [so](x)?\nReally?", actor="kubelet node-1")
    found = browser.get(f"{session}/notes.json").json()
    assert (found["flow"], found["question"]) == ("termination", "Does it drop *requests*?")
    assert [(row["step"], row["kind"], row["actor"], row["text"]) for row in found["notes"]] == [
        (4, "note", "kubelet node-1", "Why [so](x)?\nReally?"),
        (9, "note", "step", "Later"),
    ]
    text = browser.get(f"{session}/notes.md").text
    assert "**Question:** Does it drop \\*requests\\*?" in text
    assert "## Step 4: " in text
    assert "Note on kubelet node-1:\n\n> Why \\[so\\](x)?\n> Really?\n" in text


def test_a_fork_keeps_notes_with_pins_and_names(
    browser: TestClient, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOPSCOPE_NAME_HEADER", "X-User")
    browser.get(f"{session}/6")
    data = {"step": STEP, "text": "Why?", "actor": "Clients"}
    browser.post(f"{session}/notes", data=data, headers={"X-User": "Ada"})
    fork = browser.post(f"{session}/fork", data={"step": "6"}).headers["location"].rpartition("/")[0]
    assert shown(browser, f"{fork}/4").one("div", class_="note").one("p").text == "Clients Why? Ada"
