"""Values of Secrets are not kept."""

from __future__ import annotations

import pytest

from app.kube.manifests import read_manifests
from app.kube.secrets import without_values

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}  # mine\nspec: {containers: [{name: a, image: a:1}]}\n"
OTHER = (
    "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\ndata: {password: aHVudGVyMg==}\nstringData: {token: hunter2}\n"
)
LISTED = """
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Secret
  metadata:
    name: db
    annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"data":{"password":"aHVudGVyMg=="}}'}
  data: {password: aHVudGVyMg==}
"""


# Ways of writing a Secret that are rare and legal.
ANCHORED = f"{OTHER.replace('kind: Secret', 'kind: &kind Secret').replace('stringData: ', 'stringData: &data ')}"
MERGED = """
apiVersion: v1
kind: List
items:
- &db {apiVersion: v1, kind: Secret, metadata: {name: db}, data: &data {password: aHVudGVyMg==}}
- <<: *db
  metadata: {name: db-2}
- {apiVersion: v1, kind: Secret, metadata: {name: db-3}, data: *data}
"""
TYPED = "apiVersion: v1\nkind: SecretList\nitems:\n- metadata: {name: db}\n  data: {password: aHVudGVyMg==}\n"
# Words that are text here, and dates or more elsewhere; signs that one YAML parser takes and another does not.
STRANGE = OTHER + (
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {day: 2026-02-30, sign: =, kind: Secret}}\n"
    "spec: {containers: [{name: a, image: a:1, livenessProbe: {httpGet: {path: /x?y=z, port: 80}}}]}\n"
)
TOGETHER = f"%YAML 1.1\n---\n{OTHER}...\n---\n{POD}"


@pytest.mark.parametrize(
    "text",
    [OTHER, f"{POD}---\n{OTHER}", f"{OTHER}---\n{POD}", LISTED, ANCHORED, MERGED, TYPED, STRANGE, TOGETHER],
)
def test_no_value_of_a_secret_is_kept(text: str) -> None:
    kept = without_values(text)
    assert "hunter2" not in kept
    assert "aHVudGVyMg" not in kept
    assert "password" in kept
    assert read_manifests(kept).objects == read_manifests(text).objects


def test_documents_without_a_secret_stay_as_they_are() -> None:
    assert without_values(POD) == POD
    assert without_values(f"{POD}---\n{OTHER}").startswith(POD)
    assert without_values(POD.replace("mine", "mountsSecret")) == POD.replace("mine", "mountsSecret")
