"""What a step's arrow says, whom it goes from and to, and what caused it."""

from __future__ import annotations

from app.catalog.flow import Flow
from app.diagram import words
from app.diagram.extract.lanes import Participant, participant
from app.diagram.extract.names import seconds, short, short_ref
from app.kube.meta import Ref
from app.kube.pods import Pod
from app.sim.walk import Record

REFUSALS = frozenset(
    {
        "conflict",
        "not-found",
        "already-exists",
        "invalid",
        "unreachable",
        "too-many-requests",
        "forbidden",
        "internal-error",
        "busy",
    }
)
WATCH = "watch "


LOST = frozenset({"name-unknown", "name-unanswered", "call-refused", "call-rejected", "call-unanswered", "call-error"})
"""Moments in which a program's call fails."""


def text_of(record: Record) -> str:
    """A few words for the arrow."""
    step = record.step
    word = step.outcome.partition(":")[0]
    text = words.act(step.loop, step.verb, _names(record)).rstrip(" :,")
    return words.plain("refused", text=text, outcome=words.say("answer", word)) if word in REFUSALS else text


def _names(record: Record) -> dict[str, object]:
    step = record.step
    after = step.commits[0].after if step.commits else None
    grace = after.metadata.deletionGracePeriodSeconds if isinstance(after, Pod) else None
    return {
        "object": _subject(step.object),
        "name": short(step.object.name),
        "kind": step.object.kind.lower(),
        "node": step.node,
        "reason": step.reason,
        "outcome": step.outcome,
        "grace": 0 if grace is None else grace,
    }


def _subject(ref: Ref) -> str:
    return short_ref(ref) if ref.name else ref.kind.lower()


def sender(flow: Flow, record: Record) -> Participant:
    return participant(flow, record.step.sender)


def receiver(flow: Flow, record: Record) -> Participant:
    """Where the arrow goes; a lane that is only a reference (what a reader did) counts as its own act."""
    step = record.step
    if step.loop == "you" and step.to.split(" ")[0] in ("pod", "node", "dependency"):
        return participant(flow, step.sender)
    return participant(flow, step.to)


def harm(record: Record) -> bool:
    """Whether the arrow itself is harm: a request or call that failed, or an API server that did not answer."""
    step = record.step
    return step.moment.startswith("request-") or step.moment in LOST or step.outcome.startswith("unreachable")


def watched(record: Record) -> str:
    """What the watch event was about that woke the loop (`pod/web-7pxpv`), or empty."""
    cause = record.cause
    if not cause.startswith(WATCH) or record.step.loop == "api-server":
        return ""
    kind, _, name = cause.removeprefix(WATCH).rpartition("/")
    return f"{kind}/{short(name)}"


def watch_text(record: Record) -> str:
    return words.plain("watch", object=watched(record))


def moment_of(record: Record | None) -> str:
    """`Step 11, T+0.600 s`."""
    if record is None:
        return words.say("short", "start")
    return words.say("short", "step", n=record.n, at=seconds(record.step.at))


def sentence(flow: Flow, record: Record) -> str:
    """`Clients → kube-proxy node-2: connection refused`."""
    one, other = sender(flow, record), receiver(flow, record)
    who = one.name if one.lane == other.lane else f"{one.name} → {other.name}"
    return f"{who}: {text_of(record)}"
