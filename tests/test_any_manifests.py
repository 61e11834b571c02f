"""Every manifest of the corpus through whole walks: a walk, or an error that names what cannot be.

Each file goes through the sandbox, and through three of the other flows: with flows and files in order, file number n
through the flows number n, n + 4 and n + 8, counted round. So every flow meets a quarter of the corpus.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from app.catalog.reading import flows
from app.errors import BadInput
from app.story.play import Play, play, request
from app.story.text import plain
from tests.corpus import FILES, name_of, text_of

REFUSED = {
    "charts/cronjob-v1beta1.yaml": "no Kubernetes since 1.25 serves the old one",
    "charts/pdb-v1beta1.yaml": "no Kubernetes since 1.25 serves the old one",
    "charts/wordpress-legacy.yaml": "no Kubernetes since 1.16 serves the old one",
    "odd/int-or-string.yaml": "remove the quotes: 1",
    "odd/refused.yaml": "at most 253 of a-z, 0-9",
    "odd/unicode.yaml": "at most 253 of A-Z",
}
"""What the API server would not take either, and what it would say."""
MOST_STEPS = 2_000
"""No file holds so much that a walk of it is longer: a loop that never comes to rest would be."""

OTHERS = sorted(set(flows()) - {"sandbox"})
CHOSEN = {
    flow: [file for n, file in enumerate(FILES) if (n - at) % len(OTHERS) % 4 == 0] for at, flow in enumerate(OTHERS)
}


def walked(flow: str, file: Path) -> Play:
    found = play(request(flow, manifest={file.name: text_of(file)}))
    assert found.walk.stopped in ("goal", "quiet", "until", "stuck")
    assert len(found.steps) < MOST_STEPS
    return found


def test_the_corpus_is_large_and_varied() -> None:
    assert len(FILES) >= 200
    sizes = sorted(len(text_of(file)) for file in FILES)
    assert sizes[0] < 200
    assert sizes[-1] > 10_000
    assert {file.suffix for file in FILES} == {".yaml", ".json"}
    assert {len(CHOSEN[flow]) for flow in OTHERS} <= {len(FILES) // 4, len(FILES) // 4 + 1}


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_the_sandbox_takes_all_that_an_api_server_takes(file: Path) -> None:
    if (said := REFUSED.get(name_of(file))) is None:
        assert plain(walked("sandbox", file))
        return
    with pytest.raises(BadInput) as refused:
        walked("sandbox", file)
    assert all(problem.startswith(f"{file.name}: document ") for problem in refused.value.problems)
    assert said in "\n".join(refused.value.problems)


@pytest.mark.parametrize("flow", OTHERS)
def test_a_flow_runs_on_a_manifest_or_says_what_it_lacks(flow: str) -> None:
    ran = 0
    for file in CHOSEN[flow]:
        # Anything but these errors is a fault of ours.
        with contextlib.suppress(BadInput):
            walked(flow, file)
            ran += 1
    assert ran >= len(CHOSEN[flow]) // 4
