"""What CNI ADD is answered."""

from __future__ import annotations

import pytest

from app.kube.machines import Machine
from app.loops import network
from app.loops.host_pods import with_pod
from app.loops.runtime import LOOP
from app.sim.host import Host
from app.sim.start import pod_range
from tests.loops.machines import act, api, machine, pod_after, there

FULL = "no IP addresses available in range set: "
BROKEN, EMPTY = Machine(cni="failing"), Machine(cni="no-addresses")


@pytest.mark.parametrize(
    ("host", "text"),
    [
        pytest.param(Host("n1"), "", id="a plugin that works"),
        pytest.param(Host("n1", machine=BROKEN), "has an IP address different from 10.244.1.1/24", id="a broken one"),
        pytest.param(Host("n1", 7, machine=EMPTY), f"{FULL}10.244.7.1-10.244.7.254", id="one without addresses"),
        pytest.param(Host("n1", pod_range="10.9.0.1-10.9.0.6"), "", id="one with a few"),
    ],
)
def test_the_plugin_answers(host: Host, text: str) -> None:
    assert network.error(host).endswith(text)
    assert bool(network.error(host)) == bool(text)


@pytest.mark.parametrize(
    ("block", "addresses"),
    [
        ("10.244.1.0/24", "10.244.1.1-10.244.1.254"),
        ("10.9.0.0/29", "10.9.0.1-10.9.0.6"),
        ("10.9.0.0/31", ""),
        ("fd00::/64", ""),
        ("", ""),
    ],
)
def test_the_addresses_of_a_pod_cidr(block: str, addresses: str) -> None:
    assert pod_range(block) == addresses


@pytest.mark.parametrize(("pods", "ends"), [(4, ""), (5, f"{FULL}10.9.0.1-10.9.0.6")])
def test_a_small_range_runs_out(pods: int, ends: str) -> None:
    """Of eight addresses two name the block and one is the bridge's: five are left."""
    host = Host("n1", pod_range="10.9.0.1-10.9.0.6")
    for number in range(pods):
        host = with_pod(host, f"uid-{number}", there(api(uid=f"uid-{number}")))
    host = with_pod(host, "uid-host", there(api(uid="uid-host", hostNetwork=True), ip=""))
    host = with_pod(host, "uid-gone", there(api(uid="uid-gone"), sandbox="stopped"))
    assert network.error(host).endswith(ends)
    assert bool(network.error(host)) == bool(ends)


def test_the_runtime_makes_no_sandbox_without_network() -> None:
    creating = there(api(), sandbox="creating", ip="", sandbox_tries=2)
    made = act(LOOP, machine(creating, machine=BROKEN), now=20, fired=True)
    assert (made.verb, made.moment, pod_after(made).sandbox) == ("create-sandbox", "cni-failed", "failed")
    name = network.sandbox_id("uid-web-1", 1)
    assert pod_after(made).sandbox_error.startswith(
        f'rpc error: code = Unknown desc = failed to setup network for sandbox "{name}": plugin type="bridge" failed'
    )
