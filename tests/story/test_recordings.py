"""Recordings are read from their forms, or refused with what was found, where, and what is allowed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.errors import BadInput
from app.story.recordings import read, since

TRUTH = Path(__file__).parents[1] / "data" / "truth"
ENTRY = {"t": 1.5, "kind": "Pod", "object": "a/b", "event": "ADDED"}
EVENT = {
    "kind": "Event",
    "metadata": {"name": "n1.x"},
    "involvedObject": {"kind": "Node", "name": "n1"},
    "reason": "NodeNotReady",
    "message": "Node n1 status is now: NodeNotReady",
    "type": "Normal",
    "firstTimestamp": "2026-05-06T07:08:10Z",
    "lastTimestamp": "2026-05-06T07:08:10Z",
    "count": 1,
    "source": {"component": "node-controller"},
}


def refusal(found: Any) -> list[str]:
    with pytest.raises(BadInput) as caught:
        read(found if isinstance(found, str) else json.dumps(found), "rec.json")
    return caught.value.problems


@pytest.mark.parametrize("name", sorted(path.stem for path in TRUTH.glob("*.json")))
def test_every_recording_of_a_real_cluster_can_be_read(name: str) -> None:
    text = (TRUTH / f"{name}.json").read_text()
    if json.loads(text).get("trace"):
        assert read(text, name).form == "trace"


def test_a_bare_list_and_a_trace_are_put_in_order_of_time() -> None:
    rows = [ENTRY | {"t": 2}, ENTRY]
    assert [row["t"] for row in read(json.dumps(rows), "-").entries] == [1.5, 2]
    assert read(json.dumps({"trace": rows}), "-") == read(json.dumps(rows), "-")


def events(*items: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    return read(json.dumps({"kind": "List", "items": list(items)}), "-").entries


def test_an_event_that_came_again_is_seen_first_and_last() -> None:
    (first, last) = events(EVENT | {"count": 4, "lastTimestamp": "2026-05-06T07:09:10Z"})
    assert (first["t"], first["event"], first["count"]) == (0, "ADDED", 1)
    assert (last["t"], last["event"], last["count"]) == (60, "MODIFIED", 4)
    assert (first["object"], first["writer"]) == ("Node n1", "node-controller")


def test_events_of_the_new_recorder_have_their_own_times() -> None:
    new = EVENT | {
        "firstTimestamp": None,
        "lastTimestamp": None,
        "count": None,
        "eventTime": "2026-05-06T07:08:11.250000Z",
        "series": {"count": 2, "lastObservedTime": "2026-05-06T07:08:41.750000Z"},
        "source": {},
        "reportingComponent": "default-scheduler",
    }
    rows = events(EVENT, new)
    assert [(row["t"], row["count"], row["writer"]) for row in rows] == [
        (0, 1, "node-controller"),
        (1.25, 1, "default-scheduler"),
        (31.75, 2, "default-scheduler"),
    ]


def test_the_name_of_an_event_tells_its_time_to_the_millisecond() -> None:
    # 2026-05-06T07:08:10.500Z in nanoseconds.
    named = EVENT | {"metadata": {"name": f"n1.{1778051290500000000:x}"}}
    assert [row["t"] for row in events(EVENT, named)] == [0, 0.5]
    far = EVENT | {"metadata": {"name": "n1.17a2b3c4d5e6f7a8"}}
    assert [row["t"] for row in events(EVENT, far)] == [0, 0]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            "{",
            "rec.json: found no JSON: Expecting property name enclosed in double quotes at line 1, column 2; allowed: ",
        ),
        ("[" * 100_000, "rec.json: found JSON that is nested too deep; allowed: "),
        ("9" * 5000, "rec.json: Exceeds the limit (4300 digits) for integer string conversion"),
        ([ENTRY | {"object": "\ud800"}], "rec.json: found half of a surrogate pair; allowed: text"),
        ({"a": 1}, "rec.json: found an object with a; allowed: "),
        (7, "rec.json: found 7; allowed: "),
        ({"trace": {}}, "rec.json: trace: found {}; allowed: a list of entries"),
        ([], "rec.json: found no entry; allowed: at least one"),
        ([7], "rec.json[0]: found 7; allowed: an object with t, kind, object and event"),
        ([ENTRY | {"t": "1"}], 'rec.json[0].t: found "1"; allowed: a number of seconds'),
        ({"trace": [ENTRY, {**ENTRY, "event": "GONE"}]}, 'rec.json: trace[1].event: found "GONE"; allowed: ADDED, '),
        ([ENTRY | {"changes": [{}]}], "rec.json[0].changes[0]: found {}; allowed: an object with path, before and "),
        ([ENTRY | {"kind": "Event"}], "rec.json[0].reason: found null; allowed: a text"),
        ({"items": [{"kind": "Pod"}]}, "rec.json: document 1: found an object with kind; allowed: "),
        ({"items": []}, "rec.json: items: found nothing; allowed: Events"),
        ({"items": [{**EVENT, "firstTimestamp": "soon"}]}, "rec.json: Event 1: found"),
        ({"items": [{"kind": "Event", "involvedObject": []}]}, "rec.json: Event 1: found"),
    ],
)
def test_what_cannot_be_read_is_refused(found: Any, said: str) -> None:
    (problem,) = refusal(found)
    assert problem.startswith(said)


def test_what_came_before_can_be_left_out() -> None:
    rows = [EVENT, EVENT | {"firstTimestamp": "2026-05-06T07:10:10Z"}]
    dated = read(json.dumps({"items": rows}), "rec.json")
    for text in ("2m", "1m30s", "2026-05-06T07:10:10Z", "2026-05-06T09:10:00+02:00"):
        assert [row["t"] for row in since(dated, text).entries] == [120]
    with pytest.raises(BadInput, match='since "1h": nothing was recorded then or later'):
        since(dated, "1h")
    with pytest.raises(BadInput, match='since: found "soon"; allowed: a duration such as 300ms'):
        since(dated, "soon")
    with pytest.raises(BadInput, match=r"since: found a date, but rec\.json has none; allowed: 300ms"):
        since(read(json.dumps([ENTRY]), "rec.json"), "2026-05-06")


def test_many_faults_are_told_only_in_part() -> None:
    assert refusal([7] * 30)[-1] == "and 20 more"
