"""Rules about stopping: hooks, graces, and requests that arrive while endpoints are still being taken away."""

from __future__ import annotations

from collections.abc import Iterator

from app.inspect.finding import Found, found
from app.inspect.propagation import needed_prestop, propagation
from app.inspect.spelling import names, span, spread
from app.inspect.stopping import NONE, UNKNOWN, Stopping, grace_of, stoppings
from app.inspect.subject import CONTAINER, Made, Subject
from app.kube.grace import prestop_limit
from app.kube.meta import Ref
from app.kube.yaml_values import Path


def _each(subject: Subject) -> Iterator[tuple[Made, Stopping]]:
    return ((made, row) for made in subject.made for row in stoppings(made))


def prestop_over_grace(subject: Subject) -> Iterator[Found]:
    """A hook is cut off when the grace is over; SIGTERM then has the minimum of 2 s (killContainer in kuberuntime)."""
    for made, row in _each(subject):
        grace = grace_of(made)
        if row.source != NONE and (row.prestop is None or row.prestop >= prestop_limit(grace)):
            length = "never" if row.prestop is None else span(row.prestop)
            values = {"container": row.part.row.name, "prestop": length, "grace": f"{grace}s"}
            yield found(made, _hook(row), **values, left=f"{row.stop.timeout}s")


def stop_over_grace(subject: Subject) -> Iterator[Found]:
    """The hook and the program share the grace: what is left of it after the hook, at least 2 s, is the wait until
    SIGKILL (killContainer; minimumGracePeriodInSeconds in pkg/kubelet/kuberuntime/kuberuntime_container.go).
    """
    for made, row in _each(subject):
        if row.prestop is None or row.prestop >= prestop_limit(grace_of(made)) or row.needs is None:
            continue
        if row.stop.killed:
            yield found(
                made,
                made.at("terminationGracePeriodSeconds"),
                container=row.part.row.name,
                prestop=span(row.prestop),
                drain=span(row.on_sigterm.after),
                needs=span(row.stop.signalled + row.on_sigterm.after),
                left=f"{row.stop.timeout}s",
                grace=f"{grace_of(made)}s",
            )


def sigterm_ignored(subject: Subject) -> Iterator[Found]:
    """A process that does not end at SIGTERM is killed when the grace is over, each time (StopContainer of the CRI)."""
    for made, row in _each(subject):
        if row.on_sigterm.act == "ignore":
            yield found(made, row.part.path, container=row.part.row.name, grace=f"{grace_of(made)}s")


def prestop_under_propagation(subject: Subject) -> Iterator[Found]:
    """The kubelet and the EndpointSlice controller act on a deletion at the same time, neither waits for the other:
    new connections come until every kube-proxy has changed its rules (minSyncPeriod, pkg/proxy/iptables/proxier.go).
    """
    for made, row, services in _served(subject):
        until = row.serves_until
        if row.source != UNKNOWN and until is not None and until < needed_prestop():
            yield found(
                made,
                _hook(row),
                container=row.part.row.name,
                serves=span(until),
                range=spread(propagation()),
                needed=f"{-(-needed_prestop() // 1000)}s",
                services=names(services),
            )


def prestop_unread(subject: Subject) -> Iterator[Found]:
    """The kubelet waits for a hook to return (executePreStopHook in pkg/kubelet/kuberuntime): a command that is no
    sleep, or a request, takes as long as it takes, which no manifest says.
    """
    for made, row, _ in _served(subject):
        until = row.serves_until
        if row.source == UNKNOWN and until is not None and until < needed_prestop():
            yield found(made, _hook(row), container=row.part.row.name, needed=f"{-(-needed_prestop() // 1000)}s")


def _served(subject: Subject) -> Iterator[tuple[Made, Stopping, list[Ref]]]:
    """Containers that Services send to. A headless one has no rules on nodes: its clients go by DNS."""
    for made, row in _each(subject):
        services = [service.ref for service in subject.services_of(made) if not service.spec.headless]
        if services and made.endless and _serving(made, row):
            yield made, row, services


def _serving(made: Made, row: Stopping) -> bool:
    """Whether a Service may send to this container: it names a port, or no container of the pod names one."""
    return bool(row.part.row.ports) if made.ports else row.part.kind == CONTAINER


def grace_zero(subject: Subject) -> Iterator[Found]:
    """With a grace of 0 a DELETE removes the object at once, with no word from the kubelet (CheckGracefulDelete in
    pkg/registry/core/pod/strategy.go): as with --force, its name may be used again while its processes still run.
    """
    for made in subject.made:
        if made.pod.spec.terminationGracePeriodSeconds == 0:
            yield found(made, made.at("terminationGracePeriodSeconds"))


def _hook(row: Stopping) -> Path:
    """The hook, or the container that has none."""
    return row.part.path if row.source == NONE else (*row.part.path, "lifecycle", "preStop")
