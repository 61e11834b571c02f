"""Areas about how a kubelet starts the containers of a pod, and when it tries again."""

import re

from app.kube.container_status import absent
from app.kube.pod_requeue import nap
from app.kube.pods import (
    Container,
    ContainerState,
    ContainerStateRunning,
    ContainerStateWaiting,
    ContainerStatus,
    Pod,
    Probe,
    TCPSocketAction,
)
from app.loops.kubelet import pulling
from app.loops.kubelet.actions import actions
from app.loops.kubelet.case import Case, cases
from app.loops.kubelet.pods import LOOP
from app.sim.acts import Act
from app.sim.host import ContainerRun, Crash, Pull
from tests.conformance.cases import Actual, Given, unknown
from tests.loops.machines import api, at, knows, machine, run, there


def requeue(given: Given) -> Actual:
    error = given.take("syncError")
    given.take("resyncSeconds")
    given.take("defaultBackoffSeconds")
    backoff = re.fullmatch(r".* backoff expiring in ([0-9]+)s", error)
    found = nap(network=error == "network is not ready", expires_in=int(backoff[1]) * 1000 if backoff else None)
    return {"minSeconds": found.least / 1000, "maxSecondsExclusive": found.below / 1000}


def container_status(given: Given) -> Actual:
    if given.take("previous") != "running" or given.take("runtimeHasContainer"):
        unknown("containers that did not run, or that the runtime has")
    before = ContainerStatus(
        "app",
        state=ContainerState(running=ContainerStateRunning()),
        restartCount=given.take("previousRestartCount"),
    )
    now = ContainerStatus("app", state=ContainerState(waiting=ContainerStateWaiting("ContainerCreating")))
    found = absent(before, now, deleted=given.take("podDeleted"))
    waiting, ended = found.state.waiting, found.lastState.terminated
    return {
        "state": {"waiting": {"reason": waiting.reason if waiting else ""}},
        "lastState": {"terminated": {"reason": ended.reason, "exitCode": ended.exitCode} if ended else None},
        "restartCount": found.restartCount,
    }


def image_pull(given: Given) -> Actual:
    """The events of the image alone: what its container says of it comes after them."""
    spec = Container("app", given.take("image", "app:v1"), imagePullPolicy=given.take("imagePullPolicy"))
    images = (spec.image,) if given.take("present", default=False) else ()
    given.take("pullError")
    case = _case(api(spec), images=images)
    step = pulling.ensured(case, Crash("app"), spec, ())
    if not isinstance(step, Act):
        return {"events": [step.reason], "error": None}
    told = [row.reason for row in step.events if row.reason != "Failed"]
    if step.verb == "pull-image":
        came = pulling.ended(case, Pull("app", spec.image, 0, began=0, ended=10))
        return {"events": [*told, *([] if isinstance(came, Act) else [came.reason])], "error": None}
    return {"events": told, "error": step.reason}


def sidecar_actions(given: Given) -> Actual:
    names = given.take("sidecars", ["s0", "s1", "s2"])
    states = {name: given.take(name, "running") for name in names}
    rows = tuple(_sidecar(name, states[name]) for name in names)
    pod = api(init=rows, restartPolicy=given.take("podRestartPolicy", "Always"))
    runs = tuple(found for name in names if (found := _run(name, states[name])) is not None)
    dead = given.take("sandbox", "READY") == "NOTREADY"
    case = _case(pod, *runs, sandbox="dead" if dead else "ready")
    wanted = actions(case)
    begin = [name for name in wanted.start if name in names]
    return {
        "startNext": begin[0] if begin else None,
        "startAppContainers": any(name not in names for name in wanted.start),
        "killPod": wanted.sandbox or wanted.finished,
        "createSandbox": wanted.sandbox,
        "startInit": begin,
        "sandboxAttempt": case.pod.sandbox_attempt + wanted.sandbox,
    }


def _sidecar(name: str, state: str) -> Container:
    """`startupProbe not yet successful` is a probe that has answered nothing so far."""
    probe = Probe(tcpSocket=TCPSocketAction(80)) if "not yet successful" in state else None
    return Container(name, "app:v1", restartPolicy="Always", startupProbe=probe)


def _run(name: str, state: str) -> ContainerRun | None:
    ended = re.fullmatch(r"exited ([0-9]+)", state)
    if ended:
        return run(name, "exited", role="sidecar", exit_code=int(ended[1]))
    if state == "not created":
        return None
    if not state.startswith("running"):
        unknown(f"the state {state!r}")
    return run(name, role="sidecar")


def _case(pod: Pod, *runs: ContainerRun, images: tuple[str, ...] = ("app:v1",), sandbox: str = "ready") -> Case:
    found = there(pod, *runs, sandbox=sandbox, sandbox_tries=1)
    (case,) = cases(at(LOOP, machine(found, knows(found), images=images), pod))
    return case
