"""Pages from templates: one documented model each, missing names are errors, and a fragment is a part of its page."""

from __future__ import annotations

from dataclasses import fields
from hashlib import sha256
from typing import Any, ClassVar

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from app.diagram.rendering import environment
from app.paths import templates_dir

PART = "HX-Request-Type"


class Page:
    """What a template is given: its subclasses are frozen dataclasses, and every field of theirs is a name in it."""

    template: ClassVar[str]
    part: ClassVar[str] = ""
    """The template of the part that htmx swaps; the whole page includes it."""


class Renderer:
    """All templates, and what every page is given beside its model."""

    def __init__(self, **shared: Any) -> None:
        self.environment = environment()
        self.environment.globals.update(shared)
        self.digest = sha256(b"".join(path.read_bytes() for path in sorted(templates_dir().rglob("*.*")))).hexdigest()[
            :12
        ]

    def text(self, page: Page, *, part: bool = False) -> str:
        # The fields are what a subclass declares; Page itself has none.
        context = {field.name: getattr(page, field.name) for field in fields(page)}  # type: ignore[arg-type]
        return self.environment.get_template(page.part if part else page.template).render(context)

    def answer(self, request: Request, page: Page, *, status: int = 200, **headers: str) -> Response:
        """The page, or its part for an htmx request that swaps one."""
        part = wants_part(request) and bool(page.part)
        found = HTMLResponse(self.text(page, part=part), status_code=status)
        found.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
        if page.part:
            found.headers.add_vary_header(PART)
        return found


def wants_part(request: Request) -> bool:
    """Whether htmx will swap one element. For Back, and for what it swaps whole, it asks for the page."""
    return request.headers.get(PART) == "partial"
