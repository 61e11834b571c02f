"""Columns as Go's text/tabwriter sets them."""

import pytest

from app.kube.tabular import tabulated


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(
            ["Name:\tweb", "Namespace:\tdefault"], ["Name:       web", "Namespace:  default"], id="one column"
        ),
        pytest.param(
            ["Node:\tn1", "Volumes:", "Long Name:\tx"],
            ["Node:  n1", "Volumes:", "Long Name:  x"],
            id="a line without tabs ends a column",
        ),
        pytest.param(
            ["a\tb\tc", "aaa\tbbb\tc", "aaaaa\tb"],
            ["a      b    c", "aaa    bbb  c", "aaaaa  b"],
            id="columns to the right end earlier",
        ),
        pytest.param(["a:\t", "bbb:\tx"], ["a:    ", "bbb:  x"], id="nothing in the last cell"),
        pytest.param(
            ["Labels:\tapp=web", "\ttier=front"], ["Labels:  app=web", "         tier=front"], id="an empty cell"
        ),
        pytest.param([], [], id="nothing"),
    ],
)
def test_columns(lines: list[str], expected: list[str]) -> None:
    assert tabulated(lines) == expected
