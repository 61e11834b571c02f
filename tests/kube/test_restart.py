import pytest

from app.kube.pods import Container, ContainerRestartRule, ContainerRestartRuleOnExitCodes, PodSpec
from app.kube.restart import should_restart


def rule(operator: str, *codes: int, action: str = "Restart") -> ContainerRestartRule:
    return ContainerRestartRule(action=action, exitCodes=ContainerRestartRuleOnExitCodes(operator, codes))


@pytest.mark.parametrize(
    ("pod_policy", "exit_code", "expected"),
    [
        ("Always", 0, True),
        ("Always", 1, True),
        ("OnFailure", 0, False),
        ("OnFailure", 1, True),
        ("Never", 0, False),
        ("Never", 1, False),
    ],
)
def test_the_policy_of_the_pod(pod_policy: str, exit_code: int, expected: bool) -> None:
    assert should_restart(Container(name="app"), PodSpec(restartPolicy=pod_policy), exit_code) is expected


@pytest.mark.parametrize(
    ("policy", "rules", "exit_code", "expected"),
    [
        pytest.param("Never", (), 1, False, id="the container's policy wins"),
        pytest.param("Never", (rule("In", 42),), 42, True, id="a rule wins over it"),
        pytest.param("Never", (rule("In", 42),), 1, False, id="a rule that does not match"),
        pytest.param("OnFailure", (rule("NotIn", 1),), 0, True, id="NotIn"),
        pytest.param("Never", (rule("In", 1, action="Sleep"), rule("In", 1)), 1, False, id="the first match decides"),
        pytest.param("Never", (rule("Beyond", 1),), 1, False, id="an unknown operator never matches"),
        pytest.param("Never", (ContainerRestartRule("Restart"),), 1, False, id="a rule without codes never matches"),
        pytest.param("", (rule("In", 1),), 0, True, id="rules need a policy, so the pod's counts"),
    ],
)
def test_the_container(policy: str, rules: tuple[ContainerRestartRule, ...], exit_code: int, expected: bool) -> None:
    container = Container(name="app", restartPolicy=policy, restartPolicyRules=rules)
    assert should_restart(container, PodSpec(restartPolicy="Always"), exit_code) is expected
