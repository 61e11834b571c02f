"""The corpus: manifests in the rendered shape of popular charts, what clusters print, and odd but legal YAML."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "data" / "manifests"
FILES = sorted(path for path in DATA.rglob("*") if path.suffix in (".yaml", ".yml", ".json"))


def text_of(file: Path) -> str:
    """To the letter, with its own line ends."""
    return file.read_bytes().decode("utf-8")


def name_of(file: Path) -> str:
    return file.relative_to(DATA).as_posix()
