"""What a reader saw of a step, and what is said when it no longer holds."""

import pytest
from msgspec.structs import replace

from app import __version__
from app.errors import BadInput
from app.story import pinned
from app.story.pinned import Changed, Pin
from app.story.play import play, request

PLAYED = play(request("termination"))
N = next(row.n for row in PLAYED.steps if row.step.moment == "sigterm-sent")


def test_a_pin_reads_back_and_tells_version_time_and_outcome() -> None:
    found = pinned.pin(PLAYED, N)
    assert pinned.read(str(found)) == found
    at = PLAYED.steps[N - 1].step.at / 1000
    assert str(found).startswith(f"{__version__}~{at:g}~ok~")
    assert str(pinned.pin(PLAYED, 0)).startswith(f"{__version__}~0~start~")


def test_every_step_of_a_walk_has_a_pin_that_holds() -> None:
    for n in range(len(PLAYED.steps) + 1):
        assert pinned.changes(PLAYED, n, pinned.read(str(pinned.pin(PLAYED, n)))) == ()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"outcome": "conflict", "step": "0000"}, Changed("outcome", "conflict", "ok")),
        ({"at": "1.5"}, Changed("time", "1.5", f"{PLAYED.steps[N - 1].step.at / 1000:g}")),
        ({"step": "0000"}, Changed("step", "", PLAYED.steps[N - 1].id)),
        ({"words": "0000"}, Changed("words", "", pinned.words_at(PLAYED, N))),
        ({"verdicts": "0000"}, Changed("verdicts", "", "; ".join(row.text for row in PLAYED.verdicts))),
        ({"version": "0.0.1"}, Changed("version", "0.0.1", __version__)),
    ],
)
def test_what_no_longer_holds_is_said_as_it_was_and_as_it_is(change: dict[str, str], told: Changed) -> None:
    seen = replace(pinned.pin(PLAYED, N), **change)
    found = pinned.changes(PLAYED, N, seen)
    assert found == (told,)
    assert pinned.behaves(found) == (() if told.what == "version" else (told,))


def test_another_walk_has_other_verdicts() -> None:
    quiet = play(request("termination", settings=[("prestop", "5s")]))
    assert pinned.pin(quiet, 0).verdicts != pinned.pin(PLAYED, 0).verdicts


@pytest.mark.parametrize("text", ["", "1", "0.1.0~1~ok", "0.1.0~1~ok~aaaa.bbbb.ccccc", "0.1.0~1~<b>~aaaa.bbbb.cccc"])
def test_what_is_no_pin_is_refused_in_words(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        pinned.read(text)
    assert "VERSION~SECONDS~OUTCOME~STEP.WORDS.VERDICTS" in refused.value.problems[0]


def test_a_pin_is_a_value() -> None:
    assert pinned.read("0.1.0~-0.25~not-found~0a1b.2c3d.4e5f") == Pin(
        "0.1.0", "-0.25", "not-found", "0a1b", "2c3d", "4e5f"
    )
