"""Fields of objects by path, such as `spec.template.spec.containers[app].image`."""

from __future__ import annotations

from typing import Any

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields, replace

from app.kube.stringmap import StringMap


def with_path(value: Any, path: str, new: object) -> Any:
    """A copy of `value` with the field at `path` set; list items are named by `[name]`.

    Raises KeyError with the missing part when the path leads nowhere.
    """
    head, _, rest = _split(path)
    if isinstance(value, tuple):
        return _in_list(value, head, rest, new)
    if isinstance(value, StringMap):
        key = path
        return value.without(key) if new is None else value.merged({key: str(new)})
    if not isinstance(value, Struct) or head not in value.__struct_fields__:
        raise KeyError(head)
    return replace(value, **{head: with_path(getattr(value, head), rest, new) if rest else new})


def without_path(value: Any, path: str) -> Any:
    """A copy of `value` without the item of a list, or with the field at its default, that stands at `path`.

    Raises KeyError with the missing part when the path leads nowhere.
    """
    head, _, rest = _split(path)
    if isinstance(value, tuple):
        at = _place(value, head)
        return (*value[:at], *([without_path(value[at], rest)] if rest else []), *value[at + 1 :])
    if isinstance(value, StringMap):
        return value.without(path)
    if not isinstance(value, Struct) or head not in value.__struct_fields__:
        raise KeyError(head)
    found = getattr(value, head)
    return replace(value, **{head: without_path(found, rest) if rest else _default(value, head)})


def _default(value: Struct, name: str) -> Any:
    field = next(row for row in fields(value) if row.name == name)
    return field.default_factory() if field.default is NODEFAULT else field.default


def _split(path: str) -> tuple[str, str, str]:
    if path.startswith("["):
        name, _, rest = path[1:].partition("]")
        return name, "]", rest.removeprefix(".")
    cut = min((at for at in (path.find("."), path.find("[")) if at >= 0), default=-1)
    if cut < 0:
        return path, "", ""
    return path[:cut], path[cut], path[cut:].removeprefix(".")


def _in_list(items: tuple[Any, ...], name: str, rest: str, new: object) -> tuple[Any, ...]:
    at = _place(items, name)
    return (*items[:at], with_path(items[at], rest, new) if rest else new, *items[at + 1 :])


def _place(items: tuple[Any, ...], name: str) -> int:
    at = next((i for i, item in enumerate(items) if _named(item) == name), None)
    if at is None:
        raise KeyError(f"[{name}]")
    return at


def item_of(items: tuple[Any, ...], name: str) -> Any:
    """The item of a list that has that name; None if there is none."""
    return next((item for item in items if _named(item) == name), None)


def _named(item: Any) -> Any:
    """What an item of a list is told apart by: name, for conditions type, for tolerations and taints key."""
    return next((getattr(item, field) for field in ("name", "type", "key") if hasattr(item, field)), None)
