"""A manifest is named by its text."""

import hashlib

import pytest
from sqlmodel import select

from app.errors import BadInput, NotFound
from app.store import manifests
from app.store.database import Store
from app.store.tables import Manifest

pytestmark = pytest.mark.databases("sqlite", "postgresql")

YAML = "kind: Pod\nmetadata: {name: web-1}  # größer\n"


def test_what_is_put_is_got_back_letter_for_letter(store: Store) -> None:
    with store.writing() as db:
        name = manifests.put(db, text=YAML)
    with store.reading() as db:
        assert manifests.get(db, hash=name) == YAML


def test_the_name_is_the_start_of_the_sha_256_and_the_size_counts_bytes(store: Store) -> None:
    with store.writing() as db:
        name = manifests.put(db, text=YAML)
        kept = db.exec(select(Manifest)).one()
    assert hashlib.sha256(YAML.encode()).hexdigest().startswith(name)
    assert len(name) == 32
    assert (kept.hash, kept.size) == (name, len(YAML) + 2)


def test_the_same_text_is_kept_once_and_another_beside_it(store: Store) -> None:
    with store.writing() as db:
        first = manifests.put(db, text=YAML)
    with store.writing() as db:
        assert manifests.put(db, text=YAML) == first
        assert manifests.put(db, text=YAML + "\n") != first
        assert len(db.exec(select(Manifest)).all()) == 2


@pytest.mark.parametrize("name", ["0" * 32, "", "not a hash", "\0", "../../etc"])
def test_a_hash_that_names_nothing_is_not_found(store: Store, name: str) -> None:
    with store.reading() as db, pytest.raises(NotFound, match="paste it again"):
        manifests.get(db, hash=name)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(" \n", "manifest: is empty", id="nothing"),
        pytest.param("kind: Pod\0", "manifest: contains characters that are not text", id="NUL"),
        pytest.param("kind: \ud800", "manifest: contains characters that are not text", id="half a character"),
    ],
)
def test_what_is_no_text_is_refused(store: Store, text: str, said: str) -> None:
    with store.writing() as db, pytest.raises(BadInput, match=said):
        manifests.put(db, text=text)
