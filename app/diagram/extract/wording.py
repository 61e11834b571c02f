"""A picture in other words: what is written in it, with a flow's terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from app.catalog.wording import reworded
from app.diagram.views import Chip

T = TypeVar("T", bound=Struct)

SPOKEN = frozenset(
    {
        "about",
        "after",
        "before",
        "caption",
        "clients",
        "clients_name",
        "control_plane",
        "enlarged",
        "more_nodes",
        "name",
        "note",
        "race",
        "status",
        "text",
        "title",
        "under",
    }
)
"""Fields of views that are read; the others name kinds, states and boxes."""


NONE: Mapping[str, str] = {}


def retold(view: T, terms: Mapping[str, str], short: Mapping[str, str] = NONE) -> T:
    """The view with its terms replaced, all through; `short` are those of small boxes."""
    return cast(T, _retold(view, terms, {**terms, **short})) if terms else view


def _retold(value: Any, terms: Mapping[str, str], short: Mapping[str, str]) -> Any:
    if isinstance(value, tuple):
        return tuple(_retold(item, terms, short) for item in value)
    if not isinstance(value, Struct):
        return value
    mine = short if isinstance(value, Chip) else terms
    changes = {}
    for field in value.__struct_fields__:
        old = getattr(value, field)
        new = reworded(old, mine) if isinstance(old, str) and field in SPOKEN else _retold(old, terms, short)
        if new is not old:
            changes[field] = new
    return replace(value, **changes)
