"""The eviction subresource against a store: its writes, in their order, and the race of requests sent side by side."""

from __future__ import annotations

from typing import Any

import pytest
from clusters import ask, held, pod, watcher, world
from msgspec.structs import replace

from app.kube.meta import Condition, LabelSelector, ObjectMeta, Ref
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.policy import PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus
from app.sim.acts import Evict
from app.sim.answers import Answer
from app.sim.draft import Draft
from app.sim.engine import Model
from app.sim.index import Stored
from app.sim.lags import Bounds
from app.sim.world import World

MODEL = Model([watcher(kind="Pod")])
BUDGET = Ref("PodDisruptionBudget", "default", "web")


def running(name: str, *, ready: bool = True, phase: str = "Running") -> Pod:
    made: Pod = pod(name)
    rows = (Condition("Ready", "True" if ready else "False"),)
    return replace(
        made, metadata=replace(made.metadata, uid=name), status=replace(made.status, phase=phase, conditions=rows)
    )


def budget(allowed: int, current: int = 3, desired: int = 2, name: str = "web") -> PodDisruptionBudget:
    status = PodDisruptionBudgetStatus(allowed, current, desired, 3, observedGeneration=1)
    return PodDisruptionBudget(
        ObjectMeta(name=name, namespace="default", uid=name, generation=1),
        PodDisruptionBudgetSpec(maxUnavailable=1, selector=LabelSelector()),
        status,
    )


def having(*objects: Object) -> World:
    made: World = world(now=1_500)
    etcd = made.etcd
    for obj in objects:
        etcd = etcd.put(Stored(1, obj))
    return replace(made, etcd=etcd)


def stages(answer: Answer) -> list[tuple[str, str]]:
    return [(stage.verb, stage.moment) for stage in answer.stages[1:]]


def evict(found: World, name: str = "web-1", **options: Any) -> tuple[World, Answer]:
    answered: tuple[World, Answer] = ask(MODEL, found, Evict(Ref("Pod", "default", name), **options))
    return answered


def test_the_budget_pays_then_the_pod_is_marked_then_deleted() -> None:
    after, answer = evict(having(running("web-1"), budget(1)))
    assert stages(answer) == [
        ("spend-budget", "budget-spent"),
        ("mark-disrupted", "disruption-target-set"),
        ("mark-terminating", "deletion-timestamp-set"),
    ]
    spent, gone = held(after, BUDGET), held(after, Ref("Pod", "default", "web-1"))
    assert isinstance(spent, PodDisruptionBudget)
    assert isinstance(gone, Pod)
    assert (spent.status.disruptionsAllowed, list(spent.status.disruptedPods)) == (0, ["web-1"])
    assert gone.metadata.deletionTimestamp == 31_000
    assert gone.status.conditions[-1] == Condition(
        "DisruptionTarget", "True", "EvictionByEvictionAPI", "Eviction API: evicting", 1_000
    )


def test_the_given_grace_is_the_deletion_s() -> None:
    after, _ = evict(having(running("web-1")), grace=4)
    assert held(after, Ref("Pod", "default", "web-1")).metadata.deletionGracePeriodSeconds == 4


@pytest.mark.parametrize(
    ("objects", "status", "told"),
    [
        pytest.param([], "not-found", [], id="no such pod"),
        pytest.param(
            [running("web-1"), budget(0, 2, 2)],
            "too-many-requests",
            [("refuse-eviction", "eviction-refused")],
            id="nothing is allowed",
        ),
        pytest.param(
            [running("web-1"), budget(1), budget(1, name="other")],
            "internal-error",
            [("refuse-eviction", "eviction-refused")],
            id="two budgets",
        ),
    ],
)
def test_a_refusal_changes_nothing(objects: list[Object], status: str, told: list[tuple[str, str]]) -> None:
    before = having(*objects)
    after, answer = evict(before)
    assert (answer.outcome.status, stages(answer)) == (status, told)
    assert after == before


def test_a_dry_run_asks_and_writes_nothing() -> None:
    before = having(running("web-1"), budget(1))
    after, answer = evict(before, dry_run=True)
    assert (answer.outcome.status, after) == ("ok", before)
    assert evict(having(running("web-1"), budget(0)), dry_run=True)[1].outcome.status == "too-many-requests"


def test_a_pending_pod_goes_at_once_and_is_marked_all_the_same() -> None:
    bound = running("web-1", phase="Pending")
    unbound = replace(bound, spec=replace(bound.spec, nodeName=""))
    after, answer = evict(having(unbound, budget(0)))
    assert [verb for verb, _ in stages(answer)] == ["mark-disrupted", "mark-terminating", "remove"]
    assert after.etcd.get(Ref("Pod", "default", "web-1")) is None


def test_of_requests_sent_side_by_side_one_wins_and_the_others_are_answered_half_a_second_later() -> None:
    """truth/drain-pdb-allows-one: three at 0.10 s, one let go, two refused at 0.64 s."""
    draft = Draft(having(running("web-1"), running("web-2"), running("web-3"), budget(1)))
    answers = [MODEL.api.handle(draft, "kubectl", Evict(Ref("Pod", "default", f"web-{n}"))) for n in (1, 2, 3)]
    assert [answer.outcome.status for answer in answers] == ["ok", "busy", "busy"]
    assert [answer.outcome.again for answer in answers[1:]] == [
        Bounds(2_000, 2_025, 2_050),
        Bounds(2_005, 2_030, 2_055),
    ]
    assert stages(answers[1]) == [("retry-eviction", "eviction-conflict")]
    later, again = evict(replace(draft.freeze(), now=2_025), "web-2")
    assert again.outcome.status == "too-many-requests"
    assert later.etcd.get(Ref("Pod", "default", "web-2")) is not None


def test_where_nothing_is_written_nothing_is_raced_for() -> None:
    """truth/drain-pdb-blocked: three refusals within 5 ms."""
    draft = Draft(having(running("web-1"), running("web-2"), budget(0, 2, 2)))
    answers = [MODEL.api.handle(draft, "kubectl", Evict(Ref("Pod", "default", f"web-{n}"))) for n in (1, 2)]
    assert [answer.outcome.status for answer in answers] == ["too-many-requests"] * 2
