from typing import Any

import pytest

from tests.kube.one_fault import LABELS, SOUND, expected, told

LABEL = "at most 63 of a-z, 0-9 and -, with a letter or digit at both ends"
SUBDOMAIN = "at most 253 of a-z, 0-9, - and ., with a letter or digit at both ends of every part"
VALUE = "at most 63 of A-Z, a-z, 0-9, -, _ and ., with a letter or digit at both ends"
MODES = "ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod"
KEYS = "at most 253 of A-Z, a-z, 0-9, -, _ and ., neither . nor .. nor beginning with .."
QUALIFIED = "[prefix/]name, where the name has at most 63 of A-Z, a-z, 0-9, -, _ and ."


@pytest.mark.parametrize("kind", sorted(SOUND))
def test_a_sound_object_has_no_problem(kind: str) -> None:
    assert told(kind, "kind", kind) == []


@pytest.mark.parametrize(
    ("kind", "path", "value", "fault"),
    [
        ("Pod", "metadata.name", "My_Web", f'found "My_Web"; allowed: {SUBDOMAIN}; did you mean "my-web"?'),
        ("Pod", "metadata.name", "a" * 254, f'found "{"a" * 59}…"; allowed: {SUBDOMAIN}'),
        ("Pod", "metadata.name", "-", f'found "-"; allowed: {SUBDOMAIN}'),
        ("Service", "metadata.name", "web.v1", f'found "web.v1"; allowed: {LABEL}; did you mean "web-v1"?'),
        ("Service", "metadata.name", "a" * 64, f'found "{"a" * 59}…"; allowed: {LABEL}'),
        ("Pod", "metadata.namespace", "Shop", f'found "Shop"; allowed: {LABEL}; did you mean "shop"?'),
        ("Node", "metadata.namespace", "shop", 'found "shop"; allowed: no namespace on a Node'),
        ("Pod", "metadata.labels", {"a b": "c"}, f'[a b]: found "a b"; allowed: {QUALIFIED}'),
        ("Pod", "metadata.labels", {"A.com/a": "c"}, f'[A.com/a]: found "A.com/a"; allowed: {QUALIFIED}'),
        ("Pod", "metadata.labels", {"a": "c d"}, f'.a: found "c d"; allowed: {VALUE}'),
        ("Pod", "metadata.labels", {"a": "c" * 64}, f'.a: found "{"c" * 59}…"; allowed: {VALUE}'),
        ("Pod", "metadata.labels", {"a": 1}, '.a: found the number 1; allowed: text; put it in quotes: "1"'),
        ("Pod", "metadata.annotations", {"a": True}, '.a: found true; allowed: text; put it in quotes: "true"'),
        ("Pod", "metadata.annotations", {"a": ["b"]}, ".a: found a list; allowed: text"),
        ("Pod", "metadata.annotations", {"a": "b" * 262_144}, "found 262,145 bytes; allowed: at most 262,144"),
        ("Pod", "metadata.finalizers", ["no spaces please"], f'[0]: found "no spaces please"; allowed: {QUALIFIED}'),
        ("ConfigMap", "data", {"a/b": ""}, f'[a/b]: found "a/b"; allowed: {KEYS}'),
        ("ConfigMap", "binaryData", {"..a": ""}, f'[..a]: found "..a"; allowed: {KEYS}'),
        ("Secret", "data", {".": ""}, f'[.]: found "."; allowed: {KEYS}'),
        ("Secret", "stringData", {"ä": ""}, f'[ä]: found "ä"; allowed: {KEYS}'),
        (
            "PersistentVolumeClaim",
            "spec.accessModes",
            [],
            f"missing; allowed: {MODES}",
        ),
        (
            "PersistentVolumeClaim",
            "spec.accessModes",
            ["ReadWriteOften"],
            (f'[0]: found "ReadWriteOften"; allowed: {MODES}; did you mean "ReadWriteOnce"?'),
        ),
        (
            "PersistentVolumeClaim",
            "metadata.annotations",
            {"sim.loopscope.dev/attach": "2s"},
            (
                "[sim.loopscope.dev/attach]: says how a pod behaves and has no effect here; "
                "allowed: on a pod, or in a workload's pod template"
            ),
        ),
        (
            "PersistentVolume",
            "metadata.annotations",
            {"sim.loopscope.dev/mount": "fail"},
            '[sim.loopscope.dev/mount]: found "fail"; allowed: a duration such as 2s, fails',
        ),
        ("PersistentVolume", "spec.accessModes", ["RWO"], f'[0]: found "RWO"; allowed: {MODES}'),
        ("Deployment", "spec.replicas", -1, "found -1; allowed: 0 or more"),
        (
            "Deployment",
            "spec.selector",
            {},
            "missing; a Deployment needs a selector that matches its template's labels",
        ),
        (
            "Deployment",
            "spec.template.metadata.labels",
            {"app": "wbe"},
            'found "app=wbe"; allowed: labels that spec.selector matches, "app=web"',
        ),
        (
            "Deployment",
            "spec.selector",
            {"matchExpressions": [{"key": "app", "operator": "in", "values": ["web"]}]},
            '.matchExpressions[0].operator: found "in"; allowed: In, NotIn, Exists, DoesNotExist; did you mean "In"?',
        ),
        (
            "Deployment",
            "spec.selector",
            {"matchExpressions": [{"key": "app", "operator": "Exists", "values": ["a"]}]},
            ".matchExpressions[0].values: found 1; allowed with Exists: no values",
        ),
        (
            "Deployment",
            "spec.template.spec.restartPolicy",
            "Never",
            'found "Never"; allowed: Always in the template of a Deployment',
        ),
        (
            "ReplicaSet",
            "spec.template.spec.activeDeadlineSeconds",
            5,
            "not allowed in the template of a ReplicaSet",
        ),
        (
            "Deployment",
            "spec.strategy",
            {"type": "Recreat"},
            '.type: found "Recreat"; allowed: RollingUpdate, Recreate; did you mean "Recreate"?',
        ),
        (
            "Deployment",
            "spec.strategy",
            {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}},
            ".rollingUpdate: not allowed where type is Recreate",
        ),
        (
            "Deployment",
            "spec.strategy.rollingUpdate",
            {"maxSurge": "1"},
            '.maxSurge: found "1"; allowed: a whole number, or a percentage such as 25%; remove the quotes: 1',
        ),
        (
            "Deployment",
            "spec.strategy.rollingUpdate",
            {"maxUnavailable": "101%"},
            '.maxUnavailable: found "101%"; allowed: at most 100%',
        ),
        (
            "Deployment",
            "spec.strategy.rollingUpdate",
            {"maxSurge": 0, "maxUnavailable": "0%"},
            ".maxUnavailable: found 0; allowed: 1 or more, where maxSurge is 0 as well",
        ),
        ("Deployment", "spec.progressDeadlineSeconds", 0, "found 0; allowed: 1 or more"),
        (
            "StatefulSet",
            "spec.podManagementPolicy",
            "parallel",
            'found "parallel"; allowed: OrderedReady, Parallel; did you mean "Parallel"?',
        ),
        ("Service", "spec.ports", [], "missing; a Service with a cluster IP needs at least one port"),
        (
            "Service",
            "spec.type",
            "Loadbalancer",
            (
                'found "Loadbalancer"; allowed: ClusterIP, NodePort, LoadBalancer, '
                'ExternalName; did you mean "LoadBalancer"?'
            ),
        ),
        ("Service", "spec.ports", [{"port": 0}], "[0].port: found 0; allowed: 1 to 65535"),
        ("Service", "spec.ports", [{"port": 80, "nodePort": 80}], "[0].nodePort: found 80; allowed: 30000 to 32767"),
        (
            "Service",
            "spec.ports",
            [{"port": 80, "name": "a"}, {"port": 81}],
            "[1].name: missing; a Service with several ports must name each",
        ),
        (
            "Service",
            "spec.ports",
            [{"port": 80, "name": "a"}, {"port": 80, "name": "b"}],
            "[1].port: found 80; allowed: each TCP port once",
        ),
        (
            "Node",
            "spec.taints",
            [{"key": "a", "effect": "NoExecutes"}],
            (
                '[0].effect: found "NoExecutes"; allowed: NoSchedule, PreferNoSchedule, NoExecute; '
                'did you mean "NoExecute"?'
            ),
        ),
        (
            "EndpointSlice",
            "endpoints",
            [{"addresses": []}],
            "[0].addresses: missing; an endpoint needs at least one address",
        ),
        (
            "Deployment",
            "spec.template.metadata.annotations",
            {"sim.loopscope.dev/startup": "soon"},
            '[sim.loopscope.dev/startup]: found "soon"; a duration is written 300ms, 5s, 2m or 1h30m',
        ),
        (
            "Pod",
            "metadata.annotations",
            {"sim.loopscope.dev/api.startup": "5s"},
            '[sim.loopscope.dev/api.startup]: no container "api" in this pod; allowed: web',
        ),
        (
            "Deployment",
            "metadata.annotations",
            {"sim.loopscope.dev/startup": "5s"},
            (
                "[sim.loopscope.dev/startup]: says how a pod behaves and has no effect here; "
                "allowed: in spec.template.metadata.annotations"
            ),
        ),
        (
            "Service",
            "metadata.annotations",
            {"sim.loopscope.dev/startup": "5s"},
            (
                "[sim.loopscope.dev/startup]: says how a pod behaves and has no effect here; "
                "allowed: on a pod, or in a workload's pod template"
            ),
        ),
    ],
)
def test_a_fault_is_told(kind: str, path: str, value: Any, fault: str) -> None:
    assert told(kind, path, value) == expected(path, fault)


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("Service", "metadata.name", "1web"),
        ("Pod", "metadata.name", "web.v1"),
        ("Pod", "metadata.labels", {"example.com/a_B.c": "d_E.f", "empty": ""}),
        ("Pod", "metadata.annotations", {"empty": None, "Example.com/any": "thing at all\n"}),
        ("Deployment", "spec.replicas", 0),
        ("Deployment", "spec.selector", {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}),
        ("Deployment", "spec.strategy.rollingUpdate", {"maxSurge": "150%", "maxUnavailable": 0}),
        ("Service", "spec", {"clusterIP": "None", "selector": LABELS}),
        ("Service", "spec.ports", [{"port": 53, "name": "a"}, {"port": 53, "protocol": "UDP", "name": "b"}]),
        ("Lease", "spec.renewTime", "2026-01-01T12:00:00.123456Z"),
        ("Secret", "data", {".dockerconfigjson": "", "A_b-c.d": ""}),
        ("Pod", "spec.overhead", {"cpu": "250m", "memory": "120Mi"}),
    ],
)
def test_what_kubernetes_takes_is_taken(kind: str, path: str, value: Any) -> None:
    assert told(kind, path, value) == []


def test_a_container_may_mount_what_its_stateful_set_claims() -> None:
    mounted = {"name": "web", "image": "web:1", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    template = {"metadata": {"labels": LABELS}, "spec": {"containers": [mounted]}}
    claims = [{"metadata": {"name": "data"}}]
    spec = {"selector": {"matchLabels": LABELS}, "template": template}
    assert told("StatefulSet", "spec", spec | {"volumeClaimTemplates": claims}) == []
    assert len(told("StatefulSet", "spec", spec)) == 1
