"""What each verb of the grammar does. The one table of verbs: the CLI, addresses, buttons and flows all use it."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from app.errors import BadInput
from app.kube import waiting
from app.kube.meta import Ref
from app.sim import (
    command_lines,
    crashes,
    dependencies,
    intervention_options,
    links,
    losing,
    machines,
    manifest_files,
    power,
    processes,
    programs,
)
from app.sim.command_lines import simple
from app.sim.draft import Draft
from app.sim.intervention import Intervention
from app.sim.loop import SERVER
from app.sim.references import parse_ref
from app.sim.step import Step
from app.sim.world import World

if TYPE_CHECKING:
    from app.sim.engine import Model

YOU = "You"


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
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return [
            f"intervention {str(intervention)!r}: unknown verb {intervention.verb!r}; allowed: {', '.join(VERBS)}{hint}"
        ]
    too_many = "..." not in verb.usage and len(intervention.args) > verb.arguments
    if len(intervention.args) < verb.arguments or too_many:
        return [f"intervention {str(intervention)!r}: {verb.usage!r} is the form"]
    if dependencies.is_meant(intervention):
        return dependencies.check(intervention)
    if programs.is_meant(intervention):
        return programs.check(intervention)
    try:
        about = [parse_ref(text) for text in _references(intervention)]
    except BadInput as error:
        return error.problems
    wrong = [ref for ref in about if verb.kinds and ref.kind not in verb.kinds]
    allowed = ", ".join(f"{kind.lower()}/NAME" for kind in verb.kinds)
    found = [f"intervention {str(intervention)!r}: found {ref}; allowed: {allowed}" for ref in wrong]
    return [*found, *intervention_options.check(intervention)]


def each(intervention: Intervention) -> tuple[Intervention, ...]:
    """The same as one intervention for each thing that it is done to, where one act is done to one."""
    if intervention.verb not in (*ONE_BY_ONE, *LINKS, *ONE_MACHINE_EACH):
        return (intervention,)
    same = 1 if intervention.verb in LINKS else 0
    kept, several = intervention.args[:same], intervention.args[same:]
    return tuple(replace(intervention, args=(*kept, arg)) for arg in several)


def _references(intervention: Intervention) -> tuple[str, ...]:
    """The arguments that name objects."""
    if intervention.verb in ("stop", "start", "freeze", "thaw", "apply", "cut", "restore"):
        return ()
    return intervention.args if intervention.verb in MANY else intervention.args[:1]


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
            verb=dependencies.deed(intervention) or intervention.verb,
            object=ref,
            outcome=outcome,
            reason="",
            moment=_moment(intervention),
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


def _moment(intervention: Intervention) -> str:
    if dependencies.is_meant(intervention):
        return f"dependency-{intervention.args[1]}"
    # That one is missed by all others, so flows tell of it in other words than of the rest.
    about = f"-{SERVER}" if intervention.args[:1] == (SERVER,) else ""
    return f"you-{intervention.verb}{about}"


def _lane(intervention: Intervention) -> str:
    process, slash, rest = "".join(intervention.args[:1]).partition("/")
    return " ".join((machines.LANES.get(process, process), *((rest,) if slash else ()))).replace("/", " ")


NODE = ("Node",)
ONE_BY_ONE = ("stop", "start", "freeze", "thaw")
LINKS = ("cut", "restore")
ONE_MACHINE_EACH = ("power-off", "power-on", "partition", "stop-kubelet", "terminate", "bring-back")
"""Verbs that may name several, and do to one after the other what they do to one."""
MANY = ("delete", "cordon", "uncordon", "drain", *ONE_MACHINE_EACH)
"""Verbs whose arguments are all references."""
WORKLOADS = ("Deployment", "StatefulSet", "ReplicaSet")

VERBS: dict[str, Verb] = {
    "delete": Verb("delete KIND/NAME... [grace=SECONDS] [force=true] [wait=false]", command_lines.delete, command=True),
    "apply": Verb("apply m:HASH", command_lines.apply, command=True),
    "scale": Verb(
        "scale KIND/NAME replicas=N",
        simple("kubectl scale {kind}/{name} --{options}"),
        command=True,
        kinds=WORKLOADS,
    ),
    "set-image": Verb(
        "set-image KIND/NAME CONTAINER=IMAGE...",
        simple("kubectl set image {kind}/{name} {options}"),
        command=True,
        kinds=(*WORKLOADS, "DaemonSet"),
    ),
    "rollout-status": Verb(
        "rollout-status KIND/NAME [timeout=2m]",
        command_lines.rollout,
        command=True,
        kinds=("Deployment", "StatefulSet", "DaemonSet"),
    ),
    "rollout-undo": Verb(
        "rollout-undo deployment/NAME [to-revision=N]",
        command_lines.rollout,
        command=True,
        kinds=("Deployment",),
    ),
    "wait": Verb("wait KIND/NAME [timeout=30s]", command_lines.wait, command=True, kinds=waiting.KINDS),
    "add-finalizer": Verb(
        "add-finalizer KIND/NAME FINALIZER",
        simple("kubectl patch {kind} {name} # add finalizer {rest}"),
        2,
        command=True,
    ),
    "remove-finalizer": Verb(
        "remove-finalizer KIND/NAME FINALIZER",
        simple("kubectl patch {kind} {name} # remove finalizer {rest}"),
        2,
        command=True,
    ),
    "cordon": Verb("cordon node/NAME...", command_lines.nodes("kubectl cordon"), command=True, kinds=NODE),
    "uncordon": Verb("uncordon node/NAME...", command_lines.nodes("kubectl uncordon"), command=True, kinds=NODE),
    "drain": Verb(
        "drain node/NAME... [ignore-daemonsets=true] [delete-emptydir-data=true] [force=true] [grace-period=SECONDS] "
        "[timeout=7s] [pod-selector=LABELS] [disable-eviction=true] [skip-wait-for-delete-timeout=SECONDS]",
        command_lines.nodes("kubectl drain"),
        command=True,
        kinds=NODE,
    ),
    "evict": Verb("evict pod/NAME [grace=SECONDS] [dry-run=true]", command_lines.evict, command=True, kinds=("Pod",)),
    "logs": Verb("logs pod/NAME [container=NAME] [previous=true]", command_lines.logs, command=True, kinds=("Pod",)),
    "call": Verb("call pod/NAME DNS-NAME [keep=20s] [cache=true]", command_lines.call, 2, command=True, kinds=("Pod",)),
    "exec": Verb("exec pod/NAME COMMAND... [container=NAME]", command_lines.run_in, 2, command=True, kinds=("Pod",)),
    "taint": Verb("taint node/NAME KEY[=VALUE]:EFFECT...", command_lines.taint, command=True, kinds=NODE),
    "untaint": Verb("untaint node/NAME KEY[:EFFECT]...", command_lines.taint, 2, command=True, kinds=NODE),
    "tolerate": Verb("tolerate pod/NAME KEY [seconds=N]", command_lines.tolerate, 2, command=True, kinds=("Pod",)),
    "patch": Verb(
        "patch pdb/NAME [minAvailable=N] [maxUnavailable=N] [unhealthyPodEvictionPolicy=WORD]",
        command_lines.patch,
        command=True,
        kinds=("PodDisruptionBudget",),
    ),
    "suspend": Verb("suspend cronjob/NAME", command_lines.suspend, command=True, kinds=("CronJob",)),
    "resume": Verb("resume cronjob/NAME", command_lines.suspend, command=True, kinds=("CronJob",)),
    "edit": Verb("edit configmap/NAME KEY=VALUE...", command_lines.edit, command=True, kinds=("ConfigMap",)),
    "stop": Verb("stop PROCESS[/NODE]...", processes.stop),
    "start": Verb("start PROCESS[/NODE]... [FLAG=VALUE...]", processes.start),
    "freeze": Verb("freeze PROCESS[/NODE]...", processes.freeze),
    "thaw": Verb("thaw PROCESS[/NODE]...", processes.thaw),
    "write-manifest": Verb("write-manifest node/NAME m:HASH", manifest_files.write, 2, kinds=NODE),
    "remove-manifest": Verb("remove-manifest node/NAME POD", manifest_files.remove, 2, kinds=NODE),
    "cut": Verb("cut api-server PROCESS[/NODE]...", links.cut, 2),
    "restore": Verb("restore api-server PROCESS[/NODE]...", links.restore, 2),
    "power-off": Verb("power-off node/NAME...", power.power_off, kinds=NODE),
    "power-on": Verb("power-on node/NAME... [disk=new]", power.power_on, kinds=NODE),
    "crash": Verb("crash pod/NAME [container=NAME] [code=1]", crashes.crash, kinds=("Pod",)),
    "partition": Verb("partition node/NAME...", losing.partition, kinds=NODE),
    "stop-kubelet": Verb("stop-kubelet node/NAME...", losing.stop_kubelet, kinds=NODE),
    "terminate": Verb("terminate node/NAME...", losing.terminate, kinds=NODE),
    "bring-back": Verb("bring-back node/NAME... [disk=new]", losing.bring_back, kinds=NODE),
    "set": Verb(
        f"set pod/NAME|node/NAME|persistentvolume/NAME BEHAVIOUR=VALUE... | {programs.USAGE} | {dependencies.USAGE}",
        machines.behave,
        kinds=("Pod", "Node", "PersistentVolume"),
    ),
}
