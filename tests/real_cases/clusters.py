"""Manifests of cases with machines, app behaviour and the changes that a check gives."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml

from app.kube.pods import Pod
from app.story.play import Play, play, request
from tests.real_cases.asking import PREFIX

Documents = list[dict[str, Any]]


def documents(case: dict[str, Any]) -> Documents:
    """The case's manifests, and a Node for each of its machines."""
    nodes = [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": row["name"]}} for row in case["settings"]["nodes"]
    ]
    return [*nodes, *yaml.safe_load_all(case["manifests"])]


def text(found: Documents) -> str:
    return yaml.safe_dump_all(found)


def named(found: Documents, kind: str, name: str = "") -> dict[str, Any]:
    return next(row for row in found if row["kind"] == kind and name in ("", row["metadata"]["name"]))


def behaves(workload: dict[str, Any], **annotations: str) -> None:
    """Say how the application of a workload or a pod behaves."""
    pod = workload if workload["kind"] == "Pod" else workload["spec"]["template"]
    known = pod.setdefault("metadata", {}).setdefault("annotations", {})
    known |= {PREFIX + name.replace("_", "-"): value for name, value in annotations.items()}


def by_hand(
    found: Documents, do: Sequence[str], *, until: str, flow: str = "by-hand", settings: Mapping[str, str] | None = None
) -> Play:
    """A walk of nothing but what is done."""
    choices = [("do", line) for line in do]
    asked = request(flow, manifest=text(found), choices=choices, until=until, settings=tuple((settings or {}).items()))
    with patch.dict(os.environ, {"LOOPSCOPE_FLOWS": str(Path(__file__).parent / "flows")}):
        return play(asked)


def placed(walk: Play, workload: str) -> set[str]:
    """The nodes that a workload's pods run on at the start."""
    pods = [row for row in walk.walk.start.etcd.find("Pod") if isinstance(row, Pod)]
    return {pod.spec.nodeName for pod in pods if pod.metadata.name.startswith(workload)}


def short(names: Iterable[str], known: Iterable[str]) -> list[str]:
    """Names of pods as the case gives them, without what controllers add."""
    heads = sorted(known, key=len, reverse=True)
    return sorted(next((head for head in heads if name == head or name.startswith(f"{head}-")), name) for name in names)
