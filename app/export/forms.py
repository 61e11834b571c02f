"""From a walk and a wish to a file, for every form there is."""

from __future__ import annotations

from collections.abc import Callable

from app import diagram
from app.diagram.shapes import Picture
from app.errors import BadInput
from app.export.animated import animated
from app.export.asked import FORMS, Asked, File
from app.export.folder import packed
from app.export.prose import prose
from app.export.sheet import sheet
from app.export.walk_page import walk_page
from app.story.play import Play

MOST_PIXELS = 36_000_000
"""Four bytes each while a PNG is made."""


def exported(played: Play, asked: Asked) -> File:
    """The file; BadInput for what would grow beyond all bounds."""
    form = FORMS[asked.form]
    body = _MAKING[asked.form](played, asked)
    step = "" if asked.n is None else f"-{asked.n}"
    view = f"-{asked.view}" if asked.view else ""
    return File(
        f"{played.flow.id}{step}{view}{form.suffix}", form.media, body if isinstance(body, bytes) else body.encode()
    )


def _picture(played: Play, asked: Asked) -> Picture:
    """A view of one step; of the whole walk the timeline, all its messages, or the cluster at its end."""
    view = asked.view or "timeline"
    if asked.n is None and view == "messages":
        return diagram.messages(played.walk, asked.last, played.flow, whole=True)
    return diagram.picture(view, played.walk, asked.last if asked.n is None else asked.n, played.flow)


def _svg(played: Play, asked: Asked) -> str:
    return diagram.render_svg(_picture(played, asked), standalone=True, theme=asked.colours)


def _png(played: Play, asked: Asked) -> bytes:
    shown = _picture(played, asked)
    return png(diagram.render_svg(shown, standalone=True, theme=asked.colours), asked, shown.width, shown.height)


def _sheet_png(played: Play, asked: Asked) -> bytes:
    drawn = sheet(played, asked)
    return png(drawn.svg, asked, drawn.width, drawn.height)


def png(svg: str, asked: Asked, width: float, height: float) -> bytes:
    """SVG text as pixels, if they are not too many."""
    check_pixels(width, height, asked.scale)
    return diagram.render_png(svg, asked.scale)


def check_pixels(width: float, height: float, scale: int) -> None:
    wide, high = round(width * scale), round(height * scale)
    if wide * high > MOST_PIXELS:
        found = f"png: found {wide} × {high} pixels; at most {MOST_PIXELS:,} are made"
        raise BadInput([f"{found}: take scale=1, fewer steps (from, to) or SVG"])


_MAKING: dict[str, Callable[[Play, Asked], str | bytes]] = {
    "svg": _svg,
    "png": _png,
    "mmd": lambda played, asked: diagram.mermaid(played.walk, asked.last if asked.n is None else asked.n, played.flow),
    "md": prose,
    "sheet": lambda played, asked: sheet(played, asked).svg,
    "sheet-png": _sheet_png,
    "animated": animated,
    "html": walk_page,
    "folder": packed,
}
