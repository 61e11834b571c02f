"""Whether a container that exited is started again: rules, then its own policy, then the pod's.

Not modelled: the action RestartAllContainers restarts the container that has it, not the whole pod in place.
"""

from __future__ import annotations

from app.kube.pods import Container, ContainerRestartRule, PodSpec

_RESTARTING_ACTIONS = ("Restart", "RestartAllContainers")


def should_restart(container: Container, spec: PodSpec, exit_code: int) -> bool:
    """As ContainerShouldRestart in pkg/api/v1/pod/util.go; what keeps a pod from restarting anything is not asked."""
    rule = _first_match(container, exit_code) if container.restartPolicy else None
    if rule is not None and rule.action in _RESTARTING_ACTIONS:
        return True
    match container.restartPolicy or spec.restartPolicy:
        case "OnFailure":
            return exit_code != 0
        case "Never":
            return False
        case _:
            return True


def _first_match(container: Container, exit_code: int) -> ContainerRestartRule | None:
    return next((rule for rule in container.restartPolicyRules if _matches(rule, exit_code)), None)


def _matches(rule: ContainerRestartRule, exit_code: int) -> bool:
    if rule.exitCodes is None:
        return False
    match rule.exitCodes.operator:
        case "In":
            return exit_code in rule.exitCodes.values
        case "NotIn":
            return exit_code not in rule.exitCodes.values
        case _:
            return False
