"""The arrows of the map: clients' traffic, rules that lead astray, the step's message and its cause."""

from __future__ import annotations

from app.diagram.layout.plan import EDGE
from app.diagram.layout.routing import Points, Spot, route
from app.diagram.metrics import fitted, width
from app.diagram.shapes import Box, Group, Label, arrow, box, label, name_for
from app.diagram.views import ClusterView, Message, NodeCard, Traffic

MESSAGE, CAUSE, ASTRAY = 5, -5, 13
"""Shifts that keep the kinds of arrows apart where they share a channel."""


def busy_boxes(view: ClusterView) -> dict[str, str]:
    """Ids of the boxes that a message goes between."""
    found = {}
    for message in (view.cause, view.message):
        if message is not None:
            found |= {message.sender: f"busy {message.state}", message.receiver: f"busy {message.state}"}
    return found


def message(prefix: str, view: Message, spots: dict[str, Spot]) -> Group | None:
    """An arrow from border to border; None where sender and receiver are one box or not drawn."""
    if view.sender == view.receiver or view.sender not in spots or view.receiver not in spots:
        return None
    points = route(spots[view.sender], spots[view.receiver], CAUSE if view.state == "cause" else MESSAGE)
    return _group(prefix, view.id, f"arrow k-{view.kind} {view.state}", points, view.text)


def _group(prefix: str, id: str, look: str, points: Points, title: str, *labels: Label, boxes: tuple[Box, ...] = ()) -> Group:
    return Group(id=name_for(prefix, id), look=look, title=title, lines=arrow(points, "flow"), labels=labels, boxes=boxes)


def traffic(prefix: str, card: NodeCard, state: Traffic, points: Points, look: str, room: float) -> Group:
    """From the clients to a node's rules, and what they meet there in words: on the right, or left if `room` < 0."""
    note = fitted(state.note, "t-note", abs(room) / 1.05)
    x, y, anchor = points[0][0], points[0][1] - 9, "start" if room > 0 else "end"
    words = [label(x + (7 if room > 0 else -7), y, note, "t-note note", anchor)] if note else []
    look = f"traffic {state.state} {look}".strip()
    return _group(prefix, f"traffic-{card.name}", look, points, state.title, *words)


def astray(prefix: str, card: NodeCard, state: Traffic, rules: Spot, spots: dict[str, Spot], corridor: float) -> list[Group]:
    """From rules to each pod that they lead to in vain."""
    found = []
    for dead in state.dead:
        if dead in spots:
            points = _to_dead(rules, spots[dead], corridor)
            found.append(_group(prefix, f"astray-{card.name}-{dead}", "astray", points, state.title))
    return found


def _to_dead(rules: Spot, dead: Spot, corridor: float) -> Points:
    """Through the gutter between two neighbours, or below the nodes where others lie between."""
    if rules.home == dead.home:
        side = "right" if dead.right is not None else "left"
        channel = (dead.right if side == "right" else dead.left) or dead.x
        start, end = rules.border(side, 0), dead.border(side, ASTRAY)
        return [start, (channel, start[1]), (channel, end[1]), end]
    # A pod in the inner of two columns is reached from the side of its own frame only.
    leftwards = dead.x < rules.x
    start = rules.border("left", 8)
    out = rules.gutter
    if leftwards and dead.right is not None and _next_to(dead, rules):
        end = dead.border("right", ASTRAY)
        return [start, (out, start[1]), (out, end[1]), end]
    end = dead.border("left" if dead.left is not None else "right", ASTRAY)
    if out == dead.gutter:
        return [start, (out, start[1]), (out, end[1]), end]
    return [start, (out, start[1]), (out, corridor), (dead.gutter, corridor), (dead.gutter, end[1]), end]


def _next_to(dead: Spot, rules: Spot) -> bool:
    """Whether the gutter left of the rules' node is the one right of the dead pod's."""
    return 0 < rules.gutter - (dead.x + dead.width) < 40 and dead.corridor == rules.corridor


def clients(prefix: str, view: ClusterView, x: float, y: float, wide: float, high: float, busy: str) -> Group:
    """The clients' box with their rate and what fails of it."""
    start = 14 + width(view.clients_name, "t-head") + 14
    parts = view.clients.split(" · ")
    labels = [label(14, 24 if high <= 42 else 22, view.clients_name, "t-head")]
    if high <= 42:
        labels.append(label(start, 24, fitted(view.clients, "t-text", wide - start - 12), "t-text note"))
    else:
        labels.append(label(start, 22, fitted(parts[0], "t-text", wide - start - 12), "t-text"))
        labels.append(label(14, 40, fitted(" · ".join(parts[1:]), "t-text", wide - 26), "t-text note"))
    look = f"clients {view.clients_state} {busy}".strip()
    return Group(
        id=name_for(prefix, "clients"),
        look=look,
        x=x,
        y=y,
        title=view.clients,
        boxes=(box(0, 0, wide, high, "frame", 12),),
        labels=tuple(part for part in labels if part.text),
    )


def caption(prefix: str, view: ClusterView, wide: float) -> Group:
    """One line above the map: the step in words."""
    text = fitted(view.caption, "t-text", wide - 2 * EDGE)
    return Group(
        id=name_for(prefix, "caption"),
        look=f"caption k-{view.caption_kind}",
        title=view.caption,
        labels=(label(EDGE, 14, text, "t-text"),),
    )
