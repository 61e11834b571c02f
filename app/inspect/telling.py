"""The computed facts as labelled sentences, for a page and a terminal alike."""

from __future__ import annotations

from typing import NamedTuple

from app.inspect.allowances import Allowance
from app.inspect.computed import Asked, ContainerFacts, PodFacts, Rollout, Window
from app.inspect.inspecting import Inspection
from app.inspect.spelling import amount, names, span, spread, together
from app.inspect.stopping import Stopping
from app.inspect.subject import ASSUMED_NODES, INIT
from app.inspect.words import counted, label, say
from app.kube.images import default_pull_policy
from app.kube.networking import Service
from app.kube.nodes import Node
from app.kube.pods import Toleration
from app.kube.workloads import DaemonSet


class Fact(NamedTuple):
    label: str
    says: str


class Section(NamedTuple):
    """One object, or one container of it."""

    title: str
    facts: tuple[Fact, ...]
    parts: tuple[Section, ...] = ()


def sections(found: Inspection) -> tuple[Section, ...]:
    """What makes pods, then budgets, then Services."""
    rivals = sum(row.standing.place is not None for row in found.pods)
    return (
        *(_of_pods(row, rivals) for row in found.pods),
        *(Section(str(row.budget.ref), (Fact(label("budget"), _allows(row)),)) for row in found.budgets),
        *(
            Section(str(row.ref), (Fact(label("service"), _endpoints(found, row)),))
            for row in found.subject.of(Service)
        ),
    )


def summary(found: Inspection) -> str:
    """How many objects were read and what was found."""
    counts = {name: counted(name, found.count(name)) for name in ("error", "warning", "note")}
    objects = {obj.ref for obj in found.subject.objects} | {obj.ref for obj, _ in found.subject.refused}
    return say("summary", objects=counted("objects", len(objects)), **counts)


def assumptions(found: Inspection) -> tuple[str, ...]:
    """What no manifest says and the facts rest on."""
    memory = found.subject.capacity["memory"]
    nodes = found.subject.of(Node)
    machines = say("given_nodes", memory=memory) if nodes else say("assumes_nodes", nodes=ASSUMED_NODES, memory=memory)
    return (machines, say("assumes_programs"), say("assumes_usage"))


def _of_pods(row: PodFacts, rivals: int) -> Section:
    daemon = isinstance(row.made.owner, DaemonSet)
    facts = [
        Fact(label("pods"), say("pods_of_nodes" if daemon else "pods", count=f"{row.made.pods:,}")),
        Fact(label("qos"), row.qos),
        Fact(label("requests"), _asks(row.asked)),
        Fact(label("limits"), together(row.asked.limits) or say("nothing")),
        Fact(label("eviction"), _evicted(row, rivals)),
        Fact(label("termination"), _ends(row)),
    ]
    if row.injected:
        facts.append(Fact(label("tolerations"), names(_tolerated(one) for one in row.injected)))
    if row.rollout is not None and row.rollout.strategy:
        facts.append(Fact(label("rollout"), _rolls(row.rollout, daemon=daemon)))
    return Section(str(row.made.ref), tuple(facts), tuple(_of_container(one) for one in row.containers))


def _asks(asked: Asked) -> str:
    parts = [
        say(f"of_{name}", amounts=text)
        for name, amounts in (
            ("containers", asked.containers),
            ("sidecars", asked.sidecars),
            ("init", asked.init_peak),
            ("overhead", asked.overhead),
        )
        if (text := together(amounts))
    ]
    total = together(asked.total) or say("nothing")
    return say("parts", total=total, parts="; ".join(parts)) if len(parts) > 1 else total


def _evicted(row: PodFacts, rivals: int) -> str:
    standing = row.standing
    if standing.place is None:
        return say("never_evicted", priority=standing.priority)
    return say(
        "evicted",
        place=standing.place,
        of=rivals,
        priority=standing.priority,
        request=amount("memory", standing.request),
        usage=say("unbounded") if standing.usage is None else amount("memory", standing.usage),
    )


