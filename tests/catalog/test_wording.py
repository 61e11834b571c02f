"""A flow in other words: what is told anew, what its terms change in the rest, and what stays as it is."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.catalog.flow import Flow, MomentWords, Notes, Retold, Wording
from app.catalog.reading import flow, flows, read_flow
from app.catalog.wording import check, reworded, worded
from app.errors import BadInput
from tests.catalog.test_broken import CLUSTER

TERMS = {"pod": "copy", "pods": "copies", "node": "host", "kubelet": "node agent", "API server": "cluster API"}
NOTES = Notes("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("text", "other"),
    [
        pytest.param("the pod on a node", "the copy on a host", id="words"),
        pytest.param("Pods wait. Node down.", "Copies wait. Host down.", id="at the beginning of a sentence"),
        pytest.param("the API server and its pods", "the cluster API and its copies", id="longer terms"),
        pytest.param("the node agent of a node", "the node agent of a host", id="what is told so already"),
        pytest.param("pod/web-1 on node-1", "pod/web-1 on node-1", id="names"),
        pytest.param("node.kubernetes.io/unreachable", "node.kubernetes.io/unreachable", id="keys"),
        pytest.param("{node} has a node", "{node} has a host", id="what a step fills in"),
        pytest.param('it says "no pod", of a pod', 'it says "no pod", of a copy', id="quotes"),
        pytest.param("podium", "podium", id="parts of words"),
    ],
)
def test_terms_change_words_and_no_names(text: str, other: str) -> None:
    assert reworded(text, TERMS) == other
    assert reworded(other, TERMS) == other


def test_prose_begins_with_a_capital() -> None:
    """A kubelet is written small wherever it stands; a node agent is not."""
    text = "kubelet on node-1. kubelet waits, and the kubelet asks."
    other = "Node agent on node-1. Node agent waits, and the node agent asks."
    assert reworded(text, TERMS, prose=True) == other
    assert reworded("kubelet node-1", TERMS) == "node agent node-1"


def test_without_terms_a_text_stays() -> None:
    assert reworded("the pod", {}) == "the pod"


@pytest.fixture
def told(race: Flow) -> Flow:
    first = race.moments[0].id
    new = Wording(
        label="Other words",
        title="Another title",
        terms=TERMS,
        short={"kubelet": "agent"},
        lanes={race.lanes[0].lane: "Somebody"},
        moments=(MomentWords(first, "told anew", NOTES),),
        scenes=(Retold(race.scenes[0].id, title="A scene told anew"),),
    )
    return worded(replace(race, wordings={"other": new}), "other")


def test_what_is_told_anew_takes_the_place_of_the_flows_own(race: Flow, told: Flow) -> None:
    assert (told.title, told.lanes[0].title, told.lanes[0].lane) == ("Another title", "Somebody", race.lanes[0].lane)
    assert (told.moments[0].title, told.moments[0].notes) == ("told anew", NOTES)
    assert (told.scenes[0].title, told.scenes[0].script) == ("A scene told anew", race.scenes[0].script)


def test_the_rest_is_the_flows_own_with_other_terms(race: Flow, told: Flow) -> None:
    assert told.summary == reworded(race.summary, TERMS, prose=True)
    titles = [reworded(row.title, TERMS, prose=True) for row in race.moments[1:]]
    assert [row.title for row in told.moments[1:]] == titles
    assert [row.look for row in told.symptoms] == [row.look for row in race.symptoms]
    assert (told.terms, told.short) == (TERMS, {"kubelet": "agent"})
    assert (told.settings[0].sets, told.script, told.folds) == (race.settings[0].sets, race.script, race.folds)


def test_in_its_own_words_a_flow_is_what_it_was(race: Flow) -> None:
    assert worded(race, "") is race


def test_words_that_a_flow_does_not_have_are_refused() -> None:
    with pytest.raises(BadInput) as error:
        worded(flow("api-outage"), "neutra")
    assert error.value.problems == ['words: found "neutra"; allowed: neutral; did you mean "neutral"?']


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("terms: {pod: copy}", "line 1, label: missing; this key is required"),
        ("label: Other\nlanes: {Yu: Somebody}", 'line 2, lanes.Yu: found "Yu"; allowed: You'),
        ("label: Other\nscenes: [{id: x, title: X}]", 'line 2, scenes[0].id: found "x"; allowed: none'),
        ("label: Other\nword: [x]", "line 2, word: no such key"),
    ],
)
def test_faults_of_other_words_are_told_with_their_place(text: str, problem: str) -> None:
    files = {"broken/words.other.yaml": text.encode()}
    plain = b"id: broken\ntitle: T\nsummary: S.\nchapter: C\nlanes: [{lane: You, title: You, kind: user}]\n"
    source, problems = read_flow("broken", plain, CLUSTER, place="broken", words_files=files)
    assert source is None
    assert [row.startswith(f"broken/words.other.yaml: {problem}") for row in problems] == [True], problems


def test_a_field_that_is_not_there_cannot_be_told_anew(race: Flow) -> None:
    new = Wording(label="Other", scenes=(Retold(race.scenes[0].id, answer="none"),))
    assert [problem.text for problem in check(race, new)] == ["there is none here; allowed: title, summary"]


def test_neutral_words_name_no_part_of_kubernetes_where_they_are_told_anew() -> None:
    """What the flow says of its own is another matter: object names and kubectl's output stay."""
    new = flows()["api-outage"].wordings["neutral"]
    texts = [new.title, new.summary, *new.lanes.values()]
    texts += [
        text for row in new.moments for text in (row.title, *(getattr(row.notes, d) for d in NOTES.__struct_fields__))
    ]
    texts += [
        getattr(row, f)
        for part in ("symptoms", "questions", "traps")
        for row in getattr(new, part)
        for f in Retold.__struct_fields__[1:]
    ]
    named = ("kubelet", "kube-", "Pod", " pod", "kubectl", "ReplicaSet", "EndpointSlice", "etcd", "CronJob")
    assert [(text, word) for text in texts for word in named if word in text] == []
