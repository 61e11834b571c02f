"""How a pod stops, by what is said of its hooks and programs: the kubelet's budget, container by container."""

from __future__ import annotations

from typing import NamedTuple

from app.inspect.subject import Made, Part
from app.kube.annotations import behaviour
from app.kube.behaviour import Behaviour, OnSigterm, hook, slept
from app.kube.grace import LEAST_POD_SECONDS
from app.kube.pods import LifecycleHandler
from app.kube.termination import Behaviour as Ending
from app.kube.termination import Stop, termination_schedule

NONE, SLEEP, COMMAND, ANNOTATION, UNKNOWN = "none", "sleep", "command", "annotation", "unknown"


class Stopping(NamedTuple):
    """One container; milliseconds. `source` says where the length of its hook is known from."""

    part: Part
    source: str
    prestop: int | None
    """None: the hook never returns."""
    on_sigterm: OnSigterm
    stop: Stop

    @property
    def serves_until(self) -> int | None:
        """Until when, after the kill began, new connections are taken; None: until it is killed."""
        if self.prestop is None or self.on_sigterm.act == "ignore":
            return None
        return self.stop.signalled + (self.on_sigterm.after if self.on_sigterm.act == "drain" else 0)

    @property
    def needs(self) -> int | None:
        """From the beginning of its kill to its exit, if it were given all the time it wants."""
        if self.prestop is None or self.on_sigterm.act == "ignore":
            return None
        return self.prestop + self.on_sigterm.after


def grace_of(made: Made) -> int:
    """Whole seconds, as the kubelet has them."""
    return max(made.pod.spec.terminationGracePeriodSeconds or 0, LEAST_POD_SECONDS)


def stoppings(made: Made) -> tuple[Stopping, ...]:
    """Every container that runs when the pod is deleted, in the order in which they are written."""
    known = {part.row.name: (part, behaviour_of(made, part), *_hook(made, part)) for part in made.lasting}
    endings = {
        name: Ending(None if says.on_sigterm.act == "ignore" else says.on_sigterm.after, length)
        for name, (_, says, _, length) in known.items()
    }
    stops = termination_schedule(made.pod.spec, endings, grace_of(made))
    return tuple(
        Stopping(part, source, length, says.on_sigterm, stops[name])
        for name, (part, says, source, length) in known.items()
    )


def behaviour_of(made: Made, part: Part) -> Behaviour:
    """What the annotations say of a container's program."""
    return behaviour(made.pod.metadata.annotations, part.row.name)


def _hook(made: Made, part: Part) -> tuple[str, int | None]:
    handler = part.row.lifecycle.preStop if part.row.lifecycle is not None else None
    if handler is None:
        return NONE, 0
    said = behaviour_of(made, part).pre_stop
    ends = hook(said, handler)
    source = SLEEP if handler.sleep is not None else ANNOTATION if said is not None else _read_off(handler)
    return source, None if ends.outcome == "never-returns" else ends.after


def _read_off(handler: LifecycleHandler) -> str:
    return COMMAND if handler.exec is not None and slept(handler.exec.command) else UNKNOWN
