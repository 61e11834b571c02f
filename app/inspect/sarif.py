"""An inspection as SARIF 2.1.0, which code hosts show beside the lines of a change."""

from __future__ import annotations

from hashlib import sha256
from typing import Any
from urllib.parse import quote

from app import __version__
from app.inspect.inspecting import Finding, Inspection
from app.inspect.rules import RULES
from app.inspect.words import RuleWords, words

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif(found: Inspection) -> dict[str, Any]:
    """One run, with every rule, also those without a finding."""
    ids = list(RULES)
    driver = {
        "name": "loopscope",
        "version": __version__,
        "rules": [_rule(id, words().rules[id]) for id in ids],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(row, ids.index(row.rule)) for row in found.findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(id: str, said: RuleWords) -> dict[str, Any]:
    return {
        "id": id,
        "shortDescription": {"text": said.title},
        "fullDescription": {"text": said.why},
        "help": {"text": f"{said.why} {said.source}"},
        "defaultConfiguration": {"level": said.severity},
    }


def _result(row: Finding, at: int) -> dict[str, Any]:
    place = f"{row.object} {row.path}".rstrip()
    return {
        "ruleId": row.rule,
        "ruleIndex": at,
        "level": row.severity,
        "message": {"text": f"{row.object}: {row.sentence} {row.why} {row.remedy}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(row.file)},
                    "region": {"startLine": row.line},
                },
                "logicalLocations": [{"fullyQualifiedName": place, "kind": "object"}],
            }
        ],
        # A finding stays the same one when lines are added above it.
        "partialFingerprints": {"loopscope/v1": sha256(f"{row.rule} {place}".encode()).hexdigest()[:16]},
    }


def _uri(file: str) -> str:
    """Relative as it was given; absolute as a file: address."""
    path = quote("stdin" if file == "-" else file.removeprefix("./").replace("\\", "/"))
    return f"file://{path}" if path.startswith("/") else path
