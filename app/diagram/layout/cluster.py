"""Where everything on the map of the cluster lies."""

from __future__ import annotations

from app.diagram.layout import arrows
from app.diagram.layout.control_plane import control_plane
from app.diagram.layout.node import Placed, node
from app.diagram.layout.plan import EDGE, ROWS_APART, TOP, Plan, plan
from app.diagram.layout.routing import Points, Spot
from app.diagram.layout.tiles import place_tiles
from app.diagram.shapes import Group, Picture, rounded
from app.diagram.views import ClusterView

CLIENTS = 40
CLIENTS_NARROW = 54
LINES_APART = 4
"""Between the lines of several nodes' traffic in one gutter."""


def place_cluster(view: ClusterView, *, narrow: bool, desc: str) -> Picture:
    """The map, wide or narrow."""
    prefix = "cluster-narrow" if narrow else "cluster"
    groups, width, height = place_tiles(view, prefix, narrow=narrow) if view.compact else _Map(view, prefix, narrow=narrow).place()
    return Picture(
        id=prefix,
        look="picture cluster narrow" if narrow else "picture cluster",
        width=width,
        height=rounded(height),
        title=view.title,
        desc=desc,
        groups=tuple(groups),
    )


class _Map:
    """One map: nodes in full."""

    def __init__(self, view: ClusterView, prefix: str, *, narrow: bool) -> None:
        self.view = view
        self.prefix = prefix
        self.plan: Plan = plan(view, narrow=narrow)
        self.busy = arrows.busy_boxes(view)
        self.nodes: list[Placed] = []
        self.rows: list[float] = []

    def place(self) -> tuple[list[Group], float, float]:
        view, plan = self.view, self.plan
        column = control_plane(view, self.prefix, plan, self.busy)
        top = column.bottom + 24 if plan.narrow else float(TOP)
        for number, card in enumerate(view.nodes):
            x, y = plan.node_at(number)
            corridor = top + y - 6
            self.nodes.append(node(card, self.prefix, plan, x, top + y, self.busy, corridor))
            self.rows.append(top + y)
        bottom = top + plan.rows(len(view.nodes)) * (plan.node_height + ROWS_APART) - ROWS_APART
        spots = dict(column.spots)
        for placed in self.nodes:
            spots |= placed.spots
        boxes = [*column.groups, *(group for placed in self.nodes for group in placed.groups)]
        lines: list[Group] = []
        if view.clients:
            bottom = self._clients(boxes, lines, spots, bottom)
        lines += self._messages(spots)
        return [arrows.caption(self.prefix, view, plan.width), *boxes, *lines], plan.width, max(bottom, column.bottom) + EDGE

    def _clients(self, boxes: list[Group], lines: list[Group], spots: dict[str, Spot], bottom: float) -> float:
        """The clients below the nodes, and an arrow to each node's rules."""
        plan, view = self.plan, self.view
        top, high = bottom + ROWS_APART, CLIENTS_NARROW if plan.narrow else CLIENTS
        wide = plan.width - EDGE - plan.nodes_x
        x = plan.nodes_x
        if plan.narrow:
            x, wide = EDGE, plan.width - 2 * EDGE
        boxes.append(arrows.clients(self.prefix, view, x, top, wide, high, self.busy.get("clients", "")))
        spots["clients"] = Spot(x, top, wide, high, "clients")
        for number, (card, placed) in enumerate(zip(view.nodes, self.nodes, strict=True)):
            if card.traffic is None:
                continue
            points = self._traffic(number, placed.rules, top)
            room = self._room(number) if len(points) == 2 else 0
            look = self.busy.get(f"traffic-{card.name}", "")
            lines.append(arrows.traffic(self.prefix, card, card.traffic, points, look, room))
            corridor = self.rows[number] + plan.node_height + 9
            lines += arrows.astray(self.prefix, card, card.traffic, placed.rules, spots, corridor)
        return top + high

    def _room(self, number: int) -> float:
        """For words beside an upright arrow: on its right as far as the next gutter, in the last column on its left."""
        last = number % self.plan.columns == self.plan.columns - 1
        room = self.plan.node_width / 2 + self.plan.gutter - 12
        return -room if last else room

    def _traffic(self, number: int, rules: Spot, top: float) -> Points:
        """Straight up to a node of the last row, through the gutter to one above."""
        plan = self.plan
        last = number // plan.columns == plan.rows(len(self.nodes)) - 1
        if last and not plan.narrow:
            x = rules.x + rules.width / 2
            return [(x, top), (x, rules.y + rules.height)]
        start = rules.gutter - 8 + (LINES_APART * (number % 6) if plan.narrow else 0)
        y = rules.y + rules.height / 2 - 8
        return [(start, top), (start, y), (rules.x, y)]

    def _messages(self, spots: dict[str, Spot]) -> list[Group]:
        found = [arrows.message(self.prefix, row, spots) for row in (self.view.cause, self.view.message) if row is not None]
        return [group for group in found if group is not None]
