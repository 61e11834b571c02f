"""What can be typed: every command of the command line with its options."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from app import __version__

FORMATS = ("text", "json", "watch", "md", "mmd", "svg")


class _Order(argparse.Action):
    """Keeps --do and --pick in the order in which they stand on the line."""

    def __call__(self, _parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        kind = "do" if option_string == "--do" else "pick"
        namespace.choices = [*(namespace.choices or []), (kind, values)]


def parser() -> argparse.ArgumentParser:
    """Every command and option."""
    top = argparse.ArgumentParser(prog="loopscope", description="Step through what a Kubernetes cluster's loops do.")
    top.add_argument("--version", action="version", version=f"loopscope {__version__}")
    commands = top.add_subparsers(dest="command", required=True)

    serve = commands.add_parser("serve", help="start the web server")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=int, default=8000)

    flows = commands.add_parser("flows", help="list the flows")
    flows.add_argument("--json", action="store_true", dest="as_json")

    check = commands.add_parser("check", help="check every flow, and what of a coverage list they teach")
    check.add_argument("--coverage", type=Path, metavar="FILE")
    check.add_argument("--format", choices=("text", "json"), default="text")

    run = commands.add_parser("run", help="run a flow and print its walk")
    run.add_argument("flow")
    _walk_options(run)
    run.add_argument("--search", action="store_true", help="search other orders and lags for every verdict")
    run.add_argument("--words", default="", metavar="NAME", help="tell it in other words, where the flow has some")
    run.add_argument("--format", choices=FORMATS, default="text")
    run.add_argument("--view", choices=("messages", "cluster", "timeline"), default="timeline")
    run.add_argument("--step", default="", help="the step that a picture or prose ends at")
    run.add_argument("-o", "--output", type=Path, metavar="FILE")

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

    verify = commands.add_parser("verify", help="hold claims against manifests; 1 when one does not hold")
    verify.add_argument("-f", "--file", action="append", default=[], type=Path, metavar="FILE|DIR")
    verify.add_argument("--claim", action="append", default=[], metavar="'[FLOW:] NAME [OP VALUE]'", dest="texts")
    verify.add_argument("--claims", action="append", default=[], type=Path, metavar="FILE")
    verify.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings")
    verify.add_argument(
        "--search", action="store_true", help="claims must hold in every order and lag that is searched"
    )
    verify.add_argument("--format", choices=("text", "json"), default="text")
    verify.add_argument("-o", "--output", type=Path, metavar="FILE")
    _inspect_options(commands)
    _overlay_options(commands)
    return top


def _inspect_options(commands: Any) -> None:
    inspect = commands.add_parser(
        "inspect",
        help="what Kubernetes computes from manifests, and what in them will cause trouble",
        description="Tells what Kubernetes computes from manifests without running anything, and what in them will "
        "cause trouble.",
        epilog="Exit status: 0 when nothing was found of the severity of --fail-on or worse, 1 when something was, "
        "2 when a manifest cannot be read.",
    )
    inspect.add_argument("-f", "--file", action="append", required=True, type=Path, metavar="FILE|DIR")
    inspect.add_argument(
        "--fail-on",
        choices=("error", "warning", "note", "never"),
        default="warning",
        help="the mildest finding that makes the exit status 1 (default: warning)",
    )
    inspect.add_argument("--format", choices=("text", "json", "sarif"), default="text")
    inspect.add_argument("-o", "--output", type=Path, metavar="FILE")


def _walk_options(command: argparse.ArgumentParser) -> None:
    """What decides a walk besides its flow."""
    command.add_argument("-f", "--file", action="append", default=[], type=Path, metavar="FILE|DIR")
    command.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings")
    command.add_argument("--do", action=_Order, metavar="'[AT] VERB ARG…'", dest="choices")
    command.add_argument("--pick", action=_Order, metavar="STEP!ACTION[@SECONDS]", dest="choices")
    command.add_argument("--scene", default="")
    command.add_argument("--until", default="")


def _overlay_options(commands: Any) -> None:
    overlay = commands.add_parser(
        "overlay",
        help="hold a recording of your own cluster against a walk, on one clock",
        description="Holds a recording of your own cluster against a walk, on one clock: what matches, what the model "
        "did not expect (only recorded), what it expected and did not see (only modelled).",
        epilog="RECORDING is a list of entries with t, kind, object, event and changes, as `loopscope run --format "
        "watch` prints it, or an object that has it as trace: t = 0 is that of the walk. Or it is what `kubectl get "
        "events -o json` prints, or `kubectl get … -w -o json`, best with --output-watch-events, which tells of "
        "deletions, and --show-managed-fields, which tells when objects were written: it is put where most of what "
        "matches has the same time. Several watches may follow one another. `-` reads standard input. Generated names "
        "are matched by what made them and by order of appearance. Exit status: 0 when both could be read, 2 when not.",
    )
    overlay.add_argument("recording", type=Path, metavar="RECORDING")
    overlay.add_argument("flow", nargs="?", default="sandbox", help="the flow to walk (default: sandbox)")
    _walk_options(overlay)
    overlay.add_argument(
        "--since", default="", metavar="TIME", help="leave out what was recorded before: a date, or 5m after the first"
    )
    overlay.add_argument(
        "--tolerance", default="1s", metavar="TIME", help="by so much times may differ (default: 1s; 6 %% in any case)"
    )
    overlay.add_argument("--format", choices=("text", "json"), default="text")
    overlay.add_argument("-o", "--output", type=Path, metavar="FILE")
    overlay.set_defaults(words="")
