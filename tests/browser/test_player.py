"""Stepping, scrubbing and keys, as a reader does it."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from app.story.play import play, request

PLAYED = play(request("termination"))
LAST = len(PLAYED.steps)


def is_at(page: Page, n: int) -> None:
    expect(page.locator("#scrub")).to_have_attribute("aria-valuenow", str(n))
    expect(page).to_have_url(re.compile(rf"/{n}(\?|$)"))
    assert page.title().startswith("Termination race")


def opened(page: Page, n: int, query: str = "") -> None:
    page.goto(f"/f/termination/{n}{query}")
    expect(page.locator("#play")).to_be_visible()


def test_next_swaps_a_part_and_back_brings_the_step_before(page: Page) -> None:
    opened(page, 4)
    page.evaluate("window.kept = document.getElementById('step')")
    parts: list[str] = []
    page.on("request", lambda request: parts.append(request.headers.get("hx-request-type", "")))
    page.click("#next")
    is_at(page, 5)
    assert page.evaluate("window.kept === document.getElementById('step')")
    assert parts == ["partial"]
    page.click("#next")
    is_at(page, 6)
    page.go_back()
    is_at(page, 5)
    page.go_back()
    is_at(page, 4)
    page.go_forward()
    is_at(page, 5)
    page.reload()
    is_at(page, 5)


def test_a_box_keeps_its_node_from_step_to_step(page: Page) -> None:
    opened(page, 4)
    page.evaluate("window.kept = [...document.querySelectorAll('#cluster g[id]')].map(node => [node.id, node])")
    page.click("#next")
    is_at(page, 5)
    same = page.evaluate("window.kept.filter(([id, node]) => document.getElementById(id) === node).length")
    assert same >= page.evaluate("window.kept.length") - 4


def test_the_step_list_stays_and_its_mark_moves(page: Page) -> None:
    opened(page, 4)
    page.evaluate("window.kept = [document.getElementById('list'), document.getElementById('marks')]")
    page.locator("#steps li a").nth(6).click()
    is_at(page, 7)
    assert page.evaluate("kept[0] === document.getElementById('list') && kept[1] === document.getElementById('marks')")
    expect(page.locator("#steps [aria-current]")).to_have_attribute("href", "/f/termination/7")
    expect(page.locator("#now")).to_have_class("now")
    expect(page.locator("#steps li.done")).to_have_count(6)
    expect(page.locator("#ticks .tick.done")).to_have_count(6)
    expect(page.locator("#ticks .tick.now")).to_have_count(1)
    page.keyboard.press("Home")
    is_at(page, 0)
    expect(page.locator("#steps [aria-current]")).to_have_count(0)
    expect(page.locator("#steps li.ahead")).to_have_count(LAST)
    page.go_back()
    is_at(page, 7)
    expect(page.locator("#now a")).to_have_attribute("href", "/f/termination/7")
    # Another depth has other addresses in its list.
    page.get_by_role("link", name="senior").click()
    expect(page.locator("#now a")).to_have_attribute("href", "/f/termination/7?depth=senior")


def test_next_leaves_the_page_where_it_was_scrolled_to(page: Page) -> None:
    opened(page, 4)
    page.evaluate("scrollTo(0, 300)")
    # Not Playwright's click, which scrolls by itself.
    page.evaluate("document.getElementById('next').click()")
    is_at(page, 5)
    assert page.evaluate("scrollY") == 300


@pytest.mark.parametrize(
    ("start", "key", "end"),
    [
        (3, "ArrowRight", 4),
        (3, ".", 4),
        (3, "PageDown", 4),
        (3, "ArrowLeft", 2),
        (3, ",", 2),
        (3, "PageUp", 2),
        (3, "Home", 0),
        (3, "End", LAST),
        (3, "7", 7),
        (0, "ArrowRight", 1),
    ],
)
def test_a_key_moves(page: Page, start: int, key: str, end: int) -> None:
    opened(page, start)
    page.keyboard.press(key)
    is_at(page, end)


def test_go_to_a_step_by_its_number(page: Page) -> None:
    opened(page, 3)
    for key in ("g", "1", "2", "Enter"):
        page.keyboard.press(key)
    is_at(page, 12)


def test_keys_are_left_alone_while_somebody_types(page: Page) -> None:
    opened(page, 3)
    page.focus("[id='set.grace']")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("5")
    page.keyboard.press("Control+End")
    is_at(page, 3)


def test_the_ends_hold(page: Page) -> None:
    opened(page, 0)
    page.keyboard.press("ArrowLeft")
    opened(page, LAST)
    page.keyboard.press("ArrowRight")
    is_at(page, LAST)


def test_the_key_sheet_opens_and_closes(page: Page) -> None:
    opened(page, 3)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    page.click("#keys-button")
    expect(page.locator("#keys")).to_be_visible()
    page.click("#keys .button")
    expect(page.locator("#keys")).to_be_hidden()
    is_at(page, 3)


def test_play_goes_on_until_a_key(page: Page) -> None:
    opened(page, 3)
    expect(page.locator("#play")).to_have_text("Play")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("Pause")
    is_at(page, 4)
    expect(page.locator("#play")).to_have_text("Pause")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("Play")


def test_play_ends_at_the_end(page: Page) -> None:
    opened(page, LAST - 1)
    page.click("#play")
    is_at(page, LAST)
    expect(page.locator("#play")).to_have_text("Play")


def test_nothing_plays_by_itself(page: Page) -> None:
    opened(page, 3)
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")


def test_scrubbing(page: Page) -> None:
    opened(page, 3)
    box = page.locator("#ticks .tick .mark").nth(19).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 2)
    is_at(page, 20)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 2)
    page.mouse.down()
    end = page.locator("#ticks .tick .mark").nth(9).bounding_box()
    assert end is not None
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + 40, steps=6)
    page.mouse.up()
    is_at(page, 10)


def test_the_slider_has_keys_of_its_own(page: Page) -> None:
    opened(page, 10)
    page.focus("#scrub")
    page.keyboard.press("PageDown")
    is_at(page, 10 + round(LAST / 10))
    page.keyboard.press("ArrowUp")
    is_at(page, 11 + round(LAST / 10))
    expect(page.locator("#scrub")).to_be_focused()


def test_the_step_list_can_be_walked(page: Page) -> None:
    opened(page, 5)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    is_at(page, 7)


@pytest.mark.parametrize("n", [1, LAST // 2, LAST])
def test_the_current_step_is_in_view(page: Page, n: int) -> None:
    opened(page, 1)
    for key in ("g", *str(n), "Enter"):
        page.keyboard.press(key)
    is_at(page, n)
    expect(page.locator("#now")).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0


def test_the_list_can_be_put_away(page: Page) -> None:
    opened(page, 3)
    page.click("#list-toggle")
    expect(page.locator("#steps")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    is_at(page, 4)
    expect(page.locator("#steps")).to_be_hidden()
    page.click("#list-toggle")
    expect(page.locator("#now")).to_be_in_viewport(ratio=1)


def test_another_loop_goes_first_by_keys(page: Page) -> None:
    opened(page, 8)
    page.keyboard.press("b")
    expect(page.locator("#orders .offers a").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("pick="))
    is_at(page, 8)
    expect(page.locator(".chosen li")).to_have_count(1)
    page.click(".chosen a")
    expect(page).not_to_have_url(re.compile("pick="))
    is_at(page, 8)


def test_a_depth_is_kept_while_stepping(page: Page) -> None:
    opened(page, 7)
    page.click(".depths a:has-text('senior')")
    expect(page).to_have_url(re.compile("depth=senior"))
    page.keyboard.press("ArrowRight")
    is_at(page, 8)
    expect(page.locator(".depths [aria-current]")).to_have_text("senior")


def test_a_changed_setting_computes_again_and_stays_at_the_step(page: Page) -> None:
    opened(page, 2)
    page.keyboard.press("ArrowRight")
    is_at(page, 3)
    expect(page.locator(".verdicts tr").nth(1)).to_have_class("bad")
    page.fill("[id='set.prestop']", "15s")
    page.click("text=Compute again")
    expect(page).to_have_url(re.compile(r"/f/termination/3\?set\.prestop=15s$"))
    expect(page.locator(".verdicts tr").nth(1)).to_have_class("good")
    page.go_back()
    expect(page.locator(".verdicts tr").nth(1)).to_have_class("bad")


def test_a_wrong_value_is_said_beside_its_field(page: Page, faults: list[str]) -> None:
    opened(page, 3)
    page.fill("[id='set.grace']", "40s")
    page.fill("[id='set.prestop']", "soon")
    page.click("text=Compute again")
    expect(page.locator("[id='set.prestop-problem']")).to_contain_text("allowed: a duration")
    expect(page.locator("[id='set.prestop']")).to_have_value("soon")
    expect(page.locator("[id='set.grace']")).to_have_value("40s")
    # The browser itself says that the answer was no page.
    faults[:] = [row for row in faults if "422" not in row]


def test_a_step_that_cannot_be_fetched_says_so(chromium: Browser, address: str) -> None:
    """The page stays as it was, and the next step that can be fetched takes the words away."""
    context = chromium.new_context(base_url=address, viewport={"width": 1440, "height": 1010})
    page = context.new_page()
    opened(page, 3)
    expect(page.locator("#lost")).to_be_hidden()
    context.set_offline(True)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#lost")).to_contain_text("The server did not answer")
    is_at(page, 3)
    context.set_offline(False)
    page.keyboard.press("ArrowRight")
    is_at(page, 4)
    expect(page.locator("#lost")).to_be_hidden()
    context.close()


def test_a_search_may_take_longer_than_a_step(page: Page) -> None:
    opened(page, 3)
    page.evaluate("htmx.config.defaultTimeout = 1")
    page.route("**/orders", lambda route: route.fulfill(body='<section id="verdicts">found</section>'))
    page.click("#search")
    expect(page.locator("#verdicts")).to_have_text("found")


def test_a_symptom_is_injected_and_found(page: Page) -> None:
    opened(page, 3)
    row = page.locator(".fail li", has_text="Terminating until the grace runs out")
    row.locator("a").click()
    expect(page).to_have_url(re.compile("scene="))
    expect(page.locator(".in-scene")).to_be_visible()
    row = page.locator(".fail li", has_text="Terminating until the grace runs out")
    expect(row.locator("a")).to_have_text("in this walk")
    row.locator("a").click()
    expect(page.locator(".fail li.happening", has_text="Terminating until the grace runs out")).to_be_visible()
    assert int(page.get_attribute("#scrub", "aria-valuenow") or 0) > 0


def test_a_shared_link_opens_the_same_moment(page: Page, chromium: Browser, address: str) -> None:
    opened(page, 3, "?set.prestop=5s")
    page.keyboard.press("ArrowRight")
    is_at(page, 4)
    page.click("#share summary")
    link = page.locator("#share input").first.input_value()
    assert link.startswith(f"{address}/f/termination/")
    assert "4?" not in link
    told = page.locator(".say h3").inner_text()
    other = chromium.new_context().new_page()
    other.goto(link)
    assert other.locator(".say h3").inner_text() == told
    assert other.locator("#scrub").get_attribute("aria-valuenow") == "4"
    assert other.locator(".clock").inner_text() == page.locator(".clock").inner_text()
    other.context.close()


def test_every_order_is_searched_on_request(page: Page) -> None:
    opened(page, 3)
    page.click("#search")
    expect(page.locator("#verdicts .range").first).to_be_visible(timeout=90_000)
    is_at(page, 3)
    expect(page.locator("#verdicts")).to_contain_text("In every order and at every lag of kubelet")


def test_a_session_is_saved_decided_in_and_resumed(page: Page) -> None:
    opened(page, 6)
    page.keyboard.press("f")
    expect(page).to_have_url(re.compile(r"/s/[\w-]+/6$"))
    page.keyboard.press("ArrowRight")
    is_at(page, 7)
    page.fill("[name='do']", "30ms delete pod/web-2")
    page.click("text=Do it")
    expect(page.locator(".chosen")).to_contain_text("30ms delete pod/web-2")
    page.fill("[name='text']", "Two at once")
    page.click("text=Note it")
    expect(page.locator("#notes")).to_contain_text("Two at once")
    n = int(page.get_attribute("#scrub", "aria-valuenow") or 0)
    page.goto("/sessions")
    page.click("main td a")
    is_at(page, n)
    expect(page.locator("#notes")).to_contain_text("Two at once")


def test_the_search_on_the_first_page(page: Page) -> None:
    page.goto("/")
    page.fill("[name='q']", "502 during rollout")
    page.keyboard.press("Enter")
    page.click(".findings h3 a")
    expect(page.locator("#scrub")).to_be_visible()


def test_a_pod_of_the_list_is_described_in_place(page: Page) -> None:
    opened(page, 4)
    page.locator(".terminal pre a").first.click()
    expect(page.locator("#described")).to_have_attribute("open", "")
    expect(page).to_have_url(re.compile(r"/4\?pod=web-"))
    expect(page.locator("#described summary")).to_be_in_viewport()
    page.click("#next")
    is_at(page, 5)
    expect(page.locator("#described")).to_have_attribute("open", "")
