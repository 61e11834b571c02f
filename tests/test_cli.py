"""The command line: what it prints, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli import main

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [*{before}, *{before}, *{before}, *{before}, *{before}, *{before}, *{before}, *{before}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
DEEP = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: web:1
          readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: often}
"""


def run(*arguments: str) -> int:
    return main(["run", "termination", *arguments])


def test_json_is_what_the_design_promises(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["flow"], found["kubernetes"], found["stopped"]) == ("termination", "1.36", "goal")
    assert "sigterm-sent" in [row["moment"] for row in found["steps"]]


def test_watch_has_the_form_of_the_recordings(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--format", "watch") == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["event"] for row in found} == {"ADDED", "MODIFIED", "DELETED"}
    assert all(set(row) >= {"t", "kind", "object", "event"} for row in found)
    assert [row["t"] for row in found] == sorted(row["t"] for row in found)
    marked = next(row for row in found if row["kind"] == "Pod")
    assert [change["path"] for change in marked["changes"]] == [
        "metadata.deletionTimestamp",
        "metadata.deletionGracePeriodSeconds",
    ]


def test_a_walk_can_be_told_in_other_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "api-outage", "--words", "neutral"]) == 0
    assert "node agent node-3 → runtime node-3: The node agent on node-3 starts it again" in capsys.readouterr().out
    assert run("--words", "neutral") == 2
    assert capsys.readouterr().err == 'words: found "neutral"; allowed: none\n'


@pytest.mark.parametrize("form", ["text", "md", "mmd", "svg"])
def test_every_form_prints_something(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--format", form) == 0
    assert len(capsys.readouterr().out) > 500


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "walk.json"
    assert run("--format", "json", "-o", str(path)) == 0
    assert json.loads(path.read_text())["flow"] == "termination"
    assert [found.name for found in tmp_path.iterdir()] == ["walk.json"]


def test_choices_keep_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    """A `do` without a time happens with the choice before it."""
    assert run("--do", "200ms delete pod/web-2", "--do", "set pod/web-3 on-sigterm=ignore", "--format", "json") == 0
    rows = [(row["at"], row["verb"]) for row in json.loads(capsys.readouterr().out)["steps"]]
    assert (0.2, "delete") in rows
    assert (0.2, "set") in rows


def test_until_ends_the_walk(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--until", "500ms", "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["stopped"] == "until"
    assert found["clock"] <= 0.5


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--set", "garce=3s"), 'did you mean "grace"?'),
        (("--set", "grace=soon"), "grace"),
        (("--set", "grace"), "the form is NAME=VALUE"),
        (("--scene", "no-such"), "no-such"),
        (("--do", "explode pod/web-1"), "unknown verb 'explode'"),
        (("--do", "delete"), "is the form"),
        (("--do", 'delete "pod/web-1'), "quote"),
        (("--pick", "nonsense"), "STEP-ID!ACTION"),
        (("--pick", "no.such:step!advance:1.000"), "never reached"),
        (("--until", "later"), "until"),
        (("--step", "no.such:step"), "no step of this walk"),
        (("--step", "4711"), "this walk has"),
        (("-f", "/no/such/file.yaml"), "cannot be read"),
    ],
)
def test_bad_input_exits_2_and_says_why(
    arguments: tuple[str, ...], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert problem in printed.err
    assert "Traceback" not in printed.err


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("kind: [", "document 1, line"),
        (DEEP, "spec.template.spec.containers[0].readinessProbe.periodSeconds"),
        (BOMB, "values"),
        ("x: 1\n" * 1_000_000, "at most 1,048,576"),
    ],
    ids=["broken", "deep", "bomb", "large"],
)
def test_a_bad_manifest_names_file_document_and_path(
    text: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    assert run("-f", str(path)) == 2
    printed = capsys.readouterr().err
    assert "bad.yaml" in printed
    assert problem in printed


def test_an_unknown_flow_names_the_near_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "terminaton"]) == 2
    assert 'did you mean "termination"?' in capsys.readouterr().err


def test_flows_lists_what_the_design_promises(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["flows", "--json"]) == 0
    (found,) = [row for row in json.loads(capsys.readouterr().out) if row["id"] == "termination"]
    assert set(found) >= {"id", "title", "chapter", "about", "settings", "scenes", "symptoms", "verdicts"}
    assert [row["name"] for row in found["settings"]][:3] == ["grace", "prestop", "on_sigterm"]
    assert set(found["verdicts"]) >= {
        "requests-failed",
        "requests-cut",
        "killed",
        "gone-at",
        "ready-at",
        "prestop-needed",
    }


