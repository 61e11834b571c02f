"""How a disk behaves when it is attached: what the annotation of a PersistentVolume says."""

from __future__ import annotations

from collections.abc import Iterator

from app.kube import durations
from app.kube.annotations import PREFIX
from app.kube.near_names import did_you_mean
from app.kube.storage import PersistentVolume
from app.kube.stringmap import StringMap

ATTACH = f"{PREFIX}attach"
HANGS = "hangs"


def attach_takes(volume: PersistentVolume, usual: int) -> int | None:
    """Milliseconds until its driver has attached it; None: it never answers."""
    text = volume.metadata.annotations.get(ATTACH)
    if text is None:
        return usual
    return None if text == HANGS else durations.parse(text)


def faults(annotations: StringMap) -> Iterator[tuple[str, str]]:
    """Each annotation that is wrong, with what is wrong with it."""
    for key, text in annotations.items():
        if not key.startswith(PREFIX):
            continue
        if key != ATTACH:
            name = key.removeprefix(PREFIX)
            near = did_you_mean(name, ("attach",))
            yield key, f"no such annotation of a PersistentVolume; allowed after {PREFIX}: attach{near}"
        elif text != HANGS and not _is_duration(text):
            yield key, f'found "{text}"; allowed: a duration such as 2s, {HANGS}'


def _is_duration(text: str) -> bool:
    try:
        durations.parse(text)
    except ValueError:
        return False
    return True
