"""What the API server refuses in workloads: their selectors, templates and strategies."""

from __future__ import annotations

from collections.abc import Iterator

from app.kube import annotations as sim
from app.kube import cron, syntax
from app.kube.batch import CronJob, Job, JobSpec
from app.kube.label_selectors import OPERATORS, label_selector
from app.kube.meta import LabelSelector, ObjectMeta
from app.kube.pod_validation import pod_spec
from app.kube.pods import PodTemplateSpec
from app.kube.quoting import shown
from app.kube.workloads import DaemonSet, Deployment, ReplicaSet, RollingUpdateDaemonSet, StatefulSet
from app.kube.yaml_values import Path, Problem

Replicated = Deployment | ReplicaSet | StatefulSet
Workload = Replicated | DaemonSet | Job | CronJob

NONE = (0, "0%")
_LONGEST_CRON_NAME = 52
"""The Job's name has eleven characters more."""


def workload(obj: Workload) -> Iterator[Problem]:
    """All faults below `spec`."""
    match obj:
        case Job():
            yield from _job_spec(obj.spec, ("spec",), obj.kind)
        case CronJob():
            yield from _cron_job(obj)
        case DaemonSet():
            yield from _daemon_set(obj)
        case Deployment() | ReplicaSet() | StatefulSet():
            yield from _replicated(obj)


def _replicated(obj: Replicated) -> Iterator[Problem]:
    spec = obj.spec
    yield from syntax.number(("spec", "replicas"), spec.replicas, 0)
    yield from syntax.number(("spec", "minReadySeconds"), spec.minReadySeconds, 0)
    yield from _selector(spec.selector, spec.template, obj.kind)
    claims = obj.spec.volumeClaimTemplates if isinstance(obj, StatefulSet) else ()
    yield from _template(spec.template, ("spec", "template"), obj.kind, tuple(row.metadata.name for row in claims))
    if isinstance(obj, Deployment):
        yield from _deployment(obj)
    if isinstance(obj, StatefulSet):
        yield from _stateful_set(obj)


def _stateful_set(obj: StatefulSet) -> Iterator[Problem]:
    policy, strategy, path = obj.spec.podManagementPolicy, obj.spec.updateStrategy, ("spec", "updateStrategy")
    yield from syntax.one_of(("spec", "podManagementPolicy"), policy, ("OrderedReady", "Parallel"))
    yield from syntax.one_of((*path, "type"), strategy.type, ("RollingUpdate", "OnDelete"))
    if strategy.rollingUpdate is not None and strategy.type == "OnDelete":
        yield Problem((*path, "rollingUpdate"), "not allowed where type is OnDelete")
    elif strategy.rollingUpdate is not None:
        yield from syntax.number((*path, "rollingUpdate", "partition"), strategy.rollingUpdate.partition, 0)


def _selector(selector: LabelSelector, template: PodTemplateSpec, kind: str) -> Iterator[Problem]:
    path = ("spec", "selector")
    if not selector.matchLabels and not selector.matchExpressions:
        yield Problem(path, f"missing; a {kind} needs a selector that matches its template's labels")
        return
    yield from label_selector(selector, path)
    known = all(row.operator in OPERATORS for row in selector.matchExpressions)
    if known and not selector.selects(template.metadata.labels):
        wanted = ", ".join(f"{key}={value}" for key, value in selector.matchLabels.items()) or "matchExpressions"
        given = ", ".join(f"{key}={value}" for key, value in template.metadata.labels.items()) or "no labels"
        text = f"found {shown(given)}; allowed: labels that spec.selector matches, {shown(wanted)}"
        yield Problem(("spec", "template", "metadata", "labels"), text, about=(path,))


def _template(template: PodTemplateSpec, path: Path, kind: str, claimed: tuple[str, ...] = ()) -> Iterator[Problem]:
    """A template of pods that run for ever."""
    yield from _any_template(template, path, claimed)
    if template.spec.restartPolicy in ("OnFailure", "Never"):
        where = (*path, "spec", "restartPolicy")
        yield syntax.refused(where, template.spec.restartPolicy, f"Always in the template of a {kind}")
    if template.spec.activeDeadlineSeconds is not None:
        where = (*path, "spec", "activeDeadlineSeconds")
        yield Problem(where, f"not allowed in the template of a {kind}")


def _any_template(template: PodTemplateSpec, path: Path, claimed: tuple[str, ...] = ()) -> Iterator[Problem]:
    yield from labelled(template.metadata, (*path, "metadata"))
    yield from pod_spec(template.spec, (*path, "spec"), claimed)
    containers = template.spec.containers + template.spec.initContainers
    yield from behaving(template.metadata, containers, (*path, "metadata"))


def labelled(meta: ObjectMeta, path: Path) -> Iterator[Problem]:
    """Faults of labels and annotations."""
    yield from syntax.labels((*path, "labels"), meta.labels)
    yield from syntax.annotated((*path, "annotations"), meta.annotations)


def behaving(meta: ObjectMeta, containers: tuple[object, ...], path: Path) -> Iterator[Problem]:
    """Faults of the annotations that say how a pod's applications behave."""
    names = tuple(getattr(row, "name", "") for row in containers)
    for key, text in sim.check(meta.annotations, names):
        yield Problem((*path, "annotations", key), text)


