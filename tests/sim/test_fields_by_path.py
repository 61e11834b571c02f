"""Fields of objects by path: set, and taken out."""

from __future__ import annotations

import pytest

from app.kube.meta import ObjectMeta
from app.kube.pods import Container, Pod, PodSpec, Probe, ResourceRequirements
from app.kube.stringmap import StringMap
from app.sim.paths import with_path, without_path

POD = Pod(
    ObjectMeta(name="web", labels=StringMap({"app": "web", "tier": "front"})),
    PodSpec(
        containers=(Container("app", "app:1", livenessProbe=Probe()), Container("side", "side:1")),
        terminationGracePeriodSeconds=9,
    ),
)


def test_an_item_of_a_list_goes_by_its_name() -> None:
    assert [row.name for row in without_path(POD, "spec.containers[app]").spec.containers] == ["side"]


def test_a_field_goes_back_to_what_it_is_when_nobody_says_anything() -> None:
    left = without_path(POD, "spec.containers[app].livenessProbe").spec.containers[0]
    assert left.livenessProbe is None
    assert without_path(POD, "spec.containers[app].resources").spec.containers[0].resources == ResourceRequirements()


def test_a_key_of_a_map_goes_alone() -> None:
    assert dict(without_path(POD, "metadata.labels.tier").metadata.labels.items()) == {"app": "web"}


@pytest.mark.parametrize("path", ["spec.containers[nobody]", "spec.volume", "spec.containers[nobody].image"])
def test_a_path_that_leads_nowhere_says_where_it_ended(path: str) -> None:
    for change in (without_path, lambda value, where: with_path(value, where, "x")):
        with pytest.raises(KeyError, match=r"nobody|volume"):
            change(POD, path)
