"""What is to be exported, and how: the forms there are, which steps, which pictures."""

from __future__ import annotations

from msgspec import Struct

from app.diagram.stylesheet import Theme
from app.errors import BadInput, NotFound
from app.story.play import Play, position

VIEWS = ("cluster", "messages", "timeline")
SCALES = (1, 2)
DEPTH = "middle"
MOST_STEPS = 400
"""In a form that draws every step."""


class Form(Struct, frozen=True):
    """One kind of file."""

    suffix: str
    media: str
    draws: bool = False
    """Whether it holds every step with its pictures."""
    single: bool = False
    """Whether one step can be had in it."""


FORMS: dict[str, Form] = {
    "svg": Form(".svg", "image/svg+xml", single=True),
    "png": Form(".png", "image/png", single=True),
    "mmd": Form(".mmd", "text/plain; charset=utf-8", single=True),
    "md": Form(".md", "text/markdown; charset=utf-8", draws=True),
    "sheet": Form("-sheet.svg", "image/svg+xml", draws=True),
    "sheet-png": Form("-sheet.png", "image/png", draws=True),
    "animated": Form("-animated.svg", "image/svg+xml"),
    "html": Form(".html", "text/html; charset=utf-8", draws=True),
    "folder": Form(".zip", "application/zip", draws=True),
}


class Remark(Struct, frozen=True):
    """What somebody wrote beside a step of a session, or decided there."""

    step: str
    """The step's id; `0` for the start."""
    who: str
    """Who wrote it, and what of the step it is pinned to, as far as that is known."""
    text: str
    decision: bool = False


class Asked(Struct, frozen=True, kw_only=True):
    """Everything that an export depends on besides its walk."""

    form: str
    n: int | None = None
    """The step to show; None for the whole walk."""
    first: int = 0
    last: int
    view: str = ""
    """One picture; empty for the form's usual ones."""
    theme: Theme | str = ""
    scale: int = 1
    depth: str = DEPTH
    address: str = ""
    """Where the walk's pages are, with `{step}` in place of a step's id; empty where no server is known."""
    pictures: str = ""
    """Where pictures of steps are, with `{step}` and `{view}`; empty where no server is known."""
    remarks: tuple[Remark, ...] = ()

    @property
    def colours(self) -> Theme:
        """The theme of a form that can have only one."""
        return "dark" if self.theme == "dark" else "light"


class File(Struct, frozen=True):
    name: str
    media: str
    body: bytes


def asked(
    played: Play,
    form: str,
    *,
    step: str = "",
    first: str = "",
    last: str = "",
    view: str = "",
    theme: str = "",
    scale: str = "",
    depth: str = "",
    address: str = "",
    pictures: str = "",
    remarks: tuple[Remark, ...] = (),
) -> Asked:
    """The same from texts as people give them; BadInput says what each may be."""
    given = (("form", form, tuple(FORMS)), ("view", view, VIEWS), ("scale", scale, tuple(map(str, SCALES))))
    problems = [
        f"{name}: found {text[:40]!r}; allowed: {', '.join(allowed)}"
        for name, text, allowed in given
        if text not in allowed and (text or name == "form")
    ]
    if step and form in FORMS and not FORMS[form].single:
        single = ", ".join(name for name, row in FORMS.items() if row.single)
        problems.append(f"step: a step of its own is had as {single}; {form} takes the steps between from and to")
    if problems:
        raise BadInput(problems)
    found = Asked(
        form=form,
        n=_step(played, "step", step) if step else None,
        first=_step(played, "from", first) if first else 0,
        last=_step(played, "to", last) if last else len(played.steps),
        view=view,
        theme=theme,
        scale=int(scale or 1),
        depth=depth or DEPTH,
        address=address,
        pictures=pictures,
        remarks=remarks,
    )
    if found.first > found.last:
        raise BadInput([f"from: step {found.first} comes after step {found.last}, which is the last (to)"])
    count = found.last - found.first + 1
    if FORMS[form].draws and count > MOST_STEPS:
        raise BadInput([f"{form}: found {count} steps; at most {MOST_STEPS} are drawn: say which (from, to)"])
    return found


def _step(played: Play, name: str, text: str) -> int:
    try:
        return position(played, text)
    except NotFound as unknown:
        raise BadInput([f"{name}: {unknown}"]) from None
