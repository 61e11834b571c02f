"""A setting over a range, as a page."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from app.web.routes import sweeps
from tests.web.documents import document

PAGE = "/f/termination/sweep?over=prestop&verdict=requests-failed&to=3s"


def test_the_walk_leads_there(server: TestClient) -> None:
    walk = document(server.get("/f/termination/3?set.grace=40s").text)
    (link,) = [row for row in walk.all("a") if row.text == "Over a range…"]
    page = document(server.get(link.attributes["href"]).text)
    assert page.one("input", name="set.grace").attributes["value"] == "40s"
    assert not page.all("table")


def test_every_value_has_its_row_and_its_walk(server: TestClient) -> None:
    page = document(server.get(PAGE).text)
    rows = page.one("tbody").all("tr")
    assert [row.one("th").text.split()[0] for row in rows] == ["0s", "1s", "2s", "3s"]
    assert [row.attributes["class"] for row in rows] == ["bad", "bad", "good", "good"]
    assert [row.one("b").text for row in rows][:2] == ["3.467 requests", "0.02 requests"]
    for row in rows:
        assert server.get(row.one("a").attributes["href"]).status_code in (200, 303)


def test_the_chart_has_both_shapes_and_a_twin(server: TestClient) -> None:
    page = document(server.get(PAGE).text)
    assert len(page.all("svg")) >= 2
    assert "0s: 3.467 requests" in page.one("details", class_="twin").text


def test_what_takes_long_comes_bit_by_bit(server: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "PATIENCE", -1.0)
    page = document(server.get(PAGE).text)
    bar = page.one("progress")
    assert (bar.attributes["value"], bar.attributes["max"]) == ("1", "4")
    monkeypatch.undo()
    rest = server.get(page.one("a", class_="button small").attributes["href"], headers={"HX-Request-Type": "partial"})
    part = document(rest.text)
    assert not part.all("progress")
    assert not part.all("h1")
    assert len(part.one("tbody").all("tr")) == 4


def test_a_fault_keeps_what_was_typed(server: TestClient) -> None:
    answer = server.get("/f/termination/sweep?over=prestop&verdict=requests-failed&from=soon")
    page = document(answer.text)
    assert answer.status_code == 422
    assert "from: found" in page.one("div", class_="problems").text
    assert page.one("input", name="from").attributes["value"] == "soon"
