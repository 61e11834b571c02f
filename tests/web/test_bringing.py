"""A reader's own manifests on the page: pasted, as files, what is asked and what is assumed."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tests.catalog.test_subjects import API, DB, node
from tests.web.documents import document

Files = list[tuple[str, tuple[str, bytes, str]]]


def files(**texts: str | bytes) -> Files:
    rows = [(name.replace("_", "."), text.encode() if isinstance(text, str) else text) for name, text in texts.items()]
    return [("files", (name, body, "application/yaml")) for name, body in rows]


def bring(client: TestClient, given: Files, flow: str = "termination", text: str = "") -> str:
    answer = client.post("/manifests", data={"flow": flow, "text": text}, files=given, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def test_flows_are_offered_as_the_gallery_has_them(browser: TestClient) -> None:
    """From one pod to the cluster."""
    offered = [row.attributes["value"] for row in document(browser.get("/manifests").text).one("select").all("option")]
    assert offered[:3] == ["pod-startup", "termination", "probes"]
    assert offered[-2:] == ["api-outage", "sandbox"]


def test_a_file_is_read_as_if_it_were_pasted(browser: TestClient) -> None:
    place = bring(browser, files(api_yaml=API.replace("\n", "\r\n")))
    assert place.startswith("/f/termination?m=")
    pasted = browser.post("/manifests", data={"flow": "termination", "text": API}, follow_redirects=False)
    assert pasted.headers["location"] == place


def test_several_files_and_what_is_pasted_are_one_set(browser: TestClient) -> None:
    place = bring(browser, files(a_yaml=node("a"), b_yaml=node("b")), "cordon", API)
    page = document(browser.get(place).text)
    assert page.one("p", class_="verdict").text == "Read: 1 Deployment, 2 Node."
    kept = page.one("textarea").text
    assert "# a.yaml" in kept
    assert "# b.yaml" in kept


def test_what_cannot_be_told_is_asked_with_the_guess_chosen(browser: TestClient) -> None:
    place = bring(browser, files(all_yaml=f"{DB}---\n{API}"))
    page = document(browser.get(place).text)
    radios = [row for row in page.all("input") if row.attributes.get("type") == "radio"]
    assert [row.attributes["value"] for row in radios] == ["pod/db-0", "pod/db-1", "pod/db-2", "pod/api-1"]
    assert [row.attributes["value"] for row in radios if "checked" in row.attributes] == ["pod/db-0"]
    assert {row.attributes["name"] for row in radios} == {"set.about"}
    assert "No Node is in your manifests" in page.one("main").text
    hidden = {row.attributes["name"]: row.attributes["value"] for row in page.all("input", type="hidden")}
    walk = browser.get("/f/termination", params={**hidden, "set.about": "pod/db-2"})
    assert "db-2" in walk.text
    assert "Assumed, beyond your manifests" in walk.text


def test_what_is_plain_leads_to_the_walk_at_once(browser: TestClient) -> None:
    assert bring(browser, files(api_yaml=API), "rollout").startswith("/f/rollout?m=")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (files(a_yaml=API, bad_yaml="kind: [\n"), "bad.yaml: document 1"),
        (files(a_yaml=API, latin_yaml=b"\xe9"), "latin.yaml: is not UTF-8 text"),
        (files(a_yaml=API, again_yaml=API), "again.yaml: document 1 (deployment/api)"),
        ([("files", ("", b"", "application/octet-stream"))], "manifest: is empty; paste some, or choose files"),
    ],
    ids=["broken", "no text", "twice", "nothing"],
)
def test_what_is_wrong_is_told_with_the_name_of_the_file(browser: TestClient, given: Files, words: str) -> None:
    answer = browser.post("/manifests", data={"flow": "termination", "text": ""}, files=given)
    assert answer.status_code == 422
    assert words in document(answer.text).text


def test_files_may_not_be_larger_than_what_is_taken(browser: TestClient) -> None:
    given = files(big_yaml="#" * 5_000_000)
    assert browser.post("/manifests", data={"flow": "termination"}, files=given).status_code == 413


def test_secrets_in_files_lose_their_values(browser: TestClient) -> None:
    text = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {key: hunter2}\n"
    place = bring(browser, files(a_yaml=API, b_yaml=text))
    assert "hunter2" not in browser.get(f"/manifests?{place.partition('?')[2]}").text


def test_files_can_be_inspected(browser: TestClient) -> None:
    answer = browser.post("/inspect", files=files(api_yaml=API), follow_redirects=False)
    assert answer.status_code == 303
    assert "deployment/api" in browser.get(answer.headers["location"]).text


def test_a_flow_that_they_do_not_fit_says_why(browser: TestClient) -> None:
    place = bring(browser, files(db_yaml=DB), "sandbox")
    name = place.partition("m=")[2]
    told = browser.get(f"/manifests?m={name}&flow=rollout").text
    assert "nothing can take the place of deployment/web; allowed: at least one of Deployment" in told
