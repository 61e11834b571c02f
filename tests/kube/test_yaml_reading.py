import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.kube import yaml_composing
from app.kube.yaml_composing import MAX_DEPTH, MAX_NODES
from app.kube.yaml_reading import MAX_BYTES, read_documents
from app.kube.yaml_values import line_of, plain, written

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join(f'*{before}' for _ in range(9))}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def values(text: str) -> list[Any]:
    reading = read_documents(text, "x.yaml")
    assert reading.problems == ()
    return [plain(document.root) for document in reading.documents]


def problems(text: str) -> tuple[str, ...]:
    return read_documents(text, "x.yaml").problems


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("+5", 5),
        ("-0", 0),
        ("0644", 0o644),
        ("0o17", 15),
        ("0x1F", 31),
        ("089", 89.0),
        ("1.0", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("9999999999999999999999", 1e22),
        ("1e999", "1e999"),
        ("0x" + "f" * 5_000, "0x" + "f" * 5_000),
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("'true'", "true"),
        ('"1"', "1"),
        ("yes", True),
        ("Y", True),
        ("on", True),
        ("n", False),
        ("off", False),
        ("oN", "oN"),
        ("'yes'", "yes"),
        ("2026-01-01", "2026-01-01"),
        ("12:30:45", "12:30:45"),
        (".inf", ".inf"),
        ("1_000", 1000),
        ("_1", "_1"),
        ("1_a", "1_a"),
        ("0b101", 5),
        ("!!str 5", "5"),
        ("! 5", "5"),
        ("!!int '5'", 5),
        ("!!float 5", 5),
        ("٣", "٣"),
    ],
)
def test_scalars_have_the_types_of_json_and_no_others(text: str, value: object) -> None:
    assert values(f"- {text}\n") == [[value]]
    assert [type(item) for item in values(f"- {text}\n")[0]] == [type(value)]


def test_keys_are_text_however_they_look() -> None:
    assert values("1: a\ntrue: b\noff: c\n0x10: d\n'on': e\n") == [
        {"1": "a", "true": "b", "false": "c", "16": "d", "on": "e"}
    ]


def test_merge_keys_give_what_is_not_said_here() -> None:
    text = "a: &a {x: 1, w: 2}\nb: {<<: *a, w: 3}\nc: {<<: [*a, {w: 4, z: 5}]}\nd: {'<<': 6}\n"
    assert values(text) == [
        {"a": {"x": 1, "w": 2}, "b": {"x": 1, "w": 3}, "c": {"x": 1, "w": 2, "z": 5}, "d": {"<<": 6}}
    ]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", []),
        ("# nothing\n", []),
        ("a: 1\n", [1]),
        ("---\na: 1\n", [1]),
        ("# first\n\n---\na: 1\n---\n# empty\n---\nb: 2\n", [1, 3]),
        ("%YAML 1.2\n---\na: 1\n", [1]),
        ("a: 1\r\n---\r\nb: 2\r\n", [1, 2]),
        ("\ufeffa: 1\n", [1]),
        ("a: 1\n...\n---\nb: 2\n", [1, 2]),
        ("a: |\n  text\n  --- more\n---\nb: 2\n", [1, 2]),
        ("--- {a: 1}\n--- {b: 2}\n", [1, 2]),
        ("a: 1\n---", [1]),
    ],
)
def test_documents_are_numbered_and_empty_ones_skipped(text: str, numbers: list[int]) -> None:
    assert [document.number for document in read_documents(text, "x.yaml").documents] == numbers


def test_lines_count_from_the_start_of_the_text_and_find_the_nearest_thing() -> None:
    root = read_documents("# c\n---\na:\n- x\n- b:\n    c: 1\n", "x.yaml").documents[0].root
    lines = {(): 3, ("a",): 3, ("a", 0): 4, ("a", 1, "b", "c"): 6, ("a", 1, "b", "none"): 5, ("z",): 3}
    assert {path: line_of(root, path) for path in lines} == lines


