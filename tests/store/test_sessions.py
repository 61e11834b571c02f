"""What a session keeps, who may change it, and what acting in the past leaves alone."""

import pytest
from sqlmodel import select

from app.errors import BadInput, MovedOn, NotFound, ReadOnly
from app.store import manifests, sessions
from app.store.database import Store
from app.store.sessions import Kind, StepTaken
from app.store.tables import Choice, Note, Session, Taken

pytestmark = pytest.mark.databases("sqlite", "postgresql")

DELETE = "5s delete pod/web-1"
PICK = "kubelet-pods@node-1.signal:pod~web-1!deliver:kube-proxy/node-2:endpointslice/web-abcde@1.200"


def steps(*numbers: int, rules: str = "old") -> list[StepTaken]:
    return [
        StepTaken(n=n, step_id=f"clients.get:service~web~~{n}", at_ms=n * 100, digest=f"{rules:->12}{n:04}")
        for n in numbers
    ]


@pytest.fixture
def walked(store: Store, session: Session) -> Session:
    """Ten steps taken, standing at the last; a choice made at step 3 and one at step 7; a note on step 2 and on 9."""
    with store.writing() as db:
        sessions.append_choice(db, edit_id=session.edit_id, kind="do", text=DELETE, seen=0, position=3)
        sessions.append_choice(db, edit_id=session.edit_id, kind="pick", text=PICK, seen=1, position=7)
        sessions.record_taken(db, edit_id=session.edit_id, steps=steps(*range(1, 11)))
        for n in (2, 9):
            step_id = f"clients.get:service~web~~{n}"
            sessions.add_note(db, edit_id=session.edit_id, step_id=step_id, actor="reader", text=f"look: {n}")
        return sessions.set_position(db, edit_id=session.edit_id, position=10)


def chosen(store: Store, session: Session) -> list[tuple[int, str, str]]:
    with store.reading() as db:
        return [(choice.n, choice.kind, choice.text) for choice in sessions.choices(db, session_id=session.id)]


def numbers_taken(store: Store, session: Session) -> list[int]:
    with store.reading() as db:
        return [step.n for step in sessions.taken(db, session_id=session.id)]


def noted(store: Store, session: Session) -> list[str]:
    with store.reading() as db:
        return [note.text for note in sessions.notes(db, session_id=session.id)]


def read(store: Store, id: str) -> Session:
    with store.reading() as db:
        return sessions.get_for_reading(db, id=id).session


def test_a_new_session_stands_at_the_start_with_all_its_settings(store: Store, session: Session) -> None:
    kept = read(store, session.edit_id)
    assert (kept.flow, kept.position, kept.forked_from) == ("termination", 0, None)
    assert kept.settings == '{"grace": "30s", "prestop": "0s"}'
    assert kept.effective_settings() == {"grace": "30s", "prestop": "0s"}
    assert chosen(store, session) == []


def test_a_session_names_its_manifest_which_must_be_kept(store: Store) -> None:
    def create(manifest_hash: str) -> Session:
        with store.writing() as db:
            return sessions.create(
                db,
                owner="browser-1",
                flow="sandbox",
                settings={},
                engine_version="0.1.0",
                title="Mine",
                manifest_hash=manifest_hash,
            )

    with store.writing() as db:
        name = manifests.put(db, text="kind: Pod")
    assert read(store, create(name).read_id).manifest_hash == name
    with pytest.raises(NotFound, match="no manifest m:0000"):
        create("0000")


def test_either_id_opens_it_and_only_one_may_edit(store: Store, session: Session) -> None:
    with store.reading() as db:
        by_reading = sessions.get_for_reading(db, id=session.read_id)
        by_editing = sessions.get_for_reading(db, id=session.edit_id)
    assert by_reading.session.id == by_editing.session.id == session.id
    assert (by_reading.may_edit, by_editing.may_edit) == (False, True)


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("id", ["", "1", "x" * 22, "\0", "' OR 1=1 --", "é"])
def test_an_id_that_leads_nowhere_is_not_found(store: Store, id: str) -> None:
    with store.reading() as db, pytest.raises(NotFound):
        sessions.get_for_reading(db, id=id)
    with store.writing() as db, pytest.raises(NotFound):
        sessions.get_for_editing(db, edit_id=id)


