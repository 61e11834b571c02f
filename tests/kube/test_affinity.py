import pytest

from app.kube.affinity import allows, attracted, repelled
from app.kube.meta import ObjectMeta
from app.kube.nodes import Node
from app.kube.placement import (
    Affinity,
    NodeAffinity,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PodAffinity,
    PodAffinityTerm,
    PodAntiAffinity,
)
from app.kube.pods import PodSpec
from app.kube.stringmap import StringMap

NODE = Node(ObjectMeta(name="n1", labels=StringMap({"disk": "ssd", "cores": "8", "zone": ""})))


def needs(key: str, operator: str, *values: str) -> NodeSelectorTerm:
    return NodeSelectorTerm((NodeSelectorRequirement(key, operator, values),))


def spec(*terms: NodeSelectorTerm) -> PodSpec:
    return PodSpec(affinity=Affinity(nodeAffinity=NodeAffinity(NodeSelector(terms))))


@pytest.mark.parametrize(
    ("term", "allowed"),
    [
        pytest.param(needs("disk", "In", "ssd", "nvme"), True, id="one of the values"),
        pytest.param(needs("disk", "In", "hdd"), False, id="none of the values"),
        pytest.param(needs("gpu", "NotIn", "a100"), True, id="NotIn holds where the label is missing"),
        pytest.param(needs("disk", "NotIn", "ssd"), False, id="and fails on the value"),
        pytest.param(needs("zone", "Exists"), True, id="an empty label is there"),
        pytest.param(needs("gpu", "Exists"), False, id="a missing one is not"),
        pytest.param(needs("gpu", "DoesNotExist"), True, id="DoesNotExist"),
        pytest.param(needs("cores", "Gt", "7"), True, id="Gt is strict: 8 > 7"),
        pytest.param(needs("cores", "Gt", "8"), False, id="8 is not more than 8"),
        pytest.param(needs("cores", "Lt", "9"), True, id="Lt"),
        pytest.param(needs("disk", "Gt", "1"), False, id="text is no number"),
        pytest.param(NodeSelectorTerm(), False, id="a term without requirements matches nothing"),
        pytest.param(
            NodeSelectorTerm(matchFields=(NodeSelectorRequirement("metadata.name", "In", ("n1",)),)),
            True,
            id="the node's name, as daemons have it",
        ),
    ],
)
def test_one_term(term: NodeSelectorTerm, allowed: bool) -> None:
    assert allows(spec(term), NODE) is allowed


def test_requirements_are_anded_and_terms_are_ored() -> None:
    both = NodeSelectorTerm((*needs("disk", "In", "ssd").matchExpressions, *needs("gpu", "Exists").matchExpressions))
    assert not allows(spec(both), NODE)
    assert allows(spec(both, needs("disk", "Exists")), NODE)


def test_selector_and_affinity_must_both_match() -> None:
    fast = spec(needs("disk", "In", "ssd"))
    picky = PodSpec(nodeSelector=StringMap({"zone": "a"}), affinity=fast.affinity)
    assert allows(fast, NODE)
    assert not allows(picky, NODE)
    assert allows(PodSpec(), NODE)


def test_terms_about_pods() -> None:
    term = PodAffinityTerm("zone")
    assert attracted(PodSpec()) == repelled(PodSpec()) == ()
    assert attracted(PodSpec(affinity=Affinity(podAffinity=PodAffinity((term,))))) == (term,)
    assert repelled(PodSpec(affinity=Affinity(podAntiAffinity=PodAntiAffinity((term,))))) == (term,)
