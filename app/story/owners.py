"""What kubectl prints of budgets and of workloads besides Deployments, where there are any."""

from __future__ import annotations

from app.kube.batch import CronJob, Job
from app.kube.policy import PodDisruptionBudget
from app.kube.printers import get_disruption_budgets
from app.kube.workload_printers import get_cron_jobs, get_daemon_sets, get_jobs
from app.kube.workloads import DaemonSet
from app.sim.world import World


def owner_views(world: World) -> dict[str, str]:
    """By command."""
    views: dict[str, str] = {}
    budgets = [obj for obj in world.etcd.find("PodDisruptionBudget") if isinstance(obj, PodDisruptionBudget)]
    if budgets:
        views["get pdb"] = get_disruption_budgets(budgets, world.now)
    daemons = [obj for obj in world.etcd.find("DaemonSet") if isinstance(obj, DaemonSet)]
    if daemons:
        views["get daemonsets"] = get_daemon_sets(daemons, world.now)
    crons = [obj for obj in world.etcd.find("CronJob") if isinstance(obj, CronJob)]
    if crons:
        views["get cronjobs"] = get_cron_jobs(crons, world.now)
    jobs = [obj for obj in world.etcd.find("Job") if isinstance(obj, Job)]
    if jobs:
        views["get jobs"] = get_jobs(jobs, world.now)
    return views
