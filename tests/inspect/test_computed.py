"""What is computed of a set, worked out by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from app.errors import BadInput
from app.inspect.computed import ContainerFacts, PodFacts
from app.inspect.inspecting import inspect
from app.inspect.propagation import needed_prestop, propagation
from app.inspect.report import report
from app.inspect.rules import RULES
from app.inspect.sarif import sarif
from app.inspect.spelling import names
from app.inspect.telling import sections, summary
from app.inspect.text import plain
from app.inspect.words import words
from app.kube.probe_budget import Range
from tests.inspect.sets import (
    PROBE,
    Manifest,
    budget,
    container,
    held,
    inspected,
    node,
    pod,
    service,
    template,
    workload,
)

MI = 1024 * 1024


def facts(*objects: Manifest) -> PodFacts:
    return inspected(*objects).pods[0]


def first(row: Manifest, **spec: Any) -> ContainerFacts:
    return facts(workload(pods=template(row, **spec))).containers[-1]


def asks(cpu: str, memory: str) -> Manifest:
    return {"requests": {"cpu": cpu, "memory": memory}}


@pytest.mark.parametrize(
    ("resources", "qos"),
    [
        ({}, "BestEffort"),
        (asks("1", "1Gi"), "Burstable"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed"),
        ({"limits": {"memory": "1Gi"}}, "Burstable"),
    ],
)
def test_the_class_counts_requests_that_limits_imply(resources: Manifest, qos: str) -> None:
    assert facts(workload(pods=template(container(resources=resources)))).qos == qos


def test_requests_as_the_scheduler_counts_them() -> None:
    """Containers 100m + 200m and the sidecar's 50m make 350m; the last init step needs 400m + 50m, which is more."""
    early = {"name": "early", "image": "a:1", "resources": asks("300m", "1Gi")}
    proxy = {"name": "proxy", "image": "b:1", "restartPolicy": "Always", "resources": asks("50m", "64Mi")}
    late = {"name": "late", "image": "c:1", "resources": asks("400m", "32Mi")}
    one = container(name="one", resources=asks("100m", "128Mi"))
    two = container(name="two", ports=None, readinessProbe=None, resources=asks("200m", "256Mi"))
    overhead = {"cpu": "25m", "memory": "16Mi"}
    asked = facts(workload(pods=template(one, two, initContainers=[early, proxy, late], overhead=overhead))).asked
    assert dict(asked.containers) == {"cpu": 300, "memory": 384 * MI}
    assert dict(asked.sidecars) == {"cpu": 50, "memory": 64 * MI}
    assert dict(asked.init_peak) == {"cpu": 450, "memory": 1024 * MI}
    assert dict(asked.overhead) == {"cpu": 25, "memory": 16 * MI}
    assert dict(asked.total) == {"cpu": 450 + 25, "memory": (1024 + 16) * MI}


def test_oom_score_adj_is_the_share_of_the_machine() -> None:
    """2Gi of the assumed 8Gi is a quarter: 1000 - 250."""
    assert first(container(resources=asks("1", "2Gi"))).oom_score_adj == 750
    assert first(container(resources={})).oom_score_adj == 1000
    assert first(container(resources={"limits": {"cpu": "1", "memory": "1Gi"}})).oom_score_adj == -997


def test_the_smallest_given_node_counts() -> None:
    """2Gi of 4Gi is a half."""
    set_ = (
        workload(pods=template(container(resources=asks("1", "2Gi")))),
        node("a", "4", "16Gi"),
        node("b", "4", "4Gi"),
    )
    assert facts(*set_).containers[0].oom_score_adj == 500


