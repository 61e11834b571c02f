"""How large a reader's cluster may be."""

from __future__ import annotations

import pytest

from app.catalog.sizes import MOST_NODES, MOST_PODS, faults
from app.errors import BadInput
from app.kube.manifests import read_manifests
from app.story.play import play, request

POD = "{metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: b}]}}"
JOB = "{restartPolicy: Never, containers: [{name: a, image: b}]}"


def workload(kind: str, replicas: int) -> str:
    more = "serviceName: a, " if kind == "StatefulSet" else ""
    spec = f"{{{more}replicas: {replicas}, selector: {{matchLabels: {{app: a}}}}, template: {POD}}}"
    return f"apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: web}}\nspec: {spec}\n---\n"


def job(parallelism: int, completions: int) -> str:
    spec = f"{{parallelism: {parallelism}, completions: {completions}, template: {{spec: {JOB}}}}}"
    return f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: web}}\nspec: {spec}\n---\n"


def daemons() -> str:
    spec = f"{{selector: {{matchLabels: {{app: a}}}}, template: {POD}}}"
    return f"apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {{name: web}}\nspec: {spec}\n---\n"


@pytest.mark.parametrize(
    ("text", "nodes", "refused"),
    [
        (workload("Deployment", MOST_PODS), 3, False),
        (workload("Deployment", MOST_PODS + 1), 3, True),
        (workload("StatefulSet", MOST_PODS - 2) + daemons(), 3, True),
        (workload("Deployment", MOST_PODS - 3) + daemons(), 3, False),
        (job(5_000, 10), 3, False),
        (job(5_000, 5_000), 3, True),
        (workload("Deployment", 1), MOST_NODES + 1, True),
    ],
)
def test_pods_and_nodes_are_counted_over_all_objects(text: str, nodes: int, *, refused: bool) -> None:
    assert bool(list(faults(read_manifests(text).objects, nodes))) is refused


def test_the_refusal_names_what_asks_for_most() -> None:
    with pytest.raises(BadInput) as caught:
        play(request("pod-startup", manifest=workload("Deployment", 100_000)))
    assert "asks for 100,000 pods, most of them deployment/web; allowed: 1,000 in all" in str(caught.value)
