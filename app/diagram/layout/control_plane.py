"""The left column of the map: the reader, the control plane and what it stores."""

from __future__ import annotations

from typing import NamedTuple

from app.diagram.layout.panels import CHIP, LOW_CHIP, chip, container, list_height, listing
from app.diagram.layout.plan import GAP, HEAD, PAD, TOP, Plan
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

    def __init__(self, prefix: str, plan: Plan, busy: dict[str, str]) -> None:
        self.prefix = prefix
        self.plan = plan
        self.busy = busy
        self.groups: list[Group] = []
        self.spots: dict[str, Spot] = {}
        self.y = float(TOP)
        self.x = plan.side_x + PAD
        self.inner = plan.side_width - 2 * PAD

    def chip(self, view: Chip, x: float, wide: float, *, high: float = CHIP, home: str = HOME, right: bool = True) -> None:
        self.groups.append(chip(self.prefix, view, x, self.y, wide, high, self.busy.get(view.id, "")))
        self.spots[view.id] = self._spot(x, wide, high, home, right=right)

    def _spot(self, x: float, wide: float, high: float, home: str, *, right: bool) -> Spot:
        """The gutter is on the right of a wide map's left column, and on the left of everything in a narrow one."""
        side_x, side = self.plan.side_x, self.plan.side_width
        gutter = side_x - self.plan.gutter / 2 if self.plan.narrow else side_x + side + self.plan.gutter / 2
        return Spot(
            x,
            self.y,
            wide,
            high,
            home,
            right=side_x + side - PAD / 2 if right and home == HOME else None,
            gutter=gutter,
            out="left" if self.plan.narrow else "right",
            corridor=TOP - 6,
        )


def control_plane(view: ClusterView, prefix: str, plan: Plan, busy: dict[str, str]) -> Column:
    """Everything in that column, from the top."""
    pile = _Pile(prefix, plan, busy)
    if view.user is not None:
        pile.chip(view.user, plan.side_x, plan.side_width, high=LOW_CHIP + 4, home="you")
        pile.y += LOW_CHIP + 4 + GAP
    top = pile.y
    pile.y += HEAD
    pile.chip(view.api, pile.x, pile.inner)
    pile.y += CHIP + GAP
    half = (pile.inner - GAP) / 2
    pile.chip(view.etcd, pile.x, half, right=False)
    pile.chip(view.scheduler, pile.x + half + GAP, half)
    pile.y += CHIP + GAP
    pile.chip(view.controllers, pile.x, pile.inner)
    pile.y += CHIP + GAP + 2
    _lists(view, pile)
    bottom = pile.y - GAP + PAD
    title = [label(PAD, 20, view.control_plane, "t-head")]
    frame = container(prefix, HOME, "place", plan.side_x, top, plan.side_width, bottom - top, title)
    return Column([frame, *pile.groups], pile.spots, bottom)


def _lists(view: ClusterView, pile: _Pile) -> None:
    """The slices, with room for as many endpoints as the walk ever shows, and pods that wait for a node."""
    rows = [max(len(table.rows), 1) for table in view.slices]
    spare = max(view.extent.endpoints, 1) - sum(rows) if rows else 0
    for at, table in enumerate(view.slices):
        lines = rows[at] + (max(spare, 0) if at == len(rows) - 1 else 0)
        high = list_height(lines)
        pile.groups.append(listing(pile.prefix, table, pile.x, pile.y, pile.inner, high))
        pile.y += high + GAP
    if view.waiting is not None:
        high = list_height(view.extent.waiting)
        pile.groups.append(listing(pile.prefix, view.waiting, pile.x, pile.y, pile.inner, high))
        pile.y += high + GAP
