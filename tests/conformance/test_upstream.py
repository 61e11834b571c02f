import pytest

from tests.conformance.areas import ADAPTERS, NOT_YET
from tests.conformance.cases import OURS, Case, actual, all_cases, differences, folder

CASES = all_cases()


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=f"{case.area}.{case.id}") for case in CASES if (case.stem, case.area) not in NOT_YET],
)
def test_upstream(case: Case) -> None:
    assert case.area in ADAPTERS, f"area {case.area} of {case.stem} is neither answered nor in NOT_YET"
    assert not differences(case.expect, actual(ADAPTERS[case.area], case))


def test_no_area_is_both_answered_and_awaited() -> None:
    assert not {area for _, area in NOT_YET}.intersection(ADAPTERS)


@pytest.mark.skipif(folder() != OURS, reason="other cases may leave areas out")
def test_every_area_and_pair_has_cases() -> None:
    assert {case.area for case in CASES} == {area for _, area in NOT_YET}.union(ADAPTERS)
    assert {(case.stem, case.area) for case in CASES}.issuperset(NOT_YET)
