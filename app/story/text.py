"""A walk as plain text and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from app.catalog import own_words
from app.catalog.wording import reworded
from app.sim.walk import Record
from app.story import who_first
from app.story.fact import Fact
from app.story.markup import in_markdown, line_of_markdown
from app.story.play import Play, command_of, spoken
from app.story.words import filled, moment, title, words_of


def line(played: Play, row: Record) -> str:
    """One step on one line."""
    folded = f"  (+{row.folded} folded)" if row.folded else ""
    outcome = "" if row.step.outcome in ("ok", "") else f"  [{row.step.outcome}]"
    lanes = f"{_lane(played, row.step.sender)} → {_lane(played, row.step.to)}"
    return f"{row.n:>4}  {row.step.at / 1000:>9.3f}  {lanes}: {title(played.flow, row)}{outcome}{folded}"


def _lane(played: Play, lane: str) -> str:
    """A lane's name; in other words, its title there."""
    if not played.flow.terms:
        return lane
    base, _, node = lane.rpartition(" ")
    titles = {row.lane: row.title for row in played.flow.lanes}
    if f"{base} *" in titles:
        return f"{titles[f'{base} *']} {node}"
    return titles.get(lane) or reworded(lane, played.flow.terms)


def plain(played: Play, facts: Mapping[str, Fact] | None = None) -> str:
    """The whole walk for a terminal, with the facts that were asked for."""
    head = (
        f"{played.flow.title}: {len(played.steps)} steps, {played.walk.world.now / 1000:.3f} s, {played.walk.stopped}"
    )
    verdicts = [f"  {mark(row.ok)} {row.text}" for row in played.verdicts]
    symptoms = [f"  ! {row.title}: {row.cause}" for row in played.symptoms if row.present]
    parts = [head, *_told(played), "", "Verdicts", *verdicts]
    if facts:
        parts += ["", "Facts", *(f"  {name} = {spoken(fact)}" for name, fact in facts.items())]
    if symptoms:
        parts += ["", "Symptoms", *symptoms]
    if played.setup.assumed:
        parts += ["", "Assumed", *(f"  {own_words.sentence(what, names)}" for what, names in played.setup.assumed)]
    if played.setup.not_modelled:
        parts += ["", "Not modelled", *(f"  {name} {path}".rstrip() for name, path in played.setup.not_modelled)]
    if played.setup.dropped:
        told = (f"  {name} {path} (from {since} on)" for name, path, since in played.setup.dropped)
        parts += ["", f"Dropped by Kubernetes {played.setup.release.name}", *told]
    return "\n".join(parts) + "\n"


def _told(played: Play) -> Iterator[str]:
    """Every step, and between them what commands print, as it appears."""
    typed: set[int] = set()
    orders = _orders(played)
    for row in played.walk.records:
        if row.n:
            yield line(played, row)
        for text in orders.get(row.id, ()) if row.n else ():
            yield f"{'':>18}{text}"
        at = f"{'':>4}  {row.step.at / 1000:>9.3f}"
        if row.step.output and row.step.command not in typed:
            typed.add(row.step.command)
            yield f"{at}  $ {command_of(row)}"
        for printed in row.step.output:
            yield f"{at}  {'err' if printed.stream == 'stderr' else 'out'}: {printed.text}"


def _orders(played: Play) -> dict[str, list[str]]:
    """By the id of a step: the order of pods or processes that led to it."""
    return {row.id: lines for row, lines in who_first.told(played.walk)} if played.flow.about_memory else {}


def mark(ok: bool | None) -> str:
    """A sign that does not rely on colour."""
    return {True: "ok ", False: "NO ", None: "   "}[ok]


def markdown(played: Play, n: int | None = None, depth: str = "middle") -> str:
    """The walk (up to step n) as numbered prose with a table of verdicts."""
    rows = played.steps if n is None else played.steps[:n]
    parts = [f"# {in_markdown(played.flow.title)}", "", line_of_markdown(played.flow.summary), ""]
    orders = _orders(played)
    for row in rows:
        parts.append(f"{row.n}. **{row.step.at / 1000:.3f} s** {in_markdown(title(played.flow, row))}")
        found = moment(played.flow, row.step.moment)
        if found:
            parts += ["", f"   {line_of_markdown(filled(getattr(found.notes, depth), words_of(row)))}", ""]
        if row.id in orders:
            parts += ["   ```", *(f"   {text}" for text in orders[row.id]), "   ```", ""]
    parts += ["", "| verdict | answer |", "| --- | --- |"]
    parts += [f"| {in_markdown(row.title)} | {in_markdown(row.text)} |" for row in played.verdicts]
    return "\n".join(parts) + "\n"
