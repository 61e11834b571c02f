"""How exports are written down: templates, words of readers made harmless, and what a page may run."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import lru_cache
from hashlib import sha256

from jinja2 import Environment
from markupsafe import Markup

from app.diagram.rendering import environment
from app.diagram.stylesheet import adaptive
from app.paths import static_dir
from app.story.markup import in_markdown, line_of_markdown


@lru_cache(maxsize=1)
def templates() -> Environment:
    found = environment()
    found.filters["md"] = in_markdown
    found.filters["mdline"] = line_of_markdown
    return found


def rendered(template: str, **names: object) -> str:
    return templates().get_template(f"export/{template}").render(**names)


def fence(text: str, language: str = "") -> str:
    """A block of code around text that may hold fences itself."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{text.rstrip()}\n{marks}"


@lru_cache(maxsize=2)
def page_style(*, fonts: bool) -> Markup:
    """The rules of exported pages and of the pictures in them; with fonts, they look the same everywhere."""
    own = (static_dir() / "export.css").read_text()
    faces = "".join(map(_face, (("Inter", "400 700"), ("JetBrains Mono", "400")))) if fonts else ""
    return Markup(f"{faces}{re.sub(r'/[*].*?[*]/', '', own, flags=re.DOTALL)}{adaptive()}")  # noqa: S704 - our own files


def _face(face: tuple[str, str]) -> str:
    family, weights = face
    data = b64encode((static_dir() / "fonts" / f"{family.replace(' ', '')}.woff2").read_bytes()).decode()
    source = f"url(data:font/woff2;base64,{data})"
    return f'@font-face{{font-family:"{family}";src:{source} format("woff2");font-weight:{weights}}}'


@lru_cache(maxsize=1)
def page_script() -> Markup:
    return Markup((static_dir() / "export.js").read_text())  # noqa: S704 - our own file


def policy(style: str, script: str = "", images: str = "") -> str:
    """What a page that stands alone may do: apply its own style and run its own script, nothing else."""
    parts = ["default-src 'none'", f"style-src {_hash(style)}", "font-src data:"]
    parts += [f"script-src {_hash(script)}"] if script else []
    parts += [f"img-src {images}"] if images else []
    return "; ".join([*parts, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
