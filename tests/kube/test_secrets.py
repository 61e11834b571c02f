"""Values of Secrets are not kept."""

from __future__ import annotations

import re

import pytest

from app.errors import BadInput
from app.kube.manifests import read_manifests
from app.kube.meta import LAST_APPLIED
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


NAMED = "apiVersion: v1\nmetadata: {name: db}\n"
COPY = '{"kind":"Secret","stringData":{"token":"hunter2"}}'
# Ways of spelling a Secret, its fields and its values that YAML allows.
SPELLINGS = {
    "an escape": NAMED + 'kind: "\\x53ecret"\nstringData: {token: hunter2}\n',
    "another escape": NAMED + 'kind: "Sec\\u0072et"\n"string\\x44ata": {token: hunter2}\n',
    "a continued line": NAMED + 'kind: "Sec\\\n  ret"\nstringData: {token: hunter2}\n',
    "a tag": f"%TAG !e! tag:yaml.org,2002:\n---\n{NAMED}kind: !e!str Secret\nstringData: {{token: !e!str hunter2}}\n",
    "explicit keys": NAMED + "kind: Secret\n? stringData\n: {? token : hunter2}\n",
    "blocks": NAMED + "kind: Secret\nstringData:\n  token: |\n    hunter2\n  password: >-\n    a\n    hunter2\n",
    "old line ends": (NAMED + "kind: Secret\nstringData: {token: hunter2}\n").replace("\n", "\r"),
    "a comment": NAMED + "kind: Secret\nstringData: {token: x}  # hunter2\n",
    "JSON": '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"stringData":{"token":"hunter2"}}',
    "a merge": "x: &x {stringData: {token: hunter2}}\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\n<<: *x\n",
    "one line": "--- {apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {token: hunter2}}\n",
    "no such field": NAMED + "kind: Secret\ntoken: hunter2\nmore: {a: [hunter2]}\n",
    "another's copy": (
        "apiVersion: v1\nkind: Secret\n"
        "metadata: {name: db, annotations: {kapp.k14s.io/original: hunter2}}\ndata: {token: }\n"
    ),
    "the copy of a list": (
        f"apiVersion: v1\nkind: List\nmetadata:\n  annotations:\n    {LAST_APPLIED}: '{COPY}'\n"
        "items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: token}}]\n"
    ),
    "lists in lists": (
        "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: SecretList, "
        "items: [{metadata: {name: a}, stringData: {token: hunter2}}]}]}]\n"
    ),
    "a kind of others": (
        "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: a}\n"
        "objects: [{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {token: hunter2}}]\n"
    ),
}


@pytest.mark.parametrize(
    "text",
    [
        *[OTHER, f"{POD}---\n{OTHER}", f"{OTHER}---\n{POD}", LISTED, ANCHORED, MERGED, TYPED, STRANGE, TOGETHER],
        *(pytest.param(text, id=name) for name, text in SPELLINGS.items()),
    ],
)
def test_no_value_of_a_secret_is_kept(text: str) -> None:
    kept = without_values(text)
    assert "hunter2" not in kept
    assert "aHVudGVyMg" not in kept
    assert {"password", "token"} & set(re.findall(r"\w+", kept))
    assert read_manifests(kept).objects == read_manifests(text).objects


def test_documents_without_a_secret_stay_as_they_are() -> None:
    assert without_values(POD) == POD
    assert without_values(f"{POD}---\n{OTHER}").startswith(POD)
    assert without_values(POD.replace("mine", "mountsSecret")) == POD.replace("mine", "mountsSecret")


def test_what_only_refers_to_a_secret_stays() -> None:
    text = POD.replace("{name: a}  # mine", "{name: a, annotations: {kind: Secret, name: b}}")
    assert read_manifests(without_values(text)).objects == read_manifests(text).objects


@pytest.mark.parametrize(
    "fault", ["data: hunter2", "data: [hunter2]", "data: {a: [hunter2]}", "stringData: {a: @hunter2}", "data: {a: 7"]
)
@pytest.mark.parametrize("kind", ["Secret", "!!str Secret", "&k Secret", '"\\x53ecret"'])
def test_no_error_shows_a_value(kind: str, fault: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_manifests(f"{NAMED}kind: {kind}\n{fault}\n")
    assert "hunter2" not in str(caught.value.problems)
