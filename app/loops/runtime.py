"""The container runtime: carries out what the kubelet asks, and knows nothing of Kubernetes' objects.

Not modelled: garbage collection of dead containers and sandboxes, checkpoints, and what it does when disk is short.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from app.kube.meta import Ref
from app.loops.app_process import exited
from app.loops.host_pods import behaviour_of, changed_pods, pods_named, process_lane, with_pod, with_run
from app.sim.acts import Act, Wait
from app.sim.agenda import Due, decide
from app.sim.host import ContainerRun, Host, HostPod, Pull, Stop, pod_address
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn

KILLED = 137
"""128 + SIGKILL."""


def reconcile(turn: Turn) -> Act | Wait | None:
    """The next call of the kubelet's that is carried out for this pod."""
    return decide(turn, _options(turn)) if turn.host.power else None


def _options(turn: Turn) -> Iterator[Act | Due]:
    for uid, pod in pods_named(turn.host, turn.key):
        yield from _Calls(turn, uid, pod).options()


class _Calls:
    """What is asked for one pod."""

    def __init__(self, turn: Turn, uid: str, pod: HostPod) -> None:
        self.turn = turn
        self.uid = uid
        self.pod = pod

    def options(self) -> Iterator[Act | Due]:
        pod = self.pod
        for run in pod.containers:
            yield from self._container(run)
        if pod.pull is not None and pod.pull.ended is None:
            yield self._pull(pod.pull)
        if pod.sandbox == "creating":
            yield Due(self.turn.lag("sandbox-start").after(pod.sandbox_since), self._create_sandbox)
        if pod.sandbox == "ready" and pod.stop_asked is not None:
            yield Due(self.turn.lag("sandbox-stop").after(pod.stop_asked), self._stop_sandbox)

    def _container(self, run: ContainerRun) -> Iterator[Act | Due]:
        if run.state == "created":
            yield Due(self.turn.lag("container-start").after(run.created), lambda: self._start(run))
        stop = run.stop
        if run.state != "running" or stop is None:
            return
        if stop.signalled is None:
            yield self._signal(run, stop)
        else:
            yield Due(Bounds.at(stop.signalled + stop.timeout), lambda: self._kill(run, stop))

    def _start(self, run: ContainerRun) -> Act:
        run = replace(run, state="running", started=self.turn.now)
        return self._to_process("start", run, "container-started")

    def _signal(self, run: ContainerRun, stop: Stop) -> Act:
        run = replace(run, stop=replace(stop, signalled=self.turn.now))
        return self._to_process("signal", run, "sigterm-sent", reason="SIGTERM")

    def _kill(self, run: ContainerRun, stop: Stop) -> Act:
        # Nothing can hold up SIGKILL: the process is gone with it.
        run = exited(replace(run, stop=replace(stop, killed=self.turn.now)), KILLED, self.turn.now)
        return self._to_process("kill", run, "sigkill-sent", reason="SIGKILL", outcome=f"exit {KILLED}")

    def _to_process(self, verb: str, run: ContainerRun, moment: str, *, reason: str = "", outcome: str = "") -> Act:
        return Act(
            verb,
            self.pod.ref,
            reason=reason,
            moment=moment,
            outcome=outcome,
            to=process_lane(self.pod),
            host=with_pod(self.turn.host, self.uid, with_run(self.pod, run)),
        )

    def _pull(self, pull: Pull) -> Due:
        spec = behaviour_of(self.pod, pull.container).image_pull
        known = pull.image in self.turn.host.images
        if spec.outcome == "pulled" and spec.takes is not None and not known:
            return Due(Bounds.at(pull.since + spec.takes), lambda: self._pulled(pull, ""))
        error = "" if spec.outcome == "pulled" else spec.outcome
        return Due(self.turn.lag("image-pull").after(pull.since), lambda: self._pulled(pull, error))

    def _pulled(self, pull: Pull, error: str) -> Act:
        host = self.turn.host
        if not error and pull.image not in host.images:
            host = replace(host, images=tuple(sorted((*host.images, pull.image))))
        pod = replace(self.pod, pull=replace(pull, ended=self.turn.now, error=error))
        return Act(
            "pull",
            self.pod.ref,
            reason=pull.image,
            moment="image-pull-failed" if error else "image-pulled",
            outcome=error or "ok",
            host=with_pod(host, self.uid, pod),
        )

    def _create_sandbox(self) -> Act:
        """RunPodSandbox: CNI ADD gives the address."""
        host = self.turn.host
        address = pod_address(host.number, host.addresses + 1)
        pod = replace(self.pod, sandbox="ready", sandbox_since=self.turn.now, ip=address)
        if pod.pod.spec.hostNetwork:
            pod, address = replace(pod, ip=""), "the machine's own"
        else:
            host = replace(host, addresses=host.addresses + 1)
        return self._sandbox("create-sandbox", host, pod, "sandbox-ready", outcome=f"address {address}")

    def _stop_sandbox(self) -> Act:
        """StopPodSandbox: CNI DEL takes the address away."""
        pod = replace(self.pod, sandbox="stopped", sandbox_since=self.turn.now)
        return self._sandbox("remove-sandbox", self.turn.host, pod, "sandbox-stopped", outcome="ok")

    def _sandbox(self, verb: str, host: Host, pod: HostPod, moment: str, *, outcome: str) -> Act:
        return Act(verb, pod.ref, moment=moment, outcome=outcome, host=with_pod(host, self.uid, pod))


def _asked(pod: HostPod) -> HostPod | None:
    """The pod, if anything is asked for it."""
    asked = (
        pod.sandbox == "creating"
        or (pod.sandbox == "ready" and pod.stop_asked is not None)
        or (pod.pull is not None and pod.pull.ended is None)
        or any(run.state == "created" or (run.state == "running" and run.stop) for run in pod.containers)
    )
    return pod if asked else None


def _on_host(old: Host, new: Host) -> list[Ref]:
    return changed_pods(old, new, _asked)


LOOP = Loop(name="runtime", lane="runtime", reconcile=reconcile, per_node=True, on_host=_on_host)
