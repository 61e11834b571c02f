"""What may stand in each annotation of a Node, `sim.loopscope.dev/NAME`: about its machine and its kubelet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from app.kube import behaviour_grammar as grammar
from app.kube import quantity
from app.kube.annotations import PREFIX
from app.kube.near_names import did_you_mean
from app.kube.quoting import shown
from app.kube.stringmap import StringMap

TICK = 10_000
"""The period of a kubelet's eviction manager, and of its node status."""
LEASE_RENEWAL = 10_000


def _statements(text: str) -> dict[str, str]:
    """`memory.available<500Mi,nodefs.available<10%`, as the kubelet's flags have it; `none` for nothing."""
    found: dict[str, str] = {}
    for part in [] if text.strip() == "none" else text.split(","):
        signal, sign, amount = (word.strip() for word in part.replace("<", "=").partition("="))
        if not sign or not signal or not amount or signal in found:
            raise ValueError(f'found {shown(text)}; allowed: each signal once, as in "memory.available<500Mi", or none')
        found[signal] = amount
    return found


def _images(text: str) -> tuple[tuple[str, int], ...]:
    found = []
    for part in text.split(","):
        name, sign, size = (word.strip() for word in part.rpartition("="))
        if not sign or not name:
            raise ValueError(f'found {shown(text)}; allowed: images with their sizes, as in "app:v1=300Mi,db:v2=1Gi"')
        found.append((name, quantity.value(size)))
    return tuple(found)


def _seconds(text: str) -> int:
    whole, rest = divmod(grammar.duration(text), 1000)
    if rest:
        raise ValueError(f"found {shown(text)}; allowed: whole seconds")
    return whole


def _tick(text: str) -> int:
    found = grammar.duration(text)
    if found >= TICK:
        raise ValueError(f"found {shown(text)}; allowed: less than 10s")
    return found


def _lease_age(text: str) -> int | None:
    if text == "spread":
        return None
    try:
        found = grammar.duration(text)
    except ValueError:
        raise ValueError(f"found {shown(text)}; allowed: a duration up to 10s, or spread") from None
    if found > LEASE_RENEWAL:
        raise ValueError(f"found {shown(text)}; allowed: at most 10s, the time from one renewal to the next, or spread")
    return found


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f"found {shown(text)}; allowed: {', '.join(words)}{did_you_mean(text, words)}")
        return text

    return read


READERS: dict[str, Callable[[str], Any]] = {
    "memory": grammar.curve,
    "disk": grammar.curve,
    "images": _images,
    "power": _one_of("on", "off"),
    "cni": _one_of("ok", "failing", "no-addresses", "not-ready"),
    "imagefs": quantity.value,
    "system-reserved": quantity.value,
    "eviction-hard": _statements,
    "eviction-soft": _statements,
    "eviction-soft-grace-period": _statements,
    "eviction-minimum-reclaim": _statements,
    "eviction-pressure-transition-period": grammar.duration,
    "eviction-max-pod-grace-period": _seconds,
    "enforce-node-allocatable": _one_of("pods", "none"),
    "single-process-oom-kill": _one_of("true", "false"),
    "eviction-tick": _tick,
    "node-status-tick": _tick,
    "lease-age": _lease_age,
}


def values(annotations: StringMap) -> dict[str, Any]:
    """What is given, read; ValueError at the first fault."""
    texts = {name: annotations.get(PREFIX + name) for name in READERS}
    return {name: READERS[name](text) for name, text in texts.items() if text is not None}


def faults(annotations: StringMap) -> Iterator[tuple[str, str]]:
    """Each annotation that is wrong by itself, with what is wrong with it."""
    for key, text in annotations.items():
        name = key.removeprefix(PREFIX)
        if name == key:
            continue
        if name not in READERS:
            near = did_you_mean(name, READERS)
            yield key, f"no such annotation of a Node; allowed after {PREFIX}: {', '.join(READERS)}{near}"
            continue
        try:
            READERS[name](text)
        except ValueError as error:
            yield key, str(error)
