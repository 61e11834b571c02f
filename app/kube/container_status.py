"""The status of a container that the runtime does not have."""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.pods import ContainerState, ContainerStateTerminated, ContainerStatus

_VANISHED = ContainerStateTerminated(
    exitCode=137,
    reason="ContainerStatusUnknown",
    message="The container could not be located when the pod was deleted.  The container used to be Running",
)


def absent(before: ContainerStatus | None, now: ContainerStatus, *, deleted: bool) -> ContainerStatus:
    """What was known stays known; one that ran has ended, nobody knows how (convertToAPIContainerStatuses)."""
    if before is None:
        return now
    if before.state.terminated is not None:
        return before
    kept = replace(now, lastState=before.lastState, restartCount=before.restartCount)
    if before.state.running is None or before.lastState.terminated is not None:
        return kept
    restarts = before.restartCount + (not deleted)
    return replace(kept, lastState=ContainerState(terminated=_VANISHED), restartCount=restarts)
