"""A small frozen map of strings: labels, annotations, selectors and quantities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping


class StringMap:
    """An immutable, hashable map of strings, kept in the order of its keys."""

    __slots__ = ("_hash", "_items")

    def __init__(self, items: Mapping[str, str] | Iterable[tuple[str, str]] = ()) -> None:
        pairs = dict(items)
        self._items: tuple[tuple[str, str], ...] = tuple(sorted(pairs.items()))
        self._hash: int | None = None

    def get(self, key: str, default: str | None = None) -> str | None:
        """The value under `key`, or `default`."""
        for name, value in self._items:
            if name == key:
                return value
        return default

    def items(self) -> tuple[tuple[str, str], ...]:
        """All pairs, ordered by key."""
        return self._items

    def with_(self, **changes: str) -> StringMap:
        """A copy with some keys set; for keys that are no Python names use `merged`."""
        return self.merged(changes)

    def merged(self, changes: Mapping[str, str] | StringMap) -> StringMap:
        """A copy in which the pairs of `changes` win."""
        return StringMap(dict(self._items) | dict(changes.items()))

    def without(self, *keys: str) -> StringMap:
        """A copy that lacks `keys`."""
        return StringMap(pair for pair in self._items if pair[0] not in keys)

    def selects(self, labels: StringMap) -> bool:
        """Whether every pair of this selector stands in `labels`; an empty selector selects all."""
        return all(labels.get(key) == value for key, value in self._items)

    def __contains__(self, key: object) -> bool:
        return any(name == key for name, _ in self._items)

    def __getitem__(self, key: str) -> str:
        value = self.get(key)
        if value is None:
            raise KeyError(key)
        return value

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, StringMap) and self._items == other._items)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self._items)
        return self._hash

    def __repr__(self) -> str:
        return f"StringMap({dict(self._items)!r})"


EMPTY = StringMap()
