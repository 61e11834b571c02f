"""The map of many nodes or pods: a tile for each node, a small square for each pod."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from app.diagram.layout import arrows
from app.diagram.layout.control_plane import control_plane
from app.diagram.layout.panels import Pen, Rect
from app.diagram.layout.plan import CLIENTS, CLIENTS_NARROW, EDGE, NARROW, TOP, WIDE, Plan
from app.diagram.layout.routing import Spot
from app.diagram.metrics import fitted, tail_fitted
from app.diagram.shapes import Box, Group, Label, Line, box, label, name_for, rounded
from app.diagram.views import ClusterView, NodeCard, PodCard

SQUARE, STEP = 9, 12
TILE_HEAD = 22
FOOT = 16
GUTTER = 12
MOST_SQUARES = 84
CLIENTS_BELOW = 20


class Grid(NamedTuple):
    """How tiles and squares are laid out."""

    columns: int
    width: float
    height: float
    across: int
    """Squares side by side."""


def place_tiles(view: ClusterView, prefix: str, *, narrow: bool) -> tuple[list[Group], float, float]:
    """All groups with the width and height they take."""
    pen = Pen(prefix, arrows.busy_boxes(view))
    plan = _plan(narrow=narrow)
    column = control_plane(view, pen, plan)
    top = column.bottom + 24 if narrow else float(TOP)
    grid = _grid(view, plan)
    groups, spots, boxes = [arrows.caption(pen, view, plan.width), *column.groups], dict(column.spots), []
    for number, card in enumerate(view.nodes):
        row, at = divmod(number, grid.columns)
        x, y = plan.nodes_x + at * (grid.width + GUTTER), top + row * (grid.height + GUTTER)
        at_place = Rect(x, y, grid.width, grid.height)
        boxes.append(_tile(pen, card, at_place, grid.across))
        spots[card.id] = Spot(*at_place, card.id, gutter=x - GUTTER / 2, corridor=y - GUTTER / 2)
    bottom = top + ceil(len(view.nodes) / grid.columns) * (grid.height + GUTTER)
    if view.more_nodes:
        boxes.append(_more(prefix, view, plan, bottom))
        bottom += 20
    if view.clients:
        high = CLIENTS_NARROW if narrow else CLIENTS
        place = Rect(plan.nodes_x, bottom + CLIENTS_BELOW - GUTTER, plan.width - EDGE - plan.nodes_x, high)
        boxes.append(arrows.clients(pen, view, place))
        bottom = place.y + high
    lines = [arrows.message(pen, row, spots, 0.4) for row in (view.cause, view.message) if row is not None]
    return [*groups, *boxes, *(row for row in lines if row is not None)], plan.width, max(bottom, column.bottom) + EDGE


def _plan(*, narrow: bool) -> Plan:
    """The measures that the control plane asks for."""
    width, side = (NARROW, 0.0) if narrow else (WIDE, 208.0)
    gutter = 14.0 if narrow else 22.0
    side_x = gutter if narrow else EDGE
    nodes_x = side_x if narrow else side_x + side + gutter
    return Plan(
        width,
        side_x,
        width - EDGE - side_x if narrow else side,
        nodes_x,
        0,
        gutter,
        1,
        0,
        1,
        0,
        meter=False,
        rules_height=0,
        narrow=narrow,
    )


def _grid(view: ClusterView, plan: Plan) -> Grid:
    room = plan.width - EDGE - plan.nodes_x
    most = max(1, round(room / 105))
    columns = min(most, max(1, len(view.nodes)))
    wide = (room - GUTTER * (columns - 1)) / columns
    across = int((wide - 16 + STEP - SQUARE) // STEP)
    pods = min(max(view.extent.pods, 1), MOST_SQUARES)
    high = TILE_HEAD + ceil(pods / across) * STEP + FOOT
    return Grid(columns, wide, high, across)


def _tile(pen: Pen, card: NodeCard, at: Rect, across: int) -> Group:
    """A node: its name, a square for each pod, and below them what is wrong, if anything is."""
    failing = card.traffic is not None and card.traffic.state == "failing"
    note = card.traffic.note if card.traffic is not None and failing else ("" if card.state == "ready" else card.brief)
    head: list[Label] = [label(8, 15, tail_fitted(card.name, "t-strong", at.width - 16), "t-strong name")]
    shown = fitted(note, "t-note", at.width - 16)
    if shown:
        head.append(label(8, at.height - 6, shown, "t-note note"))
    elif len(card.pods) > MOST_SQUARES:
        head.append(label(8, at.height - 6, f"+{len(card.pods) - MOST_SQUARES:,}", "t-note"))
    boxes = [box(0, 0, at.width, at.height, "frame", 8)]
    lines: list[Line] = []
    for pod in card.pods:
        if pod.slot < MOST_SQUARES:
            _square(pod, across, boxes, lines)
    words = ("tile", card.state, "failing" if failing else "", pen.busy.get(card.id, ""))
    return Group(
        id=name_for(pen.prefix, card.id),
        look=" ".join(word for word in words if word),
        x=rounded(at.x),
        y=rounded(at.y),
        title=f"{card.name}: {card.note}; {card.counts}{f'; {note}' if failing else ''}",
        boxes=tuple(boxes),
        lines=tuple(lines),
        labels=tuple(head),
    )


def _square(pod: PodCard, across: int, boxes: list[Box], lines: list[Line]) -> None:
    row, at = divmod(pod.slot, across)
    x, y = 8 + at * STEP, TILE_HEAD + row * STEP
    boxes.append(box(x, y, SQUARE, SQUARE, f"square {pod.state}", 2))
    if pod.state in ("dead", "orphan"):
        low, high = 2, SQUARE - 2
        path = f"M{x + low} {y + low}L{x + high} {y + high}M{x + high} {y + low}L{x + low} {y + high}"
        lines.append(Line(path, f"cross {pod.state}", (x, y), (x + SQUARE, y + SQUARE)))


def _more(prefix: str, view: ClusterView, plan: Plan, y: float) -> Group:
    words = label(0, 12, view.more_nodes, "t-text")
    return Group(id=name_for(prefix, "more-nodes"), look="more", x=plan.nodes_x, y=y, labels=(words,))
