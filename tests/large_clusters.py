"""Big clusters at rest, made without running their start: one small cluster that the loops made, repeated."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from app.kube.cluster_ips import cluster_ip
from app.kube.endpoints import pod_endpoint
from app.kube.manifests import read_manifests
from app.kube.meta import ObjectMeta, Ref
from app.kube.names import generated_suffix, template_hash
from app.kube.networking import Endpoint, EndpointSlice, Service
from app.kube.node_monitor import Bucket
from app.kube.nodes import Node
from app.kube.pods import Pod
from app.kube.stringmap import StringMap
from app.kube.workloads import Deployment, ReplicaSet
from app.sim.acts import Work
from app.sim.addresses import pod_address
from app.sim.engine import Model
from app.sim.heartbeats import with_heartbeats
from app.sim.host import Host, HostPod, Worker
from app.sim.index import Index, Stored, words
from app.sim.maps import Map
from app.sim.proxy_rules import Rules
from app.sim.start import at_rest, empty, ready
from app.sim.versions import uid_of
from app.sim.world import World

IMAGE = "app:v1"
SEED = """
{apiVersion: v1, kind: Node, metadata: {name: seed}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: "app:v1", readinessProbe: {httpGet: {port: 80}}}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
"""


class Size(NamedTuple):
    nodes: int
    pods_per_node: int = 30
    replicas: int = 300
    """Of each Deployment; each pod of a node is of another one, as far as there are enough."""

    @property
    def pods(self) -> int:
        return self.nodes * self.pods_per_node

    @property
    def deployments(self) -> int:
        return max(1, self.pods // self.replicas)


class Group(NamedTuple):
    """One Deployment and all that belongs to it."""

    objects: tuple[Stored, ...]
    pods: tuple[tuple[int, Stored], ...]
    """Each with the number of its node, from 1."""
    uid: str
    """Of the ReplicaSet, which counts the names that it has given."""
    service: str
    """The Service's uid: it has named a slice."""


def large(model: Model, size: Size) -> World:
    """A cluster at rest, whose nodes' signs of life are watched over."""
    nodes = [_node(number) for number in range(1, size.nodes + 1)]
    world = empty(nodes, images=(IMAGE,))
    seed = at_rest(model, read_manifests(SEED).objects, images=(IMAGE,))
    shown = [Stored(1, ready(node)) for node in nodes]
    groups = [_group(seed, size, number, shown) for number in range(size.deployments)]
    alone = [row for group in groups for row in group.objects]
    pods = [pair for group in groups for pair in group.pods]
    by_node: dict[str, list[Stored]] = {name: [] for name in world.nodes}
    for number, pod in pods:
        by_node[world.nodes[number - 1]].append(pod)
    everything = _index([*shown, *alone, *(pod for _, pod in pods)])
    routed = _index([row for row in alone if isinstance(row.object, Service | EndpointSlice)])
    views = {"kube-controller-manager": everything, "kube-scheduler": _index([*shown, *(pod for _, pod in pods)])}
    views["cloud-controller-manager"] = _index(shown)
    hosts = {}
    seeded = seed.hosts["seed"]
    proxied = _proxied(seeded, routed)
    for row in shown:
        name = row.object.metadata.name
        views |= {f"kubelet/{name}": _index([row, *by_node[name]]), f"kube-proxy/{name}": routed}
        host = replace(world.hosts[name], proxy=proxied.proxy)
        hosts[name] = _host(host, seeded, [pod.object for pod in by_node[name]])  # type: ignore[misc]
    born = {row.object.ref: (1, 0) for row in (*alone, *(pod for _, pod in pods))}
    world = replace(
        world,
        now=0,
        etcd=everything,
        views=Map(views),
        hosts=Map(hosts),
        incarnations=Map(born),
        counters=Map({group.uid: len(group.pods) for group in groups} | {group.service: 1 for group in groups}),
        # It has looked once whether a node is to be tainted.
        memory=Map({Work("node-lifecycle", "", Ref("Zone", "", "")): Bucket()}),
    )
    return with_heartbeats(world)


