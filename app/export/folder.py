"""A walk as a folder of plain files that link to each other: for wikis that may reach nothing."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

from msgspec.structs import replace

from app import __version__, diagram
from app.export.asked import VIEWS, Asked
from app.export.prose import prose
from app.export.telling import Told, origin, told
from app.export.writing import page_style, policy, rendered
from app.story.play import Play

# A file's own folder is `file:` where there is no server, and the site where there is one.
IMAGES = "'self' file:"
# The least that a zip file can say: the same walk gives the same bytes whenever it is packed.
EPOCH = (1980, 1, 1, 0, 0, 0)


def files(played: Play, asked: Asked) -> Iterator[tuple[str, bytes]]:
    """Every file with its name: an index, a page and its pictures for each step, the text forms."""
    rows = told(played, asked)
    views = (asked.view,) if asked.view else VIEWS
    style = page_style(fonts=False)
    shared = {
        "style": style,
        "policy": policy(style, images=IMAGES),
        "theme": asked.theme,
        "flow": played.flow,
        "version": __version__,
        "origin": origin(played, asked),
        "last": len(played.steps),
    }
    yield (
        "index.html",
        rendered(
            "index.html", **shared, settings=played.setup.settings, verdicts=played.verdicts, steps=rows, page=page
        ).encode(),
    )
    for at, row in enumerate(rows):
        neighbours = {"back": rows[at - 1] if at else None, "next": rows[at + 1] if at + 1 < len(rows) else None}
        shown = [
            (view, f"{row.n:03}-{view}.svg", diagram.describe(view, played.walk, row.n, played.flow)) for view in views
        ]
        yield page(row), rendered("step.html", **shared, **neighbours, told=row, pictures=shown, page=page).encode()
        for view, name, _ in shown:
            picture = diagram.picture(view, played.walk, row.n, played.flow)
            yield name, diagram.render_svg(picture, standalone=True, theme=asked.colours).encode()
    yield "walk.mmd", diagram.mermaid(played.walk, asked.last, played.flow).encode()
    yield "walk.md", prose(played, replace(asked, pictures="{n}-{view}.svg")).encode()


def page(row: Told) -> str:
    """The name of a step's page."""
    return f"{row.n:03}.html"


def packed(played: Play, asked: Asked) -> bytes:
    """The folder as a zip file."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, body in files(played, asked):
            entry = zipfile.ZipInfo(f"{played.flow.id}/{name}", EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            # Which system packed it would else stand in the file.
            entry.create_system = 3
            archive.writestr(entry, body)
    return into.getvalue()
