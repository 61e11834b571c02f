"""Embeds: one step in a frame, by links that work without JavaScript, without cookies, and by no id that edits."""

import gzip
import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from app.store.database import Store
from app.story import pinned
from app.story.play import play, request
from app.web.application import create_app
from tests.web.documents import Element, document

PART = {"HX-Request": "true", "HX-Request-Type": "partial"}
PLAYED = play(request("termination"))
LAST = len(PLAYED.steps)
CONTROLS = ("first", "back", "next", "last")


def shown(server: TestClient, address: str, status: int = 200) -> Element:
    answer = server.get(address)
    assert answer.status_code == status, answer.text[:400]
    return document(answer.text)


def hrefs(page: Element) -> dict[str, str | None]:
    return {name: page.one("a", id=name).attributes.get("href") for name in CONTROLS}


def session(browser: TestClient) -> tuple[str, str]:
    """The id that edits and the one that reads."""
    there = browser.post("/sessions", data={"flow": "termination", "step": "3", "set.prestop": "5s"})
    edit = there.headers["location"].split("/")[2]
    read = re.search(r"/s/([\w-]+)/3", browser.get(f"/s/{edit}/3").text.replace(edit, ""))
    assert read is not None
    return edit, read[1]


@pytest.mark.parametrize("n", [0, 1, 12, LAST])
def test_an_embed_is_one_picture_with_a_caption_and_four_links(server: TestClient, n: int) -> None:
    page = shown(server, f"/embed/f/termination/{n}")
    assert hrefs(page) == {
        "first": "/embed/f/termination/0" if n else None,
        "back": f"/embed/f/termination/{n - 1}" if n else None,
        "next": f"/embed/f/termination/{n + 1}" if n < LAST else None,
        "last": f"/embed/f/termination/{LAST}" if n < LAST else None,
    }
    assert page.one("span", class_="count").text == f"{n} / {LAST}"
    assert pinned.words_at(PLAYED, n).endswith(page.one("h1").text) or n
    assert [svg.attributes["id"] for svg in page.all("svg", role="img")] == ["messages", "messages-narrow"]
    assert page.all("form") + page.all("footer") + page.all("input") == []
    onward = page.one("a", target="_blank").attributes
    assert (onward["rel"], server.get(onward["href"]).status_code) == ("noopener", 200)


def test_page_and_fragment_hold_the_same(server: TestClient) -> None:
    whole, part = server.get("/embed/f/termination/5"), server.get("/embed/f/termination/5", headers=PART)
    assert document(whole.text).one("div", id="step") == document(part.text).one("div", id="step")
    assert "<!doctype" not in part.text


def test_every_link_carries_the_walk_and_the_look(server: TestClient) -> None:
    query = "set.prestop=5s&view=timeline&theme=dark&from=2&to=9"
    page = shown(server, f"/embed/f/termination/5?{query}&height=post&seen=0.1.0~1~ok~aaaa.bbbb.cccc")
    assert hrefs(page)["next"] == f"/embed/f/termination/6?{query}&height=post"
    assert page.one("html").attributes["data-theme"] == "dark"
    assert page.one("meta", name="color-scheme").attributes["content"] == "dark"
    assert page.one("body").attributes["class"] == "embed grows"
    onward = page.one("a", target="_blank").attributes["href"]
    assert re.fullmatch(r"/f/termination/[^/]+\?set\.prestop=5s&theme=dark", onward)


def test_a_first_view_is_as_small_as_that_of_a_page(server: TestClient) -> None:
    answer = server.get("/embed/f/termination/12")
    head = document(answer.text).one("head")
    files = [row.attributes["src"] for row in head.all("script")]
    files += [row.attributes["href"] for row in head.all("link", rel="stylesheet")]
    files += re.findall(r'url\("([^"]+)"\)', server.get(files[-1]).text)
    assert 1 + len(files) <= 6
    weight = len(gzip.compress(answer.content, 6))
    for file in files:
        body = server.get(file).content
        weight += len(body) if ".woff2" in file else len(gzip.compress(body, 6))
    assert weight <= 100_000
    part = server.get("/embed/f/termination/12", headers=PART)
    assert len(gzip.compress(part.content, 6)) <= 15_000


def test_without_a_theme_it_is_as_the_page_around_it(server: TestClient) -> None:
    page = shown(server, "/embed/f/termination/5")
    assert "data-theme" not in page.one("html").attributes
    assert page.one("meta", name="color-scheme").attributes["content"] == "light dark"


def test_a_range_bounds_the_steps(server: TestClient) -> None:
    step = PLAYED.steps[8].id
    assert hrefs(shown(server, f"/embed/f/termination/4?from=4&to={step}"))["first"] is None
    assert hrefs(shown(server, f"/embed/f/termination/4?from=4&to={step}"))["last"] == (
        f"/embed/f/termination/9?from=4&to={step}"
    )
    end = shown(server, f"/embed/f/termination/9?from=4&to={step}")
    assert hrefs(end)["next"] is None
    assert hrefs(end)["first"] == f"/embed/f/termination/4?from=4&to={step}"
    for outside, nearest in (("2", "4"), ("20", "9")):
        moved = server.get(f"/embed/f/termination/{outside}?from=4&to=9")
        assert (moved.status_code, moved.headers["location"]) == (303, f"/embed/f/termination/{nearest}?from=4&to=9")


@pytest.mark.parametrize("view", ["cluster", "messages", "timeline"])
def test_only_is_one_picture_and_nothing_else(server: TestClient, view: str) -> None:
    page = shown(server, f"/embed/f/termination/5?only={view}")
    assert [svg.attributes["id"] for svg in page.all("svg")] == [view, f"{view}-narrow"]
    assert page.all("a") + page.all("h1", class_="caption") + page.all("details") == []


