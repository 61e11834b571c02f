"""Each rule where it holds and where, by a hair, it does not; the numbers are worked out by hand."""

from __future__ import annotations

import json

import pytest

from app.inspect.inspecting import inspect
from app.inspect.rules import RULES
from app.inspect.telling import sections
from app.kube.releases import release
from tests.inspect.sets import (
    PROBE,
    Manifest,
    budget,
    container,
    findings,
    held,
    inspected,
    node,
    pod,
    rules,
    service,
    template,
    told,
    workload,
)

WEB = "deployment/web"
FIRST = "spec.template.spec.containers[0]"
GRACE = "spec.template.spec.terminationGracePeriodSeconds"
HOOK = f"{FIRST}.lifecycle.preStop"


def web(row: Manifest | None = None, *, says: Manifest | None = None, **spec: object) -> Manifest:
    """A Deployment with one container that is as given."""
    return workload(pods=template(row or container(), says=says, **spec))


SCRIPT: Manifest = {"preStop": {"exec": {"command": ["/drain.sh"]}}}


def sleeping(seconds: int) -> Manifest:
    return container(lifecycle={"preStop": {"exec": {"command": ["sleep", str(seconds)]}}})


def probed(name: str, **numbers: object) -> Manifest:
    return container(**{name: PROBE | numbers})


def asking(requests: Manifest | None = None, limits: Manifest | None = None) -> Manifest:
    given = {"requests": requests, "limits": limits}
    return container(resources={name: row for name, row in given.items() if row})


def from_map(key: str) -> Manifest:
    source = {"configMapKeyRef": {"name": "settings", "key": key}}
    return container(env=[{"name": "MODE", "valueFrom": source}])


ONE_BY_ONE = "RollingUpdate: one pod at a time, the highest ordinal first"
IN_ORDER = "pods are made one after the other (OrderedReady)"
NAME, ROLLING = "web", "spec.updateStrategy.rollingUpdate"
HOST_PORT = {"name": "http", "containerPort": 8080, "hostPort": 80}


def updated(kind: str, row: Manifest | None = None, *, host: bool = False, **rolling: object) -> Manifest:
    pods = template(row or container(), hostNetwork=host)
    return workload(kind, pods, updateStrategy={"type": "RollingUpdate", "rollingUpdate": rolling})


def test_a_sound_set_has_no_finding() -> None:
    assert rules(workload(), service(), budget()) == []


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (workload("DaemonSet"), "RollingUpdate: 1 of 3 nodes at a time, each without a pod meanwhile"),
        (
            updated("DaemonSet", maxSurge="50%", maxUnavailable=0),
            "RollingUpdate: 2 of 3 nodes at a time, each with a new pod beside the old one until it is available",
        ),
        (
            workload("DaemonSet", updateStrategy={"type": "OnDelete"}),
            "OnDelete: a pod gets a new template when somebody deletes it",
        ),
        (
            workload("StatefulSet"),
            f"{ONE_BY_ONE}; {IN_ORDER}",
        ),
        (
            updated("StatefulSet", partition=2),
            f"{ONE_BY_ONE}, down to 2 (partition): 1 of 3; {IN_ORDER}",
        ),
        (
            workload("StatefulSet", podManagementPolicy="Parallel", updateStrategy={"type": "OnDelete"}),
            "OnDelete: a pod gets a new template when somebody deletes it; pods are made all at once (Parallel)",
        ),
    ],
)
def test_an_update_is_told(row: Manifest, says: str) -> None:
    (section, *_) = sections(inspected(row))
    assert [fact.says for fact in section.facts if fact.label == "Rollout"] == [says]


