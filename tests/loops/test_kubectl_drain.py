"""The table of kubectl drain: one turn of it at each stage, with the answers that it may get."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.meta import OwnerReference, Ref
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import EmptyDirVolumeSource, Pod, Volume
from app.sim.acts import Act, Command, Delete, Departure, Drain, Evict, Get, List, Outcome, Patch, Request, Wait
from app.sim.lags import Bounds
from tests.loops.beliefs import node, pod, told
from tests.loops.commands import command, printed, state, turned

N1, N2 = Ref("Node", "", "n1"), Ref("Node", "", "n2")
NOW = 20_000
ASKED = 15_000
BUDGET = "Cannot evict pod as it would violate the pod's disruption budget."


def owned(name: str, kind: str = "ReplicaSet", **more: Any) -> Pod:
    made = pod(name, **more)
    owner = OwnerReference(kind, "web", "uid-web")
    return replace(made, metadata=replace(made.metadata, ownerReferences=(owner,)))


WEB, OTHER = owned("web-1"), owned("web-2")
DAEMON, BARE = owned("agent", "DaemonSet"), pod("bare")
STORING = owned("cache", volumes=(Volume("tmp", emptyDir=EmptyDirVolumeSource()),))


def draining(*pods: Departure, refs: tuple[Ref, ...] = (N1,), options: dict[str, str] | None = None) -> Command:
    """A drain that has cordoned its nodes and begun to ask."""
    found = command("drain", *refs, options=options)
    return replace(found, drain=Drain(len(refs), 0, ASKED, listed=True, asked=ASKED, pods=pods))


def leaves(name: str, stage: str = "asking", *, due: int | None = None, since: int = ASKED) -> Departure:
    bounds = None if due is None else Bounds.at(due)
    return Departure(Ref("Pod", "default", name), f"uid-{name}", stage, since, bounds)


def answering(*pods: Pod, node: Node | None = None, daemon: bool = True, **by_pod: Outcome) -> Any:
    """A server with these pods; `web_1=Outcome(...)` is its answer to an eviction."""

    def answer(request: Request) -> Outcome:
        if isinstance(request, List):
            return Outcome("ok", objects=pods)
        if isinstance(request, Get) and request.ref.kind == "DaemonSet":
            return Outcome("ok" if daemon else "not-found")
        if isinstance(request, Get):
            return Outcome("ok", node) if node else Outcome("not-found", message='nodes "n1" not found')
        if isinstance(request, Evict | Delete):
            return by_pod.get(request.ref.name.replace("-", "_"), Outcome("ok"))
        return Outcome("ok")

    return answer


def test_nodes_are_cordoned_before_anything_else() -> None:
    made = turned(command("drain", N1, N2), answers=answering(node=node("n1")))
    assert [row.request for row in made if isinstance(row, Act)][1] == Patch(N1, (("spec.unschedulable", True),))
    assert printed(made) == ["node/n1 cordoned"]
    assert state(made).drain == Drain(cordoned=1, since=0)


def test_one_that_is_cordoned_is_not_patched_again() -> None:
    made = turned(command("drain", N1), answers=answering(node=node("n1", cordoned=True)))
    assert told(made) == ["get node/n1 UserRequest", "print command/1 "]
    assert printed(made) == ["node/n1 already cordoned"]


def test_a_node_that_is_not_there_ends_the_command() -> None:
    made = turned(command("drain", N1), answers=answering())
    assert (printed(made), state(made).exit) == (['err: Error from server (NotFound): nodes "n1" not found'], 1)


LISTING = Drain(1, 0, 0)


@pytest.mark.parametrize(
    ("pods", "options", "chosen", "lines"),
    [
        pytest.param([WEB, OTHER], {}, ["web-1", "web-2"], [], id="all that somebody will replace"),
        pytest.param([WEB, OTHER], {"pod-selector": "app=none"}, [], [], id="only those that are selected"),
        pytest.param(
            [WEB, DAEMON],
            {"ignore-daemonsets": "true"},
            ["web-1"],
            ["err: Warning: ignoring DaemonSet-managed Pods: default/agent"],
            id="daemons stay",
        ),
        pytest.param(
            [STORING],
            {"delete-emptydir-data": "true"},
            ["cache"],
            # The last filter's word stands, and it finds an owner.
            [],
            id="files are lost if one says so",
        ),
        pytest.param(
            [BARE, WEB],
            {"force": "true"},
            ["bare", "web-1"],
            ["err: Warning: deleting Pods that declare no controller: default/bare"],
            id="and pods that nobody will replace",
        ),
        pytest.param(
            [replace(BARE, status=replace(BARE.status, phase="Failed"))], {}, ["bare"], [], id="what has ended goes"
        ),
    ],
)
def test_whom_it_chooses(pods: list[Pod], options: dict[str, str], chosen: list[str], lines: list[str]) -> None:
    asked = replace(command("drain", N1, options=options), drain=LISTING)
    made = turned(asked, now=200, answers=answering(*pods))
    found = state(made).drain
    assert found is not None
    assert (found.listed, found.asked, [row.ref.name for row in found.pods]) == (True, 200, chosen)
    assert printed(made) == lines


def test_it_takes_a_moment_to_list() -> None:
    assert told(turned(replace(command("drain", N1), drain=LISTING), now=10, fired=False)) == ["wait 46"]


REFUSED = 'err: error: unable to drain node "n1" due to error: {}, continuing command...'


@pytest.mark.parametrize(
    ("pods", "daemon", "error"),
    [
        (
            [WEB, DAEMON],
            True,
            "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): default/agent",
        ),
        ([DAEMON], False, 'cannot delete daemonsets.apps "web" not found: default/agent'),
        (
            [STORING],
            True,
            "cannot delete Pods with local storage (use --delete-emptydir-data to override): default/cache",
        ),
        (
            [BARE],
            True,
            "cannot delete cannot delete Pods that declare no controller (use --force to override): default/bare",
        ),
    ],
)
def test_what_it_refuses_before_it_touches_a_pod(pods: list[Pod], daemon: bool, error: str) -> None:
    """As kubectl 1.35 prints it; the node stays cordoned, and the command ends with 1."""
    made = turned(replace(command("drain", N1), drain=LISTING), now=200, answers=answering(*pods, daemon=daemon))
    assert printed(made) == [REFUSED.format(error)]
    assert [row.request for row in made if isinstance(row, Act) and isinstance(row.request, Evict | Delete)] == []
    end = turned(state(made), now=200)
    assert printed(end) == ["err: There are pending nodes to be drained:", "err:  n1", f"err: {error}"]
    assert state(end).exit == 1


TRIES = 'err: error when evicting pods/"web-1" -n "default" (will retry after 5s): ' + BUDGET
FAILED = 'error when evicting pods/"web-1" -n "default": {}'


@pytest.mark.parametrize(
    ("answer", "stage", "due", "lines"),
    [
        pytest.param(Outcome("ok"), "leaving", None, [], id="it goes"),
        pytest.param(Outcome("not-found"), "gone", None, [], id="it has gone"),
        pytest.param(
            Outcome("too-many-requests", message=BUDGET), "refused", NOW + 5_000, [TRIES], id="a budget forbids it"
        ),
        pytest.param(Outcome("busy", again=Bounds.at(20_525)), "busy", 20_525, [], id="the server still tries"),
    ],
)
def test_an_answer(answer: Outcome, stage: str, due: int | None, lines: list[str]) -> None:
    """Another pod is still there, so that the node is not done."""
    made = turned(
        draining(leaves("web-1"), leaves("web-2", "refused", due=25_000)), WEB, now=NOW, answers=answering(web_1=answer)
    )
    found = state(made).drain
    assert found is not None
    assert (found.pods[0].stage, found.pods[0].due and found.pods[0].due.usual) == (stage, due)
    assert printed(made) == ["evicting pod default/web-1", *lines]


TWO = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Outcome("internal-error", message=TWO), TWO),
        (Outcome("forbidden", message="namespace is being terminated"), "namespace is being terminated"),
        (Outcome("unreachable"), "The connection to the server was refused - did you specify the right host or port?"),
    ],
)
def test_what_is_not_tried_again(answer: Outcome, text: str) -> None:
    made = turned(draining(leaves("web-1")), WEB, now=NOW, answers=answering(web_1=answer))
    pending = f'err: There are pending pods in node "n1" when an error occurred: {FAILED.format(text)}'
    assert printed(made) == [
        "evicting pod default/web-1",
        pending,
        "err: pod/web-1",
        REFUSED.format(FAILED.format(text)),
    ]
    assert state(made).drain == Drain(1, 1, NOW, failed=(("n1", (FAILED.format(text),)),))


@pytest.mark.parametrize(
    ("pods", "believes", "decisions"),
    [
        pytest.param([leaves("web-1", "refused", due=25_000)], [WEB], ["wait 25000"], id="5 s to the next try"),
        pytest.param(
            [leaves("web-1", "refused", due=NOW)], [WEB], ["evict pod/web-1 Retry", "print command/1 "], id="again"
        ),
        pytest.param([leaves("web-1", "leaving")], [WEB], [], id="it is on its way: the watch will tell"),
        pytest.param([leaves("web-1", "leaving", since=15_400)], [], ["wait 20400"], id="gone: seen at the next look"),
        pytest.param([leaves("web-1", "leaving")], [], ["print command/1 ", "finish node/n1 AllPodsGone"], id="seen"),
        pytest.param(
            [leaves("web-1", "leaving")],
            [replace(WEB, metadata=replace(WEB.metadata, uid="another"))],
            ["print command/1 ", "finish node/n1 AllPodsGone"],
            id="another took its name",
        ),
        pytest.param([], [], ["finish node/n1 AllPodsGone"], id="nobody to send away"),
        pytest.param(
            [leaves("web-1", "refused", due=NOW), leaves("web-2", "leaving", since=NOW - 500)],
            [WEB, OTHER],
            ["evict pod/web-1 Retry", "print command/1 "],
            id="each pod has its own time",
        ),
    ],
)
def test_when_it_does_something(pods: list[Departure], believes: list[Object], decisions: list[str]) -> None:
    assert told(turned(draining(*pods), *believes, now=NOW, answers=answering())) == decisions


def test_what_a_pod_that_has_gone_is_called() -> None:
    assert printed(turned(draining(leaves("web-1", "leaving")), now=NOW)) == ["pod/web-1 evicted", "node/n1 drained"]
    made = turned(draining(leaves("web-1", "leaving"), options={"disable-eviction": "true"}), now=NOW)
    assert printed(made) == ["pod/web-1 deleted", "node/n1 drained"]


def test_the_next_node_follows_the_last_pod() -> None:
    made = turned(draining(leaves("web-1", "leaving"), refs=(N1, N2)), now=NOW)
    assert state(made).drain == Drain(2, 1, NOW)


@pytest.mark.parametrize(
    ("options", "request_"),
    [
        ({}, Evict(WEB.ref)),
        ({"grace-period": "-1"}, Evict(WEB.ref)),
        ({"grace-period": "7"}, Evict(WEB.ref, 7)),
        ({"disable-eviction": "true", "grace-period": "0"}, Delete(WEB.ref, 0)),
    ],
)
def test_what_is_asked_for(options: dict[str, str], request_: Request) -> None:
    first = turned(draining(leaves("web-1"), options=options), WEB, now=NOW)[0]
    assert isinstance(first, Act)
    assert first.request == request_


LATE = 'error when evicting pods/"web-1" -n "default": global timeout reached: 10s'
ENDLESS = 'error when waiting for pod "web-1" in namespace "default" to terminate: context deadline exceeded'


@pytest.mark.parametrize(
    ("departure", "now", "error"),
    [
        pytest.param(leaves("web-1", "refused", due=25_000), 25_000, LATE, id="noticed at the next try"),
        pytest.param(leaves("web-1", "leaving"), 25_000, ENDLESS, id="and by those that wait at once"),
    ],
)
def test_the_timeout(departure: Departure, now: int, error: str) -> None:
    """It counts from the first request; what was refused waits for its 5 s all the same."""
    asked = draining(departure, options={"timeout": "10s"})
    assert told(turned(asked, WEB, now=now - 1)) == [f"wait {now}"]
    made = turned(asked, WEB, now=now)
    assert [row.request for row in made if isinstance(row, Act) and row.request] == []
    assert printed(made)[-1] == REFUSED.format(error)
    assert state(made).drain == Drain(1, 1, now, failed=(("n1", (error,)),))


def test_the_end_of_all() -> None:
    done = replace(command("drain", N1), drain=Drain(1, 1, NOW))
    made = turned(done, now=NOW)
    assert (told(made), state(made).exit) == (["return node/n1 Drained"], 0)
    assert turned(replace(done, exit=0), now=NOW) == []


def test_a_wait_is_for_the_first_of_all() -> None:
    pods = [leaves("web-1", "refused", due=24_000), leaves("web-2", "refused", due=22_000)]
    (wait,) = turned(draining(*pods), WEB, OTHER, now=NOW)
    assert isinstance(wait, Wait)
    assert wait.bounds == Bounds.at(22_000)
