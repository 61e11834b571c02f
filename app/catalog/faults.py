"""Faults that many checks of a flow share: a name that does not exist, a text that is no duration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.catalog.flow import Flow
from app.catalog.subjects import maker
from app.kube import durations
from app.kube.meta import Ref
from app.kube.near_names import did_you_mean
from app.kube.phase import static_pod
from app.kube.pods import Pod
from app.kube.yaml_values import Path, Problem


def one_of(path: Path, name: str, allowed: Iterable[str]) -> Iterator[Problem]:
    """A problem unless the name is allowed."""
    names = list(allowed)
    if name not in names:
        text = ", ".join(names) or "none, because there are none"
        yield Problem(path, f'found "{name}"; allowed: {text}{did_you_mean(name, names)}')


def duration(path: Path, text: str) -> Iterator[Problem]:
    """A problem unless the text is a duration."""
    try:
        durations.parse(text)
    except ValueError as error:
        yield Problem(path, str(error))


def exists(flow: Flow, path: Path, ref: Ref) -> Iterator[Problem]:
    """A problem unless cluster.yaml holds the object, or the workload that makes the pod."""
    refs = [obj.ref for obj in flow.cluster]
    mirrors = [
        obj.ref._replace(name=f"{obj.metadata.name}-{obj.spec.nodeName}")
        for obj in flow.cluster
        if isinstance(obj, Pod) and static_pod(obj)
    ]
    if ref not in (*refs, *mirrors) and maker(flow.cluster, ref) is None:
        made = "" if ref.kind != "Pod" else "; pod/NAME-1 is the first pod of workload NAME, NAME-0 of a StatefulSet"
        yield Problem(path, f"cluster.yaml has no {ref}; it has {', '.join(map(str, refs)) or 'nothing'}{made}")
