"""The table of releases: each behaviour is absent just before its release and there from it on."""

from __future__ import annotations

import pytest

from app.kube.releases import BEHAVIOURS, CURRENT, NAMES, NEWEST, OLDEST, Release, release

EDGES = [
    pytest.param(name, f"1.{minor}", minor >= since.minor, id=f"{name} in 1.{minor}")
    for name, since in BEHAVIOURS.items()
    for minor in (since.minor - 1, since.minor)
]


@pytest.mark.parametrize(("behaviour", "name", "there"), EDGES)
def test_a_behaviour_is_there_from_its_release_on(behaviour: str, name: str, there: bool) -> None:
    assert getattr(release(name), behaviour) is there


def test_every_behaviour_has_a_field_a_source_and_a_release_within_reach() -> None:
    assert ["minor", *BEHAVIOURS] == list(Release.__struct_fields__)
    assert all(row.source and OLDEST < row.minor <= NEWEST for row in BEHAVIOURS.values())


def test_releases_are_in_order_and_the_usual_one_is_what_was_recorded() -> None:
    assert [release(name).name for name in NAMES] == list(NAMES)
    assert (CURRENT.name, CURRENT.kubelet) == ("1.36", "v1.36.2")
    assert release("1.29").kubelet == "v1.29.0"
    assert release("1.36") is CURRENT
