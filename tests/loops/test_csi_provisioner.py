"""The table of the external provisioner: a disk for each claim that asks for one."""

from __future__ import annotations

import pytest

from app.kube.objects import Object
from app.kube.provisioning import made_for
from app.loops.csi_provisioner import LOOP, Begun
from app.sim.acts import Create
from tests.loops.beliefs import decided, only, requested, told, turn
from tests.loops.disks import KEY, MINE, claim

NEW = "pvc-uid-data"


@pytest.mark.parametrize(
    ("believes", "begun", "now", "decisions"),
    [
        pytest.param([claim()], None, 0, [], id="not asked"),
        pytest.param([claim(asks=True)], None, 0, [f"provision persistentvolumeclaim/data {NEW}"], id="asked"),
        pytest.param([claim(asks=True)], 0, 0, ["wait 2000"], id="a disk takes two seconds to make"),
        pytest.param([claim(asks=True)], 0, 2_000, [f"create-volume persistentvolume/{NEW} data"], id="made"),
        pytest.param([claim(asks=True), made_for(claim())], 0, 2_000, [], id="once"),
        pytest.param([claim(asks=True, volume="a")], 0, 2_000, [], id="not for one that has found another"),
    ],
)
def test_a_disk_is_made_for_a_claim(believes: list[Object], begun: int | None, now: int, decisions: list[str]) -> None:
    kept = {KEY: Begun(begun)} if begun is not None else {}
    assert told(decided(LOOP, turn(LOOP, KEY, *believes, now=now, fired=True, memory=kept))) == decisions


def test_what_is_made_is_kept_for_its_claim() -> None:
    asked = turn(LOOP, KEY, claim(asks=True, size="3Gi"), now=2_000, fired=True, memory={KEY: Begun(0)})
    act = only(decided(LOOP, asked))
    assert isinstance(act.request, Create)
    assert [(row.reason, row.object) for row in act.events] == [("ProvisioningSucceeded", KEY)]
    spec = requested(act).spec
    assert (spec.claimRef, spec.capacity.get("storage"), spec.accessModes) == (MINE, "3Gi", ("ReadWriteOnce",))
