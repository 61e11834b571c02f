"""Runs of CronJobs: those that were due in a walk and never made, and those that were late."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.kube.batch import CronJob, Job
from app.kube.cron import parse
from app.kube.cronjobs import job_name
from app.kube.meta import Ref
from app.sim.walk import Record, Walk
from app.story.fact import Fact, Subject, first


def runs_skipped(subject: Subject) -> Fact:
    """Times of a CronJob in this walk for which no Job was made."""
    runs = list(_runs(subject))
    made = _made(subject.walk)
    times = ", ".join(f"{due / 1000:g} s" for owner, due in runs if _job(owner, due) not in made)
    count = sum(_job(owner, due) not in made for owner, due in runs)
    away = first(subject.walk, lambda row: row.step.moment in ("leader-elected", "leader-lost"))
    step = away.n if away is not None and count else None
    return Fact(float(count), "runs", step, (("due", times or "none"), ("of", str(len(runs)))))


def run_late(subject: Subject) -> Fact:
    """How much later than its time the latest Job was made; 0 where none was."""
    made = _made(subject.walk)
    rows = [(due, made[name]) for owner, due in _runs(subject) if (name := _job(owner, due)) in made]
    late = [(row.step.at - due, due, row) for due, row in rows]
    if not late:
        return Fact(0.0, "s", more=(("job", "none was made"), ("due", "never")))
    by, due, row = max(late, key=lambda found: found[0])
    more = (("job", row.step.object.name), ("due", f"{due / 1000:g} s"))
    return Fact(by / 1000, "s", row.n or None, more)


def _runs(subject: Subject) -> Iterator[tuple[CronJob, int]]:
    """Every time that came in the walk; one that falls on t = 0 belongs to it."""
    for owner in subject.walk.start.etcd.find(CronJob.kind):
        if not isinstance(owner, CronJob) or owner.spec.suspend:
            continue
        schedule = parse(owner.spec.schedule)
        due = schedule.after(-1_000)
        while due is not None and due < subject.end:
            yield owner, due
            due = schedule.after(due)


def _job(owner: CronJob, due: int) -> Ref:
    return Ref(Job.kind, owner.metadata.namespace, job_name(owner, due))


def _made(walk: Walk) -> dict[Ref, Record]:
    return {
        commit.ref: row
        for row in walk.records
        for commit in row.step.commits
        if isinstance(commit.after, Job) and commit.before is None
    }


RUN_FACTS: dict[str, Callable[[Subject], Fact]] = {
    "runs-skipped": runs_skipped,
    "run-late": run_late,
}
