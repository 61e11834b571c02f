"""`loopscope verify`: claims held against manifests."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from app.commands import given
from app.errors import BadInput


def add(commands: Any) -> None:
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
    verify.set_defaults(run=_verify)


def _verify(asked: argparse.Namespace) -> int:
    from app.catalog import claims_file
    from app.story import verifying
    from app.story.report import as_json

    texts = given.manifests(asked.file)
    claims = [_claim(text) for text in asked.texts]
    for name, text in {**given.claims(asked.file), **given.manifests(asked.claims)}.items():
        claims += claims_file.read(text, name)
    if not claims:
        raise BadInput([f"no claim: give --claim, --claims, or a folder with {' or '.join(given.CLAIMS)}"])
    settings = [given.setting(text) for text in asked.settings]
    found = verifying.verify(claims, texts if asked.file else None, settings=settings, search=asked.search)
    given.write(as_json(verifying.report(found)) if asked.format == "json" else verifying.plain(found), asked.output)
    return 0 if found.holds else 1


def _claim(text: str) -> Any:
    """`termination: requests-failed == 0` names the flow that is to answer."""
    from app.catalog.claims_file import Asked

    flow, colon, rest = text.partition(":")
    return Asked(rest.strip(), flow=flow.strip()) if colon else Asked(text.strip())
