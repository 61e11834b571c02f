"""An inspection for a terminal: findings first, then what Kubernetes computes."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from app.inspect.inspecting import Finding, Inspection
from app.inspect.telling import Fact, Section, assumptions, sections, summary
from app.inspect.words import say

WIDTH = 110


def plain(found: Inspection) -> str:
    """Everything that there is to say."""
    parts = [line for row in found.findings for line in _finding(row)] or [say("none"), ""]
    parts += [line for section in sections(found) for line in _section(section)]
    parts += [f"({text})" for text in assumptions(found)]
    parts += [f"not modelled: {name} {path}".rstrip() for name, path in found.not_modelled]
    return "\n".join([*parts, "", summary(found), ""])


def _finding(row: Finding) -> Iterator[str]:
    yield f"{row.file}:{row.line}: {row.severity}: {row.object}: {row.path or 'object'} [{row.rule}]"
    yield from _block(f"{row.title}: {row.sentence}", "  ")
    yield from _block(row.why, "  ")
    yield from _block(row.remedy, "  → ", "    ")
    yield ""


def _section(section: Section) -> Iterator[str]:
    yield section.title
    yield from _facts(section.facts, "  ")
    for part in section.parts:
        yield f"  {part.title}"
        yield from _facts(part.facts, "    ")
    yield ""


def _facts(facts: tuple[Fact, ...], indent: str) -> Iterator[str]:
    wide = max((len(row.label) for row in facts), default=0)
    for row in facts:
        yield from _block(row.says, f"{indent}{row.label:{wide}}  ", " " * (len(indent) + wide + 2))


def _block(text: str, first: str, rest: str | None = None) -> list[str]:
    indent = first if rest is None else rest
    return wrap(text, WIDTH, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False) or [first.rstrip()]
