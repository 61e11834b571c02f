"""Every form of every kind of walk: complete, the same each time, and in need of nothing from anywhere."""

from __future__ import annotations

import io
import re
import struct
import subprocess
import sys
import zipfile
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from app.catalog.reading import flows
from app.errors import BadInput
from app.export.animated import MOST_BYTES
from app.export.asked import FORMS, MOST_STEPS, File, Remark, asked
from app.export.forms import exported
from app.story.play import Play, play, request

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
DRAWN = [form for form in FORMS if FORMS[form].media == "image/svg+xml"]


@pytest.fixture(scope="module")
def played() -> Play:
    return play(request("termination"))


def made(played: Play, form: str, **wish: Any) -> File:
    return exported(played, asked(played, form, **wish))


def reaching_out(svg: str) -> list[str]:
    """Everything in an SVG that a viewer would load."""
    found = []
    for element in ET.fromstring(svg).iter():  # noqa: S314 - our own text
        for name, value in element.attrib.items():
            if name.rpartition("}")[2] in ("href", "src") and not value.startswith("#"):
                found.append(value)
            if "url(" in value and "url(#" not in value:
                found.append(value)
        if element.tag == f"{SVG}style" and re.search(r"url\(|@import|@font-face", element.text or ""):
            found.append(element.text or "")
    return found