@pytest.mark.parametrize(
    ("query", "status", "told"),
    [
        ("only=map", 422, "only: found 'map'; allowed: cluster, messages, timeline"),
        ("height=tall", 422, "height: found 'tall'; allowed: post"),
        ("from=99", 422, f"from: step 99: this walk has {LAST} steps"),
        ("from=9&to=4", 422, "from, to: found step 9 to 4; the first comes before the last"),
        ("set.prestop=soon", 422, "setting prestop:"),
        ("view=map", 422, "view: found 'map'; allowed: cluster, messages, timeline"),
    ],
)
def test_what_cannot_be_is_said_in_the_frame(server: TestClient, query: str, status: int, told: str) -> None:
    answer = server.get(f"/embed/f/termination/5?{query}")
    assert answer.status_code == status
    assert told in unescape(answer.text)
    assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("address", ["/embed/f/nope/1", "/embed/f/termination/99", "/embed/f/termination/5.svg"])
def test_what_is_not_there_is_not_found(server: TestClient, address: str) -> None:
    assert server.get(address).status_code == 404


def test_no_cookie_is_read_or_set(browser: TestClient) -> None:
    session(browser)
    assert browser.cookies
    address = "/embed/f/termination/5"
    mine = browser.get(address)
    browser.cookies.clear()
    others = browser.get(address)
    assert (mine.content, mine.headers["etag"]) == (others.content, others.headers["etag"])
    assert "set-cookie" not in mine.headers
    assert "cookie" not in mine.headers.get("vary", "").lower()


def test_a_session_is_embedded_by_the_id_that_reads(browser: TestClient) -> None:
    edit, read = session(browser)
    refused = browser.get(f"/embed/s/{edit}/3")
    assert refused.status_code == 404
    answer = browser.get(f"/embed/s/{read}/3?theme=dark")
    page = document(answer.text)
    assert hrefs(page)["next"] == f"/embed/s/{read}/4?theme=dark"
    assert page.one("a", target="_blank").attributes["href"].startswith(f"/s/{read}/")
    assert edit not in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert "set-cookie" not in answer.headers
    assert browser.get(f"/s/{edit}").headers["location"].endswith("/3"), "an embed moves nobody"


def test_a_frame_is_told_who_may_hold_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPSCOPE_FRAME_ANCESTORS", "https://wiki.example https://*.example:8443")
    with TestClient(create_app(store), base_url="http://loopscope.test") as client:
        embed, page = client.get("/embed/f/termination/5").headers, client.get("/f/termination/5").headers
        lost = client.get("/embed/f/nope/5").headers
    for headers in (embed, lost):
        policy = headers["content-security-policy"]
        assert policy.endswith("frame-ancestors 'self' https://wiki.example https://*.example:8443")
        assert "x-frame-options" not in headers
        assert headers["cross-origin-opener-policy"] == "unsafe-none"
        assert headers["cross-origin-resource-policy"] == "cross-origin"
    assert page["content-security-policy"].endswith("frame-ancestors 'self'")
    assert page["cross-origin-opener-policy"] == "same-origin"


@pytest.mark.parametrize(
    ("site", "policy"), [("same-origin", "unsafe-none"), ("cross-site", "same-origin"), ("none", "same-origin")]
)
def test_only_what_our_own_page_opens_has_no_opener_policy(server: TestClient, site: str, policy: str) -> None:
    answer = server.get("/f/termination/5", headers={"sec-fetch-site": site})
    assert answer.headers["cross-origin-opener-policy"] == policy


def test_fonts_may_be_loaded_from_a_sandbox(server: TestClient) -> None:
    font = re.findall(r'url\("(/static/fonts[^"]+)"\)', server.get("/static/site.css").text)[0]
    assert server.get(font).headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-origin" not in server.get("/embed/f/termination/5").headers


def test_a_step_says_when_it_is_no_longer_what_was_seen(server: TestClient) -> None:
    holds = str(pinned.pin(PLAYED, 5))
    other = re.sub(r"~[^~]+~(?=[^~]+$)", "~conflict~", holds)
    newer = holds.replace(holds.partition("~")[0], "0.0.1")
    for path in ("/embed/f/termination/5", "/f/termination/5"):
        assert "Behaviour has changed" in server.get(f"{path}?seen={other}").text
        for fine in (holds, newer, "nonsense", ""):
            assert "Behaviour has changed" not in server.get(f"{path}?seen={fine}").text
        assert not re.search(r'href="[^"]*[?&]seen=', server.get(f"{path}?seen={other}").text.partition("</head>")[2])


def test_the_player_says_what_has_changed(browser: TestClient) -> None:
    """Of a flow and of a session alike."""
    _, read = session(browser)
    for path in ("/f/termination/5", f"/s/{read}/5"):
        told = shown(browser, f"{path}?seen=0.1.0~9.5~conflict~aaaa.bbbb.cccc").one("aside", class_="since").text
        assert "Outcome: conflict then, now " in told
        assert "Time in seconds: 9.5 then, now " in told
        assert "Its words: now Termination race: " in told


def test_what_was_seen_survives_the_way_to_the_shortest_address(server: TestClient) -> None:
    moved = server.get("/f/termination/5?set.prestop=5000ms&seen=0.1.0~1~ok~aaaa.bbbb.cccc")
    assert moved.headers["location"] == "/f/termination/5?set.prestop=5s&seen=0.1.0~1~ok~aaaa.bbbb.cccc"
