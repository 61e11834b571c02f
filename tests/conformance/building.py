"""Kubernetes JSON, as it stands in cases, to our objects: unknown fields and wrong types are failures."""

import types
from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from app.kube.objects import TIMES, ZERO
from app.kube.stringmap import StringMap
from tests.conformance.cases import unknown

T = TypeVar("T", bound=Struct)

# Fields of real objects that no rule under test reads.
_UNREAD = frozenset(
    {
        "apiVersion",
        "containerID",
        "hostIPs",
        "imageID",
        "kind",
        "lastHeartbeatTime",
        "lastProbeTime",
        "managedFields",
        "observedGeneration",
        "podIPs",
        "resourceVersion",
        "selfLink",
    }
)


def build(cls: type[T], values: Mapping[str, Any] | None, path: str = "") -> T:
    """An object of that type."""
    hints = get_type_hints(cls)
    fields = {}
    for key, value in (values or {}).items():
        if key in hints:
            fields[key] = _value(hints[key], key, value, f"{path}.{key}")
        elif key not in _UNREAD:
            unknown(f"the field {path}.{key} of {cls.__name__}")
    if values and values.get("podIPs") and not values.get("podIP"):
        fields["podIP"] = values["podIPs"][0]["ip"]
    fields = {key: value for key, value in fields.items() if value is not None}
    if "name" in cls.__struct_fields__ and cls.__name__ in ("Container", "ContainerStatus"):
        fields.setdefault("name", "")
    return cls(**fields)


def milliseconds(text: str) -> int:
    """An RFC 3339 time, counted from the start of every walk."""
    return round((datetime.fromisoformat(text) - ZERO).total_seconds() * 1000)


def _value(hint: Any, key: str, value: Any, path: str) -> Any:
    if value is None:
        return None
    if get_origin(hint) in (Union, types.UnionType):
        choices = [choice for choice in get_args(hint) if choice is not type(None)]
        if len(choices) > 1:
            return value
        hint = choices[0]
    if key in TIMES:
        return milliseconds(value)
    if hint is StringMap:
        return StringMap({name: str(text) for name, text in value.items()})
    if get_origin(hint) is tuple:
        return tuple(_value(get_args(hint)[0], "", one, f"{path}[]") for one in value)
    if isinstance(hint, type) and issubclass(hint, Struct):
        return build(hint, value, path)
    if not isinstance(value, hint):
        unknown(f"{value!r} at {path}")
    return value
