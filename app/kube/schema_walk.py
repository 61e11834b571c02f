"""The walk from nodes to objects: every value is held against the type of its field, and every fault is gathered."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from types import NoneType
from typing import Any, NamedTuple, TypeVar, get_args, get_origin

from msgspec import NODEFAULT, Struct

from app.kube.near_names import near_name
from app.kube.objects import KINDS, TIMES, ZERO, struct_fields
from app.kube.stringmap import EMPTY, StringMap
from app.kube.upstream_fields import LEFT_OUT, NOT_TAKEN, READ_ONLY, SERVER_DEFAULTS, SERVER_SIDE
from app.kube.yaml_values import ListNode, MapNode, Node, Path, Problem, ScalarNode, found, plain

T = TypeVar("T", bound=Struct)
Reader = Callable[[Node, Path, "Findings"], Any]

# Larger numbers stand in no real manifest, and would leave the calendar.
MAX_NUMBER = 2**31 - 1

_QUANTITIES = frozenset({"requests", "limits", "overhead", "capacity", "allocatable", "sizeLimit"})
_KEYS_ONLY = frozenset({"data", "binaryData", "stringData"})
_TIME = re.compile(r"(?:19|20|21)\d\d-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)
_DURATION = re.compile(r"\s*([0-9]{1,9})\s*s(?:ec(?:onds?)?)?\s*", re.ASCII)
_DECIMAL = re.compile(r"[-+]?(?:0|[1-9][0-9]*|[0-9]*\.[0-9]*|[0-9.]+[eE][-+]?[0-9]+)", re.ASCII)
_WHOLE = re.compile(r"\s*[-+]?[0-9]{1,10}\s*", re.ASCII)
_WRONG: Any = object()


class Findings:
    """What one object's walk brings to light besides the object."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.not_modelled: list[Path] = []

    def refuse(self, path: Path, node: Node, allowed: str, cause: str = "") -> Any:
        """Note that the value at `path` is of the wrong type."""
        text = f"found {found(node)}; allowed: {allowed}{'; ' if cause else ''}{cause}"
        self.problems.append(Problem(path, text))
        return _WRONG


def read(cls: type[T], node: Node, path: Path, findings: Findings) -> T:
    """The struct at `node`; where a value is wrong it holds a stand-in, and `findings` the problem."""
    value = _struct(cls)(node, path, findings)
    return _stand_in(cls) if value is _WRONG else value  # type: ignore[no-any-return]


class _Field(NamedTuple):
    reader: Reader
    struct: type[Struct] | None
    required: bool
    stand_in: Any


@cache
def _fields(cls: type[Struct]) -> dict[str, _Field]:
    known = {}
    for field in struct_fields(cls):
        required = field.default is NODEFAULT and field.default_factory is NODEFAULT
        stand_in = _stand_in(field.type) if required else field.default
        options = [field.type, *get_args(field.type)] if get_origin(field.type) is not tuple else []
        inner = next((row for row in options if isinstance(row, type) and issubclass(row, Struct)), None)
        known[field.name] = _Field(_reader(field.type, field.name), inner, required, stand_in)
    return known


@cache
def _silent(cls: type[Struct]) -> frozenset[str]:
    """Names that may stand in a struct of this type and are dropped without a word."""
    names = SERVER_SIDE.get(cls.__name__, frozenset())
    if cls in KINDS.values():
        names |= {"apiVersion", "kind"} | (set() if cls.__name__ == "Node" else {"status"})
    return names


