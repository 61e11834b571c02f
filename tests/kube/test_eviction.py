from app.kube.eviction import Memory, look
from app.kube.eviction_thresholds import MEMORY, Amount, Observation, Threshold

HARD = Threshold(MEMORY, Amount("1000"), min_reclaim=Amount("500"))
SOFT = Threshold(MEMORY, Amount("2000"), 30_000)
PERIOD = 60_000


def after(memory: Memory, available: int, now: int) -> tuple[Memory, list[Threshold], list[str]]:
    found = look(memory, [HARD, SOFT], {MEMORY: Observation(available)}, PERIOD, now)
    return found.memory, found.acted_on, found.memory.pressures(PERIOD, now)


def test_nothing_is_remembered_of_a_node_at_ease() -> None:
    assert after(Memory(), 5_000, 0) == (Memory(), [], [])


def test_a_soft_threshold_reports_at_once_and_acts_after_its_grace() -> None:
    memory, acted_on, pressures = after(Memory(), 1_500, 0)
    assert (acted_on, pressures) == ([], ["MemoryPressure"])
    memory, acted_on, _ = after(memory, 1_500, 29_999)
    assert acted_on == []
    memory, acted_on, _ = after(memory, 1_500, 30_000)
    assert acted_on == [SOFT]
    assert after(memory, 2_000, 40_000)[1] == []


def test_a_hard_threshold_acts_until_its_minimum_is_reclaimed() -> None:
    memory, acted_on, _ = after(Memory(), 900, 0)
    assert acted_on == [HARD]
    memory, acted_on, _ = after(memory, 1_499, 1_000)
    assert acted_on == [HARD]
    memory, acted_on, _ = after(memory, 1_500, 2_000)
    assert acted_on == []


def test_the_condition_goes_a_whole_period_after_it_was_last_observed() -> None:
    memory, _, _ = after(Memory(), 900, 0)
    memory = memory.looked(20_000)
    memory, _, pressures = after(memory, 9_000, 30_000)
    assert (memory.observed, pressures) == ((("MemoryPressure", 20_000),), ["MemoryPressure"])
    assert memory.looked(40_000) == memory
    assert after(memory, 9_000, 79_999)[2] == ["MemoryPressure"]
    assert after(memory, 9_000, 80_000) == (Memory(), [], [])
