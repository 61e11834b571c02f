"""The player: page and fragment, what a step says, and that every link leads somewhere."""

import gzip
import re
from html import escape
from itertools import pairwise

import pytest
from starlette.testclient import TestClient

from app.story.play import Seen, play, request
from app.web.moment import how_long
from tests.web.documents import Element, document

PART = {"HX-Request": "true", "HX-Request-Type": "partial"}
SUFFIXES = (".svg", ".png", ".mmd", ".md", ".txt", ".json")
PLAYED = play(request("termination"))
LAST = len(PLAYED.steps)
SOME = sorted({0, 1, 2, LAST // 3, LAST // 2, LAST - 1, LAST})


def page(server: TestClient, address: str, status: int = 200) -> Element:
    answer = server.get(address)
    assert answer.status_code == status, answer.text[:500]
    return document(answer.text)


@pytest.mark.parametrize("n", SOME)
def test_page_and_fragment_hold_the_same_step(server: TestClient, n: int) -> None:
    whole = server.get(f"/f/termination/{n}")
    part = server.get(f"/f/termination/{n}", headers=PART)
    in_page, in_part = document(whole.text).one("div", id="step"), document(part.text).one("div", id="step")
    # A page has every picture in two shapes, a part in the one that its window asks for.
    assert [found for found in in_part if found.has({"class": "narrow-shape"})] == []
    in_page.drop(class_="narrow-shape")
    assert in_page == in_part
    assert "<!doctype" in whole.text
    assert "<!doctype" not in part.text
    assert "HX-Request-Type" in whole.headers["vary"]
    assert "HX-Request-Type" in part.headers["vary"]


def listing(server: TestClient, address: str) -> dict[str, str]:
    """What htmx sends from a page: the digest of its step list, too."""
    found = page(server, address).one("ol", id="list")
    return {**PART, "Loopscope-Listing": found.attributes["data-listing"]}


def test_a_part_leaves_out_the_list_that_its_page_has(server: TestClient) -> None:
    headers = listing(server, "/f/termination/4")
    part = document(server.get("/f/termination/5", headers=headers).text)
    for tag, name in (("ol", "list"), ("svg", "marks"), ("details", "usages")):
        kept = part.one(tag, id=name)
        assert ("hx-preserve" in kept.attributes, kept.text) == (True, "")
    assert part.one(role="slider").attributes["aria-valuenow"] == "5"
    for other in ("/f/termination/5?set.grace=5s", "/f/termination/5?depth=senior"):
        assert len(document(server.get(other, headers=headers).text).one("ol", id="list").all("a")) > 10
    # A whole page has nothing to keep one from.
    whole = server.get("/f/termination/5", headers={"Loopscope-Listing": headers["Loopscope-Listing"]})
    assert len(document(whole.text).one("ol", id="list").all("a")) == LAST


@pytest.mark.parametrize("address", ["/f/termination", "/f/pod-startup", "/f/rollout", "/f/eviction-oom"])
def test_a_swap_is_light(server: TestClient, address: str) -> None:
    """At most 15 KB compressed; also in walks of a hundred steps, whose list is most of their page."""
    scene = {"/f/pod-startup": "?scene=three-replicas", "/f/rollout": "?scene=room-made"}
    query = scene.get(address, "?scene=flapping" if address == "/f/eviction-oom" else "")
    headers = listing(server, f"{address}/1{query}")
    last = int(page(server, f"{address}/1{query}").one(role="slider").attributes["aria-valuemax"])
    for n in (last // 2, last * 3 // 4, last):
        part = server.get(f"{address}/{n}{query}", headers=headers)
        assert len(gzip.compress(part.content, 6)) <= 15 * 1024


def test_htmx_restoring_history_gets_the_page(server: TestClient) -> None:
    for headers in ({"HX-Request": "true", "HX-Request-Type": "full"}, {"HX-History-Restore-Request": "true"}):
        assert "<!doctype" in server.get("/f/termination/3", headers=headers).text


@pytest.mark.parametrize("n", SOME)
def test_a_step_is_marked_as_the_current_one(server: TestClient, n: int) -> None:
    found = page(server, f"/f/termination/{n}")
    current = found.all("a", aria_current="step")
    assert [row.attributes["href"] for row in current] == ([f"/f/termination/{n}"] if n else [])
    slider = found.one(role="slider").attributes
    assert (slider["aria-valuenow"], slider["aria-valuemax"]) == (str(n), str(LAST))
    assert slider["aria-valuetext"].startswith(f"step {n} of {LAST}, t=")
    assert len(found.one("svg", id="marks").all("a")) == LAST


def test_the_first_address_is_the_start(server: TestClient) -> None:
    found = page(server, "/f/termination")
    assert found.one("span", class_="clock").text == "T+0.000 s"
    assert "href" not in found.one("a", id="back").attributes
    assert found.one("a", id="next").attributes["href"] == "/f/termination/1"


def test_the_last_step_says_why_the_walk_ends(server: TestClient) -> None:
    found = page(server, f"/f/termination/{LAST}")
    assert "href" not in found.one("a", id="next").attributes
    assert "what this flow is about has happened" in found.one("p", role="status").text


def test_a_step_may_be_named_by_its_id(server: TestClient) -> None:
    record = PLAYED.steps[4]
    by_number, by_id = page(server, "/f/termination/5"), page(server, f"/f/termination/{record.id}")
    assert by_number.one("ol", tabindex="-1").text == by_id.one("ol", tabindex="-1").text
    shared = by_number.all("input", data_copy="")[0].attributes["value"]
    assert shared == f"http://loopscope.test/f/termination/{record.id}"


@pytest.mark.parametrize("depth", ["junior", "middle", "senior", "principal"])
def test_every_depth_has_words_of_its_own(server: TestClient, depth: str) -> None:
    row = next(row for row in PLAYED.steps if row.step.moment == "sigterm-sent")
    found = page(server, f"/f/termination/{row.n}?depth={depth}")
    notes = next(moment for moment in PLAYED.flow.moments if moment.id == "sigterm-sent").notes
    start = getattr(notes, depth).split("{")[0].split("\n")[0].strip()[:30]
    assert start in found.one("section", aria_labelledby="say-title").text
    assert found.one("a", aria_current="true", href=f"/f/termination/{row.n}?depth={depth}").text == depth


def test_a_flow_is_told_in_the_words_that_are_asked_for(server: TestClient) -> None:
    own, other = page(server, "/f/api-outage/10"), page(server, "/f/api-outage/10?words=neutral&depth=senior")
    said = other.one("section", aria_labelledby="say-title")
    assert "node agent" in said.text
    assert "node agent" not in own.one("section", aria_labelledby="say-title").text
    assert other.one("a", id="next").attributes["href"] == "/f/api-outage/11?depth=senior&words=neutral"
    assert own.one("nav", aria_label="Told in").text.split() == ["Kubernetes’", "words", "Platform-neutral", "words"]
    assert not page(server, "/f/termination/3").all("nav", aria_label="Told in")


def test_words_that_a_flow_does_not_have_are_a_bad_request(server: TestClient) -> None:
    answer = server.get("/f/api-outage/10?words=plain")
    assert answer.status_code == 422
    assert "allowed: neutral" in answer.text


def test_links_keep_what_the_address_says(server: TestClient) -> None:
    found = page(server, "/f/termination/3?set.grace=40s&do=50s%20delete%20pod/web-2&depth=senior")
    carried = "set.grace=40s&do=50s%20delete%20pod/web-2&depth=senior"
    assert found.one("a", id="next").attributes["href"] == f"/f/termination/4?{carried}"


def test_a_setting_that_holds_anyway_leaves_the_address(server: TestClient) -> None:
    answer = server.get("/f/termination/3?set.grace=30s&set.prestop=5000ms&do=")
    assert (answer.status_code, answer.headers["location"]) == (303, "/f/termination/3?set.prestop=5s")


def test_a_changed_number_changes_the_outcome(server: TestClient) -> None:
    def answer(address: str) -> str:
        return next(row for row in page(server, address).all("tr") if "Failed requests" in row.text).text

    assert "✗" in answer("/f/termination/1")
    assert "✓" in answer("/f/termination/1?set.prestop=15s")


def test_failing_requests_are_said_beside_the_step(server: TestClient) -> None:
    failing = next(row.n for row in PLAYED.steps if row.step.world.ledger.failing)
    before = page(server, f"/f/termination/{failing - 1}").one("section", aria_labelledby="say-title").text
    during = page(server, f"/f/termination/{failing + 1}").one("section", aria_labelledby="say-title").text
    assert "Requests are failing" not in before
    assert "Requests are failing" in during


@pytest.mark.parametrize("symptom", [row for row in PLAYED.symptoms if row.scene], ids=lambda row: row.id)
def test_a_symptom_can_be_injected(server: TestClient, symptom: Seen) -> None:
    found = page(server, "/f/termination/1")
    row = next(row for row in found.all("li") if symptom.title in row.text and row.all("details"))
    link = row.all("a", class_="button")[0].attributes["href"]
    if symptom.present:
        assert link == f"/f/termination/{symptom.step}"
        return
    inside = page(server, link)
    shown = next(row for row in inside.all("li") if symptom.title in row.text and row.all("details"))
    assert "absent" not in shown.attributes["class"].split()


def test_every_link_of_every_step_leads_somewhere(server: TestClient) -> None:
    """Links between steps are alike on all pages, so each is followed once; of pictures and picks some."""
    found: set[str] = set()
    for n in range(LAST + 1):
        links = page(server, f"/f/termination/{n}").all("a")
        found |= {link.attributes["href"] for link in links if "href" in link.attributes}
    assert all(link.startswith(("/", "#")) for link in found)
    picks = sorted(link for link in found if "pick=" in link)
    forms = sorted(link for link in found if "pick=" not in link and link.partition("?")[0].endswith(SUFFIXES))
    # Searching every order takes seconds and has a test of its own.
    plain = sorted(link for link in found - {*picks, *forms} if link.startswith("/") and "/orders" not in link)
    followed = [*plain, *forms[::13], *picks[::7]]
    assert [(link, status) for link in followed if (status := server.get(link).status_code) != 200] == []


def test_links_from_another_walk_lead_somewhere(server: TestClient) -> None:
    address = "/f/termination/9?set.grace=10s&do=20s%20delete%20pod/web-2&depth=senior&theme=dark"
    links = {link.attributes.get("href", "#") for link in page(server, address).all("a")}
    followed = sorted(link for link in links if link.startswith("/") and "/orders" not in link)
    wrong = [(link, status) for link in followed if (status := server.get(link).status_code) not in (200, 303)]
    assert wrong == []


def test_a_form_gets_the_address_to_keep(server: TestClient) -> None:
    answer = server.get("/f/termination?at=9999&set.grace=30s&set.prestop=5s&do=6s%20")
    location = answer.headers["location"]
    assert answer.status_code == 303
    assert re.fullmatch(r"/f/termination/\d+\?set\.prestop=5s", location)
    last = page(server, location)
    assert "href" not in last.one("a", id="next").attributes


def test_what_the_default_order_does_is_marked(server: TestClient) -> None:
    """Picking what would happen anyway gives the same steps."""
    for n in range(1, LAST, 5):
        marked = [row for row in page(server, f"/f/termination/{n}").all("li") if row.all("span", class_="tag")]
        for row in marked:
            link = row.one("a").attributes["href"]
            assert page(server, link).one("ol", tabindex="-1").all("span", class_="t") == page(
                server, f"/f/termination/{n}"
            ).one("ol", tabindex="-1").all("span", class_="t")


def test_ids_are_given_once(server: TestClient) -> None:
    ids = [
        element.attributes["id"]
        for element in page(server, f"/f/termination/{LAST // 2}")
        if "id" in element.attributes
    ]
    assert sorted({name for name in ids if ids.count(name) > 1}) == []


def test_what_others_wrote_is_escaped(server: TestClient) -> None:
    nasty = '<script>alert("1")</script>'
    answer = server.get("/f/termination/1", params={"set.grace": nasty, "do": nasty})
    assert answer.status_code == 422
    assert nasty not in answer.text
    assert escape(nasty, quote=False).replace('"', "&#34;") in answer.text


@pytest.mark.parametrize("suffix", ["svg", "png", "mmd", "md", "txt", "json"])
def test_a_moment_has_other_forms(server: TestClient, suffix: str) -> None:
    types = {
        "svg": "image/svg+xml",
        "png": "image/png",
        "mmd": "text/plain; charset=utf-8",
        "md": "text/markdown; charset=utf-8",
        "txt": "text/plain; charset=utf-8",
        "json": "application/json",
    }
    answer = server.get(f"/f/termination/7.{suffix}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, types[suffix])
    by_id = server.get(f"/f/termination/{PLAYED.steps[6].id}.{suffix}")
    assert by_id.content == answer.content


@pytest.mark.parametrize("view", ["cluster", "messages", "timeline"])
def test_a_picture_shows_the_view_that_is_asked_for(server: TestClient, view: str) -> None:
    assert server.get(f"/f/termination/7.svg?view={view}").text.startswith("<svg")
    assert server.get(f"/f/termination/7.png?view={view}").content.startswith(b"\x89PNG")


def test_the_json_of_a_moment(server: TestClient) -> None:
    told = server.get("/f/termination/7.json").json()
    assert (told["flow"], told["n"], told["of"]) == ("termination", 7, LAST)
    assert told["step"]["id"] == PLAYED.steps[6].id
    assert set(told["kubectl"]) >= {"get pods -o wide", "get nodes", "get events"}


def test_numbers_in_the_page_need_no_arithmetic_in_the_browser(server: TestClient) -> None:
    ticks = page(server, "/f/termination/5").one("svg", id="marks").all("rect", class_="mark")
    edges = [(float(t.attributes["x"][:-1]), float(t.attributes["width"][:-1])) for t in ticks]
    assert all(re.fullmatch(r"\d+\.\d\d%", t.attributes["x"]) for t in ticks)
    assert all(x + width <= after + 0.02 for (x, width), (after, _) in pairwise(edges))
    assert abs(sum(edges[-1]) - 100) < 0.1


def test_the_list_names_every_actor_once(server: TestClient) -> None:
    """Who acts is the beginning of the sentence, where the sentence says it."""
    rows = [row.one("span", class_="t").text for row in page(server, "/f/termination/3").one("ol").all("li")]
    assert rows[0].startswith("kubectl asks for the deletion")
    assert rows[5].startswith("kubelet on node-1 asks the runtime")
    assert "The process of web-8ml77 has ended" in rows
    assert any(row.startswith("runtime node-1 SIGTERM") for row in rows)
    assert not [row for row in rows if re.match(r"([\w ]+?)(?: node-\d)? (?:the )?\1\b", row, re.IGNORECASE)]


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [(12, "12 ms"), (1_012, "1.012 s"), (12_000, "12 s"), (59_999, "59.999 s"), (280_062, "4m40s"), (3_600_000, "1h")],
)
def test_waits_are_told_as_one_says_them(milliseconds: int, words: str) -> None:
    assert how_long(milliseconds) == words


def test_a_flow_without_symptoms_has_no_empty_list_of_them(server: TestClient) -> None:
    assert "What can fail here" not in page(server, "/f/sandbox").text
    assert "What can fail here" in page(server, "/f/termination").text
