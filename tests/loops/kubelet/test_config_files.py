"""Edits of ConfigMaps: what reaches the files of a pod and when, and what never does."""

from __future__ import annotations

import pytest

from app.catalog import starting
from app.kube.manifests import read_manifests
from app.sim.intervention import parse
from app.sim.interventions import check
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.walk import Walk

CLUSTER = """
{apiVersion: v1, kind: Node, metadata: {name: n1}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {level: info}
immutable: IMMUTABLE
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  volumes: [{name: conf, configMap: {name: settings}}]
  containers:
    - {name: web, image: "web:1", volumeMounts: [{name: conf, mountPath: /conf, SUBPATH}]}
"""


def walk(*script: str, sub_path: bool = False, immutable: bool = False) -> Walk:
    text = CLUSTER.replace("IMMUTABLE", str(immutable).lower()).replace(
        "SUBPATH", "subPath: level" if sub_path else "readOnly: true"
    )
    world = at_rest(starting.model(), read_manifests(text).objects, images=("web:1",))
    return run(starting.model(), world, [parse(line) for line in script], until=600_000)


def refreshed(found: Walk) -> list[int]:
    return [row.step.at for row in found.records if row.step.moment == "volume-refreshed"]


def held(found: Walk) -> list[str | None]:
    pods = [pod for host in found.world.hosts.values() for pod in host.pods.values()]
    return [data.get("level") for pod in pods for _, data in pod.files]


def test_an_edit_is_in_the_files_after_the_pod_s_next_sync() -> None:
    found = walk("5s edit configmap/settings level=debug")
    (at,) = refreshed(found)
    assert 5_000 < at <= 5_000 + 90_000
    assert held(found) == ["debug"]


def test_two_edits_before_that_sync_are_one_change() -> None:
    assert len(refreshed(walk("1s edit configmap/settings level=debug", "2s edit configmap/settings level=warn"))) == 1


def test_a_file_mounted_by_sub_path_stays_as_it_is() -> None:
    found = walk("5s edit configmap/settings level=debug", sub_path=True)
    assert refreshed(found) == []
    assert held(found) == [""]


def test_an_edit_to_the_same_value_changes_nothing() -> None:
    found = walk("1s edit configmap/settings level=debug", "200s edit configmap/settings level=debug")
    assert len(refreshed(found)) == 1


def test_without_its_kubelet_the_files_are_old_until_it_is_back() -> None:
    found = walk("0s stop kubelet/n1", "1s edit configmap/settings level=debug", "300s start kubelet/n1")
    (at,) = refreshed(found)
    assert at > 300_000


def test_an_immutable_map_refuses_the_edit_in_upstream_s_words() -> None:
    found = walk("0s edit configmap/settings level=debug", immutable=True)
    assert [line.text for row in found.records for line in row.step.output] == [
        'The ConfigMap "settings" is invalid: data: Forbidden: field is immutable when `immutable` is set'
    ]
    assert refreshed(found) == []


@pytest.mark.parametrize("line", ["edit pod/web level=debug", "edit configmap/settings"])
def test_what_is_no_edit_is_refused(line: str) -> None:
    assert check(parse(line))
