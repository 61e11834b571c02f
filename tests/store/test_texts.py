"""What cannot be stored is refused before a database sees it, under the name of the field."""

from collections.abc import Callable

import pytest

from app.errors import BadInput
from app.store import sessions
from app.store.database import Store
from app.store.tables import Session
from app.store.texts import check_text, is_token

pytestmark = pytest.mark.databases("sqlite", "postgresql")

NO_TEXT = "contains characters that are not text"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("", "is empty", id="nothing"),
        pytest.param(" \n\t", "is empty", id="only space"),
        pytest.param("x" * 11, "has 11 characters; at most 10 are allowed", id="too long"),
        pytest.param("a\0b", NO_TEXT, id="NUL"),
        pytest.param("a\udc00", NO_TEXT, id="half of a surrogate pair"),
    ],
)
def test_a_text_that_cannot_be_kept_is_refused(text: str, problem: str) -> None:
    with pytest.raises(BadInput) as refused:
        check_text("title", text, most=10)
    assert refused.value.problems[0].startswith(f"title: {problem}")


@pytest.mark.parametrize("text", ["web", "größer →", "🚢" * 10])
def test_letters_of_every_script_count_once(text: str) -> None:
    check_text("title", text, most=10)


@pytest.mark.parametrize(
    ("text", "token"),
    [("aZ09_-", True), ("x" * 64, True), ("x" * 65, False), ("", False), ("a b", False), ("a\n", False), ("é", False)],
)
def test_an_id_is_made_of_letters_digits_dash_and_underscore(text: str, token: bool) -> None:
    assert is_token(text) is token


@pytest.mark.parametrize(
    ("field", "longest"),
    [("title", 200), ("note", 4000), ("actor", 100), ("step", 800)],
)
def test_each_field_of_a_session_has_its_limit(store: Store, session: Session, field: str, longest: int) -> None:
    with store.writing() as db:

        def note(**given: str) -> None:
            texts = {"note": "hello", "actor": "reader", "step": "kubectl.delete:pod~web-1", **given}
            sessions.add_note(
                db, edit_id=session.edit_id, step_id=texts["step"], actor=texts["actor"], text=texts["note"]
            )

        def rename(**given: str) -> None:
            sessions.rename(db, edit_id=session.edit_id, title=given["title"])

        write: Callable[..., None] = rename if field == "title" else note
        write(**{field: "x" * longest})
        with pytest.raises(BadInput, match=rf"^{field}: has {longest + 1} characters; at most {longest} are allowed$"):
            write(**{field: "x" * (longest + 1)})
