"""One inspection: manifests in, facts and findings out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from app.inspect.allowances import Allowance, allowances
from app.inspect.computed import PodFacts, computed
from app.inspect.finding import SEVERITIES, Found
from app.inspect.gathering import subject
from app.inspect.rules import RULES
from app.inspect.subject import Subject
from app.inspect.words import filled, words
from app.kube.manifests import NotModelled, judged
from app.kube.members import Member
from app.kube.meta import Ref
from app.kube.releases import CURRENT, Release
from app.kube.yaml_values import written


class Finding(NamedTuple):
    """One fault in words, with its place: `path` is that of the field, also where nobody wrote it."""

    rule: str
    severity: str
    title: str
    object: str
    path: str
    file: str
    document: int
    line: int
    says: str
    why: str
    remedy: str
    source: str

    @property
    def sentence(self) -> str:
        """What was found, as a sentence; a question at its end needs no full stop."""
        return self.says if self.says.endswith("?") else f"{self.says}."


class Inspection(NamedTuple):
    """`findings` are ordered: the worst first, then by file and line."""

    subject: Subject
    pods: tuple[PodFacts, ...]
    budgets: tuple[Allowance, ...]
    findings: tuple[Finding, ...]
    not_modelled: tuple[NotModelled, ...]
    release: Release
    """The Kubernetes that they are meant for."""

    def count(self, severity: str) -> int:
        return sum(row.severity == severity for row in self.findings)

    def fails(self, at: str) -> bool:
        """Whether there is a finding of that severity or a worse one."""
        return any(self.count(row) for row in SEVERITIES[: SEVERITIES.index(at) + 1])


def inspect(texts: Mapping[str, str], release: Release = CURRENT) -> Inspection:
    """Inspect the manifests in some texts, by the names of the texts; BadInput where one cannot be read."""
    found = judged(texts)
    under = subject(found, release)
    return Inspection(
        under,
        computed(under),
        allowances(under),
        _ordered(_told(rule, row, under.members) for rule, check in RULES.items() for row in check(under)),
        found.not_modelled,
        release,
    )


def _told(rule: str, row: Found, members: Mapping[Ref, Member]) -> Finding:
    said, place = words().rules[rule], members[row.ref].where(row.path)
    return Finding(
        rule=rule,
        severity=said.severity,
        title=said.title,
        object=str(row.ref),
        path=written(row.path),
        file=place.source,
        document=place.document,
        line=place.line,
        says=filled(said.says, row.values),
        why=said.why,
        remedy=filled(said.remedy, row.values),
        source=said.source,
    )


def _ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    order = {rule: at for at, rule in enumerate(RULES)}
    return tuple(
        sorted(
            dict.fromkeys(findings),
            key=lambda row: (SEVERITIES.index(row.severity), row.file, row.line, order[row.rule], row.object, row.path),
        )
    )
