"""How pods came up: when they were ready and served, how long they may take, and what held them up."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.kube import probe_budget
from app.kube.meta import Ref
from app.kube.pods import Container, Pod, Probe
from app.kube.qos import qos_class
from app.sim.acts import Event
from app.sim.walk import Record, Walk
from app.story.fact import Fact, Subject, first


def first_request_at(subject: Subject) -> Fact:
    """When clients that came in the walk were served for the first time."""
    step = first(subject.walk, lambda row: row.step.moment == "first-request")
    more = (("through", step.step.reason.removeprefix("through ")),) if step else (("through", "no node"),)
    return Fact(step.step.at / 1000 if step else None, "s", step.n if step else None, more)


def startup_budget(subject: Subject) -> Fact:
    """How long the target's program may take until it first answers, before the kubelet kills it for that."""
    pod = target_pod(subject)
    found = _first_probe(pod) if pod is not None else None
    if found is None:
        return Fact(None, "s", more=(("range", "no end"), ("probe", "no probe"), ("container", "")))
    row, kind, probe = found
    least, most = (bound / 1000 for bound in probe_budget.startup_budget(probe))
    more = (("range", f"{least:g} to {most:g} s"), ("probe", f"{kind} probe"), ("container", row.name))
    step = first(subject.walk, lambda row: row.step.moment == "run-sandbox" and row.step.object == subject.target)
    return Fact(most, "s", step.n if step else None, more, least=least, most=most)


def _first_probe(pod: Pod) -> tuple[Container, str, Probe] | None:
    """What may kill a container that does not come up: its startup probe, without one its liveness probe."""
    for row in pod.spec.containers:
        if row.startupProbe is not None:
            return row, "startup", row.startupProbe
        if row.livenessProbe is not None:
            return row, "liveness", row.livenessProbe
    return None


def restarts(subject: Subject) -> Fact:
    """How often containers were started again, over all pods."""
    found: dict[tuple[str, str], int] = {}
    decides: int | None = None
    for row in subject.walk.records:
        if row.step.verb != "start-container":
            continue
        for name, attempt in _attempts(row):
            if attempt > found.get((str(row.step.object), name), 0):
                found[(str(row.step.object), name)] = attempt
                decides = decides or row.n or None
    each = "; ".join(f"{name} {count}" for (_, name), count in sorted(found.items()))
    return Fact(float(sum(found.values())), "restarts", decides, (("containers", each or "none"),))


def _attempts(row: Record) -> Iterator[tuple[str, int]]:
    host = row.step.world.hosts[row.step.node]
    for uid in host.uids.get(row.step.object, ()):
        yield from ((run.name, run.attempt) for run in host.pods[uid].containers)


def qos(subject: Subject) -> Fact:
    """The quality-of-service class of the target."""
    pod = target_pod(subject)
    if pod is None:
        return Fact(None, "")
    step = first(subject.walk, lambda row: row.step.verb == "create-pod" and row.step.object == subject.target)
    return Fact(pod.status.qosClass or qos_class(pod.spec), "", step.n if step else None)


def target_pod(subject: Subject) -> Pod | None:
    """The target as the API last had it."""
    held = subject.walk.world.etcd.get(subject.target)
    return held.object if held is not None and isinstance(held.object, Pod) else None


def unready_seconds(subject: Subject) -> Fact:
    """The longest time for which a pod was Running and had not yet been Ready."""
    began: dict[Ref, tuple[int, Record]] = {}
    longest, decides = 0, None
    for row in subject.walk.records:
        for commit in row.step.commits:
            pod = commit.after
            if not isinstance(pod, Pod):
                continue
            if pod.status.phase == "Running" and not pod.ready:
                began.setdefault(pod.ref, (row.step.at, row))
            elif pod.ref in began:
                since, step = began.pop(pod.ref)
                longest, decides = max((longest, decides), (row.step.at - since, step.n), key=lambda pair: pair[0])
    for _, (since, step) in sorted(began.items(), key=lambda pair: pair[0]):
        longest, decides = max((longest, decides), (subject.end - since, step.n), key=lambda pair: pair[0])
    return Fact(longest / 1000, "s", decides or None)


