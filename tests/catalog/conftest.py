"""A small flow, and the reader's manifests that it is run on."""

from pathlib import Path

import pytest

from app.catalog.flow import Flow
from app.catalog.reading import read_flow
from app.kube.manifests import Manifests, read_manifests

DATA = Path(__file__).parent / "data"
OWN = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  serviceName: db
  replicas: 2
  selector: {matchLabels: {app: db}}
  template:
    metadata:
      labels: {app: db}
      annotations: {sim.loopscope.dev/on-sigterm: exit=2s}
    spec:
      terminationGracePeriodSeconds: 45
      containers:
        - name: postgres
          image: registry.example/db:1
          ports: [{containerPort: 5432}]
          lifecycle: {preStop: {exec: {command: [sleep, "7"]}}}
        - {name: exporter, image: registry.example/exporter:1}
---
apiVersion: v1
kind: Service
metadata: {name: db-headless, namespace: shop}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 5432}]}
---
apiVersion: v1
kind: Service
metadata: {name: other, namespace: shop}
spec: {selector: {app: other}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: shop}
spec: {selector: {app: db}, ports: [{port: 5432}]}
"""


@pytest.fixture(scope="session")
def race() -> Flow:
    folder = DATA / "flows/race"
    texts = [(folder / name).read_bytes() for name in ("flow.yaml", "cluster.yaml")]
    source, problems = read_flow("race", *texts, place="race")
    assert not problems
    assert source is not None
    return source.flow


@pytest.fixture(scope="session")
def own() -> Manifests:
    return read_manifests(OWN)
