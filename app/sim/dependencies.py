"""What programs need and Loopscope does not run, such as a database: it is up or down, for all machines at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from app.kube.meta import Ref
from app.sim.draft import Draft
from app.sim.host import Host
from app.sim.intervention import Intervention
from app.sim.loop import SERVER

if TYPE_CHECKING:
    from app.sim.engine import Model

KIND = "Dependency"
USAGE = "set dependency/NAME down|up"
DEEDS = {"down": "set-down", "up": "set-up"}
_REFERENCE = re.compile(r"dependency/([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)", re.ASCII)


def is_meant(intervention: Intervention) -> bool:
    """Whether a `set` is about a dependency, not about a pod."""
    return intervention.verb == "set" and intervention.args[0].startswith("dependency/")


def check(intervention: Intervention) -> list[str]:
    """What is wrong with one."""
    name = _REFERENCE.fullmatch(intervention.args[0])
    if name and " ".join(intervention.args[1:]) in DEEDS and not intervention.options:
        return []
    return [f"intervention {str(intervention)!r}: {USAGE!r} is the form"]


def deed(intervention: Intervention) -> str:
    """The verb of the step: `set-down` or `set-up`; empty when it is about something else."""
    return DEEDS[intervention.args[1]] if is_meant(intervention) else ""


def switch(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """Every machine finds it up or down from now on."""
    name, state = intervention.args[0].partition("/")[2], intervention.args[1]
    for node in draft.nodes:
        host = draft.hosts[node]
        broken = _found(host, name, down=state == "down")
        if broken != host.broken:
            model.change_host(draft, replace(host, broken=broken))
    return Ref(KIND, "", name), state


def _found(host: Host, name: str, *, down: bool) -> tuple[str, ...]:
    others = tuple(word for word in host.broken if word != name)
    return tuple(sorted((*others, name))) if down else others


def lose_server(model: Model, draft: Draft, *, down: bool) -> None:
    """The API server is something that programs depend on, too; it matters only where there are programs."""
    for node in draft.nodes:
        host = draft.hosts[node]
        if down != (host.alone is not None) and (host.pods or not down):
            since = draft.now if down else None
            model.change_host(draft, replace(host, alone=since, broken=_found(host, SERVER, down=down)))