def test_the_flows_check_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 0, capsys.readouterr().err


def test_verify_says_by_its_exit_code_whether_claims_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--claim", "drain-finished", "--claim", "drain: evicted == 2"]) == 0
    assert capsys.readouterr().out.endswith("2 of 2 hold\n")
    assert main(["verify", "--claim", "drain-finished < 1s"]) == 1
    assert main(["verify", "--claim", "drain-finished < soon"]) == 2
    assert main(["verify"]) == 2
    assert "no claim: give --claim, --claims, or a folder with loopscope.yaml" in capsys.readouterr().err


def test_verify_reads_a_folder_with_its_claims(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "web.yaml").write_text(DEEP.replace("often", "10"))
    (tmp_path / ".hidden.yaml").write_text("{")
    (tmp_path / "loopscope.yaml").write_text("claims: [{claim: restarts == 0, flow: pod-startup}]")
    assert main(["verify", "-f", str(tmp_path), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(row["flow"], row["holds"]) for row in found["claims"]] == [("pod-startup", True)]


def test_a_folder_without_manifests_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("-f", str(tmp_path)) == 2
    assert "found no file in this folder that ends in .yaml, .yml, .json" in capsys.readouterr().err


def test_sweep_prints_a_line_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "termination", "prestop", "requests-failed", "--to", "2s"]) == 0
    assert [row.split()[:3] for row in capsys.readouterr().out.splitlines()] == [
        ["0s", "NO", "3.467"],
        ["1s", "NO", "0.02"],
        ["2s", "ok", "0"],
    ]
    assert main(["sweep", "termination", "prestop", "requests-failed", "--to", "2s", "--format", "svg"]) == 0
    assert capsys.readouterr().out.startswith("<svg")
    assert main(["sweep", "termination", "prestop", "nothing"]) == 2


def test_overlay_holds_a_recording_against_a_walk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = tmp_path / "mine.json"
    assert run("--format", "watch", "-o", str(recording)) == 0
    assert main(["overlay", str(recording), "termination"]) == 0
    assert " match, 0 only recorded, 0 only modelled.\n" in capsys.readouterr().out
    assert main(["overlay", str(recording), "termination", "--set", "prestop=5s", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["flow"], found["settings"]["prestop"]) == ("termination", "5s")
    assert found["counts"]["same"] > 10
    assert max(row["apart"] for row in found["largest"]) == pytest.approx(5, abs=0.1)


def test_overlay_refuses_what_it_cannot_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = tmp_path / "mine.json"
    recording.write_text('{"kind": "Deployment"}')
    assert main(["overlay", str(recording)]) == 2
    assert capsys.readouterr().err.startswith(f"{recording}: found an object with kind; allowed: ")
    assert main(["overlay", str(tmp_path / "none.json")]) == 2
    assert "cannot be read: No such file" in capsys.readouterr().err
    assert main(["overlay", str(recording), "--tolerance", "soon"]) == 2
    assert capsys.readouterr().err.startswith('--tolerance: found "soon"; a duration is written ')


@pytest.mark.parametrize(("version", "deleted"), [("1.33", "deleted"), ("1.34", "deleted from default namespace")])
def test_a_walk_runs_on_the_version_that_is_set(capsys: pytest.CaptureFixture[str], version: str, deleted: str) -> None:
    assert run("--set", f"kubernetes={version}", "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["kubernetes"], found["settings"]["kubernetes"], found["dropped"]) == (version, version, [])
    assert found["output"][0]["text"].endswith(f'" {deleted}')


def test_a_version_out_of_reach_is_told_with_what_is_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--set", "kubernetes=1.28") == 2
    assert "allowed: 1.29, 1.30, 1.31, 1.32, 1.33, 1.34, 1.35, 1.36, 1.37" in capsys.readouterr().err


def test_versions_are_listed_among_the_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["flows", "--json"]) == 0
    for flow in json.loads(capsys.readouterr().out):
        (row,) = [row for row in flow["settings"] if row["name"] == "kubernetes"]
        assert (row["default"], row["choices"][0], row["choices"][-1]) == ("1.36", "1.29", "1.37")
