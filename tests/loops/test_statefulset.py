"""The StatefulSet controller's table."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.meta import ObjectMeta, Ref
from app.kube.names import template_hash
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.workloads import (
    RollingUpdateStatefulSet,
    StatefulSet,
    StatefulSetSpec,
    StatefulSetStatus,
    StatefulSetUpdateStrategy,
)
from app.loops.statefulset import LOOP, Awaiting
from app.sim.acts import Act, Create, Delete
from tests.loops.beliefs import SELECTOR, TEMPLATE, decided, only, pod, requested, told, turn

KEY = Ref("StatefulSet", "default", "db")
REVISION = f"db-{template_hash(TEMPLATE)}"


def stateful_set(wanted: int = 3, policy: str = "OrderedReady", min_ready: int = 0, **status: Any) -> StatefulSet:
    counts = ("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    given = dict.fromkeys(counts, wanted) | {"currentRevision": REVISION, "updateRevision": REVISION} | status
    return StatefulSet(
        metadata=ObjectMeta(name="db", namespace="default", uid="uid-db", generation=1),
        spec=StatefulSetSpec(SELECTOR, TEMPLATE, wanted, "db", policy, min_ready),
        status=StatefulSetStatus(observedGeneration=1, **given),
    )


SET, PARALLEL = stateful_set(), stateful_set(policy="Parallel")


def updating(strategy: StatefulSetUpdateStrategy) -> StatefulSet:
    return replace(SET, spec=replace(SET.spec, updateStrategy=strategy))


def from_ordinal(partition: int) -> StatefulSet:
    return updating(StatefulSetUpdateStrategy("RollingUpdate", RollingUpdateStatefulSet(partition)))


def member(ordinal: int, *, revision: str = REVISION, ready: int | None = 0, **more: Any) -> Pod:
    return pod(f"db-{ordinal}", SET, ready=ready, labels={"controller-revision-hash": revision}, **more)


def create(ordinal: int, reason: str = "TooFewPods") -> str:
    return f"create-pod pod/db-{ordinal} {reason}"


def awaits(ordinal: int) -> str:
    return f"await-removal pod/db-{ordinal} OnePodPerName"


def delete(ordinal: int, reason: str) -> str:
    return f"delete-pod pod/db-{ordinal} {reason}"


STATUS = "update-status statefulset/db PodsChanged"
NEW: dict[str, Any] = {
    "replicas": 0,
    "readyReplicas": 0,
    "currentReplicas": 0,
    "updatedReplicas": 0,
    "availableReplicas": 0,
}
UNREADY: dict[str, Any] = {"readyReplicas": 1, "availableReplicas": 1}


@pytest.mark.parametrize(
    ("believes", "acts"),
    [
        pytest.param([], [], id="nothing is done about a set that is gone"),
        pytest.param([SET, member(0), member(1), member(2)], [], id="three ready is rest"),
        pytest.param([stateful_set(**NEW)], [create(0)], id="in order: one pod at first"),
        pytest.param(
            [stateful_set(policy="Parallel", **NEW)], [create(0), create(1), create(2)], id="Parallel: all at once"
        ),
        pytest.param(
            [stateful_set(**NEW | {"replicas": 1, "currentReplicas": 1, "updatedReplicas": 1}), member(0, ready=None)],
            [],
            id="in order: the second waits until the first is ready",
        ),
        pytest.param(
            [stateful_set(**NEW | {"replicas": 1}), member(0)], [create(1), STATUS], id="and is made when it is"
        ),
        pytest.param(
            [SET, member(0), member(1, deleted=True)],
            [awaits(1), STATUS],
            id="sts-terminating-blocks: nothing is made or deleted",
        ),
        pytest.param(
            [PARALLEL, member(0), member(1, ready=None, deleted=True)],
            [create(2, "OldPodIsGone"), awaits(1), STATUS],
            id="sts-parallel-others-go: only the missing one is made",
        ),
        pytest.param(
            [SET, member(0), member(2)],
            [create(1, "OldPodIsGone"), STATUS],
            id="a pod whose object is gone is replaced",
        ),
        pytest.param(
            [SET, member(0), member(1, ready=None, phase="Failed"), member(2)],
            [delete(1, "PodFailed"), STATUS],
            id="a failed pod is deleted, and not replaced before it is gone",
        ),
        pytest.param(
            [SET, member(0), member(1, ready=None, phase="Succeeded", deleted=True), member(2)],
            [awaits(1), STATUS],
            id="a finished one that is being deleted is waited for",
        ),
        pytest.param(
            [stateful_set(1), member(0), member(1), member(2)],
            [delete(2, "TooManyPods"), STATUS],
            id="in order: the highest goes first, alone",
        ),
        pytest.param(
            [stateful_set(1), member(0), member(1), member(2, deleted=True)],
            [STATUS],
            id="in order: one that goes is waited for",
        ),
        pytest.param(
            [stateful_set(1, "Parallel"), member(0), member(1), member(2)],
            [delete(2, "TooManyPods"), delete(1, "TooManyPods"), STATUS],
            id="Parallel: all beyond go at once",
        ),
        pytest.param(
            [stateful_set(1), member(0, ready=None), member(1), member(2)],
            [STATUS],
            id="in order: nothing goes while a wanted pod is not ready",
        ),
        pytest.param(
            [SET, member(0, revision="db-old"), member(1, revision="db-old"), member(2, revision="db-old")],
            [delete(2, "TemplateChanged"), STATUS],
            id="a new template: the highest ordinal is replaced first",
        ),
        pytest.param(
            [SET, member(0, revision="db-old"), member(1, revision="db-old"), member(2, ready=None)],
            [STATUS],
            id="and the next one waits until it is ready",
        ),
    ],
)
def test_turn(believes: list[Object], acts: list[str]) -> None:
    assert told(decided(LOOP, turn(LOOP, KEY, *believes))) == acts


@pytest.mark.parametrize(
    ("owner", "gone"),
    [
        pytest.param(from_ordinal(0), ["db-2"], id="no partition"),
        pytest.param(from_ordinal(2), ["db-2"], id="from the partition on"),
        pytest.param(from_ordinal(3), [], id="a partition above all of them"),
        pytest.param(from_ordinal(7), [], id="far above"),
        pytest.param(updating(StatefulSetUpdateStrategy("OnDelete")), [], id="OnDelete"),
    ],
)
def test_what_an_update_begins_with(owner: StatefulSet, gone: list[str]) -> None:
    pods = [member(at, revision="old") for at in range(3)]
    acts = decided(LOOP, turn(LOOP, KEY, owner, *pods))
    assert [act.request.ref.name for act in acts if isinstance(act, Act) and isinstance(act.request, Delete)] == gone


def test_below_the_partition_nothing_follows() -> None:
    pods = [member(0, revision="old"), member(1, revision="old"), member(2)]
    for owner, gone in ((from_ordinal(2), []), (from_ordinal(1), ["db-1"])):
        acts = decided(LOOP, turn(LOOP, KEY, owner, *pods))
        deletions = [act.request for act in acts if isinstance(act, Act) and isinstance(act.request, Delete)]
        assert [request.ref.name for request in deletions] == gone


def test_a_set_that_is_updated_by_hand_keeps_its_current_revision() -> None:
    """CompleteRollingUpdate is for RollingUpdate only."""
    owner = updating(StatefulSetUpdateStrategy("OnDelete"))
    owner = replace(owner, status=replace(owner.status, currentRevision="db-old"))
    *_, wrote = decided(LOOP, turn(LOOP, KEY, owner, member(0), member(1), member(2)))
    status = requested(wrote).status
    assert (status.currentRevision, status.updateRevision, status.updatedReplicas) == ("db-old", REVISION, 3)


def test_it_is_told_once_that_a_pod_stands_in_the_way_of_its_successor() -> None:
    leaving = member(1, deleted=True)
    first, _ = decided(LOOP, turn(LOOP, KEY, SET, member(0), leaving))
    assert isinstance(first, Act)
    assert (first.moment, first.request, first.memory) == (
        "replacement-withheld",
        None,
        Awaiting((leaving.metadata.uid,)),
    )
    assert first.memory is not None
    again = decided(LOOP, turn(LOOP, KEY, SET, member(0), leaving, memory={KEY: first.memory}))
    assert told(again) == [STATUS]


def test_a_member_has_its_name_its_number_and_its_revision() -> None:
    act = only(decided(LOOP, turn(LOOP, KEY, stateful_set(**NEW))))
    assert isinstance(act.request, Create)
    made = requested(act)
    assert made.metadata.name == "db-0"
    assert made.metadata.labels == TEMPLATE.metadata.labels.merged(
        {
            "statefulset.kubernetes.io/pod-name": "db-0",
            "apps.kubernetes.io/pod-index": "0",
            "controller-revision-hash": REVISION,
        }
    )
    assert act.moment == "pod-created"
    (event,) = act.events
    assert (event.reason, event.message) == ("SuccessfulCreate", "Create Pod db-0 in StatefulSet db successful")
    assert (event.source, event.object) == ("statefulset-controller", KEY)


def test_a_replacement_is_told_from_a_first_pod() -> None:
    act = decided(LOOP, turn(LOOP, KEY, SET, member(0), member(2)))[0]
    assert isinstance(act, Act)
    assert act.moment == "replacement-created"


def test_a_deletion_is_told() -> None:
    act = decided(LOOP, turn(LOOP, KEY, SET, member(0), member(1, ready=None, phase="Failed"), member(2)))[0]
    assert isinstance(act, Act)
    assert act.request == Delete(Ref("Pod", "default", "db-1"))
    assert (act.moment, act.events[0].message) == (
        "finished-pod-deleted",
        "Delete Pod db-1 in StatefulSet db successful",
    )


def test_the_first_status_has_the_revisions_and_no_pods_yet() -> None:
    fresh = replace(stateful_set(**NEW), status=StatefulSetStatus())
    _, wrote = decided(LOOP, turn(LOOP, KEY, fresh))
    status = requested(wrote).status
    assert (status.currentRevision, status.updateRevision, status.replicas) == (REVISION, REVISION, 0)


def test_terminating_pods_count_as_replicas_but_for_no_revision() -> None:
    *_, wrote = decided(LOOP, turn(LOOP, KEY, PARALLEL, member(0), member(1, deleted=True)))
    status = requested(wrote).status
    assert (status.replicas, status.readyReplicas, status.currentReplicas) == (2, 2, 1)


def test_the_new_revision_becomes_the_current_one_when_all_have_it() -> None:
    rolling = stateful_set(currentRevision="db-old", currentReplicas=0)
    act = only(decided(LOOP, turn(LOOP, KEY, rolling, member(0), member(1), member(2))))
    status = requested(act).status
    assert (status.currentRevision, status.currentReplicas) == (REVISION, 3)


def test_min_ready_seconds_delay_the_next_pod() -> None:
    patient = stateful_set(
        2, min_ready=5, replicas=1, currentReplicas=1, updatedReplicas=1, **UNREADY | {"availableReplicas": 0}
    )
    assert told(decided(LOOP, turn(LOOP, KEY, patient, member(0, ready=1_000), now=2_000))) == ["wait 6000"]
    assert told(decided(LOOP, turn(LOOP, KEY, patient, member(0, ready=1_000), now=6_000)))[0] == create(1)