@pytest.mark.parametrize("form", DRAWN)
@pytest.mark.parametrize("view", ["", "cluster", "messages", "timeline"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_drawing_stands_alone(played: Play, form: str, view: str, theme: str) -> None:
    svg = made(played, form, view=view, theme=theme).body.decode()
    root = ET.fromstring(svg)  # noqa: S314 - our own text
    assert reaching_out(svg) == []
    assert [root.find(f"{SVG}title") is None, root.find(f"{SVG}desc") is None] == [False, False]
    assert "var(" not in svg
    assert "<script" not in svg
    families = set(re.findall(r"font-family:([^;}]+)", svg))
    assert families, "no font is named"
    assert all(family.endswith(("sans-serif", "monospace")) for family in families)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    used = {element.get("href", "")[1:] for element in root.iter(f"{SVG}use")}
    assert used <= set(ids)


@pytest.mark.parametrize("form", DRAWN)
def test_both_themes_differ(played: Play, form: str) -> None:
    assert made(played, form, theme="dark").body != made(played, form, theme="light").body


def size(png: bytes) -> tuple[int, int]:
    wide, high = struct.unpack(">II", png[16:24])
    return wide, high


@pytest.mark.parametrize("view", ["cluster", "messages", "timeline"])
def test_a_png_has_the_size_of_its_picture_once_or_twice(played: Play, view: str) -> None:
    root = ET.fromstring(made(played, "svg", view=view, step="7").body)  # noqa: S314 - our own text
    wide, high = (float(root.get(side) or 0) for side in ("width", "height"))
    once, twice = (size(made(played, "png", view=view, step="7", scale=scale).body) for scale in ("1", "2"))
    assert once == pytest.approx((wide, high), abs=1)
    assert twice == pytest.approx((wide * 2, high * 2), abs=1)


def test_a_sheet_has_every_step_with_its_caption(played: Play) -> None:
    root = ET.fromstring(made(played, "sheet").body)  # noqa: S314 - our own text
    captions = [title.text for title in root.iterfind(f"{SVG}g/{SVG}title")]
    assert len(captions) == len(played.steps) + 1
    assert captions[7] == "7. SIGTERM to the main process of web-8ml77"
    pictures = root.findall(f"{SVG}g/{SVG}svg")
    assert len(pictures) == len(captions)
    assert all(picture.findall(f"{SVG}use") for picture in pictures)


def test_a_sheet_of_a_few_steps_as_pixels() -> None:
    played = play(request("cordon"))
    png = made(played, "sheet-png", first="3", last="8", scale="1").body
    assert size(png)[0] == 1280


@pytest.mark.parametrize("flow", sorted(flows()))
def test_what_moves_is_small_and_says_what_it_shows(flow: str) -> None:
    played = play(request(flow))
    body = made(played, "animated").body
    assert len(body) < MOST_BYTES == 50_000
    svg = body.decode()
    shown = svg.count('class="turn')
    said = re.search(r">(all \d+ steps|\d+ of \d+ steps are shown)<", svg)
    assert said
    total = len(played.steps)
    assert said[1] == (f"all {total} steps" if shown == total + 1 else f"{shown - 1} of {total} steps are shown")
    assert "prefers-reduced-motion:no-preference" in svg
    assert svg.count('class="turn still"') == 1, "without motion one step stands"
    assert 'opacity="' not in svg


def test_what_moves_is_thinned_out_where_there_is_no_room() -> None:
    scaled = [("do", f"{n}s scale deployment/web replicas={3 + n % 4}") for n in range(1, 35)]
    played = play(request("rollout", choices=scaled))
    assert len(played.steps) > 120
    svg = made(played, "animated").body.decode()
    assert len(svg.encode()) < MOST_BYTES
    assert re.search(r">\d+ of \d+ steps are shown<", svg)
    deciding = {row.step for row in played.verdicts if row.step}
    assert all(f"Step {n} of" in svg for n in deciding)


class Links(HTMLParser):
    """Addresses, ids and scripts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.hrefs: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("href", "src"):
                self.hrefs.append(value or "")
            if name == "id":
                self.ids.append(value or "")


def test_one_page_has_every_step_and_loads_nothing(played: Play) -> None:
    text = made(played, "html").body.decode()
    found = Links(text)
    assert all(href.startswith("#") and href[1:] in found.ids for href in found.hrefs)
    assert len(found.ids) == len(set(found.ids))
    assert {f"step-{n}" for n in range(len(played.steps) + 1)} <= set(found.ids)
    assert found.tags.count("script") == found.tags.count("style") == 1
    assert not {"link", "iframe", "object", "img", "base"} & set(found.tags)
    assert "default-src &#39;none&#39;" in text
    assert "unsafe" not in text.partition("</head>")[0]
    assert len(text) < 700_000


def test_a_folder_has_all_that_its_pages_name(played: Play) -> None:
    archive = zipfile.ZipFile(io.BytesIO(made(played, "folder").body))
    names = {name.removeprefix("termination/") for name in archive.namelist()}
    pages = [name for name in sorted(names) if name.endswith(".html")]
    assert len(pages) == len(played.steps) + 2
    assert {"index.html", "walk.mmd", "walk.md", "007.html", "007-cluster.svg"} <= names
    for page in pages:
        found = Links(archive.read(f"termination/{page}").decode())
        assert set(found.hrefs) <= names, page
        assert "script" not in found.tags
    told = archive.read("termination/walk.md").decode()
    assert set(re.findall(r"\]\(([^)]+)\)", told)) <= names
    for name in names:
        if name.endswith(".svg"):
            assert reaching_out(archive.read(f"termination/{name}").decode()) == []


def test_markdown_numbers_the_steps_and_points_to_pictures(played: Play) -> None:
    plain = made(played, "md").body.decode()
    assert re.search(r"^7\. \*\*T\+0\.006 s\*\* SIGTERM to the main process", plain, re.MULTILINE)
    assert "```mermaid\nsequenceDiagram" in plain
    assert "![" not in plain
    pictured = made(played, "md", pictures="https://loops.test/f/termination/{step}.svg?view={view}", view="cluster")
    addresses = re.findall(r"!\[[^]]*\]\(([^)]+)\)", pictured.body.decode())
    assert len(addresses) == len(played.steps) + 1
    assert addresses[7] == f"https://loops.test/f/termination/{played.steps[6].id}.svg?view=cluster"


def test_notes_stay_with_their_step_also_beyond_the_hundredth() -> None:
    scaled = [("do", f"{n}s scale deployment/web replicas={1 + n % 5 * 4}") for n in range(20)]
    played = play(request("sandbox", choices=scaled))
    remarks = tuple(Remark(played.steps[n - 1].id if n else "0", "Ann", f"note {n}") for n in (0, 9, 10, 104))
    page = MarkdownIt().render(made(played, "md", last="110", remarks=remarks).body.decode())
    assert page.count("<blockquote>") == 4
    assert page.count("<pre>") == 1, "the messages are the only code"
    assert page.count("<ol") == 1


def test_the_messages_of_the_whole_walk_are_one_picture(played: Play) -> None:
    svg = made(played, "svg", view="messages").body.decode()
    assert svg.count('class="shot') >= len(played.steps)


def test_only_some_steps(played: Play) -> None:
    found = Links(made(played, "html", first="5", last="7").body.decode())
    assert [id for id in found.ids if id.startswith("step-")] == ["step-5", "step-6", "step-7"]


@pytest.mark.parametrize(
    ("form", "wish", "says"),
    [
        ("zip", {}, "form: found 'zip'; allowed: svg, png,"),
        ("svg", {"view": "map"}, "view: found 'map'; allowed: cluster, messages, timeline"),
        ("png", {"scale": "3"}, "scale: found '3'; allowed: 1, 2"),
        ("html", {"step": "3"}, "step: a step of its own is had as svg, png, mmd; html takes the steps between"),
        ("html", {"first": "9", "last": "3"}, "from: step 9 comes after step 3"),
        ("html", {"last": "99"}, "to: step 99: this walk has 40 steps"),
    ],
)
def test_what_cannot_be_says_what_can(played: Play, form: str, wish: dict[str, str], says: str) -> None:
    with pytest.raises(BadInput, match=re.escape(says)):
        made(played, form, **wish)


def test_a_walk_that_is_too_long_to_draw_says_how_to_have_a_part() -> None:
    scaled = [("do", f"{n}s scale deployment/web replicas={1 + n % 5 * 4}") for n in range(20)]
    played = play(request("sandbox", choices=scaled))
    assert len(played.steps) > MOST_STEPS
    with pytest.raises(BadInput, match=rf"html: found {len(played.steps) + 1} steps; at most {MOST_STEPS} are drawn"):
        made(played, "html")
    assert made(played, "html", first="10", last="14").body


def test_pixels_are_bounded() -> None:
    played = play(request("rollout"))
    with pytest.raises(BadInput, match=r"png: found 2560 × \d+ pixels; at most 36,000,000 are made: take scale=1"):
        made(played, "sheet-png", scale="2", view="messages")


def test_the_same_walk_gives_the_same_bytes_in_another_process(played: Play) -> None:
    forms = [form for form in FORMS if form != "sheet-png"]
    code = (
        "from hashlib import sha256; from app.export.asked import asked; from app.export.forms import exported;"
        "from app.story.play import play, request; p = play(request('termination'));"
        f"print(*(sha256(exported(p, asked(p, form)).body).hexdigest() for form in {forms}))"
    )
    environment = {"PYTHONHASHSEED": "1", "PATH": ""}
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, capture_output=True)
    assert told.stdout.decode().split() == [sha256(made(played, form).body).hexdigest() for form in forms]
