from typing import Any

import pytest

from tests.kube.one_fault import CONTAINER, expected, told

LABEL = "at most 63 of a-z, 0-9 and -, with a letter or digit at both ends"
QUANTITY = "a quantity such as 250m, 1, 0.5, 128Mi or 1Gi"
PORT_NAME = "a port name: at most 15 of a-z, 0-9 and single -, with a letter in it"
PROBES = "exactly one of exec, httpGet, tcpSocket, grpc"
HTTP = {"httpGet": {"port": 80}}


@pytest.mark.parametrize(
    ("kind", "path", "value", "fault"),
    [
        ("Pod", "spec.containers", [], "missing; a pod needs at least one container"),
        ("Pod", "spec.containers[0].name", "Web", f'found "Web"; allowed: {LABEL}; did you mean "web"?'),
        ("Pod", "spec.containers[0].image", "", "missing; this field is required"),
        ("Pod", "spec.containers[0].image", " a", 'found " a"; allowed: an image without spaces around it'),
        ("Pod", "spec.containers", [CONTAINER] * 2, '[1].name: found "web"; allowed: a name that no other here has'),
        ("Pod", "spec.initContainers", [CONTAINER], '[0].name: found "web"; allowed: a name that no other here has'),
        (
            "Pod",
            "spec.containers[0].imagePullPolicy",
            "Allways",
            'found "Allways"; allowed: Always, IfNotPresent, Never; did you mean "Always"?',
        ),
        (
            "Pod",
            "spec.restartPolicy",
            "always",
            'found "always"; allowed: Always, OnFailure, Never; did you mean "Always"?',
        ),
        ("Pod", "spec.terminationGracePeriodSeconds", -1, "found -1; allowed: 0 or more"),
        ("Pod", "spec.containers[0].ports", [{"containerPort": 0}], "[0].containerPort: found 0; allowed: 1 to 65535"),
        (
            "Pod",
            "spec.containers[0].ports",
            [{"name": "a"}],
            "[0].containerPort: missing; this field is required",
        ),
        (
            "Pod",
            "spec.containers[0].ports",
            [{"containerPort": 80, "name": "8080"}],
            f'[0].name: found "8080"; allowed: {PORT_NAME}; remove the quotes: 8080',
        ),
        (
            "Pod",
            "spec.containers[0].ports",
            [{"containerPort": 80, "protocol": "tcp"}],
            '[0].protocol: found "tcp"; allowed: TCP, UDP, SCTP; did you mean "TCP"?',
        ),
        (
            "Pod",
            "spec.containers[0].volumeMounts",
            [{"name": "cache", "mountPath": "/c"}],
            '[0].name: found "cache"; allowed: none, as the pod has no volumes',
        ),
        (
            "Pod",
            "spec.volumes",
            [{"name": "a", "emptyDir": {}, "secret": {"secretName": "b"}}],
            "[0]: found emptyDir and secret; allowed: one source for each volume",
        ),
        (
            "Pod",
            "spec.tolerations",
            [{"key": "a", "operator": "Is"}],
            '[0].operator: found "Is"; allowed: Exists, Equal, Lt, Gt',
        ),
        (
            "Pod",
            "spec.tolerations",
            [{"operator": "Equal"}],
            '[0].operator: found "Equal"; allowed: Exists, where key is empty',
        ),
        (
            "Pod",
            "spec.tolerations",
            [{"key": "a", "effect": "NoSchedule", "tolerationSeconds": 3}],
            '[0].effect: found "NoSchedule"; allowed: NoExecute, where tolerationSeconds is set',
        ),
        ("Pod", "spec.containers[0].livenessProbe", {"periodSeconds": 5}, f"found no handler; allowed: {PROBES}"),
        (
            "Pod",
            "spec.containers[0].livenessProbe",
            HTTP | {"tcpSocket": {"port": 80}},
            f"found httpGet and tcpSocket; allowed: {PROBES}",
        ),
        (
            "Pod",
            "spec.containers[0].livenessProbe",
            HTTP | {"periodSeconds": -5},
            ".periodSeconds: found -5; allowed: 0 or more",
        ),
        (
            "Pod",
            "spec.containers[0].livenessProbe",
            HTTP | {"successThreshold": 2},
            ".successThreshold: found 2; must be 1",
        ),
        (
            "Pod",
            "spec.containers[0].startupProbe",
            HTTP | {"successThreshold": 2},
            ".successThreshold: found 2; must be 1",
        ),
        (
            "Pod",
            "spec.containers[0].livenessProbe",
            HTTP | {"terminationGracePeriodSeconds": 0},
            ".terminationGracePeriodSeconds: found 0; must be greater than 0",
        ),
        (
            "Pod",
            "spec.containers[0].readinessProbe",
            HTTP | {"terminationGracePeriodSeconds": 5},
            ".terminationGracePeriodSeconds: must not be set for readinessProbes",
        ),
        (
            "Pod",
            "spec.containers[0].readinessProbe",
            {"httpGet": {"path": "/"}},
            ".httpGet.port: missing; this field is required",
        ),
        (
            "Pod",
            "spec.containers[0].readinessProbe",
            {"httpGet": {"port": "http_port"}},
            f'.httpGet.port: found "http_port"; allowed: {PORT_NAME}',
        ),
        (
            "Pod",
            "spec.containers[0].readinessProbe",
            {"httpGet": {"port": True}},
            ".httpGet.port: found true; allowed: a whole number or text",
        ),
        (
            "Pod",
            "spec.containers[0].readinessProbe",
            {"httpGet": {"port": 80, "scheme": "http"}},
            '.httpGet.scheme: found "http"; allowed: HTTP, HTTPS; did you mean "HTTP"?',
        ),
        ("Pod", "spec.containers[0].readinessProbe", {"exec": {}}, ".exec.command: missing; this field is required"),
        ("Pod", "spec.containers[0].readinessProbe", {"grpc": {"port": 0}}, ".grpc.port: found 0; allowed: 1 to 65535"),
        (
            "Pod",
            "spec.initContainers",
            [{"name": "a", "image": "a", "livenessProbe": HTTP}],
            "[0].livenessProbe: allowed only in init containers that have restartPolicy: Always",
        ),
        (
            "Pod",
            "spec.containers[0].lifecycle",
            {"preStop": {"sleep": {"seconds": 31}}},
            ".preStop.sleep.seconds: found 31; allowed: 0 to 30, which is terminationGracePeriodSeconds",
        ),
        (
            "Pod",
            "spec.containers[0].lifecycle",
            {"preStop": {}},
            ".preStop: found no handler; allowed: exactly one of exec, httpGet, tcpSocket, sleep",
        ),
        (
            "Pod",
            "spec.containers[0].resources",
            {"requests": {"memory": "128MB"}},
            f'.requests.memory: found "128MB"; allowed: {QUANTITY}; did you mean "128M"?',
        ),
        (
            "Pod",
            "spec.containers[0].resources",
            {"limits": {"cpu": -1}},
            '.limits.cpu: found "-1"; allowed: 0 or more',
        ),
        (
            "Pod",
            "spec.containers[0].resources",
            {"limits": {"cpu": ["1"]}},
            ".limits.cpu: found a list; allowed: a quantity such as 250m, 1, 128Mi or 1Gi",
        ),
        (
            "Pod",
            "spec.containers[0].resources",
            {"requests": {"cpu": "1001m"}, "limits": {"cpu": 1}},
            '.requests.cpu: found "1001m"; allowed: at most the limit, 1',
        ),
        (
            "Pod",
            "spec.volumes",
            [{"name": "a", "emptyDir": {"sizeLimit": "big"}}],
            f'[0].emptyDir.sizeLimit: found "big"; allowed: {QUANTITY}',
        ),
        (
            "Node",
            "status.capacity",
            {"memory": "8 Gi"},
            f'.memory: found "8 Gi"; allowed: {QUANTITY}; did you mean "8Gi"?',
        ),
    ],
)
def test_a_fault_in_a_pod_is_told(kind: str, path: str, value: Any, fault: str) -> None:
    assert told(kind, path, value) == expected(path, fault)


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("Pod", "spec.containers[0].resources", {"requests": {"cpu": 0.5, "memory": 1024}, "limits": {"cpu": "500m"}}),
        ("Pod", "spec.containers[0].livenessProbe", HTTP | {"periodSeconds": 0, "successThreshold": 0}),
        ("Pod", "spec.containers[0].readinessProbe", HTTP | {"successThreshold": 3}),
        ("Pod", "spec.containers[0].lifecycle", {"preStop": {"sleep": {"seconds": 0}}}),
        ("Pod", "spec.containers[0].lifecycle", {"preStop": {"sleep": {"seconds": 30}}}),
        ("Pod", "spec.terminationGracePeriodSeconds", 5.0),
        ("Pod", "spec.restartPolicy", None),
        ("Pod", "spec.tolerations", [{"operator": "Exists"}]),
    ],
)
def test_what_kubernetes_takes_is_taken(kind: str, path: str, value: Any) -> None:
    assert told(kind, path, value) == []
