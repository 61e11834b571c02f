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
from app.options import parser

SUFFIXES = (".yaml", ".yml", ".json")


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
    from app.story.play import play

    played = play(_walk(asked))
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
    ((source, text),) = _manifests([asked.recording]).items()
    recording = recordings.read(text, source)
    if asked.since:
        recording = recordings.since(recording, asked.since)
    played = play(_walk(asked))
    found = overlay(recording, played.walk, tolerance)
    as_text = asked.format == "text"
    told = overlay_text.plain(recording, found) if as_text else as_json(overlay_text.report(recording, found, played))
    _write(told, asked.output)
    return 0


def _walk(asked: argparse.Namespace) -> Any:
    """The request that the options of a walk come to."""
    from app.story.play import request

    return request(
        asked.flow,
        settings=[_setting(text) for text in asked.settings],
        scene=asked.scene,
        manifest=_manifests(asked.file) if asked.file else None,
        choices=asked.choices or (),
        until=asked.until,
        words=asked.words,
    )


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
    "overlay": _overlay,
}


if __name__ == "__main__":
    raise SystemExit(main())
