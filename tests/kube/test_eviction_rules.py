"""What follows from pressure: messages, graces, admission, what is spared and what is freed first."""

import pytest

from app.kube.critical_pods import critical, node_critical
from app.kube.eviction_messages import Above, grace_override, node_pressure
from app.kube.meta import ObjectMeta
from app.kube.node_reclaim import Reclaim, node_reclaim
from app.kube.pod_gc import beyond_threshold, evicted, orphaned
from app.kube.pods import (
    Container,
    EmptyDirVolumeSource,
    Pod,
    PodSpec,
    PodStatus,
    ResourceRequirements,
    Toleration,
    Volume,
)
from app.kube.pressure_admission import admits, rejection
from app.kube.storage_limits import DiskUse, limit_exceeded
from app.kube.stringmap import StringMap

GI, MI, KI = 2**30, 2**20, 2**10


def test_the_message_of_the_recording() -> None:
    told = node_pressure("memory", "19818Mi", "19998164Ki", [Above("app", 463720 * KI, "100Mi")])
    assert told == (
        "The node was low on resource: memory. Threshold quantity: 19818Mi, available: 19998164Ki. "
        "Container app was using 463720Ki, request is 100Mi, has larger consumption of memory. "
    )
    assert node_pressure("memory", containers=[Above("app", 5 * MI)]) == (
        "The node was low on resource: memory. "
        "Container app was using 5Mi, request is 0, has larger consumption of memory. "
    )
    assert node_pressure("memory", pod=Above("web", 2 * GI, "1024Mi")) == (
        "The node was low on resource: memory. "
        "Pod web was using 2Gi, request is 1Gi, has larger consumption of memory. "
    )


@pytest.mark.parametrize(
    ("hard", "longest", "own", "seconds"),
    [(True, 60, 30, 1), (False, 60, 30, 30), (False, 10, 30, 10), (False, 0, 30, 0), (False, 10, None, 10)],
)
def test_the_grace_of_an_eviction(hard: bool, longest: int, own: int | None, seconds: int) -> None:
    assert grace_override(hard=hard, longest=longest, own=own) == seconds


def pod(
    name: str = "p",
    *,
    priority: int = 0,
    qos: str = "Burstable",
    tolerates: str = "",
    phase: str = "Running",
    reason: str = "",
    created: int = 0,
    node: str = "",
    **annotations: str,
) -> Pod:
    words = {f"kubernetes.io/config.{key}": value for key, value in annotations.items()}
    tolerations = (Toleration(tolerates, "Exists"),) if tolerates else ()
    return Pod(
        ObjectMeta(name=name, annotations=StringMap(words), creationTimestamp=created),
        PodSpec(priority=priority, tolerations=tolerations, nodeName=node),
        PodStatus(phase=phase, reason=reason, qosClass=qos),
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(pod(), False, id="an ordinary pod"),
        pytest.param(pod(source="api"), False, id="from the API server"),
        pytest.param(pod(source="file"), True, id="a static pod"),
        pytest.param(pod(mirror="hash"), True, id="its mirror"),
        pytest.param(pod(priority=1_999_999_999), False, id="a high priority"),
        pytest.param(pod(priority=2_000_000_000), True, id="a system's priority"),
    ],
)
def test_who_is_critical(given: Pod, expected: bool) -> None:
    assert critical(given) is expected
    assert not node_critical(given)


MEMORY, DISK = "MemoryPressure", "DiskPressure"
TAINT = "node.kubernetes.io/memory-pressure"


@pytest.mark.parametrize(
    ("given", "conditions", "expected"),
    [
        pytest.param(pod(qos="BestEffort"), [], True, id="no pressure"),
        pytest.param(pod(qos="BestEffort"), [MEMORY], False, id="BestEffort under memory pressure"),
        pytest.param(pod(qos="BestEffort", tolerates=TAINT), [MEMORY], True, id="unless it tolerates the taint"),
        pytest.param(pod(qos="BestEffort", tolerates="other"), [MEMORY], False, id="not another"),
        pytest.param(pod(), [MEMORY], True, id="Burstable"),
        pytest.param(pod(qos="Guaranteed"), [DISK], False, id="nobody under disk pressure"),
        pytest.param(pod(qos="BestEffort", tolerates=TAINT), [MEMORY, DISK], False, id="nor under both"),
        pytest.param(pod(qos="BestEffort", priority=2_000_000_000), [MEMORY, DISK], True, id="save critical pods"),
    ],
)
def test_who_is_let_in(given: Pod, conditions: list[str], expected: bool) -> None:
    assert admits(given, conditions) is expected


