"""Every character that a page or a picture shows is in a font that Loopscope ships."""

import ast
import html
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from app.paths import flows_dir, static_dir, templates_dir

FONTS = static_dir() / "fonts"
APP = Path(__file__).resolve().parents[2] / "app"
PICTURE_FONTS = {
    "Inter-400.ttf": ("Inter", 400),
    "Inter-500.ttf": ("Inter", 500),
    "Inter-600.ttf": ("Inter", 600),
    "Inter-700.ttf": ("Inter", 700),
    "JetBrainsMono-400.ttf": ("JetBrains Mono", 400),
    "JetBrainsMono-700.ttf": ("JetBrains Mono", 700),
}


def characters_of(font: str) -> frozenset[str]:
    return frozenset(map(chr, TTFont(FONTS / font).getBestCmap()))


def strings_of_code(path: Path) -> str:
    """The string constants of a module, without its docstrings."""
    tree = ast.parse(path.read_text())
    docstrings = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings)
    return "".join(node.value for node in constants if isinstance(node.value, str))


def visible(text: str) -> set[str]:
    """The characters that need a glyph: neither space nor control nor half of a surrogate pair."""
    return {c for c in text if unicodedata.category(c)[0] not in "CZ"}


def shown_texts() -> Iterator[tuple[str, str]]:
    for path in sorted(templates_dir().rglob("*.*")):
        yield path.name, html.unescape(path.read_text())
    for path in sorted(flows_dir().rglob("*.yaml")):
        yield f"{path.parent.name}/{path.name}", path.read_text()
    for path in sorted(static_dir().glob("*.css")):
        yield path.name, re.sub(r"\\([0-9a-f]{4,6}) ?", lambda code: chr(int(code[1], 16)), path.read_text())
    for path in sorted(static_dir().glob("*.js")):
        yield path.name, path.read_text()
    for path in sorted(APP.rglob("*.py")):
        yield str(path.relative_to(APP)), strings_of_code(path)


def test_every_character_shown_has_a_glyph() -> None:
    drawable = characters_of("Inter.woff2") | characters_of("JetBrainsMono.woff2")
    missing = {name: absent for name, text in shown_texts() if (absent := "".join(sorted(visible(text) - drawable)))}
    assert missing == {}, "add them to CHARACTERS in tools/subset_fonts.py, or draw them as SVG"


@pytest.mark.parametrize("font", ["Inter.woff2", *(name for name in PICTURE_FONTS if name.startswith("Inter"))])
def test_the_interface_face_has_the_marks_that_text_relies_on(font: str) -> None:
    assert set("→←≥≤≈●○▶◀·…–—‘’“”×±µ✓✗⚠") <= characters_of(font)


@pytest.mark.parametrize("picture", PICTURE_FONTS)
def test_pages_and_pictures_have_the_same_characters(picture: str) -> None:
    page = "Inter.woff2" if picture.startswith("Inter") else "JetBrainsMono.woff2"
    assert characters_of(picture) == characters_of(page)


@pytest.mark.parametrize(("picture", "face"), PICTURE_FONTS.items())
def test_a_picture_font_is_found_by_family_and_weight(picture: str, face: tuple[str, int]) -> None:
    font = TTFont(FONTS / picture)
    family = font["name"].getBestFamilyName()
    assert (family, font["OS/2"].usWeightClass) == face


def test_the_page_fonts_leave_room_in_the_page_budget() -> None:
    assert sum(font.stat().st_size for font in FONTS.glob("*.woff2")) <= 35_000


@pytest.mark.parametrize("licence", ["Inter-OFL.txt", "JetBrainsMono-OFL.txt"])
def test_each_face_has_its_licence_beside_it(licence: str) -> None:
    assert "SIL OPEN FONT LICENSE Version 1.1" in (FONTS / licence).read_text()
