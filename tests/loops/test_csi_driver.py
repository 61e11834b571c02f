"""The table of a disk's driver: it attaches what is asked for and detaches what is being deleted."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import ObjectMeta, Ref
from app.kube.objects import Object
from app.kube.provisioning import DRIVER
from app.kube.storage import (
    PersistentVolume,
    VolumeAttachment,
    VolumeAttachmentSource,
    VolumeAttachmentSpec,
    VolumeAttachmentStatus,
)
from app.kube.stringmap import StringMap
from app.loops.csi_driver import LOOP, Since
from app.sim.acts import Act, Patch, Wait
from tests.loops.beliefs import decided, requested, told, turn
from tests.loops.disks import disk

ROW = Ref("VolumeAttachment", "", "csi-1")


def attachment(*, attached: bool = False, leaving: bool = False) -> VolumeAttachment:
    return VolumeAttachment(
        ObjectMeta(name="csi-1", deletionTimestamp=0 if leaving else None, finalizers=("external-attacher",)),
        VolumeAttachmentSpec(DRIVER, "n1", VolumeAttachmentSource("a")),
        VolumeAttachmentStatus(attached),
    )


def slow(takes: str) -> PersistentVolume:
    made = disk("a")
    notes = StringMap({"sim.loopscope.dev/attach": takes})
    return replace(made, metadata=replace(made.metadata, annotations=notes))


ATTACH, DETACH = Since("attach", 0), Since("detach", 0)


@pytest.mark.parametrize(
    ("believes", "since", "now", "decisions"),
    [
        pytest.param([disk("a")], None, 0, [], id="nothing is asked of it"),
        pytest.param([attachment(attached=True), disk("a")], None, 0, [], id="all is done"),
        pytest.param([attachment(), disk("a")], None, 0, ["wait 2000"], id="it begins"),
        pytest.param([attachment(), disk("a")], ATTACH, 499, ["wait 2000"], id="and works on"),
        pytest.param(
            [attachment(), disk("a")], ATTACH, 2_000, ["fulfil volumeattachment/csi-1 a to n1"], id="attached"
        ),
        pytest.param([attachment(), slow("9s")], None, 0, ["wait 9000"], id="a slow driver"),
        pytest.param([attachment(), slow("hangs")], None, 0, [], id="one that never answers"),
        pytest.param(
            [attachment(attached=True, leaving=True)], ATTACH, 5_000, ["wait 6500"], id="detaching counts anew"
        ),
        pytest.param(
            [attachment(attached=True, leaving=True)],
            DETACH,
            1_500,
            ["release volumeattachment/csi-1 a from n1"],
            id="detached",
        ),
        pytest.param(
            [attachment(leaving=True)],
            DETACH,
            1_500,
            ["release volumeattachment/csi-1 a from n1"],
            id="before it was attached",
        ),
    ],
)
def test_a_driver(believes: list[Object], since: Since | None, now: int, decisions: list[str]) -> None:
    kept = {ROW: since} if since else {}
    asked = turn(LOOP, ROW, *believes, now=now, fired=True, memory=kept)
    assert told(decided(LOOP, asked)) == decisions


def test_a_driver_answers_in_the_attachment() -> None:
    def act(row: VolumeAttachment, since: Since) -> Act | Wait:
        (made,) = decided(LOOP, turn(LOOP, ROW, row, now=9_000, fired=True, memory={ROW: since}))
        return made

    assert requested(act(attachment(), ATTACH)).status.attached
    released = act(attachment(attached=True, leaving=True), DETACH)
    assert isinstance(released, Act)
    assert released.request == Patch(ROW, (("metadata.finalizers", ()),))
