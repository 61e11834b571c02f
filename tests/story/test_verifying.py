"""Claims held against manifests: who answers, what holds, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.catalog.claims_file import Asked
from app.errors import BadInput
from app.story.verifying import Verified, plain, report, verify

GATEWAY = (Path(__file__).parent.parent / "data" / "manifests" / "api-gateway.yaml").read_text()
BARE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: words}\n"


def held(*asked: Asked, search: bool = False, **settings: str) -> Verified:
    return verify(asked, {"api-gateway.yaml": GATEWAY}, settings=tuple(settings.items()), search=search)


def test_every_flow_that_has_the_verdict_answers() -> None:
    found = held(Asked("startup-budget > 200s"))
    assert {row.flow for row in found.rows} >= {"pod-startup", "probes"}
    assert found.holds


def test_a_flow_may_be_named() -> None:
    (row,) = held(Asked("requests-failed == 0", flow="termination")).rows
    assert (row.flow, row.holds) == ("termination", True)


def test_what_does_not_hold_names_the_step_and_says_why() -> None:
    """Its pods have an emptyDir, which kubectl drain does not delete unasked."""
    found = held(Asked("drain-finished"))
    assert not found.holds
    (row,) = found.rows
    assert [seen.id for seen in row.symptoms] == ["refuses-to-start"]
    told = plain(found)
    assert told.startswith("FAIL drain: drain-finished\n")
    assert "kubectl.give-up:node~node-1" in told
    assert told.endswith("0 of 1 hold\n")


def test_an_empty_cluster_is_asked_last() -> None:
    """In the sandbox clients are refused until the first pod is ready, whatever the manifests are about."""
    assert "sandbox" not in {row.flow for row in held(Asked("requests-failed == 0")).rows}
    assert [row.flow for row in held(Asked("requests-failed >= 0", flow="sandbox")).rows] == ["sandbox"]


def test_what_never_comes_about_names_the_last_step() -> None:
    """Nobody makes another pod in place of one that no controller owns."""
    lonely = "{apiVersion: v1, kind: Pod, metadata: {name: lonely}, spec: {containers: [{name: c, image: i}]}}"
    found = verify([Asked("failover < 6m")], {"m": lonely})
    (row,) = found.rows
    assert not row.holds
    last = max(row.steps)
    assert f"(not by the last step, {last}, {row.steps[last]})" in plain(found)


def test_settings_reach_the_flows_that_have_them() -> None:
    """Without a preStop a program that ends at once is gone before the rules are."""
    at_once = GATEWAY.replace("drain=10s", "exit=0s")
    asked = [Asked("requests-failed == 0", flow="termination")]
    assert verify(asked, {"m": at_once}).holds
    assert not verify(asked, {"m": at_once}, settings=[("prestop", "0s")]).holds


def test_a_claim_has_settings_of_its_own() -> None:
    (row,) = held(Asked("drain-finished", settings={"delete_emptydir_data": "true"})).rows
    assert row.holds


def test_a_range_must_hold_at_both_ends() -> None:
    """From 290 s to 300 s, by where a start falls between two ticks."""
    assert held(Asked("startup-budget >= 290s", flow="probes")).holds
    assert not held(Asked("startup-budget > 295s", flow="probes")).holds


def test_search_asks_every_order() -> None:
    (row,) = held(Asked("requests-failed == 0", flow="termination"), search=True).rows
    assert (row.answers[0].least, row.answers[0].most, row.holds) == (0, 0, True)


def test_the_report_is_for_programs() -> None:
    found = report(held(Asked("drain-finished")))
    assert found["holds"] is False
    (row,) = found["claims"]
    assert (row["claim"], row["flow"], row["holds"]) == ("drain-finished", "drain", False)
    assert row["verdicts"][0]["id"] == "drain-finished"
    assert row["verdicts"][0]["step_id"].startswith("kubectl.")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (Asked("nonsense"), "no fact is called 'nonsense'"),
        (Asked("qos == Burstable", flow="drain"), "these are no verdicts that flow drain has; allowed:"),
        (Asked("drain-finished", settings={"no_such": "1"}, flow="drain"), "flow drain: "),
    ],
)
def test_what_nobody_answers_is_refused(asked: Asked, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        held(asked)
    assert said in str(caught.value)


def test_a_setting_that_no_flow_has_is_refused() -> None:
    with pytest.raises(BadInput, match="setting 'no_such': no flow has it"):
        held(Asked("drain-finished"), no_such="1")


def test_manifests_that_no_flow_can_run_say_why() -> None:
    with pytest.raises(BadInput) as caught:
        verify([Asked("gone-at < 1m")], {"words.yaml": BARE})
    assert "claim 'gone-at < 1m': no flow that answers it can run on these manifests" in str(caught.value)
    assert "  termination: " in str(caught.value)
