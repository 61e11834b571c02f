"""Leader election of kube-controller-manager and kube-scheduler: who cannot renew the Lease exits, who waits takes it.

A leader renews every two seconds. When it cannot for ten, its process exits and is started again; the new one has to
see the Lease unchanged for 15 s before it takes it, since nobody gives it back on exit. The scheduler asks for it only
when all its caches are filled, whose lists wait in their own back-off. Elections take place where the starting world
has the Lease; without one a process works as if it were started with --leader-elect=false. Renewals are not acts here.
Not modelled: a second instance that waits beside the leader.
"""

from __future__ import annotations

from collections.abc import Generator

from app.kube.nodes import Lease
from app.sim.acts import Act, Get, Outcome, Patch, Wait
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn
from app.sim.processes import Candidate, process_ref
from app.sim.reflectors import slowest

REQUEST_TIMEOUT = 5_000
"""The scheduler asks once more before it gives up; a server that hangs lets it wait so long."""
MANAGER, SCHEDULER = "kube-controller-manager", "kube-scheduler"

Turns = Generator[Act | Wait, Outcome, None]


def reconcile(turn: Turn) -> Turns | Act | Wait | None:
    """What the one instance of a process does about its Lease."""
    now = turn.memory if isinstance(turn.memory, Candidate) else Candidate()
    reached = now.bounds is None or turn.reached(now.bounds)
    if now.state == "leads":
        return None if turn.reaches(turn.loop.elects) else _cannot_renew(turn)
    if now.state == "loses" and turn.reaches(turn.loop.elects):
        return Wait(None, memory=Candidate())
    if now.state == "waits" and (now.bounds is None or not turn.reaches(turn.loop.elects)):
        return _not_yet(turn, now)
    if not reached:
        return Wait(now.bounds)
    if now.state == "waits":
        return _acquire(turn)
    return _exit(turn) if now.state == "loses" else _start(turn) if now.state == "exited" else None


def _cannot_renew(turn: Turn) -> Wait:
    hangs = REQUEST_TIMEOUT if turn.server_hangs and turn.loop.elects == SCHEDULER else 0
    bounds = _later(turn.lag("leader-deadline").after(hangs), turn.lag("leader-renewal").after(turn.now))
    return Wait(bounds, memory=Candidate("loses", turn.now, bounds))


def _exit(turn: Turn) -> Act:
    return Act(
        "exit",
        process_ref(turn.loop.elects),
        reason="LeaderElectionLost",
        moment="leader-lost",
        process=(turn.loop.elects, False),
        memory=Candidate("exited", turn.now, turn.lag("static-pod-restart").after(turn.now)),
    )


def _start(turn: Turn) -> Act:
    """The kubelet of its machine starts it again."""
    candidate = Candidate("waits", turn.now, hung=turn.server_hangs)
    return Act("restart", process_ref(turn.loop.elects), moment="candidate-started", memory=candidate)


def _not_yet(turn: Turn, now: Candidate) -> Wait | None:
    """It can ask from when the API server is there; what it has seen of the Lease it keeps."""
    if not turn.reaches(turn.loop.elects):
        return Wait(None, memory=Candidate("waits", now.since, now.bounds, hung=turn.server_hangs))
    seen = _first_look(turn, now)
    due = _later(_later(turn.lag("leader-lease").after(0), turn.lag("leader-retry").after(0)), seen)
    return Wait(due, memory=Candidate("waits", now.since, due))


def _later(span: Bounds, than: Bounds) -> Bounds:
    return Bounds(than.least + span.least, than.usual + span.usual, than.most + span.most)


def _first_look(turn: Turn, now: Candidate) -> Bounds:
    """When it sees the Lease for the first time."""
    if now.since == turn.now:
        return turn.lag("leader-start").after(turn.now)
    if turn.loop.elects == SCHEDULER and not now.hung:
        return turn.lag("scheduler-caches", slowest(turn.now - now.since)).after(turn.now)
    return turn.lag("leader-observe").after(turn.now)


def _acquire(turn: Turn) -> Turns:
    process = turn.loop.elects
    answer = yield Act("get", turn.key, request=Get(turn.key), client=process, background=True)
    lease = answer.object
    if not isinstance(lease, Lease):
        return
    changes = (("spec.renewTime", turn.now), ("spec.leaseTransitions", lease.spec.leaseTransitions + 1))
    yield Act(
        "acquire",
        turn.key,
        reason="LeaseExpired",
        moment="leader-elected",
        request=Patch(turn.key, changes),
        client=process,
        process=(process, True),
        memory=Candidate(),
    )


def _of(process: str, lane: str) -> Loop:
    return Loop(name=f"{lane}-election", lane=lane, reconcile=reconcile, elects=process)


LOOPS = (_of(MANAGER, "controller-manager"), _of(SCHEDULER, "scheduler"))
