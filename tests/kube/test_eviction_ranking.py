import pytest

from app.kube.eviction_ranking import KEYS, Candidate, measured, order, rank


def names(rows: list[Candidate]) -> list[str]:
    return [row.name for row in rows]


@pytest.mark.parametrize(
    ("resource", "pods", "expected"),
    [
        pytest.param(
            "memory",
            [Candidate("burst", 0, 450, 100), Candidate("best-effort", 0, 150), Candidate("guaranteed", 0, 200, 300)],
            ["burst", "best-effort", "guaranteed"],
            id="the largest excess, not the lowest class",
        ),
        pytest.param(
            "memory",
            [Candidate("junk", -5, 90, 100), Candidate("important", 1000, 101, 100)],
            ["important", "junk"],
            id="above its request goes before any priority",
        ),
        pytest.param(
            "memory",
            [Candidate("high", 10, 900, 100), Candidate("low", 0, 101, 100)],
            ["low", "high"],
            id="priority goes before excess",
        ),
        pytest.param(
            "memory",
            [Candidate("near", 0, 99, 100), Candidate("far", 0, 10, 100), Candidate("equal", 0, 100, 100)],
            ["equal", "near", "far"],
            id="below their requests the nearest goes first",
        ),
        pytest.param(
            "memory",
            [Candidate("hog", 0, 900, 100), Candidate("unmeasured", 1000, None, 5000)],
            ["unmeasured", "hog"],
            id="what was not measured goes first",
        ),
        pytest.param(
            "inodes",
            [Candidate("a", 0, 500, 0, reserved=450), Candidate("b", 0, 100)],
            ["b", "a"],
            id="inodes above the storage that is asked for, an oddity of the code",
        ),
        pytest.param(
            "pids",
            [Candidate("many", 1, 90), Candidate("few", 0, 3), Candidate("some", 0, 9)],
            ["some", "few", "many"],
            id="pids go by priority, whatever is asked for",
        ),
        pytest.param("memory", [Candidate("b"), Candidate("a")], ["a", "b"], id="equals by name"),
    ],
)
def test_who_goes_first(resource: str, pods: list[Candidate], expected: list[str]) -> None:
    assert names(rank(pods, resource)) == expected


def test_each_key_alone() -> None:
    rows = [Candidate("a", 5, 10, 20), Candidate("b", 0, 30, 20)]
    assert [names(order(rows, (key,))) for key in KEYS["memory"]] == [["b", "a"]] * 3
    assert (rows[1].exceeds, rows[1].over, rows[0].over) == (True, 10, -10)


def test_which_bytes_count_for_which_disk() -> None:
    everything = {"root", "logs", "volumes"}
    assert measured("nodefs.available") == measured("imagefs.available") == everything
    assert measured("nodefs.available", image_fs=True) == {"logs", "volumes"}
    assert measured("imagefs.available", image_fs=True) == measured("containerfs.available", image_fs=True) == {"root"}
    assert measured("nodefs.available", image_fs=True, split=True) == everything
    assert measured("containerfs.available", image_fs=True, split=True) == everything
    assert measured("imagefs.inodesFree", image_fs=True, split=True) == set()
