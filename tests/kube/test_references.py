"""What pods refer to and nobody wrote down."""

import pytest

from app.kube.config import ConfigMap, Secret
from app.kube.manifests import read_manifests
from app.kube.references import assumed
from app.kube.storage import PersistentVolume, PersistentVolumeClaim

POD = """
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec:
  imagePullSecrets: [{name: registry}]
  volumes:
  - {name: files, configMap: {name: site}}
  - {name: maybe, secret: {secretName: later, optional: true}}
  - {name: disk, persistentVolumeClaim: {claimName: data}}
  - {name: both, projected: {sources: [{secret: {name: db, items: [{key: host, path: host}]}}]}}
  containers:
  - name: web
    image: web:1
    envFrom: [{configMapRef: {name: flags}}, {secretRef: {name: extra, optional: true}}]
    env:
    - {name: PASSWORD, valueFrom: {secretKeyRef: {name: db, key: password}}}
    - {name: USER, valueFrom: {secretKeyRef: {name: db, key: user}}}
"""
CLAIM = "{accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}"
GIVEN = """
---
{apiVersion: v1, kind: KIND, metadata: {name: NAME, namespace: shop}}
"""


def test_stand_ins_have_the_keys_that_are_asked_for() -> None:
    found = assumed(read_manifests(POD).objects)
    assert [str(obj.ref) for obj in found] == [
        "configmap/shop/flags", "configmap/shop/site", "persistentvolumeclaim/shop/data", "secret/shop/db",
        "secret/shop/registry", "persistentvolume/shop-data",
    ]  # fmt: skip
    keys = [obj.keys for obj in found if isinstance(obj, ConfigMap | Secret)]
    assert keys == [set(), set(), {"host", "password", "user"}, set()]


def test_what_is_written_down_needs_none() -> None:
    rows = (("ConfigMap", "flags"), ("ConfigMap", "site"), ("Secret", "db"), ("Secret", "registry"))
    given = [GIVEN.replace("KIND", kind).replace("NAME", name) for kind, name in rows]
    disk = GIVEN.replace("KIND", "PersistentVolumeClaim").replace("NAME", "data").replace("}}", f"}}, spec: {CLAIM}}}")
    assert assumed(read_manifests("".join([POD, *given, disk])).objects) == ()


VOLUMES = "volumes: [{name: d, persistentVolumeClaim: {claimName: data}}], containers: [{name: a, image: a}]"
TEMPLATE = f"template: {{metadata: {{labels: {{app: a}}}}, spec: {{RESTARTS {VOLUMES}}}}}"
JOB = TEMPLATE.replace("RESTARTS", "restartPolicy: Never,")
SPECS = {
    "batch/v1, kind: Job": JOB,
    "batch/v1, kind: CronJob": f"schedule: '* * * * *', jobTemplate: {{spec: {{{JOB}}}}}",
    "apps/v1, kind: DaemonSet": f"selector: {{matchLabels: {{app: a}}}}, {TEMPLATE.replace('RESTARTS', '')}",
}


@pytest.mark.parametrize("kind", SPECS)
def test_every_kind_of_workload_refers_through_its_template(kind: str) -> None:
    text = f"{{apiVersion: {kind}, metadata: {{name: a}}, spec: {{{SPECS[kind]}}}}}"
    claim, volume = assumed(read_manifests(text).objects)
    assert isinstance(claim, PersistentVolumeClaim)
    assert isinstance(volume, PersistentVolume)
    assert claim.spec.volumeName == volume.metadata.name
    assert (volume.exclusive, volume.unique_name) == (False, "")


def test_a_claim_that_names_its_volume_brings_it_along() -> None:
    spec = "spec: {accessModes: [ReadWriteOnce], volumeName: VOLUME}"
    text = f"{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: data}}, {spec}}}"
    found = [str(obj.ref) for obj in assumed(read_manifests(text.replace("VOLUME", "pvc-1")).objects)]
    assert found == ["persistentvolume/pvc-1"]
    assert assumed(read_manifests(text.replace("VOLUME", '""')).objects) == ()
