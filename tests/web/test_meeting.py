"""A meeting over HTTP: a step for a projector, notes to speak from, followers, taking over, branches."""

import json
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from app.store import presenting
from app.store.database import Store
from app.web.meetings import Looks, told
from tests.web.documents import Element, document

PARTIAL = {"HX-Request": "true", "HX-Request-Type": "partial"}


@pytest.fixture
def other(browser: TestClient) -> Iterator[TestClient]:
    """Another browser at the same server."""
    with TestClient(browser.app, base_url="http://loopscope.test", follow_redirects=False) as client:
        yield client


def shown(client: TestClient, address: str, **headers: str) -> Element:
    answer = client.get(address, headers=headers)
    assert answer.status_code == 200, answer.text[:400]
    return document(answer.text)


def kept(client: TestClient, step: int = 4) -> str:
    """The path of a new session."""
    answer = client.post("/sessions", data={"flow": "termination", "step": str(step)})
    return str(answer.headers["location"].rpartition("/")[0])


def present(client: TestClient, session: str, step: int = 4, **fields: str) -> str:
    """Begin, and give the address for followers."""
    answer = client.post(f"{session}/present", data={"step": str(step), **fields})
    assert answer.headers["location"] == f"{session}/{step}/present"
    return follow_link(shown(client, answer.headers["location"]))


def follow_link(page: Element) -> str:
    return page.one("label", class_="give").one("input").attributes["value"].removeprefix("http://loopscope.test")


def seen(client: TestClient, follow: str) -> int:
    return int(shown(client, follow).one("div", id="stage").attributes["data-step"])


def test_a_flow_is_presented_without_a_session(server: TestClient) -> None:
    page = shown(server, "/f/termination/7/present?set.prestop=5s")
    assert [row.attributes["id"] for row in page.all("svg", role="img")] == ["cluster", "cluster-narrow"]
    assert page.one("a", id="next").attributes["href"] == "/f/termination/8/present?set.prestop=5s"
    assert page.one("a", id="back").attributes["href"] == "/f/termination/6/present?set.prestop=5s"
    assert page.one("a", id="leave").attributes["href"] == "/f/termination/7?set.prestop=5s"
    assert page.one("a", id="speaker").attributes["href"] == "/f/termination/7/speaker?set.prestop=5s"
    assert "follow.js" not in server.get("/f/termination/7/present").text


@pytest.mark.parametrize("view", ["messages", "timeline"])
def test_another_picture_is_presented(server: TestClient, view: str) -> None:
    page = shown(server, f"/f/termination/7/present?view={view}")
    assert [row.attributes["id"] for row in page.all("svg", role="img")] == [view, f"{view}-narrow"]
    assert page.one("a", id="next").attributes["href"].endswith(f"?view={view}")


def test_a_press_swaps_the_stage_alone(server: TestClient) -> None:
    answer = server.get("/f/termination/8/present", headers={**PARTIAL, "Loopscope-Shape": "wide"})
    assert answer.text.lstrip().startswith('<div id="stage"')
    assert [row.attributes["id"] for row in document(answer.text).all("svg", role="img")] == ["cluster"]


def test_the_speaker_sees_what_to_say_and_what_comes_next(server: TestClient) -> None:
    page = shown(server, "/f/termination/0/speaker?depth=senior")
    following = shown(server, "/f/termination/1?depth=senior").one("section", class_="panel say")
    coming = page.one("section", class_="coming")
    assert coming.one("h3").text == following.one("h3").text
    last = len(shown(server, "/f/termination/0").one("ol", tabindex="-1").all("li"))
    assert shown(server, f"/f/termination/{last}/speaker").one("section", class_="coming").one("h2").text == "The end"


def test_followers_see_what_the_presenter_shows(browser: TestClient, other: TestClient) -> None:
    session = kept(browser)
    follow = present(browser, session)
    assert seen(other, follow) == 4
    for address in (f"{session}/5/present", f"{session}/7", f"{session}/6/speaker"):
        shown(browser, address)
        assert seen(other, follow) == int(address.split("/")[3])
    around = shown(other, follow).one("a", id="around").attributes["href"]
    strip = shown(other, around).one("section", class_="meets")
    assert "Back to the presenter, step 6" in " ".join(strip.text.split())
    assert strip.one("a").attributes["href"] == follow
    assert strip.all("form") == []


def test_to_look_at_what_is_presented_moves_nobody(browser: TestClient, other: TestClient) -> None:
    session = kept(browser)
    follow = present(browser, session)
    assert shown(browser, f"{session}/speaker").one("a", id="next").attributes["href"] == f"{session}/5/speaker"
    assert shown(browser, f"{session}/present").one("a", id="next").attributes["href"] == f"{session}/5/present"
    shown(other, f"{session}/9/present")
    shown(other, f"{session}/9")
    assert seen(other, follow) == 4


def test_one_presents_and_another_takes_over_when_they_say_so(browser: TestClient, other: TestClient) -> None:
    session = kept(browser)
    follow = present(browser, session)
    refused = other.post(f"{session}/present", data={"step": "9"})
    assert refused.status_code == 409
    assert "presents this by now" in refused.text
    form = shown(other, f"{session}/9").one("section", class_="meets").one("form")
    assert "Take over" in form.text
    assert form.one("input", name="over").attributes["value"] == "yes"
    present(other, session, 9, over="yes")
    shown(browser, f"{session}/5/present")
    assert seen(browser, follow) == 9


