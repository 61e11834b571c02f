"""The words of pictures: every one that the code asks for is there, and none is there for nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from app.diagram import words
from app.diagram.extract.deeds import REFUSALS
from app.loops.registry import LOOPS
from app.paths import flows_dir

DIAGRAM = Path(words.__file__).parent
CODE = [path for room in (DIAGRAM, DIAGRAM.with_name("export")) for path in sorted(room.rglob("*.py"))]
FILE = yaml.safe_load((flows_dir() / "pictures.yaml").read_text())
# Parts in which the word is a state of the model, checked where the states are known.
BY_STATE = {"acts", "answer", "front", "endpoint", "backend", "node", "failure", "failing", "timeline"}


def asked() -> Iterator[tuple[str, str]]:
    """Each `say(part, word)` with both spelled out."""
    for path in CODE:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "say":
                part, word = node.args[:2]
                if isinstance(part, ast.Constant) and isinstance(word, ast.Constant):
                    yield str(part.value), str(word.value)


def test_every_key_and_every_word_is_text() -> None:
    for part, found in FILE.items():
        assert isinstance(part, str)
        for word, text in found.items() if isinstance(found, dict) else [("", found)]:
            # YAML reads a bare `off` or `no` as a truth value.
            assert isinstance(word, str), (part, word)
            assert isinstance(text, str), (part, word)


@pytest.mark.parametrize(("part", "word"), sorted(set(asked())))
def test_a_word_that_is_asked_for_is_there(part: str, word: str) -> None:
    assert word in FILE[part]


@pytest.mark.parametrize("part", sorted(FILE.keys() - BY_STATE - {"refused", "watch", "report"}))
def test_no_word_is_there_for_nothing(part: str) -> None:
    code = "\n".join(path.read_text() for path in CODE)
    assert [word for word in FILE[part] if not any(f"{q}{word.removesuffix('-one')}{q}" in code for q in "'\"")] == []


def test_every_refusal_has_its_words() -> None:
    assert set(FILE["answer"]) == REFUSALS


def test_acts_name_loops_and_verbs_that_exist() -> None:
    loops = {loop.name for loop in LOOPS} | {"api-server", "you", "any"}
    app = DIAGRAM.parent
    code = "\n".join(path.read_text() for part in ("loops", "sim") for path in sorted((app / part).rglob("*.py")))
    for name in FILE["acts"]:
        loop, dot, verb = name.rpartition(".")
        assert not dot or loop in loops, name
        assert verb == "any" or f'"{verb}"' in code, name