def _events(walk: Walk, test: Callable[[Event], bool]) -> list[tuple[Record, Event]]:
    return [(row, event) for row in walk.records for event in row.step.events if test(event)]


def _counted(test: Callable[[Event], bool]) -> Callable[[Subject], Fact]:
    """How many Events of a kind were told in the walk; the first of them decides."""

    def count(subject: Subject) -> Fact:
        found = _events(subject.walk, test)
        step = next((row.n for row, _ in found if row.n), None)
        return Fact(float(len(found)), "events", step, (("message", found[-1][1].message if found else "none"),))

    return count


def _reason(*reasons: str) -> Callable[[Event], bool]:
    return lambda event: event.reason in reasons


def _starts(reason: str, text: str) -> Callable[[Event], bool]:
    return lambda event: event.reason == reason and event.message.startswith(text)


def _any(reason: str, text: str) -> Callable[[Subject], Fact]:
    """Whether an Event with that reason has these words in it."""

    def seen(subject: Subject) -> Fact:
        found = _events(subject.walk, lambda event: event.reason == reason and text in event.message)
        step = next((row.n for row, _ in found if row.n), None)
        return Fact(bool(found), "", step)

    return seen


REFUSALS = (("not found", "NotFound"), ("access denied", "Denied"), ("no such host", "Unreachable"))


def pull_refusal(subject: Subject) -> Fact:
    """Why the last failed pull failed."""
    found = _events(subject.walk, _starts("Failed", "Failed to pull image"))
    if not found:
        return Fact(None, "")
    row, event = found[-1]
    return Fact(next((word for text, word in REFUSALS if text in event.message), "Other"), "", row.n or None)


def rejections(subject: Subject) -> Fact:
    """Pods that a kubelet turned away at its door."""
    held = [pod for pod in subject.walk.world.etcd.find("Pod") if isinstance(pod, Pod)]
    names = [f"{pod.metadata.name} {pod.status.reason}" for pod in held if _rejected(pod)]
    step = first(
        subject.walk, lambda row: any(isinstance(c.after, Pod) and _rejected(c.after) for c in row.step.commits)
    )
    return Fact(float(len(names)), "pods", step.n if step else None, (("pods", ", ".join(names) or "none"),))


def _rejected(pod: Pod) -> bool:
    return pod.status.phase == "Failed" and pod.status.message.startswith("Pod was rejected")


STARTUP_FACTS: dict[str, Callable[[Subject], Fact]] = {
    "first-request-at": first_request_at,
    "startup-budget": startup_budget,
    "restarts": restarts,
    "qos": qos,
    "unready-seconds": unready_seconds,
    "rejections": rejections,
    "scheduling-failures": _counted(_reason("FailedScheduling")),
    "sandbox-failures": _counted(_reason("FailedCreatePodSandBox")),
    "multi-attach": _any("FailedAttachVolume", "Multi-Attach error"),
    "attach-failures": _counted(_reason("FailedAttachVolume")),
    "mount-failures": _counted(_reason("FailedMount")),
    "out-of-addresses": _any("FailedCreatePodSandBox", "no IP addresses available"),
    "kept-off-by-taints": _any("FailedScheduling", "untolerated taint"),
    "pull-refusal": pull_refusal,
    "pull-failures": _counted(_starts("Failed", "Failed to pull image")),
    "config-errors": _counted(lambda event: event.reason == "Failed" and _is_config(event.message)),
    "crash-back-offs": _counted(_starts("BackOff", "Back-off restarting")),
}


def _is_config(message: str) -> bool:
    return message.startswith("Error: ") and ("not found" in message or "couldn't find key" in message)
