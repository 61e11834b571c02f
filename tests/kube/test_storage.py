"""Disks and who may have them: access modes, names, annotations, and the words of what goes wrong."""

from __future__ import annotations

import pytest

from app.errors import BadInput
from app.kube import storage
from app.kube.disks import attach_takes, mount_takes
from app.kube.manifests import read_manifests
from app.kube.storage import PersistentVolume

DISK = """
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-data, annotations: {ANNOTATIONS}}
spec:
  accessModes: [MODES]
  capacity: {storage: 10Gi}
  csi: {driver: csi.example.com, volumeHandle: vol-1, fsType: ext4}
"""


def disk(modes: str = "ReadWriteOnce", annotations: str = "") -> PersistentVolume:
    (found,) = read_manifests(DISK.replace("MODES", modes).replace("ANNOTATIONS", annotations)).objects
    assert isinstance(found, PersistentVolume)
    return found


@pytest.mark.parametrize(
    ("modes", "exclusive"),
    [
        ("ReadWriteOnce", True),
        ("ReadWriteOncePod", True),
        ("ReadOnlyMany", False),
        ("ReadWriteMany", False),
        ("ReadWriteOnce, ReadOnlyMany", False),
    ],
)
def test_an_access_mode_says_whether_one_node_has_it_alone(modes: str, *, exclusive: bool) -> None:
    assert disk(modes).exclusive is exclusive


def test_a_node_calls_it_by_driver_and_handle() -> None:
    assert disk().unique_name == "kubernetes.io/csi/csi.example.com^vol-1"


def test_an_attachment_has_a_name_of_its_own_for_every_node() -> None:
    first, second = (storage.attachment(disk(), node) for node in ("n1", "n2"))
    assert first.metadata.name.startswith("csi-")
    assert first.metadata.name != second.metadata.name
    assert first.spec.source.persistentVolumeName == "pv-data"
    assert first.metadata.finalizers == ("external-attacher/csi-example-com",)


def test_pods_of_other_namespaces_are_only_counted() -> None:
    where = 'Multi-Attach error for volume "pv" Volume is already used by'
    assert storage.multi_attach("pv", ("a",), 2) == f"{where} pod(s) a and 2 pod(s) in different namespaces"
    assert storage.multi_attach("pv", (), 1) == f"{where} 1 pod(s) in different namespaces"


def test_what_is_told_of_a_disk_that_is_elsewhere() -> None:
    assert storage.multi_attach("pv-data", ("web-0", "web-1")) == (
        'Multi-Attach error for volume "pv-data" Volume is already used by pod(s) web-0, web-1'
    )
    assert storage.multi_attach("pv-data", ()) == (
        'Multi-Attach error for volume "pv-data" '
        "Volume is already exclusively attached to one node and can't be attached to another"
    )


@pytest.mark.parametrize(("text", "takes"), [("", 2_000), ("5s", 5_000), ("hangs", None)])
def test_how_long_attaching_takes_stands_on_the_volume(text: str, takes: int | None) -> None:
    annotations = f"sim.loopscope.dev/attach: {text}" if text else ""
    assert attach_takes(disk(annotations=annotations), 2_000) == takes


@pytest.mark.parametrize(("text", "takes"), [("", 300), ("5s", 5_000), ("fails", None)])
def test_so_does_how_long_mounting_takes(text: str, takes: int | None) -> None:
    annotations = f"sim.loopscope.dev/mount: {text}" if text else ""
    assert mount_takes(disk(annotations=annotations), 300) == takes


@pytest.mark.parametrize(
    ("annotation", "fault"),
    [
        ("sim.loopscope.dev/attach: soon", 'found "soon"; allowed: a duration such as 2s, hangs'),
        ("sim.loopscope.dev/atach: 2s", "no such annotation of a PersistentVolume"),
    ],
)
def test_a_wrong_annotation_says_what_is_allowed(annotation: str, fault: str) -> None:
    with pytest.raises(BadInput, match=fault):
        disk(annotations=annotation)


def test_fields_that_the_model_leaves_out_are_told_of() -> None:
    found = read_manifests(DISK.replace("MODES", "ReadWriteOnce").replace("ANNOTATIONS", ""))
    assert tuple(found.not_modelled) == (("persistentvolume/pv-data", "spec.csi.fsType"),)
