"""The API server: versions, conflicts, finalizers, graceful deletion and watches.

Not modelled: authentication, authorisation and admission plugins other than the defaults; quota; field selectors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from app.kube import grace as graces
from app.kube.defaults import defaulted
from app.kube.meta import Condition, ObjectMeta, Ref, whole_second
from app.kube.names import generated_suffix
from app.kube.objects import Object
from app.kube.pods import Pod, PodStatus
from app.kube.qos import qos_class
from app.kube.workloads import Deployment
from app.sim.acts import Bind, Create, Delete, Outcome, Patch, PatchStatus, Request, Update, UpdateStatus
from app.sim.draft import Draft, believe, forget, send, stored
from app.sim.index import Index, Stored
from app.sim.paths import with_path
from app.sim.step import Commit
from app.sim.world import Delivery, World

Watchers = Callable[[Draft, str, "Object | None", "Object | None"], list[str]]


class Stage(Struct, frozen=True):
    """Part of one request's handling that a reader sees as a step of its own."""

    commits: tuple[Commit, ...] = ()
    verb: str = ""
    """Empty for the request itself, else what the API server does of its own accord."""
    moment: str = ""
    object: Ref | None = None
    world: World | None = None
    """The world right after it; None where it is the last."""


class Answer(Struct, frozen=True):
    """The outcome, and the stages that led to it."""

    outcome: Outcome
    stages: tuple[Stage, ...] = (Stage(),)


