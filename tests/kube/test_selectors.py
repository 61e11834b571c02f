"""Label selectors of a command line."""

import pytest

from app.kube.selectors import parse
from app.kube.stringmap import StringMap

LABELS = StringMap({"app": "web", "tier": "front"})


@pytest.mark.parametrize(
    ("text", "selects"),
    [
        ("app=web", True),
        ("app==web", True),
        ("app=db", False),
        ("app!=db", True),
        ("track!=canary", True),
        ("app!=web", False),
        ("tier", True),
        ("canary", False),
        ("!canary", True),
        ("app=web,tier=front", True),
        ("app=web, tier=back", False),
    ],
)
def test_what_a_selector_selects(text: str, selects: bool) -> None:
    assert parse(text).selects(LABELS) is selects


@pytest.mark.parametrize("text", ["", "app in (web)", "=web", "!app=web", "app=web,"])
def test_what_is_no_selector(text: str) -> None:
    with pytest.raises(ValueError, match="allowed: KEY=VALUE"):
        parse(text)
