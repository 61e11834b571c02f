"""Makes static/fonts/ from full font files: `python tools/subset_fonts.py SOURCES` (see static/fonts/README.md).

SOURCES is a folder that holds, anywhere below it, the files named in WEB and PICTURE.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

FONTS = Path(__file__).resolve().parent.parent / "static" / "fonts"

MARKS = "–—‘’“”†•…′″"
ARROWS = "←↑→↓↔↖↗↘↙↳↵↺↻⇒⇧⌘"
SUMS = "−∞≈≠≤≥"
SHAPES = "■□▲△▶▷▼▽◀◁◆◇○●★☆✓✕✗⚠"
BOXES = "─│┌┐└┘├┤┬┴┼"
CHARACTERS = {*range(0x20, 0x7F), *range(0xA0, 0x100), *map(ord, MARKS + ARROWS + SUMS + SHAPES + BOXES)}

# Pages: one variable Inter, all weights that app.css uses in one request, and one weight of the monospaced face.
WEB = {"Inter.woff2": "InterVariable.woff2", "JetBrainsMono.woff2": "JetBrainsMono_400Regular.ttf"}
# Pictures: resvg wants one plain file for each weight.
PICTURE = {
    "Inter-400.ttf": "Inter-Regular.woff2",
    "Inter-500.ttf": "Inter-Medium.woff2",
    "Inter-600.ttf": "Inter-SemiBold.woff2",
    "Inter-700.ttf": "Inter-Bold.woff2",
    "JetBrainsMono-400.ttf": "JetBrainsMono_400Regular.ttf",
    "JetBrainsMono-700.ttf": "JetBrainsMono_700Bold.ttf",
}


def cut(source: Path) -> TTFont:
    """The font with CHARACTERS only. Contextual features go: they would turn a typed `->` into an arrow."""
    options = subset.Options()
    options.layout_features = ["kern", "tnum"]
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14, 16, 17]
    options.hinting = False
    options.notdef_outline = True
    font = TTFont(source, recalcTimestamp=False)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=CHARACTERS)
    cutter.subset(font)
    if "fvar" in font:
        font = instancer.instantiateVariableFont(font, {"opsz": 14, "wght": (400, 700)})
    return font


def main(sources: Path) -> None:
    for made, full in (WEB | PICTURE).items():
        font = cut(next(sources.rglob(full)))
        font.flavor = "woff2" if made.endswith(".woff2") else None
        font.save(FONTS / made)
        print(f"{made}: {(FONTS / made).stat().st_size:,} bytes, {len(font.getBestCmap())} characters")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
