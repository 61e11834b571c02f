"""The application in each container: it starts to serve, reacts to SIGTERM, and may end by itself.

What it does stands in the annotations of its pod (`sim.loopscope.dev/…`). Not modelled: processes besides the first.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from app.kube.annotations import Behaviour
from app.kube.behaviour import REQUESTS, Exit, Leads, fares, next_change
from app.kube.meta import Ref
from app.loops.host_pods import (
    behaviour_of,
    changed_pods,
    may_serve,
    pods_named,
    process_lane,
    with_pod,
    with_run,
)
from app.sim.acts import Act, Wait
from app.sim.agenda import Due, decide
from app.sim.host import ContainerRun, Host, HostPod
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn
from app.sim.maps import ordered


def reconcile(turn: Turn) -> Act | Wait | None:
    """The next thing that a process of this pod does."""
    return decide(turn, _options(turn)) if turn.host.power else None


def _options(turn: Turn) -> Iterator[Act | Due]:
    for uid, pod in pods_named(turn.host, turn.key):
        for run in pod.containers:
            if run.state == "running":
                yield from _Process(turn, uid, pod, run).options()


class _Process:
    """One process in one turn."""

    def __init__(self, turn: Turn, uid: str, pod: HostPod, run: ContainerRun) -> None:
        self.turn = turn
        self.uid = uid
        self.pod = pod
        self.run = run
        self.started = run.started or 0
        self.behaviour: Behaviour = behaviour_of(pod, run.name)

    def options(self) -> Iterator[Act | Due]:
        signalled = self.run.stop.signalled if self.run.stop else None
        if signalled is not None:
            yield from self._after_sigterm(signalled)
        if not self.run.serving and self.run.closing != "closed" and may_serve(self.pod, self.run.name):
            yield Due(Bounds.at(self.started + self.behaviour.startup), self._serve)
        if self.run.serving:
            yield from self._fares()
        if self.behaviour.leader_election is not None and self.turn.host.alone is not None:
            yield self._cannot_lead(self.behaviour.leader_election, self.turn.host.alone)
        ends = self._ends
        if ends is not None:
            yield Due(Bounds.at(self.started + ends.after), lambda: self._exit(ends.code, "EndedByItself"))

    @property
    def _ends(self) -> Exit | None:
        """An init container is done once it has started up, unless it is said to end in another way."""
        if self.behaviour.exit is None and self.run.role == "init":
            return Exit(self.behaviour.startup, 0)
        return self.behaviour.exit

    def _cannot_lead(self, leads: Leads, since: int) -> Due:
        """It ends when it cannot renew its Lease for so long, or cannot even begin."""
        if self.started < since:
            renewal = self.turn.lag("leader-renewal").after(since)
            due = renewal.moved(lambda instant: instant + leads.renew)
        else:
            due = Bounds.at(self.started + leads.start)
        return Due(due, lambda: self._exit(1, "LeaderElectionLost"))

    def _after_sigterm(self, signalled: int) -> Iterator[Act | Due]:
        reaction = self.behaviour.on_sigterm
        if reaction.act == "ignore":
            return
        if reaction.after and not self.run.closing:
            yield self._drain() if reaction.act == "drain" else self._close()
        yield Due(self.turn.lag("process-exit").after(signalled + reaction.after), self._exit_on_sigterm)

    def _fares(self) -> Iterator[Act | Due]:
        """What clients meet, where the annotations say that it changes by itself."""
        since, broken = self.turn.now - self.started, self.turn.host.broken
        fails = fares(self.behaviour, since, broken=broken)
        if fails != self.run.fails:
            yield self._falter(fails) if fails else self._recover()
        elif any(rule.target == REQUESTS for rule in self.behaviour.health):
            change = next_change(self.behaviour, REQUESTS, since, broken=broken)
            if change is not None:
                # By then it is another turn's business what clients meet.
                yield Due(Bounds.at(self.started + change), self._recover)

    def _falter(self, fails: str) -> Act:
        run = replace(self.run, fails=fails)
        return self._act("falter", run, "app-failing", reason="requests", outcome=fails)

    def _recover(self) -> Act:
        return self._act("recover", replace(self.run, fails=""), "app-recovered", reason="requests")

    def _serve(self) -> Act:
        return self._act("serve", replace(self.run, serving=True), "app-serving", reason="Started")

    def _drain(self) -> Act:
        return self._act("drain", replace(self.run, closing="drains"), "drain-started", reason="SIGTERM")

    def _close(self) -> Act:
        run = replace(self.run, closing="closed", serving=False, fails="")
        return self._act("stop-serving", run, "app-stopped-serving", reason="SIGTERM")

    def _exit_on_sigterm(self) -> Act:
        return self._exit(self.behaviour.exit_code_on_sigterm, "SIGTERM")

    def _exit(self, code: int, reason: str) -> Act:
        run = exited(self.run, code, self.turn.now)
        return self._act("exit", run, "process-exited", reason=reason, outcome=f"exit {code}")

    def _act(self, verb: str, run: ContainerRun, moment: str, *, reason: str, outcome: str = "") -> Act:
        return Act(
            verb,
            self.pod.ref,
            reason=reason,
            moment=moment,
            outcome=outcome,
            sender=process_lane(self.pod),
            to=process_lane(self.pod),
            host=with_pod(self.turn.host, self.uid, with_run(self.pod, run)),
        )


def exited(run: ContainerRun, code: int, now: int) -> ContainerRun:
    """The container after its process has ended; the reason is the runtime's word for it.

    containerd remembers an OOM in a container whatever ends it later.
    """
    reason = "OOMKilled" if run.child_killed else "Completed" if code == 0 else "Error"
    return replace(
        run, state="exited", exit_code=code, finished=now, reason=reason, serving=False, fails="", closing=""
    )


def _running(pod: HostPod) -> object:
    """Its processes and how they behave, if there are any."""
    runs = tuple(run for run in pod.containers if run.state == "running")
    return (pod.pod, runs) if runs else None


def _on_host(old: Host, new: Host) -> list[Ref]:
    if (old.broken, old.alone) != (new.broken, new.alone):
        return sorted({pod.ref for _, pod in ordered(new.pods) if _running(pod) is not None})
    return changed_pods(old, new, _running)


LOOP = Loop(name="app", lane="app", reconcile=reconcile, per_node=True, on_host=_on_host)
