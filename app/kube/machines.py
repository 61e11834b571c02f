"""A node's machine and the settings of its kubelet, as its Node and the annotations on it tell."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from app.errors import BadInput
from app.kube import eviction_thresholds, machine_grammar, quantity
from app.kube.annotations import PREFIX, Fault
from app.kube.behaviour import Point
from app.kube.eviction_thresholds import DEFAULT_HARD, DEFAULT_TRANSITION, MEMORY, NODEFS, Threshold
from app.kube.nodes import Node
from app.kube.stringmap import StringMap

CAPACITY = StringMap({"cpu": "4", "memory": "8Gi", "ephemeral-storage": "100Gi", "pods": "110"})
"""Of a node that does not say what it has."""


class Machine(Struct, frozen=True):
    """What is there in bytes, what uses it besides pods (counted from t = 0), and when its kubelet calls it short."""

    memory: int = quantity.value("8Gi")
    disk: int = quantity.value("100Gi")
    image_disk: int | None = None
    """The size of a disk of its own for images and writable layers; None where there is one disk."""
    system_memory: tuple[Point, ...] = ()
    system_disk: tuple[Point, ...] = ()
    images: tuple[tuple[str, int], ...] = ()
    """Images that lie there at the start, with their sizes; others weigh nothing."""
    reserved: int = 0
    """Memory that pods together may not use."""
    single_kill: bool = False
    """singleProcessOOMKill: the kernel ends one process of a container, not all."""
    thresholds: tuple[Threshold, ...] = ()
    transition: int = DEFAULT_TRANSITION
    longest_grace: int = 0
    """evictionMaxPodGracePeriod in seconds."""
    eviction_tick: int | None = None
    """The eviction manager looks at instants that are so many milliseconds past a whole ten seconds."""
    cni: str = "ok"
    """What the network plugin does: ok, failing, no-addresses, or not-ready (there is none yet)."""
    status_tick: int | None = None
    """The same for the node's status."""
    off: bool = False
    """At the start it has not been turned on yet, and there is no Node of it."""
    lease_age: int | None = None
    """How long before t = 0 the kubelet renewed its Lease."""

    def image_size(self, image: str) -> int:
        return next((size for name, size in self.images if name == image), 0)


def check(annotations: StringMap) -> list[Fault]:
    """All faults in the annotations of a Node."""
    found = [Fault(key, text) for key, text in machine_grammar.faults(annotations)]
    if not found:
        try:
            _settings(annotations)
        except ValueError as error:
            found = [Fault(f"{PREFIX}eviction-hard", str(error))]
    return found


def machine(node: Node) -> Machine:
    """The machine of a Node; BadInput lists every fault of its annotations."""
    problems = [f"{fault.annotation}: {fault.text}" for fault in check(node.metadata.annotations)]
    if problems:
        raise BadInput(problems)
    return _machine(node.metadata.annotations, node.status.capacity, node.status.allocatable)


@lru_cache(maxsize=4096)
def _machine(annotations: StringMap, given: StringMap, left: StringMap) -> Machine:
    capacity = CAPACITY.merged(given)
    values = machine_grammar.values(annotations)
    made = replace(
        _settings(annotations),
        memory=quantity.value(capacity["memory"]),
        disk=quantity.value(capacity["ephemeral-storage"]),
        image_disk=values.get("imagefs"),
        system_memory=values.get("memory", ()),
        system_disk=values.get("disk", ()),
        images=values.get("images", ()),
        cni=values.get("cni", "ok"),
        off=values.get("power") == "off",
        reserved=values.get("system-reserved", 0),
    )
    if "memory" in left and "system-reserved" not in values:
        # What a Node keeps from pods beyond the threshold, it must have reserved.
        kept = made.memory - quantity.value(left["memory"]) - _hard(made.thresholds, MEMORY, made.memory)
        made = replace(made, reserved=max(kept, 0))
    return made


def _settings(annotations: StringMap) -> Machine:
    """What the kubelet is told; ValueError where it would not start."""
    values = machine_grammar.values(annotations)
    softly = ("eviction-soft", "eviction-soft-grace-period", "eviction-minimum-reclaim")
    return Machine(
        # Whoever sets one hard threshold loses all that are not set.
        thresholds=eviction_thresholds.read(
            values.get("eviction-hard", DEFAULT_HARD),
            *(values.get(name, {}) for name in softly),
            enforces_pods=values.get("enforce-node-allocatable", "pods") == "pods",
        ),
        # Zero means the default.
        transition=values.get("eviction-pressure-transition-period", 0) or DEFAULT_TRANSITION,
        longest_grace=values.get("eviction-max-pod-grace-period", 0),
        single_kill=values.get("single-process-oom-kill") == "true",
        eviction_tick=values.get("eviction-tick"),
        status_tick=values.get("node-status-tick"),
        lease_age=values.get("lease-age"),
    )


CHANGEABLE = {"memory": "system_memory", "disk": "system_disk", "cni": "cni"}
"""What may change while the machine runs; all else its kubelet reads when it starts."""


def changes_faults(annotations: StringMap) -> list[Fault]:
    """What is wrong with changes of a machine that runs."""
    allowed = ", ".join(CHANGEABLE)
    fixed = [key for key in annotations if key.removeprefix(PREFIX) not in CHANGEABLE]
    return check(annotations) or [
        Fault(key, f"cannot be changed while the machine runs; allowed: {allowed}") for key in fixed
    ]


def changed(known: Machine, changes: Mapping[str, str]) -> Machine:
    """The machine with what uses it changed."""
    return replace(known, **{CHANGEABLE[name]: machine_grammar.READERS[name](text) for name, text in changes.items()})


def allocatable(known: Machine) -> dict[str, str]:
    """What the kubelet leaves to pods: all but what is reserved and what its hard thresholds keep free."""
    memory = known.memory - known.reserved - _hard(known.thresholds, MEMORY, known.memory)
    disk = known.disk - _hard(known.thresholds, NODEFS, known.disk)
    return {"memory": quantity.in_bytes(max(memory, 0)), "ephemeral-storage": quantity.in_bytes(max(disk, 0))}


def _hard(rows: tuple[Threshold, ...], signal: str, capacity: int) -> int:
    return max((row.amount.of(capacity) for row in rows if row.signal == signal and row.hard), default=0)
