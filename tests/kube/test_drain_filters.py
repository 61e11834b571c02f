"""What drain would do with each kind of pod, and the words of its refusals (kubectl pkg/drain/filters.go)."""

from __future__ import annotations

from typing import Any

import pytest

from app.kube.drain_filters import (
    CONFIG_MIRROR,
    DAEMON_FATAL,
    DAEMON_WARNING,
    STORAGE_FATAL,
    STORAGE_WARNING,
    UNMANAGED_FATAL,
    UNMANAGED_WARNING,
    Flags,
    Verdict,
    aggregate,
    errors,
    gone,
    verdict,
    warning,
)
from app.kube.meta import ObjectMeta, OwnerReference
from app.kube.pods import EmptyDirVolumeSource, HostPathVolumeSource, Pod, PodSpec, PodStatus, Volume
from app.kube.stringmap import StringMap

NOW = 1_000_000
EMPTY_DIR = Volume("tmp", emptyDir=EmptyDirVolumeSource())
HOST_PATH = Volume("logs", hostPath=HostPathVolumeSource("/var/log"))


def pod(
    name: str = "a", owner: str = "ReplicaSet", phase: str = "Running", volume: Volume | None = None, **meta: Any
) -> Pod:
    owners = (OwnerReference(owner, "x", "uid-x"),) if owner else ()
    return Pod(
        ObjectMeta(name=name, namespace="default", ownerReferences=owners, **meta),
        PodSpec(volumes=(volume,) if volume else ()),
        PodStatus(phase),
    )


MIRROR = pod(owner="", annotations=StringMap({CONFIG_MIRROR: "hash"}))


@pytest.mark.parametrize(
    ("found", "flags", "expected"),
    [
        pytest.param(pod(), Flags(), (True, "okay", ""), id="a pod of a controller goes"),
        pytest.param(pod(owner="Widget"), Flags(), (True, "okay", ""), id="of any kind of controller"),
        pytest.param(pod(owner="DaemonSet"), Flags(), (False, "error", DAEMON_FATAL), id="a daemon pod stops all"),
        pytest.param(
            pod(owner="DaemonSet"),
            Flags(ignore_daemonsets=True),
            (False, "warning", DAEMON_WARNING),
            id="or is left where it is",
        ),
        pytest.param(pod(owner="DaemonSet", phase="Failed"), Flags(), (True, "okay", ""), id="unless it has ended"),
        pytest.param(MIRROR, Flags(), (False, "skip", ""), id="a static pod is passed over in silence"),
        pytest.param(pod(volume=EMPTY_DIR), Flags(), (False, "error", STORAGE_FATAL), id="an emptyDir stops all"),
        pytest.param(pod(volume=HOST_PATH), Flags(), (True, "okay", ""), id="a hostPath does not"),
        pytest.param(
            pod(volume=EMPTY_DIR), Flags(delete_emptydir_data=True), (True, "okay", ""), id="with the flag, in silence"
        ),
        pytest.param(
            pod(owner="", volume=EMPTY_DIR),
            Flags(force=True, delete_emptydir_data=True),
            (True, "warning", UNMANAGED_WARNING),
            id="the last filter's word stands",
        ),
        pytest.param(
            pod(volume=EMPTY_DIR, phase="Succeeded"), Flags(), (True, "okay", ""), id="nor one that has ended"
        ),
        pytest.param(pod(owner=""), Flags(), (False, "error", UNMANAGED_FATAL), id="a bare pod stops all"),
        pytest.param(pod(owner=""), Flags(force=True), (True, "warning", UNMANAGED_WARNING), id="or goes by force"),
        pytest.param(
            pod(owner="", volume=EMPTY_DIR), Flags(force=True), (False, "error", STORAGE_FATAL), id="force is not all"
        ),
        pytest.param(pod(owner="", phase="Failed"), Flags(), (True, "okay", ""), id="what has ended needs no flag"),
        pytest.param(
            pod(deletionTimestamp=NOW - 21_000),
            Flags(skip_wait_for_delete=20),
            (False, "skip", ""),
            id="long on its way",
        ),
        pytest.param(
            pod(deletionTimestamp=NOW - 20_000),
            Flags(skip_wait_for_delete=20),
            (True, "okay", ""),
            id="not long enough",
        ),
        pytest.param(pod(deletionTimestamp=NOW - 21_000), Flags(), (True, "okay", ""), id="which is off by default"),
    ],
)
def test_a_pod(found: Pod, flags: Flags, expected: tuple[bool, str, str]) -> None:
    assert verdict(found, flags, NOW, lambda _: "") == expected


def test_a_daemon_pod_whose_daemon_set_is_gone_goes_only_by_force() -> None:
    missing = 'daemonsets.apps "x" not found'
    found = pod(owner="DaemonSet")
    assert verdict(found, Flags(ignore_daemonsets=True), NOW, lambda _: missing) == (False, "error", missing)
    # The warning is lost: the word of the last filter stands.
    assert verdict(found, Flags(force=True), NOW, lambda _: missing) == (True, "okay", "")


def test_reasons_are_told_once_with_all_their_pods() -> None:
    """As truth/drain-refusals has them, the doubled words included."""
    judged = [
        (pod("agent-1"), Verdict(delete=False, reason="error", message=DAEMON_FATAL)),
        (pod("bare"), Verdict(delete=False, reason="error", message=UNMANAGED_FATAL)),
        (pod("agent-2"), Verdict(delete=False, reason="error", message=DAEMON_FATAL)),
    ]
    found = errors(judged)
    assert found == [
        "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): default/agent-1, default/agent-2",
        "cannot delete cannot delete Pods that declare no controller (use --force to override): default/bare",
    ]
    assert aggregate(found) == f"[{found[0]}, {found[1]}]"
    assert aggregate(found[:1]) == found[0]


def test_warnings_stand_in_one_line() -> None:
    judged = [
        (pod("agent"), Verdict(delete=False, reason="warning", message=DAEMON_WARNING)),
        (pod("bare"), Verdict(delete=True, reason="warning", message=UNMANAGED_WARNING)),
        (pod("cache"), Verdict(delete=True, reason="warning", message=STORAGE_WARNING)),
    ]
    assert warning(judged) == (
        "ignoring DaemonSet-managed Pods: default/agent; deleting Pods that declare no controller: default/bare; "
        "deleting Pods with local storage: default/cache"
    )
    assert warning([(pod(), Verdict(delete=True, reason="okay"))]) == ""


@pytest.mark.parametrize(("now", "is_gone"), [("uid-1", False), ("uid-2", True), (None, True)])
def test_a_successor_of_the_same_name_means_gone(now: str | None, is_gone: bool) -> None:
    assert gone("uid-1", now) is is_gone
