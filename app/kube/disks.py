"""How a disk behaves: what the annotations of its PersistentVolume say."""

from __future__ import annotations

from collections.abc import Iterator

from app.kube import durations
from app.kube.annotations import PREFIX
from app.kube.near_names import did_you_mean
from app.kube.storage import PersistentVolume
from app.kube.stringmap import StringMap

NEVER = {"attach": "hangs", "mount": "fails"}
"""By annotation, the word for what does not come about at all."""


def attach_takes(volume: PersistentVolume, usual: int) -> int | None:
    """Milliseconds until its driver has attached it; None: it never answers."""
    return _takes(volume, "attach", usual)


def mount_takes(volume: PersistentVolume, usual: int) -> int | None:
    """Milliseconds until its driver has mounted it; None: it cannot."""
    return _takes(volume, "mount", usual)


def _takes(volume: PersistentVolume, name: str, usual: int) -> int | None:
    text = volume.metadata.annotations.get(PREFIX + name)
    if text is None:
        return usual
    return None if text == NEVER[name] else durations.parse(text)


def faults(annotations: StringMap) -> Iterator[tuple[str, str]]:
    """Each annotation that is wrong, with what is wrong with it."""
    for key, text in annotations.items():
        name = key.removeprefix(PREFIX)
        if name == key:
            continue
        if name not in NEVER:
            allowed = f"allowed after {PREFIX}: {', '.join(NEVER)}{did_you_mean(name, NEVER)}"
            yield key, f"no such annotation of a PersistentVolume; {allowed}"
        elif text != NEVER[name] and not _is_duration(text):
            yield key, f'found "{text}"; allowed: a duration such as 2s, {NEVER[name]}'


def _is_duration(text: str) -> bool:
    try:
        durations.parse(text)
    except ValueError:
        return False
    return True
