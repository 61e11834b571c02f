"""Measures what the numbers of the design promise, and prints ratios: `python -m tests.bench [SECTION]...`.

Ratios are taken side by side in one run, so that they mean the same on any machine; what only computes is measured in
CPU seconds, so that others at work on the machine count less. Nothing here asserts.
"""

from __future__ import annotations

import gzip
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import simpy
from msgspec.structs import replace

from app.kube.meta import ObjectMeta
from app.kube.nodes import Lease, LeaseSpec, Node
from app.sim.actions import Action, Advance
from app.sim.acts import Act, Update, Wait, Work
from app.sim.draft import Draft
from app.sim.engine import Model
from app.sim.intervention import parse
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, own_key
from app.sim.schedule import Runner
from app.sim.start import empty
from app.sim.world import World
from tests import crowds, followers
from tests.large_clusters import Size, large

RENEW = 10_000


def renew(turn: Turn) -> Act | Wait | None:
    """A kubelet's lease: every 10 s, each node in its own phase."""
    lease = turn.read(Lease, turn.key)
    if lease is None or lease.spec.renewTime is None:
        return None
    due = lease.spec.renewTime + RENEW
    if turn.now < due:
        return Wait(Bounds.at(due))
    later = Lease(lease.metadata, replace(lease.spec, renewTime=turn.now))
    return Act("renew", turn.key, request=Update(later), background=True)


def rest(_: Turn) -> None:
    """The node lifecycle controller, as far as a quiet cluster needs it."""


LOOPS = (
    Loop(name="lease", lane="kubelet", process="kubelet", per_node=True, reconcile=renew),
    Loop(
        name="node-lifecycle",
        lane="controller-manager",
        process="kube-controller-manager",
        reconcile=rest,
        wakes={"Lease": own_key},
    ),
)


