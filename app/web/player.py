"""The player's page from a moment of a walk: the one place where all layers meet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from app.catalog import own_words, targets, values
from app.catalog.wording import reworded
from app.diagram import Pin
from app.kube import durations
from app.kube.releases import CURRENT, NAMES, Release
from app.sim.interventions import VERBS
from app.sim.loop import SERVER
from app.sim.maps import ordered
from app.story import play as story
from app.story.words import DEPTHS, Passage
from app.web import pictures, rows
from app.web.address import VERSION, Query
from app.web.embedding import changed_since
from app.web.frames import frame
from app.web.moment import LEAST_WAIT, Moment, clock_text, how_long
from app.web.oembed import discovery
from app.web.player_page import Intervening, PlayerPage
from app.web.player_parts import Chosen, Clock, Depth, Drawn, Field, Saying, SceneLink, Sharing, Unmodelled
from app.web.ranking import ranking_panel
from app.web.scrubber import scrubber
from app.web.session_parts import Kept
from app.web.telling import brief, titles

MOST_EXAMPLES = 12


@dataclass(frozen=True, kw_only=True)
class Typed:
    """What a reader gave that cannot be carried out: shown again beside what was wrong with it."""

    settings: tuple[tuple[str, str], ...] = ()
    intervention: str = ""
    problems: tuple[str, ...] = ()

    def problem_of(self, setting: str) -> str:
        start = f"setting {setting}: "
        return "; ".join(row.removeprefix(start) for row in self.problems if row.startswith(start))


def player_page(
    moment: Moment,
    *,
    origin: str,
    shapes: tuple[str, ...] = pictures.SHAPES,
    typed: Typed | None = None,
    kept: Kept | None = None,
    listing: str = "",
) -> PlayerPage:
    """Everything about one step; `listing` is the digest of the step list that the reader's page has."""
    played, flow, free = moment.played, moment.played.flow, moment.free
    told = titles(played)
    depth = moment.place.query.depth or DEPTHS[0]
    passage = story.passage(played, moment.n, depth)
    fields = _fields(moment, typed or Typed())
    named = {f"setting {field.name[4:]}: " for field in fields}
    steps = rows.step_rows(moment, told)
    digest = rows.listing(steps)
    offered, left = rows.offers(moment)
    flow_path = f"/f/{flow.id}"
    return PlayerPage(
        frame=frame(
            title=f"{flow.title} · {told[moment.n - 1]}" if moment.n else flow.title,
            description=flow.summary,
            theme=moment.place.query.theme,
            current="flows",
            here=lambda theme: moment.asking(moment.place.query.in_theme(theme)),
        ),
        flow_title=flow.title,
        chapter=flow.chapter,
        clock=clock_of(moment),
        scrubber=scrubber(moment, told),
        steps=steps,
        listing=digest,
        listed=listing == digest,
        saying=saying_of(moment, passage, told),
        depths=tuple(
            Depth(name=name, href=moment.asking(moment.place.query.at_depth(name)), current=name == depth)
            for name in DEPTHS
        ),
        wordings=_wordings(moment),
        cluster=pictures.drawn(played, "cluster", moment.n, shapes),
        messages=pictures.drawn(played, "messages", moment.n, shapes),
        timeline=_timeline(moment, shapes, kept.marks if kept else ()),
        ranking=ranking_panel(played, moment.n),
        commands=rows.commands(moment),
        changes=rows.change_rows(moment),
        output=rows.printed(moment),
        symptoms=rows.symptom_rows(moment),
        scenes=_scenes(moment),
        fields=fields,
        carried=(("at", str(moment.n)), *free.pairs(without=("set",))),
        settings_action=flow_path,
        problems=tuple(row for row in (typed.problems if typed else ()) if not row.startswith(tuple(named))),
        verdicts=rows.verdict_rows(played, moment.place),
        offers=offered,
        offers_left=left,
        chosen=_chosen(moment, in_session=kept is not None),
        intervention=_intervention(moment, kept, typed.intervention if typed else ""),
        insights=rows.insights(moment, passage.moment),
        assumes=flow.assumes,
        leaves_out=flow.leaves_out,
        assumed=tuple(own_words.sentence(what, names) for what, names in played.setup.assumed),
        not_modelled=tuple(Unmodelled(object=name, path=path) for name, path in played.setup.not_modelled),
        release=played.setup.release.name,
        dropped=tuple(Unmodelled(object=name, path=path, since=at) for name, path, at in played.setup.dropped),
        versions=_versions(flow_path, free, played.setup.release),
        orders=f"{flow_path}/orders{free}",
        sweep=f"{flow_path}/sweep{free}",
        compare=_compared(flow_path, free),
        overlay=f"{flow_path}/overlay{free}",
        sharing=_sharing(moment, origin),
        oembed=discovery(kept.reading if kept else f"{origin}{moment.place.step(moment.id)}"),
        changed=changed_since(played, moment.n, moment.place.query.seen),
        saving=() if kept else (("flow", flow.id), ("step", moment.id), *free.pairs()),
        kept=kept,
        present=moment.beside("/present").step(moment.n),
        speaker=moment.beside("/speaker").step(moment.n),
    )


