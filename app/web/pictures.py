"""The three views of a moment, inside a page and as files of their own."""

from __future__ import annotations

from typing import Protocol

from markupsafe import Markup

from app import diagram
from app.diagram import Picture, Pin
from app.diagram.stylesheet import Theme
from app.export.forms import check_pixels
from app.kube.meta import Ref
from app.story import report, text
from app.story.play import Play, passage
from app.story.terminal import kubectl
from app.web.address import VIEWS
from app.web.keeping import Kept
from app.web.player_parts import Drawn

SUFFIXES = ("svg", "png", "mmd", "md", "txt", "json")
MEDIA_TYPES = ("image/svg+xml", "image/png", "text/plain", "text/markdown", "application/json")

SHAPES = ("wide", "narrow")
NOTHING = Markup()

__all__ = ["SHAPES", "SUFFIXES", "VIEWS", "drawn", "exported", "framed", "noted", "thumbnail"]


def _drawn(played: Play, view: str, n: int, shapes: tuple[str, ...]) -> Drawn:
    def placed(*, narrow: bool) -> Picture:
        return diagram.picture(view, played.walk, n, played.flow, narrow=narrow)

    return _in_shapes(placed, shapes, diagram.describe(view, played.walk, n, played.flow))


def _noted(played: Play, n: int, shapes: tuple[str, ...], pins: tuple[Pin, ...]) -> Drawn:
    def placed(*, narrow: bool) -> Picture:
        return diagram.timeline(played.walk, n, played.flow, narrow=narrow, pins=pins)

    return _in_shapes(placed, shapes, diagram.describe_timeline(played.walk, n, played.flow, pins=pins))


class _Placed(Protocol):
    def __call__(self, *, narrow: bool) -> Picture: ...


def _in_shapes(placed: _Placed, shapes: tuple[str, ...], lines: tuple[str, ...]) -> Drawn:
    return Drawn(
        wide=_inline(placed(narrow=False)) if "wide" in shapes else NOTHING,
        narrow=_inline(placed(narrow=True)) if "narrow" in shapes else NOTHING,
        lines=lines,
    )


def _inline(shown: Picture) -> Markup:
    # Its template escapes every word; it is markup from here on.
    return Markup(diagram.render_svg(shown, standalone=False))  # noqa: S704


drawn = Kept(_drawn, most=500)
"""A view as a part of a page, which has the styles and the fonts."""

noted = Kept(_noted)
"""The timeline with what was noted on it."""


def _framed(played: Play, view: str, n: int) -> Drawn:
    wide, narrow = (diagram.framed(view, played.walk, n, played.flow, narrow=shape) for shape in (False, True))
    return Drawn(
        wide=Markup(diagram.render_svg(wide, standalone=False)),  # noqa: S704 - as above
        narrow=Markup(diagram.render_svg(narrow, standalone=False)),  # noqa: S704 - as above
        lines=diagram.describe(view, played.walk, n, played.flow),
    )


framed = Kept(_framed, most=200)
"""A view as a part of an embed."""


def _thumbnail(played: Play, name: str = "thumbnail") -> Markup:
    shown = diagram.thumbnail(played.walk, len(played.steps), played.flow, name=name)
    return Markup(diagram.render_svg(shown, standalone=False))  # noqa: S704


thumbnail = Kept(_thumbnail)
"""The whole walk as a small timeline without words; two on one page need different names."""


def exported(
    suffix: str, played: Play, n: int, *, view: str, theme: Theme, depth: str, pod: Ref | None, scale: int = 1
) -> tuple[bytes, str]:
    """The moment in another form, and its media type."""
    match suffix:
        case "svg":
            picture = diagram.picture(view, played.walk, n, played.flow)
            return diagram.render_svg(picture, standalone=True, theme=theme).encode(), "image/svg+xml"
        case "png":
            picture = diagram.picture(view, played.walk, n, played.flow)
            check_pixels(float(picture.width), float(picture.height), scale)
            return diagram.render_png(picture, scale, theme=theme), "image/png"
        case "mmd":
            return diagram.mermaid(played.walk, n, played.flow).encode(), "text/plain; charset=utf-8"
        case "md":
            return text.markdown(played, n, depth).encode(), "text/markdown; charset=utf-8"
        case "txt":
            return terminal(played, n, pod).encode(), "text/plain; charset=utf-8"
        case _:
            return report.as_json(moment_json(played, n, depth, pod)).encode(), "application/json"


def terminal(played: Play, n: int, pod: Ref | None) -> str:
    """What kubectl would print, as it stands on a terminal."""
    return "\n\n".join(f"$ kubectl {words}\n{printed}" for words, printed in kubectl(played, n, pod).items()) + "\n"


def moment_json(played: Play, n: int, depth: str, pod: Ref | None) -> dict[str, object]:
    """One moment for programs: the step, its words, and what kubectl would print."""
    said = passage(played, n, depth)
    return {
        "flow": played.flow.id,
        "settings": dict(played.setup.settings),
        "n": n,
        "of": len(played.steps),
        "clock": (played.steps[n - 1].step.at if n else 0) / 1000,
        "step": report.step_row(played, played.steps[n - 1]) if n else None,
        "passage": {"title": said.title, "text": said.text, "moment": said.moment, "depth": depth},
        "requests": {"failing": said.harm, "failed": said.failed, "window": said.window},
        "kubectl": kubectl(played, n, pod),
    }
