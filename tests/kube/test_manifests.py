import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import BadInput
from app.kube.config import ConfigMap, Secret
from app.kube.defaults import defaulted
from app.kube.manifests import Manifests, NotModelled, judged, read_files, read_manifests
from app.kube.networking import Service
from app.kube.nodes import Node
from app.kube.objects import KINDS, Object, to_wire
from app.kube.pods import EnvVar, Pod
from app.kube.stringmap import StringMap
from app.kube.workloads import Deployment

DATA = Path(__file__).resolve().parent.parent / "data" / "manifests"
POD = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: a}]}}"
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: web:1
        readinessProbe:
          httpGet: {path: /ready, port: 8080}
          periodSeconds: 5
"""


def problems(text: str) -> list[str]:
    with pytest.raises(BadInput) as raised:
        read_manifests(text, "x.yaml")
    return raised.value.problems


def one(text: str) -> Any:
    manifests = read_manifests(text)
    (obj,) = manifests.objects
    return obj


def test_a_production_manifest_is_read_whole() -> None:
    manifests = read_manifests((DATA / "api-gateway.yaml").read_text(), "api-gateway.yaml")
    deployment, service, secret = manifests.objects
    assert isinstance(deployment, Deployment)
    assert str(deployment.ref) == "deployment/production/api-gateway"
    assert (deployment.spec.replicas, deployment.spec.revisionHistoryLimit) == (2, 5)
    rolling = deployment.spec.strategy.rollingUpdate
    assert rolling is not None
    assert (rolling.maxSurge, rolling.maxUnavailable) == (1, "25%")
    pod = deployment.spec.template.spec
    assert pod.terminationGracePeriodSeconds == 45
    assert [row.sidecar for row in pod.initContainers] == [False, True]
    (gateway,) = pod.containers
    assert gateway.resources.limits == StringMap({"memory": "256Mi", "cpu": "0.5"})
    assert gateway.lifecycle is not None
    assert gateway.lifecycle.preStop is not None
    assert gateway.lifecycle.preStop.exec is not None
    assert gateway.lifecycle.preStop.exec.command == ("/bin/sh", "-c", "sleep 15")
    assert gateway.livenessProbe is not None
    assert gateway.livenessProbe.httpGet is not None
    assert gateway.livenessProbe.httpGet.port == "http"
    assert gateway.env == (EnvVar("LOG_LEVEL", "info"),)
    assert isinstance(service, Service)
    assert service.spec.ports[0].targetPort == "http"
    assert isinstance(secret, Secret)
    assert secret.keys == {"token"}


def test_what_is_left_out_of_it_is_listed_and_no_secret_is_kept() -> None:
    manifests = read_manifests((DATA / "api-gateway.yaml").read_text())
    assert manifests.not_modelled == (
        NotModelled("deployment/production/api-gateway", "spec.template.spec.securityContext"),
        NotModelled("horizontalpodautoscaler/production/api-gateway", ""),
        NotModelled("servicemonitor/production/api-gateway", ""),
    )
    assert "hunter2" not in repr(manifests)


def test_the_output_of_kubectl_get_is_read_without_what_the_server_added() -> None:
    manifests = read_manifests((DATA / "kubectl-get.yaml").read_text())
    node, service, pod = manifests.objects
    assert isinstance(node, Node)
    assert isinstance(service, Service)
    assert isinstance(pod, Pod)
    assert node.status.allocatable == StringMap({"cpu": "4", "memory": "8052136Ki", "pods": "110"})
    assert node.status.conditions == ()
    assert node.status.nodeInfo.kubeletVersion == "v1.36.0"
    # 59 days, minus the four hours from 12:00 back to 08:00:10.
    assert node.spec.taints[0].timeAdded == (59 * 86400 - 4 * 3600 + 10) * 1000
    assert pod.metadata.uid == node.metadata.uid == ""
    assert pod.metadata.creationTimestamp is None
    assert pod.metadata.annotations == StringMap()
    assert pod.metadata.ownerReferences == ()
    assert pod.spec.nodeName == "node-1"
    assert pod.status.phase == ""
    assert manifests.not_modelled == (
        NotModelled("service/shop/web", "spec.sessionAffinity"),
        NotModelled("pod/shop/web-5d78c9b4f7-abcde", "metadata.ownerReferences"),
        NotModelled("pod/shop/web-5d78c9b4f7-abcde", "spec.volumes[0].projected.defaultMode"),
        NotModelled("pod/shop/web-5d78c9b4f7-abcde", "spec.volumes[0].projected.sources[0].serviceAccountToken"),
    )


def test_the_default_namespace_is_filled_in_for_what_has_one() -> None:
    assert one(DEPLOYMENT).metadata.namespace == "default"
    assert one("apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n").metadata.namespace == ""


def test_nothing_in_a_text_is_no_fault() -> None:
    assert read_manifests("") == read_manifests("# nothing\n---\n") == Manifests((), ())


def test_lists_are_opened_however_they_nest() -> None:
    text = f"apiVersion: v1\nkind: List\nitems: [{{apiVersion: v1, kind: List, items: [{POD}]}}]\n"
    assert str(one(text).ref) == "pod/a"
    typed = "{apiVersion: v1, kind: PodList, items: [{metadata: {name: a}, spec: {containers: [{name: a, image: a}]}}]}"
    assert str(one(typed).ref) == "pod/a"
    assert read_manifests("apiVersion: v1\nkind: List\nitems: []\n---\napiVersion: v1\nkind: List\n").objects == ()


def test_json_is_yaml() -> None:
    assert one(json.dumps(to_wire(one(DEPLOYMENT)))) == one(DEPLOYMENT)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            DEPLOYMENT.replace("periodSeconds: 5", "periodSeconds: 5s"),
            (
                "x.yaml: document 1 (deployment/web), line 18: "
                "spec.template.spec.containers[0].readinessProbe.periodSeconds: "
                'found the text "5s"; allowed: a whole number; write seconds as a bare number: 5'
            ),
        ),
        (
            DEPLOYMENT.replace("replicas: 2", "replcias: 2"),
            (
                "x.yaml: document 1 (deployment/web), line 6: spec.replcias: "
                'DeploymentSpec has no such field; did you mean "replicas"?'
            ),
        ),
        (
            DEPLOYMENT.replace("    spec:", "    spec:\n      affinty: {}"),
            (
                "x.yaml: document 1 (deployment/web), line 13: spec.template.spec.affinty: "
                'PodSpec has no such field; did you mean "affinity"?'
            ),
        ),
        (
            DEPLOYMENT.replace("template:", "tempalte:"),
            (
                "x.yaml: document 1 (deployment/web), line 9: spec.tempalte: "
                'DeploymentSpec has no such field; did you mean "template"?'
            ),
        ),
        (
            DEPLOYMENT.replace("apps/v1", "extensions/v1beta1"),
            (
                "x.yaml: document 1 (deployment/web), line 1: apiVersion: "
                'found "extensions/v1beta1"; allowed for a Deployment: apps/v1; '
                "no Kubernetes since 1.16 serves the old one"
            ),
        ),
        (
            DEPLOYMENT.replace("apps/v1", "app/v1"),
            (
                "x.yaml: document 1 (deployment/web), line 1: apiVersion: "
                'found "app/v1"; allowed for a Deployment: apps/v1'
            ),
        ),
        (
            DEPLOYMENT.replace("kind: Deployment", "kind: Deploymnet"),
            (
                "x.yaml: document 1 (deploymnet/web), line 2: kind: "
                'Kubernetes has no kind "Deploymnet"; did you mean "Deployment"?'
            ),
        ),
        (
            DEPLOYMENT.replace("kind: Deployment\n", ""),
            "x.yaml: document 1, line 1: kind: missing; this field is required",
        ),
        (
            DEPLOYMENT.replace("kind: Deployment\n", "Kind: Deployment\n"),
            'x.yaml: document 1, line 1: kind: missing; this field is required; found "Kind"',
        ),
        (
            DEPLOYMENT.replace("apiVersion: apps/v1\n", ""),
            "x.yaml: document 1 (deployment/web), line 1: apiVersion: missing; this field is required",
        ),
        (
            DEPLOYMENT.replace("kind: Deployment", "kind: 7"),
            "x.yaml: document 1, line 2: kind: found the number 7; allowed: text such as Deployment",
        ),
        (
            DEPLOYMENT.replace("  name: web\nspec", "  labels: {}\nspec"),
            "x.yaml: document 1 (deployment), line 3: metadata.name: missing; this field is required",
        ),
        (
            DEPLOYMENT.replace("  name: web\nspec", "  generateName: web-\nspec"),
            (
                "x.yaml: document 1 (deployment), line 3: metadata.name: "
                "missing; generateName makes one only with `kubectl create`, so give a name here"
            ),
        ),
        (
            DEPLOYMENT.replace("      - name: web\n        image", "      - image"),
            (
                "x.yaml: document 1 (deployment/web), line 14: spec.template.spec.containers[0].name: "
                "missing; this field is required"
            ),
        ),
        (
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n",
            "x.yaml: document 1 (pod/a), line 1: spec.containers: missing; a pod needs at least one container",
        ),
        (
            "- apiVersion: v1\n",
            "x.yaml: document 1, line 1: found a list; allowed: a mapping with apiVersion, kind, metadata and spec",
        ),
        (
            "hello\n",
            (
                "x.yaml: document 1, line 1: "
                'found the text "hello"; allowed: a mapping with apiVersion, kind, metadata and spec'
            ),
        ),
        (
            f"apiVersion: v1\nkind: List\nitems:\n- {POD}\n- 3\n",
            (
                "x.yaml: document 1, line 5: items[1]: "
                "found the number 3; allowed: a mapping with apiVersion, kind, metadata and spec"
            ),
        ),
        (
            "apiVersion: v1\nkind: List\nitems: {}\n",
            "x.yaml: document 1 (list), line 3: items: found a mapping; allowed: a list",
        ),
        (
            f"{POD}\n---\n{POD}\n",
            "x.yaml: document 2 (pod/a), line 3: the same object stands twice, first in x.yaml: document 1; keep one",
        ),
        (
            f"apiVersion: v1\nkind: List\nitems:\n- {POD}\n- {POD}\n",
            (
                "x.yaml: document 1 (pod/a), line 5: items[1]: "
                "the same object stands twice, first in x.yaml: document 1, items[0]; keep one"
            ),
        ),
    ],
)
def test_a_broken_manifest_is_told(text: str, expected: str) -> None:
    assert problems(text) == [expected]


def test_all_problems_are_told_together_in_the_order_of_the_text() -> None:
    text = (
        DEPLOYMENT.replace("replicas: 2", "replicas: two")
        .replace("port: 8080", "port: 80800")
        .replace("image: web:1", "")
    )
    assert problems(f"a: b: c\n---\n{text}---\nkind: Pod\n") == [
        (
            'x.yaml: document 1, line 1, column 5: mapping values are not allowed in this context at "a: b: c"; '
            "put a value that holds `: ` in quotes, and check the indentation"
        ),
        'x.yaml: document 2 (deployment/web), line 8: spec.replicas: found the text "two"; allowed: a whole number',
        (
            "x.yaml: document 2 (deployment/web), line 16: spec.template.spec.containers[0].image: "
            "missing; this field is required"
        ),
        (
            "x.yaml: document 2 (deployment/web), line 19: "
            "spec.template.spec.containers[0].readinessProbe.httpGet.port: found 80800; allowed: 1 to 65535"
        ),
        "x.yaml: document 3 (pod), line 22: apiVersion: missing; this field is required",
    ]


def test_a_paste_that_lost_its_indentation_says_so() -> None:
    text = "".join(line.strip() + "\n" for line in DEPLOYMENT.splitlines()[:7])
    assert problems(text) == [
        (
            "x.yaml: document 1 (deployment), line 3: metadata: found nothing; name beside it looks like a part of it: "
            "indent it more than metadata"
        ),
        (
            "x.yaml: document 1 (deployment), line 5: spec: found nothing; replicas beside it looks like a part of it: "
            "indent it more than spec"
        ),
    ]


def test_more_problems_than_anybody_reads_are_counted() -> None:
    told = problems("---\n3\n" * 250)
    assert len(told) == 201
    assert told[-1] == "and 50 more problems"


def test_several_files_are_read_as_one_and_each_fault_names_its_own() -> None:
    assert [str(obj.ref) for obj in read_files({"a.yaml": POD, "b.yaml": DEPLOYMENT}).objects] == [
        "pod/a",
        "deployment/web",
    ]
    with pytest.raises(BadInput) as raised:
        read_files({"a.yaml": POD, "b.yaml": POD, "c.yaml": "3"})
    assert raised.value.problems == [
        "b.yaml: document 1 (pod/a), line 1: the same object stands twice, first in a.yaml: document 1; keep one",
        "c.yaml: document 1, line 1: found the number 3; allowed: a mapping with apiVersion, kind, metadata and spec",
    ]


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("v1", "LimitRange"),
        ("networking.k8s.io/v1", "Ingress"),
        ("autoscaling/v2", "HorizontalPodAutoscaler"),
        ("apps/v1", "ControllerRevision"),
        ("serving.knative.dev/v1", "Service"),
        ("example.com/v1", "Deploymnet"),
        ("v1", "AllowList"),
    ],
)
def test_other_kinds_are_listed_and_skipped_whatever_they_hold(version: str, kind: str) -> None:
    text = f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: x, namespace: z}}\nspec: [1, {{a: b}}]\ndata: 7\n"
    assert read_manifests(text) == Manifests((), (NotModelled(f"{kind.lower()}/z/x", ""),))


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
def test_of_configuration_the_keys_are_kept_and_nothing_else(kind: str) -> None:
    text = f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: db}}\ndata: {{user: aHVudGVyMg==, host: aHVudGVyMg==}}\n"
    manifests = read_manifests(text)
    assert "aHVudGVyMg" not in repr(manifests)
    (found,) = manifests.objects
    assert isinstance(found, ConfigMap | Secret)
    assert found.keys == {"user", "host"}
    assert to_wire(found)["data"] == {"host": "", "user": ""}


def test_an_error_does_not_tell_what_stands_in_a_secret() -> None:
    text = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {pin: 190337}\n"
    with pytest.raises(BadInput) as raised:
        read_manifests(text, "db.yaml")
    place = "db.yaml: document 1 (secret/db), line 4: stringData.pin"
    assert raised.value.problems == [f"{place}: found something that is no text; allowed: text; put it in quotes"]


@pytest.mark.parametrize(
    "line",
    [
        "dnsPolicy: ClusterFirst",
        "enableServiceLinks: true",
        "securityContext: {}",
        "imagePullSecrets: []",
        "affinity:",
        "serviceAccount: web",
    ],
)
def test_a_field_that_changes_nothing_is_not_worth_a_word(line: str) -> None:
    assert read_manifests(DEPLOYMENT.replace("    spec:", f"    spec:\n      {line}")).not_modelled == ()


def test_a_field_of_a_newer_kubernetes_is_listed() -> None:
    manifests = read_manifests(DEPLOYMENT.replace("    spec:", "    spec:\n      quantumEntanglement: {with: b}"))
    assert manifests.not_modelled == (NotModelled("deployment/web", "spec.template.spec.quantumEntanglement"),)


def test_anchors_and_merge_keys_share_what_is_equal() -> None:
    probe = "httpGet: {path: /ready, port: 8080}\n          periodSeconds: 5\n"
    text = DEPLOYMENT.replace("readinessProbe:\n          " + probe, "readinessProbe: &probe\n          " + probe)
    text += "        livenessProbe: {<<: *probe, periodSeconds: 15}\n"
    (container,) = one(text).spec.template.spec.containers
    assert container.livenessProbe.httpGet == container.readinessProbe.httpGet
    assert (container.readinessProbe.periodSeconds, container.livenessProbe.periodSeconds) == (5, 15)


@pytest.mark.parametrize("name", ["api-gateway.yaml", "kubectl-get.yaml"])
def test_what_is_exported_reads_back(name: str) -> None:
    objects = read_manifests((DATA / name).read_text()).objects
    for given_objects in (objects, tuple(defaulted(obj) for obj in objects)):
        text = "\n---\n".join(json.dumps(to_wire(obj)) for obj in given_objects)
        assert read_manifests(text).objects == given_objects


def typed(obj: Object) -> Object:
    """The object rebuilt by msgspec, which refuses every value of a wrong type."""

    def built(type_: type, value: Any) -> Any:
        assert type_ is StringMap
        assert all(isinstance(text, str) for pair in value.items() for text in pair)
        return StringMap(value)

    plain = msgspec.to_builtins(obj, enc_hook=lambda value: dict(value.items()))
    return msgspec.convert(plain, type(obj), dec_hook=built)


SCALARS = st.sampled_from([None, True, 0, -1, 1.5, 2**40, "", "5", "5s", "yes", "a\nb", "x" * 70, "web", "In"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "image", "port", "exec", "matchLabels", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
WHOLE = [
    to_wire(obj)
    for name in ("api-gateway.yaml", "kubectl-get.yaml")
    for obj in read_manifests((DATA / name).read_text()).objects
]


def paths(value: Any) -> list[tuple[str | int, ...]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [()] + [(key, *path) for key, item in pairs for path in paths(item)]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@given(st.data())
def test_a_wrong_value_anywhere_gives_well_typed_objects_or_a_told_problem(data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from(WHOLE))
    for _ in range(data.draw(st.integers(1, 3))):
        whole = replaced(whole, data.draw(st.sampled_from(paths(whole))), data.draw(VALUES))
    try:
        manifests = read_manifests(json.dumps(whole), "x.yaml")
    except BadInput as error:
        told = error.problems
    else:
        told = []
        assert [typed(obj) for obj in manifests.objects] == list(manifests.objects)
    for problem in told:
        assert re.match(r"x\.yaml: document 1( \([^)]*\))?, line 1: ", problem)
        assert problem.isprintable()


@given(st.text(max_size=200))
def test_no_text_raises_anything_but_bad_input(text: str) -> None:
    try:
        read_manifests(text)
    except BadInput as error:
        told = error.problems
        assert told


@given(st.sampled_from(sorted(KINDS)), VALUES, VALUES)
def test_no_kind_raises_anything_but_bad_input(kind: str, metadata: Any, spec: Any) -> None:
    body = {"apiVersion": KINDS[kind].apiVersion, "kind": kind, "metadata": metadata, "spec": spec, "status": spec}
    try:
        read_manifests(json.dumps(body))
    except BadInput as error:
        told = error.problems
        assert told


def test_what_the_api_server_would_refuse_does_not_hinder_reading_where_it_is_asked_for() -> None:
    """The type of a value does: nothing can be made of it."""
    text = DEPLOYMENT.replace("replicas: 2", "replicas: -2")
    found = judged({"a.yaml": POD, "b.yaml": text})
    assert [str(obj.ref) for obj in found.objects] == ["pod/a", "deployment/web"]
    assert [(str(row.ref), row.problem.path) for row in found.refusals] == [("deployment/web", ("spec", "replicas"))]
    web = found.members[found.objects[1].ref]
    assert web.where(("spec", "replicas")) == ("b.yaml", 1, 6)
    assert web.where(("spec", "paused")) == ("b.yaml", 1, 5)
    with pytest.raises(BadInput, match="allowed: a whole number"):
        judged({"a.yaml": DEPLOYMENT.replace("replicas: 2", "replicas: two")})
