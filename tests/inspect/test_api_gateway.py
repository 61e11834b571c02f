"""The api-gateway manifest that the lessons grew from gets a verdict: what is computed of it, and what it lacks."""

from __future__ import annotations

import pytest

from app.catalog.claims_file import Asked
from app.errors import BadInput
from app.inspect.inspecting import inspect
from app.story.verifying import verify
from tests.corpus import DATA, text_of

FILE = DATA / "seeds" / "api-gateway.yaml"
SERVICE = """
apiVersion: v1
kind: Service
metadata: {name: api-gateway, namespace: production}
spec: {selector: {app: api-gateway}, ports: [{port: 80, targetPort: 8080}]}
"""
HOOK = "          lifecycle: {preStop: {sleep: {seconds: 5}}}\n"


def texts(*more: str) -> dict[str, str]:
    return {"api-gateway.yaml": "---\n".join((text_of(FILE), *more))}


def test_what_kubernetes_computes_of_it() -> None:
    (pods,) = inspect(texts()).pods
    (gateway,) = pods.containers
    assert (pods.made.pods, pods.qos, gateway.oom_score_adj) == (2, "Burstable", 985)
    assert gateway.startup is not None
    assert (gateway.startup.usual.least, gateway.startup.usual.most) == (290_000, 300_000)
    assert gateway.detection is not None
    assert (gateway.detection.usual.least, gateway.detection.usual.most) == (30_000, 45_000)
    assert pods.rollout is not None
    assert (pods.rollout.surge, pods.rollout.unavailable) == (1, 0)


def test_behind_a_service_it_has_findings() -> None:
    found = inspect(texts(SERVICE))
    assert [(row.rule, row.severity, row.path) for row in found.findings] == [
        ("prestop-under-propagation", "warning", "spec.template.spec.containers[0]"),
        ("no-pdb", "note", "spec.replicas"),
    ]


def test_without_a_service_nothing_is_known_of_requests() -> None:
    with pytest.raises(BadInput, match="requests-failed says nothing here, as no Service of these manifests selects"):
        verify([Asked("requests-failed == 0", flow="termination")], texts())


@pytest.mark.parametrize(("hook", "holds"), [("", False), (HOOK, True)], ids=["as it is", "with a preStop sleep"])
def test_the_end_of_a_pod_costs_requests_until_it_waits(hook: str, holds: bool) -> None:
    body = {
        name: text.replace("          startupProbe", f"{hook}          startupProbe")
        for name, text in texts(SERVICE).items()
    }
    found = verify([Asked("requests-failed == 0", flow="termination")], body)
    assert [row.holds for row in found.rows] == [holds]
    if not holds:
        (row,) = found.rows
        assert row.answers[0].step is not None
        assert [seen.id for seen in row.symptoms]


def test_a_drain_gets_through() -> None:
    assert verify([Asked("drain-finished", flow="drain")], texts()).holds
