"""kubectl rollout: `status` watches a workload until its rollout is over, `undo` brings an earlier template back.

Not modelled: `undo` of StatefulSets and DaemonSets, whose earlier templates are in ControllerRevisions.
"""

from __future__ import annotations

from msgspec.structs import replace

from app.kube import durations
from app.kube.rollout import REVISION
from app.kube.rollout_report import Report, Rolled, report
from app.kube.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet
from app.loops.kubectl_output import Answers, failed, named, said
from app.loops.revisions import HASH
from app.sim.acts import Act, Command, Get, Line, List, Patch, Wait
from app.sim.index import owned
from app.sim.lags import Bounds
from app.sim.loop import Turn

KINDS_ROLLED: dict[str, type[Rolled]] = {cls.kind: cls for cls in (Deployment, DaemonSet, StatefulSet)}


def status(turn: Turn, command: Command) -> Answers | Act | Wait | None:
    """One line for every version of the workload that it sees, until the rollout is done or has failed."""
    if not command.done:
        return _begun(turn, command)
    ref = command.refs[0]
    held, version = turn.read(KINDS_ROLLED[ref.kind], ref), turn.version(ref)
    if isinstance(held, Rolled) and command.option("seen") != str(version):
        return _told(replace(command, options=_with(command, "seen", str(version))), report(held))
    limit = command.option("deadline")
    if not limit:
        return None
    bounds = Bounds.at(int(limit))
    return _timed_out(command) if turn.reached(bounds) else Wait(bounds)


def _begun(turn: Turn, command: Command) -> Answers:
    """GET first, then a watch."""
    ref = command.refs[0]
    answer = yield Act("get", ref, reason="UserRequest", request=Get(ref), command=command, background=True)
    if not isinstance(answer.object, Rolled):
        yield failed(command, answer)
        return
    # What it knows from before is older than this answer.
    began = replace(command, done=1, uids=(answer.object.metadata.uid,))
    began = replace(began, options=_with(began, "seen", str(turn.version(ref))))
    if limit := durations.parse(command.option("timeout", "0s")):
        began = replace(began, options=_with(began, "deadline", str(turn.now + limit)))
    yield _told(began, report(answer.object), first=True)


def _told(command: Command, found: Report, *, first: bool = False) -> Act:
    ref = command.refs[0]
    if not found.over:
        return Act(
            "watch",
            ref,
            reason="RolloutNotDone",
            moment="rollout-status-waits" if first else "",
            output=(Line(found.text),),
            command=command,
            to="You",
            background=not first,
        )
    return Act(
        "fail" if found.failed else "return",
        ref,
        reason="ProgressDeadlineExceeded" if found.failed else "RolloutDone",
        moment="rollout-status-failed" if found.failed else "rollout-status-returned",
        output=(Line(found.text, "stderr" if found.failed else "stdout"),),
        command=replace(command, exit=1 if found.failed else 0),
        to="You",
    )


def _timed_out(command: Command) -> Act:
    return Act(
        "fail",
        command.refs[0],
        reason="TimedOut",
        moment="rollout-status-timed-out",
        output=(Line("error: timed out waiting for the condition", "stderr"),),
        command=replace(command, exit=1),
        to="You",
    )


def _with(command: Command, name: str, value: str) -> tuple[tuple[str, str], ...]:
    return (*(row for row in command.options if row[0] != name), (name, value))


def undo(command: Command) -> Answers:
    """The template of the revision before, or of the one that is named, written into the Deployment."""
    ref = command.refs[0]
    answer = yield Act("get", ref, reason="UserRequest", request=Get(ref), command=command, background=True)
    held = answer.object
    if not isinstance(held, Deployment):
        yield failed(command, answer)
        return
    word = owned(ReplicaSet.kind, held.metadata.uid)
    answer = yield Act("list", ref, reason="UserRequest", request=List(word), command=command, background=True)
    if not answer.ok:
        yield failed(command, answer)
        return
    known = {_revision(row): row for row in answer.objects if isinstance(row, ReplicaSet)}
    asked = int(command.option("to-revision", "0"))
    earlier = sorted(known)[:-1]
    found = known.get(asked) if asked else known[earlier[-1]] if earlier else None
    if found is None:
        text = f"unable to find specified revision {asked} in history" if asked else "no rollout history found for"
        yield _refused(command, f"error: {text}" + ("" if asked else f' deployment "{ref.name}"'))
        return
    meta = found.spec.template.metadata
    template = replace(found.spec.template, metadata=replace(meta, labels=meta.labels.without(HASH)))
    if template == held.spec.template:
        line = Line(f"{named(ref)} skipped rollback (current template already matches revision {_revision(found)})")
        yield said(replace(command, done=1), line)
        return
    answer = yield Act(
        "patch",
        ref,
        reason="UserRequest",
        moment="rollout-undo",
        request=Patch(ref, (("spec.template", template),)),
        command=command,
    )
    yield said(replace(command, done=1), Line(f"{named(ref)} rolled back")) if answer.ok else failed(command, answer)


def _refused(command: Command, text: str) -> Act:
    return Act(
        "fail",
        command.key,
        reason="NoSuchRevision",
        moment="kubectl-failed",
        output=(Line(text, "stderr"),),
        command=replace(command, exit=1),
        to="You",
    )


def _revision(row: ReplicaSet) -> int:
    text = row.metadata.annotations.get(REVISION) or ""
    return int(text) if text.isascii() and text.isdigit() else 0
