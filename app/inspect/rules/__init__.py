"""Every rule by its id, in the order in which findings of one severity are told."""

from collections.abc import Mapping
from types import MappingProxyType

from app.inspect.finding import Rule
from app.inspect.rules import budgets, naming, placing, probing, refusals, resources, rolling, stopping

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "refused": refusals.refused,
        "selector-mismatch": refusals.selector_mismatch,
        "rollout-cannot-move": refusals.rollout_cannot_move,
        "sleep-over-grace": refusals.sleep_over_grace,
        "declared-twice": refusals.declared_twice,
        "annotation-refused": refusals.annotation_refused,
        "prestop-over-grace": stopping.prestop_over_grace,
        "stop-over-grace": stopping.stop_over_grace,
        "sigterm-ignored": stopping.sigterm_ignored,
        "prestop-under-propagation": stopping.prestop_under_propagation,
        "grace-zero": stopping.grace_zero,
        "startup-over-budget": probing.startup_over_budget,
        "liveness-before-readiness": probing.liveness_before_readiness,
        "liveness-on-dependency": probing.liveness_on_dependency,
        "liveness-equals-readiness": probing.liveness_equals_readiness,
        "no-readiness": probing.no_readiness,
        "timeout-over-period": probing.timeout_over_period,
        "probe-port-missing": probing.probe_port_missing,
        "pdb-allows-nothing": budgets.pdb_allows_nothing,
        "pdb-single-replica": budgets.pdb_single_replica,
        "pdb-allows-everything": budgets.pdb_allows_everything,
        "pdb-matches-nothing": budgets.pdb_matches_nothing,
        "pdb-overlap": budgets.pdb_overlap,
        "pdb-uncountable": budgets.pdb_uncountable,
        "pdb-unmanaged": budgets.pdb_unmanaged,
        "pdb-holds-broken-pods": budgets.pdb_holds_broken_pods,
        "no-pdb": budgets.no_pdb,
        "best-effort": resources.best_effort,
        "no-memory-request": resources.no_memory_request,
        "memory-limit-without-request": resources.memory_limit_without_request,
        "no-memory-limit": resources.no_memory_limit,
        "limit-far-over-request": resources.limit_far_over_request,
        "request-over-nodes": resources.request_over_nodes,
        "recreate": rolling.recreate,
        "all-unavailable": rolling.all_unavailable,
        "rounded-to-one": rolling.rounded_to_one,
        "deadline-under-start": rolling.deadline_under_start,
        "image-latest": placing.image_latest,
        "image-latest-kept": placing.image_latest_kept,
        "image-invalid": placing.image_invalid,
        "drain-emptydir": placing.drain_emptydir,
        "drain-hostpath": placing.drain_hostpath,
        "drain-bare-pod": placing.drain_bare_pod,
        "tolerates-long": placing.tolerates_long,
        "tolerates-forever": placing.tolerates_forever,
        "service-selects-nothing": naming.service_selects_nothing,
        "service-port-missing": naming.service_port_missing,
        "target-port-undeclared": naming.target_port_undeclared,
        "reference-misspelled": naming.reference_misspelled,
        "reference-elsewhere": naming.reference_elsewhere,
        "key-missing": naming.key_missing,
        "priority-class-elsewhere": naming.priority_class_elsewhere,
    }
)