def _ends(row: PodFacts) -> str:
    killed = any(one.stop is not None and one.stop.stop.killed for one in row.containers)
    return say("ends_killed" if killed else "ends_within", ended=span(row.ended), grace=f"{row.grace}s")


def _tolerated(row: Toleration) -> str:
    seconds = say("forever") if row.tolerationSeconds is None else f"{row.tolerationSeconds}s"
    return say("toleration", key=row.key, effect=row.effect, seconds=seconds)


def _rolls(row: Rollout, *, daemon: bool) -> str:
    if row.order:
        return _rolls_in_order(row)
    if row.unavailable is None or row.surge is None:
        return say("on_delete" if row.strategy == "OnDelete" else "strategy", strategy=row.strategy)
    if daemon:
        return say(
            "two_of_nodes" if row.surge else "missing_of_nodes",
            strategy=row.strategy,
            count=row.surge or row.unavailable,
            replicas=row.replicas,
        )
    return say(
        "surges",
        strategy=row.strategy,
        most=row.replicas + row.surge,
        least=row.replicas - row.unavailable,
        surge=row.surge,
        unavailable=row.unavailable,
    )


def _rolls_in_order(row: Rollout) -> str:
    """Of a StatefulSet, with the order in which its pods are made."""
    if row.strategy == "OnDelete":
        text = say("on_delete", strategy=row.strategy)
    elif row.partition:
        name = "none_beyond" if row.partition >= row.replicas else "beyond"
        count = row.replicas - row.partition
        text = say(name, strategy=row.strategy, partition=row.partition, count=count, replicas=row.replicas)
    else:
        text = say("one_by_one", strategy=row.strategy)
    return say(f"made_{row.order}", rolls=text, order=row.order)


def _of_container(row: ContainerFacts) -> Section:
    given = row.part.row
    policy = row.pull_policy
    if policy == default_pull_policy(given.image):
        policy = say("policy_default", policy=policy)
    facts = [
        Fact(label("pull"), say("pulled", image=given.image, policy=policy)),
        Fact(label("oom"), str(row.oom_score_adj)),
    ]
    if row.part.kind != INIT:
        facts += [
            Fact(label("startup"), _window(row.startup, "no_limit_on_start")),
            Fact(label("detection"), _window(row.detection, "not_watched")),
            Fact(label("withdrawal"), _window(row.withdrawal, "always_in_rotation")),
        ]
    if row.admission is not None:
        facts.append(Fact(label("admission"), say("passes", usual=spread(row.admission))))
    elif row.part.kind != INIT:
        facts.append(Fact(label("admission"), say("as_soon_as_it_runs")))
    if row.stop is not None:
        facts.append(Fact(label("stop"), _stops(row.stop)))
    return Section(label(row.part.kind, name=given.name), tuple(facts))


def _window(found: Window | None, without: str) -> str:
    if found is None:
        return say(without)
    same = found.usual == found.hanging
    return say(
        "window" if same else "window_hanging",
        usual=spread(found.usual),
        hanging=spread(found.hanging),
        probe=found.probe,
    )


def _stops(row: Stopping) -> str:
    length = say("never_returns") if row.prestop is None else span(row.prestop)
    stop = row.stop
    return say(
        "stops",
        hook=say(f"hook_{row.source}", prestop=length),
        signalled=span(stop.signalled),
        timeout=stop.timeout,
        end=say("killed" if stop.killed else "exits", ended=span(stop.ended)),
    )


def _allows(row: Allowance) -> str:
    if row.fault:
        return say("uncountable", fault=row.fault)
    if not row.pods:
        return say("covers_nothing")
    return say("allows", allowed=f"{row.allowed:,}", pods=f"{row.pods:,}", healthy=f"{row.healthy:,}")


def _endpoints(found: Inspection, service: Service) -> str:
    if not service.spec.selector:
        return say("selects_itself")
    made = found.subject.selected_by(service)
    if not made:
        return say("selects_nothing")
    return counted("selects", sum(row.pods for row in made), made=names(row.ref for row in made))
