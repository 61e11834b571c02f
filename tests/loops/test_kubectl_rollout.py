"""kubectl rollout: what status waits for and how it ends, what undo brings back."""

from __future__ import annotations

import pytest

from app.catalog import starting
from app.kube.manifests import read_manifests
from app.kube.meta import Ref
from app.kube.pods import Pod
from app.kube.workloads import Deployment
from app.sim.intervention import parse
from app.sim.interventions import check
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.walk import Walk

WEB = Ref("Deployment", "default", "web")
CLUSTER = """
{apiVersion: v1, kind: Node, metadata: {name: n1}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  progressDeadlineSeconds: 20
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "web:1"}]
"""


def walk(*script: str, until: int = 60_000) -> Walk:
    world = at_rest(starting.model(), read_manifests(CLUSTER).objects)
    return run(starting.model(), world, [parse(line) for line in script], until=until)


def said(found: Walk, number: int) -> list[str]:
    return [line.text for row in found.records if row.step.command == number for line in row.step.output]


def exits(found: Walk) -> list[int | None]:
    return [row.exit for row in sorted(found.world.commands.values(), key=lambda row: row.number)]


def image(found: Walk) -> str:
    held = found.world.etcd.get(WEB)
    assert held is not None
    assert isinstance(held.object, Deployment)
    return held.object.spec.template.spec.containers[0].image


def test_status_of_a_deployment_at_rest_returns_at_once() -> None:
    found = walk("0s rollout-status deployment/web")
    assert said(found, 1) == ['deployment "web" successfully rolled out']
    assert exits(found) == [0]


def test_status_returns_when_the_new_pod_is_ready() -> None:
    found = walk("0s set-image deployment/web web=web:2", "0s rollout-status deployment/web")
    assert exits(found) == [0, 0]
    assert said(found, 2)[-1] == 'deployment "web" successfully rolled out'
    assert said(found, 2)[0] == "Waiting for deployment spec update to be observed..."
    last = [row.step for row in found.records if row.step.command == 2][-1]
    assert (last.verb, last.moment) == ("return", "rollout-status-returned")


def test_status_says_nothing_twice_of_one_version() -> None:
    found = walk("0s set-image deployment/web web=web:2", "0s rollout-status deployment/web")
    told = [row.step for row in found.records if row.step.command == 2 and row.step.output]
    versions = {row.step.world.etcd.objects[WEB].version for row in found.records}
    assert len(told) <= len(versions) + 1


def test_status_fails_with_the_deadline() -> None:
    found = walk(
        "0s set image/web:2 image-pull=not-found",
        "0s set-image deployment/web web=web:2",
        "0s rollout-status deployment/web",
    )
    assert exits(found)[1] == 1
    assert said(found, 2)[-1] == 'error: deployment "web" exceeded its progress deadline'
    last = [row.step for row in found.records if row.step.command == 2][-1]
    assert 20_000 < last.at < 21_000
    assert last.moment == "rollout-status-failed"


def test_a_timeout_ends_it_before() -> None:
    found = walk(
        "0s set image/web:2 image-pull=not-found",
        "0s set-image deployment/web web=web:2",
        "0s rollout-status deployment/web timeout=5s",
    )
    assert exits(found)[1] == 1
    assert said(found, 2)[-1] == "error: timed out waiting for the condition"
    assert [row.step for row in found.records if row.step.command == 2][-1].at == 5_000


def test_status_of_what_is_not_there_fails() -> None:
    found = walk("0s rollout-status deployment/nothing")
    assert exits(found) == [1]
    assert said(found, 1) == ['Error from server (NotFound): deployments.apps "nothing" not found']


def test_undo_brings_the_template_before_back() -> None:
    found = walk("0s set-image deployment/web web=web:2", "20s rollout-undo deployment/web")
    assert said(found, 2) == ["deployment.apps/web rolled back"]
    assert image(found) == "web:1"
    held = found.world.etcd.objects[WEB].object
    assert held.metadata.annotations["deployment.kubernetes.io/revision"] == "3"


