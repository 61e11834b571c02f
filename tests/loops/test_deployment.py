"""The Deployment controller's table."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.defaults import defaulted
from app.kube.meta import Condition, LabelSelector, ObjectMeta, Ref, condition
from app.kube.names import template_hash
from app.kube.objects import Object
from app.kube.pods import PodTemplateSpec
from app.kube.stringmap import StringMap
from app.kube.workloads import (
    Deployment,
    DeploymentSpec,
    DeploymentStatus,
    DeploymentStrategy,
    ReplicaSet,
    ReplicaSetSpec,
    ReplicaSetStatus,
    RollingUpdateDeployment,
)
from app.loops.deployment import LOOP
from app.sim.acts import Act, Create, Update, UpdateStatus, Wait
from tests.loops.beliefs import APP, SELECTOR, TEMPLATE, decided, due, only, owner_of, pod, requested, told, turn

KEY = Ref("Deployment", "default", "web")
REVISION = "deployment.kubernetes.io/revision"
AVAILABLE = Condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", 0, 0)
V1 = TEMPLATE
V2 = replace(V1, spec=replace(V1.spec, containers=(replace(V1.spec.containers[0], image="app:v2"),)))


def progressing(reason: str, message: str, *, status: str = "True", at: int = 0) -> Condition:
    return Condition("Progressing", status, reason, message, at, at)


def deployment(wanted: int = 3, *, template: PodTemplateSpec = V1, revision: str = "1", **spec: Any) -> Deployment:
    made = Deployment(
        metadata=ObjectMeta(
            name="web",
            namespace="default",
            uid="uid-web",
            generation=1,
            annotations=StringMap({REVISION: revision} if revision else {}),
        ),
        spec=DeploymentSpec(SELECTOR, template, wanted, **spec),
    )
    return defaulted(made)  # type: ignore[return-value]


ONE = deployment()


def name_of(template: PodTemplateSpec) -> str:
    """The name of the ReplicaSet of a (defaulted) template."""
    return f"web-{template_hash(deployment(template=template).spec.template)}"


OLD, NEW = name_of(V1), name_of(V2)


def replica_set(
    template: PodTemplateSpec, wanted: int, *, available: int | None = None, desired: int = 3, revision: int = 1
) -> ReplicaSet:
    """One whose controller has seen everything."""
    full = deployment(template=template).spec.template
    name = name_of(template)
    labels = APP.merged({"pod-template-hash": name.removeprefix("web-")})
    ready = wanted if available is None else available
    surge = -(-desired // 4)
    return ReplicaSet(
        metadata=ObjectMeta(
            name=name,
            namespace="default",
            uid=f"uid-{name}",
            labels=labels,
            generation=1,
            creationTimestamp=revision * 1_000,
            annotations=StringMap(
                {
                    REVISION: str(revision),
                    "deployment.kubernetes.io/desired-replicas": str(desired),
                    "deployment.kubernetes.io/max-replicas": str(desired + surge),
                }
            ),
            ownerReferences=owner_of(ONE),
        ),
        spec=ReplicaSetSpec(
            LabelSelector(labels), replace(full, metadata=replace(full.metadata, labels=labels)), wanted
        ),
        status=ReplicaSetStatus(wanted, wanted, ready, ready, 0, 1),
    )


def at_rest(given: Deployment, name: str = OLD) -> Deployment:
    """The Deployment with the status that it has once all its replicas are available."""
    wanted = given.spec.replicas or 0
    done = progressing("NewReplicaSetAvailable", f'ReplicaSet "{name}" has successfully progressed.')
    status = DeploymentStatus(1, wanted, wanted, wanted, wanted, 0, 0, (AVAILABLE, done))
    return replace(given, status=status)


def rolling(old: int, new: int, *, available: int, wanted: int = 4) -> list[Object]:
    """A rollout on its way: sizes, and how many of the new pods are available."""
    begun = progressing("NewReplicaSetCreated", f'Created new replica set "{NEW}"')
    seen = DeploymentStatus(1, wanted, 0, wanted, wanted, 0, 0, (AVAILABLE, begun))
    return [
        replace(deployment(wanted, template=V2, revision="2"), status=seen),
        replica_set(V1, old, desired=wanted),
        replica_set(V2, new, available=available, desired=wanted, revision=2),
    ]


RECREATE = DeploymentStrategy("Recreate")


def status(reason: str = "ReplicaSetsChanged") -> str:
    return f"update-status deployment/web {reason}"


def up(name: str) -> str:
    return f"scale-up replicaset/{name} RoomForMore"


def down(name: str) -> str:
    return f"scale-down replicaset/{name} MoreThanNeeded"


@pytest.mark.parametrize(
    ("believes", "acts"),
    [
        pytest.param([], [], id="nothing is done about a Deployment that is gone"),
        pytest.param([at_rest(ONE), replica_set(V1, 3)], [], id="all replicas available is rest"),
        pytest.param(
            [deployment(revision="")],
            [f"create-replicaset replicaset/{OLD} NewTemplate", status("NewReplicaSetCreated"), status()],
            id="a new template gets a ReplicaSet",
        ),
        pytest.param(
            [at_rest(deployment(4, template=V2)), replica_set(V1, 4, desired=4)],
            [
                f"create-replicaset replicaset/{NEW} NewTemplate",
                status("NewReplicaSetCreated"),
                down(OLD),
                status(),
            ],
            id="4 replicas: the first old one may go before any new one is ready",
        ),
        pytest.param(
            [at_rest(deployment(1, template=V2)), replica_set(V1, 1, desired=1)],
            [f"create-replicaset replicaset/{NEW} NewTemplate", status("NewReplicaSetCreated"), status()],
            id="1 replica: unavailable rounds down to none, so the old one stays",
        ),
        pytest.param(rolling(3, 1, available=0), [up(NEW), status("ReplicaSetUpdated")], id="(3,1) scale up wins"),
        pytest.param(rolling(3, 2, available=0), [status("ReplicaSetUpdated")], id="(3,2) waits for a ready pod"),
        pytest.param(
            rolling(3, 2, available=1), [down(OLD), status("ReplicaSetUpdated")], id="(3,2) one ready: old - 1"
        ),
        pytest.param(
            rolling(2, 2, available=1), [up(NEW), status("ReplicaSetUpdated")], id="(2,2) room again: new + 1"
        ),
        pytest.param(rolling(1, 4, available=3), [down(OLD), status("ReplicaSetUpdated")], id="(1,4) the last old one"),
        pytest.param(
            [
                at_rest(deployment(4, template=V2, revision="2")),
                replica_set(V1, 0, desired=4),
                replica_set(V2, 4, desired=4, revision=2),
            ],
            [],
            id="(0,4) all available is rest",
        ),
        pytest.param(
            [replace(at_rest(ONE), spec=replace(ONE.spec, replicas=5)), replica_set(V1, 3)],
            [up(OLD), status()],
            id="scaling changes the size of the only ReplicaSet",
        ),
        pytest.param(
            [at_rest(deployment(template=V2, strategy=RECREATE)), replica_set(V1, 3)],
            [down(OLD), status()],
            id="Recreate: all old ones down first",
        ),
        pytest.param(
            [
                at_rest(deployment(template=V2, strategy=RECREATE)),
                replica_set(V1, 0),
                pod("web-1", replica_set(V1, 0), ready=0, deleted=True),
            ],
            [status()],
            id="Recreate: an old pod that still terminates is waited for",
        ),
        pytest.param(
            [
                at_rest(deployment(template=V2, strategy=RECREATE)),
                replica_set(V1, 0),
                pod("web-1", replica_set(V1, 0), phase="Succeeded", deleted=True),
            ],
            [f"create-replicaset replicaset/{NEW} NewTemplate", status("NewReplicaSetCreated"), status()],
            id="Recreate: a finished one is not",
        ),
        pytest.param(
            [at_rest(deployment(template=V2, paused=True)), replica_set(V1, 3)],
            [status("DeploymentPaused"), status()],
            id="paused: noted, and the new template waits",
        ),
        pytest.param(
            [at_rest(deployment(template=V1, revision="3")), replica_set(V1, 3), replica_set(V2, 0, revision=2)],
            [f"update-replicaset replicaset/{OLD} NewRevision"],
            id="a template that comes back gets the next revision",
        ),
        pytest.param(
            [
                at_rest(deployment(template=V2, revision="2", revisionHistoryLimit=0)),
                replica_set(V1, 0),
                replica_set(V2, 3, revision=2),
            ],
            [f"delete-replicaset replicaset/{OLD} BeyondHistoryLimit"],
            id="old ReplicaSets beyond the limit go when the rollout is complete",
        ),
    ],
)
def test_turn(believes: list[Object], acts: list[str]) -> None:
    assert told(decided(LOOP, turn(LOOP, KEY, *believes))) == acts


def test_a_new_replica_set_carries_hash_revision_and_sizes() -> None:
    act = decided(LOOP, turn(LOOP, KEY, deployment(revision="")))[0]
    assert isinstance(act, Act)
    assert isinstance(act.request, Create)
    made = requested(act)
    digest = OLD.removeprefix("web-")
    for labels in (made.metadata.labels, made.spec.selector.matchLabels, made.spec.template.metadata.labels):
        assert labels == APP.merged({"pod-template-hash": digest})
    assert made.spec.replicas == 3
    assert made.metadata.annotations == StringMap(
        {
            REVISION: "1",
            "deployment.kubernetes.io/desired-replicas": "3",
            "deployment.kubernetes.io/max-replicas": "4",
        }
    )
    (event,) = act.events
    assert (event.reason, event.source, event.object) == ("ScalingReplicaSet", "deployment-controller", KEY)
    assert event.message == f"Scaled up replica set {OLD} from 0 to 3"


def test_the_first_status_carries_the_revision_and_says_why_it_progresses() -> None:
    _, noted, counted = decided(LOOP, turn(LOOP, KEY, deployment(revision=""), now=7_900))
    first = requested(noted)
    assert first.metadata.annotations.get(REVISION) == "1"
    assert first.status.conditions == (
        progressing("NewReplicaSetCreated", f'Created new replica set "{OLD}"', at=7_000),
    )
    last = requested(counted)
    assert last.status.unavailableReplicas == 3
    row = condition(last.status.conditions, "Available")
    assert row is not None
    assert (row.status, row.reason) == ("False", "MinimumReplicasUnavailable")


def test_scaling_writes_size_and_annotations_and_tells_of_it() -> None:
    believes: list[Object] = [replace(at_rest(ONE), spec=replace(ONE.spec, replicas=5)), replica_set(V1, 3)]
    act = decided(LOOP, turn(LOOP, KEY, *believes))[0]
    assert isinstance(act, Act)
    assert isinstance(act.request, Update)
    wanted = requested(act)
    assert wanted.spec.replicas == 5
    assert wanted.metadata.annotations.get("deployment.kubernetes.io/desired-replicas") == "5"
    assert wanted.metadata.annotations.get("deployment.kubernetes.io/max-replicas") == "7"
    assert [event.message for event in act.events] == [f"Scaled up replica set {OLD} from 3 to 5"]


def test_the_end_of_a_rollout_is_a_step_of_its_own() -> None:
    given = deployment(template=V2, revision="2")
    waiting = progressing("ReplicaSetUpdated", f'ReplicaSet "{NEW}" is progressing.')
    given = replace(given, status=DeploymentStatus(1, 3, 3, 2, 2, 1, 0, (AVAILABLE, waiting)))
    act = only(decided(LOOP, turn(LOOP, KEY, given, replica_set(V1, 0), replica_set(V2, 3, revision=2), now=5_000)))
    assert (act.moment, act.background) == ("rollout-complete", False)
    row = condition(requested(act).status.conditions, "Progressing")
    assert row is not None
    assert (row.status, row.reason) == ("True", "NewReplicaSetAvailable")
    assert row.message == f'ReplicaSet "{NEW}" has successfully progressed.'


def test_a_rollout_that_stalls_waits_for_its_deadline_and_then_says_so() -> None:
    given = deployment(template=V2, revision="2", progressDeadlineSeconds=15)
    waiting = progressing("ReplicaSetUpdated", f'ReplicaSet "{NEW}" is progressing.')
    given = replace(given, status=DeploymentStatus(1, 4, 1, 3, 3, 1, 0, (AVAILABLE, waiting)))
    believes: list[Object] = [given, replica_set(V1, 3), replica_set(V2, 1, available=0, revision=2)]
    (wait,) = decided(LOOP, turn(LOOP, KEY, *believes, now=200))
    assert isinstance(wait, Wait)
    assert due(wait) == 15_001
    act = only(decided(LOOP, turn(LOOP, KEY, *believes, now=15_001)))
    assert act.moment == "progress-deadline-exceeded"
    row = condition(requested(act).status.conditions, "Progressing")
    assert row is not None
    assert (row.status, row.reason) == ("False", "ProgressDeadlineExceeded")
    assert row.message == f'ReplicaSet "{NEW}" has timed out progressing.'


def test_losing_a_pod_changes_availability_and_is_no_progress() -> None:
    given = at_rest(ONE)
    one_going = replace(replica_set(V1, 3), status=ReplicaSetStatus(2, 2, 2, 2, 1, 1))
    act = only(decided(LOOP, turn(LOOP, KEY, given, one_going, now=1_000)))
    assert isinstance(act.request, UpdateStatus)
    assert act.background
    after = requested(act).status
    assert (after.replicas, after.readyReplicas, after.unavailableReplicas, after.terminatingReplicas) == (2, 2, 1, 1)
    available = condition(after.conditions, "Available")
    assert available is not None
    assert available.reason == "MinimumReplicasUnavailable"
    assert condition(after.conditions, "Progressing") == condition(given.status.conditions, "Progressing")


def test_more_surge_lets_more_new_pods_in() -> None:
    strategy = DeploymentStrategy("RollingUpdate", RollingUpdateDeployment(maxSurge="100%", maxUnavailable=0))
    believes: list[Object] = [at_rest(deployment(4, template=V2, strategy=strategy)), replica_set(V1, 4, desired=4)]
    made = requested(decided(LOOP, turn(LOOP, KEY, *believes))[0])
    assert made.spec.replicas == 4


def test_a_refused_write_ends_the_sync() -> None:
    assert len(decided(LOOP, turn(LOOP, KEY, deployment(revision="")), refuse=[0])) == 1