def _timeline(moment: Moment, shapes: tuple[str, ...], marks: tuple[Pin, ...]) -> Drawn:
    if marks:
        return pictures.noted(moment.played, moment.n, shapes, marks)
    return pictures.drawn(moment.played, "timeline", moment.n, shapes)


def _compared(flow_path: str, free: Query) -> str:
    """This walk beside the same without its scene, settings and choices."""
    usual, mine = Query(manifest=free.manifest), free.walk_only()
    return "" if mine == usual else _beside(flow_path, usual, mine)


def _beside(flow_path: str, first: Query, second: Query) -> str:
    return f"{flow_path}/compare?{urlencode({'a': str(first)[1:], 'b': str(second)[1:]})}"


def _versions(flow_path: str, free: Query, here: Release) -> tuple[tuple[str, str], ...]:
    """This walk beside the same with every other Kubernetes."""
    mine = free.walk_only()
    others = [name for name in NAMES if name != here.name]
    usual = CURRENT.name
    return tuple(
        (name, _beside(flow_path, mine, mine.with_setting(VERSION, "" if name == usual else name))) for name in others
    )


def _wordings(moment: Moment) -> tuple[Depth, ...]:
    """The flow's own words and its others; none where it has no others."""
    query, others = moment.place.query, moment.played.flow.wordings
    rows = [("", ""), *((name, row.label) for name, row in others.items())] if others else []
    return tuple(
        Depth(name=label, href=moment.asking(query.in_words(name)), current=query.words == name) for name, label in rows
    )


def clock_of(moment: Moment) -> Clock:
    n, last = moment.n, len(moment.steps)
    wait = moment.steps[n].step.at - moment.now if n < last else 0
    return Clock(
        text=clock_text(moment.now),
        step=n,
        steps=last,
        first=moment.step(0),
        back=moment.step(n - 1) if n else "",
        next=moment.step(n + 1) if n < last else "",
        last=moment.step(last),
        wait=how_long(wait) if wait >= LEAST_WAIT else "",
        stopped=moment.played.walk.stopped,
    )


def saying_of(moment: Moment, passage: Passage, told: tuple[str, ...]) -> Saying:
    facts: list[tuple[str, str]] = []
    if moment.n:
        row = moment.steps[moment.n - 1]
        step = row.step
        found = (
            ("act", "" if passage.text else f"{step.verb} {step.object}"),
            ("outcome", "" if step.outcome == "ok" else step.outcome),
            ("reason", step.reason),
            ("cause", row.cause),
            ("folded", str(row.folded) if row.folded else ""),
        )
        terms = moment.played.flow.terms
        facts = [(name, reworded(value, terms)) for name, value in found if value]
    said = passage.text.strip()
    return Saying(
        title=told[moment.n - 1] if moment.n else passage.title,
        text=brief(said, moment.steps[moment.n - 1]) if moment.n else said,
        facts=tuple(facts),
        failed=f"{passage.failed:g}" if passage.failed or passage.harm else "",
        window=f"{passage.window:.3f}",
        failing=passage.harm,
    )


