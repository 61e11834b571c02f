"""The panel that ranks a node's pods at a step, for the kubelet and for the kernel."""

from __future__ import annotations

from app.diagram.extract.names import short
from app.story.play import Play
from app.story.ranking import Evictee, Killed, Ranking
from app.story.who_first import DECIDED, decisive, ranking_at, thousandths
from app.web.ranking_parts import EvicteeRow, Key, KilledRow, RankingPanel, ThresholdRow


def ranking_panel(played: Play, n: int) -> RankingPanel | None:
    """The order at a step, where the flow is about memory."""
    found = ranking_at(played.walk, n) if played.flow.about_memory else None
    if found is None:
        return None
    return RankingPanel(
        node=found.node,
        before=bool(n) and played.steps[n - 1].step.moment in DECIDED,
        signal=found.signal,
        available=found.available,
        capacity=found.capacity,
        thresholds=tuple(
            ThresholdRow(amount=row.amount, hard=row.hard, grace=row.grace, met=row.met) for row in found.thresholds
        ),
        evictees=tuple(_evictee(found, row) for row in found.evictees),
        killed=tuple(_killed(found, row) for row in found.killed),
    )


def _evictee(found: Ranking, row: Evictee) -> EvicteeRow:
    decides = decisive(found, row)
    keys = {"exceeds": "yes" if row.exceeds else "no", "priority": str(row.priority), "over": row.over}
    name = row.pod.removeprefix("pod/")
    return EvicteeRow(
        place=row.place,
        name=short(name),
        full=name,
        qos=row.qos,
        uses=row.usage,
        asks=row.request,
        keys=tuple(Key(text=text, decides=name == decides) for name, text in keys.items()),
        spared=row.spared,
    )


def _killed(found: Ranking, row: Killed) -> KilledRow:
    memory, badness = thousandths(row, found.machine)
    name = row.pod.removeprefix("pod/")
    return KilledRow(
        place=row.place,
        name=short(name),
        full=name,
        container=row.container,
        child=row.child,
        qos=row.qos,
        uses=row.memory,
        memory=memory,
        adj=row.score_adj,
        badness=badness,
    )
