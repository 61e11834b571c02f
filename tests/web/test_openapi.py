"""The addresses that programs may use, asked at random: none fails, and each answers as it is described to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case
from schemathesis.checks import content_type_conformance, response_schema_conformance, status_code_conformance
from starlette.testclient import TestClient

EXAMPLES = 50
CHECKS = [content_type_conformance, response_schema_conformance, status_code_conformance]
WALKS = {
    "flow": st.sampled_from(["termination", "sandbox", "drain"]),
    "step": st.sampled_from(["0", "3", "3.svg", "4.json", "5.md", "999", "-1", "kubectl.delete:pod~web-1", "2.png"]),
    "set.grace": st.sampled_from(["30s", "0s", "-1s", "soon", "1e9s", "9999999h"]),
    "set.prestop": st.sampled_from(["5s", "", "１s", "5"]),
    "do": st.sampled_from(["5s delete pod/web-2", "explode pod/x", "5s set pod/web-1 memory=400Mi", "5s", "apply m:0"]),
    "pick": st.sampled_from(["!", "a!b@c", "kubectl.delete:pod~web-1!deliver:x/y:z@1.2"]),
    "url": st.sampled_from(["http://loopscope.test/f/termination/3", "http://other.test/f/termination/3", "/s/x/1"]),
    "form": st.sampled_from(["svg", "md", "mmd", "png", "html", "nope"]),
    "scale": st.sampled_from(["1", "2", "1000", "x"]),
    "m": st.sampled_from(["0" * 32, "nope"]),
    "format": st.sampled_from(["json", "sarif", "xml"]),
}
"""What the description cannot know: names that there are, and values that nearly can be."""


@pytest.fixture(scope="module")
def described(server: TestClient) -> Any:
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", server.app)


def operations(schema: Any) -> Iterator[Any]:
    for found in schema.get_all_operations():
        yield found.ok()


@st.composite
def near(draw: st.DrawFn, case: Case[Any]) -> Case[Any]:
    """A random request, with some of its values replaced by ones that get further."""
    if case.path_parameters:
        for name in case.path_parameters:
            if draw(st.integers(0, 3)):
                case.path_parameters[name] = draw(WALKS[name])
    query = dict(case.query or {})
    query.pop("set.NAME", None)
    for name in draw(st.lists(st.sampled_from(sorted({*query, "set.grace", "set.prestop"} & set(WALKS))), max_size=3)):
        query[name] = draw(WALKS[name])
    case.query = query
    return case


def test_every_address_answers_as_it_is_described_whatever_it_is_asked(described: Any) -> None:
    asked = set()
    for operation in operations(described):

        @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy().flatmap(near))
        def ask(case: Case[Any]) -> None:
            answer = case.call(headers={"host": "loopscope.test"})
            # oEmbed asks for 501 where a format is not made.
            assert answer.status_code < 500 or (answer.status_code, case.path) == (501, "/oembed"), answer.text
            case.validate_response(answer, checks=CHECKS)

        ask()
        asked.add(operation.path)
    assert {"/f/{flow}/{step}", "/api/v1/flows/{flow}/run", "/embed/f/{flow}/{step}", "/metrics", "/readyz"} <= asked
