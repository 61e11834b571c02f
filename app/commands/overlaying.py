"""`loopscope overlay`: a recording held against a walk."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from app.commands import given
from app.errors import BadInput


def add(commands: Any) -> None:
    overlay = commands.add_parser(
        "overlay",
        help="hold a recording of your own cluster against a walk, on one clock",
        description="Holds a recording of your own cluster against a walk, on one clock: what matches, what the model "
        "did not expect (only recorded), what it expected and did not see (only modelled).",
        epilog="RECORDING is a list of entries with t, kind, object, event and changes, as `loopscope run --format "
        "watch` prints it, or an object that has it as trace: t = 0 is that of the walk. Or it is what `kubectl get "
        "events -o json` prints, or `kubectl get … -w -o json`, best with --output-watch-events, which tells of "
        "deletions, and --show-managed-fields, which tells when objects were written: it is put where most of what "
        "matches has the same time. -o yaml does as well. Several watches may follow one another, and full lists: what "
        "is in no later list of its kind is gone. `-` reads standard input. Generated names are matched by what made "
        "them and by order of appearance, nodes by what came to them. Exit status: 0 when both could be read, 2 when "
        "not.",
    )
    overlay.add_argument("recording", type=Path, metavar="RECORDING")
    overlay.add_argument("flow", nargs="?", default="sandbox", help="the flow to walk (default: sandbox)")
    given.walk_options(overlay)
    overlay.add_argument(
        "--since", default="", metavar="TIME", help="leave out what was recorded before: a date, or 5m after the first"
    )
    overlay.add_argument(
        "--tolerance", default="1s", metavar="TIME", help="by so much times may differ (default: 1s; 6 %% in any case)"
    )
    overlay.add_argument("--format", choices=("text", "json"), default="text")
    overlay.add_argument("-o", "--output", type=Path, metavar="FILE")
    overlay.set_defaults(words="")
    overlay.set_defaults(run=_overlay)


def _overlay(asked: argparse.Namespace) -> int:
    from app.kube import durations
    from app.story import overlay_text, recordings
    from app.story.overlaying import overlay
    from app.story.play import play
    from app.story.report import as_json

    try:
        tolerance = durations.parse(asked.tolerance) / 1000
    except ValueError as error:
        raise BadInput([f"--tolerance: {error}"]) from None
    ((source, text),) = given.manifests([asked.recording]).items()
    recording = recordings.read(text, source)
    if asked.since:
        recording = recordings.since(recording, asked.since)
    played = play(given.walk(asked))
    found = overlay(recording, played.walk, tolerance)
    as_text = asked.format == "text"
    told = overlay_text.plain(recording, found) if as_text else as_json(overlay_text.report(recording, found, played))
    given.write(told, asked.output)
    return 0
