"""kube-proxy's sync rule held against recordings of the real one: when syncs start, and what the rules lead to.

Each sync is predicted from what the recording shows before it (when the sync before ended, which changes have come),
so that one sync's own duration, which is that of the recording's machine, does not add up.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace
from recordings import DATA

from app.kube.meta import ObjectMeta, Ref
from app.kube.networking import (
    SERVICE_NAME_LABEL,
    Endpoint,
    EndpointConditions,
    EndpointSlice,
    Service,
    ServiceSpec,
)
from app.kube.nodes import Node
from app.kube.stringmap import StringMap
from app.loops import api_server, kube_proxy, watches
from app.sim.actions import Advance
from app.sim.draft import Draft
from app.sim.engine import Model
from app.sim.intervention import parse
from app.sim.lags import Lag
from app.sim.maps import Map
from app.sim.reflectors import Severed, away
from app.sim.schedule import Runner
from app.sim.start import empty
from app.sim.world import World

MODEL = Model([kube_proxy.LOOP])
WITH_SERVER = Model([api_server.LOOP, *watches.LOOPS, kube_proxy.LOOP])
COVERED = tuple(sorted(path.stem for path in (DATA / "kube-proxy").glob("*.json")))
CONDITIONS = {
    "ready": EndpointConditions(ready=True, serving=True, terminating=False),
    "terminating-serving": EndpointConditions(ready=False, serving=True, terminating=True),
    "terminating": EndpointConditions(ready=False, serving=False, terminating=True),
    "notready": EndpointConditions(ready=False, serving=False, terminating=False),
}
TOLERANCE = 10
# The recording's observer is a watch of its own, up to 6 ms late: a change that it saw just after a sync had started
# was known to that sync.
OBSERVER_LATE = 6
KILLED = "API server SIGKILL"
# Sync durations do not matter here: each start is predicted from the recorded end of the one before.
INSTANT = Lag(0, 0, 0)


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / "kube-proxy" / f"{name}.json").read_text())
    return found


def milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


def slice_of(service: str, endpoints: dict[str, str]) -> EndpointSlice:
    return EndpointSlice(
        metadata=ObjectMeta(name=f"{service}-1", namespace="default", labels=StringMap({SERVICE_NAME_LABEL: service})),
        endpoints=tuple(Endpoint((address,), CONDITIONS[state]) for address, state in sorted(endpoints.items())),
    )


def quiet(services: list[str], start: int) -> World:
    """One node whose kube-proxy knows all Services and has been idle."""
    world = replace(empty([Node(metadata=ObjectMeta(name="n1"))]), now=start)
    world = replace(world, lags=world.lags.update(dict.fromkeys(("kube-proxy", "proxy-commit", "proxy-sync"), INSTANT)))
    draft = Draft(world)
    for name in services:
        service = Service(ObjectMeta(name=name, namespace="default"), ServiceSpec(clusterIP="10.96.0.1"))
        MODEL.api.commit(draft, "", service.ref, service, "")
        piece = slice_of(name, {"10.200.0.1": "ready"})
        MODEL.api.commit(draft, "", piece.ref, piece, "")
    return Runner(MODEL, draft.freeze()).run(until=start + 5_000).world


def changed(world: World, at: int, service: str, endpoints: dict[str, str]) -> World:
    """The world after one more change of a slice, at that instant."""
    draft = Draft(replace(world, now=max(world.now, at)))
    piece = slice_of(service, endpoints)
    stored = draft.etcd.get(piece.ref)
    uid = stored.object.metadata if stored else piece.metadata
    MODEL.api.commit(draft, "", piece.ref, replace(piece, metadata=uid), "")
    return draft.freeze()


def first_sync_after(world: World, until: int) -> tuple[int, World]:
    """When the next sync starts, and the world at that time."""
    runner = Runner(MODEL, world)
    while True:
        action = runner.schedule.next(runner.world)
        if action is None or (isinstance(action, Advance) and action.to > until):
            return -1, runner.world
        runner.take(action)
        if runner.records and runner.records[-1].step.verb == "start-sync":
            return runner.world.now, runner.world


def rules(world: World, service: str) -> list[str]:
    return list(world.hosts["n1"].proxy.taken[Ref("Service", "default", service)].backends)


@pytest.mark.parametrize("node", ["n1", "n2"])
@pytest.mark.parametrize("name", COVERED)
def test_a_sync_starts_at_the_change_or_a_second_after_the_end_of_the_one_before(name: str, node: str) -> None:
    data = recorded(name)
    changes = [(milliseconds(row[0]), row[1], row[2]) for row in data["slice_changes"] if len(row) > 2]
    syncs = [(milliseconds(t), milliseconds(float(d.split()[0]) / 1000)) for t, d in data["syncs"][node]]
    down = [
        milliseconds(t) for t, text in data["stimulus"] if ("kube-proxy" in text and node in text) or KILLED in text
    ]
    services = sorted({service for _, service, _ in changes})
    late = []
    for (before, duration), (start, _) in pairwise(syncs):
        end = before + duration
        if any(before < at <= start for at in down) or start - end > 100_000:
            continue
        pending = [row for row in changes if before + OBSERVER_LATE < row[0] <= start + OBSERVER_LATE]
        if not pending:
            continue
        world = quiet(services, min(before, 0) - 100_000)
        proxy = replace(world.hosts["n1"].proxy, last_sync_end=end)
        world = replace(world, now=before, hosts=Map({"n1": replace(world.hosts["n1"], proxy=proxy)}))
        at, service, state = pending[0]
        world = changed(Runner(MODEL, world).run(until=at - 1).world, at, service, state)
        mine, _ = first_sync_after(world, start + 5_000)
        if abs(mine - start) > TOLERANCE:
            late.append((start, mine, pending[0]))
    assert not late


@pytest.mark.parametrize("name", [row for row in COVERED if "killed" not in row and "api-down" not in row])
def test_a_change_in_quiet_reaches_the_rules_within_the_modelled_range(name: str) -> None:
    """Sync duration and commit belong to the machine; the model's range must hold what was recorded."""
    quiet_lags = recorded(name)["lag_ms"]["all"]["quiet"]
    lags = empty([]).lags
    assert lags["kube-proxy"].least + lags["proxy-commit"].least <= quiet_lags["median"]
    assert quiet_lags["median"] <= lags["kube-proxy"].most + lags["proxy-commit"].most


