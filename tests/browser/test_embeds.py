"""Embeds in real pages of another origin: a frame steps, keys stay with it, and only who may hold it does."""

import re
from hashlib import sha256
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from tests.browser.conftest import Faults
from tests.browser.hosts import Wiki

AXE = (Path(__file__).parent / "data" / "axe-4.11.0.min.js").read_text()
FRAME = (
    '<!doctype html><html lang="en"><title>Wiki</title><link rel="icon" href="data:,"><body>'
    '{before}{frame}<p style="height:3000px">Below</p>'
)


def framed(host: Page, wiki: Wiki, src: str, more: str = "", before: str = "") -> FrameLocator:
    """The wiki's page with a frame, opened."""
    frame = f'<iframe src="{escape(src)}" title="A step" width="700" height="394" {more}></iframe>'
    page = FRAME.format(frame=frame, before=before)
    # Another page, another name: files of the same second are the same to a cache.
    name = f"{sha256(page.encode()).hexdigest()[:12]}.html"
    (wiki.folder / name).write_text(page)
    host.goto(f"{wiki.address}/{name}")
    return host.frame_locator("iframe")


def is_at(frame: FrameLocator, n: int) -> None:
    expect(frame.locator(".count")).to_have_text(re.compile(rf"^{n} / "))


def test_a_frame_steps_inside_a_page_of_another_origin(host: Page, wiki: Wiki, lent: str) -> None:
    parts: list[str] = []
    host.on("request", lambda request: parts.append(request.headers.get("hx-request-type", "")))
    frame = framed(host, wiki, f"{lent}/embed/f/termination/4")
    is_at(frame, 4)
    frame.locator("#next").click()
    is_at(frame, 5)
    frame.locator("#back").click()
    is_at(frame, 4)
    frame.locator("#last").click()
    expect(frame.locator("#next")).to_have_attribute("aria-disabled", "true")
    frame.locator("#first").click()
    is_at(frame, 0)
    assert parts.count("partial") == 4
    # Stepping in the frame is no entry of the page's history, and no cookie is left.
    assert host.evaluate("history.length") == 2
    assert host.context.cookies() == []


def test_keys_step_when_the_frame_has_the_focus_and_scroll_stays_the_page_s(host: Page, wiki: Wiki, lent: str) -> None:
    frame = framed(host, wiki, f"{lent}/embed/f/termination/4")
    is_at(frame, 4)
    host.keyboard.press("ArrowRight")
    assert host.evaluate("document.activeElement.tagName") == "BODY"
    is_at(frame, 4)
    frame.locator("#stage").focus()
    host.keyboard.press("ArrowRight")
    is_at(frame, 5)
    host.keyboard.press("ArrowLeft")
    is_at(frame, 4)
    assert host.evaluate("scrollY") == 0
    frame.locator("#next").focus()
    host.keyboard.press("End")
    host.wait_for_function("scrollY > 0")
    is_at(frame, 4)


@pytest.mark.parametrize("rights", ["allow-scripts", "allow-popups", "allow-scripts allow-popups", ""])
def test_a_sandbox_without_an_origin_still_steps(host: Page, wiki: Wiki, lent: str, rights: str) -> None:
    frame = framed(host, wiki, f"{lent}/embed/f/termination/4", f'sandbox="{rights}"')
    is_at(frame, 4)
    frame.locator("#next").click()
    is_at(frame, 5)
    frame.locator("#next").click()
    is_at(frame, 6)
    if "scripts" in rights:
        # Its own font is there, though the frame's origin is none.
        host.frames[1].wait_for_load_state()
        assert host.frames[1].evaluate("document.fonts.load('12px Inter').then((found) => found.length)") == 1


def test_a_frame_follows_the_system_s_colours_or_its_address(host: Page, wiki: Wiki, lent: str) -> None:
    def background(frame: FrameLocator) -> str:
        return str(frame.locator("body").evaluate("body => getComputedStyle(body).backgroundColor"))

    light = background(framed(host, wiki, f"{lent}/embed/f/termination/4"))
    dark = background(framed(host, wiki, f"{lent}/embed/f/termination/4?theme=dark"))
    assert light == "rgb(255, 255, 255)"
    assert dark != light
    host.emulate_media(color_scheme="dark")
    assert background(framed(host, wiki, f"{lent}/embed/f/termination/4")) == dark
    assert background(framed(host, wiki, f"{lent}/embed/f/termination/4?theme=light")) == light


