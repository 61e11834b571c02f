"""A set of API objects that can be looked up by owner, node, namespace and labels."""

from __future__ import annotations

from msgspec import Struct

from app.kube.affinity import repelled
from app.kube.meta import LabelSelector, Ref
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.stringmap import StringMap
from app.sim.maps import EMPTY, Map, ordered_keys

NOMINATED = "Pod nominated to a node"
AVERSE = "Pod with anti-affinity"


class Stored(Struct, frozen=True, gc=False):
    """One version of one object. Versions count per object, so that orders of unrelated writes meet."""

    version: int
    object: Object


class Index(Struct, frozen=True, gc=False):
    """What etcd holds, or what one process has seen of it."""

    objects: Map[Ref, Stored] = EMPTY
    by: Map[str, Map[Ref, None]] = EMPTY

    def get(self, ref: Ref) -> Stored | None:
        """The stored version of `ref`, or None."""
        return self.objects.get(ref)

    def find(self, word: str) -> list[Object]:
        """The objects under one index word (see `words`), ordered by reference."""
        refs = self.by.get(word)
        return [self.objects[ref].object for ref in ordered_keys(refs)] if refs else []

    def put(self, stored: Stored, ref: Ref | None = None) -> Index:
        """With `stored` in place of any earlier version; whoever has its reference at hand spares making it anew."""
        ref = ref or stored.object.ref
        before = self.objects.get(ref)
        objects = self.objects.set(ref, stored)
        if before is not None and _same_words(before.object, stored.object):
            return Index(objects, self.by)
        by = self.by
        old, new = (words(before.object) if before else ()), words(stored.object)
        for word in old:
            if word not in new:
                by = _take(by, word, ref)
        for word in new:
            if word not in old:
                by = by.set(word, by.get(word, EMPTY).set(ref, None))
        return Index(objects, by)

    def drop(self, ref: Ref) -> Index:
        """Without `ref`."""
        before = self.objects.get(ref)
        if before is None:
            return self
        by = self.by
        for word in words(before.object):
            by = _take(by, word, ref)
        return Index(self.objects.delete(ref), by)


UNSEEN = Index()
"""What a process believes that has seen nothing yet."""


def words(obj: Object) -> tuple[str, ...]:
    """The index words of an object: its kind, and kind with namespace, owner, node and each label."""
    kind, meta = obj.kind, obj.metadata
    found = [kind, in_namespace(kind, meta.namespace)]
    found += [owned(kind, owner.uid) for owner in meta.ownerReferences if owner.controller]
    found += [labelled(kind, meta.namespace, key, value) for key, value in meta.labels.items()]
    if isinstance(obj, Pod):
        # Pods without a node stand under the empty name, where the scheduler finds them.
        found.append(on_node(obj.spec.nodeName))
        if obj.status.nominatedNodeName:
            found.append(NOMINATED)
        if repelled(obj.spec):
            found.append(AVERSE)
    return tuple(found)


def in_namespace(kind: str, namespace: str) -> str:
    return f"{kind} in {namespace}"


def owned(kind: str, uid: str) -> str:
    return f"{kind} of {uid}"


def labelled(kind: str, namespace: str, key: str, value: str) -> str:
    return f"{kind} in {namespace} with {key}={value}"


def on_node(node: str) -> str:
    return f"Pod on {node}"


def selected(index: Index, kind: str, namespace: str, selector: StringMap) -> list[Object]:
    """Objects whose labels hold every pair of a non-empty selector; an empty one finds nothing here."""
    pairs = selector.items()
    if not pairs:
        return []
    fewest = min(
        (labelled(kind, namespace, key, value) for key, value in pairs), key=lambda word: len(index.by.get(word, EMPTY))
    )
    return [obj for obj in index.find(fewest) if selector.selects(obj.metadata.labels)]


def matching(index: Index, kind: str, namespace: str, selector: LabelSelector) -> list[Object]:
    """Objects of a namespace that a label selector selects; an empty one selects all."""
    if not selector.matchLabels:
        found = index.find(in_namespace(kind, namespace))
    else:
        found = selected(index, kind, namespace, selector.matchLabels)
    return [obj for obj in found if selector.selects(obj.metadata.labels)]


def _same_words(old: Object, new: Object) -> bool:
    if isinstance(old, Pod) and isinstance(new, Pod) and _place(old) != _place(new):
        return False
    a, b = old.metadata, new.metadata
    return a is b or (a.labels == b.labels and a.ownerReferences == b.ownerReferences)


def _place(pod: Pod) -> tuple[str, bool]:
    return pod.spec.nodeName, bool(pod.status.nominatedNodeName)


def _take(by: Map[str, Map[Ref, None]], word: str, ref: Ref) -> Map[str, Map[Ref, None]]:
    rest = by[word].delete(ref)
    return by.set(word, rest) if rest else by.delete(word)
