"""Jobs and CronJobs on whole clusters: what is made when, and what is left at the end."""

from __future__ import annotations

from itertools import pairwise

import pytest
from msgspec.structs import replace

from app.kube.batch import CronJob, Job
from app.kube.manifests import read_manifests
from app.kube.pods import Pod
from app.loops.registry import LOOPS
from app.sim.engine import Model
from app.sim.intervention import parse
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.walk import Walk

MODEL = Model(LOOPS)
NODES = "\n---\n".join(f"{{apiVersion: v1, kind: Node, metadata: {{name: node-{number}}}}}" for number in (1, 2))
CRON = """
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: tick}
spec:
  schedule: "* * * * *"
  concurrencyPolicy: POLICY
  jobTemplate:
    spec:
      template:
        metadata:
          annotations: {sim.loopscope.dev/exit: "after 5s code 0"}
        spec:
          restartPolicy: Never
          containers: [{name: app, image: "app:1"}]
"""
JOB = """
---
apiVersion: batch/v1
kind: Job
metadata: {name: sum}
spec:
  completions: 3
  parallelism: 2
  template:
    metadata:
      annotations: {sim.loopscope.dev/exit: "after 4s code CODE"}
    spec:
      restartPolicy: Never
      containers: [{name: app, image: "app:1"}]
"""


def walk(text: str, script: list[str], until: int) -> Walk:
    """The walk from a cluster with nodes (and what else stands), to which the rest is applied."""
    standing, _, applied = text.partition("=====")
    world = at_rest(MODEL, read_manifests(NODES + standing).objects)
    if applied:
        later = read_manifests(applied).objects
        script = ["0s apply m:later", *script]
        world = replace(world, manifests=world.manifests.set("later", later))
    return run(MODEL, world, [parse(line) for line in script], until=until)


NOON = 29_454_480
"""Minutes from 1970 to t = 0."""


def starts(found: Walk) -> list[tuple[float, int]]:
    """When a Job was made, in seconds, and for which minute."""
    made = [row.step for row in found.steps if row.step.verb == "create-job"]
    return [(round(step.at / 1000, 1), int(step.object.name.rpartition("-")[2]) - NOON) for step in made]


def test_a_cron_job_runs_every_minute_and_keeps_its_history() -> None:
    found = walk(CRON.replace("POLICY", "Allow"), [], 183_000)
    assert starts(found) == [(0.1, 0), (60.1, 1), (120.1, 2), (180.1, 3)]
    jobs = [obj for obj in found.world.etcd.find("Job") if isinstance(obj, Job)]
    assert [job.finished for job in jobs] == ["Complete"] * 3 + [""]
    owner = found.world.etcd.find("CronJob")[0]
    assert isinstance(owner, CronJob)
    assert (owner.status.lastScheduleTime, len(owner.status.active)) == (180_000, 1)


def test_pods_go_with_the_jobs_that_the_history_does_not_hold() -> None:
    found = walk(CRON.replace("POLICY", "Allow"), [], 170_000)
    owners = {pod.metadata.controller.name for pod in found.world.etcd.find("Pod") if pod.metadata.controller}
    assert owners == {obj.metadata.name for obj in found.world.etcd.find("Job")}


@pytest.mark.parametrize(
    ("away", "made"),
    [
        pytest.param(190, [(0.1, 0), (190.0, 3), (240.1, 4)], id="three missed: the latest at once, then the next"),
        pytest.param(130, [(0.1, 0), (130.0, 2), (180.1, 3), (240.1, 4)], id="two missed"),
    ],
)
def test_of_missed_times_only_the_latest_is_started(away: int, made: list[tuple[float, int]]) -> None:
    script = ["30s stop kube-controller-manager", f"{away}s start kube-controller-manager"]
    assert starts(walk(CRON.replace("POLICY", "Allow"), script, 250_000)) == made


def test_forbid_starts_when_the_one_before_has_ended() -> None:
    slow = CRON.replace("POLICY", "Forbid").replace("after 5s", "after 90s")
    found = walk(slow, [], 250_000)
    # The run of a minute that was skipped starts as soon as the one before is seen ended.
    times = [at for at, _ in starts(found)]
    assert len(times) > 1
    assert all(later - earlier > 90 for earlier, later in pairwise(times))


def test_a_job_runs_its_pods_to_the_end_and_rests() -> None:
    found = walk("=====" + JOB.replace("CODE", "0"), [], 600_000)
    (job,) = found.world.etcd.find("Job")
    assert isinstance(job, Job)
    assert (found.stopped, job.finished, job.status.succeeded, job.status.active) == ("quiet", "Complete", 3, 0)
    pods = [pod for pod in found.world.etcd.find("Pod") if isinstance(pod, Pod)]
    assert [pod.metadata.finalizers for pod in pods] == [()] * 3


def test_a_job_that_fails_gives_up_after_its_retries() -> None:
    found = walk("=====" + JOB.replace("CODE", "1").replace("completions: 3", "backoffLimit: 2"), [], 600_000)
    (job,) = found.world.etcd.find("Job")
    assert isinstance(job, Job)
    assert (found.stopped, job.finished) == ("quiet", "Failed")
    assert job.status.failed >= 3


def test_a_deleted_job_takes_its_pods_along() -> None:
    slow = "=====" + JOB.replace("after 4s code CODE", "after 100s code 0")
    found = walk(slow, ["10s delete job/sum"], 600_000)
    assert found.stopped == "quiet"
    assert found.world.etcd.find("Job") == []
    assert found.world.etcd.find("Pod") == []


def test_a_suspended_cron_job_starts_one_run_when_it_is_resumed() -> None:
    """Of all runs that were missed the last one is made up for."""
    found = walk(
        "=====" + CRON.replace("POLICY", "Allow"), ["1s suspend cronjob/tick", "200s resume cronjob/tick"], 235_000
    )
    made = [row.step.at for row in found.records if row.step.moment == "cronjob-started"]
    assert [at // 1000 for at in made] == [200]