def test_the_reading_id_changes_nothing(store: Store, walked: Session) -> None:
    id = walked.read_id
    with store.writing() as db:
        for change in (
            lambda: sessions.append_choice(db, edit_id=id, kind="do", text=DELETE, seen=2, position=10),
            lambda: sessions.replace_choices(db, edit_id=id, choices=[], position=0),
            lambda: sessions.set_position(db, edit_id=id, position=1),
            lambda: sessions.record_taken(db, edit_id=id, steps=steps(11)),
            lambda: sessions.rename(db, edit_id=id, title="Other"),
            lambda: sessions.add_note(db, edit_id=id, step_id="s", actor="reader", text="hello"),
            lambda: sessions.delete(db, edit_id=id),
        ):
            with pytest.raises(ReadOnly, match="fork it to go your own way"):
                change()
    assert read(store, id) == walked


def test_choices_keep_the_order_and_the_letters_in_which_they_were_made(store: Store, walked: Session) -> None:
    assert chosen(store, walked) == [(1, "do", DELETE), (2, "pick", PICK)]


def test_of_two_pages_made_from_the_same_choices_only_the_first_may_add_one(store: Store, session: Session) -> None:
    def choose(text: str) -> None:
        with store.writing() as db:
            sessions.append_choice(db, edit_id=session.edit_id, kind="do", text=text, seen=0, position=3)

    choose("delete pod/web-1")
    with pytest.raises(MovedOn, match="by now: 1, known to this page: 0; reload it or fork it"):
        choose("delete pod/web-2")
    assert chosen(store, session) == [(1, "do", "delete pod/web-1")]


def test_a_choice_is_made_at_a_step_and_the_steps_after_it_are_forgotten(store: Store, session: Session) -> None:
    with store.writing() as db:
        sessions.record_taken(db, edit_id=session.edit_id, steps=steps(*range(1, 11)))
        sessions.append_choice(db, edit_id=session.edit_id, kind="pick", text=PICK, seen=0, position=4)
    assert read(store, session.read_id).position == 4
    assert numbers_taken(store, session) == [1, 2, 3, 4]


def test_going_back_forgets_nothing(store: Store, walked: Session) -> None:
    with store.writing() as db:
        sessions.set_position(db, edit_id=walked.edit_id, position=2)
    assert read(store, walked.read_id).position == 2
    assert len(chosen(store, walked)) == 2
    assert numbers_taken(store, walked) == list(range(1, 11))


@pytest.mark.parametrize("position", [-1, 1_000_001, 2**80])
def test_a_position_that_is_no_step_is_refused(store: Store, session: Session, position: int) -> None:
    with store.writing() as db, pytest.raises(BadInput, match="is no step"):
        sessions.set_position(db, edit_id=session.edit_id, position=position)
    assert read(store, session.read_id).position == 0


def test_acting_in_the_past_makes_a_branch_and_keeps_the_old_one(store: Store, walked: Session) -> None:
    before = chosen(store, walked), numbers_taken(store, walked), noted(store, walked)
    with store.writing() as db:
        branch = sessions.fork(db, id=walked.edit_id, owner="browser-1", choices_kept=1, position=5)
        sessions.append_choice(db, edit_id=branch.edit_id, kind="do", text="power-off node/node-1", seen=1, position=5)

    assert chosen(store, branch) == [(1, "do", DELETE), (2, "do", "power-off node/node-1")]
    assert numbers_taken(store, branch) == [1, 2, 3, 4, 5]
    assert noted(store, branch) == ["look: 2"]
    assert (branch.forked_from, branch.position) == (walked.id, 5)
    assert (chosen(store, walked), numbers_taken(store, walked), noted(store, walked)) == before
    assert read(store, walked.read_id) == walked


def test_a_branch_has_the_same_start_but_ids_and_an_owner_of_its_own(store: Store, walked: Session) -> None:
    with store.writing() as db:
        branch = sessions.fork(db, id=walked.read_id, owner="browser-2", choices_kept=2, position=10, title="My way")
    assert len({walked.read_id, walked.edit_id, branch.read_id, branch.edit_id}) == 4
    assert (branch.owner, branch.title) == ("browser-2", "My way")
    for same in ("flow", "manifest_hash", "settings", "engine_version"):
        assert getattr(branch, same) == getattr(walked, same)


