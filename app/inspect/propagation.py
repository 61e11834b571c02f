"""How long it takes from the deletion of a pod until no node sends new connections to it any more."""

from __future__ import annotations

from app.kube.probe_budget import Range
from app.loops.kube_proxy import BETWEEN_SYNCS
from app.sim.lags import DEFAULT_LAGS


def propagation() -> Range:
    """Milliseconds until the last kube-proxy has changed its rules, by the lags that recordings show.

    The EndpointSlice controller and then each kube-proxy learn of it; a sync begins at once, or up to a second after
    the end of one that just ran (minSyncPeriod, pkg/proxy/iptables). What stands before the nodes is not counted.
    """
    slices, seen = DEFAULT_LAGS["kube-controller-manager"], DEFAULT_LAGS["kube-proxy"]
    sync, commit = DEFAULT_LAGS["proxy-sync"], DEFAULT_LAGS["proxy-commit"]
    least = slices.least + seen.least + commit.least
    return Range(least, slices.most + seen.most + sync.most + BETWEEN_SYNCS + commit.most)


def needed_prestop() -> int:
    """The shortest preStop hook, in milliseconds, that outlasts it: the kubelet may begin as soon as it can."""
    return propagation().most - DEFAULT_LAGS["kubelet"].least
