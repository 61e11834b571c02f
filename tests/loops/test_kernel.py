"""The kernel's table."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.behaviour import Point
from app.kube.machines import Machine
from app.kube.meta import Ref
from app.kube.pods import Container, Pod, ResourceRequirements
from app.kube.stringmap import StringMap
from app.loops.host_pods import with_pod
from app.loops.kernel import LOOP, _on_host
from app.sim.host import Host
from app.sim.memory_limits import kernel_order
from app.sim.shortage import SystemOom
from tests.loops.machines import act, api, decides, machine, off, pod_after, run, there

GI, MI = 2**30, 2**20


def asking(name: str = "app", *, request: str = "", limit: str = "", **more: tuple[str, ...]) -> Container:
    requests = StringMap({"memory": request} if request else {})
    limits = StringMap({"memory": limit} if limit else {})
    return Container(name, "app:v1", resources=ResourceRequirements(requests, limits), **more)  # type: ignore[arg-type]


def leaking(limit: str = "100Mi", *, memory: str = "0s=0,10s=200Mi", **words: str) -> Pod:
    behaves = {"memory": memory} | {key.replace("_", "-"): text for key, text in words.items()}
    return api(asking(limit=limit), behaves=behaves)


def beside(host: Host, name: str, pod: Pod) -> Host:
    """Another pod on the machine."""
    named = replace(pod, metadata=replace(pod.metadata, name=name, uid=f"uid-{name}"))
    return with_pod(host, f"uid-{name}", there(named, run()))


SINGLE = Machine(single_kill=True)


@pytest.mark.parametrize(
    ("host", "now", "decision"),
    [
        pytest.param(machine(there(api(), run())), 0, "", id="nothing is known of its memory"),
        pytest.param(machine(there(leaking(memory="100Mi"), run())), 0, "", id="just its limit is within it"),
        pytest.param(machine(there(leaking(limit=""), run())), 0, "", id="without a limit"),
        pytest.param(machine(there(leaking(), run())), 0, "wait 5001", id="the first page beyond it"),
        pytest.param(machine(there(leaking(), run())), 5_001, "oom-kill app, exit 137", id="is too much"),
        pytest.param(machine(there(leaking(), run(started=3_000))), 5_001, "wait 8001", id="counted from its start"),
        pytest.param(machine(there(leaking(), run(state="exited"))), 9_000, "", id="the dead use nothing"),
        pytest.param(off(machine(there(leaking(), run()))), 9_000, "", id="nor does a machine without power"),
        pytest.param(
            machine(there(leaking(memory="1Mi", child_memory="0s=0,10s=200Mi"), run())),
            9_000,
            "oom-kill app, exit 137",
            id="a child takes the whole container with it",
        ),
        pytest.param(
            machine(there(leaking(memory="1Mi", child_memory="0s=0,10s=200Mi"), run()), machine=SINGLE),
            9_000,
            "oom-kill a child of app",
            id="unless processes are killed one by one",
        ),
        pytest.param(
            machine(there(leaking(), run()), machine=SINGLE), 9_000, "oom-kill app, exit 137", id="but the first one"
        ),
    ],
)
def test_a_limit_of_a_container(host: Host, now: int, decision: str) -> None:
    assert decides(LOOP, host, now=now) == decision


def test_the_runtime_says_oom_killed() -> None:
    decision = act(LOOP, machine(there(leaking(), run())), now=6_000)
    after = pod_after(decision).container("app")
    assert after is not None
    assert (after.state, after.exit_code, after.reason, after.finished) == ("exited", 137, "OOMKilled", 6_000)
    assert (decision.reason, decision.moment) == ("limit of app: 100Mi", "oom-killed")
    assert decision.host is not None
    assert decision.host.ooms == ()


def test_a_killed_child_leaves_the_container_running() -> None:
    pod = leaking(memory="1Mi", child_memory="0s=0,10s=200Mi")
    decision = act(LOOP, machine(there(pod, run()), machine=SINGLE), now=6_000)
    after = pod_after(decision).container("app")
    assert after is not None
    assert (after.state, after.child_killed, decision.moment) == ("running", True, "child-oom-killed")


def test_a_limit_of_the_pod_ends_the_larger_of_its_containers() -> None:
    pod = api(
        asking("a"),
        asking("b"),
        behaves={"a.memory": "60Mi", "b.memory": "0s=0,10s=100Mi"},
        resources=ResourceRequirements(limits=StringMap({"memory": "130Mi"})),
    )
    host = machine(there(pod, run("a"), run("b")))
    assert decides(LOOP, host, now=0) == "wait 7001"
    assert decides(LOOP, host, now=7_001) == "oom-kill b, exit 137"


FULL = Machine(memory=6 * GI, system_memory=(Point(0, 800 * MI),))


def crowded() -> Host:
    """A hog within its limit, a pod far beyond its request and a small one, of which nobody is at a limit."""
    both = StringMap({"memory": "4400Mi", "cpu": "500m"})
    hog = Container("main", "hog:1", resources=ResourceRequirements(both, both))
    host = machine(there(api(hog, behaves={"memory": "0s=4300Mi,30s=4350Mi"}), run("main")), machine=FULL)
    host = beside(host, "api", api(asking(request="256Mi", command=("/bin/api-server",)), behaves={"memory": "950Mi"}))
    return beside(host, "exporter", api(asking(request="32Mi"), behaves={"memory": "60Mi"}))


def test_the_whole_machine_is_short_and_priorities_do_not_count() -> None:
    host = crowded()
    decision = act(LOOP, host, now=30_000)
    assert (decision.object.name, decision.moment) == ("api", "node-oom")
    assert decision.reason == "memory of the machine: 6Gi"
    assert decision.host is not None
    [told] = decision.host.ooms
    assert (told.at, told.process) == (30_000, "api-server")
    assert decides(LOOP, decision.host, now=30_000) == ""
    scores = [(task.owner.pod.ref.name, task.rated.score_adj) for task in kernel_order(host, 30_000)]
    assert scores == [("api", 959), ("exporter", 995), ("web-1", -997)]


def test_pods_together_may_not_use_what_is_reserved() -> None:
    host = replace(crowded(), machine=Machine(memory=16 * GI, reserved=11 * GI))
    decision = act(LOOP, host, now=30_000)
    assert (decision.object.name, decision.reason) == ("api", "limit of all pods: 5Gi")


def test_a_machine_that_is_short_by_itself_has_nobody_to_kill() -> None:
    assert decides(LOOP, machine(there(api(), run()), machine=Machine(system_memory=(Point(0, 9 * GI),)))) == ""


def test_it_is_woken_by_what_uses_memory() -> None:
    node = [Ref("Node", "", "n1")]
    quiet, hungry = machine(there(api(), run())), machine(there(leaking(), run()))
    assert _on_host(machine(), quiet) == []
    assert _on_host(machine(), hungry) == node
    assert _on_host(hungry, machine(there(leaking(), run(state="exited")))) == node
    assert _on_host(hungry, replace(hungry, ooms=(SystemOom(0, "a", 1),))) == []
    assert _on_host(quiet, replace(quiet, machine=FULL)) == node