def _deployment(obj: Deployment) -> Iterator[Problem]:
    spec, path = obj.spec, ("spec", "strategy")
    yield from syntax.one_of((*path, "type"), spec.strategy.type, ("RollingUpdate", "Recreate"))
    rolling = spec.strategy.rollingUpdate
    if rolling is not None and spec.strategy.type == "Recreate":
        yield Problem((*path, "rollingUpdate"), "not allowed where type is Recreate")
    elif rolling is not None:
        where = (*path, "rollingUpdate")
        yield from share((*where, "maxSurge"), rolling.maxSurge)
        yield from share((*where, "maxUnavailable"), rolling.maxUnavailable, most=100)
        if rolling.maxSurge in NONE and rolling.maxUnavailable in NONE:
            yield Problem((*where, "maxUnavailable"), "found 0; allowed: 1 or more, where maxSurge is 0 as well")
    yield from syntax.number(("spec", "revisionHistoryLimit"), spec.revisionHistoryLimit, 0)
    yield from syntax.number(
        ("spec", "progressDeadlineSeconds"), spec.progressDeadlineSeconds, spec.minReadySeconds + 1
    )


def share(path: Path, value: int | str | None, most: int | None = None) -> Iterator[Problem]:
    """A number of pods, or a percentage of them."""
    if isinstance(value, str):
        digits = value.removesuffix("%")
        if not (value.endswith("%") and digits.isascii() and digits.isdigit() and len(digits) <= 9):
            hint = f"; remove the quotes: {value}" if value.isascii() and value.isdigit() else ""
            yield syntax.refused(path, value, "a whole number, or a percentage such as 25%", hint)
        elif most is not None and int(digits) > most:
            yield syntax.refused(path, value, f"at most {most}%")
    else:
        yield from syntax.number(path, value, 0)


def _daemon_set(obj: DaemonSet) -> Iterator[Problem]:
    spec, path = obj.spec, ("spec", "updateStrategy")
    yield from syntax.number(("spec", "minReadySeconds"), spec.minReadySeconds, 0)
    yield from _selector(spec.selector, spec.template, obj.kind)
    yield from _template(spec.template, ("spec", "template"), obj.kind)
    yield from syntax.one_of((*path, "type"), spec.updateStrategy.type, ("RollingUpdate", "OnDelete"))
    rolling = spec.updateStrategy.rollingUpdate
    if rolling is not None and spec.updateStrategy.type == "OnDelete":
        yield Problem((*path, "rollingUpdate"), "not allowed where type is OnDelete")
    elif rolling is not None:
        yield from _one_of_two(rolling, (*path, "rollingUpdate"))
    yield from syntax.number(("spec", "revisionHistoryLimit"), spec.revisionHistoryLimit, 0)


def _one_of_two(rolling: RollingUpdateDaemonSet, path: Path) -> Iterator[Problem]:
    """ValidateRollingUpdateDaemonSet: a node loses its pod for a while, or has two for a while; never both."""
    missing, surge = rolling.maxUnavailable, rolling.maxSurge
    yield from share((*path, "maxUnavailable"), missing, most=100)
    yield from share((*path, "maxSurge"), surge, most=100)
    # Unset means 1, and 0 for the surge.
    if missing in NONE and surge in (None, *NONE):
        text = f"found {missing}; allowed: 1 or more, where maxSurge is 0 or unset"
        yield Problem((*path, "maxUnavailable"), text, about=((*path, "maxSurge"),))
    elif missing not in NONE and surge not in (None, *NONE):
        text = f"found {surge}; allowed: 0, where maxUnavailable is not 0 (unset, it is 1)"
        yield Problem((*path, "maxSurge"), text, about=((*path, "maxUnavailable"),))


# Jobs.


def _job_spec(spec: JobSpec, path: Path, kind: str) -> Iterator[Problem]:
    for name in ("parallelism", "completions", "backoffLimit", "activeDeadlineSeconds"):
        yield from syntax.number((*path, name), getattr(spec, name), 0)
    policies = ("TerminatingOrFailed", "Failed")
    yield from syntax.one_of((*path, "podReplacementPolicy"), spec.podReplacementPolicy, policies)
    where = (*path, "template")
    yield from _any_template(spec.template, where)
    if spec.template.spec.restartPolicy not in ("OnFailure", "Never"):
        place = (*where, "spec", "restartPolicy")
        yield syntax.refused(place, spec.template.spec.restartPolicy, f"OnFailure or Never in the template of a {kind}")


def _cron_job(obj: CronJob) -> Iterator[Problem]:
    spec, name = obj.spec, obj.metadata.name
    if len(name) > _LONGEST_CRON_NAME:
        yield syntax.refused(("metadata", "name"), name, f"at most {_LONGEST_CRON_NAME} characters for a CronJob")
    yield from syntax.required(("spec", "schedule"), spec.schedule)
    try:
        cron.parse(spec.schedule or "* * * * *")
    except ValueError as error:
        yield Problem(("spec", "schedule"), str(error))
    yield from syntax.one_of(("spec", "concurrencyPolicy"), spec.concurrencyPolicy, ("Allow", "Forbid", "Replace"))
    for field in ("startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"):
        yield from syntax.number(("spec", field), getattr(spec, field), 0)
    path = ("spec", "jobTemplate")
    yield from labelled(spec.jobTemplate.metadata, (*path, "metadata"))
    yield from _job_spec(spec.jobTemplate.spec, (*path, "spec"), "Job")
