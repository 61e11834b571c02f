"""What each verb of the grammar does. The one table of verbs: the CLI, addresses, buttons and flows all use it."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from app.errors import BadInput
from app.kube.meta import DEFAULT_NAMESPACE, Ref
from app.kube.names import generated_suffix
from app.kube.objects import KIND_BY_WORD, ref_of
from app.sim import intervention_options
from app.sim.acts import Command, Work
from app.sim.draft import Draft, enqueue, set_timer
from app.sim.host import Proxy
from app.sim.index import Index
from app.sim.intervention import Intervention
from app.sim.loop import Turn
from app.sim.maps import EMPTY, ordered
from app.sim.step import Step
from app.sim.world import World

if TYPE_CHECKING:
    from app.sim.engine import Model

YOU = "You"
ANNOTATIONS = "sim.loopscope.dev/"


class Verb(Struct, frozen=True):
    """One verb: how it is written, and what it does to a draft."""

    usage: str
    does: Callable[[Model, Draft, Intervention], tuple[Ref, str]]
    """Returns what it was about and the outcome; kubectl's verbs start a command and leave the rest to its loop."""
    arguments: int = 1
    command: bool = False
    kinds: tuple[str, ...] = ()
    """The kinds that it can be done to; none means any."""


def check(intervention: Intervention) -> list[str]:
    """Problems of one intervention that can be told without a cluster."""
    verb = VERBS.get(intervention.verb)
    if verb is None:
        near = difflib.get_close_matches(intervention.verb, VERBS, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        return [
            f"intervention {str(intervention)!r}: unknown verb {intervention.verb!r}{hint} allowed: {', '.join(VERBS)}"
        ]
    if len(intervention.args) < verb.arguments:
        return [f"intervention {str(intervention)!r}: {verb.usage!r} is the form"]
    try:
        about = [parse_ref(text) for text in _references(intervention)]
    except BadInput as error:
        return error.problems
    wrong = [ref for ref in about if verb.kinds and ref.kind not in verb.kinds]
    allowed = ", ".join(f"{kind.lower()}/NAME" for kind in verb.kinds)
    found = [f"intervention {str(intervention)!r}: found {ref}; allowed: {allowed}" for ref in wrong]
    return [*found, *intervention_options.check(intervention)]


def _references(intervention: Intervention) -> tuple[str, ...]:
    """The arguments that name objects."""
    if intervention.verb in ("stop", "start", "apply"):
        return ()
    return intervention.args if intervention.verb == "delete" else intervention.args[:1]


def parse_ref(text: str) -> Ref:
    """`kind/[ns/]name` as a reference."""
    kind, _, rest = text.partition("/")
    namespace, _, name = rest.rpartition("/")
    if kind.lower() not in KIND_BY_WORD or not name:
        kinds = ", ".join(sorted(KIND_BY_WORD))
        raise BadInput([f"reference {text!r}: the form is kind/[namespace/]name, with kind one of {kinds}"])
    return ref_of(KIND_BY_WORD[kind.lower()], namespace or DEFAULT_NAMESPACE, name)


def carry_out(model: Model, draft: Draft, before: World) -> list[Step]:
    """Do the next line of the script."""
    intervention, draft.script = draft.script[0], draft.script[1:]
    verb = VERBS[intervention.verb]
    ref, outcome = verb.does(model, draft, intervention)
    if verb.command:
        return []
    return [
        Step(
            at=draft.now,
            loop="you",
            node="",
            sender=YOU,
            to=_lane(intervention),
            verb=intervention.verb,
            object=ref,
            outcome=outcome,
            reason="",
            moment=f"you-{intervention.verb}",
            cause="",
            background=False,
            commits=(),
            events=(),
            output=(),
            command=0,
            before=before,
            world=draft.freeze(),
        )
    ]


def resolve(draft: Draft, text: str) -> Ref:
    """A reference; `pod/web-2` also means the second pod that workload `web` made, as its generated name is long."""
    ref = parse_ref(text)
    if ref.kind != "Pod" or draft.etcd.get(ref) is not None:
        return ref
    base, _, ordinal = ref.name.rpartition("-")
    if not base or not ordinal.isdigit():
        return ref
    for pod in draft.etcd.find(f"Pod in {ref.namespace}"):
        owner = pod.metadata.controller
        if owner is None or pod.metadata.name != f"{owner.name}-{generated_suffix(owner.uid, int(ordinal))}":
            continue
        if owner.name == base or _made_by(draft, ref.namespace, owner.name, base):
            return pod.ref
    return ref


def _made_by(draft: Draft, namespace: str, replica_set: str, deployment: str) -> bool:
    held = draft.etcd.get(Ref("ReplicaSet", namespace, replica_set))
    owner = held.object.metadata.controller if held else None
    return owner is not None and owner.name == deployment


def _lane(intervention: Intervention) -> str:
    return " ".join(intervention.args[:1]).replace("/", " ")


def _command(
    model: Model, draft: Draft, intervention: Intervention, words: str, refs: tuple[Ref, ...], **more: object
) -> tuple[Ref, str]:
    number = len(draft.commands) + 1
    command = Command(number, words, intervention.verb, refs, intervention.options, **more)  # type: ignore[arg-type]
    model.start_command(draft, command)
    return command.key, "started"


def _delete(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    refs = tuple(resolve(draft, text) for text in intervention.args)
    between = " " if len(refs) == 1 else "/"
    words = [f"{ref.kind.lower()}{between}{ref.name}" for ref in refs]
    text = " ".join(["kubectl delete", *words, *delete_flags(intervention.options)])
    return _command(model, draft, intervention, text, refs)


def delete_flags(options: tuple[tuple[str, str], ...]) -> list[str]:
    """The options of `delete` as kubectl spells them, without what it does anyway."""
    spelled = {("force", "true"): "--force", ("wait", "false"): "--wait=false"}
    flags = (f"--grace-period={row[1]}" if row[0] == "grace" else spelled.get(row, "") for row in options)
    return [flag for flag in flags if flag]


def _apply(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    objects = draft.manifests.get(intervention.args[0].removeprefix("m:"), ())
    return _command(
        model, draft, intervention, "kubectl apply -f -", tuple(obj.ref for obj in objects), objects=objects
    )


def _simple(text: str) -> Callable[[Model, Draft, Intervention], tuple[Ref, str]]:
    """A verb that is one kubectl command on one object; `text` is filled with its name and options."""

    def does(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
        ref = resolve(draft, intervention.args[0])
        options = " ".join(f"{name}={value}" for name, value in intervention.options)
        rest = " ".join(intervention.args[1:])
        words = text.format(kind=ref.kind.lower(), name=ref.name, options=options, rest=rest)
        extra = (("rest", rest),) if rest else ()
        changed = replace(intervention, options=(*intervention.options, *extra))
        return _command(model, draft, changed, words, (ref,))

    return does


def _stop(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    process = intervention.args[0]
    _stop_process(model, draft, process)
    return Ref("Process", "", process.replace("/", ".")), "stopped"


def _stop_process(model: Model, draft: Draft, process: str) -> None:
    if process in draft.down:
        return
    draft.down = draft.down.set(process, draft.now)
    base, _, node = process.partition("/")
    names = {loop.name for loop in model.routes.processes.get(base, ())}
    for work in [work for work in draft.queued if work.loop in names and work.node == node]:
        draft.queued = draft.queued.delete(work)
    for work in [work for work in draft.timers if work.loop in names and work.node == node]:
        set_timer(draft, work, None)
        draft.busy = draft.busy.delete(work) if work in draft.busy else draft.busy
    for key in [key for key in draft.inbox if key[0] == process]:
        draft.inbox = draft.inbox.delete(key)
    for queue in [queue for queue in draft.heads if queue[0] == process]:
        draft.heads = draft.heads.delete(queue)
        draft.touched.add(queue)
    if base == "kube-proxy" and node in draft.hosts:
        # The kernel's rules outlive the process; what it remembered does not.
        host = draft.hosts[node]
        draft.hosts = draft.hosts.set(node, replace(host, proxy=Proxy(rules=host.proxy.rules)))
    if base == "kubelet" and node in draft.hosts:
        # So do its containers, and so forgets it: it keeps nothing of its pods on disk.
        draft.hosts = draft.hosts.set(node, replace(draft.hosts[node], workers=EMPTY))


def _start(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    process = intervention.args[0]
    ref = Ref("Process", "", process.replace("/", "."))
    if process not in draft.down:
        return ref, "runs already"
    draft.down = draft.down.delete(process)
    view = Index()
    for kind in model.routes.kinds(process):
        for found in draft.etcd.by.get(kind, ()):
            stored = draft.etcd.objects[found]
            if model.routes.sees(process, stored.object):
                view = view.put(stored)
    draft.views = draft.views.set(process, view)
    base, _, node = process.partition("/")
    for loop in model.routes.processes.get(base, ()):
        keys = loop.on_start(Turn(draft.freeze(), loop, node, ref)) if loop.on_start else []
        for key in keys:
            enqueue(draft, Work(loop.name, node, key))
    return ref, "started"


def _power_off(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    ref = parse_ref(intervention.args[0])
    host = draft.hosts.get(ref.name)
    if host is None or not host.power:
        return ref, "not found" if host is None else "off already"
    for process in ("kubelet", "kube-proxy"):
        _stop_process(model, draft, f"{process}/{ref.name}")
    for table in (draft.queued, draft.timers):
        for work in [work for work in table if work.node == ref.name]:
            draft.queued = draft.queued.delete(work) if work in draft.queued else draft.queued
            set_timer(draft, work, None)
    model.change_host(draft, replace(draft.hosts[ref.name], power=False))
    for work in [work for work in draft.queued if work.node == ref.name]:
        draft.queued = draft.queued.delete(work)
    return ref, "off"


def _set(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    ref = resolve(draft, intervention.args[0])
    for node in draft.nodes:
        host = draft.hosts[node]
        for uid, found in ordered(host.pods):
            if found.ref != ref:
                continue
            meta = found.pod.metadata
            changes = {f"{ANNOTATIONS}{name}": value for name, value in intervention.options}
            pod = replace(found.pod, metadata=replace(meta, annotations=meta.annotations.merged(changes)))
            model.change_host(draft, replace(host, pods=host.pods.set(uid, replace(found, pod=pod))))
            return ref, "set"
    return ref, "not found"


WORKLOADS = ("Deployment", "StatefulSet", "ReplicaSet")

VERBS: dict[str, Verb] = {
    "delete": Verb("delete KIND/NAME... [grace=SECONDS] [force=true] [wait=false]", _delete, command=True),
    "apply": Verb("apply m:HASH", _apply, command=True),
    "scale": Verb(
        "scale KIND/NAME replicas=N",
        _simple("kubectl scale {kind}/{name} --{options}"),
        command=True,
        kinds=WORKLOADS,
    ),
    "set-image": Verb(
        "set-image KIND/NAME CONTAINER=IMAGE...",
        _simple("kubectl set image {kind}/{name} {options}"),
        command=True,
        kinds=WORKLOADS,
    ),
    "add-finalizer": Verb(
        "add-finalizer KIND/NAME FINALIZER",
        _simple("kubectl patch {kind} {name} # add finalizer {rest}"),
        2,
        command=True,
    ),
    "remove-finalizer": Verb(
        "remove-finalizer KIND/NAME FINALIZER",
        _simple("kubectl patch {kind} {name} # remove finalizer {rest}"),
        2,
        command=True,
    ),
    "cordon": Verb("cordon node/NAME", _simple("kubectl cordon {name}"), command=True, kinds=("Node",)),
    "uncordon": Verb("uncordon node/NAME", _simple("kubectl uncordon {name}"), command=True, kinds=("Node",)),
    "stop": Verb("stop PROCESS[/NODE]", _stop),
    "start": Verb("start PROCESS[/NODE]", _start),
    "power-off": Verb("power-off node/NAME", _power_off, kinds=("Node",)),
    "set": Verb("set pod/NAME BEHAVIOUR=VALUE...", _set, kinds=("Pod",)),
}
