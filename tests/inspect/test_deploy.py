"""The manifests in `deploy/`, with which a team runs Loopscope itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app import __version__
from app.cli import main
from app.inspect.inspecting import Inspection, inspect
from app.kube.manifests import read_manifests
from app.kube.networking import Service
from app.kube.policy import PodDisruptionBudget
from app.kube.workloads import Deployment
from app.store.database import Store
from app.web.application import create_app

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


@pytest.fixture(scope="module")
def found() -> Inspection:
    return inspect({path.name: path.read_text() for path in sorted(DEPLOY.glob("*.yaml"))})


def test_its_claims_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "-f", str(DEPLOY)]) == 0
    out = capsys.readouterr().out
    assert out.endswith("6 of 6 hold\n")
    assert {line.split()[1] for line in out.splitlines() if line.startswith("ok")} == {
        "rollout:",
        "termination:",
        "drain:",
        "cordon:",
        "pod-startup:",
    }


def test_kubectl_apply_takes_every_file_of_the_folder() -> None:
    """It reads what lies in the folder itself, and every document must be an object; what lies deeper is ours."""
    for path in sorted(path for path in DEPLOY.iterdir() if path.suffix in (".yaml", ".yml", ".json")):
        assert read_manifests(path.read_text(), path.name).objects, path.name
    assert [path.relative_to(DEPLOY).as_posix() for path in DEPLOY.rglob("loopscope.yaml")] == ["claims/loopscope.yaml"]


@pytest.mark.parametrize("command", [["run", "sandbox"], ["inspect"]])
def test_the_claims_are_no_manifest(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "-f", str(DEPLOY)]) == 0
    assert "claims/loopscope.yaml" not in capsys.readouterr().err


def test_inspection_finds_nothing(found: Inspection) -> None:
    assert found.findings == ()
    assert {type(obj) for obj in found.subject.objects} >= {Deployment, Service, PodDisruptionBudget}


def test_the_command_line_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "-f", str(DEPLOY), "--fail-on", "note"]) == 0
    assert "No findings." in capsys.readouterr().out


def test_one_pod_may_go_and_all_are_there_in_a_rollout(found: Inspection) -> None:
    assert [(row.pods, row.allowed) for row in found.budgets] == [(2, 1)]
    rollout = found.pods[0].rollout
    assert rollout is not None
    assert (rollout.surge, rollout.unavailable) == (1, 0)
    assert found.pods[0].ended < found.pods[0].grace * 1000


def test_the_image_is_of_this_version(found: Inspection) -> None:
    (container,) = found.pods[0].made.pod.spec.containers
    assert container.image.rpartition(":")[2] == __version__


def test_every_probe_asks_an_address_that_answers(found: Inspection, tmp_path: Path) -> None:
    (container,) = found.pods[0].made.pod.spec.containers
    store = Store(f"sqlite:///{tmp_path}/loopscope.db")
    with TestClient(create_app(store), base_url="http://loopscope.test") as client:
        for probe in (container.startupProbe, container.livenessProbe, container.readinessProbe):
            assert probe is not None
            assert probe.httpGet is not None
            assert client.get(probe.httpGet.path).status_code == 200
    store.close()
