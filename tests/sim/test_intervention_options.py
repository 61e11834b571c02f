"""Faults of interventions that can be told before any cluster is there."""

import pytest

from app.sim.command_lines import delete_flags
from app.sim.intervention import parse
from app.sim.interventions import check
from app.sim.references import parse_ref


@pytest.mark.parametrize(
    "text",
    [
        "delete pod/web-1 pod/web-2 grace=0 force=true wait=false",
        "5s scale deployment/web replicas=0",
        "set-image statefulset/shop/db db=registry.example/db:2",
        "set pod/web-1 on-sigterm=ignore web.pre-stop=fails",
        "add-finalizer pod/web-1 example.com/hold",
        "set node/node-1 memory=30s=1Gi,90s=7Gi disk=20Gi",
        "cordon node/node-1",
        "stop kube-proxy/node-1",
    ],
)
def test_what_can_be_done_has_no_fault(text: str) -> None:
    assert check(parse(text)) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("delete pod/web-1 grace=5s", 'grace: found "5s"; allowed: a whole number'),
        ("delete pod/web-1 grace=-1", 'grace: found "-1"; allowed: a whole number'),
        ("delete pod/web-1 force=yes", 'force: found "yes"; allowed: true, false'),
        ("delete pod/web-1 grase=5", 'delete takes no grase; allowed: grace, force, wait; did you mean "grace"?'),
        ("cordon node/node-1 force=true", "cordon takes no force; allowed: none"),
        ("scale deployment/web", "scale needs replicas=N"),
        ("scale pod/web-1 replicas=2", "found pod/web-1; allowed: deployment/NAME, statefulset/NAME, replicaset/NAME"),
        ("set pod/web-1", "set needs at least one BEHAVIOUR=VALUE"),
        (
            "set deployment/web startup=1s",
            "found deployment/web; allowed: pod/NAME, node/NAME, persistentvolume/NAME",
        ),
        (
            "set node/node-1 eviction-hard=none",
            "cannot be changed while the machine runs; allowed: memory, disk, cni",
        ),
        (
            "set node/node-1 memory=lots",
            'found "lots"; allowed: times in order, each with an amount, as in "0s=80Mi,60s=300Mi"',
        ),
        ("set-image deployment/web", "set-image needs at least one CONTAINER=IMAGE"),
        ("power-off pod/web-1", "found pod/web-1; allowed: node/NAME"),
    ],
)
def test_what_cannot_be_done_says_what_could(text: str, fault: str) -> None:
    assert check(parse(text)) == [f"intervention {text!r}: {fault}"]


def test_every_object_that_is_to_be_deleted_is_a_reference() -> None:
    [fault] = check(parse("delete pod/web-1 web-2"))
    assert fault.startswith("reference 'web-2': the form is kind/[namespace/]name, with kind one of ")


@pytest.mark.parametrize(("short", "meant"), [("po/a", "pod/a"), ("no/a", "node/a"), ("svc/x/a", "service/x/a")])
def test_kinds_may_be_written_as_kubectl_shortens_them(short: str, meant: str) -> None:
    assert parse_ref(short) == parse_ref(meant)


def test_a_kind_that_does_not_exist_names_the_near_one() -> None:
    [fault] = check(parse("cordon nod/node-1"))
    assert fault.endswith('did you mean "node"?')


def test_a_behaviour_that_does_not_exist_names_the_near_one() -> None:
    [fault] = check(parse("set pod/web-1 on-sigtrem=ignore"))
    assert fault.endswith('did you mean "on-sigterm"?')


def test_delete_is_told_as_kubectl_spells_it() -> None:
    assert delete_flags((("grace", "5"), ("force", "true"), ("wait", "false"))) == [
        "--grace-period=5",
        "--force",
        "--wait=false",
    ]
    assert delete_flags((("force", "false"), ("wait", "true"))) == []