HOLDS: list[tuple[str, str, tuple[Manifest, ...], list[tuple[str, str]]]] = [
    # Refusals.
    ("refused", "an unknown strategy", (workload(strategy={"type": "Rolling"}),), [(WEB, "spec.strategy.type")]),
    (
        "selector-mismatch",
        "another label",
        (workload(selector={"matchLabels": {"app": "shop"}}),),
        [(WEB, "spec.template.metadata.labels")],
    ),
    (
        "rollout-cannot-move",
        "both are zero",
        (workload(strategy={"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "0%"}}),),
        [(WEB, "spec.strategy.rollingUpdate.maxUnavailable")],
    ),
    (
        "sleep-over-grace",
        "31 s of 30",
        (web(container(lifecycle={"preStop": {"sleep": {"seconds": 31}}})),),
        [(WEB, f"{HOOK}.sleep.seconds")],
    ),
    ("declared-twice", "the same Service", (workload(), service(), service()), [("service/web", "")]),
    (
        "annotation-refused",
        "an unknown word",
        (web(says={"on-sigterm": "wait"}),),
        [(WEB, "spec.template.metadata.annotations[sim.loopscope.dev/on-sigterm]")],
    ),
    # Stopping.
    ("prestop-over-grace", "30 s of 30", (web(sleeping(30)),), [(WEB, HOOK)]),
    ("prestop-over-grace", "it never returns", (web(sleeping(1), says={"pre-stop": "never-returns"}),), [(WEB, HOOK)]),
    ("stop-over-grace", "10 s and 21 s of 30", (web(sleeping(10), says={"on-sigterm": "drain=21s"}),), [(WEB, GRACE)]),
    ("sigterm-ignored", "it goes on", (web(says={"on-sigterm": "ignore"}),), [(WEB, FIRST)]),
    (
        "prestop-under-propagation",
        "no hook at all",
        (web(container(lifecycle=None)), service()),
        [(WEB, FIRST)],
    ),
    ("prestop-under-propagation", "1 s of 1.159", (web(sleeping(1)), service()), [(WEB, HOOK)]),
    ("prestop-unread", "a script", (web(container(lifecycle=SCRIPT)), service()), [(WEB, HOOK)]),
    ("grace-zero", "none", (web(container(lifecycle=None), terminationGracePeriodSeconds=0),), [(WEB, GRACE)]),
    # Probes.
    (
        "startup-over-budget",
        "20 s of 20 to 30",
        (web(probed("livenessProbe"), says={"startup": "21s"}),),
        [(WEB, f"{FIRST}.livenessProbe")],
    ),
    (
        "liveness-before-readiness",
        "liveness kills from 20 s on, readiness asks at 20 s",
        (web(container(livenessProbe=PROBE, readinessProbe=PROBE | {"initialDelaySeconds": 20})),),
        [(WEB, f"{FIRST}.livenessProbe")],
    ),
    (
        "liveness-on-dependency",
        "the same question as readiness, and a dependency",
        (web(probed("livenessProbe"), says={"depends-on": "database"}),),
        [(WEB, f"{FIRST}.livenessProbe")],
    ),
    (
        "liveness-on-dependency",
        "the answer says so",
        (web(probed("livenessProbe"), says={"health": "liveness: 200; while database down: 503"}),),
        [(WEB, f"{FIRST}.livenessProbe")],
    ),
    (
        "liveness-equals-readiness",
        "no more patient",
        (web(probed("livenessProbe")),),
        [(WEB, f"{FIRST}.livenessProbe")],
    ),
    ("no-readiness", "behind a Service", (web(container(readinessProbe=None)), service()), [(WEB, FIRST)]),
    (
        "timeout-over-period",
        "11 s of 10",
        (web(probed("readinessProbe", timeoutSeconds=11)),),
        [(WEB, f"{FIRST}.readinessProbe.timeoutSeconds")],
    ),
    (
        "probe-port-missing",
        "metrics",
        (web(container(livenessProbe={"tcpSocket": {"port": "metrics"}})),),
        [(WEB, f"{FIRST}.livenessProbe.tcpSocket.port")],
    ),
    # Budgets.
    (
        "pdb-allows-nothing",
        "3 of 3",
        (workload(), budget(minAvailable=3)),
        [("poddisruptionbudget/web", "spec.minAvailable")],
    ),
    (
        "pdb-allows-nothing",
        "67 % of 3 is 2.01, rounded up 3",
        (workload(), budget(minAvailable="67%")),
        [("poddisruptionbudget/web", "spec.minAvailable")],
    ),
    (
        "pdb-allows-nothing",
        "none may go",
        (workload(), budget(maxUnavailable=0)),
        [("poddisruptionbudget/web", "spec.maxUnavailable")],
    ),
    ("pdb-without-number", "neither", (workload(), budget(maxUnavailable=None)), [("poddisruptionbudget/web", "spec")]),
    (
        "pdb-single-replica",
        "one of one",
        (workload(replicas=1), budget(minAvailable=1)),
        [("poddisruptionbudget/web", "spec.minAvailable")],
    ),
    (
        "pdb-allows-everything",
        "one of one may go",
        (workload(replicas=1), budget()),
        [("poddisruptionbudget/web", "spec.maxUnavailable")],
    ),
    (
        "pdb-matches-nothing",
        "another label",
        (workload(), budget(labels={"app": "shop"})),
        [("poddisruptionbudget/web", "spec.selector")],
    ),
    ("pdb-overlap", "two", (workload(), budget(), budget("all")), [("poddisruptionbudget/all", "spec.selector")]),
    (
        "pdb-uncountable",
        "daemons have no scale",
        (workload("DaemonSet"), budget()),
        [("poddisruptionbudget/web", "spec.maxUnavailable")],
    ),
    (
        "pdb-unmanaged",
        "a bare pod",
        (workload(), pod(), budget()),
        [("poddisruptionbudget/web", "spec.maxUnavailable")],
    ),
    (
        "pdb-holds-broken-pods",
        "the default",
        (workload(), budget(unhealthyPodEvictionPolicy="IfHealthyBudget")),
        [("poddisruptionbudget/web", "spec.unhealthyPodEvictionPolicy")],
    ),
    ("no-pdb", "three behind a Service", (workload(), service()), [(WEB, "spec.replicas")]),
    # Resources.
    ("best-effort", "nothing asked for", (web(asking()),), [(WEB, f"{FIRST}.resources")]),
    ("no-memory-request", "CPU only", (web(asking({"cpu": "1"})),), [(WEB, f"{FIRST}.resources.requests")]),
    (
        "memory-in-thousandths",
        "a small m in the limit",
        (web(asking(None, {"memory": "64m"})),),
        [(WEB, f"{FIRST}.resources.limits.memory")],
    ),
    (
        "memory-in-thousandths",
        "in the request of a limit that is whole",
        (web(asking({"memory": "500m"}, {"memory": "64Mi"})),),
        [(WEB, f"{FIRST}.resources.requests.memory")],
    ),
    ("memory-limit-without-request", "256Mi", (web(asking(None, {"memory": "256Mi"})),), [(WEB, f"{FIRST}.resources")]),
    ("no-memory-limit", "a request only", (web(asking({"memory": "1Gi"})),), [(WEB, f"{FIRST}.resources.limits")]),
    (
        "limit-far-over-request",
        "four times",
        (web(asking({"memory": "256Mi"}, {"memory": "1Gi"})),),
        [(WEB, f"{FIRST}.resources.limits.memory")],
    ),
    (
        "request-over-nodes",
        "one has the memory, the other the CPU",
        (web(asking({"cpu": "2", "memory": "2Gi"})), node("a", "1", "4Gi"), node("b", "4", "1Gi")),
        [(WEB, f"{FIRST}.resources.requests")],
    ),
    # Rollouts.
    (
        "recreate",
        "behind a Service",
        (workload(strategy={"type": "Recreate"}), service()),
        [(WEB, "spec.strategy.type")],
    ),
    (
        "all-unavailable",
        "100 %",
        (workload(strategy={"rollingUpdate": {"maxUnavailable": "100%"}}), service()),
        [(WEB, "spec.strategy.rollingUpdate.maxUnavailable")],
    ),
    (
        "all-unavailable",
        "one of one",
        (workload(replicas=1, strategy={"rollingUpdate": {"maxUnavailable": 1}}), service()),
        [(WEB, "spec.strategy.rollingUpdate.maxUnavailable")],
    ),
    (
        "rounded-to-one",
        "33 % of 3 is 0.99",
        (workload(strategy={"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "33%"}}),),
        [(WEB, "spec.strategy.rollingUpdate.maxUnavailable")],
    ),
    (
        "deadline-under-start",
        "50 s and 10 s of 60",
        (workload(pods=template(says={"startup": "50s"}), minReadySeconds=10, progressDeadlineSeconds=60),),
        [(WEB, "spec.progressDeadlineSeconds")],
    ),
    # Updates of StatefulSets and DaemonSets.
    (
        "rollout-cannot-move",
        "a DaemonSet, and the surge is unset",
        (updated("DaemonSet", maxUnavailable=0),),
        [(f"daemonset/{NAME}", f"{ROLLING}.maxUnavailable")],
    ),
    (
        "surge-and-unavailable",
        "unset is 1",
        (updated("DaemonSet", maxSurge=1),),
        [(f"daemonset/{NAME}", f"{ROLLING}.maxSurge")],
    ),
    (
        "surge-needs-ports",
        "a port of the host",
        (updated("DaemonSet", container(ports=[HOST_PORT]), maxSurge="10%", maxUnavailable=0),),
        [(f"daemonset/{NAME}", f"{ROLLING}.maxSurge")],
    ),
    (
        "surge-needs-ports",
        "any port, on the host's network",
        (updated("DaemonSet", host=True, maxSurge=1, maxUnavailable=0),),
        [(f"daemonset/{NAME}", f"{ROLLING}.maxSurge")],
    ),
    (
        "update-on-delete",
        "a DaemonSet",
        (workload("DaemonSet", updateStrategy={"type": "OnDelete"}),),
        [(f"daemonset/{NAME}", "spec.updateStrategy.type")],
    ),
    (
        "update-on-delete",
        "a StatefulSet",
        (workload("StatefulSet", updateStrategy={"type": "OnDelete"}),),
        [(f"statefulset/{NAME}", "spec.updateStrategy.type")],
    ),
    (
        "partition-holds-all",
        "3 of 3",
        (updated("StatefulSet", partition=3),),
        [(f"statefulset/{NAME}", f"{ROLLING}.partition")],
    ),
    (
        "partition-splits",
        "2 of 3",
        (updated("StatefulSet", partition=2),),
        [(f"statefulset/{NAME}", f"{ROLLING}.partition")],
    ),
    (
        "unavailable-unread",
        "half of them",
        (updated("StatefulSet", maxUnavailable="50%"),),
        [(f"statefulset/{NAME}", f"{ROLLING}.maxUnavailable")],
    ),
    # Images, drains, lost nodes.
    ("image-latest", "no tag", (web(container(image="registry.example:5000/web")),), [(WEB, f"{FIRST}.image")]),
    (
        "image-latest-kept",
        "latest, kept",
        (web(container(image="web:latest", imagePullPolicy="IfNotPresent")),),
        [(WEB, f"{FIRST}.imagePullPolicy")],
    ),
    ("image-invalid", "capitals", (web(container(image="Web:1")),), [(WEB, f"{FIRST}.image")]),
    (
        "drain-emptydir",
        "a cache",
        (web(volumes=[{"name": "cache", "emptyDir": {}}]),),
        [(WEB, "spec.template.spec.volumes[0].emptyDir")],
    ),
    (
        "drain-hostpath",
        "a folder of the node",
        (web(volumes=[{"name": "data", "hostPath": {"path": "/srv"}}]),),
        [(WEB, "spec.template.spec.volumes[0].hostPath")],
    ),
    ("drain-bare-pod", "nobody made it", (pod(),), [("pod/alone", "metadata")]),
    (
        "tolerates-long",
        "301 s",
        (
            web(
                tolerations=[
                    {
                        "key": "node.kubernetes.io/unreachable",
                        "operator": "Exists",
                        "effect": "NoExecute",
                        "tolerationSeconds": 301,
                    }
                ]
            ),
        ),
        [(WEB, "spec.template.spec.tolerations[0].tolerationSeconds")],
    ),
    (
        "tolerates-forever",
        "everything",
        (web(tolerations=[{"operator": "Exists"}]),),
        [(WEB, "spec.template.spec.tolerations[0]")],
    ),
    # Names.
    (
        "service-selects-nothing",
        "another label",
        (workload(), service(selector={"app": "shop"})),
        [("service/web", "spec.selector")],
    ),
    (
        "service-port-missing",
        "https",
        (workload(), service(ports=[{"port": 443, "targetPort": "https"}])),
        [("service/web", "spec.ports[0].targetPort")],
    ),
    (
        "target-port-undeclared",
        "8081 of 8080",
        (workload(), service(ports=[{"port": 80, "targetPort": 8081}])),
        [("service/web", "spec.ports[0].targetPort")],
    ),
    (
        "reference-misspelled",
        "settings, setting",
        (web(from_map("mode")), held("ConfigMap", "setting", "mode")),
        [(WEB, f"{FIRST}.env[0]")],
    ),
    ("reference-elsewhere", "not here", (web(from_map("mode")),), [(WEB, f"{FIRST}.env[0]")]),
    (
        "key-missing",
        "another key",
        (web(from_map("mode")), held("ConfigMap", "settings", "level")),
        [(WEB, f"{FIRST}.env[0]")],
    ),
    (
        "priority-class-elsewhere",
        "not here",
        (web(priorityClassName="high"),),
        [(WEB, "spec.template.spec.priorityClassName")],
    ),
]


@pytest.mark.parametrize(
    ("rule", "case", "objects", "places"), HOLDS, ids=lambda row: row if isinstance(row, str) else ""
)
def test_a_rule_holds(rule: str, case: str, objects: tuple[Manifest, ...], places: list[tuple[str, str]]) -> None:
    assert told(rule, *objects) == places, case


def test_every_rule_is_seen_to_hold() -> None:
    """What an older release drops is held further down."""
    assert {row[0] for row in HOLDS} | {"field-dropped"} == set(RULES)


TOLERATED = {
    "key": "node.kubernetes.io/not-ready",
    "operator": "Exists",
    "effect": "NoExecute",
    "tolerationSeconds": 300,
}

HOLDS_NOT: list[tuple[str, str, tuple[Manifest, ...]]] = [
    (
        "rollout-cannot-move",
        "one may go",
        (workload(strategy={"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}),),
    ),
    ("rollout-cannot-move", "a surge", (updated("DaemonSet", maxSurge=1, maxUnavailable="0%"),)),
    ("surge-and-unavailable", "no surge", (updated("DaemonSet", maxSurge=0, maxUnavailable=1),)),
    ("surge-needs-ports", "no ports of the host", (updated("DaemonSet", maxSurge=1, maxUnavailable=0),)),
    ("surge-needs-ports", "no surge", (updated("DaemonSet", container(ports=[HOST_PORT])),)),
    ("update-on-delete", "by itself", (workload("StatefulSet"), workload("DaemonSet", name="agent"))),
    ("partition-holds-all", "2 of 3", (updated("StatefulSet", partition=2),)),
    ("partition-splits", "none", (updated("StatefulSet", partition=0),)),
    ("unavailable-unread", "as without it", (updated("StatefulSet", maxUnavailable=1),)),
    ("sleep-over-grace", "30 s of 30", (web(container(lifecycle={"preStop": {"sleep": {"seconds": 30}}})),)),
    ("prestop-over-grace", "29 s of 30", (web(sleeping(29)),)),
    ("stop-over-grace", "10 s and 20 s of 30", (web(sleeping(10), says={"on-sigterm": "drain=20s"}),)),
    ("stop-over-grace", "29 s and the least of 2 s", (web(sleeping(29), says={"on-sigterm": "exit=2s"}),)),
    ("sigterm-ignored", "it drains", (web(says={"on-sigterm": "drain=5s"}),)),
    ("prestop-under-propagation", "2 s", (web(sleeping(2)), service())),
    ("prestop-under-propagation", "no Service", (web(container(lifecycle=None)),)),
    (
        "prestop-under-propagation",
        "it serves on",
        (web(container(lifecycle=None), says={"on-sigterm": "drain=2s"}), service()),
    ),
    (
        "prestop-under-propagation",
        "headless: no kube-proxy",
        (web(container(lifecycle=None)), service(clusterIP="None")),
    ),
    ("prestop-under-propagation", "nobody knows", (web(container(lifecycle=SCRIPT)), service())),
    ("prestop-unread", "it is annotated", (web(container(lifecycle=SCRIPT), says={"pre-stop": "5s"}), service())),
    ("prestop-unread", "it serves on", (web(container(lifecycle=SCRIPT), says={"on-sigterm": "drain=2s"}), service())),
    ("grace-zero", "the default", (web(),)),
    ("startup-over-budget", "20 s", (web(probed("livenessProbe"), says={"startup": "20s"}),)),
    (
        "startup-over-budget",
        "a startup probe of 290 s",
        (web(container(livenessProbe=PROBE, startupProbe=PROBE | {"failureThreshold": 30}), says={"startup": "290s"}),),
    ),
    (
        "liveness-before-readiness",
        "19 s",
        (web(container(livenessProbe=PROBE, readinessProbe=PROBE | {"initialDelaySeconds": 19})),),
    ),
    (
        "liveness-on-dependency",
        "liveness asks something else",
        (web(container(livenessProbe={"tcpSocket": {"port": 8080}}), says={"depends-on": "database"}),),
    ),
    ("liveness-equals-readiness", "more patient", (web(probed("livenessProbe", failureThreshold=4)),)),
    ("no-readiness", "no Service", (web(container(readinessProbe=None)),)),
    (
        "no-readiness",
        "they are wanted early",
        (web(container(readinessProbe=None)), service(publishNotReadyAddresses=True)),
    ),
    ("timeout-over-period", "10 s of 10", (web(probed("readinessProbe", timeoutSeconds=10)),)),
    ("probe-port-missing", "a number", (web(container(livenessProbe={"tcpSocket": {"port": 9090}})),)),
    ("pdb-allows-nothing", "66 % of 3 is 1.98, rounded up 2", (workload(), budget(minAvailable="66%"))),
    ("pdb-allows-nothing", "1 % of 3 may go, rounded up 1", (workload(), budget(maxUnavailable="1%"))),
    ("pdb-allows-nothing", "no pods", (workload(replicas=0), budget(minAvailable=1))),
    ("pdb-without-number", "one of both", (workload(), budget(minAvailable=0))),
    ("pdb-allows-nothing", "that is another rule", (workload(), budget(maxUnavailable=None))),
    ("pdb-allows-everything", "it allows nothing", (workload(), budget(maxUnavailable=None))),
    ("drain-bare-pod", "it is run for a task", (pod(restartPolicy="Never"),)),
    ("pdb-single-replica", "two", (workload(replicas=2), budget(minAvailable=1))),
    ("pdb-allows-everything", "one stays", (workload(replicas=2), budget())),
    ("pdb-matches-nothing", "an empty selector", (workload(), budget(selector={}))),
    ("pdb-overlap", "of other pods", (workload(), budget(), budget("shop", labels={"app": "shop"}))),
    ("pdb-uncountable", "a number of daemons", (workload("DaemonSet"), budget(minAvailable=1))),
    ("pdb-unmanaged", "a number of pods", (workload(), pod(), budget(minAvailable=1))),
    ("no-pdb", "one", (workload(replicas=1), service())),
    ("best-effort", "a limit", (web(asking(None, {"cpu": "1"})),)),
    ("best-effort", "for the pod", (web(asking(), resources={"requests": {"memory": "1Gi"}}),)),
    ("no-memory-request", "a limit is one, too", (web(asking(None, {"memory": "1Gi"})),)),
    ("limit-far-over-request", "less than four times", (web(asking({"memory": "257Mi"}, {"memory": "1Gi"})),)),
    ("request-over-nodes", "it fits one", (web(asking({"cpu": "2", "memory": "2Gi"})), node("a", "2", "2Gi"))),
    ("recreate", "no Service", (workload(strategy={"type": "Recreate"}),)),
    ("all-unavailable", "25 % of 3 is 0", (workload(), service())),
    (
        "rounded-to-one",
        "34 % of 3 is 1",
        (workload(strategy={"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "34%"}}),),
    ),
    (
        "deadline-under-start",
        "49 s and 10 s of 60",
        (workload(pods=template(says={"startup": "49s"}), minReadySeconds=10, progressDeadlineSeconds=60),),
    ),
    ("image-latest", "a digest", (web(container(image=f"web@sha256:{'a' * 64}")),)),
    ("image-latest-kept", "always", (web(container(image="web:latest")),)),
    (
        "drain-emptydir",
        "daemons are left alone",
        (workload("DaemonSet", template(volumes=[{"name": "a", "emptyDir": {}}])),),
    ),
    (
        "drain-bare-pod",
        "somebody made it",
        (pod() | {"metadata": {"name": "a", "ownerReferences": [{"kind": "Job", "name": "a", "controller": True}]}},),
    ),
    ("tolerates-long", "300 s", (web(tolerations=[TOLERATED]),)),
    ("tolerates-forever", "daemons are meant to", (workload("DaemonSet"),)),
    ("tolerates-forever", "of another effect", (web(tolerations=[{"operator": "Exists", "effect": "NoSchedule"}]),)),
    ("service-selects-nothing", "no pods in the set", (service(),)),
    ("service-selects-nothing", "endpoints of somebody else", (workload(), service(selector=None))),
    ("service-selects-nothing", "refused pods are pods", (workload(strategy={"type": "Rolling"}), service())),
    (
        "target-port-undeclared",
        "nothing declared",
        (web(container(ports=None, readinessProbe=None)), service(ports=[{"port": 80}])),
    ),
    ("reference-misspelled", "a far name", (web(from_map("mode")), held("ConfigMap", "other", "mode"))),
    ("reference-elsewhere", "a pull secret is passed over", (web(imagePullSecrets=[{"name": "registry"}]),)),
    ("key-missing", "there", (web(from_map("mode")), held("ConfigMap", "settings", "mode"))),
    ("priority-class-elsewhere", "built in", (web(priorityClassName="system-cluster-critical"),)),
]


@pytest.mark.parametrize(("rule", "case", "objects"), HOLDS_NOT, ids=lambda row: row if isinstance(row, str) else "")
def test_a_rule_does_not_hold(rule: str, case: str, objects: tuple[Manifest, ...]) -> None:
    assert told(rule, *objects) == [], case


def test_a_finding_says_where_it_stands_and_what_it_rests_on() -> None:
    row = findings("pdb-allows-nothing", workload(), budget(minAvailable="67%"))[0]
    assert (row.severity, row.file, row.document, row.title) == (
        "error",
        "set.yaml",
        2,
        "The budget allows no eviction, ever",
    )
    assert row.says.startswith("minAvailable 67% of 3 pods (deployment/web) must leave 3")
    assert row.source == "updatePdbStatus in pkg/controller/disruption"
    assert row.remedy.startswith("Set maxUnavailable to 1.")


def test_the_line_is_that_of_the_field_or_of_what_is_around_it() -> None:
    head = ("apiVersion: policy/v1", "kind: PodDisruptionBudget", "metadata: {name: web}", "spec:")

    def lines(least: int) -> dict[str, int]:
        text = "\n".join((*head, "  selector: {matchLabels: {app: web}}", f"  minAvailable: {least}"))
        found = inspect({"set.yaml": f"{text}\n---\n{json.dumps(workload())}"}).findings
        return {row.rule: row.line for row in found}

    assert lines(3) == {"pdb-allows-nothing": 6}
    # Nobody wrote unhealthyPodEvictionPolicy: spec is what is around it.
    assert lines(2) == {"pdb-holds-broken-pods": 4}


def test_the_worst_comes_first() -> None:
    found = [row.severity for row in inspected(web(asking()), service(), budget(minAvailable=3)).findings]
    assert found == sorted(found, key=["error", "warning", "note"].index)
    assert len(set(found)) > 1


def test_what_is_refused_makes_no_pods_and_is_not_judged_further() -> None:
    found = inspected(workload(strategy={"type": "Rolling"}, replicas=1), budget(minAvailable=1))
    assert [row.rule for row in found.findings] == ["refused"]
    assert found.pods == ()


@pytest.mark.parametrize(
    ("version", "found"),
    [
        ("1.33", [("field-dropped", "spec.template.spec.resources")]),
        ("1.34", []),
    ],
)
def test_what_a_release_drops_is_a_finding(version: str, found: list[tuple[str, str]]) -> None:
    texts = {"a": json.dumps(web(resources={"limits": {"memory": "1Gi"}}))}
    rows = inspect(texts, release(version)).findings
    assert [(row.rule, row.path) for row in rows if row.rule == "field-dropped"] == found
    assert [row.says for row in rows if row.rule == "field-dropped"] == ["it is taken from 1.34 on" for _ in found]


def test_what_a_release_refuses_is_a_finding() -> None:
    texts = {"a": json.dumps(web())}
    rows = inspect(texts, release("1.29")).findings
    assert [(row.rule, row.path) for row in rows][:1] == [("refused", HOOK)]
    assert "refused" not in [row.rule for row in inspect(texts, release("1.30")).findings]


def test_pod_level_resources_count_where_they_are_taken() -> None:
    """Without them the pod has the class of its containers."""
    limits = {"cpu": "1", "memory": "1Gi"}
    texts = {"a": json.dumps(web(resources={"limits": limits, "requests": limits}))}
    classes = [inspect(texts, release(version)).pods[0].qos for version in ("1.33", "1.34")]
    assert classes == ["Burstable", "Guaranteed"]
