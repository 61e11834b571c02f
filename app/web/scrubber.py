"""The slider over all steps: equal ticks, and a wider gap where a long wait is folded."""

from __future__ import annotations

from itertools import pairwise

from app.web.moment import Moment, clock_text, how_long
from app.web.player_parts import Scrubber, Tick

# Shares of a tick's own width.
GAP = 0.25
LONG_GAP = 1.0
LONG_WAIT = 5_000
"""Milliseconds from which on a wait is drawn."""


def scrubber(moment: Moment, titles: tuple[str, ...]) -> Scrubber:
    """All steps as ticks."""
    steps = moment.steps
    waits = [0, *(later.step.at - row.step.at for row, later in pairwise(steps))]
    gaps = [LONG_GAP if wait >= LONG_WAIT else GAP for wait in waits[: len(steps)]]
    unit = 100 / (len(steps) + sum(gaps[1:])) if steps else 100.0
    ticks: list[Tick] = []
    x = 0.0
    for row, gap, wait, words in zip(steps, gaps, waits, titles, strict=True):
        before = gap * unit if ticks else 0.0
        folded = wait >= LONG_WAIT and bool(ticks)
        ticks.append(
            Tick(
                href=moment.step(row.n),
                label=f"{row.n} · {clock_text(row.step.at)} · {words}",
                state=state_of(row.n, moment.n),
                harm=row.step.world.ledger.loses,
                x=_per_cent(x + before),
                width=_per_cent(unit),
                gap=_per_cent(x + before / 2) if folded else "",
                wait=how_long(wait) if folded else "",
            )
        )
        x += before + unit
    return Scrubber(ticks=tuple(ticks), now=moment.n, most=len(steps), text=_text(moment, titles))


def _text(moment: Moment, titles: tuple[str, ...]) -> str:
    words = titles[moment.n - 1] if moment.n else moment.played.flow.title
    return f"step {moment.n} of {len(moment.steps)}, t={moment.now / 1000:g} s: {words}"


def state_of(n: int, now: int) -> str:
    """Whether a step lies behind, is the current one, or lies ahead."""
    if n == now:
        return "now"
    return "done" if n < now else "ahead"


def _per_cent(share: float) -> str:
    return f"{share:.2f}%"
