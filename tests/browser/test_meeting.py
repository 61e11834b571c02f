"""A meeting in real windows: whoever presents, speaks and follows, by keys that remote clickers send."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import Faults, watched

AXE = (Path(__file__).parent / "data" / "axe-4.11.0.min.js").read_text()


@pytest.fixture
def windows(chromium: Browser, address: str, faults: Faults) -> Iterator[list[BrowserContext]]:
    """Three browsers: two screens and a phone."""
    sizes = ((1440, 900), (1440, 900), (360, 740))
    opened = [
        chromium.new_context(base_url=address, viewport={"width": width, "height": height}) for width, height in sizes
    ]
    for context in opened:
        context.set_default_timeout(15_000)
    yield opened
    for context in opened:
        context.close()
    assert faults == []


def presenting(page: Page, step: int = 5) -> str:
    """Keep a walk, begin to present it, and give the address for followers."""
    page.goto(f"/f/termination/{step}")
    page.click("#fork")
    page.wait_for_url("**/s/**")
    page.click("text=Present from here")
    page.wait_for_url("**/present")
    return page.locator(".give input").input_value()


def stands_at(step: int, *pages: Page) -> None:
    for page in pages:
        expect(page.locator("#stage")).to_have_attribute("data-step", str(step))


def test_clickers_and_keys_go_one_beat_a_press(page: Page) -> None:
    page.goto("/f/termination/3/present")
    for key, step in (
        (" ", 4),
        ("PageDown", 5),
        (".", 6),
        ("ArrowRight", 7),
        ("PageUp", 6),
        (",", 5),
        ("ArrowLeft", 4),
    ):
        page.keyboard.press(key)
        stands_at(step, page)
        expect(page).to_have_url(re.compile(f"/f/termination/{step}/present$"))
    for key in ("g", "1", "2", "Enter"):
        page.keyboard.press(key)
    stands_at(12, page)
    page.go_back()
    stands_at(4, page)


def test_a_black_screen_comes_back_with_any_key_and_moves_nothing(page: Page) -> None:
    page.goto("/f/termination/3/present")
    page.keyboard.press("b")
    expect(page.locator("#stage")).to_be_hidden()
    page.keyboard.press("PageDown")
    expect(page.locator("#stage")).to_be_visible()
    stands_at(3, page)


def test_the_speaker_window_of_a_flow_goes_along_and_leads(page: Page) -> None:
    page.goto("/f/termination/3/present")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    speaker = opened.value
    expect(speaker.locator("h1")).to_be_visible()
    page.keyboard.press(" ")
    stands_at(4, page, speaker)
    speaker.keyboard.press("PageDown")
    stands_at(5, speaker, page)
    expect(page).to_have_url(re.compile("/f/termination/5/present$"))


def test_three_windows_go_where_the_presenter_goes(windows: list[BrowserContext], address: str, faults: Faults) -> None:
    first, second, third = (watched(context, address, faults) for context in windows)
    follow = presenting(first)
    speaker = watched(windows[0], address, faults)
    speaker.goto(first.locator("#speaker").get_attribute("href") or "")
    second.goto(follow)
    third.goto(follow)
    first.bring_to_front()
    first.keyboard.press(" ")
    stands_at(6, first, speaker, second, third)
    expect(third.locator("#cluster-narrow")).to_be_visible()
    # The clicker works in the window with the notes, too.
    speaker.keyboard.press("PageDown")
    stands_at(7, first, speaker, second, third)
    expect(first).to_have_url(re.compile(r"/s/[\w-]+/7/present$"))
    # A follower looks around, sees where the presenter is, and snaps back.
    second.click("#around")
    second.wait_for_url("**/7")
    second.keyboard.press("ArrowLeft")
    expect(second.locator("#scrub")).to_have_attribute("aria-valuenow", "6")
    first.keyboard.press(" ")
    stands_at(8, first, third)
    back = second.locator(".meets a")
    expect(back).to_have_text("Back to the presenter, step 8")
    back.click()
    stands_at(8, second)
    # Whoever comes late lands where the others are.
    late = watched(windows[2], address, faults)
    late.goto(follow)
    stands_at(8, late)


def test_followers_go_along_into_a_branch_and_are_told_the_end(
    windows: list[BrowserContext], address: str, faults: Faults
) -> None:
    first, second = (watched(context, address, faults) for context in windows[:2])
    second.goto(presenting(first))
    first.click("#leave")
    first.wait_for_url("**/5")
    expect(first.locator(".meets")).to_contain_text("You present")
    first.fill("[name='do']", "1s delete pod/web-2")
    first.click("text=Do it")
    first.wait_for_url(re.compile(r"/s/[\w-]+/(?!5\b)\d+$"))
    step = int(first.url.rpartition("/")[2])
    stands_at(step, second)
    first.locator(".meets").get_by_text("Stop presenting").click()
    expect(second.locator("#live")).to_contain_text("Nobody presents this now")


def test_another_browser_takes_over(windows: list[BrowserContext], address: str, faults: Faults) -> None:
    first, second, third = (watched(context, address, faults) for context in windows)
    third.goto(presenting(first))
    second.goto(first.url)
    second.keyboard.press(" ")
    stands_at(6, second)
    stands_at(5, first, third)
    second.get_by_text("Take over from").click()
    expect(second.locator("#live")).to_contain_text("You present")
    expect(first.locator("#live")).not_to_contain_text("You present", use_inner_text=True)
    stands_at(6, second, third)
    second.keyboard.press(" ")
    stands_at(7, second, third)


def test_presenting_needs_no_script(chromium: Browser, address: str) -> None:
    context = chromium.new_context(base_url=address, java_script_enabled=False)
    page, other = context.new_page(), context.new_page()
    follow = presenting(page)
    page.click("#next")
    page.wait_for_url("**/6/present")
    other.goto(follow)
    stands_at(6, other)
    other.goto(page.locator("#speaker").get_attribute("href") or "")
    expect(other.locator("#speech-next")).to_contain_text("Next")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_large_pages_are_accessible_and_fit(
    windows: list[BrowserContext], address: str, faults: Faults, scheme: Literal["light", "dark"]
) -> None:
    pages = [watched(windows[at], address, faults) for at in (0, 2)]
    follow = presenting(pages[0], 9)
    speaker = f"{pages[0].url.rpartition('/')[0].rpartition('/')[0]}/speaker"
    for page in pages:
        page.emulate_media(color_scheme=scheme)
        for where in (pages[0].url, speaker, follow):
            page.goto(where)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), where
            page.evaluate(AXE)
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            assert [(row["id"], [node["target"] for node in row["nodes"]]) for row in found["violations"]] == [], where


def test_what_is_written_runs_nowhere(page: Page) -> None:
    words = "<img src=x onerror='window.hacked=1'><script>window.hacked=1</script>"
    page.goto("/f/termination/5")
    page.click("#fork")
    page.fill("#notes textarea[name='text']", words)
    page.click("text=Note it")
    expect(page.locator("#notes .note")).to_contain_text(words)
    page.fill("[name='title']", words)
    page.click("text=Rename")
    expect(page.locator("h1")).to_have_text(words)
    page.click("text=Present from here")
    page.wait_for_url("**/present")
    address = page.locator(".give input").input_value()
    for where in (f"{page.url.rpartition('/')[0].rpartition('/')[0]}/speaker", address):
        page.goto(where)
        expect(page.locator("#stage")).to_be_visible()
        assert page.evaluate("window.hacked") is None
