"""Rules about the updateStrategy of StatefulSets and DaemonSets: what keeps an update from its pods."""

from __future__ import annotations

from collections.abc import Iterator

from app.inspect.finding import Found, found
from app.inspect.spelling import names
from app.inspect.subject import Made, Subject
from app.kube.daemons import max_surge
from app.kube.release_fields import keeps_max_unavailable
from app.kube.workloads import DaemonSet, StatefulSet

_ROLLING = ("spec", "updateStrategy", "rollingUpdate")


def _sets(subject: Subject) -> Iterator[tuple[Made, StatefulSet]]:
    return ((made, made.owner) for made in subject.made if isinstance(made.owner, StatefulSet))


def surge_needs_ports(subject: Subject) -> Iterator[Found]:
    """Two pods of one node cannot have the same port of it (NodePorts); on the host's network every port is one."""
    for made in subject.made:
        owner = made.owner
        if not isinstance(owner, DaemonSet) or not max_surge(owner, made.pods):
            continue
        ports = [f"{port.hostPort}/{port.protocol}" for port in made.ports if port.hostPort]
        rolling = owner.spec.updateStrategy.rollingUpdate
        if ports and rolling is not None:
            yield found(made, (*_ROLLING, "maxSurge"), given=rolling.maxSurge, ports=names(ports))


def update_on_delete(subject: Subject) -> Iterator[Found]:
    """OnDelete: the controller replaces no pod because of its template."""
    for made in subject.made:
        if isinstance(made.owner, StatefulSet | DaemonSet) and made.owner.spec.updateStrategy.type == "OnDelete":
            yield found(made, ("spec", "updateStrategy", "type"))


def partition_holds_all(subject: Subject) -> Iterator[Found]:
    """Pods are updated from the highest ordinal down to the partition: from none, where it is above all of them."""
    for made, owner in _sets(subject):
        partition = _partition(owner)
        if 0 < made.pods <= partition:
            path = (*_ROLLING, "partition")
            yield found(made, path, partition=partition, replicas=made.pods, highest=made.pods - 1)


def partition_splits(subject: Subject) -> Iterator[Found]:
    """Pods below the partition keep their template, and get it again when they are made anew."""
    for made, owner in _sets(subject):
        partition = _partition(owner)
        if 0 < partition < made.pods:
            yield found(made, (*_ROLLING, "partition"), partition=partition, replicas=made.pods, kept=partition)


def unavailable_unread(subject: Subject) -> Iterator[Found]:
    """dropStatefulSetDisabledFields: a field behind a gate that is off is not stored."""
    if keeps_max_unavailable(subject.release):
        return
    for made, owner in _sets(subject):
        rolling = owner.spec.updateStrategy.rollingUpdate
        if rolling is not None and rolling.maxUnavailable not in (None, 1):
            yield found(made, (*_ROLLING, "maxUnavailable"), given=rolling.maxUnavailable, release=subject.release.name)


def _partition(owner: StatefulSet) -> int:
    rolling = owner.spec.updateStrategy.rollingUpdate
    return rolling.partition or 0 if rolling is not None else 0
