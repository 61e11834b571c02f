"""The garbage collector's table."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import ObjectMeta, Ref
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.workloads import ReplicaSet
from app.loops.garbage_collector import LOOP, _all, _gone
from app.sim.acts import Delete
from tests.loops.beliefs import decided, only, pod, seen, told, turn

KEY = Ref("Pod", "default", "web-1")
OWNER = ReplicaSet(ObjectMeta(name="web", namespace="default", uid="uid-web"))
SUCCESSOR = replace(OWNER, metadata=replace(OWNER.metadata, uid="uid-other"))
CHILD = pod("web-1", OWNER)


@pytest.mark.parametrize(
    ("believes", "acts"),
    [
        pytest.param([], [], id="nothing is done about an object that is gone"),
        pytest.param([CHILD, OWNER], [], id="its owner is there"),
        pytest.param([CHILD], ["delete-dependent pod/web-1 OwnerGone"], id="its owner is gone"),
        pytest.param(
            [CHILD, SUCCESSOR], ["delete-dependent pod/web-1 OwnerGone"], id="another object has its owner's name"
        ),
        pytest.param([pod("web-1", OWNER, deleted=True)], [], id="it is being deleted already"),
        pytest.param([pod("web-1")], [], id="it never had an owner"),
    ],
)
def test_turn(believes: list[Object], acts: list[str]) -> None:
    assert told(decided(LOOP, turn(LOOP, KEY, *believes))) == acts


def test_only_the_object_that_was_looked_at_is_deleted() -> None:
    assert only(decided(LOOP, turn(LOOP, KEY, CHILD))).request == Delete(KEY, uid="uid-web-1")


@pytest.mark.parametrize(
    ("believed", "woken"),
    [
        pytest.param([OWNER, CHILD], [], id="an owner that changed"),
        pytest.param([CHILD, pod("stranger")], [KEY], id="one that went"),
        pytest.param([SUCCESSOR, CHILD], [KEY], id="one that was replaced"),
    ],
)
def test_whom_an_owner_wakes(believed: list[Object], woken: list[Ref]) -> None:
    assert _gone(seen(*believed), OWNER) == woken


def test_a_start_looks_at_what_lost_its_owner_meanwhile() -> None:
    other: Pod = pod("other", SUCCESSOR)
    assert _all(turn(LOOP, KEY, CHILD, other, SUCCESSOR)) == [KEY]
