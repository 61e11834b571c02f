"""Manifests that somebody's slip, or a machine's, has changed somewhere: by their tree, or by their text."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import yaml
from hypothesis import strategies as st

from tests.corpus import FILES, text_of

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.integers(-3, 130),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(
        [
            "", " ", "0", "-1", "1", "100%", "0%", "-5%", "101%", "1000000000%", "1e3", "1Gi", "0.1m", "1E99", "1e-99",
            "Always", "Never", "OnFailure", "None", "Exists", "http", "8080", "a" * 300, "a/b/c", "*", "~", "=", "<<",
            "y", "0x1F", "1_000", "12:30:45", "2026-02-30", "2026-01-01", "node.kubernetes.io/not-ready", "drain=10s",
            "ignore", "never-returns", "{{ .Values.x }}", "99999999999999999999s", "5s", "💥", "\x85", "null",
        ]
    ),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        "spec", "metadata", "name", "namespace", "labels", "annotations", "template", "containers", "initContainers",
        "replicas", "selector", "matchLabels", "matchExpressions", "resources", "requests", "limits", "overhead",
        "memory", "cpu", "ports", "port", "targetPort", "livenessProbe", "readinessProbe", "startupProbe", "httpGet",
        "exec", "lifecycle", "preStop", "sleep", "seconds", "strategy", "rollingUpdate", "maxSurge", "maxUnavailable",
        "minAvailable", "tolerations", "tolerationSeconds", "volumes", "volumeMounts", "volumeClaimTemplates", "items",
        "kind", "apiVersion", "status", "ownerReferences", "terminationGracePeriodSeconds", "priorityClassName", "env",
        "restartPolicy", "periodSeconds", "failureThreshold", "timeoutSeconds", "data", "value", "image",
        "sim.loopscope.dev/on-sigterm", "sim.loopscope.dev/memory", "sim.loopscope.dev/health", "specc", "Spec", "",
    ]
)  # fmt: skip


_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
PIECES = [
    "", "\n", " ", "  ", "\t", ":", ": ", "- ", "---\n", "...", "{", "}", "[", "]", "'", '"', "&a ", "*a", "!!binary ",
    "!x ", "|", ">", "#", "%", "@", "\x00", "\u2028", "<<: ", "? ", "0", "-", "\r", "\ufeff", "{{ x }}",
]  # fmt: skip


@cache
def texts() -> tuple[str, ...]:
    """The corpus, without what is only odd in its text."""
    return tuple(text_of(path) for path in FILES)


@cache
def documents() -> tuple[Any, ...]:
    """Every document of the corpus as a tree."""
    found = []
    for text in texts():
        found += [body for body in yaml.load_all(text, Loader=_LOADER) if isinstance(body, dict)]
    return tuple(found)


def places(tree: Any, above: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path of everything in a tree."""
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [above, *(path for key, value in inner for path in places(value, (*above, key)))]


@st.composite
def changed_trees(draw: st.DrawFn) -> str:
    """Up to four documents of the corpus, with up to five things in them changed."""
    bodies = draw(st.lists(st.sampled_from(documents()), min_size=1, max_size=4))
    tree = with_mistakes(draw, [_typed(body) for body in bodies])
    return yaml.safe_dump_all(tree, sort_keys=False, allow_unicode=True, width=10_000)


def with_mistakes(draw: st.DrawFn, bodies: list[Any], most: int = 5) -> list[Any]:
    """Documents with so many things in them changed."""
    tree = copy.deepcopy(bodies)
    for _ in range(draw(st.integers(1, most))):
        path = draw(st.sampled_from(places(tree)[1:] or [(0,)]))
        _change(draw, tree, path)
        if not tree:
            break
    return tree


def _typed(tree: Any) -> Any:
    """Scalars as YAML reads them: the corpus was read as text, so that nothing in it is lost."""
    if isinstance(tree, dict):
        return {key: _typed(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_typed(value) for value in tree]
    return int(tree) if tree.isascii() and tree.isdigit() and len(tree) < 10 else {"": None}.get(tree, tree)


def _change(draw: st.DrawFn, tree: Any, path: tuple[Any, ...]) -> None:
    around: Any = tree
    for step in path[:-1]:
        around = around[step]
    last, deed = path[-1], draw(st.integers(0, 6))
    if deed == 0:
        del around[last]
    elif deed == 1 and isinstance(around[last], dict):
        around[last][draw(KEYS)] = draw(VALUES)
    elif deed == 2 and isinstance(around, list):
        around.append(copy.deepcopy(around[last]))
    elif deed == 3 and isinstance(around, dict):
        around[draw(KEYS)] = around.pop(last)
    elif deed in (4, 5):
        around[last] = draw(_alike(around[last]))
    else:
        around[last] = draw(VALUES)


def _alike(value: Any) -> st.SearchStrategy[Any]:
    """Something of the same type, so that it is not turned away at the door."""
    if isinstance(value, int):
        return st.sampled_from([0, 1, 2, 3, 5, 30, 100, 8080, 65535, 65536, 100_000, 2**31 - 1])
    if isinstance(value, str):
        return st.sampled_from(words())
    return st.just(value)


@cache
def words() -> tuple[str, ...]:
    """Every text of the corpus."""
    trees = documents()
    found = (value for tree in trees for value in _scalars(tree))
    return tuple(dict.fromkeys(value for value in found if isinstance(_typed(value), str)))


def _scalars(tree: Any) -> list[str]:
    inner = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else None
    return [tree] if inner is None else [scalar for value in inner for scalar in _scalars(value)]


@st.composite
def changed_texts(draw: st.DrawFn) -> str:
    """A file of the corpus, cut into and written over."""
    text = draw(st.sampled_from(texts()))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        end = min(len(text), at + draw(st.sampled_from([0, 1, 1, 2, 7, 40])))
        piece = draw(st.sampled_from(PIECES) | st.text(max_size=3))
        text = text[:at] + piece + text[end:]
    return text
