"""`loopscope report`: the report of a review."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from app.commands import given

FORMS = ("md", "html", "pdf")


def add(commands: Any) -> None:
    report = commands.add_parser(
        "report",
        help="the report of a review: question, verdicts, comparison, steps, what is left out",
        description="Question, verdicts with the steps that decide them, the other variant beside this one, symptoms, "
        "the steps that matter, what it ran on, and what is assumed and not modelled. No value of a Secret is in it.",
    )
    report.add_argument("flow")
    given.walk_options(report)
    report.add_argument("--words", default="", metavar="NAME", help="tell it in other words, where the flow has some")
    report.add_argument("--title", default="", help="of the report (default: that of the flow)")
    report.add_argument("--question", default="", help="what the review is to answer")
    report.add_argument(
        "--against",
        default="",
        metavar="QUERY",
        help="another variant of the walk, as an address has it after the ?, such as 'set.prestop=15s'",
    )
    report.add_argument("--depth", choices=("junior", "middle", "senior", "principal"), default="middle")
    report.add_argument("--theme", choices=("light", "dark"), default="", help="of an HTML file")
    report.add_argument("--form", choices=FORMS, default="md")
    report.add_argument("-o", "--output", type=Path, metavar="FILE")
    report.set_defaults(run=_report)


def _report(asked: argparse.Namespace) -> int:
    write(asked, title=asked.title, question=asked.question, against=asked.against)
    return 0


def write(asked: argparse.Namespace, *, title: str = "", question: str = "", against: str = "") -> None:
    """Also for `loopscope export --form pdf`."""
    from app.export.asked import Asked
    from app.export.reporting import reported
    from app.export.review import Subject
    from app.story.play import play

    walk = given.walk(asked)
    played = play(walk)
    subject = Subject(title=title, question=question, against=_other(walk, against) if against else None)
    wanted = Asked(form="report", last=len(played.steps), theme=asked.theme, depth=asked.depth)
    file = reported(asked.form, played, wanted, subject)
    given.write(file.body, asked.output)


def _other(walk: Any, text: str) -> Any:
    """The same walk with other settings, another scene or other choices; on the same manifests."""
    from msgspec.structs import replace

    from app.errors import BadInput
    from app.story.play import play
    from app.web.address import parse

    query = parse(text.removeprefix("?"))
    if query.manifest:
        raise BadInput(["--against: m names a manifest that a server keeps; the other variant runs on the same files"])
    try:
        return play(replace(walk, settings=query.settings, scene=query.scene, choices=query.choices))
    except BadInput as error:
        raise BadInput([f"--against: {problem}" for problem in error.problems]) from None
