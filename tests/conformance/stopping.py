"""Areas about deletion and how containers are stopped."""

from typing import Any

from app.kube.grace import api_delete_grace, container_grace, effective_grace
from app.kube.meta import ObjectMeta
from app.kube.pods import Container, Pod, PodSpec, PodStatus
from app.kube.termination import Behaviour, Stop, termination_schedule
from tests.conformance.cases import Actual, Given


def container_grace_period(given: Given) -> Actual:
    seconds = container_grace(
        given.take("podGrace"),
        given.take("livenessGrace"),
        given.take("startupGrace"),
        given.take("killReason", ""),
        given.first("deletionGrace", "podDeletionGrace"),
    )
    return {"seconds": seconds}


def pod_effective_grace(given: Given) -> Actual:
    earlier = given.first("status.gracePeriod", "previousGraceSeconds", "earlier", default=0) or 0
    seconds = effective_grace(
        given.take("spec.terminationGracePeriodSeconds"),
        given.take("metadata.deletionGracePeriodSeconds"),
        given.take("kubeletOverride"),
        earlier,
    )
    return {"seconds": seconds, "shortened": earlier not in (0, seconds)}


def api_delete(given: Given) -> Actual:
    pod = Pod(
        metadata=ObjectMeta(name="web"),
        spec=PodSpec(
            nodeName=given.take("spec.nodeName", "") or "",
            terminationGracePeriodSeconds=given.take("spec.terminationGracePeriodSeconds"),
        ),
        status=PodStatus(phase=given.take("status.phase", "") or ""),
    )
    return {"gracePeriodSeconds": api_delete_grace(pod, given.take("deleteOptions.gracePeriodSeconds"))}


def prestop_budget(given: Given) -> Actual:
    ignores = given.take("appIgnoresSIGTERM", default=False)
    exits = given.first("appExitsSecondsAfterSIGTERM", "appExitsSecondsAfterSigterm", default=0)
    hook = given.take("preStopRunsSeconds", 0)
    behaviour = Behaviour(None if ignores else _ms(exits), None if hook is None else _ms(hook))
    spec = PodSpec(containers=(Container(name="app"),))
    stop = termination_schedule(spec, {"app": behaviour}, given.take("graceSeconds"))["app"]
    return {
        "preStopCutAtSeconds": _seconds(stop.prestop_ended),
        "sigtermAtSeconds": _seconds(stop.signalled),
        "stopContainerTimeoutSeconds": stop.timeout,
        "sigkillAtSeconds": _seconds(stop.ended) if stop.killed else None,
        "exitAtSeconds": _seconds(stop.ended),
    }


def sidecar_termination_order(given: Given) -> Actual:
    init = [Container(name=name) for name in given.take("initContainers", [])]
    sidecars = [Container(name=name, restartPolicy="Always") for name in given.take("sidecarsInOrder", [])]
    apps = [Container(name=name) for name in given.take("containers", [])]
    spec = PodSpec(initContainers=(*init, *sidecars), containers=tuple(apps))
    grace = given.take("graceSeconds")
    running = [row.name for row in (*sidecars, *apps)]
    for name in given.take("notRunning", []):
        running.remove(name)
    stops = termination_schedule(spec, {name: _behaviour(given, name) for name in running}, grace)
    return _told(stops)


def _behaviour(given: Given, name: str) -> Behaviour:
    each = _peek(given, "eachExitsSecondsAfterSigterm", 0)
    exits = given.first(f"{name}ExitsSecondsAfterSigterm", default=_of(given, "exitsSecondsAfterSigterm", name, each))
    hook = given.first(
        f"{name}PreStopSeconds", f"{name}PreStopRunsSeconds", default=_of(given, "preStopSeconds", name, 0)
    )
    ignores = given.take(f"{name}IgnoresSigterm", name in _peek(given, "ignoreSigterm", []))
    return Behaviour(None if ignores else _ms(exits), _ms(hook))


def _of(given: Given, key: str, name: str, default: Any) -> Any:
    return _peek(given, key, {}).get(name, default)


def _peek(given: Given, key: str, default: Any) -> Any:
    """A value that every container shares."""
    return given.shared.setdefault(key, given.take(key, default))


def _told(stops: dict[str, Stop]) -> Actual:
    found: Actual = {
        "sigtermAtSeconds": {name: _seconds(stop.signalled) for name, stop in stops.items()},
        "stopTimeoutSeconds": {name: stop.timeout for name, stop in stops.items()},
        "sigkillAtSeconds": {name: _seconds(stop.ended) if stop.killed else None for name, stop in stops.items()},
        "exitAtSeconds": {name: _seconds(stop.ended) for name, stop in stops.items()},
    }
    for key in ("sigtermAtSeconds", "stopTimeoutSeconds", "sigkillAtSeconds", "exitAtSeconds"):
        found.update({f"{name}{key[0].upper()}{key[1:]}": value for name, value in found[key].items()})
    return found


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _seconds(milliseconds: int) -> float:
    return milliseconds / 1000