def test_one_sync_takes_everything_that_is_pending() -> None:
    """proxy-delete-three: deletions 2 and 3 and all replacements are one sync, a second after the first's end."""
    world = quiet(["web"], -100_000)
    world = changed(replace(world, now=0), 0, "web", {"10.200.0.1": "ready", "10.200.0.2": "terminating-serving"})
    start, world = first_sync_after(world, 10_000)
    assert start == 0
    for at in (200, 400, 600):
        world = changed(Runner(MODEL, world).run(until=at - 1).world, at, "web", {f"10.200.0.{at // 100}": "ready"})
    start, world = first_sync_after(world, 10_000)
    assert start == 1_000
    assert rules(world, "web") == ["10.200.0.6"]


@pytest.mark.parametrize(
    ("states", "backends"),
    [
        ({"10.0.0.1": "terminating-serving"}, ["10.0.0.1"]),
        ({"10.0.0.1": "terminating-serving", "10.0.0.2": "ready"}, ["10.0.0.2"]),
        ({"10.0.0.1": "terminating"}, []),
        ({"10.0.0.1": "notready"}, []),
        ({}, []),
    ],
)
def test_the_last_serving_endpoints_are_kept_until_they_leave_the_slice(
    states: dict[str, str], backends: list[str]
) -> None:
    """proxy-last-endpoint: serving-terminating ones serve while nothing is ready; else the Service rejects."""
    world = changed(replace(quiet(["one"], -100_000), now=0), 0, "one", states)
    _, world = first_sync_after(world, 5_000)
    assert rules(world, "one") == backends


def test_rules_stay_while_the_process_is_dead_and_its_first_sync_is_not_delayed() -> None:
    """proxy-killed-20s: the first sync begins 0.52 s after the start, whatever the end of the last one."""
    world = quiet(["web"], -100_000)
    script = (parse("0s stop kube-proxy/n1"), parse("20s start kube-proxy/n1"))
    world = replace(world, now=0, script=script)
    before = world.hosts["n1"].proxy.rules
    dead = Runner(MODEL, world).run(until=5_000).world
    dead = changed(dead, 5_000, "web", {"10.200.0.9": "ready"})
    still = Runner(MODEL, dead).run(until=19_999).world
    assert still.hosts["n1"].proxy.rules == before
    start, after = first_sync_after(still, 30_000)
    assert abs(start - 20_520) <= TOLERANCE
    assert rules(after, "web") == ["10.200.0.9"]


def outage() -> int:
    """How long after the return of the API server the rules change."""
    script = (parse("0s stop kube-apiserver"), parse("30s start kube-apiserver"))
    world = replace(quiet(["web"], -100_000), now=0, script=script)
    before = world.hosts["n1"].proxy.rules
    runner = Runner(WITH_SERVER, world)
    back = next(row.step.at for row in runner.run(until=40_000).records if row.step.moment == "api-server-back")
    walk = Runner(WITH_SERVER, changed(runner.world, back, "web", {"10.200.0.9": "ready"})).run(until=150_000)
    assert runner.world.hosts["n1"].proxy.rules == before
    new = next(row.step for row in walk.records if row.step.moment == "rules-changed")
    assert walk.world.hosts["n1"].proxy.rules != before
    return new.at - back


def test_rules_change_a_back_off_after_the_api_server_is_back() -> None:
    """proxy-api-down-30s: 37 to 61 s; what is seen in the recordings is possible, and the usual is in their midst."""
    took = []
    for name in ("proxy-api-down-30s.iptables", "proxy-api-down-30s.nftables"):
        data = recorded(name)
        returned = next(t for t, text in data["stimulus"] if "first successful write" in text)
        took += [milliseconds(next(t for t, _ in rows if t > returned) - returned) for rows in data["syncs"].values()]
    possible = away(Severed(0), 30_700, "kube-proxy/n1", "EndpointSlice")
    assert all(possible.least <= row <= possible.most for row in took)
    mine = outage()
    assert min(took) < mine < max(took)
