"""A recording held against a walk: what matches, and what only one of them has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.story import overlay_text
from app.story.overlaying import Overlay, largest, overlay
from app.story.play import Play, play, request
from app.story.recordings import read
from app.story.watch import trace

TRUTH = Path(__file__).parents[1] / "data" / "truth"
# The workload of the recording delete-pod, with its behaviour in the model's annotations.
WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: s2}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      annotations:
        sim.loopscope.dev/startup: 0s
        sim.loopscope.dev/on-sigterm: drain=8s
        sim.loopscope.dev/health: "exec: fail; after 2s: ok"
    spec:
      containers:
        - name: app
          image: app:v1
          resources: {requests: {cpu: 50m, memory: 64Mi}}
          readinessProbe: {exec: {command: [after, "2"]}, periodSeconds: 1}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: s2}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
"""


@pytest.fixture(scope="module")
def deletion() -> Play:
    return play(
        request(
            "sandbox",
            settings=[("rest", "true")],
            manifest=WEB,
            choices=[("do", "48ms delete pod/s2/web-1")],
            until="20s",
        )
    )


def held(recorded: Any, played: Play) -> Overlay:
    return overlay(read(json.dumps(recorded), "rec.json"), played.walk)


def states(found: Overlay, object_: str) -> list[tuple[str, str]]:
    return [(pair.one.path, pair.state) for pair in found.pairs if pair.one.object == object_]


def test_a_walk_matches_itself(deletion: Play) -> None:
    found = held(trace(deletion.walk), deletion)
    assert {pair.state for pair in found.pairs} == {"same"}
    assert (largest(found), found.unknown, found.left_out) == ([], (), ())


def test_a_recording_matches_the_walk_of_its_own_manifests(deletion: Play) -> None:
    found = overlay(read((TRUTH / "delete-pod.json").read_text(), "delete-pod.json"), deletion.walk)
    assert found.count("same") == 65
    assert [pair.one.path for pair in found.pairs if pair.state != "same"] == ["Unhealthy"]
    assert (found.shift, found.unknown) == (0.0, ())


def test_generated_names_are_those_of_the_recording(deletion: Play) -> None:
    found = overlay(read((TRUTH / "delete-pod.json").read_text(), "delete-pod.json"), deletion.walk)
    assert {pair.modelled.object for pair in found.pairs if pair.modelled} >= {
        "Pod s2/web-77c554bd64-jfvnm",
        "Event of Pod s2/web-77c554bd64-hwq7d",
        "EndpointSlice s2/web-brcg5",
    }
    scheduled = next(pair for pair in found.pairs if pair.one.path == "Scheduled")
    assert scheduled.modelled is not None
    assert scheduled.modelled.said.startswith("Successfully assigned s2/web-77c554bd64-hwq7d to ")


def test_what_only_one_side_has_is_said(deletion: Play) -> None:
    recorded = [row for row in trace(deletion.walk) if row["event"] != "DELETED"]
    pod = recorded[0]["object"]
    recorded.append(
        {"t": 9.0, "kind": "Pod", "object": pod, "event": "MODIFIED", "changes": [strange("status.reason")]}
    )
    found = held(recorded, deletion)
    assert ("status.reason", "recorded") in states(found, f"Pod {pod}")
    assert ("DELETED", "modelled") in states(found, f"Pod {pod}")
    assert (found.count("recorded"), found.count("modelled")) == (1, 1)


def strange(path: str) -> dict[str, str]:
    return {"path": path, "after": "Strange"}


def test_times_that_are_too_far_apart_are_named(deletion: Play) -> None:
    recorded = [row | {"t": row["t"] + 4 if row["event"] == "DELETED" else row["t"]} for row in trace(deletion.walk)]
    found = held(recorded, deletion)
    assert [(pair.one.path, pair.apart) for pair in found.pairs if pair.state == "time"] == [("DELETED", -4.0)]
    assert [(pair.one.path, pair.apart) for pair in largest(found)] == [("DELETED", -4.0)]


def test_other_words_for_the_same_are_matched(deletion: Play) -> None:
    text = json.dumps(trace(deletion.walk)).replace("False PodCompleted", "False SomethingElse")
    found = overlay(read(text, "rec.json"), deletion.walk)
    assert {pair.one.path for pair in found.pairs if pair.state == "text"} == {
        "status.conditions[Ready]",
        "status.conditions[ContainersReady]",
    }
    assert found.count("recorded") == found.count("modelled") == 0


def test_kinds_and_namespaces_that_were_not_recorded_are_left_out(deletion: Play) -> None:
    pods = [row for row in trace(deletion.walk) if row["kind"] == "Pod"]
    found = held(pods, deletion)
    assert {pair.state for pair in found.pairs} == {"same"}
    assert found.left_out == ("Deployment", "EndpointSlice", "Event", "ReplicaSet")


