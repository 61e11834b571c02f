"""The page that says what to paste: every kind of host, each with title and words; options; no id that edits."""

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from app.story import pinned
from app.story.play import play, request
from app.web.snippets import KINDS
from tests.web.documents import Element, document
from tests.web.test_embeds import session

PART = {"HX-Request": "true", "HX-Request-Type": "partial"}
HOST = "http://loopscope.test"
PLAYED = play(request("termination"))
WORDS = pinned.words_at(PLAYED, 5)


def texts(page: Element) -> dict[str, str]:
    return {
        area.attributes["id"].removeprefix("snippet-"): "".join(row for row in area.children if isinstance(row, str))
        for area in page.all("textarea")
    }


def opened(server: TestClient, address: str, status: int = 200) -> Element:
    answer = server.get(address)
    assert answer.status_code == status, answer.text[:400]
    return document(answer.text)


def test_there_is_text_for_every_kind_of_host_with_words_and_a_pin(server: TestClient) -> None:
    found = texts(opened(server, "/f/termination/5/embed"))
    assert list(found) == list(KINDS)
    pin = f"seen={pinned.pin(PLAYED, 5)}"
    for kind, text in found.items():
        assert text.count("seen=") == text.count(pin) > 0, kind
        assert WORDS in text or kind == "notion"
        assert all(address.startswith(HOST) for address in re.findall(r"https?://[^\s\"]+", text))


def test_every_address_in_it_answers(server: TestClient) -> None:
    page = opened(server, "/f/termination/5/embed?set.prestop=5s&theme=dark&view=cluster&from=2&to=9&width=800")
    for text in texts(page).values():
        for address in re.findall(r"https?://[^\s\"\])\[]+", unescape(text)):
            assert server.get(address).status_code == 200
    for frame in page.all("iframe"):
        assert frame.attributes["width"] == "800"
        assert frame.attributes["title"]
        assert re.search(r"view=cluster&theme=dark&from=2&to=9&seen=", frame.attributes["src"])
    for image in page.all("img"):
        assert image.attributes["alt"]


def test_the_form_keeps_the_walk_and_shows_what_was_chosen(server: TestClient) -> None:
    page = opened(
        server, "/f/termination/5/embed?set.prestop=5s&depth=senior&theme=dark&view=timeline&only=cluster&to=9"
    )
    form = page.one("form", action=f"/f/termination/{step_id()}/embed")
    hidden = {row.attributes["name"]: row.attributes["value"] for row in form.all("input", type="hidden")}
    assert hidden == {"set.prestop": "5s", "depth": "senior"}
    assert [row.text for row in form.all("option", selected="")] == ["timeline", "none, only cluster", "dark"]
    assert form.one("input", name="to").attributes["value"] == "9"


def step_id() -> str:
    return play(request("termination", settings=[("prestop", "5s")])).steps[4].id


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("width=wide", "width: found 'wide'; allowed: 200 to 2000"),
        ("height=9", "height: found '9'; allowed: 200 to 2000"),
        ("from=99", "from: step 99"),
        ("from=6&to=9", "from, to: found 6 to 9; allowed: a range with this step, 5, in it"),
        ("only=map", "only: found 'map'; allowed: cluster, messages, timeline"),
    ],
)
def test_an_option_that_cannot_be_is_said_beside_the_form(server: TestClient, query: str, told: str) -> None:
    page = opened(server, f"/f/termination/5/embed?{query}", 422)
    assert told in page.one("div", class_="problems").text
    assert page.all("textarea") == []
    assert len(page.all("input", name="width")) == 1


def test_the_dialog_is_fetched_as_a_part(server: TestClient) -> None:
    part = server.get("/f/termination/5/embed", headers=PART).text
    assert "<!doctype" not in part
    assert list(texts(document(part))) == list(KINDS)


def test_the_player_leads_there_and_does_not_carry_it(server: TestClient) -> None:
    page = opened(server, "/f/termination/5?set.prestop=5s&theme=dark")
    assert page.one("a", id="embed-open").attributes["href"] == "/f/termination/5/embed?set.prestop=5s"
    assert page.all("textarea") == []


def test_a_session_gives_only_the_address_that_reads(browser: TestClient) -> None:
    edit, read = session(browser)
    link = opened(browser, f"/s/{edit}/3").one("a", id="embed-open").attributes["href"]
    answer = browser.get(link)
    assert answer.status_code == 200
    assert edit not in answer.text
    found = texts(document(answer.text))
    assert all(f"/s/{read}/" in text for text in found.values())
    assert f"{HOST}/embed/s/{read}/" in found["iframe"]
    assert answer.headers["cache-control"] == "no-store"


def test_what_is_no_page_has_no_embed(server: TestClient) -> None:
    for address in ("/f/termination/99/embed", "/f/termination/5.svg/embed", "/f/nope/5/embed", "/s/nobody/3/embed"):
        assert server.get(address).status_code == 404
