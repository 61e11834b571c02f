"""What the scheduler knows of each node's pods and of a pod's neighbours, read when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from app.kube.affinity import attracted, repelled
from app.kube.meta import LabelSelector
from app.kube.neighbours import NOBODY, Neighbours, neighbours
from app.kube.nodes import Node
from app.kube.pods import Pod
from app.kube.scheduling import Load, load
from app.sim.loop import Turn

NONE: frozenset[str] = frozenset()


class Loads(Mapping[str, Load]):
    """What each node's pods take up, summed when it is asked for.

    A pod for which others made room counts there already, unless the new pod is the more important one.
    """

    def __init__(self, turn: Turn, pod: Pod) -> None:
        self._turn = turn
        self._known: dict[str, Load] = {}
        self._expected = expected(turn, pod)

    def __getitem__(self, node: str) -> Load:
        if node not in self._known:
            self._known[node] = load([*pods_on(self._turn, node), *self._expected.get(node, ())])
        return self._known[node]

    def __iter__(self) -> Iterator[str]:
        return iter(node.metadata.name for node in self._turn.all(Node))

    def __len__(self) -> int:
        return len(self._turn.all(Node))


class Surroundings(NamedTuple):
    """All that one attempt to place a pod looks at."""

    nodes: Sequence[Node]
    loads: Loads
    others: Neighbours


def surroundings(turn: Turn, pod: Pod) -> Surroundings:
    nodes = turn.all(Node)
    return Surroundings(nodes, Loads(turn, pod), around(turn, pod, nodes))


def pods_on(turn: Turn, node: str) -> list[Pod]:
    return [pod for pod in turn.pods_on(node) if isinstance(pod, Pod)]


def expected(turn: Turn, pod: Pod) -> dict[str, list[Pod]]:
    """Pods nominated to nodes that this one must leave room for."""
    found: dict[str, list[Pod]] = {}
    for other in turn.nominated_pods():
        if not isinstance(other, Pod) or other.ref == pod.ref or other.spec.nodeName:
            continue
        if (other.spec.priority or 0) >= (pod.spec.priority or 0):
            found.setdefault(other.status.nominatedNodeName, []).append(other)
    return found


def around(turn: Turn, pod: Pod, nodes: Sequence[Node], without: frozenset[str] = NONE) -> Neighbours:
    """A pod's neighbours, if it or any of them cares; `without` are the uids of pods that would be gone."""
    averse = [row for row in turn.averse_pods() if isinstance(row, Pod) and _there(row, without)]
    spec = pod.spec
    if not (averse or attracted(spec) or repelled(spec) or spec.topologySpreadConstraints):
        return NOBODY

    def selecting(namespace: str, selector: LabelSelector) -> list[Pod]:
        return [row for row in turn.matching(Pod, namespace, selector) if _there(row, without)]

    return neighbours(pod, {node.metadata.name: node for node in nodes}, selecting, averse, nodes)


def _there(pod: Pod, without: frozenset[str]) -> bool:
    return bool(pod.spec.nodeName) and not pod.finished and pod.metadata.uid not in without
