"""Every manifest of the corpus through whole walks: a walk, or an error that names what cannot be."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from app.catalog.reading import flows
from app.errors import BadInput
from app.story.play import play, request
from app.story.text import plain

DATA = Path(__file__).parent / "data" / "manifests"
FILES = sorted(DATA.rglob("*.y*ml"))
REFUSED = {"int-or-string.yaml", "refused.yaml", "unicode.yaml"}
"""What the API server would not take either."""


@pytest.mark.parametrize("file", FILES, ids=[str(path.relative_to(DATA)) for path in FILES])
def test_the_sandbox_takes_all_that_an_api_server_takes(file: Path) -> None:
    asked = request("sandbox", manifest={file.name: file.read_text(encoding="utf-8")})
    if file.name in REFUSED:
        with pytest.raises(BadInput, match=file.name):
            play(asked)
    else:
        assert plain(play(asked))


@pytest.mark.parametrize("flow", sorted(set(flows()) - {"sandbox"}))
def test_a_flow_runs_on_a_manifest_or_says_what_it_lacks(flow: str) -> None:
    ran = 0
    for file in FILES:
        # Anything but these errors is a fault of ours.
        with contextlib.suppress(BadInput):
            played = play(request(flow, manifest={file.name: file.read_text(encoding="utf-8")}))
            ran += bool(played.walk.stopped)
    assert ran >= len(FILES) // 4
