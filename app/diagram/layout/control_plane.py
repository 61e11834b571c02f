"""The left column of the map: the reader, the control plane and what it stores."""

from __future__ import annotations

from typing import NamedTuple

from app.diagram.layout.panels import CHIP, LOW_CHIP, Pen, Rect, list_height
from app.diagram.layout.plan import CORRIDOR, GAP, HEAD, PAD, TOP, Plan
from app.diagram.layout.routing import Spot
from app.diagram.shapes import Group, label
from app.diagram.views import Chip, ClusterView

HOME = "control-plane"


class Column(NamedTuple):
    groups: list[Group]
    spots: dict[str, Spot]
    bottom: float


class _Pile:
    """Puts boxes below each other."""

    def __init__(self, pen: Pen, plan: Plan) -> None:
        self.pen = pen
        self.plan = plan
        self.groups: list[Group] = []
        self.spots: dict[str, Spot] = {}
        self.y = float(TOP)
        self.x = plan.side_x + PAD
        self.inner = plan.side_width - 2 * PAD

    def chip(self, view: Chip, at: Rect, *, home: str = HOME, right: bool = True) -> None:
        self.groups.append(self.pen.chip(view, at))
        self.spots[view.id] = self._spot(at, home, right=right)

    def row(self, high: float = CHIP, part: int = 0, parts: int = 1) -> Rect:
        """The place of the next box, or of one of several side by side."""
        wide = (self.inner - GAP * (parts - 1)) / parts
        return Rect(self.x + part * (wide + GAP), self.y, wide, high)

    def _spot(self, at: Rect, home: str, *, right: bool) -> Spot:
        """The gutter is on the right of a wide map's left column, and on the left of everything in a narrow one."""
        side_x, side = self.plan.side_x, self.plan.side_width
        gutter = side_x - self.plan.gutter / 2 if self.plan.narrow else side_x + side + self.plan.gutter / 2
        return Spot(
            *at,
            home,
            right=side_x + side - PAD / 2 if right and home == HOME else None,
            gutter=gutter,
            out="left" if self.plan.narrow else "right",
            corridor=TOP - CORRIDOR,
        )


def control_plane(view: ClusterView, pen: Pen, plan: Plan) -> Column:
    """Everything in that column, from the top."""
    pile = _Pile(pen, plan)
    if view.user is not None:
        pile.chip(view.user, Rect(plan.side_x, pile.y, plan.side_width, LOW_CHIP), home="you")
        pile.y += LOW_CHIP + GAP
    top = pile.y
    pile.y += HEAD
    pile.chip(view.api, pile.row())
    pile.y += CHIP + GAP
    pile.chip(view.etcd, pile.row(part=0, parts=2), right=False)
    pile.chip(view.scheduler, pile.row(part=1, parts=2))
    pile.y += CHIP + GAP
    pile.chip(view.controllers, pile.row())
    if view.dns is not None:
        pile.y += CHIP + GAP
        pile.chip(view.dns, pile.row())
    pile.y += CHIP + GAP + 2
    _lists(view, pile)
    bottom = pile.y - GAP + PAD
    title = [label(PAD, 20, view.control_plane, "t-head")]
    frame = pen.frame(HOME, "place", Rect(plan.side_x, top, plan.side_width, bottom - top), title)
    return Column([frame, *pile.groups], pile.spots, bottom)


def _lists(view: ClusterView, pile: _Pile) -> None:
    """The slices with room for as many endpoints as the walk ever shows, the budgets, and pods without a node."""
    rows = [max(len(table.rows), 1) for table in view.slices]
    spare = max(view.extent.endpoints, 1) - sum(rows) if rows else 0
    for at, table in enumerate(view.slices):
        lines = rows[at] + (max(spare, 0) if at == len(rows) - 1 else 0)
        high = list_height(lines)
        pile.groups.append(pile.pen.listing(table, pile.row(high)))
        pile.y += high + GAP
    for other, lines in ((view.budgets, view.extent.budgets), (view.waiting, view.extent.waiting)):
        if other is not None:
            high = list_height(lines)
            pile.groups.append(pile.pen.listing(other, pile.row(high)))
            pile.y += high + GAP
