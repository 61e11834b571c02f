"""One walk of one flow with everything that is said about it: what pages, pictures and the command line share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from app.catalog import starting
from app.catalog.flow import Flow, Setup, Verdict
from app.catalog.wording import worded
from app.errors import BadInput, NotFound
from app.kube import durations
from app.kube.manifests import read_files
from app.kube.meta import Ref
from app.kube.near_names import did_you_mean
from app.sim.acts import Line
from app.sim.flatten import Change, changes, compared, machine
from app.sim.walk import Record, Walk
from app.sim.world import World
from app.story import claims
from app.story.fact import Fact, Subject
from app.story.facts import FACTS
from app.story.words import Passage, filled, tell

KEPT = 64
"""Walks kept in memory; a walk is a pure function of its request."""


LONGEST_NUMBER = 10
"""Digits: Python refuses to read a number of thousands."""


class PlayRequest(Struct, frozen=True):
    """What decides a walk. Settings and choices are as written in an address."""

    flow: str
    settings: tuple[tuple[str, str], ...] = ()
    scene: str = ""
    manifests: tuple[tuple[str, str], ...] | None = None
    """(source, text) of the reader's own manifests; None means the flow's cluster."""
    choices: tuple[tuple[str, str], ...] = ()
    """(do | pick, text) in order."""
    until: str = ""
    applies: tuple[tuple[str, str], ...] = ()
    """(hash, text) of the manifests that an `apply m:HASH` names."""
    words: str = ""
    """The words that it is told in; the flow's own without."""


class Answered(Struct, frozen=True):
    """A verdict of one walk."""

    id: str
    title: str
    value: float | bool | str | None
    unit: str
    ok: bool | None
    step: int | None
    text: str
    least: float | None = None
    most: float | None = None
    varies: tuple[str, ...] = ()
    exact: bool | None = None


class Seen(Struct, frozen=True):
    """A symptom, and whether this walk shows it."""

    id: str
    title: str
    cause: str
    look: str
    scene: str
    present: bool
    step: int | None


class Play(Struct, frozen=True):
    """A walk with its flow, its setup and what is to be said of the whole of it."""

    request: PlayRequest
    flow: Flow
    setup: Setup
    target: Ref
    walk: Walk
    verdicts: tuple[Answered, ...]
    symptoms: tuple[Seen, ...]

    def world(self, n: int) -> World:
        """The world after step n; 0 is the start."""
        return self.walk.start if n == 0 else self.steps[n - 1].step.world

    @property
    def steps(self) -> list[Record]:
        return self.walk.steps


class Offer(Struct, frozen=True):
    """Something else that could happen right after a step."""

    action: str
    pick: str
    """The `pick=` value that chooses it."""


def request(
    flow: str,
    *,
    settings: Sequence[tuple[str, str]] = (),
    scene: str = "",
    manifest: str | Mapping[str, str] | None = None,
    choices: Sequence[tuple[str, str]] = (),
    until: str = "",
    applies: Mapping[str, str] | None = None,
    words: str = "",
) -> PlayRequest:
    """A request from parts in any sequence type; a manifest is one text, or several by the name of their source."""
    texts = {"manifest": manifest} if isinstance(manifest, str) else manifest
    given = None if texts is None else tuple(texts.items())
    applied = tuple((applies or {}).items())
    return PlayRequest(flow, tuple(settings), scene, given, tuple(choices), until, applied, words)


def play(asked: PlayRequest) -> Play:
    """Run the walk of a request. Raises NotFound for an unknown flow or scene, BadInput with all problems otherwise."""
    problem_check(asked)
    return in_words(_played(replace(asked, words=""), starting.digest(asked.flow)), asked.words)


def in_words(played: Play, words: str) -> Play:
    """The same walk told in other words; BadInput for words that its flow does not have."""
    return _retold(played.request, played.flow.digest, words) if words else played


@lru_cache(maxsize=KEPT)
def _retold(asked: PlayRequest, digest: str, words: str) -> Play:
    base = _played(replace(asked, words=""), digest)
    flow = worded(base.setup.flow, words)
    facts = _Facts(Subject(base.walk, base.target))
    told = replace(base, request=replace(asked, words=words), flow=flow)
    return replace(told, verdicts=_verdicts(flow, facts), symptoms=_symptoms(flow, facts))


def problem_check(asked: PlayRequest) -> None:
    """Refuse a bad `until` before anything is built."""
    if asked.until:
        try:
            durations.parse(asked.until)
        except ValueError as error:
            raise BadInput([f"until {asked.until!r}: {error}"]) from None


@lru_cache(maxsize=KEPT)
def _played(asked: PlayRequest, _digest: str) -> Play:
    manifests = read_files(dict(asked.manifests)) if asked.manifests is not None else None
    setup = starting.setup(
        asked.flow,
        settings=dict(asked.settings),
        manifests=manifests,
        scene=asked.scene,
        choices=asked.choices,
        until=asked.until,
        applies={name: read_files({f"m:{name}": text}) for name, text in asked.applies},
    )
    world = starting.start(setup)
    target = starting.target(setup, world)
    walk = starting.walk(setup)
    if walk.problems:
        raise BadInput(list(walk.problems))
    if world.etcd.get(target) is None:
        # What the walk is about is made in it.
        target = starting.target(setup, walk.world)
    facts = _Facts(Subject(walk, target))
    return Play(asked, setup.flow, setup, target, walk, _verdicts(setup.flow, facts), _symptoms(setup.flow, facts))