def test_on_a_branch_all_choices_can_be_replaced(store: Store, walked: Session) -> None:
    with store.writing() as db:
        branch = sessions.fork(db, id=walked.edit_id, owner="browser-1", choices_kept=2, position=10)
        sessions.replace_choices(db, edit_id=branch.edit_id, choices=[("pick", PICK), ("do", DELETE)], position=2)
    assert chosen(store, branch) == [(1, "pick", PICK), (2, "do", DELETE)]
    assert numbers_taken(store, branch) == [1, 2]
    assert len(chosen(store, walked)) == 2


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        pytest.param("do", "", "do: is empty", id="nothing chosen"),
        pytest.param("pick", "x" * 4001, "pick: has 4001 characters; at most 4000 are allowed", id="too long"),
        pytest.param("undo", DELETE, "undo: no kind of choice; allowed are do and pick", id="another kind"),
    ],
)
def test_a_choice_that_cannot_be_one_is_refused(
    store: Store, walked: Session, kind: Kind, text: str, said: str
) -> None:
    def choose() -> None:
        with store.writing() as db:
            sessions.replace_choices(db, edit_id=walked.edit_id, choices=[("do", DELETE), (kind, text)], position=0)

    with pytest.raises(BadInput, match=said):
        choose()
    assert chosen(store, walked) == [(1, "do", DELETE), (2, "pick", PICK)]


def test_taking_a_step_again_keeps_it_as_it_was_the_first_time(store: Store, session: Session) -> None:
    with store.writing() as db:
        assert sessions.record_taken(db, edit_id=session.edit_id, steps=steps(1, 2, 3)) == 3
        assert sessions.record_taken(db, edit_id=session.edit_id, steps=steps(2, 3, 4, rules="new")) == 1
        assert sessions.record_taken(db, edit_id=session.edit_id, steps=[]) == 0
    with store.reading() as db:
        assert [step.digest[8:12] for step in sessions.taken(db, session_id=session.id)] == ["-old"] * 3 + ["-new"]


def test_a_step_keeps_its_id_its_time_and_its_digest(store: Store, session: Session) -> None:
    step = StepTaken(n=7, step_id="kubelet-pods@node-1.signal:pod~web-1", at_ms=200, digest="00ff00ff00ff00ff")
    with store.writing() as db:
        sessions.record_taken(db, edit_id=session.edit_id, steps=[step])
    with store.reading() as db:
        (kept,) = sessions.taken(db, session_id=session.id)
    assert StepTaken(n=kept.n, step_id=kept.step_id, at_ms=kept.at_ms, digest=kept.digest) == step


@pytest.mark.parametrize(
    ("replayed", "differs"),
    [
        pytest.param(steps(*range(1, 11)), None, id="as it was"),
        pytest.param(steps(*range(1, 15)), None, id="as it was, and computed further"),
        pytest.param(
            [StepTaken(n=s.n, step_id=s.step_id, at_ms=s.at_ms + 1, digest=s.digest) for s in steps(*range(1, 11))],
            None,
            id="the same effects at other times",
        ),
        pytest.param([*steps(1, 2, 3), *steps(*range(4, 11), rules="new")], 4, id="other effects from step 4 on"),
        pytest.param(steps(*range(1, 9)), 9, id="ends before step 9"),
        pytest.param([], 1, id="nothing happens any more"),
    ],
)
def test_a_walk_that_replays_differently_says_from_which_step_on(
    store: Store, walked: Session, replayed: list[StepTaken], differs: int | None
) -> None:
    with store.reading() as db:
        trail = sessions.trail(db, session_id=walked.id)
    assert sessions.first_difference(trail, replayed) == differs


def test_one_browser_sees_its_own_sessions_the_latest_touched_first(store: Store, session: Session) -> None:
    with store.writing() as db:
        second = sessions.fork(db, id=session.edit_id, owner="browser-1", choices_kept=0, position=0, title="Second")
        sessions.fork(db, id=session.edit_id, owner="browser-2", choices_kept=0, position=0, title="Foreign")
    with store.reading() as db:
        assert [found.id for found in sessions.list_for_owner(db, owner="browser-1")] == [second.id, session.id]
    with store.writing() as db:
        sessions.set_position(db, edit_id=session.edit_id, position=1)
    with store.reading() as db:
        assert [found.id for found in sessions.list_for_owner(db, owner="browser-1")] == [session.id, second.id]
        assert [found.id for found in sessions.list_for_owner(db, owner="browser-1", most=1)] == [session.id]
        assert sessions.list_for_owner(db, owner="nobody") == sessions.list_for_owner(db, owner="\0") == []


def test_renaming_keeps_everything_else(store: Store, walked: Session) -> None:
    with store.writing() as db:
        sessions.rename(db, edit_id=walked.edit_id, title="Race on node-2")
    kept = read(store, walked.read_id)
    assert kept.title == "Race on node-2"
    assert kept.updated_at > walked.updated_at
    assert kept.model_dump(exclude={"title", "updated_at"}) == walked.model_dump(exclude={"title", "updated_at"})


