"""What kubectl printed in the recordings of drain, line by line, and what the eviction subresource answered."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from node_recordings import NODES
from recordings import recording, walk

GENERATED = re.compile(r"(-[a-z0-9]{8,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}\b")
WRITES = re.compile(r" (drain|cordon|uncordon|patch|scale|apply) ")
DRAINS = [name for name in NODES if name.startswith(("drain", "cordon", "uncordon"))]
ANSWERS = {201: "ok", 404: "not-found", 429: "too-many-requests", 500: "internal-error"}
Printed = list[tuple[str, str, float]]


def plain(text: str) -> str:
    """Without the parts of names that mean nothing."""
    return GENERATED.sub("", text)


def recorded(name: str) -> Printed:
    """(stream, line, time) of all that the commands which change something printed."""
    found: Printed = []
    for row in recording(name)["kubectl"]:
        if not WRITES.search(row["cmd"]):
            continue
        found += [("stdout", plain(text), at) for at, text in row["stdout"]]
        # With -v=8 kubectl prints its requests, too.
        found += [("stderr", plain(text), at) for at, text in row["stderr"] if not re.match(r"I\d{4} ", text)]
    return found


def printed(name: str) -> Printed:
    records = walk(name, NODES[name]).records
    return [(line.stream, plain(line.text), row.step.at / 1000) for row in records for line in row.step.output]


@pytest.mark.parametrize("name", DRAINS)
def test_the_lines_are_the_recorded_ones(name: str) -> None:
    mine, theirs = printed(name), recorded(name)
    assert Counter(row[:2] for row in mine) == Counter(row[:2] for row in theirs)
    pairs = zip(sorted(mine), sorted(theirs), strict=True)
    # Whether a look just precedes the end of a pod is chance, and costs a second.
    assert not [(one, other) for one, other in pairs if abs(one[2] - other[2]) > 1.05]


@pytest.mark.parametrize("name", DRAINS)
def test_commands_end_as_they_ended(name: str) -> None:
    exits = [row["exit"] for row in recording(name)["kubectl"] if WRITES.search(row["cmd"])]
    commands = sorted(walk(name, NODES[name]).world.commands.values(), key=lambda command: command.number)
    assert [command.exit for command in commands] == exits


RESPONSES: list[dict[str, Any]] = recording("eviction-api")["responses"]


@pytest.mark.parametrize("at", range(len(RESPONSES)), ids=[row["case"] for row in RESPONSES])
def test_the_eviction_subresource_answers_as_recorded(at: int) -> None:
    steps = [row.step for row in walk("eviction-api", NODES["eviction-api"]).records if row.step.verb == "evict"]
    status, _, message = steps[at].outcome.partition(": ")
    body = RESPONSES[at]["body"]
    assert (status, message) == (ANSWERS[body["code"]], body.get("message", ""))


def test_a_refusal_names_its_cause() -> None:
    records = walk("eviction-api", NODES["eviction-api"]).records
    causes = [row.step.outcome for row in records if row.step.moment == "eviction-refused"]
    bodies = [row["body"] for row in RESPONSES]
    wanted = [body["details"]["causes"][0]["message"] for body in bodies if "causes" in body.get("details", {})]
    assert [cause for cause in causes if cause.startswith("The disruption budget")] == wanted
