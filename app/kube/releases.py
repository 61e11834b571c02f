"""Which minor release of Kubernetes does what: the one table of all behaviours that came within 1.29 to 1.37.

A release is taken as it first came out (1.31 means v1.31.0); what a later patch of an older release took over is said
in the words about it. Rules, loops and printers ask a `Release` by the name of the behaviour.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

OLDEST, USUAL, NEWEST = 29, 36, 37
NAMES = tuple(f"1.{minor}" for minor in range(OLDEST, NEWEST + 1))


class Since(NamedTuple):
    """From which minor release on a behaviour is there, and where upstream it can be read."""

    minor: int
    source: str


_PULLS = "kubernetes/kubernetes#"

BEHAVIOURS = MappingProxyType(
    {
        "image_size": Since(30, "pkg/kubelet/images/image_manager.go"),
        "sleep_hook": Since(30, "gate PodLifecycleSleepAction, KEP-3960"),
        "drain_grammar": Since(30, f"pkg/drain/filters.go of kubectl, {_PULLS}120159"),
        "ends_at_once": Since(31, f"pkg/kubelet/eviction/eviction_manager.go, {_PULLS}124063"),
        "terminal_shown": Since(31, f"pkg/printers/internalversion/printers.go, {_PULLS}122038"),
        "long_node_grace": Since(32, f"pkg/controller/nodelifecycle/config/v1alpha1/defaults.go, {_PULLS}126287"),
        "pull_error_kept": Since(32, "pkg/kubelet/images/image_manager.go"),
        "single_kill": Since(32, f"singleProcessOOMKill of KubeletConfiguration, {_PULLS}126096"),
        "created_colon": Since(32, "pkg/kubelet/kuberuntime/kuberuntime_container.go"),
        "back_off_cut": Since(33, "gate SchedulerPopFromBackoffQ, pkg/scheduler/backend/queue"),
        "zero_sleep": Since(33, "gate PodLifecycleSleepActionAllowZero, KEP-4818"),
        "pod_generation": Since(33, "pkg/registry/core/pod/strategy.go, KEP-5067"),
        "executes_at_once": Since(34, f"processTaintBaseEviction in pkg/controller/nodelifecycle, {_PULLS}120816"),
        "claims_told": Since(34, "gate DynamicResourceAllocation, pkg/scheduler/framework/plugins/dynamicresources"),
        "namespace_told": Since(34, f"pkg/cmd/delete/delete.go of kubectl, {_PULLS}126619"),
        "pod_resources": Since(34, "gate PodLevelResources, KEP-2837"),
        "taints_unnamed": Since(35, f"pkg/scheduler/framework/plugins/tainttoleration, {_PULLS}134740"),
        "title_case": Since(35, "pkg/controller/statefulset/stateful_pod_control.go"),
        "container_unnamed": Since(35, f"pkg/kubelet/kuberuntime/kuberuntime_container.go, {_PULLS}134043"),
        "access_told": Since(35, "gate KubeletEnsureSecretPulledImages, pkg/kubelet/images/image_manager.go"),
        "part_told": Since(35, f"pkg/describe/describe.go of kubectl, {_PULLS}133627"),
        "terminating_counted": Since(35, "gate DeploymentReplicaSetTerminatingReplicas, KEP-3973"),
        "restart_rules": Since(35, "gate ContainerRestartRules, KEP-5307"),
        "sandbox_told": Since(36, f"OnPodSandboxReady in pkg/kubelet/kubelet.go, {_PULLS}134660"),
        "relists_on_demand": Since(36, f"gate PLEGOnDemandRelist, {_PULLS}137362"),
        "digit_first": Since(36, "gate RelaxedServiceNameValidation, KEP-5311"),
        "lease_asked": Since(37, f"pkg/controller/nodelifecycle, {_PULLS}138698"),
    }
)


class Release(Struct, frozen=True):
    """One minor release; each field but the first tells whether it has a behaviour of the table."""

    minor: int
    image_size: bool
    sleep_hook: bool
    drain_grammar: bool
    ends_at_once: bool
    terminal_shown: bool
    long_node_grace: bool
    pull_error_kept: bool
    single_kill: bool
    created_colon: bool
    back_off_cut: bool
    zero_sleep: bool
    pod_generation: bool
    executes_at_once: bool
    claims_told: bool
    namespace_told: bool
    pod_resources: bool
    taints_unnamed: bool
    title_case: bool
    container_unnamed: bool
    access_told: bool
    part_told: bool
    terminating_counted: bool
    restart_rules: bool
    sandbox_told: bool
    relists_on_demand: bool
    digit_first: bool
    lease_asked: bool

    @property
    def name(self) -> str:
        return f"1.{self.minor}"

    @property
    def kubelet(self) -> str:
        """The version that its kubelets report: of the usual release the one that was recorded."""
        return "v1.36.2" if self.minor == USUAL else f"v1.{self.minor}.0"


@cache
def release(name: str) -> Release:
    """The release of that name, one of NAMES; the same value every time."""
    minor = OLDEST + NAMES.index(name)
    return Release(minor, **{behaviour: minor >= since.minor for behaviour, since in BEHAVIOURS.items()})


CURRENT = release(f"1.{USUAL}")
"""The one that everything was recorded on."""
