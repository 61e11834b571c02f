"""Flags of the control plane that its owner may set: whose they are, and what they are worth unless he does."""

from __future__ import annotations

from typing import NamedTuple

from app.kube import durations
from app.kube.defaults import NOT_READY, TOLERATED_SECONDS, UNREACHABLE
from app.kube.node_health import GRACE, GRACE_FLAG, usual_grace
from app.kube.pods import Pod, Toleration
from app.kube.releases import Release


class Flag(NamedTuple):
    """The process that takes it, and its default in milliseconds."""

    process: str
    usual: int


TOLERATION = {
    "default-not-ready-toleration-seconds": NOT_READY,
    "default-unreachable-toleration-seconds": UNREACHABLE,
}
"""By flag of the API server, the taint that every new pod tolerates for so long."""
FLAGS: dict[str, Flag] = {
    GRACE_FLAG: Flag("kube-controller-manager", GRACE),
    **dict.fromkeys(TOLERATION, Flag("kube-apiserver", TOLERATED_SECONDS * 1000)),
}


def usual(name: str, release: Release) -> int:
    """What a release has a flag at."""
    return usual_grace(release) if name == GRACE_FLAG else FLAGS[name].usual


def parse(name: str, text: str) -> int:
    """A flag's value in milliseconds, as its process reads it; ValueError says what is allowed."""
    if name not in TOLERATION:
        return durations.parse(text)
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise ValueError(f'found "{text}"; allowed: whole seconds, such as 30')
    return int(text) * 1000


def tolerating(pod: Pod, seconds: dict[str, int]) -> tuple[Toleration, ...]:
    """The pod's tolerations with those that DefaultTolerationSeconds adds, for so long by taint."""
    given = pod.spec.tolerations
    missing = tuple(
        Toleration(key=key, operator="Exists", effect="NoExecute", tolerationSeconds=length)
        for key, length in seconds.items()
        if not any(row.key in (key, "") and row.effect in ("NoExecute", "") for row in given)
    )
    return given + missing