def _node(number: int) -> Node:
    return Node(metadata=ObjectMeta(name=f"node-{number:05}"))


def _index(rows: list[Stored]) -> Index:
    """As putting one after the other would make it."""
    by: dict[str, dict[Ref, None]] = {}
    objects = {}
    for row in rows:
        ref = row.object.ref
        objects[ref] = row
        for word in words(row.object):
            by.setdefault(word, {})[ref] = None
    return Index(Map(objects), Map({word: Map(refs) for word, refs in by.items()}))


# One Deployment.


def _group(seed: World, size: Size, number: int, nodes: list[Stored]) -> Group:
    held: dict[str, Any] = {row.object.kind: row for row in seed.etcd.objects.values() if row.object.kind != "Node"}
    name = f"web-{number:05}"
    renamed = _names(held, name)
    made = {kind: Stored(row.version, _recast(row.object, renamed)) for kind, row in held.items()}
    pods = tuple(_pods(made["Pod"], made["ReplicaSet"].object, size, number, nodes))
    count = len(pods)
    deployment = _sized(made["Deployment"], Deployment, count)
    replica_set = _annotated(_sized(made["ReplicaSet"], ReplicaSet, count), count)
    service = made["Service"].object
    endpoints = tuple(_endpoints([row.object for _, row in pods], service))
    sliced = Stored(made["EndpointSlice"].version, replace(made["EndpointSlice"].object, endpoints=endpoints))
    uids = replica_set.object.metadata.uid, service.metadata.uid
    return Group((deployment, replica_set, made["Service"], sliced), pods, *uids)


@cache
def _address(number: int) -> str:
    """The cluster IP of a group's Service; those before it have got theirs."""
    return cluster_ip("default", f"web-{number:05}", {_address(before) for before in range(number)})


def _names(held: dict[str, Any], name: str) -> dict[str, str]:
    """What each name and uid of the seed is called in another group."""
    deployment, replica_set = held["Deployment"].object, held["ReplicaSet"].object
    template = _recast(deployment.spec.template, {"web": name})
    old, new = replica_set.metadata.labels.get("pod-template-hash"), template_hash(template)
    renamed = {"web": name, old: new, replica_set.metadata.name: f"{name}-{new}", "web-": f"{name}-"}
    renamed[f"{replica_set.metadata.name}-"] = f"{name}-{new}-"
    for row in deployment.status.conditions:
        renamed[row.message] = row.message.replace(replica_set.metadata.name, f"{name}-{new}")
    renamed[held["Service"].object.spec.clusterIP] = _address(int(name.removeprefix("web-")))
    for row in (held["Deployment"], held["Service"], held["ReplicaSet"]):
        meta = row.object.metadata
        ref = Ref(row.object.kind, meta.namespace, renamed[meta.name])
        renamed[meta.uid] = uid_of(ref, 1)
    sliced = held["EndpointSlice"].object.metadata
    renamed[sliced.name] = f"{name}-{generated_suffix(renamed[held['Service'].object.metadata.uid], 1)}"
    renamed[sliced.uid] = uid_of(Ref("EndpointSlice", sliced.namespace, renamed[sliced.name]), 1)
    return renamed


def _pods(pod: Stored, owner: Any, size: Size, number: int, nodes: list[Stored]) -> Iterator[tuple[int, Stored]]:
    """The Deployment's share of all pods, which stand node by node in the order of their numbers."""
    template: Any = pod.object
    for count, at in enumerate(range(number, size.pods, size.deployments), 1):
        node, place = divmod(at, size.pods_per_node)
        on: Any = nodes[node].object
        name = f"{owner.metadata.name}-{generated_suffix(owner.metadata.uid, count)}"
        uid = uid_of(Ref("Pod", template.metadata.namespace, name), 1)
        made = replace(
            template,
            metadata=replace(template.metadata, name=name, uid=uid),
            spec=replace(template.spec, nodeName=on.metadata.name),
            status=replace(
                template.status, podIP=pod_address(node + 1, place + 1), hostIP=on.status.addresses[0].address
            ),
        )
        yield node + 1, Stored(pod.version, made)


