"""Where everything on the map of the cluster lies."""

from __future__ import annotations

from app.diagram.layout import arrows
from app.diagram.layout.control_plane import control_plane
from app.diagram.layout.node import Placed, node
from app.diagram.layout.panels import Pen, Rect
from app.diagram.layout.plan import CLIENTS, CLIENTS_NARROW, EDGE, TOP, Plan, plan
from app.diagram.layout.routing import Points, Spot
from app.diagram.layout.tiles import place_tiles
from app.diagram.shapes import Group, Picture, rounded
from app.diagram.views import ClusterView

LINES_APART = 4
"""Between the lines of several nodes' traffic in one gutter."""


def place_cluster(view: ClusterView, *, narrow: bool, desc: str) -> Picture:
    """The map, wide or narrow."""
    prefix = "cluster-narrow" if narrow else "cluster"
    groups, width, height = (
        place_tiles(view, prefix, narrow=narrow) if view.compact else _Map(view, prefix, narrow=narrow).place()
    )
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
        self.plan: Plan = plan(view, narrow=narrow)
        self.pen = Pen(prefix, arrows.busy_boxes(view))
        self.nodes: list[Placed] = []

    def place(self) -> tuple[list[Group], float, float]:
        """All groups, with the width and height that they take."""
        view, plan = self.view, self.plan
        column = control_plane(view, self.pen, plan)
        top = column.bottom + plan.apart if plan.narrow else float(TOP)
        for number, card in enumerate(view.nodes):
            x, y = plan.node_at(number)
            self.nodes.append(node(card, self.pen, plan, x, top + y))
        bottom = top + plan.rows(len(view.nodes)) * (plan.node_height + plan.apart) - plan.apart
        spots = dict(column.spots)
        for placed in self.nodes:
            spots |= placed.spots
        boxes = [*column.groups, *(group for placed in self.nodes for group in placed.groups)]
        lines: list[Group] = []
        if view.clients:
            at = self._clients_at(bottom)
            boxes.append(arrows.clients(self.pen, view, at))
            spots["clients"] = Spot(*at, "clients")
            lines += self._traffic(spots, at.y)
            bottom = at.y + at.height
        found = [arrows.message(self.pen, row, spots) for row in (view.cause, view.message) if row is not None]
        groups = [
            arrows.caption(self.pen, view, plan.width),
            *boxes,
            *lines,
            *(row for row in found if row is not None),
        ]
        return groups, plan.width, max(bottom, column.bottom) + EDGE

    def _clients_at(self, bottom: float) -> Rect:
        """Below the nodes."""
        plan, x = self.plan, self.plan.nodes_x
        if plan.narrow:
            x = EDGE
        elif plan.rows(len(self.nodes)) > 1:
            # The traffic of upper rows comes through the gutters, the leftmost one too.
            x -= plan.gutter - 2
        return Rect(x, bottom + plan.apart, plan.width - EDGE - x, CLIENTS_NARROW if plan.narrow else CLIENTS)

    def _traffic(self, spots: dict[str, Spot], top: float) -> list[Group]:
        """An arrow to each node's rules, and from there to pods that do not serve."""
        found = []
        for number, (card, placed) in enumerate(zip(self.view.nodes, self.nodes, strict=True)):
            points = self._path(number, placed.rules, top)
            room = self.plan.node_width / 2 - 9 if len(points) == 2 else 0
            found += arrows.traffic(self.pen, card, points, room)
            corridor = placed.rules.corridor + self.plan.node_height + 15
            found += arrows.astray(self.pen, card, placed.rules, spots, corridor)
        return found

    def _path(self, number: int, rules: Spot, top: float) -> Points:
        """Straight up to a node of the last row, through the gutter to one above."""
        plan = self.plan
        last = number // plan.columns == plan.rows(len(self.nodes)) - 1
        if last and not plan.narrow:
            x = rules.x + rules.width / 2
            return [(x, top), (x, rules.y + rules.height)]
        start = rules.gutter - 8 + (LINES_APART * (number % 6) if plan.narrow else 0)
        y = rules.y + rules.height / 2 - 8
        return [(start, top), (start, y), (rules.x, y)]
