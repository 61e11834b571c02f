"""What is taken away through the web: the page that lists the forms, the files, and what they keep to themselves."""

from __future__ import annotations

import io
import zipfile

import pytest
from starlette.testclient import TestClient

from app.export.asked import FORMS
from tests.web.documents import document

WALK = "/f/termination/export?set.prestop=5s"


def test_the_page_lists_every_form_and_each_link_answers(server: TestClient) -> None:
    page = document(server.get(f"{WALK}&step=7").text)
    links = [link.attributes["href"] for link in page.all("a") if "form=" in link.attributes["href"]]
    assert {link.partition("form=")[2].partition("&")[0] for link in links} == set(FORMS)
    forms = page.all(class_="forms")[0].all("a")
    assert len(forms) == 10
    for link in [*links, *(found.attributes["href"] for found in forms)]:
        if "sheet-png" not in link:
            assert server.get(link).status_code == 200, link
    assert page.one("form", class_="sweep").attributes["action"] == "/f/termination/export"
    assert "--set prestop=5s" in page.text


def test_choices_stay_in_the_links(server: TestClient) -> None:
    page = document(server.get(f"{WALK}&view=messages&theme=dark&depth=senior&from=3&to=9").text)
    link = next(found.attributes["href"] for found in page.all("a") if "form=folder" in found.attributes["href"])
    names = zipfile.ZipFile(io.BytesIO(server.get(link).content)).namelist()
    assert {name for name in names if name.endswith(".svg")} == {
        f"termination/{n:03}-messages.svg" for n in range(3, 10)
    }


@pytest.mark.parametrize("form", ["html", "folder"])
def test_pages_are_handed_over_and_not_shown_as_ours(server: TestClient, form: str) -> None:
    answer = server.get(f"{WALK}&form={form}")
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"


def test_a_file_is_sent_once(server: TestClient) -> None:
    first = server.get(f"{WALK}&form=animated")
    again = server.get(f"{WALK}&form=animated", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("form=zip", "form: found 'zip'; allowed: svg, png"),
        ("form=html&from=nowhere", "from: step 'nowhere'"),
        ("form=png&scale=9", "scale: found '9'; allowed: 1, 2"),
        ("form=html&step=3", "step: a step of its own is had as"),
    ],
)
def test_what_cannot_be_is_said(server: TestClient, query: str, says: str) -> None:
    answer = server.get(f"{WALK}&{query}")
    assert answer.status_code == 422
    assert says in document(answer.text).text


def test_a_step_is_had_twice_as_large_and_a_page_has_no_scale(server: TestClient) -> None:
    once, twice = (server.get(f"/f/termination/7.png?view=cluster{more}").content for more in ("", "&scale=2"))
    assert [int.from_bytes(png[16:20]) for png in (once, twice)] == [800, 1600]
    assert server.get("/f/termination/7.png?scale=3").status_code == 422
    assert server.get("/f/termination/7?scale=2").headers["location"] == "/f/termination/7"


def test_a_session_is_taken_away_with_its_notes_and_without_its_address(browser: TestClient) -> None:
    made = browser.post("/sessions", data={"flow": "termination", "step": "7", "set.prestop": "5s"})
    session = made.headers["location"].rpartition("/")[0]
    browser.post(f"{session}/notes", data={"step": "7", "text": "Look <here>"})
    page = browser.get(f"{session}/export")
    assert page.headers["cache-control"] == "no-store"
    assert "1 note" in document(page.text).text
    for form in ("html", "md", "folder"):
        body = browser.get(f"{session}/export?form={form}").content
        if form == "folder":
            archive = zipfile.ZipFile(io.BytesIO(body))
            body = b"".join(archive.read(name) for name in archive.namelist())
        assert b"Look &lt;here&gt;" in body
        assert session.rpartition("/")[2].encode() not in body
        assert b"/f/termination/0?set.prestop=5s" in body
