"""Each picture as plain lines of text, for whoever does not see it."""

from __future__ import annotations

from app.diagram.layout.scale import spoken
from app.diagram.views import ChartView, Chip, ClusterView, MessagesView, NodeCard, Pin, PodCard, TimelineView
from app.diagram.words import say


def cluster_lines(view: ClusterView) -> tuple[str, ...]:
    """The step, each process, the slices, then node by node."""
    chips = (view.api, view.scheduler, view.controllers, *([view.dns] if view.dns is not None else []))
    lines = [view.caption, f"{view.control_plane}: {'; '.join(_chip(chip) for chip in chips)}"]
    lines += [table.about for table in view.slices]
    lines += [table.about for table in (view.budgets, view.waiting) if table is not None]
    lines += [line for card in view.nodes for line in (_counted(card) if view.compact else _node(card))]
    if view.more_nodes:
        lines.append(view.more_nodes)
    if view.clients:
        lines.append(f"{view.clients_name}: {view.clients}")
    return tuple(lines)


def _chip(chip: Chip) -> str:
    return f"{chip.name} {chip.note}".strip()


def _node(card: NodeCard) -> list[str]:
    chips = "; ".join(_chip(chip) for chip in (card.kubelet, card.runtime, card.proxy))
    lines = [f"{card.name}: {card.note}; {chips}"]
    lines += [f"{card.name}: {_pod(pod)}" for pod in card.pods]
    if card.memory is not None:
        lines.append(card.memory.title)
    lines += [f"{card.name}: {table.about}" for table in card.rules]
    if card.traffic is not None and card.traffic.note:
        lines.append(card.traffic.title)
    return lines


def _pod(pod: PodCard) -> str:
    said = f"{pod.name} {pod.status} {pod.ip}".rstrip()
    return f"{said}; {pod.memory.title}" if pod.memory is not None else said


def _counted(card: NodeCard) -> list[str]:
    """One of many nodes: how many of its pods are in which state."""
    lines = [f"{card.name}: {'; '.join(part for part in (card.note, card.counts) if part)}"]
    return [*lines, card.traffic.title] if card.traffic is not None and card.traffic.note else lines


def messages_lines(view: MessagesView) -> tuple[str, ...]:
    """One line for each arrow, the present one marked."""
    lines = [view.before] if view.before else []
    lines += [f"{say('messages', 'now')} {shot.title}" if shot.state == "now" else shot.title for shot in view.shots]
    return tuple([*lines, view.after] if view.after else lines)


def timeline_lines(view: TimelineView) -> tuple[str, ...]:
    """One line for each row, its intervals in order, then when requests fail."""
    lines = [view.cursor_text]
    for track in view.tracks:
        parts = (f"{part.text} {_span(part.start, part.end, view)}" for part in track.segments)
        lines.append(f"{track.name}: {'; '.join(parts)}" if track.segments else track.name)
    lines += [f"{view.race}: {_span(start, end, view)}" for start, end in view.races]
    lines += [pinned(pin) for pin in view.pins]
    return tuple(lines)


def pinned(pin: Pin) -> str:
    """A note in one line."""
    word = f"{pin.kind}-on" if pin.actor else pin.kind
    return say("timeline", word, n=pin.n, at=spoken(pin.at), actor=pin.actor, text=" ".join(pin.text.split()))


def _span(start: int, end: int, view: TimelineView) -> str:
    """When, left open where it began before the picture or goes on after it."""
    if start <= view.start:
        return say("timeline", "until", end=spoken(end))
    if end >= view.end:
        return say("timeline", "since", start=spoken(start))
    return say("timeline", "between", start=spoken(start), end=spoken(end))


def chart_lines(view: ChartView) -> tuple[str, ...]:
    """Value by value."""
    return tuple(column.about for column in view.columns)
