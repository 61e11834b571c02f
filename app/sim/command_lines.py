"""What kubectl verbs of the grammar stand for: command lines, which kubectl's loop then works on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from app.kube import waiting
from app.kube.meta import Ref
from app.kube.pods import Pod
from app.sim.acts import Call, Command
from app.sim.draft import Draft, believe, stored
from app.sim.intervention import Intervention
from app.sim.loop import SERVER
from app.sim.references import resolve

if TYPE_CHECKING:
    from app.sim.engine import Model

Does = Callable[["Model", Draft, Intervention], tuple[Ref, str]]


def _command(
    model: Model, draft: Draft, intervention: Intervention, words: str, refs: tuple[Ref, ...], **more: object
) -> tuple[Ref, str]:
    number = len(draft.commands) + 1
    command = Command(number, words, intervention.verb, refs, intervention.options, **more)  # type: ignore[arg-type]
    model.start_command(draft, command)
    return command.key, "started"


def delete(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
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


def apply(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    objects = draft.manifests.get(intervention.args[0].removeprefix("m:"), ())
    for obj in objects if SERVER not in draft.down else ():
        # It asks for each object before it sends it; what is there already is changed.
        held = draft.etcd.get(obj.ref)
        if held is not None:
            believe(draft, "kubectl", obj.ref, held)
    return _command(
        model, draft, intervention, "kubectl apply -f -", tuple(obj.ref for obj in objects), objects=objects
    )


def wait(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """A `kubectl wait` for what the kind is usually waited for."""
    ref = resolve(draft, intervention.args[0])
    wanted = waiting.condition_for(ref.kind, stored(draft, ref))
    limit = intervention.option("timeout")
    words = f"kubectl wait --for={wanted} {ref.kind.lower()}/{ref.name}" + (f" --timeout={limit}" if limit else "")
    return _command(model, draft, intervention, words, (ref,))


def rollout(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """`kubectl rollout status deployment/NAME --timeout=2m` and `kubectl rollout undo`."""
    ref = resolve(draft, intervention.args[0])
    what = intervention.verb.removeprefix("rollout-")
    words = [f"kubectl rollout {what} {ref.kind.lower()}/{ref.name}", *flags(intervention.options)]
    return _command(model, draft, intervention, " ".join(words), (ref,))


def simple(text: str) -> Does:
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


def nodes(text: str) -> Does:
    """A verb on Nodes, by name and without their kind: `kubectl drain node-1 node-2 --force`."""

    def does(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
        refs = tuple(resolve(draft, word) for word in intervention.args)
        words = [text, *(ref.name for ref in refs), *flags(intervention.options)]
        return _command(model, draft, intervention, " ".join(words), refs)

    return does


def flags(options: tuple[tuple[str, str], ...]) -> list[str]:
    """Options as kubectl spells them, without those that say what it does anyway."""
    said = [(name, value) for name, value in options if value not in ("false", "0s")]
    return [f"--{name}" if value == "true" else f"--{name}={value}" for name, value in said]


def taint(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """`taint` and `untaint`: what stands behind the node is taints, whether it looks like options or not."""
    ref = resolve(draft, intervention.args[0])
    texts = [*intervention.args[1:], *(f"{key}={value}" for key, value in intervention.options)]
    minus = "-" if intervention.verb == "untaint" else ""
    words = " ".join(["kubectl taint nodes", ref.name, *(text + minus for text in texts)])
    changed = replace(intervention, options=(("taints", " ".join(texts)),))
    return _command(model, draft, changed, words, (ref,))


def tolerate(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """A patch of a pod's tolerations: kubectl has no verb of its own for it."""
    ref, key = resolve(draft, intervention.args[0]), intervention.args[1]
    seconds = intervention.option("seconds", "null")
    row = f'{{"key":"{key}","operator":"Exists","effect":"NoExecute","tolerationSeconds":{seconds}}}'
    words = f'kubectl patch pod {ref.name} -p \'{{"spec":{{"tolerations":[{row}]}}}}\''
    changed = replace(intervention, options=(*intervention.options, ("key", key)))
    return _command(model, draft, changed, words, (ref,))


def patch(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """A merge patch of a budget's spec."""
    ref = resolve(draft, intervention.args[0])
    pairs = [f'"{key}":{_json(value)}' for key, value in intervention.options]
    body = f'{{"spec":{{{",".join(pairs)}}}}}'
    return _command(model, draft, intervention, f"kubectl patch pdb {ref.name} --type=merge -p {body}", (ref,))


def suspend(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """A patch of a CronJob's spec.suspend."""
    ref = resolve(draft, intervention.args[0])
    body = f'{{"spec":{{"suspend":{"true" if intervention.verb == "suspend" else "false"}}}}}'
    return _command(model, draft, intervention, f"kubectl patch cronjob {ref.name} -p '{body}'", (ref,))


def edit(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """A merge patch of the data of a ConfigMap."""
    ref = resolve(draft, intervention.args[0])
    pairs = ",".join(f'"{key}":"{value}"' for key, value in intervention.options)
    body = f'{{"data":{{{pairs}}}}}'
    return _command(model, draft, intervention, f"kubectl patch configmap {ref.name} --type=merge -p {body}", (ref,))


def _json(text: str) -> str:
    return text if text.isdigit() or text == "null" else f'"{text}"'


def logs(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """`kubectl logs POD -c CONTAINER --previous`."""
    ref = resolve(draft, intervention.args[0])
    words = ["kubectl logs", ref.name, *_container(intervention)]
    words += ["--previous"] if intervention.option("previous") == "true" else []
    return _command(model, draft, intervention, " ".join(words), (ref,))


def run_in(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """`kubectl exec POD -c CONTAINER -- COMMAND`."""
    ref = resolve(draft, intervention.args[0])
    words = ["kubectl exec", ref.name, *_container(intervention), "--", *intervention.args[1:]]
    return _command(model, draft, intervention, " ".join(words), (ref,))


def call(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """A program in a pod that calls a Service by its name; kubectl has no part in it."""
    ref, name = resolve(draft, intervention.args[0]), intervention.args[1]
    held = draft.etcd.get(ref)
    node = held.object.spec.nodeName if held is not None and isinstance(held.object, Pod) else ""
    if not node:
        return ref, "runs nowhere"
    words = f"curl -sS{'N' if intervention.option('keep') else ''} http://{name}  # in {ref.name}"
    return _command(model, draft, intervention, words, (ref,), call=Call(name, node, since=draft.now))


def _container(intervention: Intervention) -> list[str]:
    name = intervention.option("container")
    return ["-c", name] if name else []


def evict(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """One request to the eviction subresource."""
    ref = resolve(draft, intervention.args[0])
    path = f"/api/v1/namespaces/{ref.namespace}/pods/{ref.name}/eviction"
    return _command(model, draft, intervention, f"kubectl create --raw {path} -f -", (ref,))
