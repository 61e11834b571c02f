"""Interventions as flows and readers write them: `{target}`, `{node}` and settings filled in, parsed and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from app.catalog.ground import Ground
from app.catalog.targets import containers
from app.errors import BadInput
from app.kube.meta import DEFAULT_NAMESPACE
from app.kube.near_names import did_you_mean
from app.kube.nodes import Node
from app.loops.registry import LOOPS
from app.sim import interventions
from app.sim.intervention import Intervention, parse
from app.sim.references import parse_ref

NODE = "{node}"
API = "kube-apiserver"
"""The process that no loop runs in, and that all of them talk to."""
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def read(text: str, words: Mapping[str, str]) -> Intervention:
    """One intervention; BadInput lists its faults. `{node}` is left for the walk's start to fill in."""
    known = {**words, "node": NODE}
    unknown = [name for name in placeholders(text) if name not in known]
    if unknown:
        allowed = ", ".join(f"{{{name}}}" for name in known)
        raise BadInput(
            [
                f"intervention {text!r}: nothing fills {{{name}}}; allowed: {allowed}{did_you_mean(name, known)}"
                for name in unknown
            ]
        )
    found = parse(_PLACEHOLDER.sub(lambda match: known[match[1]], text))
    if problems := interventions.check(found):
        raise BadInput(problems)
    return found


def placeholders(text: str) -> list[str]:
    """The names in braces."""
    return _PLACEHOLDER.findall(text)


def at_node(intervention: Intervention, node: str) -> Intervention:
    """With `{node}` filled in."""
    args = tuple(arg.replace(NODE, node) for arg in intervention.args)
    return intervention if args == intervention.args else replace(intervention, args=args)


def renamed(intervention: Intervention, ground: Ground, nodes: tuple[str, ...]) -> Intervention:
    """A flow's own line on the reader's manifests: what takes their place for the flow's pods, workload and nodes."""
    args = tuple(_renamed(arg, ground, nodes) for arg in intervention.args)
    if intervention.verb == "call":
        args = (args[0], _called(intervention.args[1], ground))
    options = tuple((_of_container(key, ground), value) for key, value in intervention.options)
    return replace(intervention, args=args, options=options)


def _of_container(key: str, ground: Ground) -> str:
    """`web.pre-stop` speaks of the flow's container; on the reader's manifests, of what takes its place."""
    container, dot, rest = key.partition(".")
    names = containers(ground.workload)
    there = not names or container in names or container not in containers(ground.usual)
    return key if there else f"{names[0]}{dot}{rest}"


def _called(name: str, ground: Ground) -> str:
    """The name of the flow's own Service, which is called like its workload, as what takes its place is called."""
    service, usual = ground.service, ground.usual
    if service is None or usual is None or name != usual.metadata.name:
        return name
    meta = service.metadata
    return meta.name if meta.namespace == DEFAULT_NAMESPACE else f"{meta.name}.{meta.namespace}"


def _renamed(arg: str, ground: Ground, nodes: tuple[str, ...]) -> str:
    kind, _, name = arg.rpartition("/")
    if name in nodes and kind != "pod":
        there = [obj.metadata.name for obj in ground.objects if isinstance(obj, Node)]
        return arg if name in there else f"{kind}/{there[nodes.index(name) % len(there)]}"
    try:
        ref = parse_ref(arg)
    except BadInput:
        return arg
    return str(ground.renamed(ref))


def unknown_process(intervention: Intervention, nodes: Sequence[str]) -> list[str]:
    """What is wrong with stopping, freezing or cutting off something that does not run here."""
    at = {"stop": 0, "start": 0, "freeze": 0, "thaw": 0, "cut": 1, "restore": 1}.get(intervention.verb)
    if at is None:
        return []
    per_node = {loop.process: loop.per_node for loop in LOOPS if loop.process and not loop.commands}
    # Links are cut between the API server and others; a Node stands for all that runs on it.
    per_node |= {"node": True} if at else {API: False}
    process, slash, node = intervention.args[at].partition("/")
    where = f"intervention {str(intervention)!r}"
    if process not in per_node:
        return [f'{where}: found "{process}"; allowed: {", ".join(per_node)}{did_you_mean(process, per_node)}']
    if not per_node[process]:
        return [f"{where}: {process} runs once for the whole cluster; write {process}"] if slash else []
    allowed = [f"{process}/{name}" for name in nodes]
    return [] if node in (*nodes, NODE) else [f"{where}: {process} runs on each node; allowed: {', '.join(allowed)}"]


def unknown_manifest(intervention: Intervention, applies: Mapping[str, object]) -> list[str]:
    """What is wrong with the use of something that was never handed over."""
    at = {"apply": 0, "write-manifest": 1}.get(intervention.verb)
    name = "" if at is None else intervention.args[at].removeprefix("m:")
    if not name or name in applies:
        return []
    known = ", ".join(f"m:{hash}" for hash in applies) or "none"
    return [f"intervention {str(intervention)!r}: no manifest m:{name} was given; there is {known}"]
