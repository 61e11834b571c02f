"""The API server: versions, conflicts, finalizers, graceful deletion, watches."""

from __future__ import annotations

from clusters import DEPLOYMENT, POD, ask, deployment, held, pod, watcher, world
from msgspec.structs import replace

from app.kube.meta import ObjectMeta
from app.kube.pods import Pod
from app.kube.workloads import Deployment, ReplicaSet
from app.sim.acts import Bind, Create, Delete, Patch, PatchStatus, Update
from app.sim.engine import Model

MODEL = Model([watcher()])


def test_a_created_object_gets_a_uid_a_generation_and_its_defaults() -> None:
    after, answer = ask(MODEL, world(), Create(deployment()))
    stored = held(after, DEPLOYMENT)
    assert isinstance(stored, Deployment)
    assert answer.outcome.ok
    assert stored.metadata.generation == 1
    assert stored.metadata.uid
    assert stored.spec.progressDeadlineSeconds == 600


def test_a_name_is_taken_only_once() -> None:
    after, _ = ask(MODEL, world(), Create(deployment()))
    again, answer = ask(MODEL, after, Create(deployment()))
    assert answer.outcome.status == "already-exists"
    assert again == after


def test_generated_names_are_counted_per_owner() -> None:
    named = ReplicaSet(metadata=ObjectMeta(generateName="web-", namespace="default"))
    first, one = ask(MODEL, world(), Create(named))
    _, two = ask(MODEL, first, Create(named))
    assert one.outcome.object is not None
    assert two.outcome.object is not None
    assert one.outcome.object.metadata.name != two.outcome.object.metadata.name
    assert one.outcome.object.metadata.name.startswith("web-")


def test_an_update_from_a_stale_belief_is_refused() -> None:
    after, _ = ask(MODEL, world(), Create(deployment()), "kube-controller-manager")
    mine = held(after, DEPLOYMENT)
    changed, _ = ask(MODEL, after, Patch(DEPLOYMENT, (("spec.replicas", 5),)))
    _, answer = ask(MODEL, changed, Update(mine), "kube-controller-manager")
    assert answer.outcome.status == "conflict"


def test_its_own_write_enters_a_process_s_belief_at_once() -> None:
    after, _ = ask(MODEL, world(), Create(deployment()), "kube-controller-manager")
    mine = held(after, DEPLOYMENT)
    assert isinstance(mine, Deployment)
    more = replace(mine, spec=replace(mine.spec, replicas=2))
    _, answer = ask(MODEL, after, Update(more), "kube-controller-manager")
    assert answer.outcome.ok


def test_only_a_changed_spec_raises_the_generation() -> None:
    after, _ = ask(MODEL, world(), Create(deployment()))
    after, _ = ask(MODEL, after, Patch(DEPLOYMENT, (("spec.replicas", 5),)))
    assert held(after, DEPLOYMENT).metadata.generation == 2
    after, _ = ask(MODEL, after, Patch(DEPLOYMENT, (("metadata.finalizers", ("a/b",)),)))
    assert held(after, DEPLOYMENT).metadata.generation == 2


def test_deletion_of_a_running_pod_only_marks_it() -> None:
    """DeletionTimestamp is the deadline: now + grace (apiserver pkg/registry/rest/delete.go)."""
    after, _ = ask(MODEL, world(now=1_500), Create(pod()))
    after, answer = ask(MODEL, after, Delete(POD))
    marked = held(after, POD)
    assert [stage.verb for stage in answer.stages] == ["", "mark-terminating"]
    assert marked.metadata.deletionTimestamp == 31_000
    assert marked.metadata.deletionGracePeriodSeconds == 30


def test_a_force_delete_marks_and_removes_in_one_request() -> None:
    after, _ = ask(MODEL, world(), Create(pod()))
    after, answer = ask(MODEL, after, Delete(POD, grace=0))
    assert [stage.verb for stage in answer.stages] == ["", "mark-terminating", "remove"]
    assert after.etcd.get(POD) is None


