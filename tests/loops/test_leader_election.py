"""The table of leader election: who exits, who waits, who takes the Lease and when."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import ObjectMeta, Ref
from app.kube.nodes import Lease, LeaseSpec
from app.loops.leader_election import LOOPS
from app.sim.acts import Act, Get, Outcome, Patch, Wait, Work
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn
from app.sim.maps import Map
from app.sim.processes import Candidate, lease_of
from app.sim.world import World
from tests.loops.beliefs import due

MANAGER, SCHEDULER = LOOPS
DOWN = {"kube-apiserver": 0}
LOSES = Candidate("loses", 0, Bounds.at(11_400))
EXITED = Candidate("exited", 11_400, Bounds.at(12_900))
SEEN = Candidate("waits", 50, Bounds.at(16_350))


def at(
    now: int, loop: Loop, candidate: Candidate | None = None, *, down: bool = False, hangs: bool = False, cut: str = ""
) -> Turn:
    """A turn of a candidate of this state."""
    key = lease_of(loop.elects)
    world = World(
        now=now,
        down=Map(DOWN if down or hangs else {}),
        frozen=Map(DOWN if hangs else {}),
        cut=Map({cut: 0} if cut else {}),
        memory=Map({Work(loop.name, "", key): candidate} if candidate else {}),
    )
    return Turn(world, loop, "", key, fired=True)


def said(turn: Turn) -> str:
    """`VERB` of an act, or `STATE until MILLISECONDS` of a wait."""
    found = turn.loop.reconcile(turn)
    if found is None:
        return ""
    if isinstance(found, Wait):
        state = found.memory.state if isinstance(found.memory, Candidate) else "waits on"
        return f"{state} until {due(found)}"
    return found.verb if isinstance(found, Act) else "acquire"


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.elects)
@pytest.mark.parametrize(
    ("now", "candidate", "down", "expected"),
    [
        pytest.param(5, None, False, "", id="who renews has nothing to do"),
        pytest.param(0, None, True, "loses until 11400", id="ten seconds from the last renewal"),
        pytest.param(9_000, LOSES, False, "leads until None", id="back in time"),
        pytest.param(9_000, LOSES, True, "waits on until 11400", id="not yet"),
        pytest.param(11_400, LOSES, True, "exit", id="lost"),
        pytest.param(12_900, EXITED, True, "restart", id="the kubelet starts it"),
        pytest.param(12_900, Candidate("waits", 12_900), True, "waits until None", id="and it waits"),
        pytest.param(50, Candidate("waits", 50), False, "waits until 16350", id="the Lease must not change for 15 s"),
        pytest.param(16_350, SEEN, False, "acquire", id="nobody renews it"),
        pytest.param(16_350, SEEN, True, "waits until None", id="but it cannot be written"),
        pytest.param(20_000, SEEN, False, "acquire", id="what was seen of it counts"),
        pytest.param(9, Candidate("stopped", 5), False, "", id="who was stopped stays so"),
    ],
)
def test_what_a_candidate_does(loop: Loop, now: int, candidate: Candidate | None, down: bool, expected: str) -> None:
    assert said(at(now, loop, candidate, down=down)) == expected


def test_the_links_of_others_do_not_matter() -> None:
    assert said(at(5, MANAGER, cut="kubelet/n1")) == ""


def test_a_scheduler_asks_once_more_of_a_server_that_hangs() -> None:
    assert said(at(0, MANAGER, hangs=True)) == "loses until 11400"
    assert said(at(0, SCHEDULER, hangs=True)) == "loses until 16400"


def test_a_leader_that_is_cut_off_loses_too() -> None:
    assert said(at(0, MANAGER, cut="kube-controller-manager")) == "loses until 11400"


def test_a_scheduler_looks_when_its_caches_are_filled() -> None:
    """Recorded: 17 s and 59 s after the API server's return."""
    waiting = Candidate("waits", 16_700)
    assert said(at(62_200, MANAGER, waiting)) == "waits until 79300"
    (scheduler,) = [said(at(62_200, SCHEDULER, waiting)).rpartition(" ")[2]]
    assert 62_200 + 55_000 < int(scheduler) < 62_200 + 70_000


def test_requests_that_hung_are_not_refused() -> None:
    """Recorded: both 19 s after the SIGCONT."""
    hung = Candidate("waits", 21_900, hung=True)
    assert said(at(60_100, SCHEDULER, hung)) == said(at(60_100, MANAGER, hung)) == "waits until 77200"


def test_the_new_leader_says_so_in_the_lease() -> None:
    ready = Candidate("waits", 0, Bounds.at(16_000))
    turns = MANAGER.reconcile(at(16_000, MANAGER, ready))
    assert not isinstance(turns, Act | Wait | None)
    first = next(turns)
    assert isinstance(first, Act)
    assert (first.request, first.client) == (Get(lease_of("kube-controller-manager")), "kube-controller-manager")
    held = Lease(ObjectMeta(name="kube-controller-manager", namespace="kube-system"), LeaseSpec(leaseTransitions=4))
    second = turns.send(Outcome("ok", held))
    assert isinstance(second, Act)
    assert second.request == Patch(held.ref, (("spec.renewTime", 16_000), ("spec.leaseTransitions", 5)))
    assert second.process == ("kube-controller-manager", True)
    assert second.memory == Candidate()


def test_without_an_answer_nothing_is_taken() -> None:
    turns = MANAGER.reconcile(at(16_000, MANAGER, Candidate("waits", 0, Bounds.at(16_000))))
    assert not isinstance(turns, Act | Wait | None)
    next(turns)
    with pytest.raises(StopIteration):
        turns.send(Outcome("unreachable"))


def test_the_process_stands_in_the_act() -> None:
    act = MANAGER.reconcile(at(11_400, MANAGER, LOSES, down=True))
    assert isinstance(act, Act)
    assert act.object == Ref("Process", "", "kube-controller-manager")
    assert act.process == ("kube-controller-manager", False)
    assert act.memory == replace(Candidate("exited", 11_400), bounds=Bounds(11_900, 12_900, 31_400))
