"""What pods refer to and nobody wrote down."""

from app.kube.config import ConfigMap, Secret
from app.kube.manifests import read_manifests
from app.kube.references import assumed

POD = """
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec:
  imagePullSecrets: [{name: registry}]
  volumes:
  - {name: files, configMap: {name: site}}
  - {name: maybe, secret: {secretName: later, optional: true}}
  containers:
  - name: web
    image: web:1
    envFrom: [{configMapRef: {name: flags}}, {secretRef: {name: extra, optional: true}}]
    env:
    - {name: PASSWORD, valueFrom: {secretKeyRef: {name: db, key: password}}}
    - {name: USER, valueFrom: {secretKeyRef: {name: db, key: user}}}
"""


def test_stand_ins_have_the_keys_that_are_asked_for() -> None:
    found = assumed(read_manifests(POD).objects)
    assert [str(obj.ref) for obj in found] == [
        "configmap/shop/flags", "configmap/shop/site", "secret/shop/db", "secret/shop/registry",
    ]  # fmt: skip
    keys = [obj.keys for obj in found if isinstance(obj, ConfigMap | Secret)]
    assert keys == [set(), set(), {"password", "user"}, set()]


def test_what_is_written_down_needs_none() -> None:
    given = "\n---\n".join(
        [POD, *(f"{{apiVersion: v1, kind: {kind}, metadata: {{name: {name}, namespace: shop}}}}" for kind, name in (
            ("ConfigMap", "flags"), ("ConfigMap", "site"), ("Secret", "db"), ("Secret", "registry")))]
    )  # fmt: skip
    assert assumed(read_manifests(given).objects) == ()
