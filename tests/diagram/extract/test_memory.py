"""What bars of memory are held against, on the walk of the flow about eviction."""

from __future__ import annotations

from app.diagram.extract import cluster_view
from app.diagram.extract.memory import pod_scale
from app.diagram.views import Bar, ClusterView, Mark, Meter
from app.story.play import play, request

GI = 2**30


def seen(moment: str, scene: str = "", flow: str = "eviction-oom") -> ClusterView:
    played = play(request(flow, scene=scene))
    n = next((row.n for row in played.steps if row.step.moment == moment), 0)
    return cluster_view(played.walk, n, played.flow)


def meters(view: ClusterView) -> dict[str, Meter]:
    return {pod.name.partition("-")[0]: pod.memory for pod in view.nodes[0].pods if pod.memory is not None}


def test_a_machines_use_against_its_threshold_and_its_requests_against_what_is_allocatable() -> None:
    node = seen("eviction-threshold-met").nodes[0].memory
    assert node is not None
    threshold = round((8192 - 500) / 8192, 4)
    # 700 for itself, 3000, 2400, 300, 100, and 1246 for report; 3072, 2560, 256 and 64 are asked for.
    used = Bar(
        round(7746 / 8192, 4), "short", (Mark(threshold, "threshold"),), "memory 7746Mi of 8192Mi · short, 446Mi left"
    )
    asked = Bar(
        round(5952 / 8192, 4), "promised", (Mark(threshold, "allocatable"),), "asked for 5952Mi of 7692Mi allocatable"
    )
    assert node.bars == (used, asked)
    assert node.title == f"node-1: {used.note}; {asked.note}; the kubelet evicts below 500Mi"


def test_a_soft_threshold_is_a_mark_of_its_own() -> None:
    node = seen("soft-threshold-met", "soft-threshold").nodes[0].memory
    assert node is not None
    assert [row.kind for row in node.bars[0].marks] == ["threshold", "soft"]
    assert node.title.endswith("the kubelet evicts below 500Mi, after a while also below 1024Mi")


def test_a_kubelet_that_does_not_watch_memory_says_so() -> None:
    node = seen("", "no-threshold").nodes[0].memory
    assert node is not None
    assert (node.bars[0].marks, node.bars[0].state) == ((), "calm")
    assert node.title.endswith("the kubelet does not watch it")


def test_a_pods_use_against_its_request_and_its_limit_at_one_measure_for_all() -> None:
    played = play(request("eviction-oom"))
    assert pod_scale(played.walk) == 5 * GI
    found = meters(seen("eviction-threshold-met"))
    whole = 5 * 1024
    [report] = found["report"].bars
    assert report == Bar(round(1246 / whole, 4), "above", (Mark(0.05, "request"),), "1246 / 256Mi")
    [db] = found["db"].bars
    assert db == Bar(round(3000 / whole, 4), "calm", (Mark(0.6, "request"), Mark(0.6, "limit")), "3000 / 3072Mi")
    assert (found["scratch"].bars[0].state, found["scratch"].title) == ("above", "memory 300Mi, asks for 0Mi, no limit")


def test_a_limit_above_the_request_is_told_in_numbers_too() -> None:
    view = seen("", "limit-breach")
    assert meters(view)["report"].bars[0].note == "600 / 256 ≤1024Mi"


def test_what_does_not_run_uses_nothing() -> None:
    assert "report" not in meters(seen("oom-killed", "limit-breach"))


def test_only_flows_with_a_kernel_draw_memory() -> None:
    view = seen("", flow="diagnose")
    assert not view.extent.memory
    assert all(card.memory is None and all(pod.memory is None for pod in card.pods) for card in view.nodes)
