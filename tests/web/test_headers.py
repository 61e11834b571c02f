"""What every answer says to the browser, what may be kept, and who may act."""

import gzip
import re

import pytest
from starlette.testclient import TestClient

from tests.web.documents import document

PAGES = ["/", "/f/termination/7", "/symptoms", "/glossary", "/manifests", "/inspect", "/sessions", "/docs", "/nope"]


@pytest.mark.parametrize("address", PAGES)
def test_a_page_may_load_nothing_foreign_and_runs_nothing_inline(server: TestClient, address: str) -> None:
    answer = server.get(address)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    page = document(answer.text)
    assert all("style" not in element.attributes for element in page)
    assert page.all("style") == []
    assert all(script.attributes.get("src", "").startswith("/static/") for script in page.all("script"))
    assert not [name for element in page for name in element.attributes if name.startswith(("on", "hx-on"))]
    outside = re.findall(r'(?:src|href|action)="(https?:)?//[^"]*"', answer.text.replace("http://loopscope.test", ""))
    assert outside == []


def test_a_bare_picture_has_a_policy_of_its_own(server: TestClient) -> None:
    answer = server.get("/f/termination/7.svg")
    assert answer.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'"


def test_a_page_that_is_still_right_is_not_sent_again(server: TestClient) -> None:
    first = server.get("/f/termination/7?set.prestop=5s")
    assert first.headers["cache-control"] == "public, max-age=0, must-revalidate"
    again = server.get("/f/termination/7?set.prestop=5s", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["vary"] == "HX-Request-Type, Loopscope-Shape, Loopscope-Listing"
    other = server.get("/f/termination/7", headers={"if-none-match": first.headers["etag"]})
    assert other.status_code == 200
    part = {"if-none-match": first.headers["etag"], "HX-Request-Type": "partial"}
    assert server.get("/f/termination/7?set.prestop=5s", headers=part).status_code == 200


def test_pictures_can_be_kept_too(server: TestClient) -> None:
    first = server.get("/f/termination/7.svg")
    assert server.get("/f/termination/7.svg", headers={"if-none-match": first.headers["etag"]}).status_code == 304


def test_what_is_private_is_not_kept(browser: TestClient) -> None:
    session = browser.post("/sessions", data={"flow": "termination"}).headers["location"]
    for address in (session, "/sessions"):
        assert browser.get(address).headers["cache-control"] == "no-store"


def test_files_are_kept_for_good_under_their_digest(server: TestClient) -> None:
    page = document(server.get("/").text)
    files = [element.attributes["src"] for element in page.all("script")]
    files += [element.attributes["href"] for element in page.all("link", rel="stylesheet")]
    sheet = server.get(files[-1]).text
    files += re.findall(r'url\("([^"]+)"\)', sheet)
    assert len(files) == 5
    for file in files:
        answer = server.get(file)
        assert (answer.status_code, answer.headers["cache-control"]) == (200, "public, max-age=31536000, immutable")
        plain = server.get(file.partition("?")[0])
        assert plain.headers["cache-control"] == "public, max-age=0, must-revalidate"
        assert server.get(file, headers={"if-none-match": answer.headers["etag"]}).status_code == 304


@pytest.mark.parametrize("n", [0, 1, 12, 20, 30])
def test_a_first_view_is_small(server: TestClient, n: int) -> None:
    page = server.get(f"/f/termination/{n}")
    tree = document(page.text)
    files = [element.attributes["src"] for element in tree.all("script")]
    files += [element.attributes["href"] for element in tree.all("link", rel="stylesheet")]
    files += re.findall(r'url\("([^"]+)"\)', server.get(files[-1]).text)
    assert 1 + len(files) <= 6
    weight = len(gzip.compress(page.content, 6)) + sum(
        len(body) if file.partition("?")[0].endswith("woff2") else len(gzip.compress(body, 6))
        for file in files
        for body in [server.get(file).content]
    )
    assert weight <= 100_000
    part = server.get(f"/f/termination/{n}", headers={"HX-Request-Type": "partial"})
    assert len(gzip.compress(part.content, 6)) <= 15_000


def test_pages_travel_compressed(server: TestClient) -> None:
    assert server.get("/f/termination/7", headers={"accept-encoding": "gzip"}).headers["content-encoding"] == "gzip"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 303),
        ({"sec-fetch-site": "same-origin", "origin": "http://loopscope.test"}, 303),
        ({"origin": "http://loopscope.test"}, 303),
        ({"sec-fetch-site": "cross-site", "origin": "https://evil.example"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"referer": "http://loopscope.test/f/termination"}, 303),
        ({"referer": "https://evil.example/http://loopscope.test/"}, 403),
        ({"user-agent": "Mozilla/5.0 (X11; Linux x86_64) Old/1.0"}, 403),
        ({"user-agent": "curl/8"}, 303),
        ({"origin": "http://loopscope.test.evil.example"}, 403),
    ],
)
def test_only_our_own_pages_may_act(browser: TestClient, headers: dict[str, str], status: int) -> None:
    assert browser.post("/sessions", data={"flow": "termination"}, headers=headers).status_code == status


def test_other_pages_may_link_to_us(server: TestClient) -> None:
    foreign = {"sec-fetch-site": "cross-site", "referer": "https://wiki.example/"}
    assert server.get("/f/termination/7", headers=foreign).status_code == 200


@pytest.mark.parametrize("address", ["/", "/f/termination/7", "/f/termination/7.svg", "/static/app.css", "/healthz"])
def test_a_head_is_answered_as_its_get(server: TestClient, address: str) -> None:
    head, get = server.head(address), server.get(address)
    assert (head.status_code, head.headers["content-type"]) == (get.status_code, get.headers["content-type"])
