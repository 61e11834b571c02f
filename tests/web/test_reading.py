"""The gallery, the search for symptoms, manifests, and what programs ask."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from starlette.testclient import TestClient

from app.catalog.flow import Symptom
from app.catalog.reading import flows
from app.story import report
from app.story.play import play, request
from app.web.finding import find
from tests.web.documents import document

FLOW = flows()["termination"]


def test_the_gallery_shows_every_flow_with_its_computed_walk(server: TestClient) -> None:
    page = document(server.get("/").text)
    cards = page.all("a", class_="card")
    assert len(cards) == len(flows())
    played = play(request("termination"))
    card = next(card for card in cards if FLOW.title in card.text)
    assert f"{len(played.steps)} steps" in card.text
    assert f"{len(FLOW.symptoms)} symptoms" in card.text
    assert card.all("svg")
    assert server.get(card.attributes["href"]).status_code == 200
    assert server.get(page.one("a", class_="example").attributes["href"]).status_code == 200


def test_the_gallery_goes_from_one_pod_to_the_cluster(server: TestClient) -> None:
    found = [card.attributes["href"] for card in document(server.get("/").text).all("a", class_="card")]
    assert found[:2] == ["/f/pod-startup", "/f/termination"]
    assert found.index("/f/cordon") < found.index("/f/drain") < found.index("/f/node-loss")
    assert found[-1] == "/f/sandbox"
    assert len({flow.place for flow in flows().values()}) == len(flows())


def test_the_gallery_opens_with_the_headline(server: TestClient) -> None:
    assert [flow.id for flow in flows().values() if flow.headline] == ["termination"]
    opening = document(server.get("/").text).one("a", class_="example")
    assert opening.attributes["href"].startswith("/f/termination/")
    assert "3.467 requests met nothing that serves" in opening.text


@pytest.mark.parametrize(
    ("typed", "symptom"),
    [
        ("502 during rollout", "502-on-rollout"),
        ("we get 502s on every deploy", "502-on-rollout"),
        ("connection refused", "502-on-rollout"),
        ("pod stuck Terminating finalizer", "terminating-forever"),
        ("exit code 137", "terminating-for-minutes"),
        ("force delete but process still running", "force-delete-leaves-process"),
    ],
)
def test_a_symptom_is_found_by_what_people_type(typed: str, symptom: str) -> None:
    wanted = next(row for row in FLOW.symptoms if row.id == symptom)
    assert find([FLOW], typed)[0].title == wanted.title


@pytest.mark.parametrize("name", sorted(flows()))
def test_every_symptom_is_found_by_each_of_its_words_among_those_of_all_flows(name: str) -> None:
    for symptom in flows()[name].symptoms:
        for words in symptom.words:
            assert symptom.title in [row.title for row in find(flows().values(), words)], words


def test_the_search_page(server: TestClient) -> None:
    page = document(server.get("/", params={"q": "502 during rollout"}).text)
    assert page.one("input", name="q").attributes["value"] == "502 during rollout"
    first = page.one("ul", class_="findings").all("a")[0]
    assert server.get(first.attributes["href"], follow_redirects=True).status_code == 200
    nothing = document(server.get("/", params={"q": "zzzz <b>"}).text)
    assert "Nothing here is known by these words" in nothing.text
    assert "zzzz <b>" in nothing.text


PASTED = yaml.safe_load((Path(__file__).parents[1] / "data" / "pasted_messages.yaml").read_text())


@pytest.mark.parametrize("row", PASTED, ids=[row["leads"] for row in PASTED])
def test_a_pasted_message_leads_to_its_lesson(row: dict[str, str]) -> None:
    flow, symptom = row["leads"].split()
    first = find(flows().values(), row["message"])[0]
    assert (first.flow_title, first.title) == (
        flows()[flow].title,
        next(row.title for row in flows()[flow].symptoms if row.id == symptom),
    )
    assert first.fits


@pytest.mark.parametrize(
    "asked", ["exceeded quota: compute-resources", 'failed calling webhook "validate.example.com"']
)
def test_what_no_lesson_tells_of_is_not_said_to_fit(server: TestClient, asked: str) -> None:
    assert not find(flows().values(), asked)[0].fits
    assert f"Nothing here is known by “{asked}”" in document(server.get("/symptoms", params={"q": asked}).text).text


def test_what_people_type_just_so_goes_before_what_only_has_the_word() -> None:
    assert find(flows().values(), "evicted")[0].title == "Evicted pods that stay listed, as Error or Evicted"


@pytest.mark.parametrize("symptom", FLOW.symptoms, ids=[row.id for row in FLOW.symptoms])
def test_a_found_symptom_opens_its_scene_where_it_shows(server: TestClient, symptom: Symptom) -> None:
    found = next(row for row in find([FLOW], symptom.words[0]) if row.title == symptom.title)
    shown = next(row for row in play(request(FLOW.id, scene=symptom.scene)).symptoms if row.id == symptom.id)
    opened = server.get(found.href, follow_redirects=True)
    assert opened.history[0].status_code == 303
    assert opened.url.path == f"/f/{FLOW.id}/{shown.step}"
    assert symptom.title in document(opened.text).text


def test_a_symptom_that_a_walk_does_not_show_opens_its_start(server: TestClient) -> None:
    answer = server.get("/f/termination?at=nothing-of-the-kind")
    assert (answer.status_code, answer.headers["location"]) == (303, "/f/termination/0")


def test_all_symptoms_can_be_read(server: TestClient) -> None:
    page = document(server.get("/symptoms").text)
    assert len(page.one("ul", class_="findings").all("li")) == sum(len(flow.symptoms) for flow in flows().values())


def test_the_glossary(server: TestClient) -> None:
    assert "belief" in document(server.get("/glossary").text).one("dl", class_="glossary").text


def test_what_can_be_said(server: TestClient) -> None:
    page = document(server.get("/inputs").text)
    assert len(page.all("table")) == 6 + len(flows())
    assert all(setting.name in page.text for flow in flows().values() for setting in flow.settings)
    assert "requests-failed" in page.one("p", class_="names").text
    assert "sim.loopscope.dev/on-sigterm" in page.text
    assert "drain node/NAME..." in page.text
    assert document(server.get("/manifests").text).one("main").all("a")[0].attributes["href"] == "/inputs"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "address",
    ["/", "/f/termination/3", "/symptoms", "/glossary", "/inputs", "/manifests", "/inspect", "/sessions", "/docs"],
)
def test_a_theme_can_be_asked_for(server: TestClient, address: str, theme: str) -> None:
    page = document(server.get(f"{address}?theme={theme}").text)
    assert page.one("html").attributes["data-theme"] == theme
    assert all(
        server.get(link.attributes["href"]).status_code == 200 for link in page.one("span", class_="themes").all("a")
    )


MANIFEST = """apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      terminationGracePeriodSeconds: 45
      topologySpreadConstraints: []
      containers:
      - name: shop
        image: registry.example/shop:1
        ports: [{containerPort: 8080}]
