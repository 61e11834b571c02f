"""The flow of what a kubelet does besides: what an edit reached, who ended last, what could not be read."""

from __future__ import annotations

import pytest

from app.story.fact import Fact, Subject
from app.story.facts import FACTS
from app.story.play import play, request


def fact(name: str, scene: str = "", *choices: str) -> Fact:
    played = play(request("node-notes", scene=scene, choices=tuple(("do", text) for text in choices)))
    return FACTS[name](Subject(played.walk, played.target))


def test_a_folder_follows_within_a_sync_and_a_variable_and_a_sub_path_do_not() -> None:
    after = fact("files-updated-after").value
    assert isinstance(after, float)
    assert 0 < after <= 90
    old = fact("holds-old")
    assert (old.value, dict(old.more)["places"]) == (2, "the environment of web, /etc/level in web")


def test_a_container_that_starts_after_the_edit_has_read_the_new_value() -> None:
    assert fact("holds-old", "", '20s set pod/shop web.exit="after 3s code 1"').value == 0


def test_an_edit_that_is_refused_reaches_nothing() -> None:
    assert fact("files-updated-after", "immutable").value is None
    assert fact("holds-old", "immutable").value == 0


def test_sidecars_are_asked_when_the_apps_have_ended() -> None:
    assert fact("sidecars-last", "sidecar-last").value is True
    assert fact("sidecars-last").value is None


@pytest.mark.parametrize(("scene", "made"), [("mirror-deleted", 1), ("manifest-removed", 0)])
def test_a_deleted_mirror_comes_back_and_one_without_its_manifest_does_not(scene: str, made: int) -> None:
    assert fact("mirrors-made", scene).value == made


@pytest.mark.parametrize(
    ("scene", "kubelet", "api"), [("exec", 0, 0), ("kubelet-away", 2, 0), ("api-away", 0, 2)], ids=str
)
def test_which_part_of_the_path_is_missing(scene: str, kubelet: int, api: int) -> None:
    assert (fact("kubelet-unreachable", scene).value, fact("api-refused", scene).value) == (kubelet, api)
