"""References to objects as people write them, `kind/[ns/]name`, and the objects that they mean."""

from __future__ import annotations

import re

from app.errors import BadInput
from app.kube.meta import DEFAULT_NAMESPACE, Ref
from app.kube.names import generated_suffix
from app.kube.near_names import did_you_mean
from app.kube.objects import KIND_BY_WORD, KINDS, ref_of
from app.sim.draft import Draft

_ORDINAL = re.compile(r"\d{1,6}", re.ASCII)


def parse_ref(text: str) -> Ref:
    """`kind/[ns/]name` as a reference."""
    kind, _, rest = text.partition("/")
    namespace, _, name = rest.rpartition("/")
    if kind.lower() not in KIND_BY_WORD or not name:
        kinds = ", ".join(sorted(word.lower() for word in KINDS))
        near = did_you_mean(kind.lower(), KIND_BY_WORD)
        raise BadInput([f"reference {text!r}: the form is kind/[namespace/]name, with kind one of {kinds}{near}"])
    return ref_of(KIND_BY_WORD[kind.lower()], namespace or DEFAULT_NAMESPACE, name)


def resolve(draft: Draft, text: str) -> Ref:
    """A reference; `pod/web-2` also means the second pod that workload `web` made, as its generated name is long."""
    ref = parse_ref(text)
    if ref.kind != "Pod" or draft.etcd.get(ref) is not None:
        return ref
    base, _, ordinal = ref.name.rpartition("-")
    if not base or not _ORDINAL.fullmatch(ordinal):
        return ref
    for pod in draft.etcd.find(f"Pod in {ref.namespace}"):
        owner = pod.metadata.controller
        if owner is None or pod.metadata.name != f"{owner.name}-{generated_suffix(owner.uid, int(ordinal))}":
            continue
        if owner.name == base or _made_by(draft, ref.namespace, owner.name, base):
            return pod.ref
    return ref


def _made_by(draft: Draft, namespace: str, replica_set: str, deployment: str) -> bool:
    held = draft.etcd.get(Ref("ReplicaSet", namespace, replica_set))
    owner = held.object.metadata.controller if held else None
    return owner is not None and owner.name == deployment
