"""Leases of the control plane's processes: with them a starting world elects who works (loops/leader_election)."""

from __future__ import annotations

from collections.abc import Mapping

from app.kube.meta import ObjectMeta
from app.kube.nodes import Lease, LeaseSpec
from app.sim.draft import Draft
from app.sim.index import Stored
from app.sim.processes import lease_of
from app.sim.world import World

LEADERS: Mapping[str, int] = {"kube-controller-manager": 0, "kube-scheduler": 0}
"""Who elects by default, and how often each Lease has changed hands."""


def with_leaders(world: World, leaders: Mapping[str, int] = LEADERS) -> World:
    """The same world with a Lease for each of these processes, which leads by it."""
    draft = Draft(world)
    for process, transitions in leaders.items():
        ref = lease_of(process)
        spec = LeaseSpec(holderIdentity=process, leaseDurationSeconds=15, renewTime=0, leaseTransitions=transitions)
        meta = ObjectMeta(name=ref.name, namespace=ref.namespace, uid=f"lease-{process}")
        draft.etcd = draft.etcd.put(Stored(1, Lease(meta, spec)))
    return draft.freeze()
