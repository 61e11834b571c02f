"""The `key=value` part of interventions: which keys each verb takes, and what may stand behind them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from app.kube.annotations import PREFIX
from app.kube.annotations import check as check_annotations
from app.kube.machines import changes_faults
from app.kube.near_names import did_you_mean
from app.kube.stringmap import StringMap
from app.sim.intervention import Intervention

_COUNT = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


def _count(text: str) -> str:
    return "" if _COUNT.fullmatch(text) else "a whole number"


def _switch(text: str) -> str:
    return "" if text in ("true", "false") else "true, false"


# By verb: each key with what is allowed behind it, empty when the text is.
_KEYS: dict[str, dict[str, Callable[[str], str]]] = {
    "delete": {"grace": _count, "force": _switch, "wait": _switch},
    "scale": {"replicas": _count},
}
_NEEDED = {"scale": "replicas=N", "set": "at least one BEHAVIOUR=VALUE", "set-image": "at least one CONTAINER=IMAGE"}


def check(intervention: Intervention) -> Iterator[str]:
    """Every fault of the options."""
    where = f"intervention {str(intervention)!r}"
    needed = _NEEDED.get(intervention.verb)
    if needed and not intervention.options:
        yield f"{where}: {intervention.verb} needs {needed}"
    if intervention.verb == "set":
        changes = StringMap({PREFIX + key: value for key, value in intervention.options})
        about = "".join(intervention.args[:1]).lower()
        faults = changes_faults(changes) if about.startswith("node/") else check_annotations(changes)
        yield from (f"{where}: {fault.text}" for fault in faults)
    elif intervention.verb != "set-image":
        known = _KEYS.get(intervention.verb, {})
        for key, value in intervention.options:
            if key not in known:
                allowed = ", ".join(known) or "none"
                yield f"{where}: {intervention.verb} takes no {key}; allowed: {allowed}{did_you_mean(key, known)}"
            elif allowed := known[key](value):
                yield f'{where}: {key}: found "{value}"; allowed: {allowed}'
