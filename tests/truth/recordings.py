"""Recordings of real clusters as small model clusters: manifests, behaviour, what was done and what was seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from placing import placing
from renaming import placed, renamed

from app.kube.manifests import read_manifests
from app.kube.meta import Ref
from app.kube.objects import Object
from app.loops.registry import LOOPS
from app.sim.elections import with_leaders
from app.sim.engine import Model
from app.sim.heartbeats import Heartbeats, with_heartbeats
from app.sim.intervention import Intervention, parse
from app.sim.lags import Lag
from app.sim.maps import Map, ordered
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.walk import Walk
from app.story.watch import trace

DATA = Path(__file__).parents[1] / "data" / "truth"
MODEL = Model(LOOPS)
PREFIX = "sim.loopscope.dev/"
RENEWAL = 10_000
"""A kubelet renews its Lease as often."""


class Scenario(Struct, frozen=True):
    """How one recording is made in the model."""

    script: tuple[str, ...]
    """Interventions; `pod/NS/web-1` names the first pod of workload web. Times are those of the recording."""
    until: str
    behaviour: dict[str, dict[str, str]] = {}
    """Annotations by object name, for recordings whose behaviour stands in shell commands, and for nodes."""
    capacity: dict[str, str] = {}
    """Of every node."""
    standing: str = ""
    """Manifests that stood before, which the recording's setup lacks."""
    extra: str = ""
    """Manifests that the recording's setup lacks."""
    images: tuple[str, ...] = ()
    """Images that are on the nodes at the start."""
    relist: dict[str, int] = {}
    """Where in a second each node's kubelet lists its containers, as the recording's attempts out of turn show."""
    syncs: dict[str, int] = {}
    """Where in a second each node's kubelet takes up pods that are due, as the recording's retries show."""
    lags: dict[str, Lag] = {}
    """How long things took on the recording's own machine."""
    drawn: dict[str, tuple[int, ...]] = {}
    """What a kubelet drew by lot: by pod, each nap between syncs in thousandths of its least length."""
    made: tuple[str, ...] = ()
    """Pods and CronJobs of the start that the script makes by `apply m:made`, because they do not come to rest."""
    warmup: int = 0
    """Milliseconds of the script before the recording began; what is seen in them is not compared."""
    begins: int = 0
    """Milliseconds past a whole minute at which the recording began, where seconds or minutes of the clock count."""
    restless: bool = False
    """Whether the recording begins with pods that never become ready."""
    local: tuple[str, ...] = ()
    """Workloads whose pods have an emptyDir, which the recording's setup has lost."""
    leaders: dict[str, int] = {}
    """Who leads by a Lease, and how often that has changed hands."""
    beats: Heartbeats | None = None
    """The controller's passes, where nodes have Leases; the ages of these stand in the recording."""
    batches: dict[str, int] = {}
    """When within ten seconds each kubelet compares all its pods, as the recording shows."""
    pinned: bool = False
    """Whether the pods are at the start where the recording had them."""
    differs: str = ""
    """What stays different, and why."""


def recording(name: str) -> dict[str, Any]:
    """One file of the recordings."""
    found: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text())
    return found


def objects(name: str, scenario: Scenario) -> tuple[Object, ...]:
    """What existed at t = 0, with the recording's behaviour in the model's annotations."""
    setup = recording(name)["setup"]
    bodies = [_behaving(body, scenario) for body in setup["start"] if not _is_made(body, scenario)]
    texts = [*([scenario.standing] if scenario.standing else []), *(json.dumps(body) for body in bodies)]
    return read_manifests("\n---\n".join(texts), name).objects


def applied(name: str, scenario: Scenario) -> tuple[Object, ...]:
    """What people created later."""
    policies = _pull_policies(name)
    rows = recording(name)["setup"]["created"]
    bodies = [_pulling(_behaving(row["object"], scenario), policies) for row in rows]
    texts = [*(json.dumps(body) for body in bodies), *([scenario.extra] if scenario.extra else [])]
    return read_manifests("\n---\n".join(texts), name).objects if texts else ()


def _pull_policies(name: str) -> dict[str, str]:
    """By object and container, from the manifests as they were sent: the setup leaves policies out."""
    bodies = recording(name).get("settings", {}).get("manifests", [])
    return {
        f"{body['metadata']['name']}/{row['name']}": row["imagePullPolicy"]
        for body in bodies
        for row in body.get("spec", {}).get("containers", [])
        if "imagePullPolicy" in row
    }


def _pulling(body: dict[str, Any], policies: dict[str, str]) -> dict[str, Any]:
    for row in body["spec"].get("containers", []):
        policy = policies.get(f"{body['metadata']['name']}/{row['name']}")
        if policy:
            row["imagePullPolicy"] = policy
    return body


def made(name: str, scenario: Scenario) -> tuple[Object, ...]:
    """Pods of the start that the script makes."""
    start = recording(name)["setup"]["start"]
    bodies = [_behaving(body, scenario) for body in start if _is_made(body, scenario)]
    return read_manifests("\n---\n".join(json.dumps(body) for body in bodies), name).objects if bodies else ()


