"""A Job's status while one sync changes it: what is observed, what is about to be counted, what is counted, the end."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from app.kube.batch import Job, UncountedTerminatedPods
from app.kube.conditions import set_condition
from app.kube.jobs import FINALIZER, Verdict, has_failed, has_succeeded
from app.kube.meta import Condition, whole_second
from app.kube.pods import Pod
from app.sim.acts import Act, UpdateStatus


def _begun(job: Job, now: int) -> Job:
    """With a start, once it may run."""
    if job.status.startTime is not None or job.spec.suspend:
        return job
    return replace(job, status=replace(job.status, startTime=whole_second(now)))


class Draft:
    """The status to be; `job` is what was written last, with changes that are not written yet."""

    def __init__(self, job: Job, pods: Sequence[Pod], verdict: Verdict | None, now: int) -> None:
        self.job = _begun(job, now)
        self.changed = self.job != job
        self._verdict = verdict
        self._now = now
        self._held = {pod.metadata.uid for pod in pods if FINALIZER in pod.metadata.finalizers}
        self.countable = [pod for pod in pods if pod.metadata.uid in self._held and self._ends(pod)]

    def _ends(self, pod: Pod) -> bool:
        """canRemoveFinalizer: when the Job ends, all of its pods are counted, running ones as failed."""
        return has_succeeded(pod) or has_failed(self.job.spec, pod) or self._verdict is not None

    def _set(self, **changes: object) -> None:
        status = replace(self.job.status, **changes)
        self.changed = self.changed or status != self.job.status
        self.job = replace(self.job, status=status)

    def write(self, reason: str) -> Act:
        self.changed = False
        return Act("update-status", self.job.ref, reason=reason, request=UpdateStatus(self.job), background=True)

    def observe(self, active: int, ready: int, terminating: int) -> None:
        """Counts of what runs, pods that are about to be counted, and the condition before the last one."""
        self._set(active=active, ready=ready, terminating=terminating)
        self._settle()
        known = self.job.status.uncountedTerminatedPods or UncountedTerminatedPods()
        new = [pod for pod in self.countable if pod.metadata.uid not in (*known.succeeded, *known.failed)]
        good = tuple(pod.metadata.uid for pod in new if has_succeeded(pod))
        bad = tuple(pod.metadata.uid for pod in new if not has_succeeded(pod) and self._is_bad(pod))
        if good or bad:
            listed = UncountedTerminatedPods((*known.succeeded, *good), (*known.failed, *bad))
            self._set(uncountedTerminatedPods=listed)
        if self._verdict is not None:
            self._note("SuccessCriteriaMet" if self._verdict.good else "FailureTarget", self._verdict)

    def _is_bad(self, pod: Pod) -> bool:
        failed_job = self._verdict is not None and not self._verdict.good
        return has_failed(self.job.spec, pod) or failed_job

    def _note(self, type_: str, verdict: Verdict) -> None:
        if not self.job.has(type_):
            row = Condition(type_, "True", verdict.reason, verdict.message)
            self._set(conditions=set_condition(self.job.status.conditions, row, self._now))

    def count(self, pod: Pod) -> None:
        """Its finalizer is gone, so it is counted for good."""
        self._held.discard(pod.metadata.uid)
        self._settle()

    def _settle(self) -> None:
        """cleanUncountedPodsWithoutFinalizers: what is listed and holds no finalizer goes into the counters."""
        known = self.job.status.uncountedTerminatedPods
        if known is None:
            return
        good = tuple(uid for uid in known.succeeded if uid in self._held)
        bad = tuple(uid for uid in known.failed if uid in self._held)
        left = UncountedTerminatedPods(good, bad)
        status = self.job.status
        self._set(
            succeeded=status.succeeded + len(known.succeeded) - len(good),
            failed=status.failed + len(known.failed) - len(bad),
            uncountedTerminatedPods=left if good or bad else None,
        )

    def finish(self, terminating: int) -> Verdict | None:
        """enactJobFinished: the last condition comes when all pods are counted and none ends any more."""
        verdict, status = self._verdict, self.job.status
        if verdict is None or status.uncountedTerminatedPods is not None or terminating:
            return None
        self._note("Complete" if verdict.good else "Failed", verdict)
        if verdict.good:
            self._set(completionTime=whole_second(self._now))
        return verdict