def heartbeats(nodes: int) -> tuple[Model, World]:
    """A cluster that does nothing but renew its leases."""
    model = Model(LOOPS)
    world = empty([Node(metadata=ObjectMeta(name=f"node-{n:05}")) for n in range(nodes)])
    draft = Draft(replace(world, now=0))
    for at, name in enumerate(draft.nodes):
        spec = LeaseSpec(name, 40, renewTime=-(at * RENEW // nodes))
        lease = Lease(metadata=ObjectMeta(name=name, namespace="kube-node-lease"), spec=spec)
        model.api.commit(draft, f"kubelet/{name}", lease.ref, lease, "kubelet")
        draft.queued = draft.queued.set(Work("lease", name, lease.ref), 0)
    return model, draft.freeze()


def engine_seconds_per_action(nodes: int, horizon: int) -> tuple[float, int]:
    """CPU seconds per action of the heartbeats of that many nodes, and how many actions there were."""
    model, world = heartbeats(nodes)
    runner = Runner(model, world)
    count = 0
    begun = time.process_time()
    while (action := runner.schedule.next(runner.world)) is not None:
        if isinstance(action, Advance) and action.to > horizon:
            break
        runner.take(action)
        runner.records.clear()
        count += 1
    return (time.process_time() - begun) / count, count


def simpy_seconds_per_event(nodes: int, events: int) -> float:
    """SimPy's bare event rate with as many events pending."""
    environment = simpy.Environment()

    def beat(phase: float) -> Generator[simpy.Event, None, None]:
        yield environment.timeout(phase)
        while True:
            yield environment.timeout(10)

    for at in range(nodes):
        environment.process(beat(at * 10 / nodes))
    begun = time.process_time()
    for _ in range(events):
        environment.step()
    return (time.process_time() - begun) / events


def engine() -> float:
    """Actions a second, and how the cost of one grows with the cluster, against SimPy; by how much SimPy's grows."""
    small, few = engine_seconds_per_action(100, 1_000_000)
    large, many = engine_seconds_per_action(5_000, 60_000)
    theirs_small, theirs_large = simpy_seconds_per_event(100, few), simpy_seconds_per_event(5_000, many)
    growth, their_growth = large / small, theirs_large / theirs_small
    print(f"engine: {1 / large:,.0f} actions/s on 5,000 nodes' heartbeats (bar 100,000)")
    print(f"engine: {large / theirs_large:.1f}x the time of a bare SimPy event")
    print(f"engine: cost of an action grows {growth:.2f}x from 100 to 5,000 nodes, SimPy's {their_growth:.2f}x: ")
    print(f"        ratio {growth / their_growth:.2f} (bar 1.3)")
    return their_growth


class Counting(Runner):
    """A walk that counts its actions, those before the fault apart, and the CPU seconds of both."""

    def __init__(self, model: Model, start: World, fault: int) -> None:
        super().__init__(model, start, [parse(f"{fault}ms power-off node/{start.nodes[0]}")])
        self.fault = fault
        self.actions = 0
        self.before = 0
        self.begun = time.process_time()
        self.spent_before = 0.0

    def take(self, action: Action) -> None:
        if not self.before and self.world.now >= self.fault:
            self.before, self.spent_before = self.actions, time.process_time() - self.begun
        self.actions += 1
        super().take(action)


def lost(nodes: int, quiet: int) -> dict[str, float]:
    """Lose one node of so many, 30 pods on each, after `quiet` milliseconds in which only Leases are renewed."""
    from app.loops.registry import LOOPS as ALL

    model = Model(ALL)
    world = large(model, Size(nodes))
    runner = Counting(model, world, quiet)
    walk = runner.run(until=quiet + 400_000)
    spent = time.process_time() - runner.begun
    ready = [row.step.at for row in walk.steps if row.step.moment == "pod-ready"]
    return {
        "seconds": spent - runner.spent_before,
        "actions": runner.actions - runner.before,
        "heartbeat": runner.spent_before / runner.before,
        "replaced": len(ready),
        "until": (ready[-1] - quiet) / 1000,
        "steps": len(walk.records),
        "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2,
    }


def node_loss(their_growth: float) -> None:
    """One node of many is lost, with every loop at work; each size in a process of its own, for the peak of memory."""
    rows = {}
    # As many heartbeats at each size.
    for nodes, quiet in ((100, 500_000), (1_000, 50_000), (5_000, 10_000)):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            rows[nodes] = row = pool.submit(lost, nodes, quiet).result()
        cost = 1e6 * row["seconds"] / row["actions"]
        print(
            f"node loss: {nodes:,} nodes, {nodes * 30:,} pods: {row['seconds']:.1f} s, {row['actions']:,} actions at "
            f"{cost:.0f} us, {row['steps']:,} acts kept, peak {row['gigabytes']:.2f} GB; "
            f"{row['replaced']} pods ready elsewhere after {row['until']:.0f} s"
        )
    most = rows[5_000]
    print(f"node loss: {most['seconds']:.1f} s (bar 60), {most['gigabytes']:.2f} GB (bar 4) on 5,000 nodes")
    costs = [1e6 * row["heartbeat"] for row in rows.values()]
    words = ", ".join(f"{cost:.1f}" for cost in costs)
    growth = costs[-1] / costs[0]
    print(f"node loss: an action of the heartbeats before it takes {words} us: from 100 to 5,000 nodes {growth:.2f}x,")
    print(f"        {growth / their_growth:.2f} of SimPy's growth (bar 1.3)")


def search() -> None:
    """Worlds a second of the search behind the termination flow's verdicts."""
    from app.story.play import play, request
    from app.story.searching import failed_range

    played = play(request("termination"))
    varies = next(row.varies for row in played.flow.verdicts if row.id == "requests-failed")
    begun = time.process_time()
    found = failed_range(played, varies)
    spent = time.process_time() - begun
    print(f"search: {found.worlds:,} worlds in {spent:.2f} s = {found.worlds / spent:,.0f}/s (bar 20,000)")


def pages() -> None:
    """Page weight and step latency through the real application, without a network."""
    from starlette.testclient import TestClient

    from app.store.database import Store
    from app.web.application import create_app

    with tempfile.TemporaryDirectory() as folder:
        client = TestClient(create_app(Store(f"sqlite:///{Path(folder) / 'bench.db'}")))
        begun = time.perf_counter()
        first = client.get("/f/termination/5")
        print(f"page: first view of a step in {1000 * (time.perf_counter() - begun):.0f} ms cold (bar 300)")
        parts = {"page": first.content, **assets(client, first.text)}
        sizes = {
            name: len(gzip.compress(body, 6)) if not name.endswith("woff2") else len(body)
            for name, body in parts.items()
        }
        print(f"page: {sum(sizes.values()) / 1024:.1f} KB compressed in {len(sizes)} requests (bar 100 KB, 6)")
        headers = {"HX-Request": "true", "HX-Request-Type": "partial"}
        fragment = client.get("/f/termination/6", headers=headers)
        print(f"swap: {len(gzip.compress(fragment.content, 6)) / 1024:.1f} KB compressed (bar 15)")
        timed("step", lambda n: client.get(f"/f/termination/{n % 20 + 1}", headers=headers))


def assets(client: object, page: str) -> dict[str, bytes]:
    """Everything else that the page makes a browser fetch."""
    import re

    found = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page))
    styles = [path for path in found if path.endswith(".css") or ".css?" in path]
    bodies = {path: client.get(path).content for path in sorted(found)}  # type: ignore[attr-defined]
    for style in styles:
        for font in re.findall(r"url\([\"']?([^)\"']+\.woff2)", bodies[style].decode()):
            path = font if font.startswith("/") else f"/static/{font.removeprefix('./')}"
            bodies[path] = client.get(path).content  # type: ignore[attr-defined]
    return bodies


def manifests() -> None:
    """Changed manifests through parsing and inspection: a result, or problems that name the place."""
    from hypothesis import HealthCheck, given, settings

    from tests.inspect.mutations import changed_texts, changed_trees
    from tests.inspect.test_fuzz import has_a_result

    read: list[bool] = []
    begun = time.process_time()
    thoroughly = settings(
        max_examples=5_000, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    for changed in (changed_trees(), changed_texts()):
        thoroughly(given(changed)(lambda text: read.append(has_a_result(text))))()
    spent = time.process_time() - begun
    print(f"changed manifests: {len(read):,} inspected, {sum(read):,} read, no traceback, {spent:.0f} s")


def timed(name: str, act: Callable[[int], object]) -> None:
    """The median and the 99th percentile of 300 runs."""
    spent = []
    for n in range(300):
        begun = time.perf_counter()
        act(n)
        spent.append(1000 * (time.perf_counter() - begun))
    spent.sort()
    print(f"{name}: p50 {statistics.median(spent):.1f} ms (bar 10), p99 {spent[296]:.1f} ms (bar 50), warm")


def told(lines: Callable[[], Iterator[str]]) -> Callable[[], None]:
    """A section that prints its lines as they come."""

    def run() -> None:
        for line in lines():
            print(line, flush=True)

    return run


SECTIONS: dict[str, Callable[[], None]] = {
    "loss": lambda: node_loss(engine()),
    "search": search,
    "pages": pages,
    "manifests": manifests,
    "followers": told(followers.bench),
    "crash": told(crowds.crash),
    "sessions": told(crowds.live),
}


if __name__ == "__main__":
    for section in sys.argv[1:] or SECTIONS:
        SECTIONS[section]()
