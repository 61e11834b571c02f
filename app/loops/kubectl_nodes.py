"""kubectl cordon, uncordon and taint: a look at the Node, then a patch of what differs."""

from __future__ import annotations

from collections.abc import Generator

from msgspec.structs import replace

from app.kube.meta import Ref
from app.kube.nodes import Node, Taint
from app.kube.pods import Pod, Toleration
from app.kube.taints import parse_taint
from app.loops.kubectl_output import Answers, ended, failed, named, said
from app.sim.acts import Act, Command, Get, Line, Outcome, Patch

Look = Generator[Act, Outcome, Node | None]


def cordon(command: Command) -> Answers | Act:
    """`kubectl cordon NODE...` and `kubectl uncordon NODE...`."""
    return ended(command) if command.done == len(command.refs) else _one(command)


def _one(command: Command) -> Answers:
    ref = command.refs[command.done]
    after = replace(command, done=command.done + 1)
    yield from set_unschedulable(command, after, ref, wanted=command.verb == "cordon")


def set_unschedulable(command: Command, after: Command, ref: Ref, *, wanted: bool) -> Answers:
    """One node cordoned or uncordoned; `after` is the command once that is done."""
    node = yield from _look(command, ref)
    if node is None:
        return
    word = "cordoned" if wanted else "uncordoned"
    if node.spec.unschedulable == wanted:
        yield said(after, Line(f"{named(ref)} already {word}"))
        return
    answer = yield Act(
        "patch",
        ref,
        reason="UserRequest",
        moment="cordon" if wanted else "uncordon",
        request=Patch(ref, (("spec.unschedulable", wanted),)),
        command=command,
    )
    yield said(after, Line(f"{named(ref)} {word}")) if answer.ok else failed(command, answer)


def _look(command: Command, ref: Ref) -> Look:
    answer = yield Act("get", ref, reason="UserRequest", request=Get(ref), command=command, background=True)
    if isinstance(answer.object, Node):
        return answer.object
    yield failed(command, answer)
    return None


def taint(command: Command) -> Answers | Act:
    """`kubectl taint nodes NODE KEY=VALUE:EFFECT` and `KEY-`."""
    return ended(command) if command.done else _taint(command)


def _taint(command: Command) -> Answers:
    ref = command.refs[0]
    node = yield from _look(command, ref)
    if node is None:
        return
    added = command.verb == "taint"
    taints, error = (_with if added else _without)(node, command.option("taints").split())
    if error:
        lines = (Line(f"error: {error}", "stderr"),)
        yield Act("fail", command.key, reason="Refused", output=lines, command=replace(command, exit=1), to="You")
        return
    moment = "taint" if added else "untaint"
    request = Patch(ref, (("spec.taints", taints),))
    answer = yield Act("patch", ref, reason="UserRequest", moment=moment, request=request, command=command)
    text = f"{named(ref)} {moment}ed"
    yield said(replace(command, done=1), Line(text)) if answer.ok else failed(command, answer)


def tolerate(command: Command) -> Answers:
    """A patch that gives a pod a NoExecute toleration, or another length of the one it has."""
    ref, key = command.refs[0], command.option("key")
    seconds = command.option("seconds")
    answer = yield Act("get", ref, reason="UserRequest", request=Get(ref), command=command, background=True)
    if not isinstance(answer.object, Pod):
        yield failed(command, answer)
        return
    new = Toleration(key, "Exists", effect="NoExecute", tolerationSeconds=int(seconds) if seconds else None)
    rows = answer.object.spec.tolerations
    same = [row for row in rows if (row.key, row.effect) == (key, new.effect)]
    wanted = tuple(new if row in same else row for row in rows) if same else (*rows, new)
    request = Patch(ref, (("spec.tolerations", wanted),))
    answer = yield Act("patch", ref, reason="UserRequest", moment="tolerate", request=request, command=command)
    yield said(replace(command, done=1), Line(f"{named(ref)} patched")) if answer.ok else failed(command, answer)


def _with(node: Node, texts: list[str]) -> tuple[tuple[Taint, ...], str]:
    taints = list(node.spec.taints)
    for text in texts:
        new = parse_taint(text)
        if any((row.key, row.effect) == (new.key, new.effect) for row in taints):
            about = f"node {node.metadata.name} already has {new.key} taint(s)"
            return (), f"{about} with same effect(s) and --overwrite is false"
        taints.append(new)
    return tuple(taints), ""


def _without(node: Node, texts: list[str]) -> tuple[tuple[Taint, ...], str]:
    taints = node.spec.taints
    for text in texts:
        pair, _, effect = text.partition(":")
        key = pair.partition("=")[0]
        left = tuple(row for row in taints if row.key != key or (effect and row.effect != effect))
        if left == taints:
            return (), f'taint "{text}" not found'
        taints = left
    return taints, ""
