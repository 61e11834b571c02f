from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.kube import quantity


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("1", 1),
        ("+1", 1),
        ("-1", -1),
        ("250m", Fraction(1, 4)),
        ("100u", Fraction(1, 10_000)),
        ("100n", Fraction(1, 10**7)),
        ("0.5", Fraction(1, 2)),
        (".5", Fraction(1, 2)),
        ("1.", 1),
        ("2k", 2_000),
        ("3M", 3 * 10**6),
        ("4G", 4 * 10**9),
        ("5T", 5 * 10**12),
        ("6P", 6 * 10**15),
        ("7E", 7 * 10**18),
        ("1Ki", 1_024),
        ("128Mi", 128 * 2**20),
        ("1.5Gi", 3 * 2**29),
        ("2Ti", 2**41),
        ("1Pi", 2**50),
        ("1Ei", 2**60),
        ("1e3", 1_000),
        ("1E3", 1_000),
        ("12e-1", Fraction(6, 5)),
        ("1E", 10**18),
    ],
)
def test_every_spelling_is_read_exactly(text: str, number: int | Fraction) -> None:
    assert quantity.parse(text) == number


def test_fractions_round_up_as_kubernetes_rounds_them() -> None:
    assert quantity.value("100m") == 1
    assert quantity.value("1.1Ki") == 1_127
    assert quantity.milli_value("1n") == 1
    assert quantity.milli_value("0.5") == 500


def test_what_64_bits_cannot_hold_is_capped() -> None:
    assert quantity.parse("100Ei") == 2**63 - 1
    assert quantity.parse("1e999999999") == 2**63 - 1
    assert quantity.parse("1e-999999999") == Fraction(1, 10**9)


@pytest.mark.parametrize(
    "text", ["", "m", "1 Gi", "1mi", "1KB", "1ki", "one", "1_000", "0x10", "1e", "1..2", "٣", "1" * 5_000]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="allowed: a quantity such as 250m"):
        quantity.parse(text)


def test_a_unit_of_another_world_is_refused_with_the_likely_meaning() -> None:
    with pytest.raises(ValueError, match=r'did you mean "512M"\?$'):
        quantity.parse("512MB")


@given(st.text(max_size=80))
def test_no_text_raises_anything_else(text: str) -> None:
    with suppress(ValueError):
        assert quantity.parse(text) <= 2**63 - 1


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("1.5Gi", "1536Mi"),
        ("1024Mi", "1Gi"),
        ("100Mi", "100Mi"),
        ("0.5", "500m"),
        ("1000m", "1"),
        ("12000", "12k"),
        ("1200", "1200"),
        ("0", "0"),
        ("0Mi", "0"),
        ("0.1Ki", "102400m"),
        ("1000Ki", "1000Ki"),
    ],
)
def test_quantities_are_printed_in_one_way(text: str, printed: str) -> None:
    assert quantity.canonical(text) == printed
    assert quantity.parse(printed) == quantity.parse(text)


def test_bytes_are_printed_in_binary_units() -> None:
    assert [quantity.in_bytes(amount) for amount in (0, 1000, 1023, 1024, 463720 * 1024, 3 * 2**29, 1025)] == [
        "0", "1k", "1023", "1Ki", "463720Ki", "1536Mi", "1025",
    ]  # fmt: skip
