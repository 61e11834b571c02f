"""One node of the map: its processes, its pods, and where its rules lead."""

from __future__ import annotations

from typing import NamedTuple

from app.diagram.layout.meters import meter_box, metered
from app.diagram.layout.panels import CHIP, Pen, Rect, list_height
from app.diagram.layout.plan import CORRIDOR, HEAD, METER, PAD, POD_METER, SHELF, Plan
from app.diagram.layout.routing import Spot
from app.diagram.metrics import fitted, tail_fitted, width
from app.diagram.shapes import Group, label
from app.diagram.views import Listing, NodeCard

BETWEEN = 18
"""Between kubelet and runtime, room for an arrow."""


class Placed(NamedTuple):
    groups: list[Group]
    spots: dict[str, Spot]
    rules: Spot
    """The box that clients' connections meet."""


class _Frame(NamedTuple):
    """What all boxes of one node share."""

    card: NodeCard
    pen: Pen
    plan: Plan
    x: float
    y: float
    corridor: float

    def spot(self, at: Rect, *, left: bool = True, right: bool = True) -> Spot:
        edge = self.x + self.plan.node_width
        return Spot(
            *at,
            self.card.id,
            left=self.x + PAD / 2 if left else None,
            right=edge - PAD / 2 if right else None,
            gutter=self.x - self.plan.gutter / 2,
            corridor=self.corridor,
            shelf=self.y + HEAD + CHIP + SHELF / 2,
        )


def node(card: NodeCard, pen: Pen, plan: Plan, x: float, y: float) -> Placed:
    """A node at its place; boxes keep their places whatever else is there."""
    frame = _Frame(card, pen, plan, x, y, y - CORRIDOR)
    whole = Rect(x, y, plan.node_width, plan.node_height)
    groups, spots = [_outline(frame, whole)], {card.id: frame.spot(whole, left=False, right=False)}
    _processes(frame, groups, spots)
    below = _pods(frame, groups, spots)
    if card.memory is not None and plan.meter:
        place = Rect(x + PAD, below - 6 - METER, plan.inner, METER)
        groups.append(meter_box(pen, card.memory, place))
        spots[card.memory.id] = frame.spot(place)
    proxy = Rect(x + PAD, below, plan.inner, CHIP)
    groups.append(pen.chip(card.proxy, proxy))
    spots[card.proxy.id] = frame.spot(proxy)
    return Placed(groups, spots, _rules(frame, below + CHIP + 6, groups))


def _outline(frame: _Frame, whole: Rect) -> Group:
    card, wide = frame.card, whole.width
    note = fitted(card.note, "t-note", wide * 0.6)
    name = tail_fitted(card.name, "t-head", wide - 2 * PAD - width(note, "t-note") - 8)
    labels = [
        label(PAD, 20, name, "t-head"),
        label(wide - PAD, 20, note, f"t-note s-{card.state}", "end"),
    ]
    return frame.pen.frame(card.id, f"place node {card.state}", whole, labels)


def _processes(frame: _Frame, groups: list[Group], spots: dict[str, Spot]) -> None:
    wide = (frame.plan.inner - BETWEEN) / 2
    x, y = frame.x + PAD, frame.y + HEAD
    for view, at, left in ((frame.card.kubelet, x, True), (frame.card.runtime, x + wide + BETWEEN, False)):
        place = Rect(at, y, wide, CHIP)
        groups.append(frame.pen.chip(view, place))
        spots[view.id] = frame.spot(place, left=left, right=not left)


def _pods(frame: _Frame, groups: list[Group], spots: dict[str, Spot]) -> float:
    """Pods in their slots; returns where the next box may begin."""
    plan = frame.plan
    columns, high = plan.pod_columns, plan.pod_height
    wide = (plan.inner - 6 * (columns - 1)) / columns
    top = frame.y + HEAD + CHIP + SHELF
    for view in frame.card.pods:
        row, column = divmod(view.slot, columns)
        place = Rect(frame.x + PAD + column * (wide + 6), top + row * (high + 6), wide, high)
        words = Rect(*place[:3], high - POD_METER) if plan.meter else place
        box = frame.pen.pod(view, words)
        groups.append(metered(box, view, place) if plan.meter else box)
        spots[view.id] = frame.spot(place, left=column == 0, right=column == columns - 1)
    return frame.y + plan.node_height - PAD - plan.rules_height - 6 - CHIP


def _rules(frame: _Frame, y: float, groups: list[Group]) -> Spot:
    """One box for each Service; together they take the room that the walk needs at most."""
    plan, x = frame.plan, frame.x + PAD
    if plan.rules_height <= 0:
        return frame.spot(Rect(x, y - 6 - CHIP, plan.inner, CHIP))
    tables = frame.card.rules or (Listing(f"rules-{frame.card.name}", frame.card.no_rules, "calm", ()),)
    spare = plan.rules_height - sum(list_height(len(table.rows)) for table in tables) - 6 * (len(tables) - 1)
    top = y
    for at, table in enumerate(tables):
        high = list_height(len(table.rows)) + (max(spare, 0) if at == len(tables) - 1 else 0)
        groups.append(frame.pen.listing(table, Rect(x, top, plan.inner, high), f"traffic-{frame.card.name}"))
        top += high + 6
    return frame.spot(Rect(x, y, plan.inner, top - 6 - y))
