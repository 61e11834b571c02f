"""Writes app/diagram/advances.json, the widths of all characters in pictures: `python tools/measure_fonts.py`."""

import json
from pathlib import Path

from fontTools.ttLib import TTFont

ROOT = Path(__file__).resolve().parent.parent
FONTS = ROOT / "static" / "fonts"
TABLE = ROOT / "app" / "diagram" / "advances.json"


def advances(path: Path) -> dict[str, int]:
    """Each character's advance in thousandths of an em."""
    font = TTFont(path)
    unit = font["head"].unitsPerEm
    return {chr(code): round(font["hmtx"][name][0] * 1000 / unit) for code, name in sorted(font.getBestCmap().items())}


def table() -> str:
    """Two lines for each face: its characters, and their advances in the same order."""
    rows = []
    for path in sorted(FONTS.glob("*.ttf")):
        found = advances(path)
        numbers = " ".join(map(str, found.values()))
        rows.append(f'"{path.stem}": [\n{json.dumps("".join(found))},\n"{numbers}"\n]')
    return "{\n" + ",\n".join(rows) + "\n}\n"


if __name__ == "__main__":
    TABLE.write_text(table())
    print(f"{TABLE.relative_to(ROOT)}: {TABLE.stat().st_size:,} bytes")
