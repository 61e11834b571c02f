"""`loopscope sweep`: one setting over a range."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from app.commands import given


def add(commands: Any) -> None:
    sweep = commands.add_parser("sweep", help="one setting over a range, and what a verdict says at each value")
    sweep.add_argument("flow")
    sweep.add_argument("over", metavar="SETTING")
    sweep.add_argument("verdict", metavar="VERDICT")
    sweep.add_argument("--from", default="", metavar="VALUE", dest="first")
    sweep.add_argument("--to", default="", metavar="VALUE", dest="last")
    sweep.add_argument("--step", default="", metavar="VALUE")
    sweep.add_argument("-f", "--file", action="append", default=[], type=Path, metavar="FILE|DIR")
    sweep.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings")
    sweep.add_argument("--scene", default="")
    sweep.add_argument("--search", action="store_true", help="search other orders and lags at every value")
    sweep.add_argument("--format", choices=("text", "json", "svg"), default="text")
    sweep.add_argument("-o", "--output", type=Path, metavar="FILE")
    sweep.set_defaults(run=_sweep)


def _sweep(asked: argparse.Namespace) -> int:
    from app.story import sweeping
    from app.story.play import request
    from app.story.report import as_json

    walk = request(
        asked.flow,
        settings=[given.setting(text) for text in asked.settings],
        scene=asked.scene,
        manifest=given.manifests(asked.file) if asked.file else None,
    )
    wanted = sweeping.sweep(
        walk, asked.over, asked.verdict, first=asked.first, last=asked.last, step=asked.step, search=asked.search
    )
    points = tuple(sweeping.point(wanted, value) for value in wanted.values)
    match asked.format:
        case "json":
            text = as_json(sweeping.report(wanted, points))
        case "svg":
            from app.diagram import chart, render_svg

            text = render_svg(chart(wanted, points, asked.verdict), standalone=True, theme="light")
        case _:
            text = "".join(f"{sweeping.line(point)}\n" for point in points)
    given.write(text, asked.output)
    return 0
