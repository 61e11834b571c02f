"""Nodes written as text, which reads as the same nodes."""

from __future__ import annotations

import pytest

from app.kube.yaml_reading import read_documents
from app.kube.yaml_values import Node, plain
from app.kube.yaml_writing import written_out


def node(text: str) -> Node:
    (document,) = read_documents(text, "x").documents
    return document.root


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a: 1", "a: 1\n"),
        ("a: {b: [1, two], c: {}}", "a:\n  b:\n    - 1\n    - two\n  c: {}\n"),
        ("- a: 1\n  b: 2\n- []", "- a: 1\n  b: 2\n- []\n"),
        ("- - 1\n  - 2", "- - 1\n  - 2\n"),
        ("a: null", "a: null\n"),
        ("memory: 1.50e9", "memory: 1.50e9\n"),
        ('memory: "1"', 'memory: "1"\n'),
        ("a: 'yes'", 'a: "yes"\n'),
        ("a: 'with: colon'", 'a: "with: colon"\n'),
        ("a: |\n  two\n  lines\n", 'a: "two\\nlines\\n"\n'),
        ("p: &x {a: b}\nq: *x", "p:\n  a: b\nq:\n  a: b\n"),
        ("p: &x {a: b}\nq: {<<: *x, c: d}", "p:\n  a: b\nq:\n  c: d\n  a: b\n"),
        ('"12": "~"', '"12": "~"\n'),
        ('a: "\\u2028\\x85\\ufeff"', 'a: "\\u2028\\u0085\\ufeff"\n'),
        ("a: 💥", 'a: "💥"\n'),
    ],
)
def test_a_document_is_written_in_block_style(text: str, written: str) -> None:
    assert written_out(node(text)) == written
    assert plain(node(written)) == plain(node(text))
