"""Two walks of one flow as a page."""

from __future__ import annotations

from starlette.testclient import TestClient

from tests.web.documents import document


def test_a_changed_walk_leads_to_the_usual_one_beside_it(server: TestClient) -> None:
    (link,) = [
        row
        for row in document(server.get("/f/termination/3?set.prestop=15s").text).all("a")
        if "Beside the usual" in row.text
    ]
    page = document(server.get(link.attributes["href"]).text)
    assert page.one("input", name="a").attributes["value"] == ""
    assert page.one("input", name="b").attributes["value"] == "set.prestop=15s"
    assert not [row for row in document(server.get("/f/termination/3").text).all("a") if "Beside the usual" in row.text]


def test_verdicts_and_steps_of_both(server: TestClient) -> None:
    page = document(server.get("/f/termination/compare?a=&b=set.prestop%3D15s").text)
    verdicts, steps = page.all("tbody")
    failed = verdicts.all("tr")[0]
    assert failed.attributes["class"] == "differs"
    assert [cell.text.strip() for cell in failed.all("td")] == ["✗bad: 3.467 requests", "✓good: 0 requests"]
    (parts,) = [row for row in steps.all("tr") if row.attributes.get("id") == "parts"]
    assert "here they part" in parts.text
    for row in steps.all("tr")[:3]:
        for link in row.all("a"):
            assert server.get(link.attributes["href"]).status_code == 200
    ids = [found.attributes["id"] for found in page.all("svg")]
    assert len(set(ids)) == len(ids) == 2


def test_the_same_walk_twice_is_told(server: TestClient) -> None:
    page = document(server.get("/f/termination/compare").text)
    assert "The two walks are the same, step by step." in page.text


def test_a_fault_says_in_which(server: TestClient) -> None:
    answer = server.get("/f/termination/compare?a=set.prestop%3Dsoon&b=scene%3Dnone")
    assert answer.status_code == 422
    told = document(answer.text).one("div", class_="problems").text
    assert "first walk: setting prestop" in told
    assert 'second walk: scene "none"' in told


def test_another_kubernetes_is_one_click_away_and_what_differs_is_marked(server: TestClient) -> None:
    page = document(server.get("/f/pod-startup/3").text)
    links = {row.text: row.attributes["href"] for row in page.one("p", class_="row versions").all("a")}
    assert list(links) == ["1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.37", "What differs…"]
    page = document(server.get(links["1.34"]).text)
    assert page.one("input", name="b").attributes["value"] == "set.kubernetes=1.34"
    assert "Kubernetes 1.36 and 1.34 differ in" in page.one("details").text
    (parts,) = [row for row in page.all("tr") if row.attributes.get("id") == "parts"]
    assert "only in the first" in parts.text or "later in the second" in parts.text
    reworded = [row.text for row in page.all("tr") if "reworded" in row.attributes.get("class", "")]
    assert any("Container created" in text and "Created container: migrate" in text for text in reworded)


def test_two_walks_on_one_kubernetes_say_nothing_of_versions(server: TestClient) -> None:
    page = document(server.get("/f/termination/compare?a=&b=set.prestop%3D15s").text)
    assert not page.all("details")
