"""Ways to lose a machine besides its power, and to get it back: cut off, without its kubelet, or deleted for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from app.kube.meta import Ref
from app.sim import links, power, processes
from app.sim.draft import Draft
from app.sim.intervention import Intervention
from app.sim.references import parse_ref

if TYPE_CHECKING:
    from app.sim.engine import Model


def partition(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """Its network ends at the machine. What runs on it runs on, and neither side can tell that from death."""
    ref = parse_ref(intervention.args[0])
    host = draft.hosts.get(ref.name)
    if host is None or host.isolated:
        return ref, "not found" if host is None else "cut off already"
    links.cut(model, draft, _link("cut", ref))
    model.change_host(draft, replace(draft.hosts[ref.name], isolated=True))
    return ref, "cut off"


def stop_kubelet(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """Only the kubelet ends; containers, kube-proxy and the network go on."""
    ref = parse_ref(intervention.args[0])
    if ref.name not in draft.hosts:
        return ref, "not found"
    return ref, processes.stop(model, draft, _process("stop", ref))[1]


def terminate(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """Whoever rents the machine out takes it away."""
    ref = parse_ref(intervention.args[0])
    if ref.name not in draft.hosts:
        return ref, "not found"
    power.power_off(model, draft, intervention)
    model.change_host(draft, replace(draft.hosts[ref.name], deleted=True))
    return ref, "deleted"


def bring_back(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """Undo whatever took the machine away."""
    ref = parse_ref(intervention.args[0])
    host = draft.hosts.get(ref.name)
    if host is None or host.deleted:
        return ref, "not found" if host is None else "gone for good"
    outcomes = []
    if not host.power:
        outcomes.append(power.power_on(model, draft, intervention)[1])
    if host.isolated:
        model.change_host(draft, replace(draft.hosts[ref.name], isolated=False))
        outcomes.append(links.restore(model, draft, _link("restore", ref))[1])
    if f"kubelet/{ref.name}" in draft.down:
        outcomes.append(processes.start(model, draft, _process("start", ref))[1])
    return ref, ", ".join(outcomes) or "not lost"


def _link(verb: str, ref: Ref) -> Intervention:
    return Intervention(None, verb, ("api-server", f"node/{ref.name}"))


def _process(verb: str, ref: Ref) -> Intervention:
    return Intervention(None, verb, (f"kubelet/{ref.name}",))
