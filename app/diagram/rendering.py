"""A placed picture as SVG text, and SVG text as PNG bytes."""

from __future__ import annotations

from functools import lru_cache

import resvg_py
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from app.diagram.shapes import Picture
from app.diagram.stylesheet import Theme, flat
from app.paths import static_dir, templates_dir

LONG_WORD = 24


def environment() -> Environment:
    """How every template is read: all words are escaped, and a name that is not there is an error."""
    found = Environment(
        loader=FileSystemLoader(templates_dir()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    found.filters["breakable"] = breakable
    return found


def breakable(text: str) -> Markup:
    """Long names may be broken after a slash, as in node.kubernetes.io/unreachable, before they are broken anywhere."""
    after_slash = Markup("/<wbr>")
    return Markup(" ").join(
        after_slash.join(word.split("/")) if len(word) >= LONG_WORD else word for word in text.split(" ")
    )


@lru_cache(maxsize=1)
def _template() -> Template:
    return environment().get_template("svg/picture.svg")


def render_svg(picture: Picture, *, standalone: bool, theme: Theme = "light") -> str:
    """The picture in SVG. Standing alone it carries its colours; on a page it takes those of the page."""
    style = Markup(flat(theme)) if standalone else ""  # noqa: S704 - our own file, no reader's words
    return _template().render(picture=picture, style=style)


@lru_cache(maxsize=1)
def _fonts() -> list[str]:
    return [str(path) for path in sorted((static_dir() / "fonts").glob("*.ttf"))]


def render_png(shown: Picture | str, scale: int = 1, *, theme: Theme = "light") -> bytes:
    """A picture (or SVG text that stands alone) as PNG, with the fonts that Loopscope ships."""
    svg = shown if isinstance(shown, str) else render_svg(shown, standalone=True, theme=theme)
    return _png(svg, scale)


@lru_cache(maxsize=32)
def _png(svg: str, scale: int) -> bytes:
    return resvg_py.svg_to_bytes(
        svg_string=svg,
        zoom=float(scale),
        skip_system_fonts=True,
        font_files=_fonts(),
        font_family="Inter",
        sans_serif_family="Inter",
        monospace_family="JetBrains Mono",
    )
