"""Every order on request: a page of its own, and the part that htmx puts in its place."""

import pytest
from msgspec.structs import replace
from starlette.testclient import TestClient

from app.story.play import Play
from app.web import telling
from tests.web.documents import document


def test_a_walk_with_its_ranges(server: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def searched(played: Play) -> Play:
        first, *others = played.verdicts
        found = replace(first, least=0.0, most=1.25, varies=("kubelet", "kube-proxy"), exact=True)
        return replace(played, verdicts=(found, *others))

    monkeypatch.setattr(telling, "searched", searched)
    address = "/f/termination/orders?set.rate=3&depth=senior"
    page = document(server.get(address).text)
    row, under, *_ = page.one("section", id="verdicts").one("tbody").all("tr")
    assert row.one("span", class_="range").text == "0–1.25"
    assert under.text == "In every order and at every lag of kubelet, kube-proxy; all others as usual."
    back = page.one("main").all("a")[0].attributes["href"]
    assert back == "/f/termination/0?set.rate=3&depth=senior"
    assert server.get(back).status_code == 200
    part = document(server.get(address, headers={"HX-Request-Type": "partial"}).text)
    assert part.one("section", id="verdicts") == page.one("section", id="verdicts")
    assert part.all("main") == []
