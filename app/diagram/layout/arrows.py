"""The arrows of the map: clients' traffic, rules that lead astray, the step's message and its cause."""

from __future__ import annotations

from msgspec.structs import replace

from app.diagram.layout.panels import Pen, Rect
from app.diagram.layout.plan import CLIENTS, EDGE
from app.diagram.layout.routing import Points, Spot, route
from app.diagram.metrics import fitted, width, wrapped
from app.diagram.shapes import Group, Label, arrow, label, name_for
from app.diagram.views import ClusterView, Message, NodeCard

MESSAGE, CAUSE, ASTRAY = 5, -5, 13
"""Shifts that keep the kinds of arrows apart where they share a channel."""


def busy_boxes(view: ClusterView) -> dict[str, str]:
    """Ids of the boxes that a message goes between."""
    found: dict[str, str] = {}
    for message in (view.cause, view.message):
        if message is not None:
            found |= {message.sender: f"busy {message.state}", message.receiver: f"busy {message.state}"}
    return found


def message(pen: Pen, view: Message, spots: dict[str, Spot], apart: float = 1) -> Group | None:
    """An arrow from border to border; None where sender and receiver are one box or not drawn."""
    if view.sender == view.receiver or view.sender not in spots or view.receiver not in spots:
        return None
    shift = apart * (CAUSE if view.state == "cause" else MESSAGE)
    points = route(spots[view.sender], spots[view.receiver], shift)
    return _group(pen, view.id, f"arrow k-{view.kind} {view.state}", points, view.text)


def _group(pen: Pen, id: str, look: str, points: Points, title: str, *labels: Label) -> Group:
    return Group(id=name_for(pen.prefix, id), look=look, title=title, lines=arrow(points, "flow"), labels=labels)


def traffic(pen: Pen, card: NodeCard, points: Points, room: float) -> list[Group]:
    """From the clients to a node's rules; on the right of its foot, where there is room, what they meet there."""
    state = card.traffic
    if state is None:
        return []
    x, y = points[0]
    lines = wrapped(state.note, "t-words", room, 2) if state.note and room else ()
    first = y - 9 - 11 * (len(lines) - 1)
    words = [label(x + 7, first + 11 * at, text, "t-words note") for at, text in enumerate(lines)]
    id = f"traffic-{card.name}"
    look = f"traffic {state.state} {pen.busy.get(id, '')}".strip()
    return [_group(pen, id, look, points, state.title, *words)]


def astray(pen: Pen, card: NodeCard, rules: Spot, spots: dict[str, Spot], corridor: float) -> list[Group]:
    """From rules to each pod that they lead to in vain."""
    state = card.traffic
    drawn = [dead for dead in state.dead if dead in spots] if state is not None else []
    title = state.title if state is not None else ""
    return [
        _group(pen, f"astray-{card.name}-{dead}", "astray", _to_dead(rules, spots[dead], corridor), title)
        for dead in drawn
    ]


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


def clients(pen: Pen, view: ClusterView, at: Rect) -> Group:
    """The clients' box with their rate and what fails of it, in one line or two."""
    start = 14 + width(view.clients_name, "t-head") + 14
    rate, _, failing = view.clients.partition(" · ")
    one, room = at.height <= CLIENTS, at.width - 12
    labels = [label(14, 24 if one else 22, view.clients_name, "t-head")]
    if one:
        labels.append(label(start, 24, fitted(view.clients, "t-text", room - start), "t-text note"))
    else:
        labels.append(label(start, 22, fitted(rate, "t-text", room - start), "t-text"))
        lines = wrapped(failing, "t-text", room - 14, 2)
        labels += [label(14, 40 + 14 * at, text, "t-text note") for at, text in enumerate(lines)]
    words = [part for part in labels if part.text]
    group = pen.frame("clients", f"clients {view.clients_state}", at, words)
    return replace(group, title=view.clients)


def caption(pen: Pen, view: ClusterView, wide: float) -> Group:
    """Above the map: the step in words, in one line if it fits."""
    lines = wrapped(view.caption, "t-strong", wide - 2 * EDGE, 2)
    return Group(
        id=name_for(pen.prefix, "caption"),
        look=f"caption k-{view.caption_kind}",
        title=view.caption,
        labels=tuple(label(EDGE, 12 + 13 * at, text, "t-strong") for at, text in enumerate(lines)),
    )
