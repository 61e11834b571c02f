"""Which volume a claim gets."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import ObjectMeta
from app.kube.pods import ResourceRequirements
from app.kube.provisioning import made_for, match
from app.kube.storage import (
    ClaimReference,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeSpec,
)
from app.kube.stringmap import StringMap

CLAIM = PersistentVolumeClaim(
    ObjectMeta(name="data", namespace="shop", uid="0123456789"),
    PersistentVolumeClaimSpec(
        ("ReadWriteOnce",), ResourceRequirements(requests=StringMap({"storage": "5Gi"})), storageClassName="disks"
    ),
)


def volume(name: str, size: str = "10Gi", *modes: str, kind: str = "disks", kept_for: str = "") -> PersistentVolume:
    claim = ClaimReference("shop", kept_for) if kept_for else None
    capacity = StringMap({"storage": size})
    spec = PersistentVolumeSpec(modes or ("ReadWriteOnce",), capacity, storageClassName=kind, claimRef=claim)
    return PersistentVolume(ObjectMeta(name=name), spec)


@pytest.mark.parametrize(
    ("volumes", "found"),
    [
        pytest.param([], None, id="none"),
        pytest.param([volume("a")], "a", id="one that will do"),
        pytest.param([volume("a", "4Gi")], None, id="too small"),
        pytest.param([volume("a", "20Gi"), volume("b")], "b", id="the smallest of those that are large enough"),
        pytest.param([volume("b"), volume("a")], "a", id="the first of equals"),
        pytest.param([volume("a", "10Gi", "ReadWriteMany")], None, id="another access mode"),
        pytest.param([volume("a", "10Gi", "ReadWriteMany", "ReadWriteOnce")], "a", id="more access modes"),
        pytest.param([volume("a", kind="files")], None, id="another class"),
        pytest.param([volume("a"), volume("b", "50Gi", kept_for="data")], "b", id="the one that is kept for it"),
        pytest.param([volume("a", kept_for="other")], None, id="not one that is kept for another"),
    ],
)
def test_the_smallest_volume_that_will_do(volumes: list[PersistentVolume], found: str | None) -> None:
    best = match(CLAIM, volumes, [CLAIM])
    assert (best.metadata.name if best is not None else None) == found


def test_a_volume_of_another_claim_is_not_free() -> None:
    other = replace(CLAIM, spec=replace(CLAIM.spec, volumeName="a"))
    assert match(CLAIM, [volume("a")], [CLAIM, other]) is None


def test_one_that_is_made_for_a_claim_suits_it() -> None:
    made = made_for(CLAIM)
    assert made.metadata.name == "pvc-0123456789"
    assert made.unique_name == "kubernetes.io/csi/csi.example.com^vol-01234567"
    assert match(CLAIM, [made], [CLAIM]) == made
