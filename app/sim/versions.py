"""What a request makes of an object: metadata of deletion, generations, merged statuses, uids."""

from __future__ import annotations

import hashlib
from typing import Any

from msgspec.structs import replace

from app.kube import grace as graces
from app.kube.meta import Condition, ObjectMeta, Ref
from app.kube.objects import Object
from app.kube.pods import Pod


def removable(obj: Object) -> bool:
    """Whether nothing holds an object that is being deleted: no finalizer, and for a pod no grace either."""
    meta = obj.metadata
    if meta.deletionTimestamp is None or meta.finalizers:
        return False
    return not isinstance(obj, Pod) or meta.deletionGracePeriodSeconds == 0


def marked_for_deletion(obj: Object, grace: int, now: int) -> Object:
    """The object with deletionTimestamp and grace set, as `rest.BeforeDelete`; a second delete may only shorten."""
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
        generation=_next(obj),
    )
    return replace_meta(obj, changed)


def replace_meta(obj: Object, meta: ObjectMeta) -> Object:
    """The object with other metadata."""
    return replace(obj, metadata=meta)


def bumped(before: Any, after: Any) -> Object:
    """`after`, with the generation one up if the spec changed."""
    if getattr(before, "spec", None) == getattr(after, "spec", None):
        return after  # type: ignore[no-any-return]
    return replace_meta(after, replace(after.metadata, generation=_next(before)))


def _next(obj: Object) -> int:
    """The generation after a change; a Pod that was created without one never has any."""
    known = obj.metadata.generation
    return 0 if isinstance(obj, Pod) and not known else known + 1


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
