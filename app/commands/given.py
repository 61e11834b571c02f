"""What several commands are given: a walk, manifests, a file to write to."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from app.errors import BadInput

FILES = {"apply": 0, "write-manifest": 1}
"""By verb, which argument may name a file."""
SUFFIXES = (".yaml", ".yml", ".json")
CLAIMS = ("loopscope.yaml", "loopscope.yml")
"""What a file of claims is called in a folder of manifests."""


class _Order(argparse.Action):
    """Keeps --do and --pick in the order in which they stand on the line."""

    def __call__(self, _parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        kind = "do" if option_string == "--do" else "pick"
        namespace.choices = [*(namespace.choices or []), (kind, values)]


def walk_options(command: argparse.ArgumentParser) -> None:
    """What decides a walk besides its flow."""
    command.add_argument("-f", "--file", action="append", default=[], type=Path, metavar="FILE|DIR")
    command.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings")
    command.add_argument(
        "--do",
        action=_Order,
        metavar="'[AT] VERB ARG…' | @FILE",
        dest="choices",
        help="do something to the cluster (repeatable); @FILE has one such line after another",
    )
    command.add_argument("--pick", action=_Order, metavar="STEP!ACTION[@SECONDS]", dest="choices")
    command.add_argument("--scene", default="")
    command.add_argument("--until", default="")


def walk(asked: argparse.Namespace) -> Any:
    """The request that the options of a walk come to."""
    from app.story.play import request

    choices, applies = deeds(asked.choices or ())
    return request(
        asked.flow,
        settings=[setting(text) for text in asked.settings],
        scene=asked.scene,
        manifest=manifests(asked.file) if asked.file else None,
        choices=choices,
        applies=applies,
        until=asked.until,
        words=asked.words,
    )


def deeds(choices: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """What is done and picked, with the lines of files in their places; and the manifests that it names as files."""
    found: list[tuple[str, str]] = []
    texts: dict[str, str] = {}
    for kind, text in choices:
        found += [(kind, _with_file(line, texts)) for line in _lines(text)] if kind == "do" else [(kind, text)]
    return found, texts


def _lines(text: str) -> list[str]:
    if not text.startswith("@"):
        return [text]
    (read,) = manifests([Path(text[1:])]).values()
    return [line for line in map(str.strip, read.splitlines()) if line and not line.startswith("#")]


def _with_file(line: str, texts: dict[str, str]) -> str:
    """`apply FILE` becomes `apply m:FILE`, which the file's text is known by."""
    from app.sim.intervention import parse

    found = parse(line)
    at = FILES.get(found.verb)
    name = found.args[at] if at is not None and at < len(found.args) else "m:"
    if at is None or name.startswith("m:"):
        return line
    (texts[name],) = manifests([Path(name)]).values()
    return str(replace(found, args=(*found.args[:at], f"m:{name}", *found.args[at + 1 :])))


def setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise BadInput([f"--set {text!r}: the form is NAME=VALUE"])
    return name, value


def manifests(paths: list[Path]) -> dict[str, str]:
    """Every file's text by its name, of a folder every YAML and JSON file in it but claims; `-` is standard input."""
    return _texts(paths, lambda name: name not in CLAIMS)


def claims(paths: list[Path]) -> dict[str, str]:
    """The claims that stand in folders."""
    return _texts([path for path in paths if path.is_dir()], lambda name: name in CLAIMS, every=False)


def _texts(paths: list[Path], wanted: Callable[[str], bool], *, every: bool = True) -> dict[str, str]:
    texts: dict[str, str] = {}
    problems: list[str] = []
    for path in paths:
        within = [file for file in _within(path) if wanted(file.name)] if path.is_dir() else [path]
        if every and not within:
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


def write(told: str | bytes, path: Path | None) -> None:
    """To standard output, or to a file that is complete or not there at all."""
    body = told.encode() if isinstance(told, str) else told
    if path is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(body)
        return
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_bytes(body)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise BadInput([f"{path}: cannot be written: {error.strerror}"]) from None
