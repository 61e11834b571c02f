"""The command line: the same walks, verdicts and pictures as the pages."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app import __version__
from app.errors import BadInput, LoopscopeError

FORMATS = ("text", "json", "watch", "md", "mmd", "svg")
SUFFIXES = (".yaml", ".yml", ".json")


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
    run.add_argument("-f", "--file", action="append", default=[], type=Path, metavar="FILE|DIR")
    run.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings")
    run.add_argument("--do", action=_Order, metavar="'[AT] VERB ARG…'", dest="choices")
    run.add_argument("--pick", action=_Order, metavar="STEP!ACTION[@SECONDS]", dest="choices")
    run.add_argument("--scene", default="")
    run.add_argument("--until", default="")
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 when all is well, 1 when a check fails, 2 for bad input."""
    asked = parser().parse_args(arguments)
    try:
        return COMMANDS[asked.command](asked)
    except BadInput as error:
        print("\n".join(error.problems), file=sys.stderr)
    except LoopscopeError as error:
        print(error, file=sys.stderr)
    except BrokenPipeError:
        # The reader of our output went away; that is its right.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return 2


def _serve(asked: argparse.Namespace) -> int:
    import uvicorn

    from app.web.application import create_app

    print(f"Loopscope {__version__} on http://{asked.host}:{asked.port}", flush=True)
    uvicorn.run(create_app(), host=asked.host, port=asked.port, log_level="warning", access_log=False)
    return 0


def _flows(asked: argparse.Namespace) -> int:
    from app.catalog.listing import listing
    from app.catalog.reading import flows
    from app.story.report import as_json

    rows = [listing(flow) for flow in flows().values()]
    if asked.as_json:
        sys.stdout.write(as_json(rows))
    else:
        for flow in flows().values():
            print(f"{flow.id:16} {flow.title}: {flow.summary}")
    return 0


def _check(asked: argparse.Namespace) -> int:
    from app.story.checks import check_all, coverage
    from app.story.report import as_json

    problems = check_all()
    if asked.coverage is not None:
        found = coverage(asked.coverage)
        if asked.format == "json":
            sys.stdout.write(as_json(found))
        else:
            print(f"covered {len(found['covered'])}, missing {len(found['missing'])}")
            print("\n".join(found["missing"]))
    elif asked.format == "json":
        sys.stdout.write(as_json({"problems": problems}))
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


def _run(asked: argparse.Namespace) -> int:
    from app.story.play import play, request

    settings = [_setting(text) for text in asked.settings]
    manifest = _manifests(asked.file) if asked.file else None
    played = play(
        request(
            asked.flow,
            settings=settings,
            scene=asked.scene,
            manifest=manifest,
            choices=asked.choices or (),
            until=asked.until,
            words=asked.words,
        )
    )
    if asked.search:
        from app.story.searching import searched

        played = searched(played)
    _write(_formatted(asked, played), asked.output)
    return 0


def _verify(asked: argparse.Namespace) -> int:
    from app.catalog import claims_file
    from app.story import verifying
    from app.story.report import as_json

    texts = _manifests(asked.file)
    beside = {name: texts.pop(name) for name in list(texts) if Path(name).name in claims_file.NAMES}
    claims = [_claim(text) for text in asked.texts]
    for name, text in {**beside, **_manifests(asked.claims)}.items():
        claims += claims_file.read(text, name)
    if not claims:
        raise BadInput([f"no claim: give --claim, --claims, or a folder with {' or '.join(claims_file.NAMES)}"])
    settings = [_setting(text) for text in asked.settings]
    found = verifying.verify(claims, texts if asked.file else None, settings=settings, search=asked.search)
    _write(as_json(verifying.report(found)) if asked.format == "json" else verifying.plain(found), asked.output)
    return 0 if found.holds else 1


def _inspect(asked: argparse.Namespace) -> int:
    from app.catalog import claims_file
    from app.inspect.inspecting import inspect
    from app.inspect.report import report
    from app.inspect.sarif import sarif
    from app.inspect.text import plain
    from app.story.report import as_json

    texts = _manifests(asked.file)
    found = inspect({name: text for name, text in texts.items() if Path(name).name not in claims_file.NAMES})
    match asked.format:
        case "json":
            told = as_json(report(found))
        case "sarif":
            told = as_json(sarif(found))
        case _:
            told = plain(found)
    _write(told, asked.output)
    return 1 if asked.fail_on != "never" and found.fails(asked.fail_on) else 0


def _claim(text: str) -> Any:
    """`termination: requests-failed == 0` names the flow that is to answer."""
    from app.catalog.claims_file import Asked

    flow, colon, rest = text.partition(":")
    return Asked(rest.strip(), flow=flow.strip()) if colon else Asked(text.strip())


def _sweep(asked: argparse.Namespace) -> int:
    from app.story import sweeping
    from app.story.play import request
    from app.story.report import as_json

    walk = request(
        asked.flow,
        settings=[_setting(text) for text in asked.settings],
        scene=asked.scene,
        manifest=_manifests(asked.file) if asked.file else None,
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
    _write(text, asked.output)
    return 0


def _formatted(asked: argparse.Namespace, played: Any) -> str:
    from app.story import report, text, watch
    from app.story.play import position

    n = position(played, asked.step) if asked.step else len(played.steps)
    match asked.format:
        case "json":
            return report.as_json(report.report(played))
        case "watch":
            return report.as_json(watch.trace(played.walk))
        case "md":
            return text.markdown(played, n)
        case "mmd":
            from app.diagram import mermaid

            return mermaid(played.walk, n, played.flow)
        case "svg":
            from app.diagram import picture, render_svg

            return render_svg(picture(asked.view, played.walk, n, played.flow), standalone=True, theme="light")
        case _:
            return text.plain(played)


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise BadInput([f"--set {text!r}: the form is NAME=VALUE"])
    return name, value


def _manifests(paths: list[Path]) -> dict[str, str]:
    """Every file's text by its name, of a folder every YAML and JSON file in it; `-` reads standard input."""
    texts: dict[str, str] = {}
    problems: list[str] = []
    for path in paths:
        within = _within(path) if path.is_dir() else [path]
        if not within:
            problems.append(f"{path}: found no file in this folder that ends in {', '.join(SUFFIXES)}")
        for file in within:
            try:
                texts[str(file)] = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                problems.append(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}")
    if problems:
        raise BadInput(problems)
    return texts


def _within(folder: Path) -> list[Path]:
    """The manifests of a folder and of those in it, in order; what is hidden is left alone."""
    found = [path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file()]
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts))


def _write(text: str, path: Path | None) -> None:
    """To standard output, or to a file that is complete or not there at all."""
    if path is None:
        sys.stdout.write(text)
        return
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise BadInput([f"{path}: cannot be written: {error.strerror}"]) from None


COMMANDS = {
    "serve": _serve,
    "flows": _flows,
    "check": _check,
    "run": _run,
    "sweep": _sweep,
    "verify": _verify,
    "inspect": _inspect,
}


if __name__ == "__main__":
    raise SystemExit(main())
