"""A big cluster that is put together equals one that the loops have made, and goes on like it."""

from __future__ import annotations

from collections import Counter

from app.kube.manifests import read_manifests
from app.loops.registry import LOOPS
from app.sim.engine import Model
from app.sim.heartbeats import with_heartbeats
from app.sim.host import Host
from app.sim.intervention import parse
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.world import World
from tests.large_clusters import IMAGE, SEED, Size, large

MODEL = Model(LOOPS)
SIZE = Size(nodes=3, pods_per_node=2, replicas=3)


def made() -> World:
    """The same, started."""
    _, _, web = SEED.partition("---")
    nodes = [f"{{apiVersion: v1, kind: Node, metadata: {{name: node-{n:05}}}}}" for n in range(1, SIZE.nodes + 1)]
    groups = [
        web.replace("web", f"web-{n:05}").replace("replicas: 1", f"replicas: {SIZE.replicas}")
        for n in range(SIZE.deployments)
    ]
    text = "\n---\n".join([*nodes, *groups])
    return with_heartbeats(at_rest(MODEL, read_manifests(text).objects, images=(IMAGE,)))


BUILT, STARTED = large(MODEL, SIZE), made()


def test_everything_but_what_is_on_machines_is_the_same() -> None:
    parts = [name for name in World.__struct_fields__ if name not in ("hosts", "views")]
    assert [name for name in parts if getattr(BUILT, name) != getattr(STARTED, name)] == []
    assert sorted(BUILT.views) == sorted(STARTED.views)
    assert [name for name in sorted(BUILT.views) if BUILT.views[name] != STARTED.views[name]] == []


def test_machines_differ_only_in_when_their_kubelets_did_what() -> None:
    for node in BUILT.nodes:
        one, other = BUILT.hosts[node], STARTED.hosts[node]
        fields = [name for name in Host.__struct_fields__ if name not in ("pods", "workers")]
        assert [name for name in fields if getattr(one, name) != getattr(other, name)] == []
        assert shown(one) == shown(other)


def shown(host: Host) -> list[tuple[object, ...]]:
    """What is there of each pod, and what its kubelet has seen of it."""
    found: list[tuple[object, ...]] = []
    for uid, pod in sorted(host.pods.items()):
        runs = [(run.name, run.state, run.serving) for run in pod.containers]
        worker = host.workers[uid]
        found.append((uid, pod.pod.metadata, pod.pod.spec, pod.ip, pod.sandbox, runs, worker.stage, worker.seen_ip))
    return found


def test_nothing_is_left_to_do() -> None:
    walk = run(MODEL, BUILT, until=60_000)
    assert (walk.stopped, len(walk.steps)) == ("quiet", 0)


def test_a_node_that_is_lost_is_lost_in_the_same_way() -> None:
    """The same steps as often, the decisions of the control plane at the very same instants."""
    script = [parse(f"0s power-off node/{BUILT.nodes[0]}")]
    walks = [run(MODEL, world, script, until=400_000) for world in (BUILT, STARTED)]
    built, started = (Counter(row.step.moment for row in walk.steps) for walk in walks)
    assert built == started
    decided = ("node-unknown", "endpoint-unready", "no-execute-added", "taint-eviction", "replacement-created")
    times = [[row.step.at for row in walk.steps if row.step.moment in decided] for walk in walks]
    assert times[0] == times[1]
    assert built["replacement-created"] == SIZE.pods_per_node
