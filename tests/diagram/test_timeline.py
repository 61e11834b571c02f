"""The timeline: intervals where they belong on the scale, the race shaded, the cursor at the step."""

from __future__ import annotations

from itertools import pairwise

import pytest

from app import diagram
from app.catalog.flow import Flow
from app.diagram.extract import timeline_view
from app.diagram.layout.scale import Scale, scale, spoken, ticks
from app.diagram.shapes import Group, Picture
from app.diagram.views import TimelineView
from app.sim.walk import Walk
from app.story.play import play, request
from tests.diagram import geometry, walks

SIDES = pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])


def faults(picture: Picture) -> list[object]:
    return [
        *geometry.outside(picture),
        *geometry.collisions(picture),
        *geometry.overlaid(picture),
        *overlapping_bars(picture),
        *words_in_bars(picture),
        *words_cut_through(picture),
    ]


def words_cut_through(picture: Picture) -> list[str]:
    """Words of intervals that lie under the strip of a wait that was cut out."""
    strips = [geometry.boxes_of(row)[0] for row in picture.groups if row.look == "fold"]
    return [
        f"{row.id}: {label.text!r}"
        for row in tracks(picture)
        for label in row.labels[1:]
        if any(strip.meets(geometry.extent(row, label)) for strip in strips)
    ]


def tracks(picture: Picture) -> list[Group]:
    return [row for row in picture.groups if "track" in row.look.split()]


def overlapping_bars(picture: Picture) -> list[str]:
    found = []
    bars = [(row.id, box) for row in tracks(picture) for box in geometry.boxes_of(row)]
    for at, (one, a) in enumerate(bars):
        found += [f"{one} over {other}" for other, b in bars[at + 1 :] if a.meets(b)]
    return found


def words_in_bars(picture: Picture) -> list[str]:
    """Words of intervals (all labels of a row but its name) that leave their bar."""
    found = []
    for row in tracks(picture):
        for label in row.labels[1:]:
            room = geometry.extent(row, label)
            if not any(box.holds(room, 1) for box in geometry.boxes_of(row)):
                found.append(f"{row.id}: {label.text!r}")
    return found


def rows(view: TimelineView) -> dict[str, list[tuple[int, int, str]]]:
    return {row.name: [(part.start, part.end, part.state) for part in row.segments] for row in view.tracks}


@SIDES
def test_every_step_of_the_default_walk_is_drawn_properly(walk: Walk, flow: Flow, narrow: bool) -> None:
    wrong = {
        n: bad for n in range(len(walk.steps) + 1) if (bad := faults(diagram.timeline(walk, n, flow, narrow=narrow)))
    }
    assert wrong == {}


@SIDES
@pytest.mark.parametrize(
    "settings", [{"on_sigterm": "ignore"}, {"prestop": "40s"}, {"on_sigterm": "drain=10s"}, {"force": "true"}]
)
def test_other_settings_are_drawn_properly_too(settings: dict[str, str], narrow: bool) -> None:
    played = play(request("termination", settings=tuple(settings.items())))
    assert faults(diagram.timeline(played.walk, 5, played.flow, narrow=narrow)) == []


def test_the_rows_tell_what_became_of_the_pod() -> None:
    found = rows(timeline_view(walks.race(), 0, walks.FLOW))
    assert found == {
        "web-7pxpv object": [(-1, 0, "exists"), (0, 1380, "terminating"), (1380, 1400, "gone")],
        "web-7pxpv process": [(-1, 14, "running"), (14, 250, "sigterm"), (250, 1400, "exited")],
        "grace period": [(14, 250, "used"), (250, 1400, "spare")],
        "endpoint in web": [(-1, 9, "ready"), (9, 1400, "serving-terminating")],
        "node-1 rules": [(-1, 250, "leads"), (250, 300, "stale"), (300, 1400, "without")],
        "node-2 rules": [(-1, 250, "leads"), (250, 1210, "stale"), (1210, 1400, "without")],
        "node-3 rules": [(-1, 250, "leads"), (250, 320, "stale"), (320, 1400, "without")],
        "new web-99999": [(6, 12, "pending"), (12, 1300, "starting"), (1300, 1400, "ready")],
    }


def test_the_race_is_from_the_exit_to_the_last_rules() -> None:
    assert timeline_view(walks.race(), 0, walks.FLOW).races == ((250, 1210),)


def test_grace_that_is_left_goes_on_beyond_the_picture() -> None:
    view = timeline_view(walks.race(), 0, walks.FLOW)
    (grace,) = [row for row in view.tracks if row.name == "grace period"]
    assert [(part.text, part.goes_on) for part in grace.segments] == [
        ("0.236 s of 30 s", False),
        ("rest of 30 s", True),
    ]


