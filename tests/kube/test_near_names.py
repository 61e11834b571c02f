import pytest

from app.kube.near_names import did_you_mean, distance, near_name

KNOWN = ("replicas", "selector", "template", "minReadySeconds", "paused", "image", "args", "env")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("replcias", "replicas"),
        ("replica", "replicas"),
        ("Replicas", "replicas"),
        ("minReadySecs", "minReadySeconds"),
        ("readySecs", None),
        ("minReadySecnods", "minReadySeconds"),
        ("arg", "args"),
        ("tmpl", None),
        ("imgae", "image"),
        ("", None),
        ("x", None),
        ("r" * 5_000, None),
    ],
)
def test_one_slip_in_four_letters_is_near(name: str, near: str | None) -> None:
    assert near_name(name, KNOWN) == near


def test_of_equally_near_names_the_first_in_sorted_order_is_taken() -> None:
    assert near_name("cut", ("cup", "cat")) == "cat"


def test_a_sentence_ends_with_the_near_name_or_without() -> None:
    assert did_you_mean("pasued", KNOWN) == '; did you mean "paused"?'
    assert did_you_mean("affinity", KNOWN) == ""


@pytest.mark.parametrize(
    ("left", "right", "slips"),
    [("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("kitten", "sitting", 3), ("ca", "abc", 3)],
)
def test_swapped_neighbours_count_as_one_slip(left: str, right: str, slips: int) -> None:
    assert distance(left, right) == distance(right, left) == slips
