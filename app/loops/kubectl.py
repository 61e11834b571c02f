"""kubectl: one command line at a time, as `kubectl` sends it and prints it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from app.kube.batch import Job
from app.kube.meta import Ref
from app.kube.networking import Service
from app.kube.objects import Object
from app.kube.releases import Release
from app.kube.stringmap import StringMap
from app.kube.workloads import Deployment, ReplicaSet, StatefulSet
from app.loops.kubectl_drain import drain
from app.loops.kubectl_logs import reading
from app.loops.kubectl_nodes import cordon, taint, tolerate
from app.loops.kubectl_output import HANDSHAKE, Answers, ended, failed, given_up, named, said
from app.loops.kubectl_rollout import status, undo
from app.loops.kubectl_wait import waiting
from app.sim.acts import Act, Command, Create, Delete, Evict, Line, Patch, Request, Update, Wait
from app.sim.index import Index
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn

Scaled = Deployment | ReplicaSet | StatefulSet
FORCED = (
    "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. "
    "The resource may continue to run on the cluster indefinitely."
)


def reconcile(turn: Turn) -> Answers | Act | Wait | None:
    """The next request of a command with what it prints, or its end."""
    command = turn.command
    if command.call is not None:
        return None
    if command.verb == "wait":
        return waiting(turn, command)
    if command.exit is not None:
        return None
    if turn.server_hangs and command.done == 0 and command.verb != "drain":
        return given_up(command) if turn.fired else Wait(Bounds.at(turn.now + HANDSHAKE))
    return _next(turn, command)


def _next(turn: Turn, command: Command) -> Answers | Act | Wait | None:
    match command.verb:
        case "delete":
            if command.done < len(command.refs):
                return _delete(command, turn.release)
            return None if _waits(turn, command) else _returned(command)
        case "apply":
            return ended(command) if command.done == len(command.objects) else _apply(turn, command)
        case "drain":
            return drain(turn, command)
        case "rollout-status":
            return status(turn, command)
        case _ if command.verb in STEPWISE:
            return STEPWISE[command.verb](command)
        case _:
            return ended(command) if command.done else AT_ONCE.get(command.verb, _change)(command)


def _delete(command: Command, release: Release) -> Answers:
    force = command.option("force") == "true"
    ref = command.refs[command.done]
    answer = yield Act(
        "delete",
        ref,
        reason="UserRequest",
        moment="force-delete-requested" if force else "delete-requested",
        request=Delete(ref, _grace(command, force=force)),
        output=(Line(FORCED, "stderr"),) if force and command.done == 0 else (),
        command=command,
    )
    if not answer.ok or answer.object is None:
        yield failed(command, answer)
        return
    uids = (*command.uids, answer.object.metadata.uid)
    yield said(replace(command, done=command.done + 1, uids=uids), Line(_deleted(ref, release, forced=force)))


def _waits(turn: Turn, command: Command) -> bool:
    if command.option("wait", "true") != "true":
        return False
    known = [turn.get(ref) for ref in command.refs]
    return any(obj is not None and obj.metadata.uid in command.uids for obj in known)


def _returned(command: Command) -> Act:
    waited = command.option("wait", "true") == "true"
    return Act(
        "return",
        command.refs[0],
        reason="ObjectsAreGone" if waited else "DoesNotWait",
        moment="kubectl-returned",
        background=not waited,
        command=replace(command, exit=0),
        to="You",
    )


def _grace(command: Command, *, force: bool) -> int | None:
    """`--grace-period=0` is sent as 1 without --force, and --force alone means 0 (kubectl pkg/cmd/delete)."""
    asked = command.option("grace")
    if force:
        return 0
    if not asked:
        return None
    return max(int(asked), 1)


def _deleted(ref: Ref, release: Release, *, forced: bool) -> str:
    word = "force deleted" if forced else "deleted"
    where = f" from {ref.namespace} namespace" if ref.namespace and release.namespace_told else ""
    return f'{_resource(ref)} "{ref.name}" {word}{where}'


def _apply(turn: Turn, command: Command) -> Answers:
    wanted = command.objects[command.done]
    held = turn.get(wanted.ref)
    request: Request = Create(wanted) if held is None else Update(_merged(held, wanted))
    word = "created" if held is None else ("unchanged" if _merged(held, wanted) == held else "configured")
    answer = yield Act(
        "create" if held is None else "patch",
        wanted.ref,
        reason="UserRequest",
        moment=f"{wanted.kind.lower()}-applied",
        request=request,
        command=command,
    )
    if not answer.ok:
        yield failed(command, answer)
        return
    yield said(replace(command, done=command.done + 1), Line(f"{named(wanted.ref)} {word}"))


def _merged(held: Any, wanted: Any) -> Object:
    """What apply leaves: fields that only the server has set stay, and so do keys that controllers have put there."""
    meta = replace(
        held.metadata,
        labels=_keys(held.metadata.labels, wanted.metadata.labels),
        annotations=_keys(held.metadata.annotations, wanted.metadata.annotations),
    )
    if isinstance(held, Job):
        spec = replace(wanted.spec, selector=held.spec.selector, template=held.spec.template)
        return replace(wanted, metadata=replace(meta, labels=held.metadata.labels), spec=spec)  # type: ignore[no-any-return]
    if isinstance(held, Service) and not wanted.spec.clusterIP:
        return replace(wanted, metadata=meta, spec=replace(wanted.spec, clusterIP=held.spec.clusterIP))  # type: ignore[no-any-return]
    if isinstance(held, Scaled) and wanted.spec.replicas is None:
        return replace(wanted, metadata=meta, spec=replace(wanted.spec, replicas=held.spec.replicas))  # type: ignore[no-any-return]
    return replace(wanted, metadata=meta)  # type: ignore[no-any-return]


def _keys(held: StringMap, wanted: StringMap) -> StringMap:
    """What was applied before is everything that Kubernetes has not put there; what of it is not wanted now goes."""
    own = [key for key in held if key.partition("/")[0].endswith("kubernetes.io") and key not in wanted]
    return wanted.merged({key: held[key] for key in own})


def _change(command: Command) -> Answers:
    ref = command.refs[0]
    changes, text = _changes(command, ref)
    answer = yield Act(
        "patch", ref, reason="UserRequest", moment=command.verb, request=Patch(ref, changes), command=command
    )
    if not answer.ok:
        yield failed(command, answer)
        return
    yield said(replace(command, done=1), Line(text))


def _evict(command: Command) -> Answers:
    """One POST pods/eviction; of its answer only a refusal is told."""
    ref = command.refs[0]
    grace = command.option("grace")
    dry_run = command.option("dry-run") == "true"
    answer = yield Act(
        "evict",
        ref,
        reason="UserRequest",
        moment="eviction-requested",
        request=Evict(ref, int(grace) if grace else None, dry_run),
        command=command,
    )
    yield said(replace(command, done=1)) if answer.ok else failed(command, answer)


def _changes(command: Command, ref: Ref) -> tuple[tuple[tuple[str, object], ...], str]:
    name = named(ref)
    match command.verb:
        case "scale":
            return (("spec.replicas", int(command.option("replicas", "1"))),), f"{name} scaled"
        case "set-image":
            fields = tuple((f"spec.template.spec.containers[{key}].image", value) for key, value in command.options)
            return fields, f"{name} image updated"
        case "patch":
            return tuple((f"spec.{key}", _typed(value)) for key, value in command.options), f"{name} patched"
        case "suspend" | "resume":
            return (("spec.suspend", command.verb == "suspend"),), f"{name} patched"
        case "edit":
            return tuple((f"data.{key}", value) for key, value in command.options), f"{name} patched"
        case "add-finalizer":
            return (("metadata.finalizers", (command.option("rest"),)),), f"{name} patched"
        case _:
            return (("metadata.finalizers", ()),), f"{name} patched"


def _typed(text: str) -> int | str | None:
    return int(text) if text.isascii() and text.isdigit() else None if text == "null" else text


def _resource(ref: Ref) -> str:
    return ref.kind.lower()


STEPWISE: dict[str, Callable[[Command], Answers | Act | Wait | None]] = {
    "cordon": cordon,
    "uncordon": cordon,
    "taint": taint,
    "untaint": taint,
    "logs": reading,
    "exec": reading,
}
AT_ONCE = {"tolerate": tolerate, "evict": _evict, "rollout-undo": undo}
"""Commands whose requests follow one another in one turn; others only change one object."""


def _nothing(_: Index, __: Object) -> list[Ref]:
    """Which command awaits an object stands in the commands; the engine looks there."""
    return []


AWAITED = (
    "Pod",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "CronJob",
    "PodDisruptionBudget",
    "PriorityClass",
)
"""What a command may wait for."""

LOOP = Loop(
    name="kubectl",
    lane="kubectl",
    process="kubectl",
    reconcile=reconcile,
    wakes=dict.fromkeys(AWAITED, _nothing),
    commands=True,
)
