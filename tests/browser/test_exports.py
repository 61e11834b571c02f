"""Exported pages opened from a file: they step, load nothing, complain of nothing, and read without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from app.export.asked import Asked, asked
from app.export.folder import files
from app.export.forms import exported
from app.export.reporting import reported
from app.export.review import Subject
from app.story.play import play, request
from tests.browser.conftest import Faults
from tests.browser.test_windows import AXE

PLAYED = play(request("termination"))
LAST = len(PLAYED.steps)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "walk.html"
    path.write_bytes(exported(PLAYED, asked(PLAYED, "html")).body)
    return path


@pytest.fixture
def context(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    opened = chromium.new_context(**{"viewport": {"width": 1440, "height": 900}, **getattr(request, "param", {})})
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext, faults: Faults) -> Iterator[Page]:
    found = context.new_page()
    found.on("console", lambda message: faults.append(message.text))
    found.on("pageerror", lambda error: faults.append(str(error)))
    found.on("request", lambda sent: None if sent.url.startswith(("file:", "data:")) else faults.append(sent.url))
    yield found
    assert faults == []


def shows(page: Page, n: int) -> None:
    expect(page.locator(f"#step-{n}")).to_be_visible()
    expect(page.locator(".step:visible")).to_have_count(1)


def test_one_file_steps_with_keys_and_links(page: Page, file: Path) -> None:
    page.goto(file.as_uri())
    shows(page, 0)
    for key, n in (
        ("ArrowRight", 1),
        ("PageDown", 2),
        ("ArrowLeft", 1),
        ("End", LAST),
        ("ArrowRight", LAST),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        shows(page, n)
    page.locator("#step-0").get_by_role("link", name="Next").click()
    shows(page, 1)
    expect(page.locator("#step-1 h2")).to_be_focused()
    page.go_back()
    shows(page, 0)
    page.locator("#step-0").get_by_role("link", name="All steps").click()
    expect(page.locator(".step:visible")).to_have_count(LAST + 1)


def test_its_pictures_are_drawn(page: Page, file: Path) -> None:
    page.goto(f"{file.as_uri()}#step-11")
    shows(page, 11)
    for picture in page.locator("#step-11 svg").all():
        drawn = picture.evaluate(
            "svg => [...svg.querySelectorAll('use')].filter(use => use.getBBox().width > 0).length"
        )
        assert drawn >= 2
    colour = page.locator("#step-11 svg use").first.evaluate(
        "() => getComputedStyle(document.querySelector('defs .k-kubelet')).color"
    )
    assert colour == "rgb(194, 65, 12)"
    assert page.evaluate("document.fonts.check('12px Inter')")


@pytest.mark.parametrize("context", [{"java_script_enabled": False}], indirect=True)
def test_without_scripts_it_is_one_long_page_whose_links_step(page: Page, file: Path) -> None:
    page.goto(file.as_uri())
    expect(page.get_by_role("heading", name="Termination race", exact=True)).to_be_visible()
    expect(page.locator(".step:visible")).to_have_count(LAST + 1)
    page.get_by_role("link", name="Step through it").click()
    shows(page, 0)
    page.locator("#step-0").get_by_role("link", name="Next").click()
    shows(page, 1)


@pytest.mark.parametrize("context", [{"viewport": {"width": 360, "height": 740}}], indirect=True)
def test_in_a_narrow_window_only_pictures_scroll_sideways(page: Page, file: Path) -> None:
    page.goto(file.as_uri())
    shows(page, 0)
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_a_folder_steps_by_its_links(page: Page, tmp_path: Path) -> None:
    for name, body in files(PLAYED, asked(PLAYED, "folder")):
        (tmp_path / name).write_bytes(body)
    page.goto((tmp_path / "index.html").as_uri())
    page.get_by_role("link", name="Step through it").click()
    page.get_by_role("link", name="Next").click()
    expect(page).to_have_url(re.compile(r"/001\.html$"))
    for picture in page.locator("img").all():
        assert picture.evaluate("image => image.complete && image.naturalWidth") > 500
    page.get_by_role("link", name="All steps").click()
    expect(page).to_have_url(re.compile(r"/index\.html$"))


@pytest.mark.parametrize("context", [{}, {"reduced_motion": "reduce"}], indirect=True, ids=["motion", "still"])
def test_what_moves_stands_still_where_no_motion_is_wanted(page: Page, tmp_path: Path) -> None:
    drawing = tmp_path / "moving.svg"
    drawing.write_bytes(exported(PLAYED, asked(PLAYED, "animated")).body)
    page.goto(drawing.as_uri())
    still = page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")
    moving = page.evaluate("document.getAnimations().length")
    assert moving == (0 if still else LAST + 2)
    seen = page.evaluate(
        "[...document.querySelectorAll('.turn')].filter(g => getComputedStyle(g).opacity === '1').length"
    )
    assert seen == 1


@pytest.mark.parametrize("context", [{}, {"color_scheme": "dark"}], indirect=True, ids=["light", "dark"])
def test_exported_pages_are_accessible(page: Page, file: Path, tmp_path: Path) -> None:
    for name, body in files(PLAYED, asked(PLAYED, "folder", last="3")):
        (tmp_path / name).write_bytes(body)
    (tmp_path / "report.html").write_bytes(
        reported("html", PLAYED, Asked(form="report", last=LAST), Subject(against=PLAYED)).body
    )
    pages = [f"{file.as_uri()}#all", f"{file.as_uri()}#step-11"]
    for address in [*pages, *((tmp_path / name).as_uri() for name in ("index.html", "002.html", "report.html"))]:
        page.goto(address)
        page.evaluate(AXE)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        faults = [(row["id"], row["help"], row["nodes"][0]["html"][:120]) for row in found["violations"]]
        assert faults == [], address
