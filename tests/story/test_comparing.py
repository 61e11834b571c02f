"""Two walks on one clock: what they share, where they part."""

from __future__ import annotations

from app.story.comparing import compare
from app.story.play import play, request

USUAL = play(request("termination"))
SAFE = play(request("termination", settings=[("prestop", "15s")]))


def test_a_walk_beside_itself_never_parts() -> None:
    found = compare(USUAL, USUAL)
    assert found.parts_at is None
    assert {pair.state for pair in found.pairs} == {"same"}
    assert len(found.pairs) == len(USUAL.steps)
    assert not any(row.differs for row in found.verdicts)


def test_a_prestop_parts_them_at_the_sigterm() -> None:
    """Until then both go the same way; with the hook SIGTERM comes 15 s later, and no request fails."""
    found = compare(USUAL, SAFE)
    assert found.parts_at is not None
    before = found.pairs[: found.parts_at]
    assert before
    assert {pair.state for pair in before} == {"same"}
    (asked,) = [pair for pair in found.pairs if "sigterm-sent" in pair.id]
    assert asked.first is not None
    assert asked.second is not None
    assert (asked.state, asked.second.at - asked.first.at) == ("later", 15_000)
    failed = next(row for row in found.verdicts if row.id == "requests-failed")
    assert (failed.first.value, failed.second.value, failed.differs) == (3.467, 0, True)


def test_every_step_of_both_is_there_in_the_order_of_time() -> None:
    pairs = compare(USUAL, SAFE).pairs
    assert sorted(pair.first.n for pair in pairs if pair.first) == [row.n for row in USUAL.steps]
    assert sorted(pair.second.n for pair in pairs if pair.second) == [row.n for row in SAFE.steps]
    times = [min(place.at for place in (pair.first, pair.second) if place) for pair in pairs]
    assert times == sorted(times)


def test_a_pod_is_the_same_whatever_name_its_template_gives_it() -> None:
    """The replacement starts at the same instant in both: nothing of its way depends on the hook of the old one."""
    started = [pair for pair in compare(USUAL, SAFE).pairs if "container-started" in pair.id]
    assert [pair.state for pair in started] == ["same"]


def test_the_writes_of_one_object_are_told_apart_by_their_reasons() -> None:
    """The address leaves the slice when the process has ended, 15 s later with the hook."""
    (leaves,) = [pair for pair in compare(USUAL, SAFE).pairs if pair.title == "The address leaves the slice"]
    assert leaves.first is not None
    assert leaves.second is not None
    assert (leaves.first.at, leaves.second.at) == (27, 15_027)


def test_another_outcome_is_a_change() -> None:
    """A budget of 3 allows no more after one eviction, one of 2 allows one more."""
    drains = [play(request("drain", settings=[("min_available", value)])) for value in ("3", "2")]
    assert [pair.title for pair in compare(*drains).pairs if pair.state == "changed"][:1] == [
        "The budget web pays: 0 allowed"
    ]


def test_other_words_at_the_same_instant_are_a_change() -> None:
    """The events of a start name the container up to 1.34."""
    walks = [play(request("pod-startup", settings=[("kubernetes", version)])) for version in ("1.34", "1.35")]
    changed = [pair for pair in compare(*walks).pairs if pair.state != "same"]
    assert {pair.state for pair in changed} == {"changed"}
    assert changed[0].words == ("Created container: migrate", "Container created")


def test_names_of_pods_are_no_other_words() -> None:
    """Another template gives its pods other names; what is said of them is the same."""
    pairs = [pair for pair in compare(USUAL, SAFE).pairs if pair.first and pair.second]
    assert [pair.title for pair in pairs if pair.words and pair.state in ("same", "changed")] == []
