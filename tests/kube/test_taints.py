import pytest

from app.kube.nodes import Taint
from app.kube.pods import Toleration
from app.kube.taints import OUT_OF_SERVICE, parse_taint, seconds_until_evicted, shortest, tolerates, untolerated

TAINT = Taint(key="dedicated", value="user1", effect="NoSchedule")


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        pytest.param(Toleration("dedicated", "Equal", "user1", "NoSchedule"), True, id="equal"),
        pytest.param(Toleration("dedicated", "", "user1", "NoSchedule"), True, id="no operator means Equal"),
        pytest.param(Toleration("dedicated", "Equal", "user2", "NoSchedule"), False, id="another value"),
        pytest.param(Toleration("dedicated", "Exists"), True, id="no effect means all"),
        pytest.param(Toleration("dedicated", "Exists", "", "NoExecute"), False, id="another effect"),
        pytest.param(Toleration("other", "Exists"), False, id="another key"),
        pytest.param(Toleration("", "Exists"), True, id="everything"),
        pytest.param(Toleration("dedicated", "Gt", "0"), False, id="not a comparison"),
    ],
)
def test_tolerates(toleration: Toleration, expected: bool) -> None:
    assert tolerates(toleration, TAINT) is expected


@pytest.mark.parametrize(
    ("operator", "asked", "has", "expected"),
    [
        ("Gt", "750", "950", True),
        ("Gt", "950", "950", False),
        ("Lt", "750", "500", True),
        ("Lt", "750", "x", False),
        ("Lt", "", "5", False),
    ],
)
def test_comparisons(operator: str, asked: str, has: str, expected: bool) -> None:
    toleration = Toleration("sla", operator, asked)
    taint = Taint(key="sla", value=has, effect="NoSchedule")
    assert tolerates(toleration, taint, comparisons=True) is expected
    assert not tolerates(toleration, taint)


def test_untolerated_gives_the_first_that_matters() -> None:
    soft, hard = Taint("a", "PreferNoSchedule"), Taint("b", "NoExecute")
    assert untolerated([soft, TAINT, hard], []) == TAINT
    assert untolerated([soft, TAINT, hard], [Toleration("dedicated", "Exists")]) == hard
    assert untolerated([soft], []) is None
    assert untolerated([soft, TAINT], [], ("PreferNoSchedule",)) == soft


def stay(*rows: tuple[str, int | None]) -> list[Toleration]:
    return [Toleration(key, "Exists", tolerationSeconds=seconds) for key, seconds in rows]


@pytest.mark.parametrize(
    ("taints", "tolerations", "expected"),
    [
        pytest.param([], [], None, id="no taint"),
        pytest.param([Taint("a", "NoSchedule")], [], None, id="other effects evict nobody"),
        pytest.param([Taint("a", "NoExecute")], [], 0, id="not tolerated"),
        pytest.param([Taint("a", "NoExecute")], stay(("a", None)), None, id="tolerated for ever"),
        pytest.param([Taint("a", "NoExecute")], stay(("a", 300)), 300, id="for a while"),
        pytest.param([Taint("a", "NoExecute")], stay(("a", -5)), 0, id="negative is not at all"),
        pytest.param(
            [Taint("a", "NoExecute"), Taint("b", "NoExecute")], stay(("a", 100), ("b", 1)), 1, id="the shortest"
        ),
        pytest.param([Taint("a", "NoExecute")], stay(("", 200), ("a", 1)), 200, id="the first that matches counts"),
        pytest.param([Taint("a", "NoExecute"), Taint("b", "NoExecute")], stay(("a", 100)), 0, id="one not tolerated"),
    ],
)
def test_seconds_until_evicted(taints: list[Taint], tolerations: list[Toleration], expected: int | None) -> None:
    assert seconds_until_evicted(taints, tolerations) == expected


def test_shortest() -> None:
    assert shortest([]) == 0
    assert shortest([None, None]) is None
    assert shortest([None, 5, 3]) == 3
    assert shortest([0, 5]) == 0


@pytest.mark.parametrize(
    ("text", "taint"),
    [
        ("maint=x:NoExecute", Taint("maint", "NoExecute", "x")),
        ("maint:NoSchedule", Taint("maint", "NoSchedule")),
        (
            "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
            Taint(OUT_OF_SERVICE, "NoExecute", "nodeshutdown"),
        ),
    ],
)
def test_a_taint_of_a_command_line(text: str, taint: Taint) -> None:
    assert parse_taint(text) == taint


@pytest.mark.parametrize("text", ["maint", "maint=x", ":NoExecute", "maint:Never", ""])
def test_what_is_no_taint(text: str) -> None:
    with pytest.raises(ValueError, match="allowed: KEY"):
        parse_taint(text)
