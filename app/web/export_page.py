"""What the page is made of on which a walk's forms are listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.web.pages import Frame
from app.web.rendering import Page


@dataclass(frozen=True, kw_only=True)
class ExportPage(Page):
    """The forms in which a walk can be taken away, loaded when somebody asks for it."""

    template: ClassVar[str] = "export.html"

    frame: Frame
    """Title, theme, navigation."""
    title: str
    """Of the flow, or of the session."""
    back: str
    """The walk, at the step one came from."""
    step: str
    """The number of that step."""
    action: str
    """Where the form with the choices goes."""
    carried: tuple[tuple[str, str], ...]
    """Hidden fields of it: the walk."""
    chosen: dict[str, str]
    """The choices: view, theme, depth, from and to."""
    hrefs: dict[str, str]
    """The address of each form of the whole walk."""
    doubled: str
    """The contact sheet as a PNG twice as large."""
    pictures: tuple[tuple[str, str], ...]
    """Pictures of the step: name and address."""
    remarks: int
    """How many notes and decisions go along."""
    command: str
    """The same on the command line."""
