"""Requests of kubectl told in full, where a flow asks for it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.loops.registry import LOOPS
from app.sim.acts import Create, Delete, Patch, Request
from app.sim.answers import Stage
from app.sim.engine import Model
from app.sim.world import World
from tests.sim.clusters import DEPLOYMENT, POD, ask, deployment, held, pod, world

MODEL = Model(LOOPS)
WORLD = replace(world(), narrate_api=("Deployment", "Pod"))
BEFORE = [("authenticate", "kubernetes-admin"), ("authorize", "may create")]


def stages(request: Request, before: World = WORLD, process: str = "kubectl") -> list[Stage]:
    return list(ask(MODEL, before, request, process)[1].stages)


def told(request: Request, before: World = WORLD, process: str = "kubectl") -> list[tuple[str, str]]:
    return [(stage.verb, stage.outcome) for stage in stages(request, before, process)]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        pytest.param(
            Create(deployment()),
            [
                ("", "ok"),
                *BEFORE,
                ("mutate", "unchanged"),
                ("validate", "valid"),
                ("admit", "admitted"),
                ("store", "etcd"),
            ],
            id="a new object",
        ),
        pytest.param(
            Create(pod()),
            [
                ("", "ok"),
                *BEFORE,
                ("mutate", "ServiceAccount, DefaultTolerationSeconds, Priority"),
                ("validate", "valid"),
                ("admit", "admitted"),
                ("store", "etcd"),
            ],
            id="plugins that change every pod",
        ),
    ],
)
def test_what_comes_before_the_write(request_: Request, expected: list[tuple[str, str]]) -> None:
    assert told(request_) == expected


def test_only_the_last_stage_writes() -> None:
    rows = stages(Create(deployment()))
    assert [len(row.commits) for row in rows] == [0, 0, 0, 0, 0, 0, 1]
    assert {row.object for row in rows[1:]} == {DEPLOYMENT}
    # Until then the world is as it was.
    assert all(row.world == WORLD for row in rows[:-1])
    assert held(ask(MODEL, WORLD, Create(deployment()))[0], DEPLOYMENT).kind == "Deployment"


def test_what_follows_the_write_stays() -> None:
    there, _ = ask(MODEL, WORLD, Create(pod()))
    assert told(Delete(POD), there) == [
        ("", "ok"), ("authenticate", "kubernetes-admin"), ("authorize", "may delete"), ("admit", "admitted"),
        ("mark-terminating", ""),
    ]  # fmt: skip


def test_a_refusal_ends_it() -> None:
    there, _ = ask(MODEL, WORLD, Create(deployment()))
    assert told(Create(deployment()), there)[-1] == ("refuse", "")
    absent = told(Patch(DEPLOYMENT, (("spec.replicas", 2),)))
    assert absent[1:3] == [("authenticate", "kubernetes-admin"), ("authorize", "may patch")]


def test_others_are_not_told_of_and_neither_is_kubectl_elsewhere() -> None:
    assert told(Create(deployment()), process="kube-controller-manager") == [("", "")]
    assert told(Create(deployment()), world()) == [("", "")]
    assert ask(MODEL, world(), Create(deployment()))[0] == replace(
        ask(MODEL, WORLD, Create(deployment()))[0], narrate_api=()
    )


def test_only_the_kinds_that_are_asked_for_are_told_of() -> None:
    assert told(Create(deployment()), replace(WORLD, narrate_api=("Pod",))) == [("", "")]
