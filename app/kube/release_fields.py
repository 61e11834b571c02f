"""What the API server of a release drops of an object that it does not know yet, and what it refuses to take.

A field whose gate is off is dropped without a word, as dropDisabledFields in pkg/api/pod/util.go and its like do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from app.kube.annotations import PREFIX
from app.kube.batch import CronJob, Job
from app.kube.networking import Service
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Container, Pod, PodSpec, ResourceRequirements
from app.kube.releases import BEHAVIOURS, Release
from app.kube.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet
from app.kube.yaml_values import Path, Problem

TEMPLATED = (Deployment, ReplicaSet, StatefulSet, DaemonSet, Job)
RULES_ALPHA = 34
"""The release that knows the restart policy of a container, and does not take it unless it is told to."""
UNAVAILABLE_ON = (35, 37)
"""On in 1.35.0 and in 1.37; off again in between, for a fault with Parallel (kubernetes/kubernetes#137904)."""
HOOKS = ("postStart", "preStop")
SINGLE_KILL = f"{PREFIX}single-process-oom-kill"


class Dropped(NamedTuple):
    """A field that does not get into the cluster, and the release from which on it does."""

    path: Path
    since: str


class Fitted(NamedTuple):
    """An object as a release takes it."""

    object: Object
    dropped: tuple[Dropped, ...] = ()
    problems: tuple[Problem, ...] = ()


def keeps_max_unavailable(release: Release) -> bool:
    """Whether a StatefulSet's maxUnavailable is stored, that is whether MaxUnavailableStatefulSet is on by default."""
    return release.minor in UNAVAILABLE_ON


def fitted(obj: Object, release: Release) -> Fitted:
    """The object without what the release drops, and what it refuses of the rest."""
    problems = list(_of_object(obj, release))
    path = _path(obj)
    if path is None:
        return Fitted(obj, problems=tuple(problems))
    spec = _spec(obj)
    problems += [Problem((*path, *row.path), row.text) for row in _refused(spec, release)]
    kept, dropped = _without(spec, release)
    found = tuple(Dropped((*path, *row.path), row.since) for row in dropped)
    return Fitted(obj if kept is spec else _with(obj, kept), found, tuple(problems))


def _of_object(obj: Object, release: Release) -> Iterator[Problem]:
    name = obj.metadata.name
    if isinstance(obj, Service) and name[:1].isdigit() and not release.digit_first:
        text = f'found "{name}"; allowed before {_since("digit_first")}: a name that begins with a letter'
        yield Problem(("metadata", "name"), text)
    if isinstance(obj, Node) and obj.metadata.annotations.get(SINGLE_KILL) == "true" and not release.single_kill:
        text = f"found true; allowed before {_since('single_kill')}: false, since a kubelet knows no such setting"
        yield Problem(("metadata", "annotations", SINGLE_KILL), text)


def _refused(spec: PodSpec, release: Release) -> Iterator[Problem]:
    grace = 30 if spec.terminationGracePeriodSeconds is None else spec.terminationGracePeriodSeconds
    for word, at, row in _containers(spec):
        for hook in HOOKS:
            handler = getattr(row.lifecycle, hook, None)
            if handler is None or handler.sleep is None:
                continue
            here: Path = (word, at, "lifecycle", hook)
            if not release.sleep_hook:
                text = f"found a sleep; allowed before {_since('sleep_hook')}: exec, httpGet, tcpSocket"
                yield Problem(here, text)
            elif handler.sleep.seconds == 0 and not release.zero_sleep:
                text = f"found 0; allowed before {_since('zero_sleep')}: from 1 to {grace}"
                yield Problem((*here, "sleep", "seconds"), text)
        if _own_policy(word, row) and release.minor < RULES_ALPHA:
            text = (
                f'found "{row.restartPolicy}"; allowed before {_since("restart_rules")}: Always, of an init container'
            )
            yield Problem((word, at, "restartPolicy"), text)


def _without(spec: PodSpec, release: Release) -> tuple[PodSpec, list[Dropped]]:
    dropped: list[Dropped] = []
    kept = spec
    if spec.resources != ResourceRequirements() and not release.pod_resources:
        dropped.append(Dropped(("resources",), _since("pod_resources")))
        kept = replace(kept, resources=ResourceRequirements())
    if not release.restart_rules:
        for word, at, row in _containers(spec):
            names = ["restartPolicyRules"] if row.restartPolicyRules else []
            names += ["restartPolicy"] if _own_policy(word, row) and release.minor == RULES_ALPHA else []
            dropped += [Dropped((word, at, name), _since("restart_rules")) for name in names]
        kept = replace(
            kept,
            containers=tuple(_unruled("containers", row) for row in kept.containers),
            initContainers=tuple(_unruled("initContainers", row) for row in kept.initContainers),
        )
    return (kept if dropped else spec), dropped


def _unruled(word: str, row: Container) -> Container:
    return replace(row, restartPolicyRules=(), restartPolicy="" if _own_policy(word, row) else row.restartPolicy)


def _own_policy(word: str, row: Container) -> bool:
    """Whether a container has a policy that only a sidecar could have before."""
    return bool(row.restartPolicy) and not (word == "initContainers" and row.sidecar)


def _containers(spec: PodSpec) -> Iterator[tuple[str, int, Container]]:
    for word in ("initContainers", "containers"):
        for at, row in enumerate(getattr(spec, word)):
            yield word, at, row


def _since(behaviour: str) -> str:
    return f"1.{BEHAVIOURS[behaviour].minor}"


def _path(obj: Object) -> Path | None:
    """Where the spec of its pods stands; None where it makes none."""
    if isinstance(obj, Pod):
        return ("spec",)
    if isinstance(obj, CronJob):
        return ("spec", "jobTemplate", "spec", "template", "spec")
    return ("spec", "template", "spec") if isinstance(obj, TEMPLATED) else None


def _spec(obj: Object) -> PodSpec:
    if isinstance(obj, Pod):
        return obj.spec
    if isinstance(obj, CronJob):
        return obj.spec.jobTemplate.spec.template.spec
    assert isinstance(obj, TEMPLATED)  # noqa: S101 - as `_path` has found
    return obj.spec.template.spec


def _with(obj: Object, spec: PodSpec) -> Object:
    if isinstance(obj, Pod):
        return replace(obj, spec=spec)
    if isinstance(obj, CronJob):
        job = obj.spec.jobTemplate
        inner = replace(job.spec, template=replace(job.spec.template, spec=spec))
        return replace(obj, spec=replace(obj.spec, jobTemplate=replace(job, spec=inner)))
    assert isinstance(obj, TEMPLATED)  # noqa: S101 - as `_path` has found
    return replace(obj, spec=replace(obj.spec, template=replace(obj.spec.template, spec=spec)))
