import pytest

from app.kube.ages import age, go_duration, human_duration

MINUTE, HOUR, DAY = 60, 3_600, 86_400


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-2, "<invalid>"),
        (-1.999, "0s"),
        (-0.5, "0s"),
        (0, "0s"),
        (0.999, "0s"),
        (119.9, "119s"),
        (2 * MINUTE, "2m"),
        (2 * MINUTE + 5, "2m5s"),
        (10 * MINUTE - 1, "9m59s"),
        (10 * MINUTE, "10m"),
        (3 * HOUR - 1, "179m"),
        (3 * HOUR, "3h"),
        (3 * HOUR + 5 * MINUTE, "3h5m"),
        (8 * HOUR - 1, "7h59m"),
        (8 * HOUR + 30 * MINUTE, "8h"),
        (2 * DAY - 1, "47h"),
        (2 * DAY, "2d"),
        (2 * DAY + 2 * HOUR, "2d2h"),
        (8 * DAY - 1, "7d23h"),
        (8 * DAY + 5 * HOUR, "8d"),
        (2 * 365 * DAY - 1, "729d"),
        (2 * 365 * DAY, "2y"),
        (3 * 365 * DAY + 20 * DAY, "3y20d"),
        (8 * 365 * DAY + 20 * DAY, "8y"),
    ],
)
def test_human_duration(seconds: float, text: str) -> None:
    assert human_duration(round(seconds * 1000)) == text


def test_age() -> None:
    assert age(None, 5_000) == "<unknown>"
    assert age(1_000, 5_999) == "4s"


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "0s"),
        (250, "250ms"),
        (1_500, "1.5s"),
        (10_000, "10s"),
        (1_234, "1.234s"),
        (80_000, "1m20s"),
        (300_000, "5m0s"),
        (3_600_000, "1h0m0s"),
    ],
)
def test_go_duration(milliseconds: int, text: str) -> None:
    assert go_duration(milliseconds) == text
