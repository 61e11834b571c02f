"""Jobs, which run pods to their end, and CronJobs, which make Jobs by the clock."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from app.kube.meta import Condition, LabelSelector, ObjectMeta, Ref, condition
from app.kube.pods import PodTemplateSpec


class UncountedTerminatedPods(Struct, frozen=True, omit_defaults=True):
    """Uids of pods that have ended and are not in the counters yet, as their finalizer may still be there."""

    succeeded: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


class JobSpec(Struct, frozen=True, omit_defaults=True):
    template: PodTemplateSpec = PodTemplateSpec()
    parallelism: int | None = None
    completions: int | None = None
    """None: done when any pod has succeeded."""
    backoffLimit: int | None = None
    activeDeadlineSeconds: int | None = None
    suspend: bool = False
    podReplacementPolicy: str = ""
    selector: LabelSelector | None = None
    """The server's own, unless `manualSelector` is set."""
    manualSelector: bool = False


class JobStatus(Struct, frozen=True, omit_defaults=True):
    conditions: tuple[Condition, ...] = ()
    startTime: int | None = None
    completionTime: int | None = None
    active: int = 0
    succeeded: int = 0
    failed: int = 0
    terminating: int | None = None
    ready: int | None = None
    uncountedTerminatedPods: UncountedTerminatedPods | None = None


class Job(Struct, frozen=True, omit_defaults=True):
    kind: ClassVar[str] = "Job"
    apiVersion: ClassVar[str] = "batch/v1"
    metadata: ObjectMeta
    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()

    @property
    def ref(self) -> Ref:
        return Ref("Job", self.metadata.namespace, self.metadata.name)

    @property
    def finished(self) -> str:
        """Complete or Failed, or empty while it goes on."""
        return next((word for word in ("Complete", "Failed") if self.has(word)), "")

    def has(self, type_: str) -> bool:
        """Whether a condition is True."""
        row = condition(self.status.conditions, type_)
        return row is not None and row.status == "True"


class JobTemplateSpec(Struct, frozen=True, omit_defaults=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: JobSpec = JobSpec()


class CronJobSpec(Struct, frozen=True, omit_defaults=True):
    schedule: str
    """In UTC."""
    jobTemplate: JobTemplateSpec = JobTemplateSpec()
    startingDeadlineSeconds: int | None = None
    concurrencyPolicy: str = ""
    suspend: bool = False
    successfulJobsHistoryLimit: int | None = None
    failedJobsHistoryLimit: int | None = None


class JobReference(Struct, frozen=True, omit_defaults=True):
    name: str
    namespace: str
    uid: str
    kind: str = "Job"


class CronJobStatus(Struct, frozen=True, omit_defaults=True):
    active: tuple[JobReference, ...] = ()
    lastScheduleTime: int | None = None
    lastSuccessfulTime: int | None = None


class CronJob(Struct, frozen=True, omit_defaults=True):
    kind: ClassVar[str] = "CronJob"
    apiVersion: ClassVar[str] = "batch/v1"
    metadata: ObjectMeta
    spec: CronJobSpec
    status: CronJobStatus = CronJobStatus()

    @property
    def ref(self) -> Ref:
        return Ref("CronJob", self.metadata.namespace, self.metadata.name)
