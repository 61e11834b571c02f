"""The orders that the flow about eviction shows beside its steps, and as lines of text."""

from __future__ import annotations

import pytest

from app.story import text
from app.story.play import Play, play, request
from app.story.ranking import Killed
from app.story.who_first import decisive, lines, ranking_at, thousandths, told


def played(scene: str = "") -> Play:
    return play(request("eviction-oom", scene=scene))


def at(moment: str, scene: str = "") -> int:
    return next(row.n for row in played(scene).steps if row.step.moment == moment)


@pytest.mark.parametrize(
    ("moment", "scene"),
    [("eviction-threshold-met", ""), ("pod-evicted", ""), ("pod-evicted", "critical-evicted"), ("node-oom", "spike")],
)
def test_who_is_chosen_is_the_first_of_the_order_that_led_to_it(moment: str, scene: str) -> None:
    walk = played(scene).walk
    found = ranking_at(walk, at(moment, scene))
    assert found is not None
    victim = next(row.step.object for row in walk.steps if row.step.moment in ("pod-evicted", "node-oom"))
    first = found.killed[0].pod if moment == "node-oom" else found.evictees[0].pod
    assert first == str(victim)


def test_a_step_elsewhere_shows_the_node_that_has_the_least_left() -> None:
    walk = played().walk
    assert [
        found.node for n in (0, at("replacement-created"), at("node-tainted")) if (found := ranking_at(walk, n))
    ] == [
        "node-1",
        "node-1",
        "node-1",
    ]
    found = ranking_at(walk, at("start-container"))
    assert found is not None
    assert found.node == "node-2"


def test_where_a_disk_is_short_the_order_is_that_of_disks() -> None:
    walk = played("disk-evicts").walk
    found = ranking_at(walk, at("pod-evicted", "disk-evicts"))
    assert found is not None
    assert (found.signal, found.resource) == ("nodefs.available", "ephemeral-storage")


def test_the_key_that_decides() -> None:
    found = ranking_at(played().walk, at("pod-evicted"))
    assert found is not None
    # report and scratch differ by excess, scratch and the agent by priority, the agent and db by being above at all.
    assert [decisive(found, row) for row in found.evictees] == ["over", "priority", "exceeds", "over", ""]


def test_nothing_decides_between_equals() -> None:
    found = ranking_at(played("disk-evicts").walk, at("pod-evicted", "disk-evicts"))
    assert found is not None
    assert [decisive(found, row) for row in found.evictees] == ["exceeds", "", "", "priority", ""]


def test_the_sum_of_a_process_in_thousandths() -> None:
    # 2400Mi of 8Gi in use, 512Mi asked for: 293 + 938.
    pages = 2400 * 256 + 938 * (8192 * 256 // 1000)
    row = Killed(1, "pod/a", "app", "Burstable", child=False, memory="2400Mi", score_adj=938, badness=pages)
    assert thousandths(row, "8Gi") == (293, 1231)


def test_a_process_that_is_never_chosen_has_its_score_alone() -> None:
    row = Killed(1, "pod/a", "app", "Burstable", child=False, memory="1Mi", score_adj=-1000, badness=None)
    assert thousandths(row, "8Gi") == (0, -1000)


def test_the_kubelets_order_as_lines() -> None:
    found = ranking_at(played().walk, at("eviction-threshold-met"))
    assert found is not None
    head, first, second, third, *_ = (line.split() for line in lines(found, kernel=False))
    assert head[:5] == ["#", "pod", "class", "uses", "asks"]
    assert first[0] == "1"
    assert first[2:] == ["Burstable", "1246Mi", "256Mi", "yes", "0", "[990Mi]"]
    assert second == ["2", "scratch", "BestEffort", "300Mi", "0", "yes", "[0]", "300Mi"]
    # A critical pod has a place and is passed over.
    assert third[0] == "-"


def test_the_kernels_order_as_lines() -> None:
    found = ranking_at(played("no-threshold").walk, at("node-oom", "no-threshold"))
    assert found is not None
    rows = [line.split("  ")[-1].strip() for line in lines(found, kernel=True)]
    assert rows[1:] == [
        "293 + 938 = 1231",
        "206 + 1000 = 1206",
        "37 + 969 = 1006",
        "366 - 997 = -631",
        "12 - 997 = -985",
    ]


def test_the_text_of_a_walk_shows_at_most_three_orders_each_below_its_step() -> None:
    assert len(list(told(played("spike").walk))) == 3
    found = text.plain(played()).splitlines()
    step = next(n for n, line in enumerate(found) if "has to free something" in line)
    assert found[step + 2].split()[:2] == ["1", found[step + 7].split("evicts pod/")[1].split(":")[0]]


def test_a_flow_that_is_not_about_memory_shows_no_order() -> None:
    assert "1 above" not in text.plain(play(request("diagnose", scene="oom-killed")))


def test_markdown_has_the_order_as_a_block_of_its_own() -> None:
    found = text.markdown(played(), at("pod-evicted"))
    block = found.split("```")[1]
    assert "[990Mi]" in block
    assert "```" not in text.markdown(played(), at("hard-threshold-met"))
