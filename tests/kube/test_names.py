import re

import pytest

from app.kube.names import generated_suffix, template_hash
from app.kube.pods import Container, PodSpec, PodTemplateSpec


def template(image: str) -> PodTemplateSpec:
    return PodTemplateSpec(spec=PodSpec(containers=(Container(name="web", image=image),)))


@pytest.mark.parametrize("number", range(50))
def test_a_template_hash_looks_like_a_real_one(number: int) -> None:
    """`web-77c554bd64` in the recordings: decimal digits, safely encoded."""
    assert re.fullmatch("[456789bcdf]{8,10}", template_hash(template(f"web:{number}")))


def test_equal_templates_have_one_hash_and_others_another() -> None:
    assert template_hash(template("web:1")) == template_hash(template("web:1"))
    assert template_hash(template("web:1")) != template_hash(template("web:2"))


def test_the_hash_is_fixed_for_all_processes() -> None:
    """An empty template is `{}` on the wire; its 32-bit FNV-1a in decimal digits, each digit encoded."""
    value = 0x811C9DC5
    for byte in b"{}":
        value = (value ^ byte) * 0x01000193 % 2**32
    assert template_hash(PodTemplateSpec()) == "".join("456789bcdf"[int(digit)] for digit in str(value))


def test_suffixes_differ_by_owner_and_count() -> None:
    made = [generated_suffix(owner, count) for owner in ("u-1", "u-2") for count in range(100)]
    assert len(set(made)) == len(made)
    assert all(re.fullmatch("[bcdfghjklmnpqrstvwxz2456789]{5}", suffix) for suffix in made)
