"""Traces without what is chance in the text of Events."""

from __future__ import annotations

import re
from typing import Any


def plain(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A trace without what the recording's fake probes print (their age), which no probe of the model does.

    The event recorder folds messages that differ into one after the tenth; equal ones it counts.
    """
    return [row | {"message": _printed(row["message"])} if row.get("reason") == "Unhealthy" else row for row in entries]


def _printed(message: str) -> str:
    return re.sub(r": not yet [0-9.]+$", ": ", message.removeprefix("(combined from similar events): "))