class Api:
    """Handles requests against a draft; `watchers` names the processes that watch a kind."""

    def __init__(self, watchers: Watchers) -> None:
        self._watchers = watchers

    def handle(self, draft: Draft, process: str, request: Request) -> Answer:
        """Carry out one request of a process; refusals are outcomes, never exceptions."""
        if "kube-apiserver" in draft.down:
            return Answer(Outcome("unreachable", message="connection refused"))
        match request:
            case Create():
                return self._create(draft, process, request)
            case Update() | UpdateStatus():
                return self._update(draft, process, request)
            case PatchStatus():
                return self._patch_status(draft, process, request)
            case Patch():
                return self._patch(draft, process, request)
            case Bind():
                return self._bind(draft, process, request)
            case Delete():
                return self._delete(draft, process, request)

    def _create(self, draft: Draft, process: str, request: Create) -> Answer:
        obj = defaulted(request.object)
        meta = obj.metadata
        if not meta.name:
            owner = meta.controller
            per = owner.uid if owner else f"{obj.kind} {meta.namespace} {meta.generateName}"
            count = draft.counters.get(per, 0) + 1
            draft.counters = draft.counters.set(per, count)
            meta = replace(meta, name=meta.generateName + generated_suffix(per, count))
        ref = replace_meta(obj, meta).ref
        if draft.etcd.get(ref) is not None:
            return Answer(Outcome("already-exists", message=f'{ref.kind.lower()}s "{ref.name}" already exists'))
        born, version = draft.incarnations.get(ref, (0, 0))
        draft.incarnations = draft.incarnations.set(ref, (born + 1, version))
        meta = replace(meta, uid=uid_of(ref, born + 1), creationTimestamp=whole_second(draft.now), generation=1)
        obj = replace_meta(obj, meta)
        if isinstance(obj, Pod):
            obj = replace(obj, status=PodStatus(phase="Pending", qosClass=qos_class(obj.spec)))
        commit = self.commit(draft, process, ref, obj, manager(process))
        return Answer(Outcome("ok", obj), (Stage((commit,)),))

    def _update(self, draft: Draft, process: str, request: Update | UpdateStatus) -> Answer:
        wanted = request.object
        ref = wanted.ref
        held = draft.etcd.get(ref)
        if held is None or held.object.metadata.uid != wanted.metadata.uid:
            return not_found(ref)
        view: Index = draft.views.get(process, Index())
        known = view.get(ref)
        if known is None or known.version != held.version:
            return Answer(Outcome("conflict", held.object, "the object has been modified"))
        current: Any = held.object
        if isinstance(request, UpdateStatus):
            after = replace(current, status=wanted.status)  # type: ignore[union-attr]
            if isinstance(wanted, Deployment):
                # Its status strategy lets annotations through: the controller's revision travels so.
                meta = replace(current.metadata, annotations=wanted.metadata.annotations)
                after = replace(after, metadata=meta)
            return self._stored(draft, process, after, f"{manager(process)}/status")
        after = defaulted(replace(wanted, status=current.status) if hasattr(current, "status") else wanted)
        return self._stored(draft, process, bumped(current, after), manager(process))

    def _patch_status(self, draft: Draft, process: str, request: PatchStatus) -> Answer:
        wanted: Any = request.object
        held = draft.etcd.get(wanted.ref)
        if held is None or held.object.metadata.uid != wanted.metadata.uid:
            return not_found(wanted.ref)
        current: Any = held.object
        believed: Any = request.believed
        status = merged_status(current.status, believed.status, wanted.status)
        return self._stored(draft, process, replace(current, status=status), f"{manager(process)}/status")

    def _patch(self, draft: Draft, process: str, request: Patch) -> Answer:
        held = stored(draft, request.ref)
        if held is None:
            return not_found(request.ref)
        after: Any = held
        for path, value in request.changes:
            try:
                after = with_path(after, path, value)
            except KeyError as error:
                return Answer(Outcome("invalid", held, f"{request.ref} has no {error.args[0]}, along {path}"))
        return self._stored(draft, process, bumped(held, defaulted(after)), manager(process))

    def _bind(self, draft: Draft, process: str, request: Bind) -> Answer:
        pod = stored(draft, request.ref)
        if not isinstance(pod, Pod) or pod.terminating:
            return not_found(request.ref)
        if pod.spec.nodeName:
            return Answer(Outcome("conflict", pod, f"pod {pod.metadata.name} is already assigned"))
        scheduled = Condition("PodScheduled", "True", lastTransitionTime=whole_second(draft.now))
        others = tuple(row for row in pod.status.conditions if row.type != "PodScheduled")
        after = replace(
            pod,
            spec=replace(pod.spec, nodeName=request.node),
            status=replace(pod.status, conditions=(*others, scheduled)),
        )
        return self._stored(draft, process, after, "")

    def _delete(self, draft: Draft, process: str, request: Delete) -> Answer:
        held = draft.etcd.get(request.ref)
        if held is None or (request.uid and held.object.metadata.uid != request.uid):
            return not_found(request.ref)
        obj = held.object
        stages = [Stage(world=draft.freeze())]
        grace = graces.api_delete_grace(obj, request.grace) if isinstance(obj, Pod) else 0
        marked = marked_for_deletion(obj, grace, draft.now)
        if marked != obj and (isinstance(obj, Pod) or obj.metadata.finalizers):
            commit = self.commit(draft, process, obj.ref, marked, "")
            moment = "grace-shortened" if obj.metadata.deletionTimestamp is not None else "deletion-timestamp-set"
            stages.append(Stage((commit,), "mark-terminating", moment, obj.ref, draft.freeze()))
        if removable(marked):
            stages.append(self._remove(draft, process, marked))
        return Answer(Outcome("ok", marked), tuple(stages))

    def _stored(self, draft: Draft, process: str, after: Object, writer: str) -> Answer:
        held = stored(draft, after.ref)
        if held == after:
            return Answer(Outcome("ok", after))
        commit = self.commit(draft, process, after.ref, after, writer)
        if not removable(after):
            return Answer(Outcome("ok", after), (Stage((commit,)),))
        written = Stage((commit,), world=draft.freeze())
        return Answer(Outcome("ok", after), (written, self._remove(draft, process, after)))

    def _remove(self, draft: Draft, process: str, obj: Object) -> Stage:
        commit = self.commit(draft, process, obj.ref, None, "")
        return Stage((commit,), "remove", "object-removed", obj.ref)

    def commit(self, draft: Draft, process: str, ref: Ref, after: Object | None, writer: str) -> Commit:
        """Store one version (None removes), let its writer believe it, and send it to everybody who watches."""
        before = draft.etcd.get(ref)
        born, last = draft.incarnations.get(ref, (1, 0))
        version = (before.version if before else last) + 1
        now_stored = None if after is None else Stored(version, after)
        if now_stored is None:
            draft.etcd = draft.etcd.drop(ref)
            draft.incarnations = draft.incarnations.set(ref, (born, version))
            if process:
                forget(draft, process, ref, before)
        else:
            draft.etcd = draft.etcd.put(now_stored)
            if process:
                believe(draft, process, now_stored)
        old = before.object if before else None
        delivery = Delivery(ref, before, now_stored, draft.now)
        for watcher in self._watchers(draft, ref.kind, old, after):
            send(draft, watcher, delivery)
        return Commit(ref, old, after, writer)


