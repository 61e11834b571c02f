"""The panel that ranks a node's pods: what stands in it, and on which pages."""

from __future__ import annotations

import pytest

from app.story.play import play, request
from app.web.ranking import ranking_panel
from app.web.ranking_parts import RankingPanel


def panel(n: int, scene: str = "", flow: str = "eviction-oom") -> RankingPanel | None:
    return ranking_panel(play(request(flow, scene=scene)), n)


def test_both_orders_with_what_decides_them() -> None:
    found = panel(3)
    assert found is not None
    assert (found.node, found.before, found.signal, found.available, found.capacity) == (
        "node-1",
        True,
        "memory.available",
        "446Mi",
        "8Gi",
    )
    assert [(row.amount, row.hard, row.met) for row in found.thresholds] == [("500Mi", True, True)]
    assert [(row.name.partition("-")[0], row.qos, row.spared) for row in found.evictees] == [
        ("report", "Burstable", False),
        ("scratch", "BestEffort", False),
        ("agent", "Burstable", True),
        ("db", "Guaranteed", False),
        ("checkout", "Burstable", False),
    ]
    assert [(key.text, key.decides) for key in found.evictees[0].keys] == [
        ("yes", False),
        ("0", False),
        ("990Mi", True),
    ]
    assert [(row.container, row.memory, row.adj, row.badness) for row in found.killed] == [
        ("report", 152, 969, 1121),
        ("scratch", 37, 1000, 1037),
        ("checkout", 293, 688, 981),
        ("db", 366, -997, -631),
        ("agent", 12, -997, -985),
    ]


def test_a_pod_is_named_as_on_the_map_and_in_full() -> None:
    found = panel(3)
    assert found is not None
    row = found.evictees[0]
    assert row.full.startswith("report-")
    assert row.name == f"report-{row.full.rpartition('-')[2]}"
    assert row.name != row.full


def test_elsewhere_it_is_what_would_happen_now() -> None:
    found = panel(0)
    assert found is not None
    assert not found.before
    assert [row.met for row in found.thresholds] == [False]


@pytest.mark.parametrize("flow", ["termination", "diagnose"])
def test_only_flows_about_memory_have_one(flow: str) -> None:
    assert panel(0, flow=flow) is None
