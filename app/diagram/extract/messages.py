"""What the message picture shows: a window of steps around the present one."""

from __future__ import annotations

from app.catalog.flow import Flow
from app.diagram.extract import deeds
from app.diagram.extract.kept import once_per_walk, record_at, steps
from app.diagram.extract.lanes import Participant, participant, standing
from app.diagram.extract.names import seconds
from app.diagram.extract.timeline import races
from app.diagram.extract.wording import retold
from app.diagram.views import LaneHead, MessagesView, Shot
from app.diagram.words import say
from app.sim.walk import Record, Walk

BEFORE, AFTER = 8, 6
MOST_LANES = 11
"""When more take part in a walk, only those of the window are drawn."""


def messages_view(walk: Walk, n: int, flow: Flow, *, whole: bool = False, most: int = 0) -> MessagesView:
    """The steps around position n, as many as make `most` arrows where that is given; `whole`: every step up to it."""
    rows = steps(walk)
    if whole:
        first, last = 0, n
    else:
        first, last = fitting(rows, n, most) if most else window(n, len(rows))
    shown = rows[first:last]
    everybody = _lanes(flow, _meetings(walk))
    lanes = _lanes(flow, shown) if whole or len(everybody) > MOST_LANES else everybody
    order = {who.lane: at for at, who in enumerate(lanes)}
    shots = [shot for record in shown for shot in _shots(flow, record, n, order)]
    view = MessagesView(
        title=say("messages", "title", step=deeds.moment_of(record_at(walk, n))),
        lanes=tuple(LaneHead(who.lane, who.kind, who.title, who.under) for who in lanes),
        shots=tuple(shots),
        before=_count("earlier", first),
        after=_count("later", len(rows) - last) if not whole else "",
        race=_race(walk),
    )
    return retold(view, flow.terms)


def window(n: int, count: int) -> tuple[int, int]:
    """The steps to draw: always as many as there is room for, with the present one among them."""
    size = min(BEFORE + 1 + AFTER, count)
    first = min(max(n - 1 - BEFORE, 0), count - size)
    return first, first + size


def fitting(rows: list[Record], n: int, most: int) -> tuple[int, int]:
    """The steps around the present one that make at most so many arrows: two before it for each one after."""
    first, last = max(n - 1, 0), n
    room = most - sum(_arrows(row) for row in rows[first:last])
    taken = 0
    while first > 0 or last < len(rows):
        taken += 1
        ahead = first == 0 or (taken % 3 == 0 and last < len(rows))
        room -= _arrows(rows[last] if ahead else rows[first - 1])
        if room < 0:
            break
        first, last = (first, last + 1) if ahead else (first - 1, last)
    return first, last


def _arrows(record: Record) -> int:
    return 2 if deeds.watched(record) else 1


def _count(word: str, count: int) -> str:
    if count == 0:
        return ""
    return say("messages", f"{word}-one") if count == 1 else say("messages", word, count=count)


@once_per_walk
def _meetings(walk: Walk) -> list[Record]:
    """One step for every two who ever meet: a long walk has few of these."""
    found: dict[tuple[str, str, bool, bool], Record] = {}
    for record in steps(walk):
        step = record.step
        found.setdefault((step.sender, step.to, step.loop == "you", bool(deeds.watched(record))), record)
    return list(found.values())


def _lanes(flow: Flow, rows: list[Record]) -> list[Participant]:
    found = {}
    for record in rows:
        for who in (deeds.sender(flow, record), deeds.receiver(flow, record)):
            found[who.lane] = who
        if deeds.watched(record):
            api = participant(flow, "API server")
            found[api.lane] = api
    return sorted(found.values(), key=standing)


def _shots(flow: Flow, record: Record, n: int, order: dict[str, int]) -> list[Shot]:
    """The watch event that woke the loop, where there was one, then what the loop did."""
    one, other = deeds.sender(flow, record), deeds.receiver(flow, record)
    state = "past" if record.n < n else "now" if record.n == n else "ahead"
    before, after = record.step.before.ledger.loses, record.step.world.ledger.loses
    at = f"{record.n} · T+{seconds(record.step.at)} s"
    found = []
    if deeds.watched(record):
        found.append(
            Shot(
                id=f"watch-{record.n}",
                n=record.n,
                sender=order["API server"],
                receiver=order[one.lane],
                kind="api",
                look="watch",
                state=state,
                harm=False,
                text=deeds.watch_text(record),
                title=f"{at} · API server → {one.name}: {deeds.watch_text(record)}",
                racing=before,
            )
        )
    found.append(
        Shot(
            id=f"step-{record.n}",
            n=record.n,
            sender=order[one.lane],
            receiver=order[other.lane],
            kind=one.kind,
            look="self" if one.lane == other.lane else "message",
            state=state,
            harm=deeds.harm(record),
            text=deeds.text_of(record),
            title=f"{at} · {deeds.sentence(flow, record)}",
            racing=before or after,
        )
    )
    return found


def _race(walk: Walk) -> str:
    """How long requests fail in the whole of the walk, so that the label does not change as one steps."""
    if walk.world.ledger.first is None:
        return ""
    return say("messages", "race", window=seconds(sum(end - start for start, end in races(walk))))
