"""The table of kubectl: what each command asks for, prints and ends with."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import Ref
from app.kube.nodes import Taint
from app.kube.objects import Object
from app.kube.pods import Toleration
from app.sim.acts import Act, Command, Create, Delete, Evict, Get, Outcome, Patch, Request, Update
from tests.loops.beliefs import node, pod, service, told
from tests.loops.commands import command, printed, state, turned

POD, NODE = Ref("Pod", "default", "web-1"), Ref("Node", "", "n1")
WEB = Ref("Deployment", "default", "web")
JOB = Ref("CronJob", "default", "tick")
FORCED = (
    "err: Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. "
    "The resource may continue to run on the cluster indefinitely."
)


def holding(*objects: Object) -> object:
    """A server with these objects, which grants everything."""
    held = {obj.ref: obj for obj in objects}

    def answer(request: Request) -> Outcome:
        ref = getattr(request, "ref", None)
        missing = isinstance(request, Get | Delete) and ref not in held
        return Outcome("not-found", message="gone") if missing else Outcome("ok", held.get(ref))  # type: ignore[arg-type]

    return answer


def asked(asked: Command, *held: Object) -> list[Request]:
    made = turned(asked, *held, answers=holding(*held))  # type: ignore[arg-type]
    return [row.request for row in made if isinstance(row, Act) and row.request and not isinstance(row.request, Get)]


def lines(asked: Command, *held: Object) -> list[str]:
    return printed(turned(asked, *held, answers=holding(*held)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "request_", "words"),
    [
        pytest.param({}, Delete(POD), ['pod "web-1" deleted from default namespace'], id="with its own grace"),
        pytest.param({"grace": "5"}, Delete(POD, 5), ['pod "web-1" deleted from default namespace'], id="or another"),
        pytest.param(
            {"grace": "0"},
            Delete(POD, 1),
            ['pod "web-1" deleted from default namespace'],
            id="which is at least a second",
        ),
        pytest.param(
            {"force": "true"},
            Delete(POD, 0),
            [FORCED, 'pod "web-1" force deleted from default namespace'],
            id="unless forced",
        ),
    ],
)
def test_delete(options: dict[str, str], request_: Request, words: list[str]) -> None:
    given = command("delete", POD, options=options)
    assert (asked(given, pod("web-1")), lines(given, pod("web-1"))) == ([request_], words)


def test_delete_waits_for_the_very_pod() -> None:
    given = command("delete", POD, done=1, uids=("uid-web-1",))
    assert turned(given, pod("web-1")) == []
    another = replace(pod("web-1"), metadata=replace(pod("web-1").metadata, uid="another"))
    for believes in ((), (another,)):
        made = turned(given, *believes)
        assert (told(made), state(made).exit) == (["return pod/web-1 ObjectsAreGone"], 0)
    made = turned(replace(given, options=(("wait", "false"),)), pod("web-1"))
    assert told(made) == ["return pod/web-1 DoesNotWait"]


@pytest.mark.parametrize(
    ("given", "answer", "text"),
    [
        (
            command("delete", POD),
            Outcome("not-found", message='pods "web-1" not found'),
            'Error from server (NotFound): pods "web-1" not found',
        ),
        (command("scale", WEB), Outcome("conflict", message="try again"), "Error from server (Conflict): try again"),
        (command("evict", POD), Outcome("too-many-requests", message="no"), "Error from server (TooManyRequests): no"),
        (command("evict", POD), Outcome("internal-error", message="two budgets"), "Error from server: two budgets"),
        (
            command("patch", WEB),
            Outcome("invalid", message='Deployment "web" is invalid: spec'),
            'The Deployment "web" is invalid: spec',
        ),
        (
            command("scale", WEB),
            Outcome("unreachable"),
            "The connection to the server was refused - did you specify the right host or port?",
        ),
    ],
)
def test_a_refusal_ends_the_command(given: Command, answer: Outcome, text: str) -> None:
    made = turned(given, answers=lambda _: answer)
    assert (printed(made), state(made).exit) == ([f"err: {text}"], 1)


@pytest.mark.parametrize(
    ("given", "request_", "word"),
    [
        (
            command("scale", WEB, options={"replicas": "5"}),
            Patch(WEB, (("spec.replicas", 5),)),
            "deployment.apps/web scaled",
        ),
        (
            command("set-image", WEB, options={"app": "app:v2"}),
            Patch(WEB, (("spec.template.spec.containers[app].image", "app:v2"),)),
            "deployment.apps/web image updated",
        ),
        (
            command("patch", WEB, options={"minReadySeconds": "10"}),
            Patch(WEB, (("spec.minReadySeconds", 10),)),
            "deployment.apps/web patched",
        ),
        (
            command("patch", WEB, options={"replicas": "null"}),
            Patch(WEB, (("spec.replicas", None),)),
            "deployment.apps/web patched",
        ),
        (command("suspend", JOB), Patch(JOB, (("spec.suspend", True),)), "cronjob.batch/tick patched"),
        (command("resume", JOB), Patch(JOB, (("spec.suspend", False),)), "cronjob.batch/tick patched"),
        (command("remove-finalizer", POD), Patch(POD, (("metadata.finalizers", ()),)), "pod/web-1 patched"),
    ],
)
def test_a_patch(given: Command, request_: Request, word: str) -> None:
    assert (asked(given), lines(given)) == ([request_], [word])
    assert told(turned(state(turned(given)))) == [f"return {given.refs[0]} "]


@pytest.mark.parametrize(
    ("options", "request_"),
    [({}, Evict(POD)), ({"grace": "3"}, Evict(POD, 3)), ({"dry-run": "true"}, Evict(POD, None, dry_run=True))],
)
def test_evict_says_nothing_when_it_is_granted(options: dict[str, str], request_: Request) -> None:
    given = command("evict", POD, options=options)
    assert (asked(given), lines(given)) == ([request_], [])


def test_apply_creates_what_is_new_and_changes_what_differs() -> None:
    new, other = service(), replace(service(), spec=replace(service().spec, selector=service().metadata.labels))
    given = command("apply", new.ref, objects=(new,))
    assert (asked(given), lines(given)) == ([Create(new)], ["service/web created"])
    assert lines(given, new) == ["service/web unchanged"]
    assert lines(given, other) == ["service/web configured"]
    ours = replace(new, metadata=replace(new.metadata, uid="uid-kept", finalizers=("kept",)))
    assert asked(given, ours) == [Update(ours)]


# Nodes.

TAINT = Taint("dedicated", "NoSchedule", "gpu")


@pytest.mark.parametrize(
    ("verb", "taints", "held", "wanted", "word"),
    [
        ("taint", "dedicated=gpu:NoSchedule", (), (TAINT,), "node/n1 tainted"),
        ("untaint", "dedicated", (TAINT,), (), "node/n1 untainted"),
        ("untaint", "dedicated=gpu:NoSchedule", (TAINT,), (), "node/n1 untainted"),
        (
            "untaint",
            "dedicated:NoSchedule",
            (TAINT, replace(TAINT, effect="NoExecute")),
            (replace(TAINT, effect="NoExecute"),),
            "node/n1 untainted",
        ),
    ],
)
def test_taints(verb: str, taints: str, held: tuple[Taint, ...], wanted: tuple[Taint, ...], word: str) -> None:
    given = command(verb, NODE, options={"taints": taints})
    assert asked(given, node("n1", *held)) == [Patch(NODE, (("spec.taints", wanted),))]
    assert lines(given, node("n1", *held)) == [word]


@pytest.mark.parametrize(
    ("verb", "text", "error"),
    [
        (
            "taint",
            "dedicated=b:NoSchedule",
            "node n1 already has dedicated taint(s) with same effect(s) and --overwrite is false",
        ),
        ("untaint", "other", 'taint "other" not found'),
        ("untaint", "dedicated:NoExecute", 'taint "dedicated:NoExecute" not found'),
    ],
)
def test_taints_that_cannot_be(verb: str, text: str, error: str) -> None:
    given = command(verb, NODE, options={"taints": text})
    assert (asked(given, node("n1", TAINT)), lines(given, node("n1", TAINT))) == ([], [f"err: error: {error}"])


@pytest.mark.parametrize(
    ("verb", "cordoned", "requests", "word"),
    [
        ("cordon", False, [Patch(NODE, (("spec.unschedulable", True),))], "node/n1 cordoned"),
        ("cordon", True, [], "node/n1 already cordoned"),
        ("uncordon", True, [Patch(NODE, (("spec.unschedulable", False),))], "node/n1 uncordoned"),
        ("uncordon", False, [], "node/n1 already uncordoned"),
    ],
)
def test_cordon(verb: str, cordoned: bool, requests: list[Request], word: str) -> None:
    given, held = command(verb, NODE), node("n1", cordoned=cordoned)
    assert (asked(given, held), lines(given, held)) == (requests, [word])
    assert told(turned(replace(given, done=1))) == ["return node/n1 "]


def test_a_toleration_is_added_or_has_another_length() -> None:
    key = "node.kubernetes.io/unreachable"
    bare = replace(pod("web-1"), spec=replace(pod("web-1").spec, tolerations=()))
    wanted = Toleration(key, "Exists", effect="NoExecute", tolerationSeconds=5)
    given = command("tolerate", POD, options={"key": key, "seconds": "5"})
    assert asked(given, bare) == [Patch(POD, (("spec.tolerations", (wanted,)),))]
    first, *_ = asked(given, pod("web-1"))
    assert isinstance(first, Patch)
    rows = first.changes[0][1]
    assert isinstance(rows, tuple)
    assert [row.tolerationSeconds for row in rows if row.key == key] == [5]
