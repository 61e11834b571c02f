"""Nodes and their Leases."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from app.kube.meta import Condition, ObjectMeta, Ref
from app.kube.stringmap import EMPTY, StringMap


class Taint(Struct, frozen=True, omit_defaults=True):
    key: str
    effect: str
    value: str = ""
    timeAdded: int | None = None


class NodeSpec(Struct, frozen=True, omit_defaults=True):
    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()
    podCIDR: str = ""
    providerID: str = ""


class NodeAddress(Struct, frozen=True, omit_defaults=True):
    type: str
    address: str


class NodeSystemInfo(Struct, frozen=True, omit_defaults=True):
    kubeletVersion: str = ""
    osImage: str = ""
    kernelVersion: str = ""
    architecture: str = ""
    containerRuntimeVersion: str = ""


class AttachedVolume(Struct, frozen=True, omit_defaults=True):
    name: str
    devicePath: str = ""


class NodeStatus(Struct, frozen=True, omit_defaults=True):
    capacity: StringMap = EMPTY
    allocatable: StringMap = EMPTY
    conditions: tuple[Condition, ...] = ()
    addresses: tuple[NodeAddress, ...] = ()
    nodeInfo: NodeSystemInfo = NodeSystemInfo()
    volumesAttached: tuple[AttachedVolume, ...] = ()
    """What the attach-detach controller has brought here."""
    volumesInUse: tuple[str, ...] = ()
    """What the kubelet needs, or has not let go of yet."""


class Node(Struct, frozen=True, omit_defaults=True):
    kind: ClassVar[str] = "Node"
    apiVersion: ClassVar[str] = "v1"
    metadata: ObjectMeta
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()

    @property
    def ref(self) -> Ref:
        return Ref("Node", "", self.metadata.name)


LEASES = "kube-node-lease"
"""The namespace of the nodes' Leases."""


class LeaseSpec(Struct, frozen=True, gc=False, omit_defaults=True):
    holderIdentity: str = ""
    leaseDurationSeconds: int = 40
    renewTime: int | None = None
    leaseTransitions: int = 0
    """How often another holder has taken it."""


class Lease(Struct, frozen=True, gc=False, omit_defaults=True):
    kind: ClassVar[str] = "Lease"
    apiVersion: ClassVar[str] = "coordination.k8s.io/v1"
    metadata: ObjectMeta
    spec: LeaseSpec = LeaseSpec()

    @property
    def ref(self) -> Ref:
        return Ref("Lease", self.metadata.namespace, self.metadata.name)