---
apiVersion: v1
kind: Service
metadata: {name: shop}
spec:
  selector: {app: shop}
  ports: [{port: 80, targetPort: 8080}]
"""


def test_own_manifests_get_an_address(browser: TestClient) -> None:
    answer = browser.post("/manifests", data={"flow": "termination", "text": MANIFEST.replace("\n", "\r\n")})
    assert answer.status_code == 303, document(answer.text).text[:2000]
    page = document(browser.get(answer.headers["location"]).text)
    assert page.one("input", id="set.grace").attributes["value"] == "45s"
    assert (
        "shop" in document(browser.get(page.one("a", id="next").attributes["href"]).text).one("ol", tabindex="-1").text
    )
    again = browser.post("/manifests", data={"flow": "termination", "text": MANIFEST})
    assert again.headers["location"] == answer.headers["location"]
    name = answer.headers["location"].partition("m=")[2]
    assert document(browser.get(f"/manifests?m={name}").text).one("textarea").text == " ".join(MANIFEST.split())


def test_kept_manifests_can_be_applied_in_a_walk(browser: TestClient) -> None:
    """`apply m:HASH` in an address names a text that was kept before; an unknown one is said to be unknown."""
    answer = browser.post("/manifests", data={"flow": "termination", "text": MANIFEST})
    name = answer.headers["location"].partition("m=")[2]
    steps = browser.get(f"/api/v1/flows/termination/run?do=500ms%20apply%20m:{name}").json()["steps"]
    assert ("create", "deployment/shop", 0.5) in [(row["verb"], row["object"], row["at"]) for row in steps]
    assert browser.get("/f/termination/3?do=5s%20apply%20m:0123456789abcdef").status_code == 404


def test_own_manifests_can_become_a_session(browser: TestClient) -> None:
    name = (
        browser.post("/manifests", data={"flow": "termination", "text": MANIFEST})
        .headers["location"]
        .partition("m=")[2]
    )
    answer = browser.post("/sessions", data={"flow": "termination", "m": name, "step": "3"})
    assert "shop" in document(browser.get(answer.headers["location"]).text).one("ol", tabindex="-1").text


def test_health(server: TestClient) -> None:
    assert server.get("/healthz").json()["status"] == "ok"


def test_the_api_gives_what_the_command_line_gives(server: TestClient) -> None:
    told = server.get("/api/v1/flows/termination/run?set.prestop=5s").text
    assert told == report.as_json(report.report(play(request("termination", settings=(("prestop", "5s"),)))))
    assert [row["id"] for row in server.get("/api/v1/flows").json()] == list(flows())


def test_the_addresses_for_programs_are_listed_without_foreign_scripts(server: TestClient) -> None:
    page = document(server.get("/docs").text)
    assert "/api/v1/flows/{flow}/run" in page.text
    schema = json.loads(server.get("/api/v1/openapi.json").text)
    assert set(schema["paths"]) >= {"/healthz", "/api/v1/flows", "/api/v1/flows/{flow}/run", "/f/{flow}/{step}"}


PRINTS = """
from starlette.testclient import TestClient
from app.store.database import Store
from app.web.application import create_app
import hashlib, sys
client = TestClient(create_app(Store(sys.argv[1])), base_url="http://loopscope.test")
for address in (
    "/", "/f/termination/9?set.prestop=2s", "/f/termination/9.svg?view=cluster", "/api/v1/flows/termination/run"
):
    print(hashlib.sha256(client.get(address).content).hexdigest())
"""


def test_another_process_with_another_hash_seed_gives_the_same_bytes(tmp_path: object) -> None:
    def printed(seed: str) -> str:
        url = f"sqlite:///{tmp_path}/seed-{seed}.db"
        done = subprocess.run(
            (sys.executable, "-c", PRINTS, url),
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
        )
        return done.stdout

    assert printed("1") == printed("2")
