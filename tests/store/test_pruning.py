"""What is old goes with all that belongs to it; what anything that stays needs, stays."""

from datetime import timedelta

import pytest
from sqlmodel import col, select, update

from app.store import manifests, sessions
from app.store.database import Store
from app.store.pruning import AT_A_TIME, Pruned, prune
from app.store.sessions import StepTaken
from app.store.tables import Choice, Manifest, Note, Session, Taken, now

pytestmark = pytest.mark.databases("sqlite", "postgresql")

DAYS_90 = timedelta(days=90)


def made(store: Store, title: str, *, manifest: str | None = None, choice: str = "delete pod/web-1") -> Session:
    """A session with one of everything."""
    with store.writing() as db:
        session = sessions.create(
            db,
            owner="browser-1",
            flow="sandbox",
            settings={},
            engine_version="0.1.0",
            title=title,
            manifest_hash=manifest,
        )
        sessions.append_choice(db, edit_id=session.edit_id, kind="do", text=choice, seen=0, position=1)
        step = StepTaken(n=1, step_id="s", at_ms=1, digest="0" * 16)
        sessions.record_taken(db, edit_id=session.edit_id, steps=[step])
        sessions.add_note(db, edit_id=session.edit_id, step_id="s", actor="reader", text="look")
    return session


def kept(store: Store, text: str) -> str:
    with store.writing() as db:
        return manifests.put(db, text=text)


def aged(store: Store, days: int, *, session: Session | None = None, manifest: str = "") -> None:
    then = now() - timedelta(days=days)
    with store.writing() as db:
        if session is not None:
            db.exec(update(Session).where(col(Session.id) == session.id).values(updated_at=then))
        if manifest:
            db.exec(update(Manifest).where(col(Manifest.hash) == manifest).values(created_at=then))


def titles(store: Store) -> set[str]:
    with store.reading() as db:
        return set(db.exec(select(Session.title)))


def names(store: Store) -> set[str]:
    with store.reading() as db:
        return set(db.exec(select(Manifest.hash)))


def test_a_session_that_nobody_touched_for_so_long_goes_with_all_that_is_its_own(store: Store) -> None:
    aged(store, 91, session=made(store, "old"))
    aged(store, 89, session=made(store, "young"))
    assert prune(store, older_than=DAYS_90) == Pruned(sessions=1, manifests=0)
    assert titles(store) == {"young"}
    with store.reading() as db:
        for table in (Choice, Taken, Note):
            assert len(db.exec(select(table.session_id)).all()) == 1
    assert prune(store, older_than=DAYS_90) == Pruned(sessions=0, manifests=0)


def test_a_branch_outlives_what_it_was_forked_from(store: Store) -> None:
    old = made(store, "old")
    with store.writing() as db:
        sessions.fork(db, id=old.read_id, owner="browser-2", choices_kept=1, position=1, title="branch")
    aged(store, 91, session=old)
    assert prune(store, older_than=DAYS_90).sessions == 1
    assert titles(store) == {"branch"}


def test_an_old_manifest_stays_while_a_session_begins_with_it_or_applies_it(store: Store) -> None:
    begun, applied, unused, young = (kept(store, f"kind: {kind}") for kind in ("A", "B", "C", "D"))
    made(store, "begins", manifest=begun)
    made(store, "applies", choice=f"5s apply m:{applied}")
    for name in (begun, applied, unused):
        aged(store, 91, manifest=name)
    assert prune(store, older_than=DAYS_90) == Pruned(sessions=0, manifests=1)
    assert names(store) == {begun, applied, young}


def test_a_manifest_goes_with_the_last_session_that_used_it(store: Store) -> None:
    name = kept(store, "kind: Pod")
    aged(store, 91, session=made(store, "old", manifest=name), manifest=name)
    assert prune(store, older_than=DAYS_90) == Pruned(sessions=1, manifests=1)
    assert names(store) == set()


def test_a_manifest_that_is_pasted_again_is_young_again(store: Store) -> None:
    name = kept(store, "kind: Pod")
    aged(store, 91, manifest=name)
    assert kept(store, "kind: Pod") == name
    assert prune(store, older_than=DAYS_90).manifests == 0


def test_a_dry_run_says_the_same_and_takes_nothing_out(store: Store) -> None:
    name = kept(store, "kind: Pod")
    aged(store, 91, session=made(store, "old", manifest=name), manifest=name)
    assert prune(store, older_than=DAYS_90, dry_run=True) == Pruned(sessions=1, manifests=1)
    assert (titles(store), names(store)) == ({"old"}, {name})


def test_more_than_fit_in_one_unit_of_work_go_in_several(store: Store) -> None:
    then = now() - timedelta(days=91)
    with store.writing() as db:
        for n in range(AT_A_TIME + 1):
            db.add(Session(owner="o", flow="f", settings="{}", engine_version="0", title=str(n), updated_at=then))
            db.add(Manifest(hash=f"{n:032x}", text="x", size=1, created_at=then))
    assert prune(store, older_than=DAYS_90) == Pruned(sessions=AT_A_TIME + 1, manifests=AT_A_TIME + 1)
