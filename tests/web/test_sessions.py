"""Sessions over HTTP: made, stepped, decided in, gone back in, forked, named, read by others, resumed."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from httpx2 import Response
from sqlmodel import col, select, update
from starlette.testclient import TestClient

from app.store import sessions
from app.store.database import Store
from app.store.tables import Taken
from app.web.application import create_app
from tests.web.documents import Element, document

pytestmark = pytest.mark.databases("sqlite", "postgresql")


def made(browser: TestClient, **fields: str) -> str:
    """The path of a new session, `/s/ID`."""
    answer = browser.post("/sessions", data={"flow": "termination", "step": "0", **fields})
    assert answer.status_code == 303, answer.text[:400]
    return answer.headers["location"].rpartition("/")[0]


def shown(browser: TestClient, address: str) -> Element:
    answer = browser.get(address)
    assert answer.status_code == 200, answer.text[:400]
    return document(answer.text)


def choices(page: Element) -> list[str]:
    return [row.all("code")[0].text for row in page.all("ol", class_="chosen") for row in row.all("li")]


def decide(browser: TestClient, session: str, step: int, seen: int = 0, **choice: str) -> Response:
    return browser.post(f"{session}/choices", data={"step": str(step), "seen": str(seen), **choice})


def test_a_walk_becomes_a_session_with_all_its_settings(browser: TestClient) -> None:
    fields = {"set.prestop": "15s", "do": "50s delete pod/web-2", "depth": "senior"}
    answer = browser.post("/sessions", data={"flow": "termination", "step": "4", **fields})
    assert re.fullmatch(r"/s/[\w-]{20,}/4\?depth=senior", answer.headers["location"])
    page = shown(browser, answer.headers["location"])
    assert page.one("input", name="set.prestop").attributes["value"] == "15s"
    assert choices(page) == ["50s delete pod/web-2"]
    assert page.one(role="slider").attributes["aria-valuenow"] == "4"


def test_a_scene_stays_the_scene_of_the_session(browser: TestClient) -> None:
    there = shown(browser, "/f/termination").all("ul", class_="scenes")[0].all("a")[3].attributes["href"]
    scene = there.partition("scene=")[2]
    session = made(browser, scene=scene)
    assert len(shown(browser, f"{session}/0").all("ol", tabindex="-1")[0].all("li")) == len(
        shown(browser, there).all("ol", tabindex="-1")[0].all("li")
    )


def test_a_cookie_comes_with_the_first_session_only(browser: TestClient) -> None:
    for address in ("/", "/f/termination/3", "/sessions", "/healthz"):
        assert "set-cookie" not in browser.get(address).headers
    answer = browser.post("/sessions", data={"flow": "termination"})
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "set-cookie" not in browser.post("/sessions", data={"flow": "termination"}).headers


def test_each_browser_lists_its_own(browser: TestClient) -> None:
    made(browser, title="My first walk")
    assert "My first walk" in browser.get("/sessions").text
    browser.cookies.clear()
    assert "My first walk" not in browser.get("/sessions").text


def test_the_position_is_kept_while_stepping(browser: TestClient) -> None:
    session = made(browser)
    shown(browser, f"{session}/5")
    assert browser.get(session).headers["location"] == f"{session}/5"
    shown(browser, f"{session}/2")
    assert browser.get(session).headers["location"] == f"{session}/2"


def test_a_session_survives_its_server(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/kept.db"
    first = Store(url)
    browser = TestClient(create_app(first), follow_redirects=False)
    session = made(browser)
    shown(browser, f"{session}/6")
    decide(browser, session, 6, do="7s delete pod/web-2")
    shown(browser, f"{session}/9")
    page = shown(browser, f"{session}/9").one("div", id="step").text
    # Not closed: a killed server does not say goodbye.
    second = Store(url)
    again = TestClient(create_app(second), follow_redirects=False)
    assert again.get(session).headers["location"] == f"{session}/9"
    assert shown(again, f"{session}/9").one("div", id="step").text == page
    first.close()
    second.close()


def test_an_intervention_is_made_where_the_reader_stands(browser: TestClient) -> None:
    session = made(browser)
    before = [row.text for row in shown(browser, f"{session}/6").one("ol", tabindex="-1").all("li")]
    answer = decide(browser, session, 6, do="20ms delete pod/web-2")
    assert answer.status_code == 303
    location = answer.headers["location"]
    assert location.startswith(f"{session}/")
    page = shown(browser, location)
    after = [row.text for row in page.one("ol", tabindex="-1").all("li")]
    n = int(location.rpartition("/")[2])
    assert n > 6
    assert after[: n - 1] == before[: n - 1]
    assert after[n - 1] != before[n - 1]
    assert choices(page) == ["20ms delete pod/web-2"]


def test_another_loop_goes_first(browser: TestClient) -> None:
    session = made(browser)
    page = shown(browser, f"{session}/8")
    rows = [row for row in page.one("ul", class_="offers").all("li") if "default" not in row.text]
    pick = rows[0].one("button").attributes["value"]
    answer = decide(browser, session, 8, pick=pick)
    assert answer.status_code == 303, answer.text[:300]
    assert choices(shown(browser, answer.headers["location"])) == [pick]


def test_deciding_in_the_past_makes_a_branch_and_keeps_the_old_one(browser: TestClient) -> None:
    session = made(browser, title="The old way")
    later = shown(browser, f"{session}/8")
    pick = next(row for row in later.one("ul", class_="offers").all("li") if "default" not in row.text)
    decide(browser, session, 8, pick=pick.one("button").attributes["value"])
    answer = decide(browser, session, 3, seen=1, do="5s cordon node/node-3")
    assert answer.status_code == 303, answer.text[:300]
    branch = answer.headers["location"].rpartition("/")[0]
    assert branch != session
    assert choices(shown(browser, f"{branch}/0")) == ["5s cordon node/node-3"]
    assert choices(shown(browser, f"{session}/0")) == [pick.one("button").attributes["value"]]
    assert browser.get("/sessions").text.count("The old way") == 2
    assert "branch" in browser.get("/sessions").text


def test_a_page_that_is_behind_cannot_decide(browser: TestClient) -> None:
    session = made(browser)
    decide(browser, session, 4, do="5s cordon node/node-3")
    answer = decide(browser, session, 4, seen=0, do="9s cordon node/node-2")
    assert answer.status_code == 409
    assert "reload it or fork it" in answer.text


def test_an_intervention_that_cannot_be_is_shown_again(browser: TestClient) -> None:
    session = made(browser)
    answer = decide(browser, session, 4, do="5s explode pod/web-1")
    assert answer.status_code == 422
    page = document(answer.text)
    assert page.one("input", name="do").attributes["value"] == "5s explode pod/web-1"
    assert "explode" in page.one("div", class_="problems").text
    assert choices(shown(browser, f"{session}/4")) == []


def test_forking_needs_no_rights_and_keeps_the_steps(browser: TestClient) -> None:
    session = made(browser)
    page = shown(browser, f"{session}/5")
    reading = urlsplit(page.all("input", data_copy="")[-1].attributes["value"]).path.rpartition("/")[0]
    assert reading != session
    answer = browser.post(f"{reading}/fork", data={"step": "5", "seen": "0"})
    assert answer.status_code == 303
    branch = answer.headers["location"]
    assert branch.endswith("/5")
    assert not branch.startswith((session, reading))


@pytest.mark.parametrize(
    ("act", "fields"),
    [
        ("choices", {"do": "5s cordon node/node-1"}),
        ("rename", {"title": "Mine"}),
        ("notes", {"text": "Ha"}),
        ("delete", {}),
    ],
)
def test_the_reading_address_changes_nothing(browser: TestClient, act: str, fields: dict[str, str]) -> None:
    session = made(browser)
    page = shown(browser, f"{session}/5")
    reading = urlsplit(page.all("input", data_copy="")[-1].attributes["value"]).path.rpartition("/")[0]
    answer = browser.post(f"{reading}/{act}", data={"step": "5", "seen": "0", **fields})
    assert answer.status_code == 403
    there = shown(browser, f"{reading}/2")
    assert browser.get(session).headers["location"] == f"{session}/5"
    assert all("disabled" in button.attributes for button in there.all("button", name="pick"))
    assert session not in browser.get(f"{reading}/2").text


def test_names(browser: TestClient) -> None:
    session = made(browser)
    assert browser.post(f"{session}/rename", data={"step": "3", "title": "Race at work"}).status_code == 303
    assert shown(browser, f"{session}/3").one("div", class_="crumbs").one("h1").text == "Race at work"


def test_deleting(browser: TestClient) -> None:
    session = made(browser)
    assert browser.post(f"{session}/delete").headers["location"] == "/sessions"
    assert browser.get(f"{session}/0").status_code == 404


def test_a_walk_that_replays_differently_says_from_where(browser: TestClient) -> None:
    session = made(browser)
    shown(browser, f"{session}/7")
    assert "Since you took step" not in browser.get(f"{session}/7").text
    store: Store = browser.app.state.site.store  # type: ignore[attr-defined]
    with store.writing() as db:
        db.execute(update(Taken).where(col(Taken.n) == 4).values(digest="0" * 16))
    assert "Since you took step 4, the rules have changed" in shown(browser, f"{session}/7").text


def test_steps_taken_are_kept_once(browser: TestClient) -> None:
    session = made(browser)
    for n in (3, 5, 2):
        shown(browser, f"{session}/{n}")
    store: Store = browser.app.state.site.store  # type: ignore[attr-defined]
    with store.reading() as db:
        kept = sessions.get_for_reading(db, id=session.removeprefix("/s/")).session
        assert [row.n for row in db.exec(select(Taken).where(Taken.session_id == kept.id).order_by(col(Taken.n)))] == [
            1, 2, 3, 4, 5
        ]  # fmt: skip


def test_a_session_has_other_forms_too(browser: TestClient) -> None:
    session = made(browser)
    assert browser.get(f"{session}/5.json").json()["n"] == 5
    assert browser.get(f"{session}/5.svg").headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize("id", ["nope", "x" * 200, "%00", "..%2f"])
def test_a_session_that_is_not_there(browser: TestClient, id: str) -> None:
    assert browser.get(f"/s/{id}/0").status_code == 404


def test_what_leads_out_of_a_session_leads_to_the_free_walk(browser: TestClient) -> None:
    session = made(browser, **{"set.prestop": "5s"})
    page = shown(browser, f"{session}/5?depth=senior")
    assert page.one("form", id="settings").attributes["action"] == "/f/termination"
    scenes = [link.attributes["href"] for link in page.one("ul", class_="scenes").all("a")]
    inject = [link.attributes["href"] for link in page.one("ul", class_="fail").all("a") if "inject" in link.text]
    for link in [*scenes, *inject]:
        assert link.startswith("/f/termination/0?scene=")
        assert link.endswith("&depth=senior")
    free = next(link for link in page.all("a") if link.text == "The same walk without the session")
    assert free.attributes["href"] == "/f/termination/5?set.prestop=5s&depth=senior"


def test_a_session_is_told_in_the_words_that_are_asked_for(browser: TestClient) -> None:
    answer = browser.post("/sessions", data={"flow": "api-outage", "step": "10", "words": "neutral"})
    there = answer.headers["location"]
    assert there.endswith("/10?words=neutral")
    page = shown(browser, there)
    assert "node agent" in page.one("section", aria_labelledby="say-title").text
    assert page.one("a", id="next").attributes["href"].endswith("/11?words=neutral")
    assert "node agent" not in shown(browser, there.partition("?")[0]).one("section", aria_labelledby="say-title").text
