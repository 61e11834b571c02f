"""The page of an inspection: what it is made of, and how it is made from what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.inspect.inspecting import Finding, Inspection
from app.inspect.telling import Section, assumptions, sections, summary
from app.inspect.words import words
from app.kube.releases import CURRENT, NAMES
from app.web.pages import Frame
from app.web.rendering import Page

SOURCE = "manifest"
"""What a pasted text is called in messages; on the page only its lines are named."""


@dataclass(frozen=True, kw_only=True)
class FindingRow:
    """One thing that will cause trouble."""

    severity: str
    """error, warning or note: the word, and a class."""
    title: str
    """What it is, in general."""
    says: str
    """What it is here, with its numbers."""
    why: str
    """What comes of it."""
    remedy: str
    """What to do."""
    object: str
    """Whose it is."""
    path: str
    """The field; empty for the whole object."""
    line: int
    """Where that stands in the text."""
    rule: str
    """The rule's id, as the command line prints it."""
    source: str
    """Where in Kubernetes it is decided."""


@dataclass(frozen=True, kw_only=True)
class InspectPage(Page):
    """What Kubernetes computes from manifests, and what in them will cause trouble."""

    template: ClassVar[str] = "inspect.html"

    frame: Frame
    """Title, theme, navigation."""
    text: str
    """What was pasted."""
    problems: tuple[str, ...]
    """Why it cannot be read."""
    summary: str
    """How much was found; empty while nothing is inspected."""
    findings: tuple[FindingRow, ...]
    """The worst first."""
    sections: tuple[Section, ...]
    """What is computed, by object."""
    assumes: tuple[str, ...]
    """What that rests on."""
    leaves_out: tuple[str, ...]
    """What of the manifests has no part in it."""
    rules: tuple[tuple[str, str, str], ...]
    """Everything that is looked for: severity, title, id."""
    manifest: str
    """The hash of the text; empty while nothing is inspected."""
    release: str
    """The Kubernetes that they are inspected for."""
    versions: tuple[str, ...]
    """All that they could be."""
    links: tuple[tuple[str, str], ...]
    """The same as JSON and SARIF, and the flows that can be computed from it: words and address."""


def inspect_page(
    frame: Frame,
    *,
    text: str = "",
    problems: tuple[str, ...] = (),
    found: Inspection | None = None,
    links: tuple[tuple[str, str], ...] = (),
    name: str = "",
) -> InspectPage:
    """The page, with what was found or without."""
    return InspectPage(
        frame=frame,
        text=text,
        problems=problems,
        summary=summary(found) if found is not None else "",
        findings=tuple(_row(row) for row in found.findings) if found is not None else (),
        sections=sections(found) if found is not None else (),
        assumes=assumptions(found) if found is not None else (),
        leaves_out=tuple(f"{name} {path}".rstrip() for name, path in found.not_modelled) if found is not None else (),
        rules=tuple((row.severity, row.title, id) for id, row in words().rules.items()),
        manifest=name,
        release=found.release.name if found is not None else CURRENT.name,
        versions=NAMES,
        links=links,
    )


def _row(row: Finding) -> FindingRow:
    return FindingRow(
        severity=row.severity,
        title=row.title,
        says=row.sentence,
        why=row.why,
        remedy=row.remedy,
        object=row.object,
        path=row.path,
        line=row.line,
        rule=row.rule,
        source=row.source,
    )
