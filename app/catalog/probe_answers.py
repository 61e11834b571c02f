"""What a setting says of the answers to one probe, and where that stands in a pod's annotations."""

from __future__ import annotations

import re

from msgspec.structs import replace

from app.kube.annotations import PREFIX
from app.kube.pods import PodTemplateSpec

HEALTH = f"{PREFIX}health"


def written(pod: PodTemplateSpec, probe: str, value: str) -> PodTemplateSpec:
    """With `ok`, `fail`, or `fail=20s`, which passes after that time; KeyError where nobody asks that probe."""
    if not _probed(pod, probe):
        raise KeyError(f"no container has a {probe} probe")
    others = [rule for rule in _rules(pod) if _target(rule) != probe]
    word, equals, after = value.partition("=")
    said = {"ok": "", "fail": f"{probe}: fail" + (f"; after {after}: ok" if after else "")}
    if word not in said or (word == "ok" and equals):
        raise ValueError(f"found {value}; allowed: ok, fail, fail=20s")
    rules = " | ".join([*others, *([said[word]] if said[word] else [])])
    words = pod.metadata.annotations.without(HEALTH)
    words = words.merged({HEALTH: rules}) if rules else words
    return replace(pod, metadata=replace(pod.metadata, annotations=words))


def said(pod: PodTemplateSpec, probe: str) -> str | None:
    """What is said of one probe, as the setting says it; empty where there is no such probe or it is said otherwise."""
    if not _probed(pod, probe):
        return ""
    own = next((rule for rule in _rules(pod) if _target(rule) == probe), None)
    if own is None:
        return None
    found = re.fullmatch(r":\s*(?:fail|500)(?:;\s*after\s+(\S+):\s*(?:ok|200))?", own.removeprefix(probe))
    return "" if found is None else f"fail={found[1]}" if found[1] else "fail"


def _probed(pod: PodTemplateSpec, probe: str) -> bool:
    return any(getattr(row, f"{probe}Probe") is not None for row in pod.spec.containers)


def _rules(pod: PodTemplateSpec) -> list[str]:
    text = pod.metadata.annotations.get(HEALTH)
    return [rule.strip() for rule in text.split("|")] if text else []


def _target(rule: str) -> str:
    return rule.partition(";")[0].rpartition(":")[0].strip()