def not_found(ref: Ref) -> Answer:
    """The API server's 404."""
    return Answer(Outcome("not-found", message=f'{ref.kind.lower()}s "{ref.name}" not found'))


def manager(process: str) -> str:
    """The field manager of a process: its name without the node."""
    return process.split("/", 1)[0]


def removable(obj: Object) -> bool:
    """Whether nothing holds an object that is being deleted: no finalizer, and for a pod no grace either."""
    meta = obj.metadata
    if meta.deletionTimestamp is None or meta.finalizers:
        return False
    return not isinstance(obj, Pod) or meta.deletionGracePeriodSeconds == 0


def marked_for_deletion(obj: Object, grace: int, now: int) -> Object:
    """The object with deletionTimestamp and grace set, as `rest.BeforeDelete` does; a second one may only shorten."""
    meta = obj.metadata
    if meta.deletionTimestamp is None:
        deletion: graces.Deletion | None = graces.first_deadline(grace, now)
    else:
        held = graces.Deletion(meta.deletionTimestamp, meta.deletionGracePeriodSeconds or 0)
        deletion = graces.shortened_deadline(held, grace, now)
    if deletion is None:
        return obj
    changed = replace(
        meta,
        deletionTimestamp=deletion.timestamp,
        deletionGracePeriodSeconds=deletion.grace,
        generation=meta.generation + 1,
    )
    return replace_meta(obj, changed)


def replace_meta(obj: Object, meta: ObjectMeta) -> Object:
    """The object with other metadata."""
    return replace(obj, metadata=meta)


def bumped(before: Any, after: Any) -> Object:
    """`after`, with the generation one up if the spec changed."""
    if getattr(before, "spec", None) == getattr(after, "spec", None):
        return after  # type: ignore[no-any-return]
    return replace_meta(after, replace(after.metadata, generation=before.metadata.generation + 1))


def merged_status(current: Any, believed: Any, wanted: Any) -> Any:
    """A strategic merge of what differs between `believed` and `wanted` into `current`; conditions merge by type."""
    changes = {
        name: getattr(wanted, name)
        for name in wanted.__struct_fields__
        if name != "conditions" and getattr(wanted, name) != getattr(believed, name)
    }
    before, held = _by_type(believed), _by_type(current)
    # What the writer did not change stays as it is stored; the order is the writer's ($setElementOrder).
    mine = tuple(row if before.get(row.type) != row else held.get(row.type, row) for row in wanted.conditions)
    known = {row.type for row in (*believed.conditions, *wanted.conditions)}
    others = tuple(row for row in current.conditions if row.type not in known)
    return replace(current, conditions=others + mine, **changes)


def _by_type(status: Any) -> dict[str, Condition]:
    return {row.type: row for row in status.conditions}


def uid_of(ref: Ref, born: int) -> str:
    """A uid that depends on nothing but the name and how often it was used."""
    digest = hashlib.sha256(f"{ref.kind}/{ref.path}#{born}".encode()).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-a{digest[17:20]}-{digest[20:32]}"
