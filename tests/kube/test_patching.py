"""Documents that change others: what they write where, and where a fault is told of."""

from __future__ import annotations

from typing import Any

import pytest

from app.errors import BadInput
from app.kube.manifests import judged, read_files
from app.kube.objects import Object, to_wire

WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "web:1"}
      - {name: proxy, image: "proxy:1"}
"""
BUDGET = """\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
"""


def patch(spec: str, kind: str = "Deployment", word: str = "merge", version: str = "apps/v1", name: str = "web") -> str:
    meta = f"{{name: {name}, annotations: {{sim.loopscope.dev/patch: {word}}}}}"
    return f"apiVersion: {version}\nkind: {kind}\nmetadata: {meta}\n" + (f"spec: {spec}\n" if spec else "")


def one(*texts: str) -> dict[str, Any]:
    (obj,) = read_files({f"{at}.yaml": text for at, text in enumerate(texts)}).objects
    return wire(obj)


def wire(obj: Object) -> dict[str, Any]:
    found: dict[str, Any] = to_wire(obj)
    return found


def problems(*texts: str) -> list[str]:
    with pytest.raises(BadInput) as raised:
        one(*texts)
    return raised.value.problems


def test_what_it_says_is_written_over_and_all_else_stays() -> None:
    found = one(WEB, patch("{replicas: 5, template: {metadata: {annotations: {sim.loopscope.dev/startup: 4s}}}}"))
    assert found["spec"]["replicas"] == 5
    assert found["spec"]["template"]["metadata"] == {
        "labels": {"app": "web"},
        "annotations": {"sim.loopscope.dev/startup": "4s"},
    }
    assert "annotations" not in found["metadata"]


def test_it_may_stand_before_what_it_changes_and_in_the_same_text() -> None:
    assert one(patch("{replicas: 5}") + "---\n" + WEB)["spec"]["replicas"] == 5


def test_later_ones_are_written_over_earlier_ones() -> None:
    assert one(WEB, patch("{replicas: 5}"), patch("{replicas: 6}"))["spec"]["replicas"] == 6


def test_null_takes_a_field_out() -> None:
    text = patch("{minAvailable: null, maxUnavailable: 50%}", "PodDisruptionBudget", version="policy/v1")
    spec = one(BUDGET, text)["spec"]
    assert (spec.get("minAvailable"), spec["maxUnavailable"]) == (None, "50%")


def test_containers_are_merged_by_name_and_more_may_come() -> None:
    rows = '[{name: proxy, image: "proxy:2"}, {name: log, image: "log:1"}]'
    found = one(WEB, patch(f"{{template: {{spec: {{containers: {rows}}}}}}}"))
    containers = found["spec"]["template"]["spec"]["containers"]
    assert [(row["name"], row["image"]) for row in containers] == [
        ("web", "web:1"),
        ("proxy", "proxy:2"),
        ("log", "log:1"),
    ]


def test_an_object_may_be_taken_out() -> None:
    assert one(WEB, BUDGET, patch("", "PodDisruptionBudget", "delete", "policy/v1"))["kind"] == "Deployment"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (patch("{}", word="replace"), 'found "replace"; allowed: merge, delete'),
        (
            patch("{}", name="wep"),
            'there is no deployment/wep here that it could change; did you mean "deployment/web"?',
        ),
        (
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {annotations: {sim.loopscope.dev/patch: merge}}\n",
            "metadata.name: missing; a patch says the kind and the name of what it changes",
        ),
    ],
)
def test_a_patch_that_changes_nothing_is_a_fault(text: str, told: str) -> None:
    (found,) = problems(WEB, text)
    assert told in found
    assert found.startswith("1.yaml: document 1")


def test_a_fault_is_told_of_where_it_stands() -> None:
    (told,) = problems(WEB, "\n" + patch("\n  replicas: two"))
    assert told.startswith("1.yaml: document 1 (deployment/web), line 6: spec.replicas: ")
    (told,) = problems(WEB.replace("replicas: 2", "replicas: two"), patch("{paused: true}"))
    assert told.startswith("0.yaml: document 1 (deployment/web), line 5: spec.replicas: ")
    found = judged({"a": WEB, "b": patch("{replicas: -1}")})
    assert found.members[found.refusals[0].ref].where(("spec", "replicas")) == ("b", 1, 4)
    assert found.members[found.refusals[0].ref].where(("spec", "selector")) == ("a", 1, 6)


def test_twenty_patches_of_one_object_are_followed_and_no_more() -> None:
    rows = [patch(f"{{replicas: {number}}}") for number in range(20)]
    assert one(WEB, *rows)["spec"]["replicas"] == 19
    (told,) = problems(WEB, *rows, patch("{replicas: 0}"))
    assert "found more than 20 patches" in told
