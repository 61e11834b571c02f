"""YAML text to documents, every fault with its line; a broken document does not hide its neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import yaml

from app.kube.quoting import shown
from app.kube.yaml_composing import MAX_DEPTH, BrokenError, Budget, Composer, TooMuchError
from app.kube.yaml_values import Node, ScalarNode

MAX_BYTES = 1024 * 1024
MAX_DOCUMENTS = 2_000

# YAML's own set of characters; a lone surrogate is not even encodable.
_NOT_YAML = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_SEPARATOR = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)
_NOTHING_YET = re.compile(r"(?:[^\S\n]*(?:[#%][^\n]*)?(?:\n|\Z))*")
# A Secret, however its kind is spelled, or what may be one.
_SECRET = re.compile(r"""(?<!\w)Secret(?:List)?(?!\w)|\bkind["']?\s*:[^\n]*\\""")

_CAUSES = (
    ("mapping values are not allowed", "put a value that holds `: ` in quotes, and check the indentation"),
    ("did not find expected key", "check the indentation of this line and its neighbours, and for an open quote"),
    ("did not find expected '-' indicator", "check the indentation: this line is no part of the list above it"),
    ("did not find expected ',' or", "a bracket that was opened is not closed"),
    ("did not find expected <document start>", "this line is indented less than the first, or `---` is missing"),
    ("could not find expected ':'", "a key needs `: ` after it"),
    ("unexpected end of stream", "a quote or bracket that was opened is not closed"),
    ("exceeded maximum nesting depth", f"at most {MAX_DEPTH} levels are read"),
    ("invalid Unicode character escape", "write the character itself"),
    ("cannot start any token", "put a value that begins with @, ` or % in quotes"),
)


class Document(NamedTuple):
    number: int
    root: Node


class Reading(NamedTuple):
    """Documents that hold something, and all faults of the text, ready to be shown."""

    documents: tuple[Document, ...]
    problems: tuple[str, ...]


def read_documents(text: str, source: str) -> Reading:
    """Read all documents of a text; the faults name `source`."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        found = f"{source}: found {size:,} bytes of text"
        return Reading((), (f"{found}; at most {MAX_BYTES:,} (1 MiB) are read: give only what the flow needs",))
    if strange := _NOT_YAML.search(text):
        line, column = _position(text, strange.start())
        code = f"U+{ord(strange[0]):04X}"
        fault = f"{source}: line {line}, column {column}: found the character {code}, which YAML does not allow"
        return Reading((), (fault,))
    return _Text(text.removeprefix("\ufeff"), source).read()


def _position(text: str, offset: int) -> tuple[int, int]:
    breaks = list(_BREAK.finditer(text, 0, offset))
    return len(breaks) + 1, offset - (breaks[-1].end() if breaks else 0) + 1


class _Text:
    """One text being read: the documents and faults so far."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source
        self.documents: list[Document] = []
        self.problems: list[str] = []
        self.number = 0

    def read(self) -> Reading:
        budget = Budget()
        try:
            for first_line, part in self._parts():
                self._read_part(Composer(budget, first_line), first_line, part)
        except TooMuchError as too_much:
            self.problems.append(f"{self.source}: {too_much}")
        return Reading(tuple(self.documents), tuple(self.problems))

    def _parts(self) -> Iterator[tuple[int, str]]:
        # Cut as kubectl does, before anything is parsed.
        starts = [mark.start() for mark in _SEPARATOR.finditer(self.text)]
        lead = _NOTHING_YET.match(self.text)
        if starts and lead and lead.end() >= starts[0]:
            starts = starts[1:]
        if len(starts) >= MAX_DOCUMENTS:
            raise TooMuchError(f"found {len(starts) + 1:,} documents; at most {MAX_DOCUMENTS:,} are read")
        line = 1
        for begin, end in pairwise((0, *starts, len(self.text))):
            yield line, self.text[begin:end]
            line += sum(1 for _ in _BREAK.finditer(self.text, begin, end))

    def _read_part(self, composer: Composer, first_line: int, part: str) -> None:
        fault = ""
        try:
            for root in composer.roots(part):
                self.number += 1
                self._take_faults(composer)
                if not (isinstance(root, ScalarNode) and root.value is None):
                    self.documents.append(Document(self.number, root))
        except yaml.YAMLError as error:
            fault = _syntax(error, first_line, part)
            if "expected <document start>" in fault and self.documents and self.documents[-1].number == self.number:
                # Not a document of its own: the end of the last one does not belong to it.
                self.documents.pop()
                self.number -= 1
        except BrokenError as broken:
            fault = f"line {broken.line}: {broken.text}"
        if fault:
            self.number += 1
            self._take_faults(composer)
            self.problems.append(f"{self.source}: document {self.number}, {fault}")

    def _take_faults(self, composer: Composer) -> None:
        where = f"{self.source}: document {self.number}"
        self.problems += [f"{where}, line {line}: {text}" for line, text in sorted(composer.faults)]
        composer.faults.clear()


def _syntax(error: yaml.YAMLError, first_line: int, part: str) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "this is not YAML"
    lines = _BREAK.split(part)
    line = lines[min(mark.line, len(lines) - 1)] if mark else ""
    where = f"line {first_line + mark.line}, column {mark.column + 1}: " if mark else ""
    # A secret that was mistyped must not travel in an error message.
    text = "" if _SECRET.search(part) else f" at {shown(line.strip())}"
    cause = _cause(problem, line)
    return f"{where}{problem}{text}{'; ' if cause else ''}{cause}"


def _cause(problem: str, line: str) -> str:
    if "{{" in line:
        return "this looks like a Helm template: render it first, with `helm template`"
    if "cannot start any token" in problem and "\t" in line[: len(line) - len(line.lstrip())]:
        return "YAML is indented with spaces, never with tabs"
    return next((cause for sign, cause in _CAUSES if sign in problem), "")
