"""Public cases with their right values, each run from its own manifests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.real_cases import cordoning, draining, losing_nodes, outages, rolling, termination
from tests.real_cases.asking import Real, differences

CASES: dict[str, dict[str, Any]] = {
    row["id"]: row for row in json.loads((Path(__file__).parent / "data" / "real-cases.json").read_text())
}

RUNNERS: dict[str, Callable[[dict[str, Any]], Real]] = {
    "start-01": rolling.start_01,
    "start-03": rolling.start_03,
    "term-01": rolling.term_01,
    "term-03": termination.term_03,
    "cordon-01": cordoning.cordon_01,
    "cordon-04": cordoning.cordon_04,
    "drain-01": draining.drain_01,
    "drain-03": draining.drain_03,
    "drain-05": draining.drain_05,
    "api-01": outages.api_01,
    "api-03": outages.api_03,
    "api-05": outages.api_05,
    "node-01": losing_nodes.node_01,
    "node-02": losing_nodes.node_02,
    "node-05": losing_nodes.node_05,
}

# Checks that name another Kubernetes version wait for the version setting.
WAITING = {
    ("term-03", "old-double-grace"),
    ("cordon-01", "old"),
    ("cordon-01", "policy-cluster-old"),
    ("cordon-01", "third-party"),
    ("api-01", "old-grace"),
    ("api-01", "ancient"),
    ("api-03", "v1"),
    ("api-03", "v1-deadline"),
    ("api-03", "v1-short"),
    ("node-01", "v132"),
    ("node-01", "v131"),
    ("node-01", "tol0-old"),
    ("node-01", "tol5"),
    ("node-01", "tol10"),
}
# An advice in words, or a flag that does nothing: nothing to compute.
WORDS = {("term-03", "rule"), ("drain-05", "contrast-deployment"), ("node-01", "flag-old")}
# What explains an expectation expects nothing.
EXPLAINS = {"why", "note"}

CHECKS = [
    (case, row["id"])
    for case in RUNNERS
    for row in CASES[case]["expect"]["checks"]
    if (case, row["id"]) not in WAITING | WORDS
]


@pytest.mark.parametrize(("case", "check"), CHECKS)
def test_a_case_comes_out_as_in_real_life(case: str, check: str) -> None:
    row = next(found for found in CASES[case]["expect"]["checks"] if found["id"] == check)
    real = RUNNERS[case](CASES[case])
    asserted = {name: value for name, value in row["assert"].items() if name not in EXPLAINS}
    assert not differences(real, row.get("given", {}), asserted)


def test_what_waits_is_there() -> None:
    assert {(case, row["id"]) for case in CASES for row in CASES[case]["expect"]["checks"]} >= WAITING | WORDS