def _scenes(moment: Moment) -> tuple[SceneLink, ...]:
    current = moment.played.setup.scene
    return tuple(
        SceneLink(
            title=scene.title,
            summary=scene.summary,
            href=moment.scene("" if scene.id == current else scene.id),
            current=scene.id == current,
        )
        for scene in moment.played.flow.scenes
    )


def _fields(moment: Moment, typed: Typed) -> tuple[Field, ...]:
    flow, setup = moment.played.flow, moment.played.setup
    scene = next((row for row in flow.scenes if row.id == setup.scene), None)
    given = dict(typed.settings)
    found = []
    for setting in flow.settings:
        usual = (scene.settings if scene else {}).get(setting.name, targets.usual(setting, setup.release))
        value = given.get(setting.name, setup.settings[setting.name])
        # Left empty it goes with the version, also when another one is chosen in the same form.
        left = usual if targets.follows(setting) and value in (usual, "") else ""
        found.append(
            Field(
                name=f"set.{setting.name}",
                title=setting.title,
                value="" if left else value,
                placeholder=left,
                usual=usual,
                help=setting.help,
                allowed=values.allowed(setting),
                choices=setting.choices if setting.type == "choice" else ("true", "false") * (setting.type == "switch"),
                free=setting.open_choices,
                changed=not left and value != usual,
                problem=typed.problem_of(setting.name),
            )
        )
    return tuple(found)


def _chosen(moment: Moment, *, in_session: bool) -> tuple[Chosen, ...]:
    path, query = moment.place.path, moment.place.query
    return tuple(
        Chosen(kind=kind, text=text, without="" if in_session else f"{path}{query.without_choice(at).near(moment.n)}")
        for at, (kind, text) in enumerate(moment.free.choices)
    )


def _intervention(moment: Moment, kept: Kept | None, text: str) -> Intervening:
    # A millisecond later, so that it comes after this step and not before it.
    after = durations.format(moment.now + 1) if moment.n else "0s"
    carried = kept.carried if kept else (("at", str(moment.n)), *moment.choosing("do", "").pairs())
    return Intervening(
        action=f"{moment.place.path}/choices" if kept else moment.place.path,
        post=kept is not None,
        barred=kept is not None and not kept.may_edit,
        carried=carried,
        value=text or f"{after} ",
        examples=tuple(f"{after} {words}" for words in _possible(moment)),
        usages=tuple(verb.usage for verb in VERBS.values()),
    )


def _possible(moment: Moment) -> list[str]:
    """Interventions on what is there now: what is lost or down may come back; then processes, pods and nodes."""
    world, target = moment.played.world(moment.n), moment.played.target
    lost = {name for name, host in ordered(world.hosts) if (host.isolated or not host.power) and not host.deleted}
    back = [f"bring-back node/{name}" for name in world.nodes if name in lost]
    back += [
        f"{'thaw' if process in world.frozen else 'start'} {process}"
        for process, _ in ordered(world.down)
        if process.partition("/")[2] not in lost
    ]
    mine = [f"{verb} {target}" for verb in ("logs", "crash")] if world.etcd.get(target) and target.kind == "Pod" else []
    pods = [f"delete {ref}" for ref, _ in ordered(world.etcd.objects) if ref.kind == "Pod"]
    parts = [f"stop {process}" for process in ("kube-controller-manager", SERVER) if process not in world.down]
    there = [node for node in world.nodes if node not in lost]
    nodes = [f"{words}/{node}" for node in there for words in ("power-off node", "partition node", "stop kube-proxy")]
    return [*back, *mine, *parts, *pods, *nodes][:MOST_EXAMPLES]


def _sharing(moment: Moment, origin: str) -> Sharing:
    shared = moment.without_session
    forms = [
        (f"{view}.{kind}", shared.form(moment.id, kind, view)) for view in pictures.VIEWS for kind in ("svg", "png")
    ]
    forms += [(kind, shared.form(moment.id, kind)) for kind in ("mmd", "md", "txt", "json")]
    forms += [(f"{what} the walk…", moment.place.taking(what, moment.id)) for what in ("export", "report")]
    return Sharing(
        page=f"{origin}{shared.step(moment.id)}",
        forms=tuple(forms),
        embed=moment.place.asking(replace(moment.place.query, view="", theme="")).embed(moment.n),
    )
