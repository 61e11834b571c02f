"""Takes the values out of Secrets, for texts that are kept: a Secret is known by its name and keys only."""

from __future__ import annotations

import re
from typing import Any

import yaml

VALUES = ("data", "stringData")
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_SEPARATOR = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)
_MAY_HOLD_ONE = re.compile(r"Secret")


def without_values(text: str) -> str:
    """The text with the values of every Secret emptied; documents that hold none stay as they are, to the letter.

    The text must have been read by `manifests` before, which bounds its size and its aliases.
    """
    if not _MAY_HOLD_ONE.search(text):
        return text
    return "---".join(_emptied(part) if _MAY_HOLD_ONE.search(part) else part for part in _SEPARATOR.split(text))


def _emptied(part: str) -> str:
    bodies = list(yaml.safe_load_all(part))
    if not _empty(bodies):
        return part
    return "\n" + yaml.safe_dump_all(bodies, sort_keys=False, allow_unicode=True)


def _empty(body: Any) -> bool:
    """Empty the values of a Secret, also inside a List; True if there was one."""
    if not isinstance(body, list | dict):
        return False
    if isinstance(body, list) or body.get("kind") != "Secret":
        # Every one of them, not only the first.
        found = [_empty(item) for item in (body if isinstance(body, list) else body.values())]
        return any(found)
    for name in VALUES:
        if isinstance(body.get(name), dict):
            body[name] = dict.fromkeys(body[name], "")
    meta = body.get("metadata")
    if isinstance(meta, dict) and isinstance(meta.get("annotations"), dict):
        meta["annotations"].pop(LAST_APPLIED, None)
    return True
