"""The timeline with a moving present, as one small SVG that stands still where a reader wants no motion."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from app import diagram
from app.diagram.metrics import fitted
from app.diagram.shapes import Label, Line, Number, Picture, box, label, line, rounded
from app.diagram.stylesheet import pruned
from app.diagram.words import say
from app.errors import BadInput
from app.export.asked import Asked
from app.export.sheet import classes_of
from app.export.stage import HEIGHT as STAGE
from app.export.stage import Stage, stage
from app.export.telling import Telling, Told
from app.export.writing import rendered
from app.story.play import Play

MOST_BYTES = 50_000
SLOT = 2.0
"""Seconds that a step is shown."""
GLIDE = 0.35
"""Seconds of them in which the present moves on."""
MOST_FRAMES = 250
"""Steps that are tried; there is never room for as many."""
HEAD = 56
EDGE = 10


class Frame(Struct, frozen=True, kw_only=True):
    """What is shown of one step while it is the present."""

    delay: str
    """Seconds."""
    still: bool
    """Whether it is the one that a picture without motion shows."""
    labels: tuple[Label, ...]
    lines: tuple[Line, ...]
    look: str
    """Of its arrow; empty where there is none."""


class Stop(Struct, frozen=True):
    """Where the present is at a share of the whole."""

    percent: str
    x: Number


def animated(played: Play, asked: Asked) -> str:
    """As many of the steps as there is room for in 50 KB; which, the picture says."""
    telling = Telling(played, asked)
    numbers = list(range(asked.first, asked.last + 1))
    count = min(len(numbers), MOST_FRAMES)
    while True:
        rows = tuple(telling.step(n) for n in _chosen(played, numbers, count))
        size = len((text := _drawn(played, asked, rows)).encode())
        if size <= MOST_BYTES:
            return text
        if count <= 2:
            raise BadInput([f"animated: the timeline alone has {size} bytes; at most {MOST_BYTES} are made"])
        count = max(2, min(count - 1, count * (MOST_BYTES - 2_000) // size))


def _chosen(played: Play, numbers: list[int], count: int) -> list[int]:
    """The steps that say most, in their order: first, last, those that decide, named moments, others evenly spread."""
    if count >= len(numbers):
        return numbers
    deciding = {row.step for row in played.verdicts} | {row.step for row in played.symptoms}
    named = {row.n for row in played.steps if row.step.moment}

    def rank(n: int) -> tuple[int, int]:
        group = 0 if n in (numbers[0], numbers[-1]) else 1 if n in deciding else 2 if n in named else 3
        return group, _spread(n)

    return sorted(sorted(numbers, key=rank)[:count])


def _spread(at: int) -> int:
    """A number's bits backwards: any first few of a row ordered by it lie at about even distances."""
    return int(f"{at:016b}"[::-1], 2)


def _drawn(played: Play, asked: Asked, rows: tuple[Told, ...]) -> str:
    pictures = [diagram.timeline(played.walk, row.n, played.flow) for row in rows]
    still = pictures[-1]
    acting = stage(played, rows[-1].n, still.width)
    places = [next(group.x for group in picture.groups if group.look == "cursor") for picture in pictures]
    frames = tuple(
        _frame(row, acting, at, of=len(rows), last=len(played.steps), wide=float(still.width))
        for at, row in enumerate(rows)
    )
    top = HEAD + float(still.height)
    wide, high = still.width, float(still.height)
    return rendered(
        "animated.svg",
        width=wide,
        height=rounded(top + (STAGE if acting.heads else 0)),
        head=HEAD,
        stage_at=rounded(top),
        stage=acting.heads,
        style=pruned(asked.colours, _classes(still, acting, frames)),
        seconds=f"{len(rows) * SLOT:g}",
        share=f"{100 / len(rows):.4g}",
        stops=_stops(places),
        ground=tuple(group for group in still.groups if group.look != "cursor"),
        veil=box(0, 18, float(wide), high - 18, "canvas"),
        cursor=line([(0, 18), (0, high - 2)], "cursor-line"),
        frames=frames,
        last=places[-1],
        **_words(played, rows, float(wide)),
    )


def _words(played: Play, rows: tuple[Told, ...], wide: float) -> dict[str, object]:
    shown, total = len(rows), len(played.steps)
    told_of = say("export", "all-shown" if shown == total + 1 else "thinned", count=shown - 1, total=total)
    captions = "; ".join(f"{row.n}. {row.title}" for row in rows if row.n)
    return {
        "title": say("export", "animated", title=played.flow.title),
        "desc": say("export", "animated-desc", count=shown - 1, total=total, captions=captions),
        "heading": label(EDGE, 20, fitted(played.flow.title, "t-head", wide / 2), "t-head"),
        "note": label(wide - EDGE, 20, told_of, "t-note", "end"),
    }


def _classes(still: Picture, acting: Stage, frames: tuple[Frame, ...]) -> frozenset[str]:
    """Everything that the rules are needed for."""
    whole = replace(still, groups=(*still.groups, *acting.heads))
    return (
        classes_of([whole])
        | {"canvas", "t-head", "t-note", "t-strong", "t-loud", "race-text", "arrow", "flow", "head"}
        | {word for frame in frames for word in frame.look.split()}
    )


def _frame(row: Told, acting: Stage, at: int, *, of: int, last: int, wide: float) -> Frame:
    deed = acting.deeds.get(row.n)
    when = say("export", "shown", n=row.n, total=last, at=row.at)
    labels = [
        label(EDGE, 44, fitted(when, "t-note", 220), "t-note"),
        label(200, 44, fitted(row.title, "t-strong", wide - 330), "t-strong"),
    ]
    if row.failing:
        labels.append(label(wide - EDGE, 44, say("export", "failing"), "t-loud race-text", "end"))
    return Frame(
        # Negative, so that all of them run from the start, each at its own place.
        delay=f"{(at - of) * SLOT:g}",
        still=at == of - 1,
        labels=tuple(labels),
        lines=deed.lines if deed else (),
        look=f"arrow k-{deed.kind}{' harm' if deed.harm else ''}" if deed else "",
    )


def _stops(places: list[Number]) -> tuple[Stop, ...]:
    """Each step's place, reached soon after its turn begins and held until the next begins."""
    share = 100 / len(places)
    found = []
    for at, x in enumerate(places):
        begins = share * (at + GLIDE / SLOT if at else 0)
        found += [Stop(f"{begins:.4g}", x), Stop(f"{share * (at + 1):.4g}", x)]
    return tuple(found)
