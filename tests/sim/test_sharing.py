"""What is worked out once for the same values, and what is forgotten."""

from __future__ import annotations

from app.sim.sharing import Shared


def test_the_same_objects_are_asked_about_once() -> None:
    asked: list[object] = []

    def length(row: list[int]) -> int:
        asked.append(row)
        return len(row)

    shared = Shared(length)
    one, other = [1, 2], [1, 2]
    assert [shared(one), shared(one), shared(other)] == [2, 2, 2]
    # Equal is not the same.
    assert len(asked) == 2


def test_only_so_many_are_remembered_the_oldest_goes_first() -> None:
    asked: list[str] = []
    shared = Shared(lambda row: asked.append(row[0]), most=2)
    rows = [["a"], ["b"], ["c"]]
    for row in (*rows, rows[2], rows[1], rows[0]):
        shared(row)
    assert asked == ["a", "b", "c", "a"]


def test_what_was_asked_about_is_held() -> None:
    """Or another value could have its place in memory, and its answer."""
    shared = Shared(lambda row: row[0])
    assert [shared([n]) for n in range(100)] == list(range(100))