def tally() -> tuple[int, int]:
    """How often a walk was found among those in memory, and how often one was computed."""
    found = _played.cache_info()
    return found.hits, found.misses


class _Facts:
    """What is true of a walk, found out when it is asked for: most flows ask for few of all facts."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._known: dict[str, Fact] = {}

    def __getitem__(self, name: str) -> Fact:
        if name not in self._known:
            self._known[name] = FACTS[name](self._subject)
        return self._known[name]


def _verdicts(flow: Flow, facts: _Facts) -> tuple[Answered, ...]:
    found = []
    for row in flow.verdicts:
        fact = facts[row.id] if row.id in FACTS else None
        if fact is None:
            found.append(Answered(row.id, row.title, None, "", None, None, filled(row.text, {"value": "not searched"})))
            continue
        ok = None
        if row.ok:
            ok = all(claim.holds(facts[claim.name].value) for claim in claims.parse(row.ok, FACTS))
        words = {"value": spoken(fact), **dict(fact.more)}
        text = filled(_sentence(row, fact), words)
        found.append(
            Answered(row.id, row.title, fact.value, fact.unit, ok, fact.step, text, least=fact.least, most=fact.most)
        )
    return tuple(found)


def _sentence(row: Verdict, fact: Fact) -> str:
    if fact.value is None:
        return row.never or row.nothing or row.text
    return row.text if fact.value else row.nothing or row.text


def facts_of(played: Play, names: Sequence[str]) -> dict[str, Fact]:
    """What is asked for of everything that can be told of a walk; BadInput for what nobody knows."""
    problems = [
        f"fact {name!r}: there is no such fact; allowed: {', '.join(FACTS)}{did_you_mean(name, FACTS)}"
        for name in names
        if name not in FACTS
    ]
    if problems:
        raise BadInput(problems)
    subject = Subject(played.walk, played.target)
    return {name: FACTS[name](subject) for name in names}


def spoken(fact: Fact) -> str:
    """A value as people say it."""
    if fact.value is None:
        return "never"
    if isinstance(fact.value, str):
        return fact.value
    if isinstance(fact.value, bool):
        return "yes" if fact.value else "no"
    unit = " s" if fact.unit == "s" else ""
    return f"{fact.value:g}{unit}"


def _symptoms(flow: Flow, facts: _Facts) -> tuple[Seen, ...]:
    found = []
    for row in flow.symptoms:
        rows = claims.parse(row.when, FACTS)
        present = all(claim.holds(facts[claim.name].value) for claim in rows)
        steps = [facts[claim.name].step for claim in rows if facts[claim.name].step]
        step = steps[0] if present and steps else None
        found.append(Seen(row.id, row.title, row.cause, row.look, row.scene, present, step))
    return tuple(found)


def position(played: Play, text: str) -> int:
    """The step that a number or a step id names; NotFound says what is there."""
    if text.isascii() and text.isdigit():
        if len(text) <= LONGEST_NUMBER and int(text) <= len(played.steps):
            return int(text)
        raise NotFound(f"step {text[:LONGEST_NUMBER]}: this walk has {len(played.steps)} steps")
    found = next((row.n for row in played.steps if row.id == text), None)
    if found is None:
        raise NotFound(f"step {text!r}: no step of this walk has that id; it may belong to other settings or choices")
    return found


def passage(played: Play, n: int, depth: str) -> Passage:
    """What just happened, in words for one of the four depths."""
    return (
        tell(played.flow, played.steps[n - 1], played.world(n), depth)
        if n
        else tell(played.flow, None, played.walk.start, depth)
    )


def changed(played: Play, n: int) -> tuple[Change, ...]:
    """Every field that a step changed, API objects first."""
    return differences(played.steps[n - 1]) if n else ()


def differences(row: Record) -> tuple[Change, ...]:
    """The fields that one record's act changed."""
    found = [
        Change(str(commit.ref), path, old, new)
        for commit in row.step.commits
        for path, old, new in changes(commit.before, commit.after)
    ]
    before, after = row.step.before.hosts, row.step.world.hosts
    if before is not after:
        for node in row.step.world.nodes:
            if before[node] is not after[node]:
                differing = compared(machine(before[node]), machine(after[node]))
                found += [Change(f"host/{node}", path, old, new) for path, old, new in differing]
    return tuple(found)


def command_of(row: Record) -> str:
    """The command line that an act belongs to, as typed; empty if none."""
    return next((cmd.text for cmd in row.step.world.commands.values() if cmd.number == row.step.command), "")


def output(played: Play, n: int) -> tuple[tuple[int, str, Line], ...]:
    """(time, command, line) of everything that commands have printed up to a step."""
    return tuple((row.step.at, command_of(row), line) for row in printing(played, n) for line in row.step.output)


def printing(played: Play, n: int) -> list[Record]:
    """The acts up to a step with which a command printed something."""
    return [row for row in played.walk.records[: records_until(played, n)] if row.step.output]


def records_until(played: Play, n: int) -> int:
    """How many records have happened once step n has."""
    if n == 0:
        # Background acts carry no number either.
        return 0
    if n >= len(played.steps):
        return len(played.walk.records)
    return next((at + 1 for at, row in enumerate(played.walk.records) if row.n == n), 0)


def offers(played: Play, n: int) -> tuple[Offer, ...]:
    """Who else could go first right after a step."""
    row = played.steps[n - 1] if n else None
    if row is None or row.left is None:
        return ()
    return tuple(Offer(str(action), f"{row.id}!{action}") for action in starting.model().enabled(row.left))
