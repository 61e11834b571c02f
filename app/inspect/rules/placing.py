"""Rules about images, drains and lost nodes: what happens to pods where they are, and on the way to another node."""

from __future__ import annotations

from collections.abc import Iterator

from app.inspect.finding import Found, found
from app.inspect.spelling import names
from app.inspect.subject import Made, Part, Subject
from app.kube.critical_pods import critical
from app.kube.defaults import NOT_READY, TOLERATED_SECONDS, UNREACHABLE
from app.kube.drain_filters import CONFIG_MIRROR
from app.kube.images import fault, parsed
from app.kube.pods import Pod, Toleration
from app.kube.workloads import DaemonSet

LOST = (NOT_READY, UNREACHABLE)


def _images(subject: Subject) -> Iterator[tuple[Made, Part, str]]:
    """Every container with the tag of its image; empty where a digest stands in its place."""
    for made in subject.made:
        for part in made.parts:
            image = parsed(part.row.image)
            if image is not None:
                yield made, part, "" if image.digest else image.tag


def image_latest(subject: Subject) -> Iterator[Found]:
    """No tag means :latest, and with that Always is the default policy (SetDefaults_Container): each start pulls
    what the tag points to then, so pods of one revision may run different programs.
    """
    for made, part, tag in _images(subject):
        if tag == "latest" and part.row.imagePullPolicy == "Always":
            yield found(made, (*part.path, "image"), container=part.row.name, image=part.row.image)


def image_latest_kept(subject: Subject) -> Iterator[Found]:
    """With IfNotPresent or Never a node that has some :latest never looks for a newer one (EnsureImageExists in
    pkg/kubelet/images): which program runs depends on the node.
    """
    for made, part, tag in _images(subject):
        if tag == "latest" and part.row.imagePullPolicy != "Always":
            values = {"image": part.row.image, "policy": part.row.imagePullPolicy}
            yield found(made, (*part.path, "imagePullPolicy"), container=part.row.name, **values)


def image_invalid(subject: Subject) -> Iterator[Found]:
    """The API server takes any image, the kubelet waits with InvalidImageName (pkg/kubelet/images)."""
    for made in subject.made:
        for part in made.parts:
            if parsed(part.row.image) is None:
                yield found(made, (*part.path, "image"), container=part.row.name, fault=fault(part.row.image))


# Drains: kubectl/pkg/drain/filters.go.


def drain_emptydir(subject: Subject) -> Iterator[Found]:
    """A pod with an emptyDir stops a drain, unless --delete-emptydir-data says that its content may go
    (localStorageFilter).
    """
    for made in subject.made:
        rows = [(at, row) for at, row in enumerate(made.pod.spec.volumes) if row.emptyDir is not None]
        if rows and made.endless and not isinstance(made.owner, DaemonSet):
            first = rows[0][0]
            yield found(made, made.at("volumes", first, "emptyDir"), volumes=names(row.name for _, row in rows))


def drain_hostpath(subject: Subject) -> Iterator[Found]:
    """A hostPath does not stop a drain (localStorageFilter knows emptyDir only): the pod starts elsewhere, with
    whatever lies under that path there.
    """
    for made in subject.made:
        if isinstance(made.owner, DaemonSet) or not made.endless:
            continue
        for at, row in enumerate(made.pod.spec.volumes):
            if row.hostPath is not None and not _pinned(made.pod):
                yield found(made, made.at("volumes", at, "hostPath"), volume=row.name, directory=row.hostPath.path)


def drain_bare_pod(subject: Subject) -> Iterator[Found]:
    """A pod without a controller stops a drain, unless --force is given (unreplicatedFilter), and then nobody makes it
    anew.
    """
    for made in subject.made:
        bare = isinstance(made.owner, Pod) and made.pod.metadata.controller is None
        if bare and made.endless and CONFIG_MIRROR not in made.pod.metadata.annotations:
            yield found(made, ("metadata",))


def _pinned(pod: Pod) -> bool:
    return bool(pod.spec.nodeName)


# Lost nodes: DefaultTolerationSeconds and pkg/controller/tainteviction.


def tolerates_long(subject: Subject) -> Iterator[Found]:
    """A pod on a lost node is deleted when its tolerationSeconds are over, by default 300 (DefaultTolerationSeconds,
    tainteviction): only then is it replaced.
    """
    for made, at, row, taint in _lost(subject):
        if row.tolerationSeconds is not None and row.tolerationSeconds > TOLERATED_SECONDS:
            yield found(
                made, made.at("tolerations", at, "tolerationSeconds"), taint=taint, seconds=row.tolerationSeconds
            )


def tolerates_forever(subject: Subject) -> Iterator[Found]:
    """A toleration without tolerationSeconds holds for ever (getMinTolerationTime): the pod stays bound to a lost
    node until somebody deletes it or the node.
    """
    for made, at, row, taint in _lost(subject):
        if row.tolerationSeconds is None:
            yield found(made, made.at("tolerations", at), taint=taint)


def _lost(subject: Subject) -> Iterator[tuple[Made, int, Toleration, str]]:
    """Tolerations of lost nodes that are written; daemons and critical pods are meant to stay."""
    for made in subject.made:
        if isinstance(made.owner, DaemonSet) or critical(made.pod) or not made.endless:
            continue
        for at, row in enumerate(made.pod.spec.tolerations):
            taints = [key for key in LOST if row.key in (key, "")]
            if taints and row.effect in ("", "NoExecute"):
                yield made, at, row, names(taints)
