"""A file of claims: what it may say, and what is refused with its line."""

from __future__ import annotations

import pytest

from app.catalog.claims_file import Asked, read
from app.errors import BadInput

FILE = """
claims:
  - requests-failed == 0
  - claim: drain-finished
    flow: drain
    settings: {timeout: 10m, force: true}
  - {claim: failover < 6m, scene: partition}
"""


def test_a_text_is_a_claim_that_says_no_more() -> None:
    assert read(FILE, "loopscope.yaml") == (
        Asked("requests-failed == 0"),
        Asked("drain-finished", flow="drain", settings={"timeout": "10m", "force": "true"}),
        Asked("failover < 6m", scene="partition"),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("claims:\n  - {claim: a, flo: drain}\n", "line 2, claims[0].flo: no such key; allowed: claim, flow, scene"),
        ("claims: none\n", 'line 1, claims: found the text "none"; allowed: a list'),
        ("claims:\n  - {flow: drain}\n", "line 2, claims[0].claim: missing; this key is required"),
        ("a: 1\n---\nb: 2\n", "found 2 documents; allowed: one"),
        ("claims: [\n", "loopscope.yaml: document 1, line 2, column 1: "),
    ],
)
def test_faults_have_their_line(text: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(text, "loopscope.yaml")
    assert said in str(caught.value)
