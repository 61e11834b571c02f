"""The ReplicaSet controller's table."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.meta import ObjectMeta, OwnerReference, Ref
from app.kube.objects import Object
from app.kube.workloads import ReplicaSet, ReplicaSetSpec, ReplicaSetStatus
from app.loops.replicaset import LOOP
from app.sim.acts import Act, Create, Delete, UpdateStatus
from tests.loops.beliefs import SELECTOR, TEMPLATE, decided, only, pod, requested, told, turn

KEY = Ref("ReplicaSet", "default", "web")


def replica_set(wanted: int, *, name: str = "web", min_ready: int = 0, **status: Any) -> ReplicaSet:
    """One that has seen everything, with as many ready pods as it wants unless `status` says otherwise."""
    counts = dict.fromkeys(("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"), wanted)
    given = {"terminatingReplicas": 0, "observedGeneration": 1, **counts, **status}
    return ReplicaSet(
        metadata=ObjectMeta(
            name=name,
            namespace="default",
            uid=f"uid-{name}",
            generation=1,
            ownerReferences=(OwnerReference("Deployment", "web", "uid-deployment"),),
        ),
        spec=ReplicaSetSpec(SELECTOR, TEMPLATE, wanted, min_ready),
        status=ReplicaSetStatus(**given),
    )


WEB = replica_set(3)
READY = [pod(f"web-{n}", WEB, ready=0) for n in (1, 2, 3)]
FIRST_GOING = replace(READY[0], metadata=replace(READY[0].metadata, deletionTimestamp=30_000))

CREATE = "create-pod pod/ TooFewPods"
STATUS = "update-status replicaset/web PodsChanged"


@pytest.mark.parametrize(
    ("believes", "now", "acts"),
    [
        pytest.param([], 0, [], id="nothing is done about a ReplicaSet that is gone"),
        pytest.param([WEB, *READY], 0, [], id="three wanted and three ready is rest"),
        pytest.param([WEB, FIRST_GOING, *READY[1:]], 0, [CREATE, STATUS], id="a pod that is being deleted is replaced"),
        pytest.param(
            [WEB, pod("web-1", WEB, phase="Failed"), *READY[1:]], 0, [CREATE, STATUS], id="a failed pod is replaced"
        ),
        pytest.param([WEB, pod("stranger", ready=0), *READY], 0, [], id="a pod without that owner does not count"),
        pytest.param([replica_set(0), FIRST_GOING], 0, [STATUS], id="nothing wanted, one still ends"),
        pytest.param(
            [replica_set(2), *READY],
            9_000,
            ["delete-pod pod/web-1 TooManyPods", STATUS],
            id="of three equal pods the first by uid goes",
        ),
        pytest.param(
            [replica_set(2), *READY, pod("web-4", WEB, phase="Pending", node="")],
            9_000,
            ["delete-pod pod/web-4 TooManyPods", "delete-pod pod/web-1 TooManyPods", STATUS],
            id="a pod without a node goes first",
        ),
    ],
)
def test_turn(believes: list[Object], now: int, acts: list[str]) -> None:
    assert told(decided(LOOP, turn(LOOP, KEY, *believes, now=now))) == acts


def test_the_status_counts_the_pods_of_the_start_of_the_sync() -> None:
    """3 -> 2 -> 3 in two writes, as in the recording of a deleted pod."""
    first = decided(LOOP, turn(LOOP, KEY, WEB, FIRST_GOING, *READY[1:]))
    shrunk = requested(first[1])
    assert shrunk.status == ReplicaSetStatus(2, 2, 2, 2, 1, 1)
    second = decided(
        LOOP, turn(LOOP, KEY, shrunk, FIRST_GOING, *READY[1:], pod("web-4", WEB, phase="Pending", node=""))
    )
    assert requested(only(second)).status == ReplicaSetStatus(3, 3, 2, 2, 1, 1)


def test_a_created_pod_has_template_owner_and_a_name_to_be_completed() -> None:
    act = decided(LOOP, turn(LOOP, KEY, WEB, FIRST_GOING, *READY[1:]))[0]
    assert isinstance(act, Act)
    assert isinstance(act.request, Create)
    made = requested(act)
    assert (made.metadata.generateName, made.metadata.namespace) == ("web-", "default")
    assert made.metadata.labels == TEMPLATE.metadata.labels
    assert made.metadata.controller.uid == "uid-web"
    assert made.spec == TEMPLATE.spec
    assert act.moment == "replacement-created"
    (event,) = act.events
    assert (event.reason, event.message, event.object) == ("SuccessfulCreate", "Created pod: {name}", KEY)


def test_a_new_set_makes_pods_that_replace_nothing() -> None:
    made = decided(LOOP, turn(LOOP, KEY, replica_set(1, replicas=0, fullyLabeledReplicas=0)))
    assert isinstance(made[0], Act)
    assert made[0].moment == "pod-created"


def test_slow_start_ends_with_the_batch_in_which_a_creation_fails() -> None:
    """Batches of 1, 2, 4, 8 and 5; the third request is refused, so the batch of two is the last."""
    empty = turn(LOOP, KEY, replica_set(20, replicas=0, fullyLabeledReplicas=0, readyReplicas=0, availableReplicas=0))
    assert told(decided(LOOP, empty)) == [CREATE] * 20
    assert told(decided(LOOP, empty, refuse=[2])) == [CREATE] * 3


def test_the_node_with_more_pods_of_the_same_deployment_loses_one() -> None:
    old = replica_set(1, name="web-old")
    believes: list[Object] = [replica_set(1), old, pod("web-1", WEB, ready=0), pod("web-2", WEB, ready=0, node="n2")]
    made = decided(LOOP, turn(LOOP, KEY, *believes, pod("web-old-1", old, ready=0, node="n2"), now=9_000))
    assert isinstance(made[0], Act)
    assert made[0].request == Delete(Ref("Pod", "default", "web-2"))
    assert [event.message for event in made[0].events] == ["Deleted pod: web-2"]


def test_a_ready_pod_is_available_when_min_ready_seconds_are_over() -> None:
    patient = replica_set(1, min_ready=5, availableReplicas=0)
    one = pod("web-1", patient, ready=2_000)
    assert told(decided(LOOP, turn(LOOP, KEY, patient, one, now=3_000))) == ["wait 7000"]
    act = only(decided(LOOP, turn(LOOP, KEY, patient, one, now=7_000)))
    assert isinstance(act.request, UpdateStatus)
    assert requested(act).status.availableReplicas == 1


def test_a_set_that_is_being_deleted_makes_no_pods() -> None:
    leaving = replace(WEB, metadata=replace(WEB.metadata, deletionTimestamp=0))
    assert told(decided(LOOP, turn(LOOP, KEY, leaving, *READY[:2]))) == [STATUS]
