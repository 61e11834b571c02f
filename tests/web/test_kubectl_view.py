"""What the player shows of kubectl: lists, events, logs, and a description of the pod that is asked for."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from app.story.play import play, request
from app.story.terminal import kubectl, pods_after
from tests.web.documents import Element, document

DIAGNOSE = play(request("diagnose"))
LAST = len(DIAGNOSE.steps)
CRASHING = DIAGNOSE.target.name
OTHER = next(pod.metadata.name for pod in pods_after(DIAGNOSE, LAST) if pod.metadata.name != CRASHING)


def panel(server: TestClient, address: str, status: int = 200) -> Element:
    answer = server.get(address)
    assert answer.status_code == status, answer.text[:300]
    return document(answer.text).one("section", aria_labelledby="kubectl-title")


def commands(found: Element) -> list[str]:
    """Every command line that the view offers, whether it is open or not."""
    rows = [row for row in found if row.tag in ("summary", "p")]
    return [row.text.removeprefix("$ kubectl ").split(" ●")[0].removesuffix(" …") for row in rows]


def printed(found: Element, words: str) -> str:
    (row,) = [row for row in found.all("details") if row.one("summary").text.startswith(f"$ kubectl {words}")]
    return "".join(row.one("pre")._texts())


def test_a_crashing_pod_can_be_read_about_in_every_way(server: TestClient) -> None:
    found = panel(server, f"/f/diagnose/{LAST}")
    wanted = ("get pods -o wide", "get nodes", "get events")
    assert [words for words in wanted if words not in commands(found)] == []
    assert f"describe pod {CRASHING}" in commands(found)
    assert f"logs {CRASHING}" in commands(found)
    assert "FATAL config: DATABASE_URL is not set" in printed(found, f"logs {CRASHING} --previous")
    assert "Back-off restarting failed container gateway" in printed(found, "get events")


@pytest.mark.parametrize("name", [CRASHING, OTHER])
def test_every_pod_of_the_list_leads_to_its_description(server: TestClient, name: str) -> None:
    names = panel(server, f"/f/diagnose/{LAST}").one("a", title="describe", href=there(name))
    assert names.text == name
    text = printed(panel(server, there(name)), f"describe pod {name}")
    assert f"Name:             {name}\n" in text
    assert f"Restart Count:  {3 if name == CRASHING else 0}\n" in text
    assert ("Exit Code:    1" in text) == (name == CRASHING)


def there(name: str) -> str:
    return f"/f/diagnose/{LAST}?pod={name}#described"


def test_a_description_is_open_and_stays_with_the_reader(server: TestClient) -> None:
    answer = server.get(f"/f/diagnose/{LAST - 1}?pod={OTHER}")
    found = document(answer.text)
    assert "open" in found.one("details", id="described").attributes
    assert found.one("a", id="next").attributes["href"] == f"/f/diagnose/{LAST}?pod={OTHER}"


def test_it_is_what_the_other_forms_hold(server: TestClient) -> None:
    told = kubectl(DIAGNOSE, LAST, DIAGNOSE.target)
    words = f"describe pod {CRASHING}"
    address = f"/f/diagnose/{LAST}"
    shown = printed(panel(server, f"{address}?pod={CRASHING}"), words)
    assert shown.rstrip() == told[words].rstrip()
    assert server.get(f"{address}.json?pod={CRASHING}").json()["kubectl"] == told
    text = server.get(f"{address}.txt?pod={CRASHING}").text
    assert f"$ kubectl {words}\n{told[words]}\n\n$ kubectl logs {CRASHING}\n" in text


def test_a_pod_that_has_gone_is_not_found_as_kubectl_says_it(server: TestClient) -> None:
    played = play(request("termination"))
    name = played.target.name
    text = printed(panel(server, f"/f/termination/{len(played.steps)}?pod={name}"), f"describe pod {name}")
    assert text.strip() == f'Error from server (NotFound): pods "{name}" not found'


def marked(server: TestClient, n: int) -> list[str]:
    """The lines of the description that the step before did not have."""
    found = panel(server, f"/f/diagnose/{n}?pod={CRASHING}").one("details", id="described")
    return [row.text for row in found.one("pre").all("b", class_="new")]


def test_only_what_the_step_changed_is_marked(server: TestClient) -> None:
    steps = [row.n for row in DIAGNOSE.steps if row.step.moment == "containers-changed"]
    assert "State: Terminated" in marked(server, steps[1])
    # One second later the ages of Events are others, and nothing else.
    serving = [row.n for row in DIAGNOSE.steps if row.step.moment == "app-serving"][-1]
    before, after = (kubectl(DIAGNOSE, n)[f"describe pod {CRASHING}"] for n in (serving - 1, serving))
    assert (before != after, marked(server, serving)) == (True, [])


def test_what_is_no_name_is_refused(server: TestClient) -> None:
    assert server.get("/f/termination/3?pod=<b>").status_code == 422