def test_probes_as_ranges() -> None:
    """Three attempts, 10 s apart, on a clock anywhere: 20 to 30 s; with a timeout of 4 s that is waited for, 4 s more.

    Attempts that hang for 12 s each follow one another at once: 36 s, and a period for the phase.
    """
    row = first(
        container(
            startupProbe=PROBE | {"initialDelaySeconds": 5, "failureThreshold": 6},
            livenessProbe=PROBE | {"timeoutSeconds": 4},
            readinessProbe=PROBE | {"timeoutSeconds": 12, "successThreshold": 2},
        )
    )
    assert row.startup is not None
    assert (row.startup.probe, row.startup.usual) == ("startupProbe", Range(55_000, 65_000))
    assert row.detection is not None
    assert (row.detection.usual, row.detection.hanging) == (Range(20_000, 30_000), Range(24_000, 34_000))
    assert row.withdrawal is not None
    assert row.withdrawal.hanging == Range(36_000, 46_000)
    assert row.admission == Range(10_000, 20_000)


def test_without_a_startup_probe_liveness_bounds_the_start() -> None:
    row = first(container(livenessProbe=PROBE | {"initialDelaySeconds": 30}))
    assert row.startup is not None
    assert (row.startup.probe, row.startup.usual) == ("livenessProbe", Range(50_000, 60_000))
    assert first(container()).startup is None


def test_how_it_stops() -> None:
    """A hook of 10 s and a drain of 8 s within 30: SIGTERM after 10 s with 20 s left, over after 18 s."""
    hook = {"preStop": {"exec": {"command": ["/bin/sh", "-c", "sleep 10"]}}}
    row = facts(workload(pods=template(container(lifecycle=hook), says={"on-sigterm": "drain=8s"})))
    stop = row.containers[0].stop
    assert stop is not None
    assert (stop.source, stop.prestop, stop.serves_until) == ("command", 10_000, 18_000)
    assert (stop.stop.signalled, stop.stop.timeout, stop.stop.ended, stop.stop.killed) == (10_000, 20, 18_000, False)
    assert (row.grace, row.ended) == (30, 18_000)


def test_a_sidecar_is_signalled_after_the_containers_it_serves() -> None:
    proxy = {"name": "proxy", "image": "b:1", "restartPolicy": "Always"}
    row = facts(workload(pods=template(container(), initContainers=[proxy], says={"web.on-sigterm": "drain=4s"})))
    sidecar = row.containers[0].stop
    assert sidecar is not None
    assert sidecar.stop.signalled == 9_000


@pytest.mark.parametrize(
    ("rolling", "replicas", "surge", "unavailable"),
    [
        ({}, 3, 1, 0),
        ({}, 4, 1, 1),
        ({"maxSurge": "50%", "maxUnavailable": "50%"}, 5, 3, 2),
        ({"maxSurge": 0, "maxUnavailable": "10%"}, 5, 0, 1),
        ({"maxSurge": 2, "maxUnavailable": 9}, 5, 2, 5),
    ],
)
def test_percentages_become_pods(rolling: Manifest, replicas: int, surge: int, unavailable: int) -> None:
    rollout = facts(workload(replicas=replicas, strategy={"rollingUpdate": rolling})).rollout
    assert rollout is not None
    assert (rollout.surge, rollout.unavailable) == (surge, unavailable)


@pytest.mark.parametrize(
    ("replicas", "spec", "healthy", "allowed"),
    [
        (3, {"minAvailable": 2}, 2, 1),
        (3, {"minAvailable": "50%"}, 2, 1),
        (3, {"maxUnavailable": "50%"}, 1, 2),
        (7, {"maxUnavailable": "30%"}, 4, 3),
        (1, {"maxUnavailable": "1%"}, 0, 1),
        (0, {"minAvailable": 1}, 1, 0),
        (2_000_000_000, {"minAvailable": 1}, 1, 1_999_999_999),
    ],
)
def test_what_a_budget_allows(replicas: int, spec: Manifest, healthy: int, allowed: int) -> None:
    row = inspected(workload(replicas=replicas), budget(**spec)).budgets[0]
    assert (row.pods, row.healthy, row.allowed) == (replicas, healthy, allowed)


def test_a_budget_over_two_workloads_sums_their_scales() -> None:
    """Half of 3 + 5 pods is 4."""
    row = inspected(workload(), workload(name="web-2", replicas=5), budget(minAvailable="50%")).budgets[0]
    assert (row.expected, row.healthy, row.allowed) == (8, 4, 4)


