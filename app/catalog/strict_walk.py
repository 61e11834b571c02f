"""The walk from parsed YAML to a flow's structs: no unknown key, no wrong type, no empty text, every fault gathered."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, TypeVar, get_args, get_origin

from msgspec import NODEFAULT, Struct

from app.catalog.flow import Flow
from app.kube.near_names import did_you_mean
from app.kube.objects import struct_fields
from app.kube.yaml_values import ListNode, MapNode, Node, Path, Problem, ScalarNode, found

T = TypeVar("T", bound=Struct)
Problems = list[Problem]
Reader = Callable[[Node, Path, Problems], Any]

# What is computed when a folder is read, and never written by hand.
_COMPUTED: dict[type[Struct], frozenset[str]] = {
    Flow: frozenset({"cluster", "digest", "not_modelled", "short", "terms", "wordings"})
}
_WRONG: Any = object()


class _Field(NamedTuple):
    reader: Reader
    required: bool
    stand_in: Any


def read(cls: type[T], node: Node, problems: Problems) -> T:
    """The struct at `node`; where a value is wrong it holds a stand-in, and `problems` the fault."""
    value = _struct(cls)(node, (), problems)
    return _stand_in(cls) if value is _WRONG else value  # type: ignore[no-any-return]


@cache
def _fields(cls: type[Struct]) -> dict[str, _Field]:
    known = {}
    for field in struct_fields(cls):
        if field.name in _COMPUTED.get(cls, ()):
            continue
        required = field.default is NODEFAULT and field.default_factory is NODEFAULT
        known[field.name] = _Field(_reader(field.type, required=required), required, _stand_in(field.type))
    return known


@cache
def _struct(cls: type[Struct]) -> Reader:
    def read_struct(node: Node, path: Path, problems: Problems) -> Any:
        if not isinstance(node, MapNode):
            return _refuse(node, path, problems, f"a mapping with the keys {', '.join(_fields(cls))}")
        fields = _fields(cls)
        values = {}
        for name, value in node.entries.items():
            if name not in fields:
                allowed = f"no such key; allowed: {', '.join(fields)}{did_you_mean(name, fields)}"
                problems.append(Problem((*path, name), allowed))
            elif (got := fields[name].reader(value, (*path, name), problems)) is not _WRONG:
                values[name] = got
        for name, field in fields.items():
            if field.required and name not in values:
                if name not in node.entries:
                    problems.append(Problem((*path, name), "missing; this key is required"))
                values[name] = field.stand_in
        return cls(**values)

    return read_struct


def _stand_in(type_: Any) -> Any:
    """A value of the type, so that the walk can go on and positions in lists stay right."""
    if isinstance(type_, type) and issubclass(type_, Struct):
        return type_(**{name: field.stand_in for name, field in _fields(type_).items() if field.required})
    return () if get_origin(type_) is tuple else {} if get_origin(type_) is dict else type_()


def _reader(type_: Any, *, required: bool) -> Reader:
    if get_origin(type_) is tuple:
        return _list(get_args(type_)[0])
    if get_origin(type_) is dict:
        return _mapping
    if type_ is bool:
        return _bool
    if type_ is int:
        return _whole_number
    if type_ is str:
        return _text if required else _text_or_nothing
    return _struct(type_)


def _list(inner: Any) -> Reader:
    reader = _reader(inner, required=True)

    def read_list(node: Node, path: Path, problems: Problems) -> Any:
        if not isinstance(node, ListNode):
            return _refuse(node, path, problems, "a list, each item after `- `")
        values = [reader(item, (*path, index), problems) for index, item in enumerate(node.items)]
        return tuple(_stand_in(inner) if value is _WRONG else value for value in values)

    return read_list


def _mapping(node: Node, path: Path, problems: Problems) -> Any:
    if not isinstance(node, MapNode):
        return _refuse(node, path, problems, "a mapping of names to text")
    values = {name: _text(item, (*path, name), problems) for name, item in node.entries.items()}
    return {name: value for name, value in values.items() if value is not _WRONG}


def _bool(node: Node, path: Path, problems: Problems) -> Any:
    if isinstance(node, ScalarNode) and isinstance(node.value, bool):
        return node.value
    return _refuse(node, path, problems, "true, false")


def _whole_number(node: Node, path: Path, problems: Problems) -> Any:
    if isinstance(node, ScalarNode) and type(node.value) is int:
        return node.value
    return _refuse(node, path, problems, "a whole number")


def _text(node: Node, path: Path, problems: Problems) -> Any:
    """Text as it is written: `default: 5` and `default: false` need no quotes here."""
    if isinstance(node, ScalarNode) and node.value is not None and node.text.strip():
        return node.text.strip()
    return _refuse(node, path, problems, "text that is not empty")


def _text_or_nothing(node: Node, path: Path, problems: Problems) -> Any:
    if isinstance(node, ScalarNode):
        return node.text.strip() if node.value is not None else ""
    return _refuse(node, path, problems, "text")


def _refuse(node: Node, path: Path, problems: Problems, allowed: str) -> Any:
    problems.append(Problem(path, f"found {found(node)}; allowed: {allowed}"))
    return _WRONG
