"""The table of the PersistentVolume controller: which volume a claim gets."""

from __future__ import annotations

import pytest

from app.kube.objects import Object
from app.kube.provisioning import DRIVER, PROVISIONER
from app.kube.storage import ClaimReference
from app.loops.volume_binder import LOOP
from app.sim.acts import Patch
from tests.loops.beliefs import decided, only, told, turn
from tests.loops.disks import KEY, MINE, claim, disk

OTHERS = ClaimReference("default", "logs")


def bound(name: str) -> list[str]:
    return [f"bind-claim persistentvolumeclaim/data {name}"]


@pytest.mark.parametrize(
    ("believes", "decisions"),
    [
        pytest.param([], [], id="a claim that is gone"),
        pytest.param([claim(volume="a")], [], id="one that has its volume"),
        pytest.param([claim()], ["ask-for-volume persistentvolumeclaim/data NothingFits"], id="nothing is there"),
        pytest.param([claim(asks=True)], [], id="it is asked for once"),
        pytest.param([claim(asks=True), disk("a")], bound("a"), id="one that has come"),
        pytest.param([claim(), disk("a", "5Gi"), disk("b", "3Gi")], bound("b"), id="the smallest that will do"),
        pytest.param([claim(asks=True), disk("a", "1Gi")], [], id="none that is too small"),
        pytest.param([claim(asks=True), disk("a", accessModes=("ReadOnlyMany",))], [], id="or is used otherwise"),
        pytest.param([claim(asks=True), disk("a", storageClassName="fast")], [], id="or of another class"),
        pytest.param([claim(asks=True), disk("a"), claim("logs", volume="a")], [], id="or belongs to another"),
        pytest.param([claim(asks=True), disk("a", claimRef=OTHERS)], [], id="or is kept for another"),
        pytest.param(
            [claim(), disk("a"), disk("b", "9Gi", claimRef=MINE)], bound("b"), id="before all what is kept for it"
        ),
    ],
)
def test_which_volume_a_claim_gets(believes: list[Object], decisions: list[str]) -> None:
    assert told(decided(LOOP, turn(LOOP, KEY, *believes))) == decisions


def test_it_is_the_claim_that_is_written() -> None:
    act = only(decided(LOOP, turn(LOOP, KEY, claim(), disk("a"))))
    assert isinstance(act.request, Patch)
    assert (act.request.ref, act.request.changes[0]) == (KEY, ("spec.volumeName", "a"))
    asking = only(decided(LOOP, turn(LOOP, KEY, claim())))
    assert asking.request == Patch(KEY, ((f"metadata.annotations.{PROVISIONER}", DRIVER),))
    assert [(row.type, row.reason) for row in asking.events] == [("Normal", "ExternalProvisioning")]