def _annotated(row: Stored, count: int) -> Stored:
    """A Deployment tells its sets how many pods it wants, and how many there may be in a rollout."""
    obj: Any = row.object
    prefix = "deployment.kubernetes.io/"
    sizes = {f"{prefix}desired-replicas": str(count), f"{prefix}max-replicas": str(count + -(-count // 4))}
    return Stored(
        row.version, replace(obj, metadata=replace(obj.metadata, annotations=obj.metadata.annotations.merged(sizes)))
    )


def _sized(row: Stored, cls: type[Deployment | ReplicaSet], count: int) -> Stored:
    obj: Any = row.object
    assert isinstance(obj, cls)
    counts = {
        name: count
        for name in obj.status.__struct_fields__
        if name.endswith("eplicas") and isinstance(getattr(obj.status, name), int) and getattr(obj.status, name)
    }
    return Stored(
        row.version, replace(obj, spec=replace(obj.spec, replicas=count), status=replace(obj.status, **counts))
    )


def _endpoints(pods: list[Any], service: Any) -> Iterator[Endpoint]:
    for pod in sorted(pods, key=lambda row: row.ref):
        yield pod_endpoint(pod, service.spec)


def _recast(value: Any, names: dict[str, str]) -> Any:
    """The same with every text that is a name replaced."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, StringMap):
        return StringMap({key: names.get(text, text) for key, text in value.items()})
    if isinstance(value, Struct):
        fields = {name: _recast(getattr(value, name), names) for name in value.__struct_fields__}
        same = all(fields[name] is getattr(value, name) for name in fields)
        return value if same else replace(value, **fields)
    if type(value) is tuple:
        rows = tuple(_recast(row, names) for row in value)
        return value if all(one is other for one, other in zip(rows, value, strict=True)) else rows
    return value


# Machines.


def _proxied(host: Host, routed: Index) -> Host:
    """The proxy of a machine that has long synced all Services."""
    services = sorted(row.object.ref for row in routed.objects.values() if isinstance(row.object, Service))
    slices: list[Any] = sorted(
        (row.object for row in routed.objects.values() if isinstance(row.object, EndpointSlice)),
        key=lambda row: row.ref,
    )
    seen = tuple((ref, routed.objects[ref].version) for ref in (*services, *(row.ref for row in slices)))
    rules = {
        Ref("Service", row.metadata.namespace, row.service): Rules(
            tuple(sorted(address for one in row.endpoints for address in one.addresses))
        )
        for row in slices
    }
    return replace(host, proxy=replace(host.proxy, seen=seen, rules=Map(rules)))


def _host(host: Host, seeded: Host, pods: list[Pod]) -> Host:
    """The machine with its pods as the seed's one pod is there."""
    [(uid, there)] = seeded.pods.items()
    worker = seeded.workers[uid]
    placed = {pod.metadata.uid: _there(there, pod) for pod in pods}
    workers = {pod.metadata.uid: _known(worker, pod) for pod in pods}
    uids = {pod.ref: (pod.metadata.uid,) for pod in pods}
    return replace(
        host, pods=Map(placed), workers=Map(workers), uids=Map(uids), drawn=seeded.drawn, addresses=len(pods)
    )


def _there(there: HostPod, pod: Pod) -> HostPod:
    """As its kubelet took it on, without a status."""
    held = there.pod
    return replace(there, pod=replace(held, metadata=pod.metadata, spec=pod.spec), ip=pod.status.podIP)


def _known(worker: Worker, pod: Pod) -> Worker:
    return replace(worker, seen_ip=pod.status.podIP)
