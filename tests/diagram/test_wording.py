"""Pictures in other words: what is read changes, what names boxes and colours does not."""

from __future__ import annotations

import pytest

from app.catalog.wording import worded
from app.diagram import describe, mermaid
from app.diagram.extract import cluster_view, messages_view, timeline_view
from app.story.play import Play, play, request

NOT_NEUTRAL = ("kubelet", "kube-proxy", "controller-manager", "scheduler", "EndpointSlice", "etcd")


@pytest.fixture(scope="module")
def played() -> Play:
    return play(request("api-outage", words="neutral"))


@pytest.mark.parametrize("view", ["cluster", "messages"])
def test_a_picture_speaks_in_the_words_of_its_flow(played: Play, view: str) -> None:
    told = " ".join(describe(view, played.walk, 10, played.flow))
    assert [word for word in NOT_NEUTRAL if word in told] == []
    assert "node agent" in told or "agent" in told
    plain = " ".join(describe(view, played.walk, 10, played.setup.flow))
    assert "kubelet" in plain


def test_boxes_keep_their_names_and_colours(played: Play) -> None:
    mine, plain = (cluster_view(played.walk, 10, flow) for flow in (played.flow, played.setup.flow))
    assert (mine.nodes[0].kubelet.name, plain.nodes[0].kubelet.name) == ("agent", "kubelet")
    assert [(row.kubelet.id, row.kubelet.kind) for row in mine.nodes] == [
        (row.kubelet.id, row.kubelet.kind) for row in plain.nodes
    ]
    assert mine.message is not None
    assert plain.message is not None
    assert (mine.message.sender, mine.message.receiver) == (plain.message.sender, plain.message.receiver)


def test_lanes_keep_their_places(played: Play) -> None:
    mine, plain = (messages_view(played.walk, 10, flow) for flow in (played.flow, played.setup.flow))
    assert [row.id for row in mine.lanes] == [row.id for row in plain.lanes]
    assert "deciding half" in [row.title for row in mine.lanes]


def test_a_flow_in_its_own_words_is_drawn_as_ever(played: Play) -> None:
    own = worded(played.setup.flow, "")
    assert timeline_view(played.walk, 3, own) == timeline_view(played.walk, 3, played.setup.flow)
    assert "node agent" in mermaid(played.walk, 20, played.flow)
