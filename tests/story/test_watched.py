"""Whole objects that were watched become a trace."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from app.errors import BadInput
from app.kube.objects import to_wire
from app.sim.maps import ordered
from app.story import overlay_text
from app.story.overlaying import overlay
from app.story.play import Play, play, request
from app.story.recordings import Recording, read
from app.story.watch import trace

KINDS = ("Pod", "Deployment", "ReplicaSet", "EndpointSlice")


def pod(name: str = "web", **parts: Any) -> dict[str, Any]:
    meta = {"name": name, "namespace": "a", "creationTimestamp": "2026-05-06T07:00:00Z"} | parts.pop("metadata", {})
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"containers": [{"name": "x"}]}, **parts}


def ready(status: str, at: str) -> dict[str, Any]:
    return {"phase": "Running", "conditions": [{"type": "Ready", "status": status, "lastTransitionTime": at}]}


def recorded(*objects: dict[str, Any], verbs: tuple[str, ...] = ()) -> Recording:
    rows = [{"type": verb, "object": row} for verb, row in zip(verbs, objects, strict=True)] if verbs else objects
    return read("\n".join(json.dumps(row, indent=1) for row in rows), "-")


UP = pod(status=ready("True", "2026-05-06T07:00:05Z"))
DOWN = pod(status=ready("False", "2026-05-06T07:01:05Z"))


def test_what_was_there_when_the_watch_began_is_no_news() -> None:
    (entry,) = recorded(UP, DOWN).entries
    assert (entry["event"], entry["object"], entry["t"]) == ("MODIFIED", "a/web", 0)
    assert entry["changes"] == [{"path": "status.conditions[Ready]", "before": "True", "after": "False"}]


def test_what_has_only_been_made_is() -> None:
    young = pod("new", metadata={"creationTimestamp": "2026-05-06T07:01:00Z"}, status={"phase": "Pending"})
    rows = recorded(UP, young, DOWN).entries
    assert [(row["event"], row["object"], row["t"]) for row in rows] == [
        ("ADDED", "a/new", 0),
        ("MODIFIED", "a/web", 5),
    ]


def test_deletions_show_only_with_types() -> None:
    rows = recorded(UP, DOWN, DOWN, verbs=("ADDED", "MODIFIED", "DELETED"))
    assert [row["event"] for row in rows.entries] == ["MODIFIED", "DELETED"]
    assert (rows.deletions, recorded(UP, DOWN).deletions) == (True, False)


def test_a_deletion_was_asked_for_its_grace_before_it_is_due() -> None:
    meta = {"deletionTimestamp": "2026-05-06T07:01:35Z", "deletionGracePeriodSeconds": 30}
    rows = recorded(UP, DOWN, pod(metadata=meta, status=UP["status"])).entries
    assert [(row["t"], row.get("dated", True)) for row in rows] == [(0, True), (0, False)]


def test_what_is_no_newer_has_no_date() -> None:
    bound = pod(status=UP["status"] | {"podIP": "10.0.0.1"})
    rows = recorded(UP, DOWN, bound).entries
    assert [row.get("dated", True) for row in rows] == [True, False]


def test_events_may_be_watched_too() -> None:
    event = {
        "kind": "Event",
        "metadata": {"name": "web.1"},
        "involvedObject": {"kind": "Pod", "namespace": "a", "name": "web"},
        "reason": "BackOff",
        "firstTimestamp": "2026-05-06T07:01:00Z",
        "lastTimestamp": "2026-05-06T07:01:10Z",
    }
    found = recorded(event, event | {"count": 2})
    assert (found.form, [row["count"] for row in found.entries]) == ("events", [1, 2])
    found = recorded(UP, event, DOWN)
    assert (found.form, [row["kind"] for row in found.entries]) == ("watch", ["Event", "Pod"])


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([UP, UP | {"metadata": []}], "-: document 2: found an object with apiVersion, kind, metadata, spec, status; "),
        ([UP, {"kind": "Pod"}], "-: document 2: found an object with kind; allowed: "),
        ([UP, {"type": "GONE", "object": UP}], '-: type: found "GONE"; allowed: ADDED, MODIFIED, DELETED'),
        ([UP, pod(metadata={"creationTimestamp": "soon"})], "-: object 2: found ValueError: "),
        (
            [UP, pod(status={"phase": 7})],
            "-: object 2: found ValidationError: Expected `str`, got `int` - at `$.status",
        ),
        ([UP, UP], "-: found objects in which nothing changes; allowed: "),
    ],
)
def test_what_cannot_be_read_is_refused(rows: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        recorded(*rows)
    assert caught.value.problems[0].startswith(said)


@pytest.fixture(scope="module")
def termination() -> Play:
    return play(request("termination"))


def stream(walk: Play, *, typed: bool) -> str:
    """What a watch of the walk would print."""
    start = [row.object for _, row in ordered(walk.walk.start.etcd.objects) if row.object.kind in KINDS]
    rows = [("ADDED", to_wire(obj)) for obj in start]
    for record in walk.walk.records:
        for commit in record.step.commits:
            if commit.ref.kind in KINDS and (commit.after is not None or typed):
                verb = "DELETED" if commit.after is None else "ADDED" if commit.before is None else "MODIFIED"
                rows.append((verb, to_wire(commit.after or commit.before)))
    return "".join(json.dumps({"type": verb, "object": row} if typed else row) for verb, row in rows)


@pytest.mark.parametrize("typed", [True, False])
def test_a_watch_of_a_walk_matches_it(termination: Play, typed: bool) -> None:
    recording = read(stream(termination, typed=typed), "-")
    found = overlay(recording, termination.walk)
    assert {pair.state for pair in found.pairs} == {"same"}
    assert any(pair.one.path == "DELETED" for pair in found.pairs) == typed
    told = overlay_text.plain(recording, found)
    assert ("Deletions do not show" in told) == (not typed)
    assert "?: the object does not say when it was written" in told


OLD = pod("old", status=ready("True", "2026-05-06T07:00:04Z"))
LIST = {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}}


def test_what_is_in_no_later_list_is_gone() -> None:
    """Certain it is of kinds and namespaces that the list has."""
    elsewhere = pod("other", metadata={"namespace": "b"}, status=UP["status"])
    rows = recorded(LIST | {"items": [UP, OLD, elsewhere]}, DOWN, LIST | {"items": [DOWN]})
    assert [(row["event"], row["object"], row.get("dated", True)) for row in rows.entries] == [
        ("DELETED", "a/old", False),
        ("MODIFIED", "a/web", True),
    ]
    assert rows.deletions


def test_another_object_of_the_same_name_means_that_the_first_is_gone() -> None:
    first = pod("db-0", metadata={"uid": "1"}, status=UP["status"])
    second = pod("db-0", metadata={"uid": "2", "creationTimestamp": "2026-05-06T07:05:00Z"})
    rows = recorded(UP, first, DOWN, second)
    assert [(row["event"], row["object"]) for row in rows.entries if row["object"] == "a/db-0"] == [
        ("DELETED", "a/db-0"),
        ("ADDED", "a/db-0"),
    ]
    assert not rows.deletions


def test_yaml_says_the_same() -> None:
    rows = [{"type": verb, "object": row} for verb, row in (("ADDED", UP), ("MODIFIED", DOWN), ("DELETED", DOWN))]
    as_yaml = "---\n".join(yaml.safe_dump(row) for row in rows)
    as_json = "\n".join(json.dumps(row) for row in rows)
    assert read(as_yaml, "-") == read(as_json, "-")
    listed = LIST | {"items": [UP, OLD]}, LIST | {"items": [DOWN]}
    assert read("---\n".join(yaml.safe_dump(row) for row in listed), "-") == recorded(*listed)


def test_broken_yaml_is_told_with_its_line() -> None:
    with pytest.raises(BadInput, match=r"^rec: document 1, line 2, column 12: .*allowed: JSON or YAML"):
        read("kind: Pod\nspec: {a: b: c}\n", "rec")


def test_nodes_of_any_name_are_those_to_which_the_same_came() -> None:
    """The recording is the walk itself, in which the nodes are called otherwise, and in another order."""
    walk = play(request("node-loss", until="2m"))
    names = {"node-1": "ip-10-0-7-9.ec2.internal", "node-2": "ip-10-0-1-2.ec2.internal", "node-3": "worker"}
    text = re.sub(r"node-[123]", lambda found: names[found[0]], json.dumps(trace(walk.walk)))
    found = overlay(read(text, "-"), walk.walk)
    assert {pair.state for pair in found.pairs} == {"same"}
    assert found.unknown == ()
    lost = [pair.one.object for pair in found.pairs if pair.one.path == "status.conditions[Ready]"]
    assert "Node ip-10-0-7-9.ec2.internal" in lost
