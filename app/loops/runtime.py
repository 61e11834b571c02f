"""The container runtime: carries out what the kubelet asks, and knows nothing of Kubernetes' objects.

Not modelled: garbage collection of dead containers and sandboxes, checkpoints, and what it does when disk is short.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from app.kube.meta import Ref
from app.loops import network
from app.loops.app_process import exited
from app.loops.host_pods import (
    START_ERROR,
    behaviour_of,
    changed_pods,
    container_spec,
    pods_named,
    process_lane,
    with_next_pull,
    with_pod,
    with_run,
)
from app.sim.acts import Act, Wait
from app.sim.addresses import pod_address
from app.sim.agenda import Due, decide
from app.sim.host import ContainerRun, Host, HostPod, Pull, Stop
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn
from app.sim.maps import ordered

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
        if pod.pull is not None and pod.pull.ended is None and pod.pull.began is not None:
            yield self._pull(pod.pull, pod.pull.began)
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
        ends = behaviour_of(self.pod, run.name).exit
        if ends is not None and not ends.starts:
            return self._start_fails(run, ends.code)
        run = replace(run, state="running", started=self.turn.now)
        return self._to_process("start", run, "container-started")

    def _start_fails(self, run: ContainerRun, code: int) -> Act:
        text = start_error(container_spec(self.pod, run.name).command)
        run = replace(run, state="exited", finished=self.turn.now, exit_code=code, reason=START_ERROR, message=text)
        outcome = f"{START_ERROR}, exit {code}"
        return self._to_process("start", run, "container-start-failed", outcome=outcome)

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

    def _pull(self, pull: Pull, began: int) -> Due:
        spec = behaviour_of(self.pod, pull.container).image_pull
        known = pull.image in self.turn.host.images
        if spec.outcome == "pulled" and spec.takes is not None and not known:
            return Due(Bounds.at(began + spec.takes), lambda: self._pulled(pull, ""))
        error = _refusal(spec.outcome, credentials=pull.credentials)
        return Due(self.turn.lag("image-pull").after(began), lambda: self._pulled(pull, error))

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
            host=with_next_pull(with_pod(host, self.uid, pod), self.turn.now),
        )

    def _create_sandbox(self) -> Act:
        """RunPodSandbox: CNI ADD gives the address."""
        host = self.turn.host
        if self.pod.pod.spec.hostNetwork:
            pod = replace(self.pod, sandbox="ready", sandbox_since=self.turn.now, ip="")
            return self._sandbox("create-sandbox", host, pod, "sandbox-ready", outcome="address the machine's own")
        error = network.error(host)
        if error:
            return self._fail_sandbox(error)
        address = pod_address(host.number, host.addresses + 1)
        pod = replace(self.pod, sandbox="ready", sandbox_since=self.turn.now, ip=address)
        host = replace(host, addresses=host.addresses + 1)
        return self._sandbox("create-sandbox", host, pod, "sandbox-ready", outcome=f"address {address}")

    def _fail_sandbox(self, error: str) -> Act:
        """What was begun of it is taken down again."""
        name = network.sandbox_id(self.uid, self.pod.sandbox_attempt)
        text = f'rpc error: code = Unknown desc = failed to setup network for sandbox "{name}": {error}'
        pod = replace(self.pod, sandbox="failed", sandbox_since=self.turn.now, sandbox_error=text)
        return self._sandbox("create-sandbox", self.turn.host, pod, "cni-failed", outcome=error)

    def _stop_sandbox(self) -> Act:
        """StopPodSandbox: CNI DEL takes the address away."""
        pod = replace(self.pod, sandbox="stopped", sandbox_since=self.turn.now)
        return self._sandbox("remove-sandbox", self.turn.host, pod, "sandbox-stopped", outcome="ok")

    def _sandbox(self, verb: str, host: Host, pod: HostPod, moment: str, *, outcome: str) -> Act:
        return Act(verb, pod.ref, moment=moment, outcome=outcome, host=with_pod(host, self.uid, pod))


def _refusal(outcome: str, *, credentials: bool) -> str:
    """What the registry answers; a private image comes with credentials only."""
    if outcome == "private":
        return "" if credentials else "denied"
    return "" if outcome == "pulled" else outcome


def start_error(command: tuple[str, ...]) -> str:
    """What containerd says of a program that is not there."""
    program = command[0] if command else "/entrypoint"
    why = f"stat {program}: no such file or directory" if "/" in program else "executable file not found in $PATH"
    return (
        "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: "
        f'unable to start container process: exec: "{program}": {why}'
    )


def _asked(pod: HostPod) -> HostPod | None:
    """The pod, if anything is asked for it."""
    asked = (
        pod.sandbox == "creating"
        or (pod.sandbox == "ready" and pod.stop_asked is not None)
        or (pod.pull is not None and pod.pull.ended is None and pod.pull.began is not None)
        or any(run.state == "created" or (run.state == "running" and run.stop) for run in pod.containers)
    )
    return pod if asked else None


def _on_host(old: Host, new: Host) -> list[Ref]:
    return changed_pods(old, new, _asked)


def _on_start(turn: Turn) -> list[Ref]:
    """What was asked for before, and what is due since."""
    return sorted({pod.ref for _, pod in ordered(turn.host.pods) if _asked(pod)})


LOOP = Loop(
    name="runtime",
    lane="runtime",
    reconcile=reconcile,
    process="containerd",
    per_node=True,
    on_host=_on_host,
    on_start=_on_start,
)
