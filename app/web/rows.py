"""The lists of the player: steps, symptoms, verdicts, what kubectl prints, what changed, who could go first."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import sha256

from app.catalog import starting
from app.diagram.extract.lanes import Participant, participant
from app.diagram.extract.names import short_ref
from app.kube.meta import DEFAULT_NAMESPACE, Ref
from app.kube.objects import KIND_BY_WORD
from app.sim import actions
from app.sim.schedule import Schedule
from app.story import play as story
from app.story.fact import Fact
from app.story.facts import FACTS
from app.story.play import Answered, Play, Seen
from app.story.terminal import kubectl, pods_after
from app.web.address import Place
from app.web.moment import Moment, clock_text, seconds
from app.web.player_page import ChangeRow, Printed
from app.web.player_parts import Command, Insight, Line, Offered, StepRow, SymptomRow, VerdictRow
from app.web.scrubber import state_of

MOST_OFFERS = 40
PODS = "get pods -o wide"
SHOWN = (PODS, "get events")
"""What is read first; the rest is a click away."""
KINDS = frozenset(KIND_BY_WORD.values())
AGED = ("AGE", "LAST SEEN", "Age")
"""Columns that change with the clock alone."""
CONTROLLER = re.compile(r"The (?:[\w-]+ ){0,2}(?:controller|manager)(?= )")
LASTS = re.compile(r" \(lasts [^)]+\)$")
MOST_NAMES = 100
"""Pods that are links in the list of pods."""


def step_rows(moment: Moment, titles: tuple[str, ...]) -> tuple[StepRow, ...]:
    """All steps in order."""
    found = []
    for row, words in zip(moment.steps, titles, strict=True):
        who = participant(moment.played.flow, row.step.sender)
        lead = _lead(who, words)
        found.append(
            StepRow(
                n=row.n,
                href=moment.step(row.n),
                kind=who.kind,
                lane=lead or who.name,
                title=words.removeprefix(lead).lstrip(),
                at=seconds(row.step.at),
                state=state_of(row.n, moment.n),
                harm=row.step.world.ledger.loses,
                folded=row.folded,
            )
        )
    return tuple(found)


def _lead(who: Participant, title: str) -> str:
    """The beginning of a title that says already who it is, so that a list need not say it twice."""
    if who.kind == "app":
        meant: tuple[str, ...] = (f"The process of {who.title}", f"The program in {who.title}")
    elif who.under:
        meant = (f"{who.title} on {who.under}", f"The {who.title} on {who.under}")
    else:
        meant = (who.title, f"The {who.title}", f"The {who.title.lower()}")
    named = CONTROLLER.match(title) if who.kind == "controller" else None
    return named.group() if named else next((words for words in meant if title.startswith(f"{words} ")), "")


def listing(steps: tuple[StepRow, ...]) -> str:
    """A digest of the step list without where the reader is: it is the same on every page of a walk."""
    told = "\n".join(f"{row.href} {row.kind} {row.lane} {row.title} {row.at} {row.harm}" for row in steps)
    return sha256(told.encode()).hexdigest()[:16]


def symptom_rows(moment: Moment) -> tuple[SymptomRow, ...]:
    """What happens in this walk first, then what a scene would show."""
    rows = [_symptom(moment, row) for row in moment.played.symptoms]
    order = {"happening": 0, "coming": 1, "absent": 2}
    return tuple(sorted(rows, key=lambda row: order[row.state]))


def _symptom(moment: Moment, row: Seen) -> SymptomRow:
    state = "absent"
    href = moment.scene(row.scene) if row.scene else ""
    if row.present:
        state = "coming" if row.step and row.step > moment.n else "happening"
        href = moment.step(row.step) if row.step else ""
    return SymptomRow(title=row.title, cause=row.cause, look=row.look, href=href, state=state, step=row.step or 0)


def verdict_rows(played: Play, place: Place) -> tuple[VerdictRow, ...]:
    """Every verdict with the step that decides it."""
    return tuple(_verdict(place, row) for row in played.verdicts)


def _verdict(place: Place, row: Answered) -> VerdictRow:
    return VerdictRow(
        title=row.title,
        value=_spoken(row),
        range="" if row.least is None or row.most in (None, row.least) else f"{row.least:g}–{row.most:g}",
        varies=row.varies if row.exact is not None else (),
        exact=bool(row.exact),
        ok="" if row.ok is None else "good" if row.ok else "bad",
        text=row.text,
        href=place.step(row.step) if row.step else "",
        step=row.step or 0,
    )


def _spoken(row: Answered) -> str:
    if row.value is None and row.id not in FACTS and row.least is None:
        return "?"
    return story.spoken(Fact(row.value, row.unit))


def commands(moment: Moment) -> tuple[Command, ...]:
    """What kubectl would print now, with the lines marked that the step before did not have."""
    asked = moment.place.query.described
    before = kubectl(moment.played, moment.n - 1, asked) if moment.n else {}
    found = []
    for words, text in kubectl(moment.played, moment.n, asked).items():
        described = _described(words)
        if described and not asked:
            found.append(Command(words=words, lines=(), shown=False, changed=False, href=_asking(moment, described)))
            continue
        lines = _lines(text, before.get(words, text))
        changed = any(line.tone for line in lines)
        named = _named(moment, lines) if words == PODS else lines
        found.append(Command(words=words, lines=named, shown=words in SHOWN or bool(described), changed=changed))
    return tuple(found)


def _described(words: str) -> Ref | None:
    """The pod that a command describes."""
    match words.split():
        case ["describe", "pod", name]:
            return Ref("Pod", DEFAULT_NAMESPACE, name)
        case ["describe", "pod", name, "-n", namespace]:
            return Ref("Pod", namespace, name)
    return None


def _asking(moment: Moment, pod: Ref) -> str:
    return f"{moment.asking(moment.place.query.describing(pod))}#described"


def _named(moment: Moment, lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """The list of pods, each of which can be described by a click."""
    head, *rows = lines
    pods = pods_after(moment.played, moment.n)
    linked = [_link(moment, line, pod.ref) for line, pod in zip(rows, pods[:MOST_NAMES], strict=False)]
    return (head, *linked, *rows[len(linked) :])


def _link(moment: Moment, line: Line, pod: Ref) -> Line:
    return replace(line, name=pod.name, text=line.text.removeprefix(pod.name), href=_asking(moment, pod))


def _lines(text: str, before: str) -> tuple[Line, ...]:
    known = set(_ageless(before))
    lines = text.splitlines()
    return tuple(
        Line(text=line, tone="" if same in known else "new") for line, same in zip(lines, _ageless(text), strict=True)
    )


def _ageless(text: str) -> list[tuple[str, ...]]:
    """Every line without its age, so that time alone changes nothing."""
    found: list[tuple[str, ...]] = []
    aged: list[int] = []
    for line in text.splitlines():
        columns = _columns(LASTS.sub("", line))
        # A description has its table of Events at its end.
        aged = aged or [at for at, name in enumerate(columns) if name in AGED]
        found.append(tuple(cell for at, cell in enumerate(columns) if at not in aged))
    return found


def _columns(line: str) -> list[str]:
    # kubectl pads with at least two spaces, and no cell has two in a row.
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def change_rows(moment: Moment) -> tuple[ChangeRow, ...]:
    """The fields that the step changed."""
    return tuple(
        ChangeRow(object=row.object, path=row.path, before=_told(row.before), after=_told(row.after))
        for row in story.changed(moment.played, moment.n)
    )


def _told(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def printed(moment: Moment) -> tuple[Printed, ...]:
    """What commands have printed; the command stands at the first of its lines."""
    found: list[Printed] = []
    last = 0
    for row in story.printing(moment.played, moment.n):
        for line in row.step.output:
            shown = story.command_of(row) if row.step.command != last else ""
            at = clock_text(row.step.at)
            found.append(Printed(clock=at, command=shown, text=line.text, error=line.stream == "stderr"))
            last = row.step.command
    return tuple(found)


def offers(moment: Moment) -> tuple[tuple[Offered, ...], int]:
    """Who could go first, the default first, and how many more there are."""
    left = moment.steps[moment.n - 1].left if moment.n else None
    if left is None:
        return (), 0
    usual = str(Schedule(starting.model(), left).next(left))
    found = [_offer(moment, offer, usual=offer.action == usual) for offer in story.offers(moment.played, moment.n)]
    ordered = sorted(found, key=lambda offer: not offer.usual)
    return tuple(ordered[:MOST_OFFERS]), max(0, len(ordered) - MOST_OFFERS)


def _offer(moment: Moment, offer: story.Offer, *, usual: bool) -> Offered:
    action = actions.parse(offer.action)
    who, what = "", ""
    match action:
        case actions.Deliver(process, kind):
            who, what = process.replace("/", " "), kind
        case actions.Reconcile(work):
            who = f"{work.loop} {work.node}".strip()
            # Keys such as `proxy/sync-runner` are no objects that a reader knows.
            what = short_ref(work.key) if work.key.kind in KINDS else ""
        case actions.Advance(to):
            what = clock_text(to)
        case actions.Intervene():
            what = str(moment.played.world(moment.n).script[0])
    return Offered(
        kind=offer.action.partition(":")[0],
        who=who,
        what=what,
        href=moment.asking(moment.choosing("pick", offer.pick)),
        pick=offer.pick,
        usual=usual,
    )


def insights(moment: Moment, name: str) -> tuple[Insight, ...]:
    """Questions and traps that hang on the moment of that name."""
    flow = moment.played.flow
    asked = [Insight(trap=False, asks=row.text, answers=row.answer) for row in flow.questions if row.moment == name]
    traps = [Insight(trap=True, asks=row.claim, answers=row.truth) for row in flow.traps if row.moment == name]
    return (*asked, *traps)
