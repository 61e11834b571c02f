"""Each broken flow gives exactly the messages in its first comments."""

from pathlib import Path

import pytest

from app.catalog.checking import Known, check_flow, lanes
from app.catalog.flow import Flow
from app.catalog.goals import GOALS
from app.catalog.reading import read_flow
from app.catalog.scripts import API
from app.catalog.targets import FORMS
from app.kube.objects import KINDS
from app.loops.registry import LOOPS
from app.sim.lags import DEFAULT_LAGS
from app.sim.maps import ordered_keys
from app.story.claims import parse

HERE = Path(__file__).parent
BROKEN = sorted((HERE / "broken").glob("*.yaml"))
CLUSTER = (HERE / "data/flows/race/cluster.yaml").read_bytes()
KNOWN = Known(("killed", "requests-failed"), lambda claim: parse(claim, {"killed": 1, "requests-failed": 2}))

# Lists that grow with the code; a comment names them in double braces.
GROWING = {
    "lanes": lanes(),
    "lags": ordered_keys(DEFAULT_LAGS),
    "processes": dict.fromkeys((*(loop.process for loop in LOOPS if loop.process and not loop.commands), API)),
    "forms": FORMS.values(),
    "goals": GOALS,
    "keys": [
        name
        for name in Flow.__struct_fields__
        if name not in ("cluster", "digest", "not_modelled", "short", "terms", "wordings")
    ],
    "acting": [*(loop.name for loop in LOOPS), "api-server", "you"],
    "kinds": sorted(kind.lower() for kind in KINDS),
    "loops": dict.fromkeys(name for loop in LOOPS for name in (loop.process, loop.name) if name),
}


def messages(text: bytes) -> list[str]:
    source, problems = read_flow("broken", text, CLUSTER, place="broken")
    return source.told(check_flow(source.flow, KNOWN)) if source else problems


def comments(text: str) -> list[str]:
    lines = text.splitlines()
    first = next(at for at, line in enumerate(lines) if not line.startswith("# "))
    return [filled(line.removeprefix("# ")) for line in lines[:first]]


def filled(text: str) -> str:
    for name, row in GROWING.items():
        text = text.replace(f"{{{{{name}}}}}", ", ".join(row))
    return text


@pytest.mark.parametrize("file", BROKEN, ids=lambda file: file.stem)
def test_a_broken_flow_says_what_is_wrong_where_and_what_is_allowed(file: Path) -> None:
    assert messages(file.read_bytes()) == comments(file.read_text())
