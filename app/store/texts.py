"""What may be stored as text: something, not too long, and nothing that a database refuses."""

import re

from app.errors import BadInput


def check_text(name: str, text: str, *, most: int | None = None) -> None:
    problem = _problem(text, most)
    if problem is not None:
        raise BadInput([f"{name}: {problem}"])


def _problem(text: str, most: int | None) -> str | None:
    if not text.strip():
        return "is empty"
    if most is not None and len(text) > most:
        return f"has {len(text)} characters; at most {most} are allowed"
    # PostgreSQL refuses NUL; half a surrogate pair, which JSON can carry, has no UTF-8.
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        return "contains characters that are not text (NUL, or half of a surrogate pair)"
    return None


def is_token(text: str) -> bool:
    """Whether the text could be an id or a hash of ours; anything else need not be looked up."""
    return re.fullmatch(r"[A-Za-z0-9_-]{1,64}", text) is not None
