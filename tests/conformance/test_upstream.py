import pytest

from tests.conformance.areas import ADAPTERS
from tests.conformance.cases import OURS, Case, actual, all_cases, differences, folder

CASES = all_cases(folder())


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.area}.{case.id}") for case in CASES])
def test_upstream(case: Case) -> None:
    assert case.area in ADAPTERS, f"area {case.area} of {case.stem} is not answered"
    assert not differences(case.expect, actual(ADAPTERS[case.area], case))


def test_every_area_has_cases() -> None:
    """Among our own: others may leave areas out."""
    assert {case.area for case in all_cases(OURS)} == set(ADAPTERS)
