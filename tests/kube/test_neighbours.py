"""Affinity between pods and topology spread: nodes a and b in zone z1, node c in zone z2, node d without a zone."""

from collections.abc import Iterable

import pytest

from app.kube.meta import LabelSelector, ObjectMeta
from app.kube.neighbours import (
    AFFINITY,
    ANTI_AFFINITY,
    NOBODY,
    OTHERS_ANTI_AFFINITY,
    SPREAD,
    SPREAD_LABEL,
    crowding,
    neighbours,
    refused,
)
from app.kube.nodes import Node
from app.kube.placement import Affinity, PodAffinity, PodAffinityTerm, PodAntiAffinity, TopologySpreadConstraint
from app.kube.pods import Pod, PodSpec, PodStatus
from app.kube.stringmap import StringMap

NODES = {
    name: Node(ObjectMeta(name=name, labels=StringMap({"host": name, **({"zone": zone} if zone else {})})))
    for name, zone in (("a", "z1"), ("b", "z1"), ("c", "z2"), ("d", ""))
}


def app(name: str) -> LabelSelector:
    return LabelSelector(StringMap({"app": name}))


def pod(label: str, node: str = "", *, phase: str = "Running", deleted: bool = False, namespace: str = "x") -> Pod:
    meta = ObjectMeta(
        name=f"{label}-{node}",
        namespace=namespace,
        labels=StringMap({"app": label}),
        deletionTimestamp=1 if deleted else None,
    )
    return Pod(meta, PodSpec(nodeName=node), PodStatus(phase=phase))


def with_spec(given: Pod, **fields: object) -> Pod:
    spec = PodSpec(nodeName=given.spec.nodeName, **fields)  # type: ignore[arg-type]
    return Pod(given.metadata, spec, given.status)


def near(label: str, key: str = "zone", *namespaces: str) -> Affinity:
    return Affinity(podAffinity=PodAffinity((PodAffinityTerm(key, app(label), namespaces),)))


def apart(label: str, key: str = "zone") -> Affinity:
    return Affinity(podAntiAffinity=PodAntiAffinity((PodAffinityTerm(key, app(label)),)))


def verdicts(new: Pod, there: Iterable[Pod]) -> dict[str, str]:
    """The reason against each node that has one."""
    held = list(there)

    def selecting(namespace: str, selector: LabelSelector) -> list[Pod]:
        return [row for row in held if row.metadata.namespace == namespace and selector.selects(row.metadata.labels)]

    averse = [row for row in held if row.spec.affinity is not None]
    found = neighbours(new, NODES, selecting, averse, list(NODES.values()))
    rows = {name: refused(found, node) for name, node in NODES.items()}
    return {name: row[0] for name, row in rows.items() if row is not None}


@pytest.mark.parametrize(
    ("new", "there", "against"),
    [
        pytest.param(pod("web"), [pod("db", "a")], {}, id="pods without wishes go anywhere"),
        pytest.param(
            with_spec(pod("web"), affinity=near("db")),
            [pod("db", "a")],
            {"c": AFFINITY, "d": AFFINITY},
            id="near the database: its zone only",
        ),
        pytest.param(
            with_spec(pod("web"), affinity=near("db")),
            [pod("db", "a", phase="Succeeded")],
            dict.fromkeys("abcd", AFFINITY),
            id="one that has ended is nobody",
        ),
        pytest.param(
            with_spec(pod("web"), affinity=near("db")),
            [pod("db", "a", namespace="other")],
            dict.fromkeys("abcd", AFFINITY),
            id="nor one of another namespace",
        ),
        pytest.param(
            with_spec(pod("web"), affinity=near("db", "zone", "other")),
            [pod("db", "a", namespace="other")],
            {"c": AFFINITY, "d": AFFINITY},
            id="unless the term names it",
        ),
        pytest.param(
            with_spec(pod("web"), affinity=near("web")), [], {"d": AFFINITY}, id="the first of its group needs nobody"
        ),
        pytest.param(
            with_spec(pod("web"), affinity=apart("web", "host")),
            [pod("web", "a"), pod("web", "c", deleted=True)],
            {"a": ANTI_AFFINITY, "c": ANTI_AFFINITY},
            id="away from its own kind, also from one that ends",
        ),
        pytest.param(
            pod("web"),
            [with_spec(pod("lone", "a"), affinity=apart("web"))],
            {"a": OTHERS_ANTI_AFFINITY, "b": OTHERS_ANTI_AFFINITY},
            id="and away from those that do not want it",
        ),
    ],
)
def test_between_pods(new: Pod, there: list[Pod], against: dict[str, str]) -> None:
    assert verdicts(new, there) == against


def spread(key: str = "zone", skew: int = 1, when: str = "DoNotSchedule", least: int | None = None) -> Pod:
    row = TopologySpreadConstraint(skew, key, when, app("web"), least)
    return with_spec(pod("web"), topologySpreadConstraints=(row,))


@pytest.mark.parametrize(
    ("new", "there", "against"),
    [
        pytest.param(spread(), [], {"d": SPREAD_LABEL}, id="a node without the label is out"),
        pytest.param(
            spread("nokey"), [], dict.fromkeys("abcd", SPREAD_LABEL), id="as recorded: a key that no node has"
        ),
        pytest.param(
            spread(),
            [pod("web", "a")],
            {"a": SPREAD, "b": SPREAD, "d": SPREAD_LABEL},
            id="1 and 0: the fuller zone would be two ahead",
        ),
        pytest.param(spread(skew=2), [pod("web", "a")], {"d": SPREAD_LABEL}, id="a wider skew allows it"),
        pytest.param(
            spread(), [pod("web", "a", deleted=True)], {"d": SPREAD_LABEL}, id="terminating pods do not count"
        ),
        pytest.param(
            spread(least=3),
            [pod("web", "a"), pod("web", "c")],
            {"a": SPREAD, "b": SPREAD, "c": SPREAD, "d": SPREAD_LABEL},
            id="fewer domains than wanted: the least counts as none",
        ),
        pytest.param(spread(when="ScheduleAnyway"), [pod("web", "a")], {}, id="ScheduleAnyway filters nothing"),
    ],
)
def test_spread(new: Pod, there: list[Pod], against: dict[str, str]) -> None:
    assert verdicts(new, there) == against


def test_a_spread_that_does_not_filter_ranks() -> None:
    def selecting(_: str, __: LabelSelector) -> list[Pod]:
        return [pod("web", "a"), pod("web", "b")]

    found = neighbours(spread(when="ScheduleAnyway"), NODES, selecting, [], list(NODES.values()))
    assert [crowding(found, NODES[name]) for name in "abcd"] == [2, 2, 0, 0]
    assert crowding(NOBODY, NODES["a"]) == 0


def test_what_would_stand_if_all_pods_were_gone() -> None:
    """Only skew and anti-affinity can be cured by preemption."""

    def one(_: str, __: LabelSelector) -> list[Pod]:
        return [pod("web", "a")]

    def hopeless(new: Pod, node: str) -> bool | None:
        row = refused(neighbours(new, NODES, one, [], list(NODES.values())), NODES[node])
        return None if row is None else row[1]

    assert hopeless(spread(), "a") is False
    assert hopeless(spread(), "d") is True
    assert hopeless(with_spec(pod("web"), affinity=apart("web")), "a") is False
    assert hopeless(with_spec(pod("web"), affinity=near("web")), "c") is True
