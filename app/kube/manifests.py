"""Real Kubernetes YAML to objects: every problem with its place, and a list of what the model leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from app.errors import BadInput
from app.kube import patching
from app.kube.config import Secret
from app.kube.members import Member, members, text_at
from app.kube.meta import CLUSTER_SCOPED, DEFAULT_NAMESPACE, LAST_APPLIED, Ref
from app.kube.near_names import did_you_mean, near_name
from app.kube.objects import KINDS, Object
from app.kube.quoting import shown
from app.kube.schema_walk import Findings, read
from app.kube.stringmap import StringMap
from app.kube.upstream_fields import RETIRED, UPSTREAM_KINDS, is_upstream_group
from app.kube.validation import problems_of
from app.kube.yaml_reading import read_documents
from app.kube.yaml_values import MapNode, Path, Problem, found, line_of, written

MOST_PROBLEMS = 200


class NotModelled(NamedTuple):
    """A field of an object, or with an empty path the whole object, that has no effect in the model."""

    object: str
    path: str


class Manifests(NamedTuple):
    objects: tuple[Object, ...] = ()
    not_modelled: tuple[NotModelled, ...] = ()


class Refusal(NamedTuple):
    """A fault that does not keep an object from being read: the API server would turn it down."""

    ref: Ref
    problem: Problem


class Judged(NamedTuple):
    """Objects as they are written, sound or not, each as it stood in its document, and what would be turned down."""

    objects: tuple[Object, ...]
    not_modelled: tuple[NotModelled, ...]
    members: Mapping[Ref, Member]
    refusals: tuple[Refusal, ...]


def read_manifests(text: str, source: str = "manifest") -> Manifests:
    """The objects of one text; BadInput lists all its problems."""
    return read_files({source: text})


def read_files(texts: Mapping[str, str]) -> Manifests:
    """The objects of several texts under their names, as if they were one."""
    reader = _Reader()
    for source, text in texts.items():
        reader.add(text, source)
    return reader.finished()


def judged(texts: Mapping[str, str]) -> Judged:
    """The objects of several texts, also those with faults that only the API server would find.

    BadInput lists what cannot be read at all: no YAML, no such kind or field, a value of the wrong type.
    """
    reader = _Reader(lenient=True)
    for source, text in texts.items():
        reader.add(text, source)
    found = reader.finished()
    return Judged(found.objects, found.not_modelled, reader.members, tuple(reader.refusals))


class _Reader:
    """What was read so far, from all texts."""

    def __init__(self, *, lenient: bool = False) -> None:
        self.lenient = lenient
        self.objects: dict[Ref, Object] = {}
        self.members: dict[Ref, Member] = {}
        self._unread: list[Member] = []
        self.not_modelled: list[NotModelled] = []
        self.problems: list[str] = []
        self.refusals: list[Refusal] = []

    def add(self, text: str, source: str) -> None:
        reading = read_documents(text, source)
        self.problems += reading.problems
        for document in reading.documents:
            self._unread += members(document, source)

    def _add_member(self, member: Member) -> None:
        found_kind = _kind(member)
        if isinstance(found_kind, Problem):
            self.problems.append(member.told(found_kind))
        elif found_kind is None:
            self.not_modelled.append(NotModelled(member.name, ""))
        else:
            self._add_object(member, found_kind)

    def _add_object(self, member: Member, cls: type[Object]) -> None:
        findings = Findings()
        obj = _placed(read(cls, member.node, (), findings))
        refused = [*_retired(member), *_news(problems_of(obj), findings.problems)]
        first = self.members.setdefault(obj.ref, member)
        if first is not member and obj.metadata.name:
            place = f"{first.place}{', ' if first.prefix else ''}{written(first.prefix)}"
            refused.append(Problem((), f"the same object stands twice, first in {place}; keep one"))
        if self.lenient:
            self.refusals += [Refusal(obj.ref, problem) for problem in refused]
        problems = findings.problems + ([] if self.lenient else refused)
        problems.sort(key=lambda problem: line_of(member.node, problem.path))
        self.problems += [member.told(problem) for problem in problems]
        self.objects[obj.ref] = obj
        self.not_modelled += [NotModelled(str(obj.ref), written(path)) for path in findings.not_modelled]

    def finished(self) -> Manifests:
        """All that was added, once every patch is written to what it changes."""
        patches = [member for member in self._unread if patching.is_patch(member)]
        found, problems = patching.patched([row for row in self._unread if not patching.is_patch(row)], patches)
        for member in found:
            self._add_member(member)
        self.problems += problems
        if self.problems:
            more = len(self.problems) - MOST_PROBLEMS
            raise BadInput(self.problems[:MOST_PROBLEMS] + ([f"and {more:,} more problems"] if more > 0 else []))
        return Manifests(tuple(self.objects.values()), tuple(self.not_modelled))


def _kind(member: Member) -> type[Object] | Problem | None:
    """The type to read it as, None if it is not modelled, or what is wrong with kind and apiVersion."""
    node, kind = member.node, member.kind
    if not isinstance(node, MapNode):
        return Problem((), f"found {found(node)}; allowed: a mapping with apiVersion, kind, metadata and spec")
    for field in ("kind", "apiVersion"):
        given = node.entries.get(field)
        # The items of a typed list leave both out.
        if given is None and not (member.prefix and kind):
            near = near_name(field, node.entries)
            return Problem((field,), "missing; this field is required" + (f'; found "{near}"' if near else ""))
        if given is not None and not text_at(node, field):
            return Problem((field,), f"found {found(given)}; allowed: text such as {_EXAMPLES[field]}")
    if kind == "List":
        return Problem(("items",), f"found {found(node.entries['items'])}; allowed: a list")
    version = text_at(node, "apiVersion")
    if version and not is_upstream_group(version):
        return None
    cls = KINDS.get(kind)
    if cls is None:
        near = "" if kind in UPSTREAM_KINDS else did_you_mean(kind, UPSTREAM_KINDS)
        return Problem(("kind",), f"Kubernetes has no kind {shown(kind)}{near}") if near else None
    if version and version != cls.apiVersion and version not in RETIRED.get(kind, {}):
        return Problem(("apiVersion",), f"found {shown(version)}; allowed for a {kind}: {cls.apiVersion}")
    return cls


def _retired(member: Member) -> Iterator[Problem]:
    """A version in which the kind was once served: it is read all the same, as it hardly differs."""
    version = text_at(member.node, "apiVersion")
    gone = RETIRED.get(member.kind, {}).get(version)
    if gone:
        text = f"found {shown(version)}; allowed for a {member.kind}: {KINDS[member.kind].apiVersion}"
        yield Problem(("apiVersion",), f"{text}; no Kubernetes since {gone} serves the old one")


_EXAMPLES = {"kind": "Deployment", "apiVersion": "apps/v1"}


def _placed(obj: Object) -> Object:
    """With the default namespace, and without kubectl's notes to itself."""
    meta = obj.metadata
    namespace = meta.namespace or ("" if obj.kind in CLUSTER_SCOPED else DEFAULT_NAMESPACE)
    annotations = meta.annotations.without(LAST_APPLIED)
    if isinstance(obj, Secret):
        # Tools besides kubectl keep a copy of the whole manifest there.
        annotations = StringMap((key, "") for key in annotations)
    return replace(obj, metadata=replace(meta, namespace=namespace, annotations=annotations))


def _news(later: Iterator[Problem], known: list[Problem]) -> list[Problem]:
    """The problems that do not merely follow from a known one: same place, around it or within it."""
    faulty = {path for problem in known for path in (problem.path, *problem.about)}
    around = {path[:depth] for path in faulty for depth in range(len(path))}

    def follows(path: Path) -> bool:
        return path in around or any(path[:depth] in faulty for depth in range(len(path) + 1))

    return [problem for problem in later if not any(follows(path) for path in (problem.path, *problem.about))]
