"""Every error that Loopscope raises on purpose, as one tree.

LoopscopeError                what a reader or an operator did cannot be carried out
├── NotFound                  a name, address or id that leads nowhere
├── BadInput                  what was given is wrong; `problems` lists every fault, one sentence each
├── ReadOnly                  the address that was used may look, not change
├── MovedOn                   what was to be changed is no longer as it was when it was looked at
├── TooMuch                   a limit that was set for everybody is reached
└── Unchecked                 what a link says cannot be held against anything from here
"""

from collections.abc import Sequence

__all__ = ["BadInput", "LoopscopeError", "MovedOn", "NotFound", "ReadOnly", "TooMuch", "Unchecked"]


class LoopscopeError(Exception):
    """The root: its text is meant to be read by whoever caused it."""


class NotFound(LoopscopeError):
    """What was asked for does not exist, or no longer does."""


class BadInput(LoopscopeError):
    """All faults found in what was given, gathered so that they can be mended at once."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


class ReadOnly(LoopscopeError):
    """A change was asked for through an address that only reads."""


class MovedOn(LoopscopeError):
    """Somebody else was quicker: look again, or fork, and then repeat the change."""


class TooMuch(LoopscopeError):
    """More than the operator of this server allows; after `wait` seconds, or when room was made, it may go."""

    def __init__(self, told: str, *, limit: str, wait: int) -> None:
        super().__init__(told)
        self.limit, self.wait = limit, wait


class Unchecked(LoopscopeError):
    """What a link leads to is not at hand; that says nothing of whether it still holds."""