def test_a_choice_that_branches_takes_the_followers_along(browser: TestClient, other: TestClient) -> None:
    session = kept(browser)
    follow = present(browser, session)
    browser.post(f"{session}/choices", data={"step": "12", "seen": "0", "pick": other_loop(browser, session, 12)})
    answer = browser.post(
        f"{session}/choices", data={"step": "4", "seen": "1", "pick": other_loop(browser, session, 4)}
    )
    branch, _, step = answer.headers["location"].rpartition("/")
    assert branch != session
    shown(browser, answer.headers["location"])
    assert seen(other, follow) == int(step)
    # Followers are given the branch to read, never to change.
    reading = shown(other, follow).one("a", id="around").attributes["href"].rpartition("/")[0]
    assert branch not in other.get(follow).text
    delete = {"step": "4", "seen": "1", "do": "9s delete pod/web-2"}
    assert other.post(f"{reading}/choices", data=delete).status_code == 403
    shown(browser, f"{session}/3")
    assert seen(other, follow) == 3
    shown(browser, f"{branch}/{step}/present")
    assert seen(other, follow) == int(step)
    assert shown(browser, f"{session}/speaker").one("a", id="back").attributes["href"].startswith(branch)
    assert branch not in other.get(f"{session}/speaker").text


def other_loop(client: TestClient, session: str, step: int) -> str:
    rows = shown(client, f"{session}/{step}").one("ul", class_="offers").all("li")
    return next(row.one("button").attributes["value"] for row in rows if "default" not in row.text)


def test_the_end_is_said_and_followers_stay(browser: TestClient, other: TestClient) -> None:
    session = kept(browser)
    follow = present(browser, session)
    assert browser.post(f"{session}/present/stop", data={"step": "4"}).headers["location"] == f"{session}/4"
    assert shown(other, follow).one("p", id="live").attributes["data-state"] == "waiting"
    shown(browser, f"{session}/6/present")
    assert seen(other, follow) == 4


def test_a_reader_cannot_present(browser: TestClient, other: TestClient) -> None:
    session = kept(browser)
    reading = present(browser, session).removesuffix("/follow")
    assert other.post(f"{reading}/present", data={"step": "1", "over": "yes"}).status_code == 403
    assert other.post(f"{reading}/present/stop", data={"step": "1"}).status_code == 403
    page = shown(other, f"{reading}/5/present")
    assert page.all("form", **{"data-stepped": ""}) == []
    # The browser that presents does so through the address that may change the session, not through any.
    shown(browser, f"{reading}/9/present")
    assert seen(other, f"{reading}/follow") == 4


def test_a_presenter_is_named_by_the_proxy(
    browser: TestClient, other: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = kept(browser)
    name = {b"X-Forwarded-User": "Ada Ångström <script>".encode()}
    browser.post(f"{session}/present", data={"step": "4"}, headers=name)
    follow = follow_link(shown(browser, f"{session}/4/present"))
    assert shown(other, follow).one("b", **{"data-tell": "name"}).text == "The presenter"
    monkeypatch.setenv("LOOPSCOPE_NAME_HEADER", "X-Forwarded-User")
    browser.post(f"{session}/present", data={"step": "4"}, headers=name)
    assert shown(other, follow).one("b", **{"data-tell": "name"}).text == "Ada Ångström <script>"


def test_an_event_names_the_step_and_brings_it_to_those_who_ask(browser: TestClient, store_of: Store) -> None:
    session = kept(browser)
    reading = present(browser, session).split("/")[2]
    with store_of.reading() as db:
        found = presenting.followed(db, id=reading)
    site = browser.app.state.site  # type: ignore[attr-defined]
    names = json.loads(told(site, Looks(), found))
    assert set(names) == {"session", "step", "revision", "live", "name", "lead"}
    assert (names["session"], names["step"], names["live"]) == (reading, 4, True)
    assert session.rpartition("/")[2] not in json.dumps(names)
    assert browser.cookies["loopscope_owner"] not in json.dumps(names)
    brought = json.loads(told(site, Looks(shape="narrow", view="timeline"), found))
    assert [row.attributes["id"] for row in document(brought["html"]).all("svg", role="img")] == ["timeline-narrow"]


@pytest.fixture
def store_of(browser: TestClient) -> Store:
    found: Store = browser.app.state.site.store  # type: ignore[attr-defined]
    return found


def test_who_follows_without_scripts_asks_again(browser: TestClient) -> None:
    follow = present(browser, kept(browser))
    assert '<noscript><meta http-equiv="refresh"' in browser.get(follow).text


@pytest.mark.parametrize("path", ["live", "follow", "present", "speaker", "3/present", "3/speaker"])
def test_of_a_session_that_is_not_there_nothing_is_told(server: TestClient, path: str) -> None:
    assert server.get(f"/s/nosuchsession/{path}").status_code == 404


def test_nobody_is_let_in_while_a_server_is_full(browser: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    session = kept(browser)
    monkeypatch.setattr("app.web.following.MOST_FOLLOWERS", 0)
    answer = browser.get(f"{session}/live")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")


def test_a_player_that_nobody_presents_loads_nothing_more(browser: TestClient) -> None:
    session = kept(browser)
    assert "follow.js" not in browser.get(f"{session}/4").text