def test_objects_that_the_walk_does_not_have_are_named(deletion: Play) -> None:
    found = held([{"t": 1, "kind": "Pod", "object": "s2/stranger", "event": "ADDED"}], deletion)
    assert found.unknown == ("Pod s2/stranger",)


EVENTS = [
    ("Pod", "web-77c554bd64-jfvnm", "Killing", "Stopping container app", "04", 1),
    ("ReplicaSet", "web-77c554bd64", "SuccessfulCreate", "Created pod: web-77c554bd64-hwq7d", "04", 1),
    ("Pod", "web-77c554bd64-hwq7d", "Scheduled", "Successfully assigned s2/web-77c554bd64-hwq7d to a", "04", 1),
    ("Pod", "web-77c554bd64-hwq7d", "Unhealthy", "Readiness probe failed: not yet", "05", 3),
    ("Pod", "web-77c554bd64-hwq7d", "FailedMount", "MountVolume.SetUp failed", "09", 1),
]


def event_list() -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "List",
        "items": [
            {
                "kind": "Event",
                "metadata": {"name": f"{name}.x", "namespace": "s2"},
                "involvedObject": {"kind": kind, "namespace": "s2", "name": name},
                "type": "Warning" if reason in ("Unhealthy", "FailedMount") else "Normal",
                "reason": reason,
                "message": message,
                "count": count,
                "firstTimestamp": f"2026-05-06T07:08:{second}Z",
                "lastTimestamp": f"2026-05-06T07:08:{int(second) + count - 1:02}Z",
            }
            for kind, name, reason, message, second, count in EVENTS
        ],
    }


def test_events_are_put_where_the_first_that_matches_is_in_the_walk(deletion: Play) -> None:
    found = held(event_list(), deletion)
    killing = next(pair for pair in found.pairs if pair.one.path == "Killing")
    assert (killing.state, killing.apart, found.shift) == ("same", 0.0, 0.054)
    created = "Event of Pod s2/web-77c554bd64-hwq7d"
    assert states(found, created) == [
        ("Scheduled", "same"),
        ("Pulled", "modelled"),
        ("Created", "modelled"),
        ("Started", "modelled"),
        ("Unhealthy", "same"),
        ("Unhealthy", "same"),
        ("FailedMount", "recorded"),
    ]


def test_old_events_do_not_decide_where_a_recording_belongs(deletion: Play) -> None:
    rows = event_list()
    old = rows["items"][0] | {"firstTimestamp": "2026-05-06T06:00:00Z", "lastTimestamp": "2026-05-06T06:00:00Z"}
    found = held(rows | {"items": [old, *rows["items"][1:]]}, deletion)
    # The walk's SuccessfulCreate is at 0.053; the other Events began 4,084 s after the old one.
    assert found.shift == 0.053 - 4084
    assert [pair.one.path for pair in found.pairs if pair.state == "time"] == ["Killing"]


def test_the_text_has_both_times_and_a_summary(deletion: Play) -> None:
    recording = read(json.dumps(event_list()), "events.json")
    told = overlay_text.plain(recording, overlay(recording, deletion.walk)).splitlines()
    assert told[0].split() == ["recorded", "modelled"]
    killing = "Event of Pod s2/web-77c554bd64-jfvnm: Killing Stopping container app"
    assert told[1] == f"{'0.054':>10} {'0.054':>10}  {'=':15}  {killing}"
    assert any("+ only recorded" in row and row.endswith("FailedMount MountVolume.SetUp failed") for row in told)
    assert any("- only modelled" in row and "Started" in row for row in told)
    assert "5 match, 1 only recorded, 3 only modelled." in told
    assert any(row.startswith("The recording bears dates: it was moved by +0.054 s") for row in told)


def test_messages_stay_on_their_line_and_command_no_terminal(deletion: Play) -> None:
    rows = event_list()
    rows["items"][0] |= {"message": "one\n\ttwo \x1b[2Jthree"}
    recording = read(json.dumps(rows), "events.json")
    told = overlay_text.plain(recording, overlay(recording, deletion.walk))
    assert "Killing one two \\x1b[2Jthree (modelled: Stopping container app)\n" in told


def test_the_report_is_stable(deletion: Play) -> None:
    recording = read(json.dumps(event_list()), "events.json")
    found = overlay_text.report(recording, overlay(recording, deletion.walk), deletion)
    assert found["counts"] == {"same": 5, "time": 0, "text": 0, "recorded": 1, "modelled": 3}
    assert found["rows"][0] == {
        "state": "same",
        "object": "Event of Pod s2/web-77c554bd64-jfvnm",
        "path": "Killing",
        "recorded": {"at": 0.054, "value": "Stopping container app"},
        "modelled": {"at": 0.054, "value": "Stopping container app"},
        "apart": 0.0,
    }
