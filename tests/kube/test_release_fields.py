"""What a release drops of an object, and what it refuses: just before a field is taken, and when it is."""

from __future__ import annotations

import pytest

from app.kube.manifests import read_manifests
from app.kube.pods import ResourceRequirements
from app.kube.release_fields import Fitted, fitted, keeps_max_unavailable
from app.kube.releases import NAMES, release
from app.kube.workloads import Deployment
from app.kube.yaml_values import written

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      %s
      containers: [{name: web, image: web:1, %s}]
"""
SERVICE = "{apiVersion: v1, kind: Service, metadata: {name: %s}, spec: {ports: [{port: 80}]}}"
NODE = (
    "{apiVersion: v1, kind: Node, metadata: {name: n1, annotations: {sim.loopscope.dev/single-process-oom-kill: '%s'}}}"
)

SLEEP = DEPLOYMENT % ("", "lifecycle: {preStop: {sleep: {seconds: 5}}}")
NO_SLEEP = DEPLOYMENT % ("", "lifecycle: {preStop: {sleep: {seconds: 0}}}")
WHOLE = DEPLOYMENT % ("resources: {limits: {memory: 1Gi}}", "ports: []")
RULES = "restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [42]}}]"
POLICY = DEPLOYMENT % ("", f"restartPolicy: Never, {RULES}")
SIDECAR = DEPLOYMENT % ("initContainers: [{name: side, image: side:1, restartPolicy: Always}]", "ports: []")
CRON = """
apiVersion: batch/v1
kind: CronJob
metadata: {name: tick}
spec:
  schedule: "* * * * *"
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, resources: {requests: {cpu: 1}}, containers: [{name: main, image: tick:1}]}
"""
SPEC = "spec.template.spec"


def taken(text: str, name: str) -> Fitted:
    (obj,) = read_manifests(text).objects
    return fitted(obj, release(name))


@pytest.mark.parametrize(
    ("text", "name", "path"),
    [
        pytest.param(SLEEP, "1.29", f"{SPEC}.containers[0].lifecycle.preStop", id="a sleep before 1.30"),
        pytest.param(SLEEP, "1.30", "", id="a sleep from 1.30 on"),
        pytest.param(NO_SLEEP, "1.32", f"{SPEC}.containers[0].lifecycle.preStop.sleep.seconds", id="no sleep at 1.32"),
        pytest.param(NO_SLEEP, "1.33", "", id="no sleep at 1.33"),
        pytest.param(POLICY, "1.33", f"{SPEC}.containers[0].restartPolicy", id="a policy of its own at 1.33"),
        pytest.param(POLICY, "1.34", "", id="a policy of its own at 1.34 is dropped"),
        pytest.param(SIDECAR, "1.29", "", id="a sidecar always"),
        pytest.param(SERVICE % '"1web"', "1.35", "metadata.name", id="a digit first at 1.35"),
        pytest.param(SERVICE % '"1web"', "1.36", "", id="a digit first at 1.36"),
        pytest.param(SERVICE % "web1", "1.29", "", id="a letter first always"),
        pytest.param(
            NODE % "true", "1.31", "metadata.annotations[sim.loopscope.dev/single-process-oom-kill]", id="at 1.31"
        ),
        pytest.param(NODE % "true", "1.32", "", id="one process only at 1.32"),
        pytest.param(NODE % "false", "1.29", "", id="what is usual always"),
    ],
)
def test_what_a_release_refuses(text: str, name: str, path: str) -> None:
    found = [written(row.path) for row in taken(text, name).problems]
    assert found == ([path] if path else [])


@pytest.mark.parametrize(
    ("text", "name", "dropped"),
    [
        pytest.param(WHOLE, "1.33", [(f"{SPEC}.resources", "1.34")], id="a pod's own resources at 1.33"),
        pytest.param(WHOLE, "1.34", [], id="a pod's own resources at 1.34"),
        pytest.param(CRON, "1.33", [("spec.jobTemplate.spec.template.spec.resources", "1.34")], id="of a CronJob"),
        pytest.param(
            POLICY,
            "1.34",
            [(f"{SPEC}.containers[0].{name}", "1.35") for name in ("restartPolicyRules", "restartPolicy")],
            id="rules and policy at 1.34",
        ),
        pytest.param(POLICY, "1.33", [(f"{SPEC}.containers[0].restartPolicyRules", "1.35")], id="rules at 1.33"),
        pytest.param(POLICY, "1.35", [], id="rules and policy at 1.35"),
        pytest.param(SIDECAR, "1.29", [], id="a sidecar's policy always"),
    ],
)
def test_what_a_release_drops(text: str, name: str, dropped: list[tuple[str, str]]) -> None:
    assert [(written(row.path), row.since) for row in taken(text, name).dropped] == dropped


def test_what_is_dropped_is_not_there() -> None:
    whole = taken(WHOLE, "1.33").object
    assert isinstance(whole, Deployment)
    assert whole.spec.template.spec.resources == ResourceRequirements()
    ruled = taken(POLICY, "1.34").object
    assert isinstance(ruled, Deployment)
    (row,) = ruled.spec.template.spec.containers
    assert (row.restartPolicy, row.restartPolicyRules) == ("", ())


def test_what_is_taken_as_it_is_stays_the_same_object() -> None:
    (obj,) = read_manifests(POLICY).objects
    assert fitted(obj, release("1.37")).object is obj


def test_max_unavailable_came_went_and_came_back() -> None:
    """The gate was on in 1.35.0, off in 1.36, and is on in 1.37."""
    kept = [name for name in NAMES if keeps_max_unavailable(release(name))]
    assert kept == ["1.35", "1.37"]
