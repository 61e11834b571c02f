"""What every page has around it, from what its route knows."""

from __future__ import annotations

from collections.abc import Callable

from app.web.address import THEMES
from app.web.pages import Frame


def frame(
    *, title: str, here: Callable[[str], str], description: str = "", theme: str = "", current: str = ""
) -> Frame:
    """`here` gives this page's address in a theme."""
    return Frame(
        title=title,
        description=description,
        theme=theme,
        current=current,
        themes=tuple((name, here(name)) for name in ("", *THEMES) if name != theme),
    )
