import pytest

from app.kube.meta import ObjectMeta
from app.kube.oom_score import Process, badness, oom_score_adj, pages, victim
from app.kube.pods import Container, Pod, PodSpec, ResourceRequirements
from app.kube.stringmap import StringMap

GI = 2**30


def asking(memory: str = "", name: str = "app", *, limit: str = "", policy: str = "") -> Container:
    requests = StringMap({"memory": memory} if memory else {})
    limits = StringMap({"memory": limit} if limit else {})
    return Container(name, resources=ResourceRequirements(requests, limits), restartPolicy=policy)


def scores(spec: PodSpec, capacity: int = 8 * GI) -> dict[str, int]:
    pod = Pod(ObjectMeta(name="p"), spec)
    return {row.name: oom_score_adj(pod, row, capacity) for row in (*spec.initContainers, *spec.containers)}


FULL = StringMap({"cpu": "1", "memory": "1Gi"})


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param(PodSpec((asking(),)), {"app": 1000}, id="BestEffort"),
        pytest.param(
            PodSpec((Container("app", resources=ResourceRequirements(FULL, FULL)),)), {"app": -997}, id="Guaranteed"
        ),
        pytest.param(PodSpec((asking("4Gi"),)), {"app": 500}, id="half of the machine"),
        pytest.param(PodSpec((asking("1"),)), {"app": 999}, id="hardly anything, yet below BestEffort"),
        pytest.param(PodSpec((asking("16Gi"),)), {"app": 3}, id="more than there is, yet above Guaranteed"),
        pytest.param(PodSpec((asking(limit="1Gi"),)), {"app": 999}, id="a limit alone, where nothing was filled in"),
        pytest.param(
            PodSpec((asking(),), priorityClassName="system-node-critical"), {"app": -997}, id="what the node needs"
        ),
        pytest.param(
            PodSpec((asking(),), priorityClassName="system-cluster-critical", priority=2_000_000_000),
            {"app": 1000},
            id="not what the cluster needs",
        ),
        pytest.param(
            PodSpec((asking("4Gi"),), initContainers=(asking("1Gi", "side", policy="Always"), asking("1Gi", "init"))),
            {"side": 500, "init": 875, "app": 500},
            id="a sidecar no more than what it serves",
        ),
        pytest.param(
            PodSpec(
                (asking("1Gi", "a"), asking("", "b")),
                resources=ResourceRequirements(StringMap({"memory": "3Gi"})),
            ),
            {"a": 750, "b": 875},
            id="what the pod asks for beyond its containers is shared",
        ),
    ],
)
def test_the_kubelets_score(spec: PodSpec, expected: dict[str, int]) -> None:
    assert scores(spec) == expected


def test_the_kernel_adds_what_is_used() -> None:
    total = 2_000_000
    assert badness(Process("a", rss=10, swap=5, page_tables=1, score_adj=2), total) == 4016
    assert badness(Process("never", rss=total, score_adj=-1000), total) is None


def test_who_is_killed() -> None:
    total = pages(6 * GI)
    api = Process("api", pages(950 * 2**20), score_adj=959)
    exporter = Process("exporter", pages(60 * 2**20), score_adj=995)
    hog = Process("hog", pages(4350 * 2**20), score_adj=-997)
    assert victim([hog, exporter, api], total) == api
    assert victim([hog, exporter], total) == exporter
    assert victim([Process("x", 9, score_adj=-1000)], total) is None
    assert victim([Process("b"), Process("a")], total) == Process("b")
