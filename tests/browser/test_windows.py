"""Narrow, zoomed, dark, printed, without JavaScript, with a screen reader: every page holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from app.story.play import play, request
from tests.browser.conftest import Faults, watched

LAST = len(play(request("termination")).steps)
AXE = (Path(__file__).parent / "data" / "axe-4.11.0.min.js").read_text()
PAGES = ["/", "/?q=502", "/f/termination", "/f/termination/13", f"/f/termination/{LAST}", "/symptoms", "/glossary",
         "/manifests", "/inspect", "/sessions", "/docs", "/f/termination/3?set.grace=soon", "/nope",
         "/f/termination/export?step=7", "/f/termination/report?against=set.prestop%3D15s"]  # fmt: skip


def opened(chromium: Browser, address: str, **options: Any) -> Iterator[Page]:
    faults = Faults()
    context = chromium.new_context(base_url=address, **options)
    context.set_default_timeout(15_000)
    yield watched(context, address, faults)
    context.close()
    assert [row for row in faults if "status of 4" not in row] == []


@pytest.fixture
def phone(chromium: Browser, address: str) -> Iterator[Page]:
    yield from opened(chromium, address, viewport={"width": 360, "height": 740}, has_touch=True)


@pytest.fixture
def wide(chromium: Browser, address: str) -> Iterator[Page]:
    yield from opened(chromium, address, viewport={"width": 1440, "height": 1010})


@pytest.fixture
def scriptless(chromium: Browser, address: str) -> Iterator[Page]:
    yield from opened(chromium, address, viewport={"width": 1440, "height": 1010}, java_script_enabled=False)


def overflow(page: Page) -> list[str]:
    """Elements that reach out of the window, outside of boxes that scroll for themselves."""
    found: list[str] = page.evaluate(
        """() => {
          const wide = document.documentElement.clientWidth
          const scrolls = (node) => node && node !== document.body &&
            (["auto", "scroll", "hidden"].includes(getComputedStyle(node).overflowX) || scrolls(node.parentElement))
          return [...document.querySelectorAll("body *")]
            .filter((node) => node.getBoundingClientRect().right > wide + 1 && !scrolls(node.parentElement))
            .map((node) => `${node.tagName} ${node.className?.baseVal ?? node.className} ${node.id}`)
        }"""
    )
    return found


@pytest.mark.parametrize("address_of", PAGES)
@pytest.mark.parametrize("width", [360, 720, 1024])
def test_no_page_scrolls_sideways(wide: Page, address_of: str, width: int) -> None:
    wide.set_viewport_size({"width": width, "height": 800})
    wide.goto(address_of)
    assert wide.evaluate("document.documentElement.scrollWidth") <= width
    assert overflow(wide) == []


@pytest.mark.parametrize("address_of", ["/", "/f/termination/13"])
def test_a_page_can_be_magnified_twice(wide: Page, address_of: str) -> None:
    wide.set_viewport_size({"width": 1280, "height": 800})
    wide.goto(address_of)
    wide.evaluate("document.documentElement.style.fontSize = '200%'")
    assert wide.evaluate("document.documentElement.scrollWidth") <= 1280
    assert overflow(wide) == []


def test_a_narrow_window_gets_narrow_pictures(phone: Page) -> None:
    phone.goto("/f/termination/12")
    expect(phone.locator("#cluster-narrow")).to_be_visible()
    expect(phone.locator("#cluster")).to_be_hidden()
    phone.tap("#next")
    expect(phone.locator("#scrub")).to_have_attribute("aria-valuenow", "13")
    expect(phone.locator("#cluster-narrow")).to_be_visible()
    expect(phone.locator("#cluster")).to_have_count(0)
    phone.set_viewport_size({"width": 1200, "height": 800})
    expect(phone.locator("#cluster")).to_be_visible()
    expect(phone.locator("#cluster-narrow")).to_have_count(0)


def test_the_way_onward_stays_in_reach(phone: Page) -> None:
    phone.goto("/f/termination/12")
    phone.evaluate("scrollTo(0, 3000)")
    expect(phone.locator("#next")).to_be_in_viewport()
    phone.tap("#next")
    expect(phone.locator("#scrub")).to_have_attribute("aria-valuenow", "13")


def test_everything_works_without_javascript(scriptless: Page) -> None:
    page = scriptless
    page.goto("/")
    page.click("a.card[href='/f/termination']")
    page.click("#next")
    page.click("#next")
    expect(page).to_have_url(re.compile(r"/f/termination/2$"))
    expect(page.locator("#play")).to_be_hidden()
    page.click(".steps li:nth-child(20) a")
    expect(page.locator("#now")).to_be_in_viewport(ratio=0.9)
    page.click("#ticks .tick:nth-child(8)")
    page.fill("[id='set.prestop']", "15s")
    page.click("text=Compute again")
    expect(page).to_have_url(re.compile(r"set\.prestop=15s$"))
    page.fill("[name='do']", "50s delete pod/web-2")
    page.click("text=Do it")
    expect(page.locator(".chosen")).to_contain_text("50s delete pod/web-2")
    page.click(".depths a:has-text('principal')")
    expect(page.locator(".depths [aria-current]")).to_have_text("principal")
    page.click("text=Save")
    expect(page).to_have_url(re.compile(r"/s/"))
    page.click("#next")
    page.fill("[name='text']", "Noted by hand")
    page.click("text=Note it")
    expect(page.locator("#notes")).to_contain_text("Noted by hand")
    page.click("#keys-button")
    expect(page.locator("#keys")).to_be_visible()


@pytest.mark.parametrize("asked", ["system", "address"])
def test_dark_is_dark_and_light_is_light(chromium: Browser, address: str, asked: str) -> None:
    def ground(scheme: Literal["light", "dark"], query: str) -> float:
        context = chromium.new_context(base_url=address, color_scheme=scheme)
        page = context.new_page()
        page.goto(f"/f/termination/13{query}")
        colours: list[str] = page.evaluate(
            "[document.body, document.querySelector('.panel')].map(e => getComputedStyle(e).backgroundColor)"
        )
        shades = [sum(map(int, re.findall(r"\d+", colour)[:3])) / 3 for colour in colours]
        frame: str = page.evaluate("getComputedStyle(document.querySelector('#cluster .frame')).fill")
        shades.append(sum(map(int, re.findall(r"\d+", frame)[:3])) / 3)
        context.close()
        assert max(shades) - min(shades) < 60
        return max(shades)

    if asked == "system":
        dark, light = ground("dark", ""), ground("light", "")
    else:
        dark, light = ground("light", "?theme=dark"), ground("dark", "?theme=light")
    assert dark < 80
    assert light > 200


def test_a_theme_can_be_changed_where_one_is(wide: Page) -> None:
    wide.goto("/f/termination/3")
    wide.keyboard.press("ArrowRight")
    expect(wide.locator("#scrub")).to_have_attribute("aria-valuenow", "4")
    wide.click(".themes a:has-text('dark')")
    expect(wide).to_have_url(re.compile(r"/f/termination/4\?theme=dark$"))


def test_less_motion_is_no_motion(chromium: Browser, address: str) -> None:
    context = chromium.new_context(base_url=address, reduced_motion="reduce")
    page = context.new_page()
    page.goto("/f/termination/3")
    moving = page.evaluate(
        "[...document.querySelectorAll('body *')].filter(e => { const s = getComputedStyle(e);"
        " return s.transitionDuration.split(',').some(d => parseFloat(d) > 0) || s.animationName !== 'none' }).length"
    )
    context.close()
    assert moving == 0


def test_print_has_no_buttons(wide: Page) -> None:
    wide.goto("/f/termination/13")
    wide.emulate_media(media="print")
    for part in (".bar", ".actions", ".foot"):
        expect(wide.locator(part)).to_be_hidden()
    for part in (".say", "#cluster", "#timeline", "#verdicts"):
        expect(wide.locator(part)).to_be_visible()


def test_a_first_view_needs_six_requests(wide: Page) -> None:
    seen: list[str] = []
    wide.on("request", lambda request: None if request.url.startswith("data:") else seen.append(request.url))
    wide.goto("/f/termination/13", wait_until="networkidle")
    assert len(seen) <= 6, seen


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address_of", PAGES)
def test_accessibility(wide: Page, address_of: str, scheme: Literal["light", "dark"]) -> None:
    wide.emulate_media(color_scheme=scheme)
    wide.goto(address_of)
    wide.evaluate(AXE)
    found = wide.evaluate("axe.run(document, {resultTypes: ['violations']})")
    problems = [
        f"{row['id']}: {node['target']} {node['failureSummary']}"
        for row in found["violations"]
        for node in row["nodes"][:3]
    ]
    assert problems == []


def test_accessibility_of_a_session(wide: Page) -> None:
    wide.goto("/f/termination/13")
    wide.click("#fork")
    wide.fill("[name='text']", "Seen on Tuesday")
    wide.click("text=Note it")
    expect(wide.locator("#notes .note")).to_be_visible()
    wide.evaluate(AXE)
    found = wide.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert [(row["id"], [node["target"] for node in row["nodes"]]) for row in found["violations"]] == []


def test_accessibility_of_a_phone(phone: Page) -> None:
    phone.goto("/f/termination/13")
    phone.evaluate(AXE)
    found = phone.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert [(row["id"], [node["target"] for node in row["nodes"]]) for row in found["violations"]] == []


SETS = Path(__file__).parent.parent / "data" / "manifests"


def inspected(page: Page) -> None:
    """Paste what has findings of every severity, long names and fields that are left out."""
    page.goto("/inspect")
    texts = [(SETS / name).read_text() for name in ("charts/mesh-injected.yaml", "odd/int-or-string.yaml")]
    page.fill("#text", "\n---\n".join(texts))
    page.click("form .button.primary")
    expect(page.locator(".findings")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_inspection_is_accessible_and_fits_a_phone(phone: Page, scheme: Literal["light", "dark"]) -> None:
    phone.emulate_media(color_scheme=scheme)
    inspected(phone)
    assert overflow(phone) == []
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    phone.evaluate(AXE)
    found = phone.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert [(row["id"], [node["target"] for node in row["nodes"]]) for row in found["violations"]] == []


def test_an_inspection_needs_no_javascript(scriptless: Page) -> None:
    inspected(scriptless)
    assert "/inspect?m=" in scriptless.url
    assert scriptless.locator(".findings .error").count() > 0
