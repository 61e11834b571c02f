"""The three views of a moment, inside a page and as files of their own."""

from __future__ import annotations

from markupsafe import Markup

from app import diagram
from app.story import report, text
from app.story.play import Play, kubectl, passage
from app.web.address import VIEWS

SUFFIXES = ("svg", "png", "mmd", "md", "json")

__all__ = ["SUFFIXES", "VIEWS", "exported", "inline"]


def inline(view: str, played: Play, n: int) -> Markup:
    """The view as a part of a page, which has the styles and the fonts."""
    shown = diagram.picture(view, played.walk, n, played.flow)
    # Its template escapes every word; it is markup from here on.
    return Markup(diagram.render_svg(shown, standalone=False, theme="light"))  # noqa: S704


def exported(suffix: str, played: Play, n: int, *, view: str, theme: str, depth: str) -> tuple[bytes, str]:
    """The moment in another form, and its media type."""
    match suffix:
        case "svg":
            picture = diagram.picture(view, played.walk, n, played.flow)
            return diagram.render_svg(picture, standalone=True, theme=theme).encode(), "image/svg+xml"
        case "png":
            picture = diagram.picture(view, played.walk, n, played.flow)
            return diagram.render_png(picture, theme=theme), "image/png"
        case "mmd":
            return diagram.mermaid(played.walk, n, played.flow).encode(), "text/plain; charset=utf-8"
        case "md":
            return text.markdown(played, n, depth).encode(), "text/markdown; charset=utf-8"
        case _:
            return report.as_json(moment_json(played, n, depth)).encode(), "application/json"


def moment_json(played: Play, n: int, depth: str) -> dict[str, object]:
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
        "kubectl": kubectl(played, n),
    }