@cache
def _struct(cls: type[Struct]) -> Reader:
    fields, silent = _fields(cls), _silent(cls)
    taken = set(fields) - silent - NOT_TAKEN.get(cls.__name__, frozenset())
    read_only = READ_ONLY.get(cls.__name__, frozenset())

    def read_struct(node: Node, path: Path, findings: Findings) -> Any:
        if not isinstance(node, MapNode):
            cause = "this field holds one, not a list" if isinstance(node, ListNode) else "indent its fields below it"
            return findings.refuse(path, node, "a mapping", cause)
        values = {}
        for name, value in node.entries.items():
            if name in silent or _is_nothing(value):
                _check_spelling(cls, name, path, findings)
                if name in taken and (outside := _beside(fields[name], fields, node)):
                    text = f"found nothing; {outside} beside it looks like a part of it: indent it more than {name}"
                    findings.problems.append(Problem((*path, name), text))
                    values[name] = _WRONG
            elif name in taken:
                values[name] = fields[name].reader(value, (*path, name), findings)
                if name in read_only and _tells(cls, name, value):
                    findings.not_modelled.append((*path, name))
            else:
                _not_taken(cls, name, value, path, findings)
        for name, field in fields.items():
            if field.required and name not in values and name not in silent:
                findings.problems.append(Problem((*path, name), "missing; this field is required"))
            if (field.required and name not in values) or values.get(name) is _WRONG:
                values[name] = field.stand_in
        return cls(**values)

    return read_struct


def _is_nothing(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.value is None


def _beside(field: _Field, siblings: dict[str, _Field], node: MapNode) -> str:
    """What stands beside an empty field and would fit inside: text that lost its indentation."""
    inner = _fields(field.struct) if field.struct else {}
    return next((name for name in node.entries if name in inner and name not in siblings), "")


@cache
def _names(cls: type[Struct]) -> frozenset[str]:
    return frozenset(_fields(cls)) | LEFT_OUT.get(cls.__name__, frozenset()) | _silent(cls)


def _check_spelling(cls: type[Struct], name: str, path: Path, findings: Findings) -> bool:
    near = None if name in _names(cls) else near_name(name, _names(cls))
    if near:
        text = f'{cls.__name__} has no such field; did you mean "{near}"?'
        findings.problems.append(Problem((*path, name), text, about=((*path, near),)))
    return not near


def _not_taken(cls: type[Struct], name: str, value: Node, path: Path, findings: Findings) -> None:
    if not _check_spelling(cls, name, path, findings):
        return
    if _tells(cls, name, value):
        findings.not_modelled.append((*path, name))


def _tells(cls: type[Struct], name: str, value: Node) -> bool:
    """Whether a field that is left out says something of its own."""
    defaults = SERVER_DEFAULTS.get(cls.__name__, {})
    return not _is_empty(value) and not (name in defaults and _agrees(plain(value), defaults[name]))


def _is_empty(node: Node) -> bool:
    return (isinstance(node, MapNode) and not node.entries) or (isinstance(node, ListNode) and not node.items)


def _agrees(value: Any, default: Any) -> bool:
    if isinstance(value, dict) and isinstance(default, dict):
        return all(key in default and _agrees(item, default[key]) for key, item in value.items())
    return bool(value == default)


def _stand_in(type_: Any) -> Any:
    """A value of the type, so that the walk can go on and positions in lists stay right."""
    if isinstance(type_, type) and issubclass(type_, Struct):
        return type_(**{name: field.stand_in for name, field in _fields(type_).items() if field.required})
    if get_origin(type_) is tuple:
        return ()
    return {int: 0, str: "", bool: False, StringMap: EMPTY}.get(type_, 0 if int in get_args(type_) else None)


def _reader(type_: Any, name: str) -> Reader:
    options = set(get_args(type_)) - {NoneType} if get_origin(type_) is not tuple else set()
    if len(options) == 1:
        return _reader(options.pop(), name)
    if options:
        return _int_or_string
    if get_origin(type_) is tuple:
        return _list(get_args(type_)[0], name)
    if isinstance(type_, type) and issubclass(type_, Struct):
        return _struct(type_)
    if type_ is StringMap:
        if name in _KEYS_ONLY:
            return _key_map
        return _quantity_map if name in _QUANTITIES else _string_map
    if name in TIMES:
        return _time
    if name in _QUANTITIES:
        return _quantity
    return {int: _int, bool: _bool, str: _str}[type_]


def _list(inner: Any, name: str) -> Reader:
    reader = _reader(inner, name)

    def read_list(node: Node, path: Path, findings: Findings) -> Any:
        if not isinstance(node, ListNode):
            return findings.refuse(path, node, "a list", "begin each item with `- `")
        # Go reads null among texts as the empty one.
        values = (
            "" if inner is str and _is_nothing(item) else reader(item, (*path, index), findings)
            for index, item in enumerate(node.items)
        )
        return tuple(_stand_in(inner) if value is _WRONG else value for value in values)

    return read_list


def _int(node: Node, path: Path, findings: Findings) -> Any:
    value = node.value if isinstance(node, ScalarNode) else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        cause = ""
        if isinstance(value, str) and (seconds := _DURATION.fullmatch(value)):
            cause = f"write seconds as a bare number: {seconds[1]}"
        elif isinstance(value, str) and _WHOLE.fullmatch(value):
            cause = f"remove the quotes: {value.strip()}"
        return findings.refuse(path, node, "a whole number", cause)
    if not -MAX_NUMBER - 1 <= value <= MAX_NUMBER:
        return findings.refuse(path, node, f"a whole number up to {MAX_NUMBER}")
    return value


def _bool(node: Node, path: Path, findings: Findings) -> Any:
    value = node.value if isinstance(node, ScalarNode) else None
    if isinstance(value, bool):
        return value
    word = value.lower() if isinstance(value, str) else ""
    if word in ("true", "false"):
        return findings.refuse(path, node, "true, false", f"remove the quotes: {word}")
    meant = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}.get(word)
    return findings.refuse(path, node, "true, false", f"write {meant}" if meant else "")


