"""Services and EndpointSlices."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from app.kube.meta import ObjectMeta, Ref
from app.kube.stringmap import EMPTY, StringMap

SERVICE_NAME_LABEL = "kubernetes.io/service-name"


class ServicePort(Struct, frozen=True, omit_defaults=True):
    port: int
    name: str = ""
    protocol: str = "TCP"
    targetPort: int | str | None = None
    nodePort: int | None = None


class ServiceSpec(Struct, frozen=True, omit_defaults=True):
    selector: StringMap = EMPTY
    ports: tuple[ServicePort, ...] = ()
    type: str = ""
    clusterIP: str = ""
    publishNotReadyAddresses: bool = False
    internalTrafficPolicy: str = ""
    externalTrafficPolicy: str = ""

    @property
    def headless(self) -> bool:
        return self.clusterIP == "None"


class Service(Struct, frozen=True, omit_defaults=True):
    kind: ClassVar[str] = "Service"
    apiVersion: ClassVar[str] = "v1"
    metadata: ObjectMeta
    spec: ServiceSpec = ServiceSpec()

    @property
    def ref(self) -> Ref:
        return Ref("Service", self.metadata.namespace, self.metadata.name)


class EndpointConditions(Struct, frozen=True):
    """nil ready or serving counts as true, nil terminating as false (discovery/v1)."""

    ready: bool | None = None
    serving: bool | None = None
    terminating: bool | None = None


class ObjectReference(Struct, frozen=True, omit_defaults=True):
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""


class HintedPlace(Struct, frozen=True, omit_defaults=True):
    """A zone or node that an endpoint is meant for."""

    name: str


class EndpointHints(Struct, frozen=True, omit_defaults=True):
    forZones: tuple[HintedPlace, ...] = ()
    forNodes: tuple[HintedPlace, ...] = ()


class Endpoint(Struct, frozen=True, omit_defaults=True):
    addresses: tuple[str, ...]
    conditions: EndpointConditions = EndpointConditions()
    targetRef: ObjectReference | None = None
    nodeName: str = ""
    zone: str = ""
    hints: EndpointHints | None = None


class EndpointPort(Struct, frozen=True, omit_defaults=True):
    port: int | None = None
    name: str = ""
    protocol: str = "TCP"


class EndpointSlice(Struct, frozen=True, omit_defaults=True):
    kind: ClassVar[str] = "EndpointSlice"
    apiVersion: ClassVar[str] = "discovery.k8s.io/v1"
    metadata: ObjectMeta
    addressType: str = "IPv4"
    endpoints: tuple[Endpoint, ...] = ()
    ports: tuple[EndpointPort, ...] = ()

    @property
    def ref(self) -> Ref:
        return Ref("EndpointSlice", self.metadata.namespace, self.metadata.name)

    @property
    def service(self) -> str:
        """The name of the Service that this slice belongs to."""
        return self.metadata.labels.get(SERVICE_NAME_LABEL) or ""
