"""Makes sets of manifests that an API server takes, of every kind that is read, their fields given by chance."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import strategies as st

from tests.inspect.mutations import with_mistakes

Manifest = dict[str, Any]

APPS = ["web", "db", "api", "worker"]
NAMESPACES = st.sampled_from(["default", "default", "default", "shop"])
CPU = st.sampled_from(["100m", "0.1", ".5", "1", "+1", "1e-1", 2, "250m", "8", "0"])
MEMORY = st.sampled_from(["64Mi", "128974848", "129e6", "1Gi", "0.5Gi", 268435456, "1G", "20Gi", "0"])
SECONDS = st.sampled_from([0, 1, 2, 5, 10, 30, 60, 3600])
COUNTS = st.sampled_from([None, 0, 1, 2, 3, 5])
SHARES = st.sampled_from([1, 2, "25%", "50%", "100%", "34%"])


def flag(draw: st.DrawFn, one_in: int = 2) -> bool:
    return draw(st.integers(1, one_in)) == 1


def some(draw: st.DrawFn, fields: dict[str, st.SearchStrategy[Any]], one_in: int = 3) -> Manifest:
    """A few of some fields."""
    return {name: draw(value) for name, value in fields.items() if flag(draw, one_in)}


@st.composite
def probes(draw: st.DrawFn, *, ready: bool) -> Manifest:
    port: Any = draw(st.sampled_from([8080, "http", 9999]))
    action = draw(
        st.sampled_from(
            [
                {"httpGet": {"path": "/healthz", "port": port}},
                {"tcpSocket": {"port": port}},
                {"exec": {"command": ["true"]}},
                {"grpc": {"port": 8080}},
                {"httpGet": {"port": port, "host": "127.0.0.1", "scheme": "HTTPS"}},
            ]
        )
    )
    numbers: dict[str, st.SearchStrategy[Any]] = {
        "initialDelaySeconds": SECONDS,
        "periodSeconds": st.sampled_from([1, 2, 5, 30]),
        "timeoutSeconds": st.sampled_from([1, 3, 20]),
        "failureThreshold": st.sampled_from([1, 3, 30]),
    }
    if ready:
        numbers["successThreshold"] = st.sampled_from([1, 2])
    return {**action, **some(draw, numbers)}


HOOKS = st.sampled_from(
    [
        {"preStop": {"sleep": {"seconds": 1}}},
        {"preStop": {"exec": {"command": ["sleep", "5"]}}},
        {"preStop": {"httpGet": {"path": "/quit", "port": 8080}}},
        {"postStart": {"exec": {"command": ["/bin/warm"]}}},
    ]
)


@st.composite
def resources(draw: st.DrawFn) -> Manifest:
    asked = some(draw, {"cpu": st.sampled_from(["10m", "100m", "0.2"]), "memory": st.sampled_from(["16Mi", "64Mi"])}, 2)
    most = some(
        draw, {"cpu": st.sampled_from(["1", "2", 4]), "memory": st.sampled_from(["128Mi", "1Gi", 536870912])}, 2
    )
    return {name: row for name, row in (("requests", asked), ("limits", most)) if row}


@st.composite
def containers(draw: st.DrawFn, name: str, *, init: bool = False) -> Manifest:
    row: Manifest = {"name": name, "image": draw(st.sampled_from(["web:1", "web", "registry.example/web:latest"]))}
    row |= some(draw, {"resources": resources(), "imagePullPolicy": st.sampled_from(["Always", "IfNotPresent"])}, 2)
    row |= some(draw, {"args": st.just(["-v", "", "ключ"]), "env": st.just([{"name": "A", "value": "b"}])}, 4)
    if init:
        return row
    row["ports"] = [{"name": "http", "containerPort": 8080}]
    row |= some(draw, {"livenessProbe": probes(ready=False), "startupProbe": probes(ready=False), "lifecycle": HOOKS})
    row |= some(draw, {"readinessProbe": probes(ready=True)}, 2)
    return row


BEHAVIOUR: dict[str, st.SearchStrategy[str]] = {
    "startup": st.sampled_from(["0s", "1s", "20s"]),
    "on-sigterm": st.sampled_from(["exit", "drain=5s", "ignore", "exit=2s"]),
    "exit": st.sampled_from(["after 3s code 0", "after 5s code 1"]),
    "pre-stop": st.sampled_from(["3s", "fails", "never-returns"]),
    "health": st.sampled_from(["/healthz: 200; after 20s: 500 for 10s", "/healthz: 500"]),
    "image-pull": st.sampled_from(["3s", "not-found"]),
    "memory": st.sampled_from(["0s=10Mi", "0s=10Mi,20s=300Mi"]),
}
TOLERATIONS = st.sampled_from(
    [
        [{"operator": "Exists"}],
        [{"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"}],
        [
            {
                "key": "node.kubernetes.io/unreachable",
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": 5,
            }
        ],
    ]
)
VOLUMES = st.sampled_from(
    [
        [{"name": "v", "emptyDir": {}}],
        [{"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}}],
        [{"name": "v", "configMap": {"name": "settings", "optional": True}}],
        [{"name": "v", "configMap": {"name": "settings"}}],
        [{"name": "v", "secret": {"secretName": "keys"}}],
        [{"name": "v", "hostPath": {"path": "/var/log"}}],
        [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}],
        [{"name": "v", "projected": {"sources": [{"configMap": {"name": "settings", "optional": True}}]}}],
    ]
)


def affinities(app: str) -> st.SearchStrategy[Manifest]:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "kubernetes.io/hostname"}
    linux = {"matchExpressions": [{"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}]}
    soft, hard = "preferredDuringSchedulingIgnoredDuringExecution", "requiredDuringSchedulingIgnoredDuringExecution"
    return st.sampled_from(
        [
            {"podAntiAffinity": {hard: [term]}},
            {"podAntiAffinity": {soft: [{"weight": 1, "podAffinityTerm": term}]}},
            {"nodeAffinity": {hard: {"nodeSelectorTerms": [linux]}}},
            {"podAffinity": {hard: [term]}},
        ]
    )


@st.composite
def pod_specs(draw: st.DrawFn, app: str, restart: str = "Always") -> Manifest:
    spec: Manifest = {"containers": [draw(containers(f"c{at}")) for at in range(draw(st.integers(1, 2)))]}
    if flag(draw, 4):
        spec["initContainers"] = [draw(containers("init", init=True))]
    if flag(draw, 4):
        sidecar = {**draw(containers("sidecar", init=True)), "restartPolicy": "Always"}
        spec["initContainers"] = [sidecar, *spec.get("initContainers", [])]
    spread = {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule"}
    spec |= some(
        draw,
        {
            "terminationGracePeriodSeconds": st.sampled_from([1, 5, 30, 60, 600]),
            "tolerations": TOLERATIONS,
            "affinity": affinities(app),
            "topologySpreadConstraints": st.just([{**spread, "labelSelector": {"matchLabels": {"app": app}}}]),
            "nodeSelector": st.sampled_from([{"kubernetes.io/os": "linux"}, {"disk": "ssd"}]),
            "priorityClassName": st.sampled_from(["high", "system-cluster-critical", "nowhere"]),
            "hostNetwork": st.just(True),
            "serviceAccountName": st.just("robot"),
            "volumes": VOLUMES,
            "securityContext": st.just({"runAsNonRoot": True}),
            "enableServiceLinks": st.booleans(),
            "overhead": st.just({"cpu": "10m"}),
        },
        6,
    )
    return spec if restart == "Always" else {**spec, "restartPolicy": restart}


@st.composite
def templates(draw: st.DrawFn, app: str, restart: str = "Always") -> Manifest:
    notes = {f"sim.loopscope.dev/{name}": text for name, text in some(draw, BEHAVIOUR, 4).items()}
    return {"metadata": {"labels": {"app": app}, "annotations": notes}, "spec": draw(pod_specs(app, restart))}


def named(version: str, kind: str, name: str, namespace: str = "", **body: Any) -> Manifest:
    meta = {"name": name} | ({"namespace": namespace} if namespace != "default" else {})
    return {"apiVersion": version, "kind": kind, "metadata": meta, **body}


ROLLING = {
    "Deployment": (
        "strategy",
        st.one_of(
            st.just({"type": "Recreate"}),
            st.fixed_dictionaries(
                {"rollingUpdate": st.fixed_dictionaries({"maxSurge": SHARES, "maxUnavailable": SHARES})}
            ),
        ),
    ),
    "StatefulSet": (
        "updateStrategy",
        st.sampled_from(
            [{"type": "OnDelete"}, {"type": "RollingUpdate"}, {"rollingUpdate": {"partition": 1, "maxUnavailable": 2}}]
        ),
    ),
    "DaemonSet": (
        "updateStrategy",
        st.sampled_from(
            [
                {"type": "OnDelete"},
                {"rollingUpdate": {"maxUnavailable": "50%"}},
                {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            ]
        ),
    ),
}


@st.composite
def lasting(draw: st.DrawFn, app: str, namespace: str) -> Manifest:
    kind = draw(st.sampled_from(["Deployment", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"]))
    spec: Manifest = {"selector": {"matchLabels": {"app": app}}, "template": draw(templates(app))}
    if kind != "DaemonSet":
        spec["replicas"] = draw(COUNTS)
    if kind == "StatefulSet":
        spec |= {"serviceName": app} | some(
            draw, {"podManagementPolicy": st.sampled_from(["Parallel", "OrderedReady"])}
        )
    if kind in ROLLING and flag(draw):
        field, strategy = ROLLING[kind]
        spec[field] = draw(strategy)
    spec |= some(draw, {"minReadySeconds": st.sampled_from([0, 5])}, 4)
    return named("apps/v1", kind, app, namespace, spec=spec)


@st.composite
def passing(draw: st.DrawFn, app: str, namespace: str) -> Manifest:
    """Work that ends, alone or by the clock."""
    template = draw(templates(app, draw(st.sampled_from(["Never", "OnFailure"]))))
    spec: Manifest = {"template": template} | some(
        draw,
        {
            "completions": st.sampled_from([1, 3]),
            "parallelism": st.sampled_from([0, 1, 2]),
            "backoffLimit": st.sampled_from([0, 2]),
            "activeDeadlineSeconds": st.sampled_from([5, 600]),
            "suspend": st.booleans(),
            "completionMode": st.just("Indexed"),
            "ttlSecondsAfterFinished": SECONDS,
        },
    )
    if spec.get("completionMode") == "Indexed":
        spec.setdefault("completions", 2)
    if flag(draw):
        return named("batch/v1", "Job", app, namespace, spec=spec)
    policy = some(
        draw, {"concurrencyPolicy": st.sampled_from(["Allow", "Forbid", "Replace"]), "suspend": st.booleans()}
    )
    schedule = draw(st.sampled_from(["* * * * *", "*/5 * * * *", "@hourly", "0 0 31 2 *"]))
    return named(
        "batch/v1", "CronJob", app, namespace, spec={"schedule": schedule, "jobTemplate": {"spec": spec}, **policy}
    )


@st.composite
def bare(draw: st.DrawFn, app: str, namespace: str) -> Manifest:
    template = draw(templates(app, draw(st.sampled_from(["Always", "Never", "OnFailure"]))))
    pod = named("v1", "Pod", app, namespace, spec=template["spec"])
    pod["metadata"] |= {"labels": template["metadata"]["labels"], "annotations": template["metadata"]["annotations"]}
    if flag(draw, 3):
        pod["metadata"]["annotations"] = {"kubernetes.io/config.source": "file"}
    return pod


@st.composite
def services(draw: st.DrawFn, app: str, namespace: str) -> Manifest:
    ports = [{"name": "a", "port": 80, "targetPort": draw(st.sampled_from(["http", 8080, "none"]))}]
    more: Manifest = some(
        draw,
        {
            "type": st.sampled_from(["ClusterIP", "NodePort", "LoadBalancer"]),
            "sessionAffinity": st.just("ClientIP"),
            "publishNotReadyAddresses": st.booleans(),
            "internalTrafficPolicy": st.sampled_from(["Cluster", "Local"]),
        },
    )
    if flag(draw, 4):
        more = {"clusterIP": "None"}
    return named("v1", "Service", app, namespace, spec={"selector": {"app": app}, "ports": ports, **more})


@st.composite
def budgets(draw: st.DrawFn, app: str, namespace: str) -> Manifest:
    field = draw(st.sampled_from(["minAvailable", "maxUnavailable"]))
    value = draw(st.sampled_from([0, 1, 2, "50%", "100%"]))
    spec = {field: value, "selector": {"matchLabels": {"app": app}}}
    spec |= some(draw, {"unhealthyPodEvictionPolicy": st.sampled_from(["AlwaysAllow", "IfHealthyBudget"])})
    return named("policy/v1", "PodDisruptionBudget", app, namespace, spec=spec)


@st.composite
def nodes(draw: st.DrawFn) -> list[Manifest]:
    found = []
    for at in range(draw(st.sampled_from([0, 0, 0, 1, 2, 4]))):
        spec = some(
            draw, {"taints": st.just([{"key": "dedicated", "effect": "NoSchedule"}]), "unschedulable": st.just(True)}, 5
        )
        capacity = {"cpu": draw(CPU), "memory": draw(MEMORY), "pods": draw(st.sampled_from(["110", 3]))}
        found.append(named("v1", "Node", f"n{at}", spec=spec, status={"capacity": capacity}))
    return found


BESIDES = [
    named("v1", "ConfigMap", "settings", data={"a": "b"}),
    named("v1", "Secret", "keys", stringData={"a": "b"}),
    named("scheduling.k8s.io/v1", "PriorityClass", "high", value=1000),
    named(
        "v1",
        "PersistentVolumeClaim",
        "data",
        spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    ),
    named("v1", "Namespace", "shop"),
    named("example.com/v1", "Widget", "w", spec={"a": [1, {"b": None}]}),
    named("autoscaling/v2", "HorizontalPodAutoscaler", "web", spec={"maxReplicas": 3}),
]


@st.composite
def sets(draw: st.DrawFn) -> list[Manifest]:
    found = draw(nodes())
    for app in draw(st.lists(st.sampled_from(APPS), min_size=1, max_size=3, unique=True)):
        namespace = draw(NAMESPACES)
        found.append(
            draw(
                st.one_of(
                    lasting(app, namespace), lasting(app, namespace), passing(app, namespace), bare(app, namespace)
                )
            )
        )
        found += [draw(services(app, namespace))] if flag(draw) else []
        found += [draw(budgets(app, namespace))] if flag(draw, 3) else []
    found += draw(st.lists(st.sampled_from(BESIDES), max_size=4, unique_by=lambda row: row["kind"]))
    return draw(st.permutations(found)) if flag(draw, 4) else found


def written(found: list[Manifest]) -> str:
    return yaml.safe_dump_all(found, sort_keys=False, allow_unicode=True, width=10_000)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """What an API server takes, as documents or as a List."""
    found = draw(sets())
    return written([{"apiVersion": "v1", "kind": "List", "items": found}] if flag(draw, 4) else found)


@st.composite
def faulty_texts(draw: st.DrawFn, most: int = 5) -> str:
    """The same with mistakes: fields that are gone or elsewhere, wrong types, extreme numbers, odd names."""
    return written(with_mistakes(draw, draw(sets()), most=most))
