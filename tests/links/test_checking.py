"""Links derived again: what still holds, what has changed and how that is said, and what cannot be told from here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from app import diagram
from app.links.checking import Checked, check
from app.links.finding import links
from app.links.shelf import Shelf, by_hash
from app.links.updating import updated
from app.store import manifests, sessions
from app.store.database import Store
from app.story import pinned
from app.story.play import play, request
from app.web.snippets import KINDS, Source

HOST = "https://loops.example"
PLAYED = play(request("termination"))
N = 12
ID = PLAYED.steps[N - 1].id
WORDS = pinned.words_at(PLAYED, N)
PIN = str(pinned.pin(PLAYED, N))
POD = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec: {containers: [{name: shop, image: "shop:1"}]}
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(f"sqlite:///{tmp_path}/loops.db")
    opened.migrate()
    yield opened
    opened.close()


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    """With the database of `store`, where there is one."""
    found = Shelf(url=f"sqlite:///{tmp_path}/loops.db")
    yield found
    found.close()


def checked(text: str, shelf: Shelf, *, any_version: bool = False) -> list[Checked]:
    flows = ("termination",)
    return [check(link, shelf, any_version=any_version) for link in links(text, "doc", flows=flows)]


def changes(row: Checked) -> list[tuple[str, str, str]]:
    return [(one.what, one.before, one.now) for one in row.changes]


def source(pin: str = PIN, words: str = WORDS) -> Source:
    step = f"f/termination/{ID}"
    return Source(
        page=f"{HOST}/{step}?seen={pin}",
        picture=f"{HOST}/{step}.svg?view=messages&seen={pin}",
        messages=f"{HOST}/{step}.svg?view=messages&seen={pin}",
        embed=f"{HOST}/embed/{step}?view=cluster&from=2&to=20&seen={pin}",
        words=words,
        title=f'{N} / {len(PLAYED.steps)} · "said"',
        mermaid=diagram.mermaid(PLAYED.walk, N, PLAYED.flow),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_snippet_is_found_and_holds(kind: str, shelf: Shelf) -> None:
    found = checked(f"# Text\n\n{KINDS[kind](source())}\nMore\n", shelf)
    assert found
    assert [(row.state, row.pinned, changes(row)) for row in found] == [("holds", True, [])] * len(found)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("notion", "link")])
def test_words_that_were_the_step_s_and_are_no_longer_are_named(kind: str, shelf: Shelf) -> None:
    """As a newer model would find them: the digest of the old words stands in the address."""
    old = 'Termination race: Connection [refused] & "closed"'
    pin = str(replace(pinned.read(PIN), words=pinned.digest(old)))
    found = checked(KINDS[kind](source(pin, old)), shelf)
    assert ("alt text", old, WORDS) in [change for row in found for change in changes(row)]
    assert all(("words", "", WORDS) in changes(row) for row in found)


def test_words_of_another_step_are_named_without_a_pin(shelf: Shelf) -> None:
    other = pinned.words_at(PLAYED, 5)
    (row,) = checked(f"![{other}]({HOST}/f/termination/{ID}.svg)", shelf)
    assert changes(row) == [("alt text", other, WORDS)]
    assert not row.pinned


def test_an_author_s_own_words_are_theirs(shelf: Shelf) -> None:
    (row,) = checked(f"![Why the deploy of 3 May lost requests]({HOST}/f/termination/{ID}.svg?seen={PIN})", shelf)
    assert row.state == "holds"


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("f/gone/3?seen=x", 'no flow "gone"'),
        ("f/termination/99", "step 99: this walk has"),
        ("f/termination/kubelet@node-1.none:pod~x", "no step of this walk has that id"),
        ("f/termination/5?set.gone=1", 'setting "gone"'),
        ("f/termination/5?set.prestop=soon", 'setting prestop: found "soon"'),
        ("f/termination/5?scene=gone", "gone"),
        ("f/termination/5?view=map", "view: found 'map'"),
        ("f/termination/5?pick=gone!intervene", "gone"),
        ("f/termination/5?do=5s+fly+pod/web-1", "fly"),
        ("f/termination/5?seen=0.1.0", "seen: found '0.1.0'"),
        ("embed/f/termination/5?from=99", "from: step 99"),
        ("embed/f/termination/5?only=map", "only: found 'map'"),
        ("f/termination/compare?a=&b=set.prestop%3Dsoon", "setting prestop"),
        ("f/termination/sweep?over=prestop&set.prestop=soon", "setting prestop"),
    ],
)
def test_what_leads_nowhere_any_more_is_said(address: str, told: str, shelf: Shelf) -> None:
    (row,) = checked(f"{HOST}/{address}", shelf)
    assert row.state == "changed"
    assert any(told in change.now for change in row.changes), changes(row)


@pytest.mark.parametrize(
    "page", ["", "/0", "/5.png?view=cluster", "/orders", "/compare?a=&b=set.prestop%3D5s", "/5/embed"]
)
def test_other_pages_of_a_walk_hold(page: str, shelf: Shelf) -> None:
    (row,) = checked(f"{HOST}/f/termination{page}", shelf)
    assert row.state == "holds"


def test_what_was_seen_is_held_against_what_is(shelf: Shelf) -> None:
    version, at, outcome, rest = PIN.split("~")
    for pin, told in (
        (f"{version}~{at}~conflict~{rest}", ("outcome", "conflict", outcome)),
        (f"{version}~9.5~{outcome}~{rest}", ("time", "9.5", at)),
        (f"0.0.1~{at}~{outcome}~{rest}", ("version", "0.0.1", version)),
    ):
        (row,) = checked(f"{HOST}/f/termination/{ID}?seen={pin}", shelf)
        assert changes(row) == [told]
        (row,) = checked(f"{HOST}/f/termination/{ID}?seen={pin}", shelf, any_version=True)
        assert changes(row) == ([] if told[0] == "version" else [told])


def test_a_fence_whose_messages_are_others_is_said_by_its_first_line(shelf: Shelf) -> None:
    fence = KINDS["mermaid"](source())
    last = fence.splitlines()[-3].strip()
    (row,) = checked(fence.replace(last, "p0->>p0: nothing"), shelf)
    assert changes(row) == [("messages", "p0->>p0: nothing", last)]
    (row,) = checked(fence.replace(f"    {last}\n    end\n", ""), shelf)
    assert changes(row) == [("messages", "", last)]


def test_a_session_needs_the_database(tmp_path: Path, shelf: Shelf) -> None:
    (row,) = checked(f"{HOST}/embed/s/{'a' * 22}/3", shelf)
    assert (row.state, row.why) == ("unchecked", f"there is no database at sqlite:///{tmp_path}/loops.db")
    assert not (tmp_path / "loops.db").exists()


def test_a_session_is_derived_from_the_database(store: Store, shelf: Shelf) -> None:
    with store.writing() as db:
        session = sessions.create(
            db, owner="me", flow="termination", settings={"prestop": "5s"}, engine_version="0", title="Mine"
        )
        read, edit = session.read_id, session.edit_id
    walked = play(request("termination", settings=[("prestop", "5s")]))
    (held,) = checked(f"{HOST}/embed/s/{read}/4?seen={pinned.pin(walked, 4)}", shelf)
    assert (held.state, changes(held)) == ("holds", [])
    (other,) = checked(f"{HOST}/s/{read}/{N}?seen={PIN}", shelf)
    assert other.state == "changed"
    (mine,) = checked(f"{HOST}/s/{edit}/4", shelf)
    assert "may change the session" in mine.changes[0].now
    (gone,) = checked(f"{HOST}/s/{'a' * 22}/4", shelf)
    assert gone.state == "changed"


def test_a_manifest_is_taken_from_what_is_given_or_from_the_database(store: Store, shelf: Shelf) -> None:
    name = manifests.hash_of(POD)
    text = f"{HOST}/f/termination/3?m={name}"
    (row,) = checked(text, shelf)
    assert row.state == "unchecked"
    assert f"m={name}" in row.why
    given = Shelf(url=shelf.url, given=by_hash([POD.replace("\n", "\r\n")]))
    assert [row.state for row in checked(text, given)] == ["holds"]
    with store.writing() as db:
        manifests.put(db, text=POD)
    assert [row.state for row in checked(text, shelf)] == ["holds"]


def test_a_database_that_is_none_is_no_change(tmp_path: Path, shelf: Shelf) -> None:
    (tmp_path / "loops.db").write_bytes(b"")
    (row,) = checked(f"{HOST}/s/{'a' * 22}/3", shelf)
    assert row.state == "unchecked"
    assert "the database does not answer: no such table" in row.why


def test_update_writes_what_is_seen_now_and_nothing_else(shelf: Shelf) -> None:
    old = 'Termination race: Connection [refused] & "closed"'
    pin = str(replace(pinned.read(PIN), words=pinned.digest(old), outcome="conflict"))
    kept = f"Unpinned {HOST}/f/termination/3 and lost {HOST}/f/termination/99?seen={PIN}\r\n"
    for kind in ("iframe", "techdocs", "markdown", "asciidoc"):
        before = f"{kept}\n{KINDS[kind](source(pin, old))}\n{kept}"
        after = updated(before, checked(before, shelf))
        assert after == f"{kept}\n{KINDS[kind](source())}\n{kept}"
        assert {row.state for row in checked(after, shelf) if "/99" not in row.link.address} == {"holds"}
