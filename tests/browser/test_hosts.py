"""What the dialog gives to paste, pasted into real hosts: MkDocs, a Markdown reader, AsciiDoc, Mermaid."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Browser, Page, expect

from app import diagram
from app.catalog import reading
from app.links.checking import check
from app.links.finding import links
from app.links.shelf import Shelf
from app.story import pinned
from app.story.play import play, request
from app.web.snippets import KINDS, Source, fence
from tests.browser.hosts import Wiki
from tests.web.documents import document

MERMAID = Path(__file__).parent / "data" / "mermaid-11.17.2.min.js"
STEP = 12
PLAYED = play(request("termination"))
WORDS = pinned.words_at(PLAYED, STEP)
PAGE = '<!doctype html><html lang="en"><title>Page</title><link rel="icon" href="data:,"><body>{}</body></html>'


@pytest.fixture(scope="module")
def pasted(lent: str) -> dict[str, str]:
    """The text for each kind of host, as the dialog has it."""
    asked = Request(f"{lent}/f/termination/{STEP}/embed", headers={"HX-Request-Type": "partial"})  # noqa: S310 - ours
    with urlopen(asked) as answer:  # noqa: S310 - our own server
        areas = document(answer.read().decode()).all("textarea")
    return {area.attributes["id"].removeprefix("snippet-"): str(area.children[0]) for area in areas}


def is_loaded(page: Page) -> None:
    """The only picture is there in its own size, and says what it shows."""
    picture = page.locator("img")
    expect(picture).to_have_attribute("alt", WORDS)
    page.wait_for_function("document.images[0].complete && document.images[0].naturalWidth >= 700")


def leads_to_the_step(page: Page) -> None:
    """A click on the picture."""
    with page.expect_navigation():
        page.locator("a:has(img)").click()
    expect(page.locator("#scrub")).to_have_attribute("aria-valuenow", str(STEP))


def test_a_frame_in_a_site_that_mkdocs_has_built(
    host: Page, wiki: Wiki, pasted: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# Wiki\n\nBefore\n\n{pasted['mkdocs']}\n\nAfter\n")
    # Its usual theme fetches a highlighter from elsewhere.
    (tmp_path / "mkdocs.yml").write_text("site_name: Wiki\ntheme: {name: mkdocs, highlightjs: false}\n")
    site = wiki.folder / "site"
    built = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(site)]
    subprocess.run(built, cwd=tmp_path, check=True)
    host.goto(f"{wiki.address}/site/")
    expect(host.locator("iframe")).to_have_attribute("title", WORDS)
    frame = host.frame_locator("iframe")
    expect(frame.locator(".count")).to_have_text(re.compile(rf"^{STEP} / "))
    frame.locator("#next").click()
    expect(frame.locator(".count")).to_have_text(re.compile(rf"^{STEP + 1} / "))
    expect(host.get_by_text("After")).to_be_visible()
    # The same goes into any page of HTML, as test_embeds.py has it, and into Confluence's macro for HTML.
    assert pasted["iframe"] == pasted["confluence"] == pasted["mkdocs"]


def test_techdocs_shows_the_frame_or_at_least_the_link(host: Page, wiki: Wiki, pasted: dict[str, str]) -> None:
    """Backstage keeps no more of a frame than id, width, src and perhaps height, and none that it was not told of."""
    text = MarkdownIt("commonmark", {"html": True}).render(pasted["techdocs"])
    kept = re.sub(r' (?:title|height|loading)="[^"]*"', "", text)
    for name, body in (("kept", kept), ("dropped", re.sub(r"<iframe.*?</iframe>", "", text))):
        (wiki.folder / f"techdocs-{name}.html").write_text(PAGE.format(body))
    host.goto(f"{wiki.address}/techdocs-kept.html")
    expect(host.frame_locator("iframe").locator(".count")).to_have_text(re.compile(rf"^{STEP} / "))
    host.goto(f"{wiki.address}/techdocs-dropped.html")
    host.get_by_role("link", name=WORDS).click()
    expect(host.locator("#scrub")).to_have_attribute("aria-valuenow", str(STEP))


def test_a_picture_in_markdown(host: Page, wiki: Wiki, pasted: dict[str, str]) -> None:
    # The preset is GitHub's: no HTML of the author's passes.
    text = MarkdownIt("gfm-like", {"html": False, "linkify": False}).render(f"# Page\n\n{pasted['markdown']}\n")
    (wiki.folder / "markdown.html").write_text(PAGE.format(text))
    host.goto(f"{wiki.address}/markdown.html")
    is_loaded(host)
    leads_to_the_step(host)


def test_a_picture_in_asciidoc(host: Page, wiki: Wiki, pasted: dict[str, str]) -> None:
    """By asciidoc-py, the reader of AsciiDoc that PyPI has; Asciidoctor is Ruby's."""
    written = subprocess.run(
        [sys.executable, "-m", "asciidoc", "-b", "html5", "-s", "-o", "-", "-"],
        input=f"Before\n\n{pasted['asciidoc']}\nAfter\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert written.stderr == ""
    (wiki.folder / "asciidoc.html").write_text(PAGE.format(written.stdout))
    host.goto(f"{wiki.address}/asciidoc.html")
    is_loaded(host)
    leads_to_the_step(host)


def test_an_address_alone_is_an_embed(host: Page, wiki: Wiki, pasted: dict[str, str]) -> None:
    """Notion makes a frame of the address, without a size of its own."""
    src = pasted["notion"].strip().replace("&", "&amp;")
    frame = f'<iframe src="{src}" style="width:100%;height:100%"></iframe>'
    (wiki.folder / "notion.html").write_text(PAGE.format(frame))
    host.goto(f"{wiki.address}/notion.html")
    expect(host.frame_locator("iframe").locator(".count")).to_have_text(re.compile(rf"^{STEP} / "))


@pytest.fixture(scope="module")
def mermaid(chromium: Browser) -> Iterator[Page]:
    """A page with the real Mermaid in it."""
    page = chromium.new_page()
    page.set_content('<!doctype html><html lang="en"><body><div id="drawn"></div></body></html>')
    page.add_script_tag(path=MERMAID)
    page.evaluate("mermaid.initialize({ startOnLoad: false })")
    yield page
    page.close()


def inside(text: str) -> str:
    """A fence's lines."""
    return text.strip().removeprefix("```mermaid\n").removesuffix("```")


def bare(flow: str, n: int, words: str = "Words") -> Source:
    played = play(request(flow))
    text = diagram.mermaid(played.walk, n, played.flow)
    address = f"https://l.example/f/{flow}/{n}"
    return Source(
        page=address, picture=address, messages=address, embed=address, words=words, title=words, mermaid=text
    )


def test_mermaid_draws_the_fence_with_its_words(mermaid: Page, pasted: dict[str, str]) -> None:
    svg = mermaid.evaluate("text => mermaid.render('walk', text).then((found) => found.svg)", inside(pasted["mermaid"]))
    mermaid.evaluate("svg => { document.getElementById('drawn').innerHTML = svg }", svg)
    assert mermaid.locator("#drawn svg > title").text_content() == WORDS
    assert mermaid.locator("#drawn svg > desc").text_content()
    drawn = mermaid.locator("#drawn .messageText").count()
    assert drawn == len(re.findall(r"^ +p\d+\w*-", pasted["mermaid"], re.MULTILINE)) > STEP


@pytest.mark.parametrize("flow", sorted(reading.flows()))
def test_mermaid_reads_the_fence_of_every_flow(flow: str, mermaid: Page) -> None:
    last = len(play(request(flow)).steps)
    texts = [inside(fence(bare(flow, n))) for n in (0, 1, last // 2, last)]
    read = "text => mermaid.parse(text).then((found) => found.diagramType, String)"
    kinds = [mermaid.evaluate(read, text) for text in texts]
    assert kinds == ["sequence"] * len(texts)


@pytest.mark.parametrize("words", ['A; b # c "d" <e> {f} %% [g] (h)', "end", "it's: 3 > 2; -->> x", "participant"])
def test_mermaid_reads_any_words(words: str, mermaid: Page) -> None:
    text = inside(fence(bare("termination", 3, words)))
    svg = mermaid.evaluate("text => mermaid.render('words', text).then((found) => found.svg, String)", text)
    assert svg.startswith("<svg"), svg
    assert document(svg).one("title").text == words


def test_what_was_pasted_is_found_again_and_holds(pasted: dict[str, str], tmp_path: Path) -> None:
    assert list(pasted) == list(KINDS)
    found = [
        check(link, Shelf(url=f"sqlite:///{tmp_path}/none.db"))
        for kind, text in pasted.items()
        for link in links(text, kind)
    ]
    assert {row.link.file for row in found} == set(KINDS)
    assert [json.dumps([row.link.file, row.state, row.pinned]) for row in found if row.state != "holds"] == []
