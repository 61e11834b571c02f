from typing import Any

import pytest

from tests.kube.one_fault import expected, told

QUALIFIED = "[prefix/]name, where the name has at most 63 of A-Z, a-z, 0-9, -, _ and ."
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
NODE = f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms"
NEAR = f"spec.affinity.podAffinity.{REQUIRED}"
SPREAD = "spec.topologySpreadConstraints"
SOUND_SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}


def term(**requirement: Any) -> list[dict[str, Any]]:
    return [{"matchExpressions": [{"key": "disk", "operator": "In", **requirement}]}]


@pytest.mark.parametrize(
    ("kind", "path", "value", "fault"),
    [
        ("Pod", NODE, [], "missing; this field is required"),
        ("Pod", NODE, term(), "[0].matchExpressions[0].values: missing; In needs at least one value"),
        (
            "Pod",
            NODE,
            term(operator="Exists", values=["a"]),
            "[0].matchExpressions[0].values: found 1; allowed with Exists: no values",
        ),
        (
            "Pod",
            NODE,
            term(operator="Gt", values=["1", "2"]),
            "[0].matchExpressions[0].values: found 2; allowed with Gt: one whole number",
        ),
        (
            "Pod",
            NODE,
            term(operator="in", values=["a"]),
            (
                '[0].matchExpressions[0].operator: found "in"; allowed: In, NotIn, Exists, DoesNotExist, Gt, Lt; '
                'did you mean "In"?'
            ),
        ),
        (
            "Pod",
            NODE,
            [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a", "b"]}]}],
            "[0].matchFields[0].values: found 2; allowed: exactly one value",
        ),
        ("Pod", NEAR, [{"topologyKey": ""}], "[0].topologyKey: missing; this field is required"),
        ("Pod", NEAR, [{"topologyKey": "a b"}], f'[0].topologyKey: found "a b"; allowed: {QUALIFIED}'),
        (
            "Pod",
            NEAR,
            [{"topologyKey": "zone", "labelSelector": {"matchLabels": {"a b": "c"}}}],
            f'[0].labelSelector.matchLabels[a b]: found "a b"; allowed: {QUALIFIED}',
        ),
        ("Pod", SPREAD, [SOUND_SPREAD | {"maxSkew": 0}], "[0].maxSkew: found 0; allowed: 1 or more"),
        (
            "Pod",
            SPREAD,
            [SOUND_SPREAD | {"whenUnsatisfiable": "ScheduleAnyway", "minDomains": 2}],
            "[0].minDomains: allowed only where whenUnsatisfiable is DoNotSchedule",
        ),
        (
            "Pod",
            SPREAD,
            [{"maxSkew": 1, "topologyKey": "zone"}],
            "[0].whenUnsatisfiable: missing; this field is required",
        ),
        (
            "Pod",
            "spec.preemptionPolicy",
            "never",
            'found "never"; allowed: Never, PreemptLowerPriority; did you mean "Never"?',
        ),
        ("PriorityClass", "value", 1_000_000_001, "found 1000000001; allowed: -2147483648 to 1000000000"),
        ("PriorityClass", "metadata.namespace", "web", 'found "web"; allowed: no namespace on a PriorityClass'),
    ],
)
def test_refusals(kind: str, path: str, value: Any, fault: str) -> None:
    assert told(kind, path, value) == expected(path, fault)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (NODE, term(values=["ssd"])),
        (NODE, [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]}]),
        (NEAR, [{"topologyKey": "kubernetes.io/hostname", "labelSelector": {}, "namespaces": ["a"]}]),
        (SPREAD, [SOUND_SPREAD | {"minDomains": 2, "labelSelector": {"matchLabels": {"app": "web"}}}]),
    ],
)
def test_what_is_sound(path: str, value: Any) -> None:
    assert told("Pod", path, value) == []
