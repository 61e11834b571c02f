"""Folders of flows: what is found, what is refused, and that one folder's faults are its own."""

import shutil
from pathlib import Path

import pytest

from app.catalog import reading
from app.catalog.flow import Flow
from app.errors import BadInput, NotFound
from app.kube.workloads import Deployment

DATA = Path(__file__).parent / "data/flows"


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of the shipped one."""
    folder = tmp_path / "shipped"
    shutil.copytree(DATA, folder)
    monkeypatch.setattr("app.paths.flows_dir", lambda: folder)
    monkeypatch.delenv("LOOPSCOPE_FLOWS", raising=False)
    return folder


@pytest.fixture
def added(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that LOOPSCOPE_FLOWS names."""
    folder = shipped.parent / "added"
    folder.mkdir()
    monkeypatch.setenv("LOOPSCOPE_FLOWS", str(folder))
    return folder


def copy(folder: Path, id: str, *, text: str = "") -> Path:
    """The small flow again under another id."""
    shutil.copytree(DATA / "race", folder / id)
    file = folder / id / "flow.yaml"
    file.write_text(text or file.read_text().replace("id: race\n", f"id: {id}\n", 1))
    return file


@pytest.mark.usefixtures("shipped")
def test_a_flow_is_read_with_its_cluster() -> None:
    found = reading.flow("race")
    assert found.settings[3].default == "20"
    assert [str(obj.ref) for obj in found.cluster] == ["node/node-1", "node/node-2", "deployment/web", "service/web"]
    assert isinstance(found.cluster[2], Deployment)
    assert list(reading.flows()) == ["race"]
    assert reading.lexicon().acts == {"kubectl.delete": "kubectl deletes {object}"}


@pytest.mark.usefixtures("shipped")
def test_an_unknown_flow_names_the_near_one() -> None:
    with pytest.raises(NotFound, match=r'no flow "rase"; there are race; did you mean "race"\?'):
        reading.flow("rase")


def test_files_are_read_again_when_they_change(shipped: Path) -> None:
    before = reading.flow("race")
    assert reading.flow("race") is before
    cluster = shipped / "race/cluster.yaml"
    cluster.write_text(cluster.read_text() + "# more\n")
    after = reading.flow("race")
    assert after.digest != before.digest
    assert after.cluster == before.cluster


def test_a_folder_of_ones_own_adds_flows_and_words(added: Path) -> None:
    copy(added, "mine")
    (added / "lexicon.yaml").write_text("glossary: {mine: My word.}\n")
    (added / ".git").mkdir()
    assert list(reading.flows()) == ["race", "mine"]
    assert reading.lexicon().glossary == {"race": "Two loops, and nothing that orders them.", "mine": "My word."}


def test_a_flow_of_the_same_name_is_a_problem_and_the_first_stays(added: Path) -> None:
    copy(added, "race")
    with pytest.raises(BadInput, match=r"added/race: there is a flow race already, in .*shipped; rename this folder"):
        reading.flows()
    assert isinstance(reading.flow("race"), Flow)


def test_a_word_that_is_there_already_is_a_problem(added: Path) -> None:
    (added / "lexicon.yaml").write_text("glossary:\n  race: Another one.\n")
    with pytest.raises(BadInput, match=r"line 2, glossary\.race: there already, in another lexicon; keep one"):
        reading.flows()
    assert reading.lexicon().glossary["race"] == "Two loops, and nothing that orders them."


def test_a_broken_flow_hinders_no_other(added: Path) -> None:
    copy(added, "mine", text="id: mine\n")
    assert isinstance(reading.flow("race"), Flow)
    with pytest.raises(BadInput) as refused:
        reading.flow("mine")
    assert refused.value.problems == [
        f"mine/flow.yaml: line 1, {key}: missing; this key is required"
        for key in ("title", "summary", "chapter", "lanes")
    ]
    with pytest.raises(BadInput):
        reading.flows()


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda folder: (folder / "mine/cluster.yaml").unlink(), "mine/cluster.yaml: missing; it holds the Kubernetes"),
        (
            lambda folder: (folder / "mine/flow.yaml").unlink(),
            "mine/flow.yaml: missing; a flow's folder holds flow.yaml",
        ),
        (lambda folder: (folder / "mine/flow.yaml").write_bytes(b"id: \xff"), "mine/flow.yaml: byte 4 is not UTF-8"),
        (lambda folder: (folder / "mine/cluster.yaml").write_bytes(b"\xff"), "mine/cluster.yaml: byte 0 is not UTF-8"),
        (
            lambda folder: (folder / "mine/cluster.yaml").write_text("apiVersion: v1\nkind: Node\nmetadata: {}\n"),
            "mine/cluster.yaml: document 1",
        ),
    ],
    ids=["no cluster", "no flow", "flow not UTF-8", "cluster not UTF-8", "cluster wrong"],
)
def test_what_is_wrong_with_a_folders_files(added: Path, break_it: object, message: str) -> None:
    copy(added, "mine")
    break_it(added)  # type: ignore[operator]
    with pytest.raises(BadInput) as refused:
        reading.flow("mine")
    assert refused.value.problems[0].startswith(message)


def test_faults_of_both_files_are_told_together(added: Path) -> None:
    file = copy(added, "mine")
    file.write_text(file.read_text().replace("summary:", "sumary:", 1))
    (file.parent / "cluster.yaml").write_text("apiVersion: v1\nkind: Nod\nmetadata: {name: a}\n")
    with pytest.raises(BadInput) as refused:
        reading.flow("mine")
    assert [problem.split(":")[0] for problem in refused.value.problems] == [
        "mine/flow.yaml",
        "mine/flow.yaml",
        "mine/cluster.yaml",
    ]


@pytest.mark.parametrize(
    ("place", "message"),
    [("nowhere", "no such folder; LOOPSCOPE_FLOWS names it"), ("shipped/race", "this is one flow's folder")],
)
def test_a_folder_that_cannot_hold_flows(
    shipped: Path, monkeypatch: pytest.MonkeyPatch, place: str, message: str
) -> None:
    monkeypatch.setenv("LOOPSCOPE_FLOWS", str(shipped.parent / place))
    with pytest.raises(BadInput, match=message):
        reading.flows()
    assert isinstance(reading.flow("race"), Flow)
