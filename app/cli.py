"""The command line: the same walks, verdicts and pictures as the pages."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from app import __version__
from app.commands import (
    configuring,
    database,
    exporting,
    flows,
    inspecting,
    linking,
    overlaying,
    reviewing,
    running,
    serving,
    sweeping,
    verifying,
)
from app.errors import BadInput, LoopscopeError

FAMILIES = (
    serving,
    flows,
    running,
    sweeping,
    verifying,
    inspecting,
    overlaying,
    exporting,
    linking,
    reviewing,
    database,
    configuring,
)
"""In the order in which --help lists them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 when all is well, 1 when a check fails, 2 for bad input."""
    asked = parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = asked.run
    try:
        return run(asked)
    except BadInput as error:
        print("\n".join(error.problems), file=sys.stderr)
    except LoopscopeError as error:
        print(error, file=sys.stderr)
    except BrokenPipeError:
        # The reader of our output went away; that is its right.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return 2


def parser() -> argparse.ArgumentParser:
    """Every command and option."""
    top = argparse.ArgumentParser(prog="loopscope", description="Step through what a Kubernetes cluster's loops do.")
    top.add_argument("--version", action="version", version=f"loopscope {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for family in FAMILIES:
        family.add(commands)
    return top


if __name__ == "__main__":
    raise SystemExit(main())