def test_the_height_is_told_when_it_is_asked_for(host: Page, wiki: Wiki, lent: str) -> None:
    told = "<script>window.told = []; addEventListener('message', (event) => told.push(event.data))</script>"
    frame = framed(host, wiki, f"{lent}/embed/f/termination/4?view=cluster&height=post", before=told)
    host.wait_for_function("told.length > 0")
    first = host.evaluate("told[0]")
    assert first["type"] == "loopscope:height"
    assert first["height"] == frame.locator("body").evaluate("body => Math.ceil(body.getBoundingClientRect().height)")
    assert first["height"] > 394
    frame.locator("summary").click()
    host.wait_for_function("told.at(-1).height > told[0].height")
    framed(host, wiki, f"{lent}/embed/f/termination/4?view=cluster", before=told)
    is_at(host.frame_locator("iframe"), 4)
    assert host.evaluate("told") == []


def test_the_picture_fits_without_scrolling(host: Page, wiki: Wiki, lent: str) -> None:
    for view in ("messages", "timeline"):
        frame = framed(host, wiki, f"{lent}/embed/f/termination/12?view={view}")
        is_at(frame, 12)
        frame.locator("body").evaluate("() => document.fonts.ready.then(() => true)")
        low, room = frame.locator("#stage").evaluate(
            "stage => [stage.querySelector('.framed-shape').getBoundingClientRect().bottom, innerHeight]"
        )
        assert low <= room
        size = frame.locator(f"svg#{view}").evaluate(
            "svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width"
        )
        assert size >= 0.99, "nothing is set smaller than on a page"


def test_a_page_that_may_not_hold_it_is_refused(chromium: Browser, wiki: Wiki, address: str, lent: str) -> None:
    """By default our own pages only; and only embeds are ever lent."""
    context = chromium.new_context()
    page = context.new_page()
    for src in (f"{address}/embed/f/termination/4", f"{lent}/f/termination/4"):
        with page.expect_console_message(lambda message: "frame-ancestors 'self'" in message.text):
            frame = framed(page, wiki, src)
        assert frame.locator("#step").count() == 0
    context.close()


@pytest.mark.parametrize(
    "more",
    [
        "",
        'sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"',
        'sandbox="allow-scripts allow-popups allow-same-origin"',
    ],
)
def test_open_in_loopscope_leads_out_of_the_frame(host: Page, wiki: Wiki, lent: str, more: str) -> None:
    frame = framed(host, wiki, f"{lent}/embed/f/termination/4", more)
    with host.context.expect_page() as opened:
        frame.locator(".onward").click()
    expect(opened.value.locator("#scrub")).to_have_attribute("aria-valuenow", "4")
    assert urlsplit(opened.value.url).path.startswith("/f/termination/")


def test_the_dialog_gives_text_to_copy_with_a_live_frame(page: Page) -> None:
    page.goto("/f/termination/4")
    page.click("#share > summary")
    page.click("#embed-open")
    dialog = page.locator("#embed")
    expect(dialog.locator("#snippet-iframe")).to_have_value(re.compile("^<iframe src="))
    frame = dialog.frame_locator("iframe").first
    is_at(frame, 4)
    dialog.locator("#embed-view").select_option("timeline")
    expect(dialog.locator("#snippet-iframe")).to_have_value(re.compile("view=timeline"))
    expect(frame.locator("svg#timeline")).to_be_visible()
    dialog.locator("#embed-width").fill("900")
    dialog.locator("#embed-width").press("Enter")
    expect(dialog.locator("#snippet-iframe")).to_have_value(re.compile('width="900"'))
    expect(page).to_have_url(re.compile(r"/f/termination/4$"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator("#scrub")).to_have_attribute("aria-valuenow", "4")


def test_the_dialog_is_a_page_without_javascript(chromium: Browser, address: str) -> None:
    context = chromium.new_context(base_url=address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/f/termination/4")
    page.click("#share > summary")
    page.click("#embed-open")
    page.select_option("#embed-view", "cluster")
    page.click("text=Show it so")
    expect(page.locator("#snippet-iframe")).to_have_value(re.compile("view=cluster"))
    page.click("text=AsciiDoc")
    expect(page.locator(".host[open] img")).to_be_visible()
    context.close()


@pytest.mark.parametrize(
    "path",
    [
        "/embed/f/termination/12?seen=0.1.0~1~ok~aaaa.bbbb.cccc",
        "/embed/f/termination/12?only=messages",
        "/f/termination/12/embed?from=99",
        "/f/termination/12?seen=0.1.0~1~ok~aaaa.bbbb.cccc",
    ],
)
def test_nothing_is_in_the_way_of_anybody(page: Page, path: str, faults: Faults) -> None:
    page.goto(path)
    if "from=99" in path:
        # That the options are wrong is its status, too.
        assert "422" in faults.pop()
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations'], iframes: false})")
    assert [(row["id"], row["nodes"][0]["html"]) for row in found["violations"]] == []