def test_a_path_is_written_as_kubernetes_writes_it() -> None:
    assert written(("spec", "containers", 0, "image")) == "spec.containers[0].image"
    assert written(("metadata", "annotations", "a.b/c\n")) == "metadata.annotations[a.b/c\\n]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "a:\n\tb: 1\n",
            (
                'x.yaml: document 1, line 2, column 1: found character that cannot start any token at "b: 1"; '
                "YAML is indented with spaces, never with tabs"
            ),
        ),
        (
            "a: @b\n",
            (
                'x.yaml: document 1, line 1, column 4: found character that cannot start any token at "a: @b"; '
                "put a value that begins with @, ` or % in quotes"
            ),
        ),
        (
            "ok: 1\n---\na: b: c\n",
            (
                "x.yaml: document 2, line 3, column 5: mapping values are not allowed in this context "
                'at "a: b: c"; put a value that holds `: ` in quotes, and check the indentation'
            ),
        ),
        (
            "a: {b: [1, 2}\n",
            (
                "x.yaml: document 1, line 1, column 13: did not find expected ',' or ']' at "
                '"a: {b: [1, 2}"; a bracket that was opened is not closed'
            ),
        ),
        (
            "a: 1\n b: 2\n",
            (
                "x.yaml: document 1, line 2, column 3: mapping values are not allowed in this context at "
                '"b: 2"; put a value that holds `: ` in quotes, and check the indentation'
            ),
        ),
        (
            "  a: 1\n b: 2\n",
            (
                "x.yaml: document 1, line 2, column 2: did not find expected <document start> at "
                '"b: 2"; this line is indented less than the first, or `---` is missing'
            ),
        ),
        (
            "{{- if .Values.a }}\na: 1\n",
            (
                "x.yaml: document 1, line 1, column 3: did not find expected node content at "
                '"{{- if .Values.a }}"; this looks like a Helm template: render it first, with `helm template`'
            ),
        ),
        (
            "a: {{ .Values.a }}\n",
            (
                "x.yaml: document 1, line 1: found a list or mapping as a key; a key must be text; "
                "`{{ … }}` is a Helm template: render it first, with `helm template`"
            ),
        ),
        (
            "a: 1\nb: 2\na: 3\n",
            ('x.yaml: document 1, line 3: the key "a" stands twice in one mapping (first in line 1); keep one'),
        ),
        ("~: 1\n", "x.yaml: document 1, line 1: found nothing as a key; a key must be text"),
        ("a: *b\n", "x.yaml: document 1, line 1: the alias *b has no anchor &b before it in this document"),
        (
            "a: &a 1\n---\nb: *a\n",
            "x.yaml: document 2, line 3: the alias *a has no anchor &a before it in this document",
        ),
        (
            "a: &b [1, *b]\n",
            ("x.yaml: document 1, line 1: the alias *b stands inside its own anchor &b, which would never end"),
        ),
        ("a: {<<: 3}\n", "x.yaml: document 1, line 1: the merge key << takes a mapping, or a list of mappings"),
        (
            "a: !!python/object:os.system ls\n",
            (
                'x.yaml: document 1, line 1: the tag "python/object:os.system" is not '
                "read here; write a number, true, false or null plainly, and text in quotes"
            ),
        ),
        (
            "a: !mine {b: 1}\n",
            ('x.yaml: document 1, line 1: the tag "!mine" is not read; write the list or mapping without it'),
        ),
        ("a: \x07\n", "x.yaml: line 1, column 4: found the character U+0007, which YAML does not allow"),
        ("a\nb \ud800\n", "x.yaml: line 2, column 3: found the character U+D800, which YAML does not allow"),
        (
            "x" * (MAX_BYTES + 1),
            (
                "x.yaml: found 1,048,577 bytes of text; at most 1,048,576 (1 MiB) are read: give only "
                "what the flow needs"
            ),
        ),
        (
            "é" * 2_500_000,
            (
                "x.yaml: found 5,000,000 bytes of text; at most 1,048,576 (1 MiB) are read: give only what "
                "the flow needs"
            ),
        ),
        ("---\n" * 2_002, "x.yaml: found 2,002 documents; at most 2,000 are read"),
        ("- a\n" * (MAX_NODES + 1), "x.yaml: found more than 100,000 values, which is the most that is read"),
        (
            BOMB,
            (
                "x.yaml: found more than 100,000 values, which is the most that is read, once aliases are written out; "
                "aliases of aliases multiply (a YAML bomb)"
            ),
        ),
        (
            f"a: &a {'x' * 500_000}\nb: [{'*a,' * 100}]\n",
            (
                "x.yaml: found more than 4 MiB of text, which is the most that "
                "is read, once aliases are written out; aliases of aliases multiply (a YAML bomb)"
            ),
        ),
        (
            "[" * 65 + "]" * 65,
            ("x.yaml: document 1, line 1: found more than 64 levels of nesting, which is the most that is read"),
        ),
        (
            "a: &a " + "[" * 40 + "]" * 40 + "\nb: " + "[" * 40 + "*a" + "]" * 40,
            ("x.yaml: document 1, line 2: found more than 64 levels of nesting, which is the most that is read"),
        ),
    ],
)
def test_a_broken_text_is_told(text: str, expected: str) -> None:
    assert problems(text) == (expected,)


