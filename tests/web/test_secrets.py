"""Values of Secrets are dropped on arrival: nothing that is kept, on the disk or in a page, holds one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.store.database import Store
from app.web.application import create_app
from tests.kube.test_secrets import SPELLINGS

PLAIN, ENCODED = "hunter2", "aHVudGVyMg"
WORKLOAD = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1", envFrom: [{secretRef: {name: db}}]}]}
"""
PASTED = """
apiVersion: v1
kind: Secret
metadata:
  name: db
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"v1","data":{"token":"aHVudGVyMg=="},"kind":"Secret","metadata":{"name":"db"}}
data: {token: aHVudGVyMg==}
stringData: {password: hunter2}
"""
FORMS = {"written plainly": PASTED, **SPELLINGS}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "loopscope.db"


@pytest.fixture
def browser(database: Path) -> Iterator[TestClient]:
    store = Store(f"sqlite:///{database}")
    with TestClient(create_app(store), base_url="http://loopscope.test", follow_redirects=False) as client:
        yield client
    store.close()


@pytest.mark.parametrize("secret", FORMS.values(), ids=FORMS)
def test_no_value_reaches_the_disk_or_a_page(browser: TestClient, database: Path, secret: str) -> None:
    first, then = (secret, WORKLOAD) if secret.startswith("%") else (WORKLOAD, secret)
    text = first + ("" if then.startswith("---") else "\n---\n") + then
    kept = [
        browser.post("/manifests", data={"flow": "sandbox", "text": text}),
        browser.post("/inspect", data={"text": text}),
    ]
    pages = []
    for answer in kept:
        assert answer.status_code == 303, answer.text
        pages.append(browser.get(answer.headers["location"]).text)
        name = re.search(r"m=(\w+)", answer.headers["location"])
        assert name is not None
        pages += [browser.get(f"{path}?m={name[1]}").text for path in ("/manifests", "/inspect", "/api/v1/inspect")]
    files = [path.read_bytes().decode("latin-1") for path in sorted(database.parent.glob("loopscope.db*"))]
    assert any("web:1" in content for content in files)
    found = [content for content in (*files, *pages) if PLAIN in content or ENCODED in content]
    assert found == []


def test_what_is_refused_is_not_kept_either(browser: TestClient, database: Path) -> None:
    text = f"{WORKLOAD}---\n{PASTED}---\nkind: Deploymnet\napiVersion: apps/v1\n"
    assert browser.post("/inspect", data={"text": text}).status_code == 422
    assert browser.post("/manifests", data={"flow": "sandbox", "text": text}).status_code == 422
    for path in sorted(database.parent.glob("loopscope.db*")):
        assert PLAIN.encode() not in path.read_bytes()
        assert ENCODED.encode() not in path.read_bytes()


def test_every_way_into_the_store_empties_them() -> None:
    """Whoever adds another has to say so here."""
    root = Path(__file__).resolve().parents[2] / "app"
    found = {
        path.relative_to(root).as_posix() for path in root.rglob("*.py") if "manifests.put(" in path.read_text("utf-8")
    }
    assert found == {"web/routes/bringing.py", "web/routes/inspecting.py"}