def test_a_preStop_hook_and_a_kill_show_in_the_process() -> None:  # noqa: N802 - Kubernetes' spelling
    played = play(request("termination", settings=(("prestop", "40s"),)))
    view = timeline_view(played.walk, 0, played.flow, played.target)
    states = [part.state for row in view.tracks if row.id.startswith("process-") for part in row.segments]
    assert states[:2] == ["running", "pre-stop"]
    assert states[-1] == "exited"


def test_only_the_cursor_moves_from_step_to_step(walk: Walk, flow: Flow) -> None:
    seen = {}
    for n in range(len(walk.steps) + 1):
        picture = diagram.timeline(walk, n, flow)
        still = tuple(row for row in picture.groups if row.id != "timeline-cursor")
        (cursor,) = [row for row in picture.groups if row.id == "timeline-cursor"]
        seen[n] = (still, cursor.x)
    assert len({still for still, _ in seen.values()}) == 1
    places = [x for _, x in seen.values()]
    assert places == sorted(places)
    assert places[0] < places[-1]


def test_bars_stand_where_their_instants_do(walk: Walk, flow: Flow) -> None:
    view, picture = timeline_view(walk, 0, flow), diagram.timeline(walk, 0, flow)
    left = next(box.x for row in tracks(picture) for box in row.boxes) - 0.5
    found = scale(view.instants, left, picture.width - 9)
    for track, row in zip(view.tracks, tracks(picture), strict=True):
        for part, bar in zip(track.segments, row.boxes, strict=True):
            # An interval too short to be seen takes a little from its neighbour.
            assert abs(bar.x - 0.5 - found.at(part.start)) <= 5
            assert abs(bar.right + 0.5 - found.at(part.end)) <= 5


def lengths(found: Scale) -> list[tuple[int, int, float]]:
    return [(piece.start, piece.end, piece.right - piece.left) for piece in found.pieces[1:]]


def test_the_scale_is_true() -> None:
    found = scale((-1, 0, 100, 400, 1000), 0, 1026)
    assert [(start, end, round(wide)) for start, end, wide in lengths(found)] == [
        (0, 100, 100),
        (100, 400, 300),
        (400, 1000, 600),
    ]
    assert found.at(250) == pytest.approx(found.at(100) + 150)
    assert found.near is None
    assert found.cuts == []


def test_a_wait_that_dwarfs_all_else_is_cut_and_keeps_its_true_length_in_words() -> None:
    found = scale((-1, 0, 400, 1000, 30_000, 30_700), 0, 1000)
    (cut,) = found.cuts
    assert (cut.start, cut.end) == (1000, 30_000)
    assert spoken(cut.end - cut.start) == "29 s"
    # What is left is to scale: 400 to 600 to 700.
    rest = [wide for start, _, wide in lengths(found) if start != 1000]
    assert rest[1] / rest[0] == pytest.approx(600 / 400)
    assert rest[2] / rest[0] == pytest.approx(700 / 400)


def test_a_crowded_start_is_enlarged_by_a_stated_factor() -> None:
    found = scale((-1, 0, 5, 6, 9, 11, 14, 28, 1000, 2000), 0, 1000)
    assert found.near is not None
    assert (found.near.start, found.near.end) == (0, 28)
    inside = (found.at(28) - found.at(0)) / 28
    outside = (found.at(2000) - found.at(28)) / (2000 - 28)
    assert found.near.times == pytest.approx(inside / outside)


def test_the_enlarged_start_is_said_in_words(walk: Walk, flow: Flow) -> None:
    picture = diagram.timeline(walk, 0, flow)
    (near,) = [row for row in picture.groups if row.id == "timeline-near"]
    assert near.labels[0].text == near.title
    assert "times larger" in near.title


def test_ticks_are_round_and_apart() -> None:
    found = scale((-1, 0, 250, 700, 1400), 100, 1300)
    marks = ticks(found, 80)
    assert marks == [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400]
    places = [found.at(at) for at in marks]
    assert min(b - a for a, b in pairwise(places)) >= 64


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [
        (0, "0 s"),
        (20, "20 ms"),
        (100, "0.1 s"),
        (1006, "1.006 s"),
        (30_000, "30 s"),
        (300_000, "5 min"),
        (3_600_000, "1 h"),
        (10_446_800, "2 h 54 min 7 s"),
        (90_000, "90 s"),
        (27_908, "27.9 s"),
    ],
)
def test_durations_as_people_write_them(milliseconds: int, words: str) -> None:
    assert spoken(milliseconds) == words


