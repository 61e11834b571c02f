import pytest

from app.kube.eviction_thresholds import (
    ALLOCATABLE_MEMORY,
    CONTAINERFS,
    DEFAULT_HARD,
    IMAGEFS,
    MEMORY,
    NODEFS,
    PIDS,
    Amount,
    Observation,
    Threshold,
    by_urgency,
    conditions,
    first_met,
    freshly_observed,
    grace_over,
    merged,
    met,
    read,
    still_reported,
    with_container_fs,
)

GI, MI = 2**30, 2**20
HARD = Threshold(MEMORY, Amount("1Gi"))
SOFT = Threshold(MEMORY, Amount("2Gi"), 60_000)
RECLAIM = Threshold(MEMORY, Amount("1Gi"), min_reclaim=Amount("500Mi"))


def test_the_defaults_are_those_of_linux() -> None:
    found = read(DEFAULT_HARD, {}, {}, {}, enforces_pods=True)
    assert [(row.signal, row.amount.text(100 * GI)) for row in found] == [
        (MEMORY, "100Mi"),
        (NODEFS, "10737418400"),
        ("nodefs.inodesFree", "5368709200"),
        (IMAGEFS, "16106128000"),
        ("imagefs.inodesFree", "5368709200"),
        (ALLOCATABLE_MEMORY, "100Mi"),
    ]
    assert all(row.hard for row in found)


def test_only_hard_thresholds_of_memory_hold_for_the_pods_alone() -> None:
    found = read({NODEFS: "1Gi"}, {MEMORY: "2Gi"}, {MEMORY: "30s"}, {MEMORY: "10%"}, enforces_pods=True)
    assert found == (
        Threshold(NODEFS, Amount("1Gi")),
        Threshold(MEMORY, Amount("2Gi"), 30_000, Amount(part=0.1)),
    )


@pytest.mark.parametrize("text", ["0%", "100%"])
def test_a_percentage_may_switch_a_threshold_off(text: str) -> None:
    assert read({MEMORY: text}, {}, {}, {}) == ()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (({"mem.available": "1Gi"}, {}, {}, {}), 'no eviction signal "mem.available"; allowed: memory.available'),
        (({MEMORY: "0"}, {}, {}, {}), 'found "0" for memory.available; allowed: more than 0'),
        (({MEMORY: "-1Gi"}, {}, {}, {}), "allowed: more than 0"),
        (({MEMORY: "-5%"}, {}, {}, {}), "allowed: 0% to 100%"),
        (({MEMORY: "101%"}, {}, {}, {}), "allowed: 0% to 100%"),
        (({MEMORY: "x%"}, {}, {}, {}), "allowed: a percentage such as 10%"),
        (({MEMORY: "1GB"}, {}, {}, {}), "allowed: a quantity"),
        (({}, {MEMORY: "1Gi"}, {}, {}), "has no grace period"),
        (({}, {MEMORY: "1Gi"}, {MEMORY: "-30s"}, {}), "a duration is written"),
        (({}, {}, {"no.signal": "30s"}, {}), "no eviction signal"),
        (({}, {}, {}, {MEMORY: "0%"}), "allowed: more than 0%"),
        (({}, {}, {}, {MEMORY: "-1"}), "allowed: 0 or more"),
    ],
)
def test_what_no_kubelet_would_start_with(settings: tuple[dict[str, str], ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read(*settings)


def test_containerfs_follows_the_disk_that_it_lies_on() -> None:
    given = (Threshold(NODEFS, Amount("1Gi")), Threshold(IMAGEFS, Amount("2Gi")), Threshold(CONTAINERFS, Amount("9Gi")))
    assert Threshold(CONTAINERFS, Amount("1Gi")) in with_container_fs(given)
    assert Threshold(CONTAINERFS, Amount("2Gi")) in with_container_fs(given, image_fs=True)
    assert Threshold(CONTAINERFS, Amount("1Gi")) in with_container_fs(given, image_fs=True, split=True)
    assert all(
        Threshold(CONTAINERFS, Amount("9Gi")) not in with_container_fs(given, image_fs=row) for row in (False, True)
    )


@pytest.mark.parametrize(
    ("available", "with_reclaim", "expected"),
    [
        pytest.param(GI - 1, False, True, id="below"),
        pytest.param(GI, False, False, id="equal is enough"),
        pytest.param(GI, True, True, id="but not the minimum to reclaim"),
        pytest.param(GI + 500 * MI - 1, True, True, id="inside it"),
        pytest.param(GI + 500 * MI, True, False, id="reclaimed"),
    ],
)
def test_a_threshold_is_met_below_it(available: int, with_reclaim: bool, expected: bool) -> None:
    assert bool(met([RECLAIM], {MEMORY: Observation(available)}, with_reclaim=with_reclaim)) is expected


def test_what_was_not_observed_meets_nothing() -> None:
    assert met([HARD], {NODEFS: Observation(0)}) == []


def test_a_part_is_a_part_of_its_own_signal() -> None:
    row = Threshold(NODEFS, Amount(part=0.25))
    assert met([row], {NODEFS: Observation(249, 1000)}) == [row]
    assert met([row], {NODEFS: Observation(250, 1000)}) == []


def test_a_grace_counts_from_the_first_look_without_a_break() -> None:
    since = first_met([HARD, SOFT], (), 1_000)
    since = first_met([SOFT, HARD], since, 50_000)
    assert dict(since) == {HARD: 1_000, SOFT: 1_000}
    assert grace_over(since, 60_999) == [HARD]
    assert grace_over(since, 61_000) == [SOFT, HARD]
    assert dict(first_met([SOFT], first_met([HARD], since, 70_000), 80_000)) == {SOFT: 80_000}


def test_an_old_measurement_evicts_nobody() -> None:
    observed = {MEMORY: Observation(0, 0, 20_000)}
    assert freshly_observed([HARD], observed, {}) == [HARD]
    assert freshly_observed([HARD], observed, {MEMORY: Observation(0, 0, 10_000)}) == [HARD]
    assert freshly_observed([HARD], observed, observed) == []


def test_memory_goes_first_and_each_condition_is_told_once() -> None:
    disk, pids = Threshold(NODEFS, Amount("1Gi")), Threshold(PIDS, Amount("100"))
    assert by_urgency([disk, pids, SOFT, HARD]) == [HARD, SOFT, disk, pids]
    assert conditions([disk, SOFT, HARD, pids]) == ["DiskPressure", "MemoryPressure", "PIDPressure"]
    assert merged([disk, SOFT], [SOFT, HARD]) == [disk, SOFT, HARD]


def test_a_condition_outlives_its_cause_by_less_than_the_period() -> None:
    assert still_reported(0, 300_000, 299_999)
    assert not still_reported(0, 300_000, 300_000)
