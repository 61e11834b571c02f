"""What a reader or a flow's script does to the cluster, in one grammar: `[AT] VERB ARG... [key=value...]`."""

from __future__ import annotations

import shlex

from msgspec import Struct

from app.errors import BadInput
from app.kube import durations


class Intervention(Struct, frozen=True, order=True):
    """One line of the grammar. `at` None means after the choice before it."""

    at: int | None
    verb: str
    args: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    def option(self, name: str, default: str = "") -> str:
        return dict(self.options).get(name, default)

    def __str__(self) -> str:
        words = [] if self.at is None else [durations.format(self.at)]
        words += [self.verb, *self.args, *(f"{key}={value}" for key, value in self.options)]
        return shlex.join(words)


def parse(text: str) -> Intervention:
    """Read one intervention; BadInput when quoting or shape is wrong. Verbs are checked by `interventions`."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BadInput([f"intervention {text!r}: {error}; quote as in a shell"]) from None
    at: int | None = None
    if words and words[0][:1].isdigit():
        try:
            at = durations.parse(words[0])
        except ValueError as error:
            raise BadInput([f"intervention {text!r}: {error}"]) from None
        words = words[1:]
    if not words:
        raise BadInput([f"intervention {text!r}: no verb found; the form is [AT] VERB ARG... [key=value...]"])
    verb, rest = words[0], words[1:]
    args = tuple(word for word in rest if not _is_option(word))
    options = tuple(tuple(word.split("=", 1)) for word in rest if _is_option(word))
    return Intervention(at, verb, args, options)  # type: ignore[arg-type]


def _is_option(word: str) -> bool:
    key, equals, _ = word.partition("=")
    return bool(equals) and key.replace("-", "").replace("_", "").replace(".", "").isalnum() and "/" not in key
