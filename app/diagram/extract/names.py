"""Short names for small boxes, and times as they are written in pictures."""

from __future__ import annotations

import re
from functools import lru_cache

from app.kube.meta import Ref

# A ReplicaSet's pod is WORKLOAD-HASH-SUFFIX; both generated parts know no vowels (see app.kube.names).
_GENERATED = re.compile(r"^(.+)-[bcdfghjklmnpqrstvwxz2456789]{6,10}-([bcdfghjklmnpqrstvwxz2456789]{5})$")


_NUMBER = re.compile(r"([0-9]+)")


def by_number(name: str) -> list[tuple[int, str]]:
    """Sorts node-2 before node-10."""
    return [(int(part) if part.isdigit() else 0, part) for part in _NUMBER.split(name)]


@lru_cache(maxsize=4096)
def short(name: str) -> str:
    """`web-7pxpv` for `web-6d5f8c9b7d-7pxpv`; names that people gave stay whole."""
    found = _GENERATED.match(name)
    return f"{found[1]}-{found[2]}" if found else name


def brief(text: str, name: str) -> str:
    """A text with the object of that name called as in the pictures: `web-8ml77` for `web-7db6699dfd-8ml77`."""
    return text.replace(name, short(name)) if name else text


def short_ref(ref: Ref) -> str:
    """`pod/web-7pxpv`."""
    return f"{ref.kind.lower()}/{short(ref.name)}"


def seconds(milliseconds: int) -> str:
    """`0.600`, with the sign of times before the start."""
    return f"{milliseconds / 1000:.3f}"


def few(number: float) -> str:
    """A count to a tenth, whole where it is whole; below one, two digits that say something."""
    return f"{number:.2g}" if number < 1 else f"{number:.1f}".removesuffix(".0")
