"""The measures of the map: columns, gutters and heights, wide or narrow."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from app.diagram.layout.panels import CHIP, POD, POD_LINE, ROW, list_height
from app.diagram.views import ClusterView

WIDE, NARROW = 800, 320
"""A narrow picture is as wide as what a window of 360 pixels leaves it."""
EDGE = 1
PAD = 12
TOP = 40
"""Below the caption and the topmost corridor."""
CLIENTS = 40
CLIENTS_NARROW = 64
HEAD = 32
"""A frame's title."""
GAP = 8
POD_METER = 24
"""A pod's memory below its words."""
METER = 54
"""A machine's memory, as a box of its own."""
CORRIDOR = 6
"""The horizontal channel's distance above a frame."""
SHELF = 12
MANY_PODS = 4
"""More pods than these on a node are drawn as lines."""


class Plan(NamedTuple):
    width: float
    side_x: float
    """Left edge of the control plane."""
    side_width: float
    nodes_x: float
    node_width: float
    gutter: float
    columns: int
    node_height: float
    pod_columns: int
    pod_height: float
    meter: bool
    """Whether memory is drawn."""
    rules_height: float
    narrow: bool

    @property
    def apart(self) -> float:
        """Between rows of nodes, and between them and the clients; wide, arrows have their words there."""
        return 20 if self.narrow else 42

    def node_at(self, number: int) -> tuple[float, float]:
        """The place of a node, counted from 0, below the top of the area of nodes."""
        row, column = divmod(number, self.columns)
        return self.nodes_x + column * (self.node_width + self.gutter), row * (self.node_height + self.apart)

    def rows(self, count: int) -> int:
        return ceil(count / self.columns)

    @property
    def inner(self) -> float:
        return self.node_width - 2 * PAD


def sum_of_lines(view: ClusterView) -> int:
    """The most lines of rules that a node of this very view has."""
    return max((sum(len(table.rows) for table in card.rules) for card in view.nodes), default=1)


def plan(view: ClusterView, *, narrow: bool) -> Plan:
    """Measures that fit what the walk ever shows."""
    count = max(len(view.nodes), 1)
    columns = 1 if narrow else min(count, 3) if count != 4 else 2
    width, side = (NARROW, 0.0) if narrow else (WIDE, 208.0)
    gutter = 26.0 if narrow else 22.0
    side_x = gutter if narrow else EDGE
    nodes_x = side_x if narrow else side_x + side + gutter
    node_width = (width - EDGE - nodes_x - (columns - 1) * gutter) / columns
    pods = view.extent.pods
    pod_columns = 1 if node_width < 260 else 2
    meter = view.extent.memory
    pod_height = (POD if pods <= MANY_PODS * pod_columns else POD_LINE) + (POD_METER if meter else 0)
    pod_rows = max(1, ceil(pods / pod_columns))
    tables = max(max((len(row.rules) for row in view.nodes), default=1), 1)
    lines = max(view.extent.backends, sum_of_lines(view), tables)
    rules = list_height(lines) + (tables - 1) * (list_height(0) - ROW + 6)
    if not view.extent.backends:
        # No Service, so no rules in the whole walk.
        rules = -6
    height = HEAD + CHIP + SHELF + pod_rows * (pod_height + 6) - 6 + SHELF + CHIP + 6 + rules + PAD
    height += METER + 6 if meter else 0
    return Plan(
        width,
        side_x,
        width - EDGE - side_x if narrow else side,
        nodes_x,
        node_width,
        gutter,
        columns,
        height,
        pod_columns,
        pod_height,
        meter,
        rules,
        narrow,
    )
