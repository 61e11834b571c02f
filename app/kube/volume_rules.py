"""What the volumes of a pod need, and what the kubelet says when it is not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from app.kube.environment import Keys, Need
from app.kube.meta import Ref
from app.kube.pods import KeyToPath, Volume

FIRST_RETRY, LONGEST_RETRY = 500, 122_000
"""An operation that failed is tried again after this time, which doubles up to the other."""
WAIT_LIMIT = 123_000
"""podAttachAndMountTimeout: then the sync fails, and another one waits anew."""
_KEY = {
    "ConfigMap": "configmap references non-existent config key: ",
    "Secret": "references non-existent secret key: ",
}


def needs(volume: Volume) -> Iterator[Need]:
    """The objects, and keys of objects, that must be there for it."""
    for kind, name, items, optional in _sources(volume):
        yield Need(kind, name, "", optional)
        yield from (Need(kind, name, row.key, optional) for row in items)
    if volume.persistentVolumeClaim is not None:
        yield Need("PersistentVolumeClaim", volume.persistentVolumeClaim.claimName, "", optional=False)


def of_files(volume: Volume) -> bool:
    """Whether it shows ConfigMaps or Secrets."""
    return any(True for _ in _sources(volume))


def missing(volume: Volume, namespace: str, keys: Keys) -> str:
    """The error of the first ConfigMap, Secret or key that it needs and that is not there."""
    for kind, name, items, optional in _sources(volume):
        held = keys(Ref(kind, namespace, name))
        if optional:
            continue
        if held is None:
            return f'{kind.lower()} "{name}" not found'
        for item in items:
            if item.key not in held:
                return _KEY[kind] + item.key
    return ""


def _sources(volume: Volume) -> Iterator[tuple[str, str, Sequence[KeyToPath], bool]]:
    if volume.configMap is not None:
        yield "ConfigMap", volume.configMap.name, volume.configMap.items, volume.configMap.optional
    if volume.secret is not None:
        yield "Secret", volume.secret.secretName, volume.secret.items, volume.secret.optional
    for source in volume.projected.sources if volume.projected is not None else ():
        if source.configMap is not None:
            yield "ConfigMap", source.configMap.name, source.configMap.items, source.configMap.optional
        if source.secret is not None:
            yield "Secret", source.secret.name, source.secret.items, source.secret.optional


def device_failed(name: str) -> str:
    """The message of FailedMount where the driver could not bring a disk onto the machine."""
    error = "rpc error: code = Internal desc = could not format and mount device"
    return f'MountVolume.MountDevice failed for volume "{name}" : {error}'


def unprocessed(errors: Mapping[str, str]) -> str:
    """The message of FailedMount about volumes, by name, whose claims are of no use."""
    names = f"[{' '.join(sorted(errors))}]"
    place = f"unmounted volumes={names}, unattached volumes=[], failed to process volumes={names}"
    return f"Unable to attach or mount volumes: {place}: {'; '.join(errors.values())}"


def next_try(first: int, now: int) -> int:
    """The first instant from `now` on at which what failed at `first`, and again since, is tried once more."""
    at, tries = first, 0
    while at < now:
        tries += 1
        at += retry_after(tries)
    return at


def retry_after(tries: int) -> int:
    """Milliseconds until the next try after so many failed ones."""
    doubled: int = FIRST_RETRY * 2 ** max(tries - 1, 0)
    return min(doubled, LONGEST_RETRY)