def _str(node: Node, path: Path, findings: Findings) -> Any:
    if isinstance(node, ScalarNode) and isinstance(node.value, str):
        return node.value
    cause = f'put it in quotes: "{node.text}"' if isinstance(node, ScalarNode) and node.value is not None else ""
    return findings.refuse(path, node, "text", cause)


def _int_or_string(node: Node, path: Path, findings: Findings) -> Any:
    if isinstance(node, ScalarNode) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ScalarNode) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return _int(node, path, findings)
    return findings.refuse(path, node, "a whole number or text")


def _quantity(node: Node, path: Path, findings: Findings) -> Any:
    # Quantities may be bare numbers, and keep the spelling that they have.
    if isinstance(node, ScalarNode) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        # All but hexadecimal, octal and the like, of which JSON knows nothing.
        return node.text if _DECIMAL.fullmatch(node.text) else str(node.value)
    if isinstance(node, ScalarNode) and isinstance(node.value, str):
        return node.value
    return findings.refuse(path, node, "a quantity such as 250m, 1, 128Mi or 1Gi")


def _map(reader: Reader, node: Node, path: Path, findings: Findings, nothing: str = "") -> Any:
    if not isinstance(node, MapNode):
        return findings.refuse(path, node, "a mapping of names to text")
    pairs = []
    for name, item in node.entries.items():
        # Go reads null into a map of strings as the empty string, and into one of quantities as 0.
        value = nothing if _is_nothing(item) else reader(item, (*path, name), findings)
        pairs.append((name, "" if value is _WRONG else value))
    return StringMap(pairs)


def _string_map(node: Node, path: Path, findings: Findings) -> Any:
    return _map(_str, node, path, findings)


def _key_map(node: Node, path: Path, findings: Findings) -> Any:
    """What may be secret is checked, never shown, and then forgotten."""
    if not isinstance(node, MapNode):
        findings.problems.append(Problem(path, "found no mapping; allowed: a mapping of names to text"))
        return _WRONG
    return _map(_unshown, node, path, findings)


def _unshown(node: Node, path: Path, findings: Findings) -> Any:
    if isinstance(node, ScalarNode) and isinstance(node.value, str):
        return ""
    cause = "; put it in quotes" if isinstance(node, ScalarNode) else ""
    findings.problems.append(Problem(path, f"found something that is no text; allowed: text{cause}"))
    return _WRONG


def _quantity_map(node: Node, path: Path, findings: Findings) -> Any:
    return _map(_quantity, node, path, findings, "0")


def _time(node: Node, path: Path, findings: Findings) -> Any:
    text = node.value if isinstance(node, ScalarNode) else None
    if isinstance(text, str) and _TIME.fullmatch(text):
        try:
            after = datetime.fromisoformat(text.upper()) - ZERO
        except ValueError:
            pass
        else:
            return after // timedelta(seconds=1) * 1000
    return findings.refuse(path, node, "a time such as 2026-01-01T12:00:00Z")
