"""The map of the cluster: nothing overlaps, nothing is cut, and arrows end on boxes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app import diagram
from app.catalog.flow import Flow
from app.diagram.extract.pods import pods_on
from app.diagram.shapes import Group, Picture
from app.sim.walk import Walk
from app.story.play import play, request
from tests.diagram import geometry, walks

BOXES = ("chip", "list", "pod", "place", "node", "tile", "clients")
WORDED = ("chip", "list", "pod", "clients", "node", "tile")
ARROWS = ("arrow", "traffic", "astray")


def faults(picture: Picture) -> list[object]:
    """Everything that is wrong with the shapes of a map."""
    return [
        *geometry.outside(picture),
        *geometry.crossing(picture, *BOXES),
        *geometry.squeezed(picture, *WORDED),
        *geometry.collisions(picture),
        *geometry.overlaid(picture),
        *geometry.covered(picture, *BOXES),
        *loose_arrows(picture),
    ]


def loose_arrows(picture: Picture) -> list[str]:
    """Arrows that do not begin and end on the border of a box."""
    boxes = list(geometry.named_boxes(picture, *BOXES).values())
    found = []
    for group in arrows(picture):
        for start, end in geometry.ends(group):
            for x, y in (start, end):
                if not any(box.on_border(x, y) for box in boxes):
                    found.append(f"{group.id}: {x}, {y}")
    return found


def arrows(picture: Picture) -> list[Group]:
    return [group for group in picture.groups if set(ARROWS) & set(group.look.split())]


def group(picture: Picture, name: str) -> Group:
    return next(row for row in picture.groups if row.id == name)


def texts(of: Group) -> list[str]:
    return [label.text for label in of.labels]


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
def test_every_step_of_the_default_walk_is_drawn_properly(walk: Walk, flow: Flow, narrow: bool) -> None:
    wrong = {
        n: bad for n in range(len(walk.steps) + 1) if (bad := faults(diagram.cluster(walk, n, flow, narrow=narrow)))
    }
    assert wrong == {}


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
@pytest.mark.parametrize("pods", [0, 1, 3, 4, 8, 12])
@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 5, 6])
def test_any_small_cluster_is_drawn_properly(nodes: int, pods: int, narrow: bool) -> None:
    walk = walks.race(nodes, pods) if pods else walks.standstill(nodes)
    for n in range(len(walk.steps) + 1):
        picture = diagram.cluster(walk, n, walks.FLOW, narrow=narrow)
        assert faults(picture) == []
        assert picture.width == (320 if narrow else 800)


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
@pytest.mark.parametrize(("nodes", "pods"), [(7, 1), (3, 13), (50, 10), (2, 200)])
def test_a_large_cluster_becomes_tiles(nodes: int, pods: int, narrow: bool) -> None:
    walk = walks.race(nodes, pods)
    for n in (0, 6, len(walk.steps) - 4, len(walk.steps)):
        picture = diagram.cluster(walk, n, walks.FLOW, narrow=narrow)
        assert faults(picture) == []
        assert len(geometry.named_boxes(picture, "tile")) == nodes


def test_of_very_many_nodes_those_that_matter_are_drawn() -> None:
    walk = walks.race(300, 1)
    last = len(walk.steps)
    bound = next(row.n for row in walk.steps if row.step.sender == "kubelet node-300")
    picture = diagram.cluster(walk, bound, walks.FLOW)
    assert {"cluster-node-node-1", "cluster-node-node-300"} <= {row.id for row in picture.groups}
    assert len(geometry.named_boxes(picture, "tile")) == 49
    assert texts(group(picture, "cluster-more-nodes")) == ["+251 more nodes"]
    assert faults(diagram.cluster(walk, last, walks.FLOW)) == []


@pytest.mark.parametrize(
    "scene", [{"on_sigterm": "ignore"}, {"prestop": "15s"}, {"on_sigterm": "drain=10s"}, {"force": "true"}]
)
def test_other_settings_are_drawn_properly_too(scene: dict[str, str]) -> None:
    played = play(request("termination", settings=tuple(scene.items())))
    for n in range(len(played.steps) + 1):
        assert faults(diagram.cluster(played.walk, n, played.flow)) == []


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
@pytest.mark.parametrize("scene", ["", "limit-breach", "critical-evicted", "flapping", "no-threshold"])
def test_bars_of_memory_are_drawn_properly(scene: str, narrow: bool) -> None:
    played = play(request("eviction-oom", scene=scene))
    pictures = (diagram.cluster(played.walk, n, played.flow, narrow=narrow) for n in range(len(played.steps) + 1))
    assert {n: bad for n, picture in enumerate(pictures) if (bad := faults(picture))} == {}


def test_the_kernel_is_drawn_as_the_memory_of_its_machine() -> None:
    played = play(request("eviction-oom", scene="limit-breach"))
    picture = diagram.cluster(played.walk, 1, played.flow)
    boxes = geometry.named_boxes(picture, *BOXES)
    ((start, end),) = geometry.ends(group(picture, "cluster-message-1"))
    assert boxes["cluster-kernel-node-1"].on_border(*start)
    killed = next(name for name, box in boxes.items() if name.startswith("cluster-pod-") and box.on_border(*end))
    assert "dead" in group(picture, killed).look


def test_a_step_is_an_arrow_from_its_sender_to_its_receiver() -> None:
    walk = walks.race()
    for n, sender, receiver in [
        (1, "you", "api"),
        (4, "kube-controller-manager", "api"),
        (5, "kube-scheduler", "api"),
        (6, "kubelet-node-1", "runtime-node-1"),
        (7, "runtime-node-1", "pod-uid-0"),
    ]:
        picture = diagram.cluster(walk, n, walks.FLOW)
        boxes = geometry.named_boxes(picture, *BOXES)
        ((start, end),) = geometry.ends(group(picture, f"cluster-message-{n}"))
        assert boxes[f"cluster-{sender}"].on_border(*start), n
        assert boxes[f"cluster-{receiver}"].on_border(*end), n
        assert "busy" in group(picture, f"cluster-{sender}").look
        assert "busy" in group(picture, f"cluster-{receiver}").look


@pytest.mark.parametrize(
    ("scene", "box"),
    [
        ("dead-node", "node-node-1"),
        ("kube-proxy-down", "kube-proxy-node-2"),
        ("controllers-down", "kube-controller-manager"),
    ],
)
def test_what_a_reader_does_is_an_arrow_to_what_it_is_done_to(scene: str, box: str) -> None:
    played = play(request("termination", scene=scene))
    n = next(row.n for row in played.steps if row.step.sender == "You")
    picture = diagram.cluster(played.walk, n, played.flow)
    ((start, end),) = geometry.ends(group(picture, f"cluster-message-{n}"))
    boxes = geometry.named_boxes(picture, *BOXES)
    assert boxes["cluster-you"].on_border(*start)
    assert boxes[f"cluster-{box}"].on_border(*end)


def test_what_woke_a_loop_comes_in_from_the_api_server_as_a_dashed_arrow() -> None:
    picture = diagram.cluster(walks.race(), 6, walks.FLOW)
    cause = group(picture, "cluster-cause-6")
    boxes = geometry.named_boxes(picture, "chip")
    ((start, end),) = geometry.ends(cause)
    assert "cause" in cause.look.split()
    assert boxes["cluster-api"].on_border(*start)
    assert boxes["cluster-kubelet-node-1"].on_border(*end)


def test_the_way_of_failing_requests_is_shown_in_words_and_to_the_dead_pod() -> None:
    walk = walks.race()
    picture = diagram.cluster(walk, 11, walks.FLOW)
    late = group(picture, "cluster-traffic-node-2")
    assert "failing" in late.look.split()
    assert texts(late) == ["connection", "refused"]
    assert "ok" in group(picture, "cluster-traffic-node-1").look.split()
    boxes = geometry.named_boxes(picture, "pod", "list")
    ((start, end),) = geometry.ends(group(picture, "cluster-astray-node-2-pod-uid-0"))
    assert boxes["cluster-rules-node-2-default-web"].on_border(*start)
    assert boxes["cluster-pod-uid-0"].on_border(*end)


def test_boxes_keep_their_ids_and_places_from_step_to_step() -> None:
    walk = walks.race()
    places: dict[str, set[tuple[object, ...]]] = {}
    sizes = set()
    for n in range(len(walk.steps) + 1):
        picture = diagram.cluster(walk, n, walks.FLOW)
        sizes.add((picture.width, picture.height))
        for row in picture.groups:
            if set(BOXES) & set(row.look.split()):
                places.setdefault(row.id, set()).add((row.x, row.y))
    assert len(sizes) == 1
    assert {name for name, found in places.items() if len(found) > 1} == set()
    assert {"cluster-pod-uid-0", "cluster-kubelet-node-1", "cluster-kube-proxy-node-3", "cluster-api"} <= places.keys()


def test_a_walk_in_which_nobody_asks_anything_has_no_clients() -> None:
    picture = diagram.cluster(walks.standstill(2), 0, walks.FLOW)
    assert [row.id for row in picture.groups if "clients" in row.id] == []


def test_a_static_pod_and_its_mirror_are_one_card() -> None:
    played = play(request("node-notes"))
    names = [seen.ref.name for seen in pods_on(played.walk.world, "node-1").values()]
    assert names == ["monitor-node-1", "shop"]


@pytest.fixture(scope="module")
def many() -> Callable[..., Picture]:
    """Fifty machines with five hundred pods, one of them lost: the picture of a step."""
    settings = (("nodes", "50"), ("replicas", "449"), ("rate", "0"))
    played = play(request("node-loss", settings=settings, until="1m"))
    assert len(played.walk.start.etcd.find("Pod")) == 500

    def drawn(n: int, *, narrow: bool = False) -> Picture:
        return diagram.cluster(played.walk, n if n >= 0 else len(played.steps), played.flow, narrow=narrow)

    return drawn


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
def test_fifty_nodes_with_five_hundred_pods_are_drawn_compactly(many: Callable[..., Picture], narrow: bool) -> None:
    for n in (0, 1, 14, -1):
        picture = many(n, narrow=narrow)
        assert not faults(picture)
        tiles = [row for row in picture.groups if "tile" in row.look.split()]
        assert [row.id.rpartition("node-")[2] for row in tiles] == [str(number) for number in range(1, 51)]
        assert sum(box.look.startswith("square") for row in tiles for box in row.boxes) == 500
        assert picture.height < (1800 if narrow else 900)


def test_among_many_nodes_a_lost_one_says_what_the_api_believes_and_what_is_so(many: Callable[..., Picture]) -> None:
    notes = [texts(next(row for row in many(n).groups if row.id == "cluster-node-node-1"))[-1] for n in (1, 2, -1)]
    assert notes == ["Ready · off", "Unknown · off", "NoExecute · off"]


def test_a_node_without_rules_is_not_drawn_as_one_that_rejects() -> None:
    """Before the first Service is there, kube-proxy has nothing to write, and nothing is wrong."""
    played = play(request("sandbox"))
    rules = group(diagram.picture("cluster", played.walk, 1, played.flow), "cluster-rules-node-1")
    assert "empty" not in rules.look.split()
    assert texts(rules) == ["no rules yet"]


def test_the_words_over_a_bar_end_where_a_part_of_them_ends() -> None:
    """Three machines side by side leave no room for what is left, which the bar shows."""
    played = play(request("sandbox"))
    meter = group(diagram.picture("cluster", played.walk, 1, played.flow), "cluster-kernel-node-1")
    assert texts(meter) == ["memory 0Mi of 8192Mi", "asked for 0Mi of 8192Mi"]
    assert "8192Mi left" in meter.title