def test_nesting_up_to_the_limit_is_read() -> None:
    assert problems("[" * MAX_DEPTH + "]" * MAX_DEPTH) == ()


def test_an_alias_may_stand_anywhere_as_long_as_the_whole_stays_small() -> None:
    assert values("a: &a {b: [1]}\nc: [*a, *a]\n") == [{"a": {"b": [1]}, "c": [{"b": [1]}, {"b": [1]}]}]


def test_a_broken_document_does_not_hide_its_neighbours() -> None:
    reading = read_documents("a: 1\n---\nb: [\n---\nc: *x\n---\nd: 4\n", "x.yaml")
    assert [document.number for document in reading.documents] == [1, 4]
    assert [problem[:27] for problem in reading.problems] == [
        "x.yaml: document 2, line 4,",
        "x.yaml: document 3, line 5:",
    ]


def test_a_mistyped_secret_is_not_quoted() -> None:
    (problem,) = problems("apiVersion: v1\nkind: Secret\nstringData:\n  password: @hunter2\n")
    assert problem == (
        "x.yaml: document 1, line 4, column 13: found character that cannot start any token; "
        "put a value that begins with @, ` or % in quotes"
    )


def test_without_the_c_library_the_same_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: &a {b: [1, 0644, yes, '2']}\nc: {<<: *a, d: |\n  x\n  }\n---\ne: !!str 5\n---\nf: \tg: h\n"
    fast = read_documents(text, "x.yaml")
    monkeypatch.setattr(yaml_composing, "_LOADER", yaml.SafeLoader)
    slow = read_documents(text, "x.yaml")
    assert fast.documents == slow.documents
    assert [problem[:26] for problem in fast.problems] == [problem[:26] for problem in slow.problems]


# YAML 1.1, which Kubernetes reads, folds lines at three characters that JSON takes as they are.
TEXT = st.text(st.characters(exclude_characters="\x85\u2028\u2029"), max_size=20)
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_json_is_read_as_json(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    reading = read_documents(text, "x.yaml")
    if not reading.problems:
        assert [plain(document.root) for document in reading.documents] == ([] if value is None else [value])


@given(st.text() | st.text(alphabet="ab:-[]{},&*!|>'\"%@`#?~<. \n\t", max_size=60))
def test_no_text_raises(text: str) -> None:
    for problem in problems(text):
        assert problem.startswith("x.yaml: ")
        assert problem.isprintable()
