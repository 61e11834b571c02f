"""`loopscope check-links`: documentation that embeds or links steps, held against what the model says now."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.commands import given
from app.configuration import DATABASE_URL
from app.errors import BadInput

SUFFIXES = frozenset(
    (".md", ".markdown", ".mdx", ".html", ".htm", ".adoc", ".asciidoc", ".asc", ".rst", ".txt", ".mmd", ".mermaid")
)
LEFT_OUT = ("node_modules",)


def add(commands: Any) -> None:
    links = commands.add_parser(
        "check-links",
        help="links, pictures and embeds of Loopscope in documents: 1 when one is no longer what was seen",
        description="Finds links, pictures, embeds and Mermaid fences of Loopscope in documents, derives each again, "
        "and tells what has changed since it was put there. It asks no server; only a link to a session, or to "
        "manifests that are not given, needs the database.",
        epilog="Exit status: 0 when every link that can be checked holds, 1 when one does not, 2 when a file cannot be "
        "read. What cannot be checked is named and counted.",
    )
    links.add_argument("paths", nargs="+", type=Path, metavar="DIR|FILE")
    links.add_argument(
        "--base",
        action="append",
        default=[],
        metavar="URL",
        help="check what lies below this address, and nothing else",
    )
    links.add_argument("-f", "--file", action="append", default=[], type=Path, metavar="FILE|DIR", help="manifests")
    links.add_argument("--database", default="", metavar="URL", help="where sessions and manifests are kept")
    links.add_argument("--any-version", action="store_true", help="another version alone is no change")
    links.add_argument(
        "--update",
        action="store_true",
        help="write into the files what is seen now, where the address still leads there",
    )
    links.add_argument("--format", choices=("text", "json"), default="text")
    links.add_argument("-o", "--output", type=Path, metavar="FILE")
    links.set_defaults(run=_check_links)


def _check_links(asked: argparse.Namespace) -> int:
    from app.catalog import reading
    from app.links import report, shelf
    from app.links.checking import Checked, check
    from app.links.finding import links
    from app.links.updating import updated
    from app.story.report import as_json

    texts = _documents(asked.paths)
    walks = shelf.Shelf(
        url=shelf.checked(asked.database) if asked.database else DATABASE_URL.get(),
        given=shelf.by_hash(given.manifests(asked.file).values()) if asked.file else {},
    )
    flows = tuple(reading.flows())

    def held(name: str, text: str) -> list[Checked]:
        mine = links(text, name, bases=asked.base, flows=flows)
        return [check(link, walks, any_version=asked.any_version) for link in mine]

    found: list[Checked] = []
    for name, text in texts.items():
        mine = held(name, text)
        if asked.update and (other := updated(text, mine)) != text:
            given.write(other, Path(name))
            mine = held(name, other)
        found += mine
    walks.close()
    told = as_json(report.report(found, len(texts))) if asked.format == "json" else report.plain(found, len(texts))
    given.write(told, asked.output)
    return 1 if any(row.state == "changed" for row in found) else 0


def _documents(paths: list[Path]) -> dict[str, str]:
    """Every text by its name: a file that is named whatever it is called, of folders those that may hold links."""
    found: dict[str, str] = {}
    problems: list[str] = []
    for path in paths:
        for file in _within(path) if path.is_dir() else [path]:
            try:
                # As it is, so that what is written back differs in nothing else.
                found[str(file)] = file.read_bytes().decode()
            except (OSError, UnicodeDecodeError) as error:
                problems.append(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}")
    if problems:
        raise BadInput(problems)
    return found


def _within(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.suffix.lower() in SUFFIXES and path.is_file() and not any(_left_out(part) for part in parts):
            yield path


def _left_out(part: str) -> bool:
    return part.startswith(".") or part in LEFT_OUT
