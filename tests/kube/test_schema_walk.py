from typing import Any

import pytest

from tests.kube.one_fault import expected, told


@pytest.mark.parametrize(
    ("kind", "path", "value", "fault"),
    [
        ("Deployment", "spec.replicas", "3", 'found the text "3"; allowed: a whole number; remove the quotes: 3'),
        ("Deployment", "spec.replicas", 1.5, "found the number 1.5; allowed: a whole number"),
        ("Deployment", "spec.replicas", True, "found true; allowed: a whole number"),
        ("Deployment", "spec.replicas", 2**31, "found the number 2147483648; allowed: a whole number up to 2147483647"),
        ("Deployment", "spec.paused", "yes", 'found the text "yes"; allowed: true, false; write true'),
        (
            "Deployment",
            "spec.paused",
            "False",
            'found the text "False"; allowed: true, false; remove the quotes: false',
        ),
        ("Deployment", "spec.paused", 1, "found the number 1; allowed: true, false"),
        ("Pod", "spec.containers", {"name": "a"}, "found a mapping; allowed: a list; begin each item with `- `"),
        ("Pod", "spec.containers[0]", "web", 'found the text "web"; allowed: a mapping; indent its fields below it'),
        ("Pod", "spec", ["a"], "found a list; allowed: a mapping; this field holds one, not a list"),
        ("Pod", "metadata.labels", ["a"], "found a list; allowed: a mapping of names to text"),
        ("Pod", "spec.containers[0].command", [1], '[0]: found the number 1; allowed: text; put it in quotes: "1"'),
        ("Pod", "spec.containers", [None], "[0]: found nothing; allowed: a mapping; indent its fields below it"),
        ("Lease", "spec.renewTime", "noon", 'found the text "noon"; allowed: a time such as 2026-01-01T12:00:00Z'),
        (
            "Lease",
            "spec.renewTime",
            "2026-02-30T12:00:00Z",
            'found the text "2026-02-30T12:00:00Z"; allowed: a time such as 2026-01-01T12:00:00Z',
        ),
    ],
)
def test_a_value_of_a_wrong_type_is_told(kind: str, path: str, value: Any, fault: str) -> None:
    assert told(kind, path, value) == expected(path, fault)


def test_a_problem_that_only_follows_from_another_is_not_told() -> None:
    assert told("Deployment", "spec.selector", {"matchLabels": {"app": 1}}) == [
        'spec.selector.matchLabels.app: found the number 1; allowed: text; put it in quotes: "1"'
    ]
    assert told("Deployment", "spec.template.spec.containers[0]", {"name": "web", "imgae": "web:1"}) == [
        'spec.template.spec.containers[0].imgae: Container has no such field; did you mean "image"?'
    ]
