"""A review written down: as a page, as Markdown and, set by Typst, as PDF."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import msgspec
import typst

from app import diagram
from app.diagram.words import part
from app.export.asked import Asked, File
from app.export.figures import Figure, figures
from app.export.prose import messages, pictures
from app.export.review import Review, Subject, review
from app.export.sharing import Placed, Shapes
from app.export.writing import page_style, policy, rendered
from app.paths import static_dir, templates_dir
from app.story.play import Play

FORMS = {
    "html": (".html", "text/html; charset=utf-8"),
    "md": (".md", "text/markdown; charset=utf-8"),
    "pdf": (".pdf", "application/pdf"),
}
StepHref = Callable[[int], str]


def reported(form: str, played: Play, asked: Asked, subject: Subject) -> File:
    """The report as a file."""
    found = review(played, asked, subject)
    shown = tuple(figures(played, found, subject.against))
    match form:
        case "md":
            body = _markdown(found, shown, played, asked).encode()
        case "pdf":
            body = _pdf(found, shown)
        case _:
            body = _page(found, shown, played, asked).encode()
    suffix, media = FORMS[form]
    return File(f"{played.flow.id}-report{suffix}", media, body)


def placed(shown: tuple[Figure, ...]) -> tuple[Shapes, tuple[tuple[Figure, Placed], ...]]:
    """The figures for one page, where no id may occur twice."""
    shapes = Shapes("r")
    return shapes, tuple((figure, shapes.placed([figure.picture])[0]) for figure in shown)


def step_addresses(played: Play, asked: Asked) -> StepHref:
    """Where a step of the walk can be seen; empty where no server is known."""
    rows = played.steps
    return lambda n: asked.address.replace("{step}", rows[n - 1].id if n else "0")


def _page(found: Review, shown: tuple[Figure, ...], played: Play, asked: Asked) -> str:
    style = page_style(fonts=True)
    shapes, drawn = placed(shown)
    return rendered(
        "report.html",
        policy=policy(style),
        style=style,
        theme=asked.theme,
        review=found,
        words=part("report"),
        shapes=shapes.all,
        figures=drawn,
        href=step_addresses(played, asked),
    )


def _markdown(found: Review, shown: tuple[Figure, ...], played: Play, asked: Asked) -> str:
    rows = played.steps
    return rendered(
        "report.md",
        review=found,
        words=part("report"),
        figures=shown,
        pictures=lambda n: pictures(asked, rows[n - 1].id, n),
        pictured=bool(asked.pictures),
        messages=messages(played, len(rows)),
        href=step_addresses(played, asked),
    )


@lru_cache(maxsize=2)
def _fonts(*, system: bool) -> typst.Fonts:
    return typst.Fonts(include_system_fonts=system, font_paths=[str(static_dir() / "fonts")])


def _pdf(found: Review, shown: tuple[Figure, ...]) -> bytes:
    """Every word reaches Typst as a value, so none can be a command of it."""
    data = {
        "review": msgspec.to_builtins(found),
        "words": part("report"),
        "figures": [
            {
                "caption": figure.caption,
                "svg": diagram.render_svg(figure.picture, standalone=True),
                "alt": ". ".join(figure.lines),
                "view": figure.view,
            }
            for figure in shown
        ],
    }
    try:
        return _set(data, system=False, standards=["ua-1"])
    except typst.TypstError:
        # A character that our fonts lack, in somebody's note: the machine's fonts may have it.
        return _set(data, system=True, standards=[])


def _set(data: dict[str, Any], *, system: bool, standards: list[Any]) -> bytes:
    template = templates_dir() / "export" / "report.typ"
    return typst.compile(
        str(template),
        # Nothing outside may be read, and nothing in it is.
        root=str(template.parent),
        font_paths=_fonts(system=system),
        ignore_system_fonts=not system,
        sys_inputs={"data": json.dumps(data, ensure_ascii=False)},
        pdf_standards=standards,
        format="pdf",
    )
