"""How the program in an image behaves, whatever a pod says of its programs: a new version may be another one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from app.kube.annotations import PREFIX
from app.kube.annotations import check as check_annotations
from app.kube.meta import Ref
from app.kube.pods import Pod
from app.kube.stringmap import StringMap
from app.sim.draft import Draft
from app.sim.intervention import Intervention
from app.sim.maps import Map

if TYPE_CHECKING:
    from app.sim.engine import Model

KIND = "Image"
USAGE = "set image/IMAGE BEHAVIOUR=VALUE..."
_REFERENCE = re.compile(r"image/[A-Za-z0-9][\w.:/@-]*", re.ASCII)

Programs = Map[str, StringMap]


def is_meant(intervention: Intervention) -> bool:
    """Whether a `set` is about an image, not about a pod."""
    return intervention.verb == "set" and intervention.args[0].startswith("image/")


def check(intervention: Intervention) -> list[str]:
    """What is wrong with one."""
    where = f"intervention {str(intervention)!r}"
    if not _REFERENCE.fullmatch(intervention.args[0]) or intervention.args[1:] or not intervention.options:
        return [f"{where}: {USAGE!r} is the form"]
    return [f"{where}: {text}" for text in faults(dict(intervention.options))]


def faults(behaviour: dict[str, str]) -> list[str]:
    words = StringMap({PREFIX + key: text for key, text in behaviour.items()})
    return [fault.text for fault in check_annotations(words)]


def change(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """Containers that are made of the image from now on behave so, on every machine."""
    image = intervention.args[0].partition("/")[2]
    for node in draft.nodes:
        host = draft.hosts[node]
        known = host.programs.get(image, StringMap({})).merged(dict(intervention.options))
        model.change_host(draft, replace(host, programs=host.programs.set(image, known)))
    return Ref(KIND, "", image), "set"


def programmed(pod: Pod, programs: Programs) -> Pod:
    """The pod with what is known of the images of its containers."""
    words = {
        f"{PREFIX}{row.name}.{name}": text
        for row in (*pod.spec.initContainers, *pod.spec.containers)
        for name, text in programs.get(row.image, StringMap({})).items()
    }
    if not words:
        return pod
    return replace(pod, metadata=replace(pod.metadata, annotations=pod.metadata.annotations.merged(words)))
