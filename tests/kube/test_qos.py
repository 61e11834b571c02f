import pytest

from app.kube.pods import Container, PodSpec, ResourceRequirements
from app.kube.qos import qos_class
from app.kube.stringmap import StringMap


def resources(requests: str = "", limits: str = "") -> ResourceRequirements:
    """Written `cpu=1 memory=1Gi`."""

    def amounts(text: str) -> StringMap:
        return StringMap(tuple(part.split("=")) for part in text.split())  # type: ignore[misc]

    return ResourceRequirements(amounts(requests), amounts(limits))


FULL = "cpu=100m memory=100Mi"
NOTHING = resources()


@pytest.mark.parametrize(
    ("containers", "expected"),
    [
        pytest.param([NOTHING], "BestEffort", id="nothing asked"),
        pytest.param([resources("cpu=0", "memory=0")], "BestEffort", id="zero is nothing"),
        pytest.param([resources("example.com/gpu=1", "example.com/gpu=1")], "BestEffort", id="others do not count"),
        pytest.param([resources(FULL, FULL)], "Guaranteed", id="requests equal limits"),
        pytest.param([resources(FULL, "cpu=0.1 memory=0.1Gi")], "Burstable", id="0.1Gi is not 100Mi"),
        pytest.param([resources("cpu=100m", "cpu=0.1")], "Burstable", id="memory is missing"),
        pytest.param([resources(FULL, "cpu=0.1 memory=104857600")], "Guaranteed", id="however it is spelled"),
        pytest.param([resources(FULL, FULL), NOTHING], "Burstable", id="one asks for nothing"),
        pytest.param([resources(FULL, "cpu=200m memory=200Mi"), resources(FULL)], "Burstable", id="equal sums"),
        pytest.param([resources("", FULL)], "Burstable", id="limits without requests"),
        pytest.param([resources(FULL)], "Burstable", id="requests without limits"),
    ],
)
def test_containers(containers: list[ResourceRequirements], expected: str) -> None:
    rows = tuple(Container(name=str(number), resources=row) for number, row in enumerate(containers))
    assert qos_class(PodSpec(containers=rows)) == expected
    assert qos_class(PodSpec(containers=rows[:-1], initContainers=rows[-1:])) == expected


@pytest.mark.parametrize(
    ("own", "container", "expected"),
    [
        pytest.param(resources(FULL, FULL), NOTHING, "Guaranteed", id="the pod's alone count"),
        pytest.param(resources(FULL, "cpu=1 memory=1Gi"), resources(FULL, FULL), "Burstable", id="also when worse"),
        pytest.param(resources(FULL), resources(FULL, FULL), "Burstable", id="requests alone"),
        pytest.param(NOTHING, resources(FULL, FULL), "Guaranteed", id="empty is not set"),
    ],
)
def test_resources_of_the_pod(own: ResourceRequirements, container: ResourceRequirements, expected: str) -> None:
    rows = (Container(name="a", resources=container),)
    assert qos_class(PodSpec(resources=own, containers=rows)) == expected