def test_tolerations_that_nobody_wrote() -> None:
    assert [(row.key, row.tolerationSeconds) for row in facts(workload()).injected] == [
        ("node.kubernetes.io/not-ready", 300),
        ("node.kubernetes.io/unreachable", 300),
    ]
    assert facts(workload(pods=template(tolerations=[{"operator": "Exists"}]))).injected == ()
    daemons = facts(workload("DaemonSet")).injected
    assert [row.key.partition("/")[2] for row in daemons] == [
        "not-ready",
        "unreachable",
        "disk-pressure",
        "memory-pressure",
        "pid-pressure",
        "unschedulable",
    ]
    assert {row.tolerationSeconds for row in daemons} == {None}


def test_who_is_evicted_first() -> None:
    """Whoever may exceed its request before whoever may not, then the lower priority, then the greater excess."""
    high = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "high"},
        "value": 1000,
    }

    def of(name: str, request: str, limit: str, **spec: Any) -> Manifest:
        resources = {"requests": {"memory": request}, "limits": {"memory": limit}}
        return workload(name=name, pods=template(container(resources=resources), **spec))

    found = inspected(
        of("even", "1Gi", "1Gi"),
        of("over", "1Gi", "2Gi"),
        of("far-over", "1Gi", "3Gi"),
        of("over-but-high", "1Gi", "3Gi", priorityClassName="high"),
        of("critical", "1Gi", "3Gi", priorityClassName="system-node-critical"),
        high,
    )
    places = {row.made.ref.name: row.standing.place for row in found.pods}
    assert places == {"far-over": 1, "over": 2, "over-but-high": 3, "even": 4, "critical": None}


def test_an_annotated_peak_counts_where_it_is_below_the_limit() -> None:
    row = facts(workload(pods=template(container(), says={"memory": "0s=50Mi,60s=100Mi"})))
    assert (row.standing.usage, row.standing.exceeds) == (100 * MI, False)


def test_pods_that_a_workload_of_the_set_made_are_not_counted_twice() -> None:
    def owned(kind: str, name: str, body: Manifest, by: tuple[str, str]) -> Manifest:
        owner = {"kind": by[0], "name": by[1], "uid": "1", "controller": True, "apiVersion": "apps/v1"}
        return body | {"kind": kind, "metadata": {"name": name, "labels": {"app": "web"}, "ownerReferences": [owner]}}

    replicas = owned("ReplicaSet", "web-7f", workload("ReplicaSet"), ("Deployment", "web"))
    one = owned("Pod", "web-7f-x", pod(), ("ReplicaSet", "web-7f"))
    assert [str(row.made.ref) for row in inspected(workload(), replicas, one).pods] == ["deployment/web"]
    assert [str(row.made.ref) for row in inspected(workload(), one).pods] == ["deployment/web"]
    assert [str(row.made.ref) for row in inspected(one).pods] == ["pod/web-7f-x"]


def test_more_containers_than_are_inspected_are_told() -> None:
    rows = [container(name=f"c{at}", ports=None, readinessProbe=None) for at in range(501)]
    with pytest.raises(BadInput, match=r"\(deployment/web\).*spec\.template\.spec\.containers: found 501 containers"):
        inspected(workload(pods=template(*rows)))


def test_many_names_are_cut() -> None:
    assert names(range(8)) == "0, 1, 2, 3, 4, 5, 6, 7"
    assert names([*range(1008), 0]) == "0, 1, 2, 3, 4, 5, 6, 7 and 1,000 more"


def test_propagation_is_the_way_through_two_watches_and_a_sync() -> None:
    """At best two watches and a commit; at worst 50 ms and 10 ms, a sync of 60 ms, the second after it, 40 ms."""
    assert propagation() == Range(11, 50 + 10 + 60 + 1000 + 40)
    assert needed_prestop() == propagation().most - 1


# Its forms.

SET = (
    workload(pods=template(container(image="web"))),
    service(),
    budget(minAvailable=3),
    held("Secret", "token", "value"),
)


