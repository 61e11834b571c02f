"""Node lifecycle controller: each condition of a node that keeps pods away has its NoSchedule taint.

As doNoScheduleTaintingPass in pkg/controller/nodelifecycle. Not modelled: nodes that fall silent, and cordoned ones.
"""

from __future__ import annotations

from app.kube.meta import whole_second
from app.kube.nodes import Node, Taint
from app.kube.pressure_admission import TAINT_OF
from app.sim.acts import Act, Patch
from app.sim.loop import Loop, Turn, own_key


def reconcile(turn: Turn) -> Act | None:
    """The taints that follow from what the node says of itself."""
    node = turn.read(Node, turn.key)
    if node is None:
        return None
    pressed = {row.type for row in node.status.conditions if row.status == "True"}
    wanted = [key for type_, key in TAINT_OF.items() if type_ in pressed]
    owned = [row for row in node.spec.taints if row.key in TAINT_OF.values() and row.effect == "NoSchedule"]
    missing = [key for key in wanted if key not in {row.key for row in owned}]
    needless = [row.key for row in owned if row.key not in wanted]
    if not missing and not needless:
        return None
    kept = tuple(row for row in node.spec.taints if row not in owned or row.key in wanted)
    added = tuple(Taint(key, "NoSchedule", timeAdded=whole_second(turn.now)) for key in missing)
    return Act(
        "taint-node" if missing else "untaint-node",
        node.ref,
        reason=", ".join(missing or needless),
        moment="node-tainted" if missing else "node-untainted",
        request=Patch(node.ref, (("spec.taints", (*kept, *added)),)),
    )


LOOP = Loop(
    name="node-lifecycle",
    lane="controller-manager",
    reconcile=reconcile,
    process="kube-controller-manager",
    wakes={"Node": own_key},
)
