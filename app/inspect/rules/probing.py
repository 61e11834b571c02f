"""Rules about probes: what they kill, what they keep out of rotation, and what they ask."""

from __future__ import annotations

from collections.abc import Iterator

from app.inspect.finding import Found, found
from app.inspect.spelling import names, span, spread
from app.inspect.stopping import behaviour_of
from app.inspect.subject import Made, Part, Subject
from app.kube.health import rule_for
from app.kube.pods import Probe
from app.kube.probe_budget import SAFE, outcome_of_start, startup_budget
from app.loops.kubelet.prober import target_of

LIVENESS, READINESS, STARTUP = "livenessProbe", "readinessProbe", "startupProbe"
PROBES = (STARTUP, LIVENESS, READINESS)


def _each(subject: Subject) -> Iterator[tuple[Made, Part]]:
    return ((made, part) for made in subject.made for part in made.lasting)


def _killer(part: Part) -> tuple[str, Probe] | None:
    """The probe that decides how long a start may take."""
    for name in (STARTUP, LIVENESS):
        probe: Probe | None = getattr(part.row, name)
        if probe is not None:
            return name, probe
    return None


def startup_over_budget(subject: Subject) -> Iterator[Found]:
    """A start that lasts longer than the delay and failureThreshold periods ends in a kill, and the next start
    likewise (doProbe in pkg/kubelet/prober/worker.go).
    """
    for made, part in _each(subject):
        takes, killer = behaviour_of(made, part).startup, _killer(part)
        if killer is None or not takes:
            continue
        name, probe = killer
        if outcome_of_start(takes, probe) != SAFE:
            budget = spread(startup_budget(probe))
            path = (*part.path, name)
            yield found(made, path, container=part.row.name, takes=span(takes), probe=name, budget=budget)


def liveness_before_readiness(subject: Subject) -> Iterator[Found]:
    """Without a startup probe liveness runs from the start of the container (prober_manager.go): where readiness is
    given longer before it even asks, whoever wrote it expects a start that liveness does not allow for.
    """
    for made, part in _each(subject):
        killer, readiness = _killer(part), part.row.readinessProbe
        if killer is None or readiness is None:
            continue
        name, probe = killer
        budget = startup_budget(probe)
        if readiness.initialDelaySeconds * 1000 >= budget.least:
            yield found(
                made,
                (*part.path, name),
                container=part.row.name,
                probe=name,
                budget=spread(budget),
                delay=f"{readiness.initialDelaySeconds}s",
            )


def liveness_on_dependency(subject: Subject) -> Iterator[Found]:
    """A failed liveness probe restarts the container (doProbe in pkg/kubelet/prober/worker.go): if what it asks
    depends on something else, an outage of that restarts every pod at once, and helps nobody.
    """
    for made, part in _each(subject):
        liveness, says = part.row.livenessProbe, behaviour_of(made, part)
        if liveness is None:
            continue
        rule = rule_for(says.health, target_of(liveness), "liveness")
        outages = [row.dependency for row in rule.outages if row.reply.status >= 400] if rule is not None else []
        shared = list(says.depends_on) if _asks_alike(liveness, part.row.readinessProbe) else []
        if outages or shared:
            path = (*part.path, LIVENESS)
            yield found(made, path, container=part.row.name, dependencies=names([*outages, *shared]))


def liveness_equals_readiness(subject: Subject) -> Iterator[Found]:
    """Both probes of a container run each on its own (pkg/kubelet/prober): if both ask the same, and liveness gives
    up no later, a container is killed when it only had to be left alone for a while.
    """
    for made, part in _each(subject):
        liveness, readiness = part.row.livenessProbe, part.row.readinessProbe
        if liveness is None or readiness is None or behaviour_of(made, part).depends_on:
            continue
        patience = liveness.failureThreshold * liveness.periodSeconds
        if _asks_alike(liveness, readiness) and patience <= readiness.failureThreshold * readiness.periodSeconds:
            yield found(made, (*part.path, LIVENESS), container=part.row.name, patience=f"{patience}s")


def _asks_alike(one: Probe, other: Probe | None) -> bool:
    return other is not None and all(
        getattr(one, name) == getattr(other, name) for name in ("exec", "httpGet", "tcpSocket", "grpc")
    )


def no_readiness(subject: Subject) -> Iterator[Found]:
    """Without a readiness probe a container is ready as soon as it runs (pkg/kubelet/prober UpdatePodStatus), so its
    pod gets requests before its program listens, and goes on getting them when it can serve none.
    """
    for made in subject.made:
        services = [row for row in subject.services_of(made) if not row.spec.publishNotReadyAddresses]
        if services and made.endless and not any(part.row.readinessProbe is not None for part in made.lasting):
            values = {"services": names(row.ref for row in services)}
            yield found(made, made.at("containers", 0), container=made.pod.spec.containers[0].name, **values)


def timeout_over_period(subject: Subject) -> Iterator[Found]:
    """One worker asks at a time (pkg/kubelet/prober/worker.go): while an attempt waits for its timeout the next does
    not begin, so a container that hangs is found one timeout, not one period, per attempt.
    """
    for made, part in _each(subject):
        for name in PROBES:
            probe: Probe | None = getattr(part.row, name)
            if probe is not None and probe.timeoutSeconds > probe.periodSeconds:
                yield found(
                    made,
                    (*part.path, name, "timeoutSeconds"),
                    container=part.row.name,
                    probe=name,
                    timeout=f"{probe.timeoutSeconds}s",
                    period=f"{probe.periodSeconds}s",
                    usual=span(probe.failureThreshold * probe.periodSeconds * 1000),
                    hanging=span(probe.failureThreshold * probe.timeoutSeconds * 1000),
                )


def probe_port_missing(subject: Subject) -> Iterator[Found]:
    """A port by name is looked up among the container's own ports (ResolveContainerPort in pkg/probe/util.go): one
    that is not there fails every attempt.
    """
    for made, part in _each(subject):
        known = [port.name for port in part.row.ports if port.name]
        for name in PROBES:
            probe: Probe | None = getattr(part.row, name)
            for handler in ("httpGet", "tcpSocket"):
                action = getattr(probe, handler, None)
                if action is not None and isinstance(action.port, str) and action.port not in known:
                    values = {"container": part.row.name, "probe": name, "port": action.port}
                    path = (*part.path, name, handler, "port")
                    yield found(made, path, **values, known=names(known) or "none")
