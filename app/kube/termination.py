"""When each container of a pod is signalled and killed, if nothing but the pod's own budget decides."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import NamedTuple

from app.kube.grace import may_signal, prestop_limit, stop_timeout
from app.kube.pods import PodSpec


class Behaviour(NamedTuple):
    """How a container reacts: milliseconds of its preStop hook, and from SIGTERM to its exit (None: never)."""

    exits_after: int | None
    prestop: int | None = 0


class Stop(NamedTuple):
    """Milliseconds after the kill began; `timeout` is the runtime's, in seconds."""

    prestop_ended: int
    signalled: int
    timeout: int
    ended: int
    killed: bool


def termination_schedule(spec: PodSpec, behaviours: Mapping[str, Behaviour], grace: int) -> dict[str, Stop]:
    """How each running container, one per entry of `behaviours`, is stopped within the pod's grace."""
    stops: dict[str, Stop] = {}
    absent = frozenset(row.name for row in spec.initContainers if row.name not in behaviours)
    # Apps never wait; a sidecar waits for containers that are handled before it in this order.
    for name in [row.name for row in spec.containers] + [row.name for row in reversed(spec.initContainers)]:
        if name not in behaviours:
            continue
        limit = prestop_limit(grace)
        prestop = behaviours[name].prestop
        prestop = limit if prestop is None else min(prestop, limit)
        turn = _turn(name, spec, prestop, stops, absent)
        stops[name] = _stop(behaviours[name], grace, prestop, turn)
    return stops


def _turn(name: str, spec: PodSpec, after: int, others: Mapping[str, Stop], absent: frozenset[str]) -> int:
    """When the order lets a container be signalled: at once, or with the end of another."""
    instants = sorted({after, *(stop.ended for stop in others.values() if stop.ended > after)})

    def may(at: int) -> bool:
        return may_signal(name, spec, {key for key, stop in others.items() if stop.ended > at}, absent)

    # What runs only becomes less, so once it may it always may.
    return instants[bisect_left(instants, True, key=may)]


def _stop(behaviour: Behaviour, grace: int, prestop: int, turn: int) -> Stop:
    waited = min(turn - prestop, (grace - prestop // 1000) * 1000)
    timeout = stop_timeout(grace, prestop, waited)
    signalled = prestop + waited
    killed = behaviour.exits_after is None or behaviour.exits_after > timeout * 1000
    ended = signalled + (timeout * 1000 if killed or behaviour.exits_after is None else behaviour.exits_after)
    return Stop(prestop, signalled, timeout, ended, killed)
