from collections.abc import Iterator
from typing import Any, get_args

import pytest
from msgspec import Struct

from app.kube.objects import KINDS, struct_fields
from app.kube.upstream_fields import (
    LEFT_OUT,
    NOT_TAKEN,
    SERVER_DEFAULTS,
    SERVER_SIDE,
    UPSTREAM_KINDS,
    is_upstream_group,
)


def structs(type_: Any) -> Iterator[type[Struct]]:
    """The struct types that a type holds, itself included."""
    if isinstance(type_, type) and issubclass(type_, Struct):
        yield type_
        for field in struct_fields(type_):
            yield from structs(field.type)
    for inner in get_args(type_):
        yield from structs(inner)


NAMES = {struct.__name__ for kind in KINDS.values() for struct in structs(kind)}


@pytest.mark.parametrize(
    "table", [LEFT_OUT, NOT_TAKEN, SERVER_SIDE, SERVER_DEFAULTS], ids=["left", "not", "side", "def"]
)
def test_every_type_in_a_table_is_one_that_the_model_has(table: dict[str, Any]) -> None:
    assert set(table) - NAMES == set()


def test_every_modelled_kind_is_a_kind_of_kubernetes() -> None:
    assert set(KINDS) - UPSTREAM_KINDS == set()


@pytest.mark.parametrize(
    ("version", "upstream"),
    [
        ("v1", True),
        ("apps/v1", True),
        ("extensions/v1beta1", True),
        ("networking.k8s.io/v1", True),
        ("serving.knative.dev/v1", False),
        ("cluster.x-k8s.io/v1beta1", False),
    ],
)
def test_a_group_with_a_dot_outside_k8s_io_belongs_to_custom_resources(version: str, upstream: bool) -> None:
    assert is_upstream_group(version) is upstream
