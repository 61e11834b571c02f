"""`loopscope export`: a walk in a form to take away."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

from app.commands import given, reviewing
from app.errors import BadInput

FORMS = ("svg", "png", "mmd", "md", "sheet", "sheet-png", "animated", "html", "folder", "pdf")


def add(commands: Any) -> None:
    export = commands.add_parser(
        "export",
        help="a walk as pictures, pages or text that need no server",
        description="A step or a whole walk in a form to take away. The same walk gives the same bytes.",
        epilog="svg and png: the timeline of the whole walk, with --view messages all of them; with --step that step. "
        "mmd: Mermaid. md: Markdown. sheet, sheet-png: every step as a small picture. animated: the timeline with a "
        "moving present, an SVG under 50 KB. html: one file with every step, to be stepped through without a server. "
        "folder: the same as a folder of pages and pictures; a FILE that ends in .zip is packed. pdf: the report "
        "of the whole walk; `loopscope report` has more options.",
    )
    export.add_argument("flow")
    given.walk_options(export)
    export.add_argument("--words", default="", metavar="NAME", help="tell it in other words, where the flow has some")
    export.add_argument("--form", choices=FORMS, required=True)
    export.add_argument("--step", default="", help="number or id of the step that svg, png and mmd show")
    export.add_argument("--from", default="", metavar="STEP", dest="first", help="the first step of the other forms")
    export.add_argument("--to", default="", metavar="STEP", dest="last", help="their last")
    export.add_argument("--view", choices=("cluster", "messages", "timeline"), default="")
    export.add_argument("--theme", choices=("light", "dark"), default="")
    export.add_argument("--scale", choices=("1", "2"), default="1", help="of a PNG")
    export.add_argument("--depth", choices=("junior", "middle", "senior", "principal"), default="middle")
    export.add_argument("-o", "--output", type=Path, metavar="FILE|DIR")
    export.set_defaults(run=_export)


def _export(asked: argparse.Namespace) -> int:
    if asked.form == "pdf":
        if asked.step or asked.first or asked.last or asked.view:
            raise BadInput(["--form pdf: is of the whole walk; it takes no --step, --from, --to or --view"])
        reviewing.write(asked)
        return 0
    return _exported(asked)


def _exported(asked: argparse.Namespace) -> int:
    from app.export.asked import asked as wish
    from app.export.folder import files
    from app.export.forms import exported
    from app.story.play import play

    played = play(given.walk(asked))
    wanted = wish(
        played,
        asked.form,
        step=asked.step,
        first=asked.first,
        last=asked.last,
        view=asked.view,
        theme=asked.theme,
        scale=asked.scale,
        depth=asked.depth,
    )
    if asked.form == "folder" and (asked.output is None or asked.output.suffix != ".zip"):
        _folder(dict(files(played, wanted)), asked.output)
    else:
        given.write(exported(played, wanted).body, asked.output)
    return 0


def _folder(files: dict[str, bytes], path: Path | None) -> None:
    """A new folder that is complete or not there at all."""
    if path is None:
        raise BadInput(["--form folder: give a folder to make, or a file that ends in .zip: -o DIR"])
    if path.is_file() or (path.is_dir() and any(path.iterdir())):
        raise BadInput([f"{path}: is there already; give a folder that is not, or is empty"])
    partial = path.with_name(path.name + ".partial")
    try:
        partial.mkdir()
        for name, body in files.items():
            (partial / name).write_bytes(body)
        if path.is_dir():
            path.rmdir()
        partial.rename(path)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise BadInput([f"{path}: cannot be written: {error.strerror}"]) from None