def test_json_is_what_is_promised() -> None:
    found = json.loads(json.dumps(report(inspected(*SET))))
    assert list(found) == [
        "kubernetes",
        "summary",
        "assumes",
        "findings",
        "workloads",
        "budgets",
        "services",
        "refused",
        "not_modelled",
    ]
    assert found["summary"] == {"error": 1, "warning": 1, "note": 0}
    assert [(row["rule"], row["severity"], row["object"]) for row in found["findings"]] == [
        ("pdb-allows-nothing", "error", "poddisruptionbudget/web"),
        ("image-latest", "warning", "deployment/web"),
    ]
    web = found["workloads"][0]
    assert (web["qos"], web["requests"]) == ("Burstable", {"cpu": "100m", "memory": "128Mi"})
    assert web["containers"][0]["pull_policy"] == "Always"
    assert web["containers"][0]["stop"]["signalled"] == 5.0
    rollout = {"strategy": "RollingUpdate", "replicas": 3, "max_surge": 1, "max_unavailable": 0}
    assert web["rollout"] == rollout | {"partition": None, "pod_management": None}
    assert found["budgets"][0]["disruptions_allowed"] == 0
    assert found["services"] == [{"object": "service/web", "selects": ["deployment/web"], "pods": 3}]


def test_sarif_has_what_version_2_1_0_requires() -> None:
    told = sarif(inspected(*SET))
    assert told["version"] == "2.1.0"
    run = told["runs"][0]
    known = run["tool"]["driver"]["rules"]
    assert [row["id"] for row in known] == list(words().rules)
    for row in run["results"]:
        assert known[row["ruleIndex"]]["id"] == row["ruleId"]
        assert row["level"] in ("error", "warning", "note")
        assert row["message"]["text"]
        place = row["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "set.yaml"
        assert place["region"]["startLine"] >= 1


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("./a b.yaml", "a%20b.yaml"),
        ("-", "stdin"),
        ("/srv/a.yaml", "file:///srv/a.yaml"),
        ("x/ä.yaml", "x/%C3%A4.yaml"),
    ],
)
def test_a_file_is_named_by_an_address(file: str, uri: str) -> None:
    results = sarif(inspect({file: json.dumps(pod())}))["runs"][0]["results"]
    assert {row["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for row in results} == {uri}


def test_a_finding_keeps_its_fingerprint_when_lines_move() -> None:
    def prints(text: str) -> list[str]:
        rows = sarif(inspect({"a.yaml": text}))["runs"][0]["results"]
        return [row["partialFingerprints"]["loopscope/v1"] for row in rows]

    assert prints(json.dumps(pod())) == prints("\n\n" + json.dumps(pod()))


def test_the_text_says_it_all() -> None:
    found = inspected(*SET)
    text = plain(found)
    assert "set.yaml:" in text
    assert "[pdb-allows-nothing]" in text
    assert "→ Set maxUnavailable to 1." in text
    assert text.endswith("\n4 objects read, 1 error, 1 warning, 0 notes\n")
    assert max(len(line) for line in text.splitlines()) <= 140


def test_facts_are_labelled_sentences() -> None:
    web = sections(inspected(*SET))[0]
    assert {row.label: row.says for row in web.facts}["Rollout"] == (
        "RollingUpdate: up to 4 pods, at least 3 available (maxSurge 1, maxUnavailable 0)"
    )
    assert web.parts[0].title == "Container web"
    assert summary(inspected()) == "0 objects read, 0 errors, 0 warnings, 0 notes"


def test_the_words_fit_the_rules() -> None:
    assert list(words().rules) == list(RULES)
    for row in words().rules.values():
        assert row.severity in words().severities
        # Shown of a rule by itself, where there is nothing to fill in.
        assert "{" not in row.title + row.why + row.source


PRINTS = """
import json, sys
from app.inspect.inspecting import inspect
from app.inspect.report import report
print(json.dumps(report(inspect({"a": sys.argv[1]}))))
"""


def test_another_hash_seed_gives_the_same_bytes() -> None:
    text = "\n---\n".join(json.dumps(row) for row in SET)

    def printed(seed: str) -> str:
        line = (sys.executable, "-c", PRINTS, text)
        return subprocess.run(line, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}).stdout

    assert printed("1") == printed("2")
