"""The `key=value` part of interventions: which keys each verb takes, and what may stand behind them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from app.kube import disks, durations, selectors
from app.kube.annotations import PREFIX, Fault
from app.kube.annotations import check as check_annotations
from app.kube.flags import FLAGS
from app.kube.flags import parse as parse_flag
from app.kube.machines import changes_faults
from app.kube.near_names import did_you_mean
from app.kube.stringmap import StringMap
from app.kube.taints import parse_taint
from app.sim.intervention import Intervention

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.?)+", re.ASCII)
_COUNT = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


def _count(text: str) -> str:
    return "" if _COUNT.fullmatch(text) else "a whole number"


def _exit_code(text: str) -> str:
    return "" if _COUNT.fullmatch(text) and int(text) <= 255 else "an exit code from 0 to 255"


def _name(text: str) -> str:
    return "" if _NAME.fullmatch(text) else "the name of a container"


def _switch(text: str) -> str:
    return "" if text in ("true", "false") else "true, false"


def _duration(text: str) -> str:
    try:
        durations.parse(text)
    except ValueError as error:
        return str(error).rpartition("; ")[2]
    return ""


def _selector(text: str) -> str:
    try:
        selectors.parse(text)
    except ValueError:
        return selectors.ALLOWED
    return ""


def _pods(text: str) -> str:
    share = text.removesuffix("%")
    sound = text == "null" or (_COUNT.fullmatch(share) and (share == text or int(share) <= 100))
    return "" if sound else "a whole number, a percentage up to 100%, null"


def _policy(text: str) -> str:
    return "" if text in ("IfHealthyBudget", "AlwaysAllow", "null") else "IfHealthyBudget, AlwaysAllow, null"


def _disk(text: str) -> str:
    return "" if text in ("kept", "new") else "kept, new"


# By verb: each key with what is allowed behind it, empty when the text is.
_KEYS: dict[str, dict[str, Callable[[str], str]]] = {
    "delete": {"grace": _count, "force": _switch, "wait": _switch},
    "scale": {"replicas": _count},
    "wait": {"timeout": _duration},
    "rollout-status": {"timeout": _duration},
    "rollout-undo": {"to-revision": _count},
    "logs": {"container": _name, "previous": _switch},
    "exec": {"container": _name},
    "call": {"keep": _duration, "cache": _switch},
    "crash": {"container": _name, "code": _exit_code},
    "evict": {"grace": _count, "dry-run": _switch},
    "patch": {"minAvailable": _pods, "maxUnavailable": _pods, "unhealthyPodEvictionPolicy": _policy},
    "tolerate": {"seconds": _count},
    "power-on": {"disk": _disk},
    "bring-back": {"disk": _disk},
    "drain": {
        "ignore-daemonsets": _switch,
        "delete-emptydir-data": _switch,
        "force": _switch,
        "grace-period": _count,
        "timeout": _duration,
        "pod-selector": _selector,
        "disable-eviction": _switch,
        "skip-wait-for-delete-timeout": _count,
    },
}
_NEEDED = {
    "scale": "replicas=N",
    "set": "at least one BEHAVIOUR=VALUE",
    "set-image": "at least one CONTAINER=IMAGE",
    "patch": "at least one FIELD=VALUE",
    "edit": "at least one KEY=VALUE",
}


def _disk_faults(changes: StringMap) -> list[Fault]:
    return [Fault(*row) for row in disks.faults(changes)]


_CHECKS: dict[str, Callable[[StringMap], list[Fault]]] = {"node": changes_faults, "persistentvolume": _disk_faults}


def check(intervention: Intervention) -> Iterator[str]:
    """Every fault of the options."""
    where = f"intervention {str(intervention)!r}"
    needed = _NEEDED.get(intervention.verb)
    if needed and not intervention.options:
        yield f"{where}: {intervention.verb} needs {needed}"
    if intervention.verb == "call" and not _HOST.fullmatch(intervention.args[1]):
        allowed = "a name such as web, web.shop or web.shop.svc.cluster.local"
        yield f'{where}: found "{intervention.args[1]}"; allowed: {allowed}'
    if intervention.verb == "start":
        yield from (f"{where}: {fault}" for fault in _flags(intervention))
    elif intervention.verb == "set":
        changes = StringMap({PREFIX + key: value for key, value in intervention.options})
        about = "".join(intervention.args[:1]).lower()
        faults = _CHECKS.get(about.partition("/")[0], check_annotations)(changes)
        yield from (f"{where}: {fault.text}" for fault in faults)
    elif intervention.verb in ("taint", "untaint"):
        yield from (f"{where}: {fault}" for fault in _taints(intervention))
    elif intervention.verb not in ("set-image", "edit"):
        known = _KEYS.get(intervention.verb, {})
        for key, value in intervention.options:
            if key not in known:
                allowed = ", ".join(known) or "none"
                yield f"{where}: {intervention.verb} takes no {key}; allowed: {allowed}{did_you_mean(key, known)}"
            elif allowed := known[key](value):
                yield f'{where}: {key}: found "{value}"; allowed: {allowed}'


def _flags(intervention: Intervention) -> Iterator[str]:
    """A process is started with flags of its own."""
    for name, text in intervention.options:
        takes = [row for row, flag in FLAGS.items() if flag.process in intervention.args]
        if name not in takes:
            near = did_you_mean(name, takes)
            yield f"{', '.join(intervention.args)} takes no {name}; allowed: {', '.join(takes) or 'none'}{near}"
            continue
        try:
            parse_flag(name, text)
        except ValueError as error:
            yield f"{name}: {error}"


def _taints(intervention: Intervention) -> Iterator[str]:
    """Whatever stands behind the node is a taint; some look like options to the grammar."""
    texts = [*intervention.args[1:], *(f"{key}={value}" for key, value in intervention.options)]
    if not texts:
        yield "taint needs at least one KEY[=VALUE]:EFFECT"
    for text in texts if intervention.verb == "taint" else ():
        try:
            parse_taint(text)
        except ValueError as error:
            yield str(error)
