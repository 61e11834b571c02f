"""The text of pictures: well-formed, accessible, free of inline style, and the same in every process."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from app import diagram
from app.catalog.flow import Flow
from app.diagram.rendering import breakable
from app.diagram.shapes import Group, Picture, label
from app.diagram.stylesheet import flat
from app.paths import static_dir
from app.sim.walk import Walk
from tests.diagram import walks

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
VIEWS = ("cluster", "messages", "timeline", "thumbnail")


def pictures(walk: Walk, flow: Flow) -> Iterator[Picture]:
    """Every view of every step, wide and narrow."""
    for n in range(len(walk.steps) + 1):
        for view in VIEWS:
            yield diagram.picture(view, walk, n, flow)
            yield diagram.picture(view, walk, n, flow, narrow=True)


def test_every_picture_is_well_formed_and_has_a_title_and_a_description(walk: Walk, flow: Flow) -> None:
    for picture in pictures(walk, flow):
        root = ET.fromstring(diagram.render_svg(picture, standalone=False))  # noqa: S314 - our own text
        assert root.tag == f"{SVG}svg"
        assert root.get("viewBox") == f"0 0 {picture.width} {picture.height}"
        assert root.get("role") == "img"
        named = (root.get("aria-labelledby") or "").split()
        found = {child.get("id"): child.text for child in root if child.get("id") in named}
        assert len(found) == 2
        assert all(found.values())


def test_ids_are_unique_and_nothing_is_styled_in_place(walk: Walk, flow: Flow) -> None:
    for picture in pictures(walk, flow):
        root = ET.fromstring(diagram.render_svg(picture, standalone=False))  # noqa: S314 - our own text
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert len(ids) == len(set(ids))
        for element in root.iter():
            assert element.get("style") is None
            assert element.tag != f"{SVG}style"
            assert {"fill", "stroke", "onclick"} & set(element.keys()) == set()


def test_thumbnails_of_several_flows_on_one_page_share_no_id(walk: Walk, flow: Flow) -> None:
    one, other = diagram.thumbnail(walk, 0, flow), diagram.thumbnail(walk, 0, flow, name="example")
    third = diagram.thumbnail(walk, 0, walks.FLOW.__class__(id="other", title="", summary="", chapter="", lanes=()))
    assert len({one.id, other.id, third.id}) == 3
    assert not {row.id for row in one.groups} & {row.id for row in other.groups}


def test_wide_and_narrow_pictures_share_no_id(walk: Walk, flow: Flow) -> None:
    ids = [
        {row.id for row in diagram.picture(view, walk, 5, flow, narrow=narrow).groups}
        for view in ("cluster", "messages", "timeline")
        for narrow in (False, True)
    ]
    assert sum(map(len, ids)) == len(set.union(*ids))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_on_its_own_carries_colours_that_every_viewer_understands(theme: str) -> None:
    for view in VIEWS:
        picture = diagram.picture(view, walks.race(), 11, walks.FLOW)
        svg = diagram.render_svg(picture, standalone=True, theme="light" if theme == "light" else "dark")
        root = ET.fromstring(svg)  # noqa: S314 - our own text
        style = next(root.iter(f"{SVG}style")).text or ""
        assert not re.search(r"var\(|light-dark|@|:is|:root|--p-", style)
        assert (root.get("width"), root.get("height")) == (str(picture.width), str(picture.height))
        canvas = next(element for element in root.iter() if element.get("class") == "canvas")
        assert canvas.get("width") == str(picture.width)


def test_the_two_themes_differ_only_in_colours() -> None:
    light, dark = flat("light"), flat("dark")
    assert light != dark
    assert re.sub(r"#[0-9a-f]{6}", "#", light) == re.sub(r"#[0-9a-f]{6}", "#", dark)


def test_every_colour_has_a_light_and_a_dark_value() -> None:
    css = (static_dir() / "diagram.css").read_text()
    used = set(re.findall(r"var\((--p-[a-z-]+)\)", css))
    given = set(re.findall(r"(--p-[a-z-]+): light-dark\(#[0-9a-f]{6}, #[0-9a-f]{6}\);", css))
    assert used == given


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_words_can_be_read_on_their_ground(theme: int) -> None:
    """WCAG asks for a contrast of 4.5."""
    css = (static_dir() / "diagram.css").read_text()
    pairs = re.findall(r"--p-([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", css)
    colours = {name: (light, dark)[theme] for name, light, dark in pairs}
    grounds = [luminance(colours[name]) for name in ("canvas", "frame", "panel")]
    for name in colours.keys() - {"canvas", "frame", "panel", "line", "faint"}:
        for ground in grounds:
            high, low = max(luminance(colours[name]), ground), min(luminance(colours[name]), ground)
            assert (high + 0.05) / (low + 0.05) >= 4.5, name


@pytest.mark.parametrize("scale", [1, 2])
def test_a_png_has_the_size_of_its_picture(scale: int) -> None:
    picture = diagram.timeline(walks.race(), 11, walks.FLOW)
    png = diagram.render_png(diagram.render_svg(picture, standalone=True, theme="dark"), scale)
    assert png.startswith(b"\x89PNG")
    wide, high = struct.unpack(">II", png[16:24])
    assert (wide, high) == (round(picture.width * scale), round(picture.height * scale))


def test_a_png_can_be_made_from_a_picture_too() -> None:
    picture = diagram.cluster(walks.race(), 11, walks.FLOW)
    svg = diagram.render_svg(picture, standalone=True, theme="dark")
    assert diagram.render_png(picture, theme="dark") == diagram.render_png(svg)


def test_words_from_outside_are_escaped() -> None:
    words = '<script>alert("1")</script>&'
    group = Group(id="g", look="caption", title=words, labels=(label(1, 1, words, "t-note"),))
    picture = Picture(id="p", look="picture", width=10, height=10, title=words, desc=words, groups=(group,))
    svg = diagram.render_svg(picture, standalone=False)
    assert "<script" not in svg
    assert words in {element.text for element in ET.fromstring(svg).iter()}  # noqa: S314 - our own text


def test_long_names_break_after_a_slash_and_are_escaped_all_the_same() -> None:
    assert breakable("pod/web-1 is Ready") == "pod/web-1 is Ready"
    assert breakable("taint: node.kubernetes.io/unreachable:NoExecute") == (
        "taint: node.kubernetes.io/<wbr>unreachable:NoExecute"
    )
    assert breakable("<script>aaaaaaaaaaaaaaaaaaaaaaaa/<b>") == "&lt;script&gt;aaaaaaaaaaaaaaaaaaaaaaaa/<wbr>&lt;b&gt;"


def test_the_same_bytes_in_another_process_with_another_hash_seed() -> None:
    code = (
        "import hashlib; from app import diagram; from tests.diagram import walks; walk = walks.race()\n"
        "text = ''.join(diagram.render_svg(diagram.picture(view, walk, n, walks.FLOW), standalone=True, theme='light')"
        " for n in range(len(walk.steps) + 1) for view in ('cluster', 'messages', 'timeline'))\n"
        "print(hashlib.sha256(text.encode()).hexdigest())"
    )
    prints = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(prints) == 1
