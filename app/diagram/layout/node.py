"""One node of the map: its processes, its pods, and where its rules lead."""

from __future__ import annotations

from typing import NamedTuple

from app.diagram.layout.panels import CHIP, chip, container, list_height, listing, pod
from app.diagram.layout.plan import HEAD, PAD, SHELF, Plan
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
    prefix: str
    plan: Plan
    x: float
    y: float
    busy: dict[str, str]
    corridor: float

    def spot(self, x: float, y: float, wide: float, high: float, *, left: bool, right: bool) -> Spot:
        edge = self.x + self.plan.node_width
        return Spot(
            x,
            y,
            wide,
            high,
            self.card.id,
            left=self.x + PAD / 2 if left else None,
            right=edge - PAD / 2 if right else None,
            gutter=self.x - self.plan.gutter / 2,
            corridor=self.corridor,
            shelf=self.y + HEAD + CHIP + SHELF / 2,
        )


def node(card: NodeCard, prefix: str, plan: Plan, x: float, y: float, busy: dict[str, str], corridor: float) -> Placed:
    """A node at its place; boxes keep their places whatever else is there."""
    frame = _Frame(card, prefix, plan, x, y, busy, corridor)
    groups, spots = [_outline(frame)], {card.id: frame.spot(x, y, plan.node_width, plan.node_height, left=False, right=False)}
    _processes(frame, groups, spots)
    below = _pods(frame, groups, spots)
    inner, left = plan.inner, x + PAD
    groups.append(chip(prefix, card.proxy, left, below, inner, CHIP, busy.get(card.proxy.id, "")))
    spots[card.proxy.id] = frame.spot(left, below, inner, CHIP, left=True, right=True)
    rules = _rules(frame, below + CHIP + 6, groups)
    return Placed(groups, spots, rules)


def _outline(frame: _Frame) -> Group:
    card, wide = frame.card, frame.plan.node_width
    note = fitted(card.note, "t-note", wide * 0.6)
    name = tail_fitted(card.name, "t-head", wide - 2 * PAD - width(note, "t-note") - 8)
    labels = [
        label(PAD, 20, name, "t-head"),
        label(wide - PAD, 20, note, f"t-note s-{card.state}", "end"),
    ]
    look = f"place node {card.state} {frame.busy.get(card.id, '')}".strip()
    return container(frame.prefix, card.id, look, frame.x, frame.y, wide, frame.plan.node_height, labels)


def _processes(frame: _Frame, groups: list[Group], spots: dict[str, Spot]) -> None:
    wide = (frame.plan.inner - BETWEEN) / 2
    x, y = frame.x + PAD, frame.y + HEAD
    for view, at, left in ((frame.card.kubelet, x, True), (frame.card.runtime, x + wide + BETWEEN, False)):
        groups.append(chip(frame.prefix, view, at, y, wide, CHIP, frame.busy.get(view.id, "")))
        spots[view.id] = frame.spot(at, y, wide, CHIP, left=left, right=not left)


def _pods(frame: _Frame, groups: list[Group], spots: dict[str, Spot]) -> float:
    """Pods in their slots; returns where the next box may begin."""
    plan = frame.plan
    columns, high = plan.pod_columns, plan.pod_height
    wide = (plan.inner - 6 * (columns - 1)) / columns
    top = frame.y + HEAD + CHIP + SHELF
    for view in frame.card.pods:
        row, column = divmod(view.slot, columns)
        x, y = frame.x + PAD + column * (wide + 6), top + row * (high + 6)
        groups.append(pod(frame.prefix, view, x, y, wide, high, frame.busy.get(view.id, "")))
        spots[view.id] = frame.spot(x, y, wide, high, left=column == 0, right=column == columns - 1)
    return frame.y + plan.node_height - PAD - plan.rules_height - 6 - CHIP


def _rules(frame: _Frame, y: float, groups: list[Group]) -> Spot:
    """One box for each Service; together they take the room that the walk needs at most."""
    plan, x = frame.plan, frame.x + PAD
    tables = frame.card.rules or (Listing(f"rules-{frame.card.name}", "", "empty", ()),)
    spare = plan.rules_height - sum(list_height(len(table.rows)) for table in tables) - 6 * (len(tables) - 1)
    top = y
    for at, table in enumerate(tables):
        high = list_height(len(table.rows)) + (max(spare, 0) if at == len(tables) - 1 else 0)
        groups.append(listing(frame.prefix, table, x, top, plan.inner, high, frame.busy.get(f"traffic-{frame.card.name}", "")))
        top += high + 6
    return frame.spot(x, y, plan.inner, top - 6 - y, left=True, right=True)