def test_a_thumbnail_has_bars_and_no_words(walk: Walk, flow: Flow) -> None:
    picture = diagram.thumbnail(walk, len(walk.steps), flow)
    assert [row for row in picture.groups if row.labels] == []
    assert geometry.outside(picture) == []
    assert overlapping_bars(picture) == []
    assert len(tracks(picture)) == 4
    assert any("stale" in box.look for row in tracks(picture) for box in row.boxes)


def test_a_walk_in_which_nothing_happens_still_has_an_axis() -> None:
    picture = diagram.timeline(walks.standstill(1), 0, walks.FLOW)
    assert faults(picture) == []
    assert [row.id for row in picture.groups] == ["timeline-axis", "timeline-cursor"]


def test_of_many_nodes_those_with_stale_rules_are_shown() -> None:
    view = timeline_view(walks.race(30, 1), 0, walks.FLOW)
    shown = [row.name for row in view.tracks if row.id.startswith("rules-")]
    assert len(shown) == 5
    assert shown[-1] == "+26 more nodes"


def lost(**settings: str) -> dict[str, list[tuple[float, float, str]]]:
    """The rows of the flow about a lost node, each with its intervals in seconds."""
    played = play(request("node-loss", settings=tuple(settings.items())))
    view = timeline_view(played.walk, 0, played.flow, played.target)
    assert view.keeps_waits
    return {row.name: [(part.start / 1000, part.end / 1000, part.text) for part in row.segments] for row in view.tracks}


def test_a_lost_node_has_its_silence_its_condition_its_taint_and_the_time_that_pods_have() -> None:
    rows = lost()
    assert [text for _, _, text in rows["node-1 Lease"]] == ["renewed every 10 s", "nothing is heard"]
    silent, unknown, taint = rows["node-1 Lease"][1], rows["node-1 Ready"][1], rows["node-1 taints"][-1]
    assert (silent[0], unknown[0], unknown[2], taint[2]) == (0, 51.04, "Unknown", "NoExecute")
    (stays,) = rows["db-0 may stay"]
    assert stays[2] == "tolerationSeconds 300"
    assert stays[1] - stays[0] == pytest.approx(300)
    assert [text for _, _, text in rows["db-0 process"]] == ["running", "machine is off"]
    assert [text for _, _, text in rows["db-0 object"]] == ["exists", "Terminating"]


def test_behind_a_partition_the_process_runs_on_below_an_object_that_terminates() -> None:
    rows = lost(loss="partition")
    assert [text for _, _, text in rows["db-0 process"]] == ["running"]
    assert [text for _, _, text in rows["db-0 object"]] == ["exists", "Terminating"]


def test_where_nobody_takes_the_place_of_the_target_another_pod_stands_beside_it() -> None:
    names = list(lost())
    assert any(name.startswith("web-") and name.endswith("object") for name in names)
    assert any(name.startswith("new web-") for name in names)


def test_waits_that_are_kept_are_cut_out_only_where_they_leave_no_room() -> None:
    instants = (-1, 0, 51_000, 351_000, 353_000)
    assert len(scale(instants, 0, 1000).cuts) == 1
    assert not scale(instants, 0, 1000, keeps_waits=True).cuts
    assert len(scale((-1, 0, 51_000, 351_000, 10_800_000, 10_860_000), 0, 1000, keeps_waits=True).cuts) == 1


@SIDES
def test_notes_have_a_row_of_their_own_and_close_ones_share_a_mark(narrow: bool) -> None:
    walk = walks.race()
    instants = [(row.n, row.step.at) for row in walk.records if row.n][:9]
    pins = tuple(diagram.Pin(n, at, "decision" if n == 9 else "note", "", f"<{n}>") for n, at in instants)
    found = diagram.timeline(walk, 3, walks.FLOW, narrow=narrow, pins=pins)
    assert faults(found) == []
    marks = [row for row in found.groups if row.look.startswith("pin ") or row.look == "pin"]
    assert sum(row.title.count("note on step") + row.title.count("decision at step") for row in marks) == 9
    boxes = [box for row in marks for box in geometry.boxes_of(row)]
    assert not any(one.meets(other) for at, one in enumerate(boxes) for other in boxes[at + 1 :])
    lowest = max(box.bottom for row in tracks(found) for box in geometry.boxes_of(row))
    assert all(box.top >= lowest for box in boxes)
    assert diagram.describe_timeline(walk, 3, walks.FLOW, pins=pins)[-1].startswith("decision at step 9, ")
