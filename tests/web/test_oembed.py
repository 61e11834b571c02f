"""oEmbed as oembed.com has it, and its discovery in the head of pages."""

from urllib.parse import parse_qs, quote, urlsplit

import pytest
from starlette.testclient import TestClient

from app.story import pinned
from app.story.play import play, request
from tests.web.documents import document
from tests.web.test_embeds import session

HOST = "http://loopscope.test"
PLAYED = play(request("termination"))


def asked(url: str, more: str = "") -> str:
    return f"/oembed?url={quote(url, safe='')}{more}"


def test_an_answer_has_what_a_rich_one_must_have(server: TestClient) -> None:
    answer = server.get(asked(f"{HOST}/f/termination/5?set.prestop=5s"))
    assert answer.headers["content-type"] == "application/json"
    told = answer.json()
    assert (told["version"], told["type"], told["width"], told["height"]) == ("1.0", "rich", 700, 394)
    frame = document(told["html"]).one("iframe").attributes
    assert (frame["width"], frame["height"]) == ("700", "394")
    assert frame["title"] == told["title"]
    address = urlsplit(frame["src"])
    assert f"{address.scheme}://{address.netloc}" == HOST
    assert address.path.startswith("/embed/f/termination/")
    assert parse_qs(address.query)["set.prestop"] == ["5s"]
    assert server.get(frame["src"]).status_code == 200


@pytest.mark.parametrize(
    ("more", "size"),
    [
        ("&maxwidth=400", (400, 394)),
        ("&maxheight=300", (700, 300)),
        ("&maxwidth=320&maxheight=200", (320, 200)),
        ("&maxwidth=2000&maxheight=2000", (700, 394)),
        ("&maxwidth=1", (1, 394)),
        ("&format=json", (700, 394)),
    ],
)
def test_a_frame_is_never_larger_than_is_asked_for(server: TestClient, more: str, size: tuple[int, int]) -> None:
    told = server.get(asked(f"{HOST}/f/termination/5", more)).json()
    frame = document(told["html"]).one("iframe").attributes
    assert (told["width"], told["height"]) == size
    assert (frame["width"], frame["height"]) == (str(size[0]), str(size[1]))


@pytest.mark.parametrize(
    ("url", "n"),
    [
        (f"{HOST}/f/termination", 0),
        (f"{HOST}/f/termination/", 0),
        (f"{HOST}/f/termination/7", 7),
        (f"{HOST}/f/termination/{PLAYED.steps[6].id}", 7),
        (f"{HOST}/embed/f/termination/7?view=cluster&from=2&theme=dark", 7),
        (f"{HOST}/f/termination/{quote(PLAYED.steps[6].id, safe='')}", 7),
        ("https://LOOPSCOPE.test/f/termination/7", 7),
        ("https://loopscope.test:443/f/termination/7", 7),
    ],
)
def test_pages_and_embeds_are_known(server: TestClient, url: str, n: int) -> None:
    told = server.get(asked(url)).json()
    assert told["title"] == pinned.words_at(PLAYED, n)
    src = document(told["html"]).one("iframe").attributes["src"]
    given = parse_qs(urlsplit(url).query)
    assert {name: value for name, value in parse_qs(urlsplit(src).query).items() if name != "seen"} == given


@pytest.mark.parametrize(
    ("url", "more", "status"),
    [
        ("https://elsewhere.example/f/termination/5", "", 404),
        ("http://loopscope.test.elsewhere.example/f/termination/5", "", 404),
        ("http://loopscope.test@elsewhere.example/f/termination/5", "", 404),
        ("javascript://loopscope.test/f/termination/5", "", 404),
        ("/f/termination/5", "", 404),
        ("http://loopscope.test:8080/f/termination/5", "", 404),
        (f"{HOST}/f/%00/%2F?m=%00&pick=%00", "", 404),
        ("http://[", "", 404),
        (f"{HOST}/", "", 404),
        (f"{HOST}/symptoms", "", 404),
        (f"{HOST}/f/nope/5", "", 404),
        (f"{HOST}/f/termination/99", "", 404),
        (f"{HOST}/f/termination/5.svg", "", 404),
        (f"{HOST}/f/termination/5/embed", "", 404),
        (f"{HOST}/f/termination/5?set.prestop=soon", "", 404),
        (f"{HOST}/f/termination/5?from=9&to=2", "", 404),
        (f"{HOST}/s/nobody/5", "", 404),
        (f"{HOST}/f/termination/5", "&format=xml", 501),
        (f"{HOST}/f/termination/5", "&maxwidth=wide", 422),
        (f"{HOST}/f/termination/5", "&maxheight=0", 422),
    ],
)
def test_what_cannot_be_embedded_is_refused_for_programs(server: TestClient, url: str, more: str, status: int) -> None:
    answer = server.get(asked(url, more))
    assert answer.status_code == status
    assert answer.json()["problems"]


def test_an_address_must_be_given(server: TestClient) -> None:
    assert server.get("/oembed").status_code == 422


def test_a_session_is_described_by_the_id_that_reads(browser: TestClient) -> None:
    edit, read = session(browser)
    told = browser.get(asked(f"{HOST}/s/{read}/3"))
    assert f"/embed/s/{read}/" in told.json()["html"]
    assert edit not in told.text
    assert browser.get(asked(f"{HOST}/s/{read}")).json()["title"] == told.json()["title"]
    assert browser.get(asked(f"{HOST}/s/{edit}/3")).status_code == 401


def test_pages_say_where_they_are_described(browser: TestClient) -> None:
    edit, read = session(browser)
    for page, there in (
        ("/f/termination/5?set.prestop=5s", "/embed/f/termination/"),
        ("/embed/f/termination/5", "/embed/f/termination/"),
        (f"/s/{read}/3", f"/embed/s/{read}/"),
        (f"/s/{edit}/3", f"/embed/s/{read}/"),
    ):
        head = document(browser.get(page).text).one("head")
        address = head.one("link", type="application/json+oembed").attributes["href"]
        assert edit not in address
        assert there in browser.get(address).json()["html"]