def test_deleting_takes_everything_of_the_session_and_leaves_its_branches(store: Store, walked: Session) -> None:
    with store.writing() as db:
        branch = sessions.fork(db, id=walked.edit_id, owner="browser-1", choices_kept=1, position=5)
        sessions.delete(db, edit_id=walked.edit_id)
    with pytest.raises(NotFound):
        read(store, walked.read_id)
    with store.reading() as db:
        for table in (Choice, Taken, Note):
            assert set(db.exec(select(table.session_id))) == {branch.id}
    assert read(store, branch.read_id).forked_from is None
    assert chosen(store, branch) == [(1, "do", DELETE)]


def test_notes_keep_their_order_their_step_and_who_wrote_them(store: Store, walked: Session) -> None:
    with store.reading() as db:
        first, second = sessions.notes(db, session_id=walked.id)
    assert (first.step_id, first.actor, first.text) == ("clients.get:service~web~~2", "reader", "look: 2")
    assert second.created_at >= first.created_at


def test_a_session_is_where_it_was_when_the_server_starts_again(store: Store, walked: Session) -> None:
    store.close()
    again = Store(store.url.render_as_string())
    again.migrate()
    assert read(again, walked.edit_id) == walked
    assert chosen(again, walked) == [(1, "do", DELETE), (2, "pick", PICK)]
    assert numbers_taken(again, walked) == list(range(1, 11))
    again.close()


def test_a_question_and_decisions_belong_to_the_session_and_to_what_is_forked_from_it(
    store: Store, walked: Session
) -> None:
    with store.writing() as db:
        sessions.set_question(db, edit_id=walked.edit_id, question="Does it drop requests?")
        step_id = "clients.get:service~web~~2"
        sessions.add_note(db, edit_id=walked.edit_id, step_id=step_id, actor="Ann", text="15 s it is", kind="decision")
        branch = sessions.fork(db, id=walked.read_id, owner="browser-2", choices_kept=1, position=4)
    for session in (walked, branch):
        with store.reading() as db:
            kinds = [(note.kind, note.actor) for note in sessions.notes(db, session_id=session.id)]
        assert ("decision", "Ann") in kinds
        assert kinds[0] == ("note", "reader")
        assert read(store, session.read_id).question == "Does it drop requests?"


def test_a_question_may_be_taken_back_but_not_be_too_long(store: Store, session: Session) -> None:
    with store.writing() as db:
        sessions.set_question(db, edit_id=session.edit_id, question="Why?")
        sessions.set_question(db, edit_id=session.edit_id, question="")
    assert read(store, session.edit_id).question == ""
    with store.writing() as db, pytest.raises(BadInput, match="question: has 1001 characters"):
        sessions.set_question(db, edit_id=session.edit_id, question="x" * 1001)
    with store.writing() as db, pytest.raises(ReadOnly):
        sessions.set_question(db, edit_id=session.read_id, question="Mine?")


def test_a_note_is_changed_and_deleted_within_its_session_only(store: Store, walked: Session) -> None:
    with store.writing() as db:
        step_id = "clients.get:service~web~~2"
        note = sessions.add_note(
            db, edit_id=walked.edit_id, step_id=step_id, actor="Clients", text="Why?", author="Ann"
        )
        sessions.change_note(db, edit_id=walked.edit_id, id=note.id, text="So", kind="decision")
    with store.reading() as db:
        kept = sessions.notes(db, session_id=walked.id)[-1]
        assert (kept.actor, kept.author, kept.text, kept.kind) == ("Clients", "Ann", "So", "decision")
    with store.writing() as db:
        other = sessions.fork(db, id=walked.read_id, owner="browser-2", choices_kept=0, position=1)
    for edit_id, refused in ((other.edit_id, NotFound), (walked.read_id, ReadOnly)):
        with store.writing() as db, pytest.raises(refused):
            sessions.change_note(db, edit_id=edit_id, id=note.id, text="Mine", kind="note")
        with store.writing() as db, pytest.raises(refused):
            sessions.delete_note(db, edit_id=edit_id, id=note.id)
    with store.writing() as db:
        sessions.delete_note(db, edit_id=walked.edit_id, id=note.id)
    assert "So" not in noted(store, walked)


def test_a_note_on_the_start_goes_with_every_fork(store: Store, walked: Session) -> None:
    with store.writing() as db:
        sessions.add_note(db, edit_id=walked.edit_id, step_id=sessions.THE_START, actor="step", text="Before all")
        branch = sessions.fork(db, id=walked.read_id, owner="browser-2", choices_kept=0, position=1)
    assert noted(store, branch) == ["Before all"]
