"""The version of Kubernetes in addresses, forms and sessions, and the page about versions."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from app.kube.releases import BEHAVIOURS
from tests.web.documents import document


def field(text: str, name: str) -> dict[str, str]:
    return document(text).one("input", id=name).attributes


def chosen(text: str) -> str:
    (select,) = [row for row in document(text).all("select") if row.attributes.get("name") == "set.kubernetes"]
    return next(row.text for row in select.all("option") if "selected" in row.attributes)


@pytest.mark.parametrize("query", ["v=1.30", "set.kubernetes=1.30", "v=1.35&set.kubernetes=1.30"])
def test_a_version_stands_in_an_address(server: TestClient, query: str) -> None:
    answer = server.get(f"/f/node-loss/4?{query}")
    assert answer.status_code == 200
    assert chosen(answer.text) == "1.30"
    assert server.get(f"/f/node-loss/4.json?{query}").json()["clock"] == 41.032


def test_the_usual_version_is_not_kept_in_an_address(server: TestClient) -> None:
    answer = server.get("/f/node-loss/4?v=1.36", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/f/node-loss/4")


def test_a_version_out_of_reach_is_told_beside_its_field(server: TestClient) -> None:
    answer = server.get("/f/node-loss?v=1.20")
    assert answer.status_code == 422
    problem = document(answer.text).one("p", class_="problem").text
    assert problem.startswith('found "1.20"; allowed: 1.29')


def test_a_flag_goes_with_the_version_that_is_chosen_in_the_same_form(server: TestClient) -> None:
    """Its field is left empty, so that the form does not carry one version's value to another."""
    usual = field(server.get("/f/node-loss/1").text, "set.grace_period")
    assert (usual["value"], usual["placeholder"]) == ("", "50s")
    sent = server.get("/f/node-loss?at=1&set.grace_period=&set.kubernetes=1.30", follow_redirects=False)
    assert sent.headers["location"] == "/f/node-loss/1?set.kubernetes=1.30"
    older = field(server.get(sent.headers["location"]).text, "set.grace_period")
    assert (older["value"], older["placeholder"]) == ("", "40s")
    kept = server.get("/f/node-loss/1?set.grace_period=50s&set.kubernetes=1.30", follow_redirects=False)
    assert kept.status_code == 200
    assert field(kept.text, "set.grace_period")["value"] == "50s"


def test_a_session_keeps_its_version(server: TestClient) -> None:
    made = server.post("/sessions", data={"flow": "node-loss", "step": "4", "set.kubernetes": "1.30"})
    place = made.headers["location"]
    assert chosen(server.get(place).text) == "1.30"
    assert server.get(f"{place}.json").json()["clock"] == 41.032


def test_the_page_has_every_behaviour(server: TestClient) -> None:
    page = document(server.get("/versions").text)
    rows = page.one("tbody").all("tr")
    assert [row.attributes["id"] for row in rows] == list(BEHAVIOURS)
    assert "1.32" in rows[list(BEHAVIOURS).index("long_node_grace")].text
    assert "/versions" in [row.attributes["href"] for row in document(server.get("/inputs").text).one("main").all("a")]


def test_a_sweep_over_versions(server: TestClient) -> None:
    page = document(server.get("/f/node-loss/sweep?over=kubernetes&verdict=unknown-after").text)
    told = {row.one("th").text.strip(): row.text for row in page.one("tbody").all("tr")}
    assert list(told)[:2] == ["1.29", "1.30"]
    assert "41.032 s" in told["1.31"]
    assert "51.04 s" in told["1.32"]


def test_what_a_release_drops_is_listed(server: TestClient) -> None:
    text = "apiVersion: v1\nkind: Pod\nmetadata: {name: lone, labels: {app: lone}}\nspec:\n"
    text += "  resources: {limits: {memory: 1Gi}}\n  containers: [{name: main, image: lone:1}]\n"
    made = server.post("/manifests", data={"flow": "sandbox", "text": text})
    place = made.headers["location"]
    assert "Dropped by Kubernetes 1.33, from your manifests" in document(server.get(f"{place}&v=1.33").text).text
    assert "Dropped by Kubernetes" not in server.get(place).text


def test_manifests_are_inspected_for_a_version(server: TestClient) -> None:
    text = "apiVersion: v1\nkind: Pod\nmetadata: {name: lone}\nspec:\n"
    text += "  resources: {limits: {memory: 1Gi}}\n  containers: [{name: main, image: lone:1}]\n"
    place = server.post("/inspect", data={"text": text}).headers["location"]
    assert "field-dropped" not in document(server.get(place).text).one("ul", class_="findings").text
    older = document(server.get(f"{place}&v=1.33").text)
    assert "field-dropped" in older.one("ul", class_="findings").text
    (as_json,) = [row.attributes["href"] for row in older.all("a") if row.text == "As JSON"]
    found = server.get(as_json).json()
    assert (found["kubernetes"], "field-dropped" in [row["rule"] for row in found["findings"]]) == ("1.33", True)
    assert server.get(f"{place}&v=1.20").status_code == 422