def _is_made(body: dict[str, Any], scenario: Scenario) -> bool:
    return body["kind"] in ("Pod", "CronJob") and body["metadata"]["name"] in scenario.made


def walk(name: str, scenario: Scenario) -> Walk:
    """The model's walk of a recording."""
    model = placing(recording(name)["setup"]) if scenario.pinned else MODEL
    world = at_rest(
        model,
        objects(name, scenario),
        images=scenario.images,
        lags=scenario.lags,
        relist=_phases(scenario.relist, scenario.begins),
        syncs=_phases(scenario.syncs, scenario.begins),
        restless=scenario.restless,
    )
    if scenario.beats is not None:
        recorded = recording(name)["setup"]["lease_age_at_start"]
        ages = {node: (round(age * 1000) - scenario.warmup) % RENEWAL for node, age in recorded.items()}
        world = with_heartbeats(world, replace(scenario.beats, ages=Map(ages)))
    world = with_leaders(world, scenario.leaders)
    later = applied(name, scenario)
    first = made(name, scenario)
    # All together as `m:later` or `m:made`, and each by its own name.
    own = {obj.metadata.name: (obj,) for obj in (*first, *later)}
    manifests = {"later": later, "made": first, **own}
    drawn = Map({Ref("Pod", *pod.split("/")): lots for pod, lots in scenario.drawn.items()})
    hosts = world.hosts.update(
        {
            node: replace(host, drawn=drawn, batch_phase=scenario.batches.get(node))
            for node, host in ordered(world.hosts)
        }
    )
    world = replace(world, hosts=hosts, manifests=Map(manifests))
    script: list[Intervention] = [_later(parse(text), scenario.begins) for text in scenario.script]
    return run(MODEL, world, script, until=scenario.begins + (parse(f"{scenario.until} x").at or 0))


def _phases(recorded: dict[str, int], begins: int) -> dict[str, int]:
    return {node: (phase + begins) % 1000 for node, phase in recorded.items()}


def _later(intervention: Intervention, by: int) -> Intervention:
    return replace(intervention, at=(intervention.at or 0) + by)


def model_trace(name: str, scenario: Scenario) -> list[dict[str, Any]]:
    """What a watcher of the model would have recorded, with the recording's names, on the recording's nodes."""
    truth = recording(name)["trace"]
    kinds = {entry["kind"] for entry in truth}
    before = (scenario.begins + scenario.warmup) / 1000
    shifted = [entry | {"t": entry["t"] - before} for entry in trace(walk(name, scenario))]
    mine = [entry for entry in shifted if entry["kind"] in kinds and entry["t"] >= 0]
    named: list[dict[str, Any]] = placed(truth, renamed(truth, mine))
    return named


def _behaving(body: dict[str, Any], scenario: Scenario) -> dict[str, Any]:
    """A manifest with `hollow/*` annotations and hollow probes turned into the model's annotations."""
    body = json.loads(json.dumps(body))
    if body["kind"] == "Service":
        # The recording's Services stand for its slices and name no ports; a Service needs one.
        body["spec"].setdefault("ports", [{"port": 80, "targetPort": 8080}])
    if body["kind"] == "Node":
        told = scenario.behaviour.get(body["metadata"]["name"], {})
        body["metadata"]["annotations"] = {PREFIX + key: value for key, value in told.items()}
        body["status"] = {"capacity": scenario.capacity}
    template = body if body["kind"] == "Pod" else body.get("spec", {}).get("template")
    if body["kind"] == "CronJob":
        template = body["spec"]["jobTemplate"]["spec"]["template"]
    if template is None:
        return body
    if body["metadata"]["name"] in scenario.local:
        template["spec"]["volumes"] = [{"name": "tmp", "emptyDir": {}}]
    meta = template.setdefault("metadata", {})
    old = meta.get("annotations", {})
    meta["annotations"] = _annotations(old, template["spec"]) | {
        PREFIX + key: value for key, value in scenario.behaviour.get(body["metadata"]["name"], {}).items()
    }
    if body["kind"] == "Pod":
        # Placed by hand, as a scheduler stood beside the recording, too.
        template["spec"].pop("priority", None)
    return body


def _annotations(old: dict[str, str], spec: dict[str, Any]) -> dict[str, str]:
    found = {PREFIX + "startup": "0s"}
    stop = old.get("hollow/stop-seconds")
    if stop is not None:
        found[PREFIX + "on-sigterm"] = "ignore" if stop.startswith("-") else f"drain={stop}s"
    elif any("hollow" in key for key in old):
        found[PREFIX + "on-sigterm"] = "exit"
    if "hollow/run-seconds" in old:
        found[PREFIX + "exit"] = f"after {old['hollow/run-seconds']}s code {old.get('hollow/exit-code', 0)}"
    for container in spec.get("containers", []):
        command = container.get("readinessProbe", {}).get("exec", {}).get("command", [])
        if command[:1] == ["fail"]:
            found[PREFIX + "health"] = "exec: fail"
        if command[:1] == ["after"]:
            found[PREFIX + "health"] = f"exec: fail; after {command[1]}s: ok"
    return found
