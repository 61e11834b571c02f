import pytest

from app.kube.pods import Container, PodSpec, ResourceRequirements
from app.kube.resources import ASSUMED, amounts, pod_requests
from app.kube.stringmap import StringMap


def container(cpu: str, *, sidecar: bool = False) -> Container:
    requests = StringMap({"cpu": cpu} if cpu else {})
    return Container(
        name="c",
        resources=ResourceRequirements(requests=requests),
        restartPolicy="Always" if sidecar else "",
    )


def test_amounts_are_whole_units() -> None:
    given = StringMap({"cpu": "0.5", "memory": "1Ki", "pods": "110", "example.com/gpu": "2"})
    assert amounts(given) == {"cpu": 500, "memory": 1024, "pods": 110, "example.com/gpu": 2}


@pytest.mark.parametrize(
    ("init", "apps", "expected"),
    [
        pytest.param([], ["100m", "200m"], 300, id="apps add up"),
        pytest.param([("500m", False), ("400m", False)], ["100m"], 500, id="the largest init container"),
        pytest.param([("50m", False)], ["100m"], 100, id="which may be smaller"),
        pytest.param([("100m", True)], ["100m"], 200, id="sidecars run beside the apps"),
        pytest.param([("100m", True), ("500m", False)], ["100m"], 600, id="and beside later init containers"),
        pytest.param([("500m", False), ("100m", True)], ["100m"], 500, id="but not beside earlier ones"),
    ],
)
def test_pod_requests(init: list[tuple[str, bool]], apps: list[str], expected: int) -> None:
    spec = PodSpec(
        initContainers=tuple(container(cpu, sidecar=sidecar) for cpu, sidecar in init),
        containers=tuple(container(cpu) for cpu in apps),
    )
    assert pod_requests(spec) == {"cpu": expected}


def test_requests_of_the_pod_win() -> None:
    own = ResourceRequirements(requests=StringMap({"cpu": "1", "example.com/gpu": "1"}))
    assert pod_requests(PodSpec(resources=own, containers=(container("100m"),))) == {"cpu": 1000}


def test_what_the_scores_assume() -> None:
    spec = PodSpec(containers=(container("300m"), container("")))
    assert pod_requests(spec, ASSUMED) == {"cpu": 400, "memory": 400 * 1024 * 1024}


def test_overhead_is_added_to_what_the_containers_or_the_pod_ask_for() -> None:
    overhead = StringMap({"cpu": "250m", "memory": "1Mi"})
    spec = PodSpec(containers=(container("100m"),), overhead=overhead)
    assert pod_requests(spec) == {"cpu": 350, "memory": 1024 * 1024}
    own = ResourceRequirements(requests=StringMap({"cpu": "1"}))
    assert pod_requests(PodSpec(containers=(container("100m"),), resources=own, overhead=overhead))["cpu"] == 1250
