"""Node lifecycle controller, first part: NoSchedule taints follow a node's conditions, and a cordon, at once.

As doNoScheduleTaintingPass in pkg/controller/nodelifecycle: one worker of eight looks at each node that has changed.
"""

from __future__ import annotations

from app.kube.node_health import scheduled_taints
from app.kube.nodes import Node
from app.sim.acts import Act, Patch
from app.sim.loop import Loop, Turn, own_key


def reconcile(turn: Turn) -> Act | None:
    """The taints that follow from what the node says of itself, and from whether it is cordoned."""
    node = turn.read(Node, turn.key)
    if node is None:
        return None
    taints = scheduled_taints(node, turn.now)
    if taints == node.spec.taints:
        return None
    missing = [row.key for row in taints if row not in node.spec.taints]
    needless = [row.key for row in node.spec.taints if row not in taints]
    return Act(
        "taint-node" if missing else "untaint-node",
        node.ref,
        reason=", ".join(missing or needless),
        moment="node-tainted" if missing else "node-untainted",
        request=Patch(node.ref, (("spec.taints", taints),)),
    )


LOOP = Loop(
    name="node-taints",
    lane="controller-manager",
    reconcile=reconcile,
    process="kube-controller-manager",
    wakes={"Node": own_key},
    on_start=lambda turn: [node.ref for node in turn.all(Node)],
)