def test_a_pod_without_a_node_goes_at_once() -> None:
    after, _ = ask(MODEL, world(), Create(pod(node_name="")))
    after, _ = ask(MODEL, after, Delete(POD))
    assert after.etcd.get(POD) is None


def test_a_finalizer_keeps_the_object_until_it_is_taken_away() -> None:
    after, _ = ask(MODEL, world(), Create(pod(finalizers=("example.com/hold",))))
    after, _ = ask(MODEL, after, Delete(POD, grace=0))
    assert held(after, POD).metadata.deletionGracePeriodSeconds == 0
    after, answer = ask(MODEL, after, Patch(POD, (("metadata.finalizers", ()),)))
    assert after.etcd.get(POD) is None
    assert [stage.verb for stage in answer.stages] == ["", "remove"]


def test_a_second_delete_shortens_the_deadline_from_the_first_request() -> None:
    """truth/delete-pod-second-shorter: 30 s at 0, 5 s at 4: deadline 0 + 5 s."""
    after, _ = ask(MODEL, world(), Create(pod()))
    after, _ = ask(MODEL, after, Delete(POD))
    after, _ = ask(MODEL, replace(after, now=4_000), Delete(POD, grace=5))
    meta = held(after, POD).metadata
    assert (meta.deletionTimestamp, meta.deletionGracePeriodSeconds) == (5_000, 5)
    same, _ = ask(MODEL, after, Delete(POD, grace=20))
    assert held(same, POD).metadata == meta


def test_a_uid_precondition_protects_a_successor_of_the_same_name() -> None:
    after, _ = ask(MODEL, world(), Create(pod()))
    _, answer = ask(MODEL, after, Delete(POD, grace=0, uid="another"))
    assert answer.outcome.status == "not-found"


def test_a_recreated_object_has_another_uid_and_later_versions() -> None:
    first, _ = ask(MODEL, world(), Create(pod()))
    gone, _ = ask(MODEL, first, Delete(POD, grace=0))
    second, _ = ask(MODEL, gone, Create(pod()))
    one, two = first.etcd.get(POD), second.etcd.get(POD)
    assert one is not None
    assert two is not None
    assert one.object.metadata.uid != two.object.metadata.uid
    assert two.version > one.version


def test_binding_sets_node_and_condition_in_one_update() -> None:
    after, _ = ask(MODEL, world(), Create(pod(node_name="")))
    after, _ = ask(MODEL, after, Bind(POD, "node-1"))
    bound = held(after, POD)
    assert isinstance(bound, Pod)
    assert bound.spec.nodeName == "node-1"
    assert [(row.type, row.status) for row in bound.status.conditions] == [("PodScheduled", "True")]
    _, answer = ask(MODEL, after, Bind(POD, "node-2"))
    assert answer.outcome.status == "conflict"


def test_a_status_patch_keeps_what_others_wrote_meanwhile() -> None:
    """The kubelet's patch holds only what differs from what it saw; conditions merge by type."""
    after, _ = ask(MODEL, world(), Create(pod(node_name="")))
    believed = held(after, POD)
    assert isinstance(believed, Pod)
    after, _ = ask(MODEL, after, Bind(POD, "node-1"))
    wanted = replace(believed, status=replace(believed.status, phase="Running", podIP="10.244.1.2"))
    after, _ = ask(MODEL, after, PatchStatus(believed, wanted), "kubelet/node-1")
    merged = held(after, POD)
    assert isinstance(merged, Pod)
    assert merged.status.phase == "Running"
    assert [row.type for row in merged.status.conditions] == ["PodScheduled"]


def test_every_watcher_hears_of_a_commit_and_others_do_not() -> None:
    after, _ = ask(MODEL, world(), Create(deployment()))
    assert list(after.heads) == [("kube-controller-manager", "Deployment")]
    after, _ = ask(MODEL, after, Create(pod()))
    assert list(after.heads) == [("kube-controller-manager", "Deployment")]
