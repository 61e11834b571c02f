import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.kube import durations


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("0s", 0),
        ("300ms", 300),
        ("5s", 5_000),
        ("2m", 120_000),
        ("1h30m", 5_400_000),
        ("1m30s", 90_000),
        ("1s500ms", 1_500),
        ("1h1ms", 3_600_001),
        ("90s", 90_000),
        ("1500ms", 1_500),
    ],
)
def test_a_duration_is_read(text: str, milliseconds: int) -> None:
    assert durations.parse(text) == milliseconds


@pytest.mark.parametrize(
    "text", ["", "s", "five", "-1s", "1.5s", "5 s", "1s1m", "1s1s", "5S", "٣s", "1d", "9" * 5000 + "s"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a duration is written 300ms, 5s, 2m or 1h30m"):
        durations.parse(text)


def test_a_bare_number_is_refused_with_the_likely_meaning() -> None:
    with pytest.raises(
        ValueError, match=r'^found "30"; a duration is written 300ms, 5s, 2m or 1h30m; did you mean 30s\?$'
    ):
        durations.parse("30")


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(0, "0s"), (300, "300ms"), (1_500, "1s500ms"), (90_000, "1m30s"), (5_400_000, "1h30m"), (30_000, "30s")],
)
def test_a_duration_is_written_in_the_shortest_way(milliseconds: int, text: str) -> None:
    assert durations.format(milliseconds) == text


@given(st.integers(0, 10**10))
def test_what_is_written_reads_back(milliseconds: int) -> None:
    assert durations.parse(durations.format(milliseconds)) == milliseconds
