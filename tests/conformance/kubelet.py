"""Areas about probes, images, restarts and back-offs."""

from typing import Any

from msgspec import Struct

from app.kube.backoff import (
    IMAGE_PULL,
    Entry,
    Ladder,
    after_attempt,
    crash_loop,
    crash_loop_event,
    crash_loop_message,
    full_name,
    waits_until,
)
from app.kube.defaults import probe
from app.kube.images import default_pull_policy
from app.kube.pod_validation import pod_spec
from app.kube.pods import Container, PodSpec, Probe
from app.kube.probes import (
    BEFORE_FIRST,
    FAILURE,
    STARTUP,
    SUCCESS,
    Counting,
    asks,
    counted,
    fresh,
    goes_on_while_terminating,
)
from app.kube.restart import should_restart
from tests.conformance.building import build
from tests.conformance.cases import Actual, Given

_ANSWERS = {"S": SUCCESS, "F": FAILURE}


def probe_threshold(given: Given) -> Actual:
    rule = Probe(successThreshold=given.take("successThreshold", 1), failureThreshold=given.take("failureThreshold", 3))
    kind, state = given.take("type"), Counting(_ANSWERS[given.take("initialResult")])
    letters = []
    for letter in given.take("attempts"):
        state = counted(state, _ANSWERS[letter], kind, rule)
        letters.append(state.result[0])
    return {"resultAfterEach": letters}


def probe_defaults(given: Given) -> Actual:
    filled = {f"{name}Probe": probe(build(Probe, values)) for name, values in given.rest("Probe")}
    return {name: _in_full(row) for name, row in filled.items()}


def probe_worker(given: Given) -> Actual:
    """What counts while nothing is asked yet, and who is still asked when the pod is being deleted."""
    if given.take("during") == "initialDelaySeconds":
        rule, now = Probe(initialDelaySeconds=given.take("initialDelaySeconds")), _ms(given.take("secondsSinceStart"))
        asked = [kind for kind in BEFORE_FIRST if asks(kind, rule, started=kind != STARTUP, started_at=0, now=now)]
        return {"resultBeforeFirstProbe": {kind: fresh(kind).result for kind in BEFORE_FIRST if kind not in asked}}
    deleted, running = given.take("podDeletionRequested"), given.take("containerRunning")
    return {
        "workerContinues": {kind: running and (not deleted or goes_on_while_terminating(kind)) for kind in BEFORE_FIRST}
    }


def probe_validation(given: Given) -> Actual:
    probes = {f"{name}Probe": values for name, values in given.rest("Probe")}
    container = build(Container, {"name": "app", "image": "app:v1", **probes})
    problem = next(pod_spec(PodSpec(containers=(container,)), ()), None)
    if problem is None:
        return {"valid": True}
    field = ".".join(str(part) for part in problem.path[2:])
    return {"valid": False, "field": field, "detail": problem.text.rpartition("; ")[2]}


def _in_full(value: Any) -> Any:
    """As JSON, with the fields that the wire form leaves out for being defaults."""
    if isinstance(value, Struct):
        pairs = ((key, getattr(value, key)) for key in value.__struct_fields__)
        return {key: _in_full(item) for key, item in pairs if item is not None}
    return list(value) if isinstance(value, tuple) else value


def pull_policy(given: Given) -> Actual:
    return {"imagePullPolicy": given.take("imagePullPolicy", "") or default_pull_policy(given.take("image"))}


def restart_rules(given: Given) -> Actual:
    container = build(Container, given.take("container", {}))
    spec = PodSpec(restartPolicy=given.take("podRestartPolicy", "Always"))
    return {"restart": should_restart(container, spec, given.take("exitCode"))}


def crash_loop_delay(given: Given) -> Actual:
    ladder = Ladder(_ms(given.take("initialSeconds")), _ms(given.take("maxSeconds")), 600_000)
    runs, exits = given.take("containerRunsSeconds"), given.take("exits", None)
    entry: Entry | None = None
    delays, now = [], 0
    for run in runs if isinstance(runs, list) else [runs] * exits:
        ended = now + _ms(run)
        now = waits_until(entry, ended, ladder)
        delays.append((now - ended) / 1000)
        entry = after_attempt(entry, ended, now, ladder)
    return {"delayAfterEachExitSeconds": delays}


def crash_loop_config(given: Given) -> Actual:
    period = given.take("maxContainerRestartPeriodSeconds")
    ladder = crash_loop(
        None if period is None else _ms(period),
        reduced=given.take("ReduceDefaultCrashLoopBackOffDecay", default=False),
    )
    return {"initialSeconds": ladder.initial / 1000, "maxSeconds": ladder.most / 1000}


def crash_loop_words(given: Given) -> Actual:
    pod = full_name(given.take("pod"), given.take("namespace"), given.take("uid"))
    container, delay = given.take("container"), _ms(given.take("currentBackoffSeconds"))
    return {
        "waiting.reason": "CrashLoopBackOff",
        "waiting.message": crash_loop_message(delay, container, pod),
        "event": {"type": "Warning", "reason": "BackOff", "message": crash_loop_event(container, pod)},
    }


def image_pull_backoff(given: Given) -> Actual:
    ladder = Ladder(_ms(given.take("initialSeconds")), _ms(given.take("maxSeconds")), IMAGE_PULL.expiry)
    entry: Entry | None = None
    waits, now = [], 0
    for _ in range(given.take("failures")):
        entry = after_attempt(entry, now, now, ladder)
        until = waits_until(entry, now, ladder)
        waits.append((until - now) / 1000)
        now = until
    return {"waitAfterEachFailureSeconds": waits}


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
