"""Where the files that are not Python lie: beside `app/` in a checkout, inside it in an installed wheel."""

from pathlib import Path

from app import configuration

_PACKAGE = Path(__file__).resolve().parent


def _shipped(name: str) -> Path:
    # The wheel carries these folders in app/bundled/ (see pyproject.toml); a checkout has no such folder.
    bundled = _PACKAGE / "bundled"
    return (bundled if bundled.is_dir() else _PACKAGE.parent) / name


def templates_dir() -> Path:
    return _shipped("templates")


def static_dir() -> Path:
    return _shipped("static")


def flows_dir() -> Path:
    """The flows and the lexicon that come with Loopscope."""
    return _shipped("flows")


def flows_dirs() -> tuple[Path, ...]:
    """The shipped flows, then each folder in LOOPSCOPE_FLOWS (separated like PATH), whose flows are added."""
    return (flows_dir(), *configuration.FLOWS.get())
