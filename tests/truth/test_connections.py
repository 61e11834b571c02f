"""What clients meet behind a ClusterIP, held against connections that were really made (proxy-connections)."""

from __future__ import annotations

import json
from math import sqrt
from typing import Any

import pytest
from recordings import DATA

from app.sim.ledger import Failing
from app.story.play import Play, play, request

MODES = ("iptables", "nftables")
REFUSED, SILENT = {"ConnectionRefusedError"}, {"TimeoutError", "OSError"}
ANSWERS = {
    # How a connection fails in the model, and what a client may see of it.
    "refused": REFUSED,
    "unanswered": SILENT,
    # The kernel limits ICMP errors per client, which is not modelled: some refusals are never seen.
    "rejected": REFUSED | SILENT,
}
STALE = {
    "new connections, one of two backends dead, address alive, still in rules": "refused",
    "new connections, address gone on the local segment (ARP fails), still in rules": "unanswered",
    "new connections, packets to the dead backend dropped silently (timeout limit 5 s), still in rules": "unanswered",
}


def results(mode: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / "kube-proxy" / f"proxy-connections.{mode}.json").read_text())["results"]
    return found


def failed(outcomes: dict[str, Any]) -> dict[str, int]:
    """How many connections ended in which error."""
    return {name.split()[0]: row["n"] for name, row in outcomes.items() if not name.startswith("ok ")}


def met(played: Play) -> set[Failing]:
    """Every way in which the routes of a walk fail, without its time."""
    worlds = [row.step.world for row in played.walk.records]
    return {row._replace(since=0) for world in worlds for row in world.ledger.failing.values()}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("name", "kind"), STALE.items())
def test_a_stale_backend_fails_its_share_of_new_connections(mode: str, name: str, kind: str) -> None:
    """The model counts rate / backends; of n random picks among two that lies within three deviations."""
    outcomes = results(mode)[name]
    errors = failed(outcomes)
    made, lost = sum(row["n"] for row in outcomes.values()), sum(errors.values())
    assert abs(lost - made / 2) <= 3 * sqrt(made) / 2
    assert set(errors) <= ANSWERS[kind]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["no endpoints at all", "only a terminating, not serving endpoint"])
def test_a_service_without_usable_endpoints_rejects_every_connection(mode: str, name: str) -> None:
    outcomes = results(mode)[name]
    errors = failed(outcomes)
    assert sum(errors.values()) == sum(row["n"] for row in outcomes.values())
    assert "ConnectionRefusedError" in errors
    assert set(errors) <= ANSWERS["rejected"]


def test_the_model_names_these_three() -> None:
    """A process that ended with its address still there; a machine without power; a Service whose last pod goes."""
    dead = met(play(request("termination")))
    assert Failing("refused", 3, 0) in dead
    off = met(play(request("termination", scene="dead-node")))
    assert "unanswered" in {row.kind for row in off}
    alone = met(play(request("termination", scene="no-endpoint")))
    assert Failing("rejected", 1, 0) in alone


@pytest.mark.parametrize("mode", MODES)
def test_an_open_connection_outlives_its_rule_and_dies_with_its_process(mode: str) -> None:
    """So a request in flight is cut only by the end of the process, however long before its address left the rules."""
    for name, row in results(mode).items():
        if name.startswith("established connection"):
            assert row["errors_while_removed"] == []
            assert row["echoes_while_removed"] >= 40
    slow = play(request("termination", settings=[("request_duration", "10s"), ("prestop", "5s")]))
    cut = next(row.step for row in slow.walk.records if row.step.world.ledger.cut)
    assert cut.at == 5_011
    assert cut.verb == "exit"