def test_the_words_of_a_rejection() -> None:
    assert rejection([MEMORY, DISK]) == "The node had condition: [MemoryPressure DiskPressure]. "


@pytest.mark.parametrize(
    ("signal", "image_fs", "split", "expected"),
    [
        ("memory.available", False, False, Reclaim()),
        ("pid.available", True, False, Reclaim()),
        ("nodefs.inodesFree", False, False, Reclaim(containers=True, images=True)),
        ("nodefs.available", True, False, Reclaim()),
        ("imagefs.available", True, False, Reclaim(containers=True, images=True)),
        ("containerfs.available", True, False, Reclaim(containers=True, images=True)),
        ("imagefs.available", True, True, Reclaim(images=True)),
        ("nodefs.available", True, True, Reclaim(containers=True)),
    ],
)
def test_what_is_freed_of_the_node_first(signal: str, image_fs: bool, split: bool, expected: Reclaim) -> None:
    assert node_reclaim(signal, image_fs=image_fs, split=split) == expected


def limited(name: str = "app", limit: str = "") -> Container:
    limits = StringMap({"ephemeral-storage": limit} if limit else {})
    return Container(name, resources=ResourceRequirements(limits=limits))


SPOOL = Volume("spool", emptyDir=EmptyDirVolumeSource(sizeLimit="10Gi"))


@pytest.mark.parametrize(
    ("spec", "used", "message"),
    [
        pytest.param(
            PodSpec((limited(limit="1Gi"),), volumes=(SPOOL,)), DiskUse(volumes={"spool": GI}), "", id="just its limit"
        ),
        pytest.param(
            PodSpec((limited(limit="1Gi"),), volumes=(SPOOL,)),
            DiskUse(volumes={"spool": GI + 1}),
            "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ",
            id="volumes count against the containers' limits",
        ),
        pytest.param(
            PodSpec((limited(),), volumes=(SPOOL,)),
            DiskUse(volumes={"spool": 11 * GI}),
            'Usage of EmptyDir volume "spool" exceeds the limit "10Gi". ',
            id="a volume's own limit",
        ),
        pytest.param(
            PodSpec((limited("a", "1Gi"), limited("b", "2Gi"))),
            DiskUse(root={"a": GI}, logs={"a": MI}),
            'Container a exceeded its local ephemeral storage limit "1Gi". ',
            id="a container's, though the pod keeps to the sum",
        ),
        pytest.param(PodSpec((limited(),)), DiskUse(root={"app": 99 * GI}), "", id="no limit"),
        pytest.param(
            PodSpec((limited(limit="1Gi"),), initContainers=(limited("init", "3Gi"),)),
            DiskUse(volumes={"other": 2 * GI}),
            "",
            id="the larger of init containers and the rest",
        ),
    ],
)
def test_limits_of_the_pods_own(spec: PodSpec, used: DiskUse, message: str) -> None:
    assert limit_exceeded(spec, used) == message


def test_with_a_disk_for_images_layers_do_not_count_for_the_container() -> None:
    spec = PodSpec((limited("a", "1Gi"), limited("b", "5Gi")))
    used = DiskUse(root={"a": 2 * GI})
    assert limit_exceeded(spec, used)
    assert not limit_exceeded(spec, used, image_fs=True)


def test_tombstones_go_before_the_oldest() -> None:
    pods = [
        pod("old", phase="Succeeded", created=0),
        pod("failed", phase="Failed", created=10),
        pod("evicted", phase="Failed", reason="Evicted", created=20),
        pod("ended-well", phase="Succeeded", reason="Evicted", created=30),
        pod("running"),
    ]
    assert [row.metadata.name for row in pods if evicted(row)] == ["evicted"]
    assert [row.metadata.name for row in beyond_threshold(pods, 2)] == ["evicted", "old"]
    assert beyond_threshold(pods, 4) == beyond_threshold(pods, 0) == []


def test_orphans_are_bound_to_no_node_that_there_is() -> None:
    pods = [pod("a", node="gone"), pod("b", node="here"), pod("waiting")]
    assert [row.metadata.name for row in orphaned(pods, {"here"})] == ["a"]