def test_undo_to_a_revision_takes_that_one() -> None:
    changes = ["0s set-image deployment/web web=web:2", "20s set-image deployment/web web=web:3"]
    assert image(walk(*changes, "40s rollout-undo deployment/web")) == "web:2"
    assert image(walk(*changes, "40s rollout-undo deployment/web to-revision=1")) == "web:1"


def test_undo_to_what_there_is_already_changes_nothing() -> None:
    found = walk("0s rollout-undo deployment/web to-revision=1")
    text = "deployment.apps/web skipped rollback (current template already matches revision 1)"
    assert said(found, 1) == [text]
    assert exits(found) == [0]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("0s rollout-undo deployment/web", 'error: no rollout history found for deployment "web"'),
        ("0s rollout-undo deployment/web to-revision=7", "error: unable to find specified revision 7 in history"),
    ],
)
def test_undo_without_such_a_revision_fails(line: str, text: str) -> None:
    found = walk(line)
    assert said(found, 1) == [text]
    assert exits(found) == [1]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("rollout-status pod/web-1", "allowed: "),
        ("rollout-undo deployment/web revision=1", "takes no revision; allowed: to-revision"),
        ("rollout-status deployment/web timeout=long", "timeout"),
    ],
)
def test_faults_are_told(line: str, fault: str) -> None:
    (problem,) = check(parse(line))
    assert fault in problem


OTHERS = """
{apiVersion: v1, kind: Node, metadata: {name: n1}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 3
  serviceName: db
  updateStrategy: {rollingUpdate: {partition: 1}}
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}, annotations: {sim.loopscope.dev/startup: 1s}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: db, image: "db:1"}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}, annotations: {sim.loopscope.dev/startup: 1s}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: agent, image: "agent:1"}]}
"""


def others(*script: str) -> Walk:
    world = at_rest(starting.model(), read_manifests(OTHERS).objects)
    return run(starting.model(), world, [parse(line) for line in script], until=60_000)


def images(found: Walk, app: str) -> list[str]:
    pods = [pod for pod in found.world.etcd.find("Pod") if isinstance(pod, Pod)]
    mine = [pod for pod in pods if pod.metadata.labels.get("app") == app]
    return [pod.spec.containers[0].image for pod in sorted(mine, key=lambda pod: pod.metadata.name)]


def test_a_stateful_set_is_updated_down_to_its_partition() -> None:
    found = others("0s set-image statefulset/db db=db:2", "0s rollout-status statefulset/db")
    assert images(found, "db") == ["db:1", "db:2", "db:2"]
    assert said(found, 2)[0] == "Waiting for statefulset spec update to be observed..."
    assert said(found, 2)[-1] == "partitioned roll out complete: 2 new pods have been updated..."
    assert "Waiting for 1 pods to be ready..." in said(found, 2)
    assert exits(found) == [0, 0]


def test_a_daemon_set_with_a_surge_never_lacks_a_pod() -> None:
    found = others("0s set-image daemonset/agent agent=agent:2", "0s rollout-status daemonset/agent")
    assert images(found, "agent") == ["agent:2", "agent:2"]
    assert said(found, 2)[-1] == 'daemon set "agent" successfully rolled out'
    assert exits(found) == [0, 0]
    counts = []
    for row in found.records:
        pods = [pod for pod in row.step.world.etcd.find("Pod") if isinstance(pod, Pod)]
        mine = [pod for pod in pods if pod.metadata.labels.get("app") == "agent" and not pod.terminating]
        counts.append((sum(pod.ready for pod in mine), len(mine)))
    assert min(ready for ready, _ in counts) == 2
    assert max(there for _, there in counts) == 3


def test_a_set_that_does_not_roll_has_no_status() -> None:
    text = OTHERS.replace("{rollingUpdate: {partition: 1}}", "{type: OnDelete}")
    world = at_rest(starting.model(), read_manifests(text).objects)
    found = run(starting.model(), world, [parse("0s rollout-status statefulset/db")], until=10_000)
    assert said(found, 1) == ["error: rollout status is only available for RollingUpdate strategy type"]
    assert exits(found) == [1]
