"""The API server: versions, conflicts, finalizers, graceful deletion and watches.

Not modelled: authentication, authorisation and admission plugins other than the defaults; quota; field selectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from app.kube import grace as graces
from app.kube.batch import Job
from app.kube.config import ConfigMap
from app.kube.defaults import defaulted
from app.kube.jobs import with_selector
from app.kube.meta import Condition, Ref, whole_second
from app.kube.names import generated_suffix
from app.kube.nodes import Lease, LeaseSpec
from app.kube.objects import Object, resource_of
from app.kube.pods import Pod, PodStatus
from app.kube.qos import qos_class
from app.kube.workloads import Deployment
from app.sim.acts import (
    Bind,
    Create,
    Delete,
    Dial,
    Evict,
    Get,
    List,
    Outcome,
    Patch,
    PatchStatus,
    Renew,
    Request,
    Update,
    UpdateStatus,
)
from app.sim.admission import addressed, admitted
from app.sim.answers import Answer, Stage, not_found
from app.sim.dialling import dialled
from app.sim.draft import Draft, believe, forget, send, stored
from app.sim.eviction import evict
from app.sim.index import UNSEEN, Index, Stored
from app.sim.narration import narrated, told
from app.sim.paths import with_path
from app.sim.step import Commit
from app.sim.versions import bumped, marked_for_deletion, merged_status, removable, replace_meta, uid_of
from app.sim.world import Delivery

IMMUTABLE = "data: Forbidden: field is immutable when `immutable` is set"

Watchers = Callable[[Draft, str, "Object | None", "Object | None"], list[str]]


class Api:
    """Handles requests against a draft; `watchers` names the processes that watch a kind."""

    def __init__(self, watchers: Watchers) -> None:
        self._watchers = watchers

    def handle(self, draft: Draft, process: str, request: Request) -> Answer:
        """Carry out one request of a process; refusals are outcomes, never exceptions."""
        if "kube-apiserver" in draft.down or process in draft.cut:
            hangs = "kube-apiserver" in draft.frozen and process not in draft.cut
            return Answer(Outcome("unreachable", message="no answer in time" if hangs else "connection refused"))
        if draft.narrate_api and told(process, request, draft.narrate_api):
            return narrated(draft.freeze(), request, self._handle(draft, process, request))
        return self._handle(draft, process, request)

    def _handle(self, draft: Draft, process: str, request: Request) -> Answer:
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
                return self.delete(draft, process, request)
            case Evict():
                return evict(self, draft, process, request)
            case Renew():
                return self._renew(draft, process, request)
            case Get():
                return _got(draft, request.ref)
            case Dial():
                return dialled(draft, request.ref)
            case List():
                return Answer(Outcome("ok", objects=tuple(draft.etcd.find(request.word))))

    def _create(self, draft: Draft, process: str, request: Create) -> Answer:
        obj = defaulted(admitted(draft, request.object))
        meta = obj.metadata
        if not meta.name:
            owner = meta.controller
            per = owner.uid if owner else f"{obj.kind} {meta.namespace} {meta.generateName}"
            count = draft.counters.get(per, 0) + 1
            draft.counters = draft.counters.set(per, count)
            meta = replace(meta, name=meta.generateName + generated_suffix(per, count))
        ref = replace_meta(obj, meta).ref
        if draft.etcd.get(ref) is not None:
            return Answer(Outcome("already-exists", message=f'{resource_of(ref.kind)} "{ref.name}" already exists'))
        born, version = draft.incarnations.get(ref, (0, 0))
        draft.incarnations = draft.incarnations.set(ref, (born + 1, version))
        meta = replace(meta, uid=uid_of(ref, born + 1), creationTimestamp=whole_second(draft.now))
        meta = replace(meta, generation=0 if isinstance(obj, Pod) and not draft.release.pod_generation else 1)
        obj = replace_meta(obj, meta)
        if isinstance(obj, Pod):
            obj = replace(obj, status=PodStatus(phase="Pending", qosClass=qos_class(obj.spec)))
        elif isinstance(obj, Job):
            obj = with_selector(obj, meta.uid)
        obj = addressed(draft, obj)
        commit = self.commit(draft, process, ref, obj, manager(process))
        return Answer(Outcome("ok", obj), (Stage((commit,)),))

    def _update(self, draft: Draft, process: str, request: Update | UpdateStatus) -> Answer:
        wanted = request.object
        ref = wanted.ref
        held = draft.etcd.get(ref)
        if held is None or held.object.metadata.uid != wanted.metadata.uid:
            return not_found(ref)
        view: Index = draft.views.get(process, UNSEEN)
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
            return self.stored(draft, process, after, f"{manager(process)}/status")
        after = defaulted(replace(wanted, status=current.status) if hasattr(current, "status") else wanted)
        return self.stored(draft, process, bumped(current, after), manager(process))

    def _patch_status(self, draft: Draft, process: str, request: PatchStatus) -> Answer:
        wanted: Any = request.object
        held = draft.etcd.get(wanted.ref)
        if held is None or held.object.metadata.uid != wanted.metadata.uid:
            return not_found(wanted.ref)
        current: Any = held.object
        believed: Any = request.believed
        status = merged_status(current.status, believed.status, wanted.status)
        return self.stored(draft, process, replace(current, status=status), f"{manager(process)}/status")

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
        if isinstance(held, ConfigMap) and held.immutable and after != held:
            return Answer(Outcome("invalid", held, f'ConfigMap "{held.metadata.name}" is invalid: {IMMUTABLE}'))
        return self.stored(draft, process, bumped(held, defaulted(after)), manager(process))

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
            status=replace(pod.status, conditions=(*others, scheduled), nominatedNodeName=""),
        )
        return self.stored(draft, process, after, "")

    def delete(self, draft: Draft, process: str, request: Delete) -> Answer:
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

    def _renew(self, draft: Draft, process: str, request: Renew) -> Answer:
        lease = stored(draft, request.ref)
        if not isinstance(lease, Lease):
            return not_found(request.ref)
        renewed = Lease(
            lease.metadata, LeaseSpec(lease.spec.holderIdentity, lease.spec.leaseDurationSeconds, draft.now)
        )
        commit = self.commit(draft, process, request.ref, renewed, manager(process))
        return Answer(Outcome("ok", renewed), (Stage((commit,)),))

    def stored(self, draft: Draft, process: str, after: Object, writer: str) -> Answer:
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
            draft.etcd = draft.etcd.put(now_stored, ref)
            if process:
                believe(draft, process, ref, now_stored)
        old = before.object if before else None
        delivery = Delivery(ref, before, now_stored, draft.now)
        for watcher in self._watchers(draft, ref.kind, old, after):
            send(draft, watcher, delivery)
        return Commit(ref, old, after, writer)


def _got(draft: Draft, ref: Ref) -> Answer:
    found = stored(draft, ref)
    return not_found(ref) if found is None else Answer(Outcome("ok", found))


def manager(process: str) -> str:
    """The field manager of a process: its name without the node."""
    return process.split("/", 1)[0]
