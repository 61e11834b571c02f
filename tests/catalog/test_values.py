import pytest

from app.catalog import values
from app.catalog.flow import Setting
from app.sim.lags import Lag


def setting(type: str, default: str = "", **more: object) -> Setting:
    return Setting(name="x", title="X", type=type, default=default, **more)  # type: ignore[arg-type]


GRACE = setting("duration", "30s", least="0s", most="10m", step="1s")
RATE = setting("count", "50", least="1", most="1000")
TERM = setting("choice", "exit", choices=("exit", "drain=10s", "ignore"), open_choices=True)
PULL = setting("choice", "6s", choices=("6s", "not-found"), open_choices=True)
FORCE = setting("switch", "false")
LAG = setting("lag", "0s..1ms..10ms", most="10s")


@pytest.mark.parametrize(
    ("setting", "text", "value"),
    [
        (GRACE, "5s", "5s"),
        (GRACE, " 90s ", "1m30s"),
        (GRACE, "0s", "0s"),
        (GRACE, "10m", "10m"),
        (RATE, "1", "1"),
        (RATE, "1000", "1000"),
        (TERM, "exit", "exit"),
        (TERM, "drain=10s", "drain=10s"),
        (TERM, "drain=7000ms", "drain=7s"),
        (TERM, "exit=2s", "exit=2s"),
        (PULL, "not-found", "not-found"),
        (PULL, "90s", "1m30s"),
        (FORCE, "true", "true"),
        (LAG, "50ms..100ms..1s", "50ms..100ms..1s"),
        (LAG, "3ms", "3ms..3ms..3ms"),
    ],
)
def test_an_allowed_value_has_one_spelling(setting: Setting, text: str, value: str) -> None:
    assert values.canonical(setting, text) == value
    assert values.canonical(setting, value) == value


@pytest.mark.parametrize(
    ("default", "text", "value"),
    [
        ("0s..1ms..10ms", "0s..50ms", "0s..1ms..50ms"),
        ("0s..1ms..10ms", "50ms..1s", "50ms..50ms..1s"),
        ("0s..20ms..30ms", "0s..10ms", "0s..10ms..10ms"),
        ("5ms", "1ms..9ms", "1ms..5ms..9ms"),
        ("2ms..9ms", "1ms..9ms", "1ms..1ms..9ms"),
    ],
    ids=["default's usual inside", "below", "above", "default of one part", "default without a usual"],
)
def test_of_two_parts_the_usual_is_as_near_to_the_default_as_they_allow(default: str, text: str, value: str) -> None:
    assert values.canonical(setting("lag", default), text) == value


@pytest.mark.parametrize(
    ("setting", "text", "message"),
    [
        (
            GRACE,
            "5",
            (
                'found "5"; allowed: a duration such as 300ms, 5s, 2m or 1h30m from 0s up to 10m in steps of 1s; '
                "did you mean 5s?"
            ),
        ),
        (GRACE, "11m", None),
        (GRACE, "1500ms", None),
        (GRACE, "-1s", None),
        (GRACE, "", None),
        (RATE, "0", 'found "0"; allowed: a whole number from 1 up to 1000'),
        (RATE, "1001", None),
        (RATE, "ten", None),
        (RATE, "１０", None),
        (RATE, "007", None),
        (
            TERM,
            "drian=5s",
            'found "drian=5s"; allowed: exit, drain=10s, ignore, where the value after = may be another',
        ),
        (
            TERM,
            "drain",
            (
                'found "drain"; allowed: exit, drain=10s, ignore, where the value after = may be another; '
                "say how much, as in drain=10s"
            ),
        ),
        (TERM, "drain=long", None),
        (TERM, "ignore=", None),
        (FORCE, "yes", 'found "yes"; allowed: true, false; write true'),
        (FORCE, "maybe", 'found "maybe"; allowed: true, false'),
        (
            LAG,
            "9ms..1ms",
            (
                'found "9ms..1ms"; allowed: LEAST..USUAL..MOST, LEAST..MOST or one duration, such as 50ms..1s, '
                "each up to 10s; the least comes first and the most last"
            ),
        ),
        (LAG, "1ms..2ms..3ms..4ms", None),
        (LAG, "1ms..", None),
        (LAG, "1ms..11s", None),
    ],
)
def test_a_refusal_says_what_was_found_and_what_is_allowed(setting: Setting, text: str, message: str | None) -> None:
    with pytest.raises(ValueError, match=r"^found .*; allowed: ") as refused:
        values.canonical(setting, text)
    assert message is None or str(refused.value) == message


def test_choices_that_are_not_open_take_no_other_value() -> None:
    with pytest.raises(ValueError, match='found "drain=5s"; allowed: exit, drain=10s;'):
        values.canonical(setting("choice", "exit", choices=("exit", "drain=10s")), "drain=5s")


def test_a_lag_is_read_from_its_one_spelling() -> None:
    assert values.lag("0s..1ms..1s") == Lag(0, 1, 1000)
