"""What the server writes to standard error: one line a request, and every fault with its traceback."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime

import msgspec

# Only what is known to tell nothing of a reader: no address, no query, no body.
FIELDS = ("id", "method", "route", "status", "ms")

LOGGER = logging.getLogger("loopscope")


class JsonLines(logging.Formatter):
    """One JSON object a line, for programs that gather logs."""

    def format(self, record: logging.LogRecord) -> str:
        line = {"at": _at(record), "level": record.levelname.lower(), "logger": record.name}
        line |= {"event": record.getMessage()} | {
            name: getattr(record, name) for name in FIELDS if hasattr(record, name)
        }
        traceback = _traceback(self, record)
        if traceback:
            line["traceback"] = traceback
        return msgspec.json.encode(line, enc_hook=str).decode()


class Text(logging.Formatter):
    """The same for people."""

    def format(self, record: logging.LogRecord) -> str:
        told = " ".join(f"{name}={getattr(record, name)}" for name in FIELDS if hasattr(record, name))
        traceback = _traceback(self, record)
        head = f"{_at(record)} {record.levelname.lower()} {record.getMessage()}"
        return "\n".join(part for part in (f"{head} {told}".rstrip(), traceback.rstrip()) if part)


FORMATS = {"json": JsonLines, "text": Text}


def _traceback(form: logging.Formatter, record: logging.LogRecord) -> str:
    """Ours, from which secrets are cut; of others, as Python has it."""
    return getattr(record, "traceback", "") or (form.formatException(record.exc_info) if record.exc_info else "")


def _at(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def configure(form: str) -> None:
    """Send everything to standard error in one form; `off` leaves only what is wrong."""
    output = logging.StreamHandler(sys.stderr)
    output.setFormatter(FORMATS.get(form, Text)())
    # The web server's own log repeats a fault that we have told, with what we have cut out of it.
    output.addFilter(lambda record: "Exception in ASGI application" not in str(record.msg))
    root = logging.getLogger()
    root.handlers[:] = [output]
    root.setLevel(logging.WARNING)
    LOGGER.setLevel(logging.WARNING if form == "off" else logging.INFO)
