"""Areas about a kubelet under pressure: thresholds, ranking, messages, admission."""

import re
from typing import Any

from app.kube import eviction_messages as messages
from app.kube import eviction_ranking as ranking
from app.kube import eviction_thresholds as thresholds
from app.kube.critical_pods import critical
from app.kube.eviction import Memory, look
from app.kube.eviction_ranking import Candidate
from app.kube.eviction_thresholds import Amount, Observation, Threshold
from app.kube.meta import ObjectMeta
from app.kube.node_reclaim import node_reclaim
from app.kube.pods import (
    Container,
    EmptyDirVolumeSource,
    Pod,
    PodSpec,
    PodStatus,
    ResourceRequirements,
    Toleration,
    Volume,
)
from app.kube.pressure_admission import admits, rejection
from app.kube.quantity import value
from app.kube.storage_limits import DiskUse, limit_exceeded
from app.kube.stringmap import StringMap
from tests.conformance.building import build
from tests.conformance.cases import Actual, Given, unknown


def parsed(given: Given) -> Actual:
    """Thresholds in the order in which they are expected, as far as they are."""
    enforced = given.take("enforceNodeAllocatable", []) or []
    maps = [given.take(key, {}) or {} for key in _SETTINGS]
    try:
        found = [_told(row) for row in thresholds.read(*maps, enforces_pods="pods" in enforced)]
    except ValueError:
        return {"error": True}
    wanted = given.wanted.get("thresholdsAnyOrder", [])
    ordered = [row for row in wanted if row in found] + [row for row in found if row not in wanted]
    return {"error": False, "thresholdsAnyOrder": ordered}


_SETTINGS = ("evictionHard", "evictionSoft", "evictionSoftGracePeriod", "evictionMinimumReclaim")


def _told(row: Threshold) -> dict[str, Any]:
    found = {
        "signal": row.signal,
        "operator": "LessThan",
        "gracePeriod": f"{row.grace / 1000:g}s",
        **_amount(row.amount),
    }
    return found | ({"minReclaim": _amount(row.min_reclaim)} if row.min_reclaim else {})


def _amount(amount: Amount) -> dict[str, Any]:
    return {"quantity": amount.quantity} if amount.part is None else {"percentage": amount.part}


def _threshold(given: Given) -> Threshold:
    if (operator := given.take("operator", "LessThan")) != "LessThan":
        unknown(f"the operator {operator}")
    reclaim = given.take("minReclaim")
    row = Threshold(
        given.take("signal"),
        _read_amount(given),
        _ms(given.take("gracePeriod", "0s")),
        _read_amount(given.part(reclaim)) if reclaim else None,
    )
    given.done()
    return row


def _read_amount(given: Given) -> Amount:
    return Amount(given.take("quantity", ""), given.take("percentage"))


def _ms(text: str) -> int:
    match = re.fullmatch(r"(?:(\d+)m)?(?:([\d.]+)s)?", text)
    if not match:
        unknown(f"the duration {text}")
    return int(match[1] or 0) * 60_000 + round(float(match[2] or 0) * 1000)


def met(given: Given) -> Actual:
    rows = [_threshold(given.part(row)) for row in given.take("thresholds")]
    observed = {
        signal: Observation(value(row["available"]), value(row.get("capacity", "0")))
        for signal, row in given.take("observations").items()
    }
    found = thresholds.met(rows, observed, with_reclaim=given.take("enforceMinReclaim", default=False))
    return {"signalsMet": [row.signal for row in found]}


def grace(given: Given) -> Actual:
    row = _threshold(given.part(given.take("threshold")))
    ago = round(given.take("firstObservedSecondsAgo") * 1000)
    return {"drivesEviction": bool(thresholds.grace_over(((row, -ago),), 0))}


def stale_stats(given: Given) -> Actual:
    row = Threshold(thresholds.MEMORY, Amount("1Gi"))
    now, last = given.take("statsTimeSeconds"), given.take("lastStatsTimeSeconds")
    before = {} if last is None else {row.signal: Observation(0, 0, last)}
    found = thresholds.freshly_observed([row], {row.signal: Observation(0, 0, now)}, before)
    return {"mayEvict": bool(found)}


def urgency(given: Given) -> Actual:
    rows = [Threshold(signal, Amount("1Gi")) for signal in given.take("signals")]
    return {"order": [row.signal for row in thresholds.by_urgency(rows)]}


def condition(given: Given) -> Actual:
    given.take("condition")
    ago, period = given.take("lastObservedSecondsAgo"), given.take("transitionPeriodSeconds")
    return {"reported": thresholds.still_reported(-round(ago * 1000), round(period * 1000), 0)}


def rank(given: Given) -> Actual:
    resource = given.take("pressure")
    keys = given.take("keys", None) or ranking.KEYS[resource]
    signal = given.take("signal", "nodefs.available") or ""
    disks = {"image_fs": given.take("dedicatedImageFs", default=False)}
    disks["split"] = given.take("containerFsSplitFromImageFs", default=False)
    counted = ranking.measured(signal, **disks)
    rows = [_candidate(given.part(row), row["name"], counted, resource) for row in given.take("pods")]
    return {"evictionOrder": [row.name for row in ranking.order(rows, keys)]}


def _candidate(given: Given, name: str, counted: frozenset[str], resource: str) -> Candidate:
    """Use is given as a whole, or by kind; then only what counts for the signal is added up."""
    used = {kind: value(text) for key, kind in _KINDS.items() if (text := given.take(key)) is not None}
    whole = given.take("usage")
    known = given.take("statsFound", default=True) and (used or whole is not None)
    usage = sum(amount for kind, amount in used.items() if kind in counted) if used else value(str(whole or 0))
    storage = given.take("ephemeralStorageRequest")
    row = Candidate(
        name,
        given.take("priority", 0) or 0,
        usage if known else None,
        value(str(given.take("request", "0") or "0")),
        value(str(storage)) if storage is not None and resource == "inodes" else None,
    )
    given.done()
    return row


_KINDS = {
    "rootFsUsed": "root",
    "logsFsUsed": "logs",
    "localVolumeUsed": "volumes",
    "perLocalVolumeUsed": "volumes",
    "rootFsInodesUsed": "root",
    "logsFsInodesUsed": "logs",
    "localVolumeInodesUsed": "volumes",
}


def spared(given: Given) -> Actual:
    """The first ranked pod that may be evicted."""
    pods = [_ranked(given.part(row), row["name"]) for row in given.take("rankedPods")]
    return {"evict": next((pod.metadata.name for pod in pods if not critical(pod)), None)}


def _ranked(given: Given, name: str) -> Pod:
    words = {}
    if given.take("static", default=False):
        words["kubernetes.io/config.source"] = "file"
    if given.take("mirror", default=False):
        words["kubernetes.io/config.mirror"] = "hash"
    spec = PodSpec(priority=given.take("priority"), priorityClassName=given.take("priorityClassName", "") or "")
    given.done()
    return Pod(metadata=ObjectMeta(name=name, annotations=StringMap(words)), spec=spec)


def grace_period(given: Given) -> Actual:
    seconds = messages.grace_override(
        hard=given.take("kind") == "hard",
        longest=given.take("evictionMaxPodGracePeriod", 0) or 0,
        own=given.take("terminationGracePeriodSeconds"),
    )
    return {"gracePeriodOverrideSeconds": seconds}


def storage_limit(given: Given) -> Actual:
    image_fs = given.take("dedicatedImageFs", default=False)
    spec, used = _limited(given.part(given.take("pod")))
    found = limit_exceeded(spec, used, image_fs=image_fs)
    if not found:
        return {"evict": False}
    return {"evict": True, "gracePeriodSeconds": messages.AT_ONCE, "message": found, "disruptionTargetCondition": False}


def _limited(given: Given) -> tuple[PodSpec, DiskUse]:
    """A pod of one container unless it lists them; its volumes are emptyDirs."""
    alone = {"name": "app", "limit": given.first("ephemeralStorageLimit", "containerEphemeralStorageLimit")}
    alone |= {key: given.take(key, "0") for key in ("rootFsUsed", "logsFsUsed")}
    containers = given.take("containers") or [alone]
    volume = given.take("emptyDir")
    volumes = given.take("emptyDirs") or ([volume] if volume else [])
    other = given.first("localVolumeUsed", "perLocalVolumeUsed", default="0")
    given.done()
    spec = PodSpec(
        containers=tuple(_limited_container(row) for row in containers),
        volumes=tuple(
            Volume(row["name"], emptyDir=EmptyDirVolumeSource("", row.get("sizeLimit", ""))) for row in volumes
        ),
    )
    used = DiskUse(
        {row["name"]: value(row.get("rootFsUsed", "0")) for row in containers},
        {row["name"]: value(row.get("logsFsUsed", "0")) for row in containers},
        {row["name"]: value(row.get("used", "0")) for row in volumes} | {"other": value(other)},
    )
    return spec, used


def _limited_container(row: dict[str, str]) -> Container:
    limits = StringMap({"ephemeral-storage": row["limit"]} if row.get("limit") else {})
    return Container(row["name"], resources=ResourceRequirements(limits=limits))


def message(given: Given) -> Actual:
    above = [
        messages.Above(row["name"], value(row["usage"]), row.get("request", ""))
        for row in given.take("containersOverRequest", [])
    ]
    pod = given.first("podOverRequest", "podLevel", default=None)
    text = messages.node_pressure(
        given.take("resource"),
        given.take("thresholdQuantity", "") or "",
        given.take("available", "") or "",
        above,
        messages.Above(pod["name"], value(pod["usage"]), pod.get("request", "")) if pod else None,
    )
    condition = {"type": messages.DISRUPTION_TARGET, "status": "True", "reason": messages.BY_KUBELET, "message": text}
    return {"phase": "Failed", "reason": messages.REASON, "message": text, "condition": condition}


def reclaim(given: Given) -> Actual:
    found = node_reclaim(
        given.take("signal"),
        image_fs=given.take("dedicatedImageFs", default=False),
        split=given.take("containerFsSplitFromImageFs", default=False),
    )
    return {"containerGC": found.containers, "imageGC": found.images}


def admission(given: Given) -> Actual:
    conditions = given.take("nodeConditions", []) or []
    shared = [build(Toleration, row) for row in given.take("tolerations", None) or []]
    pods = [_arriving(row, shared) for row in given.take("pods")]
    return {
        "admit": [admits(pod, conditions) for pod in pods],
        "reason": "Evicted",
        "message": rejection(conditions),
    }


def _arriving(row: Any, shared: list[Toleration]) -> Pod:
    given = row if isinstance(row, dict) else {"qosClass": row}
    words = {"kubernetes.io/config.source": "file"} if given.get("static") else {}
    priority = given.get("priority") or (2_000_000_000 if given.get("critical") else None)
    own = [build(Toleration, each) for each in given.get("tolerations", [])]
    spec = PodSpec(priority=priority, tolerations=(*shared, *own))
    qos = given.get("qosClass") or given.get("qos") or unknown(f"the QoS class of {row}")
    meta = ObjectMeta(name=given.get("name", "p"), annotations=StringMap(words))
    return Pod(metadata=meta, spec=spec, status=PodStatus(qosClass=qos))


def scenario(given: Given) -> Actual:
    """A kubelet under changing pressure; pods that were evicted stay listed, and reclaiming frees nothing."""
    if not given.take("podsStayListed") or value(given.take("reclaimFrees", "0")):
        unknown("scenarios whose pods go, or whose node is reclaimed")
    config = given.part(given.take("config"))
    rows = [_threshold(given.part(row)) for row in config.take("thresholds")]
    longest, period = config.take("maxPodGracePeriodSeconds", 0), round(config.take("transitionPeriodSeconds") * 1000)
    config.done()
    counted = ranking.measured(rows[0].signal, image_fs=given.take("dedicatedImageFs", default=False))
    pods = [_candidate(given.part(row), row["name"], counted, rows[0].resource) for row in given.take("pods")]
    first = ranking.rank(pods, rows[0].resource)[0].name
    pids = given.take("maxPid", 0)
    memory, now, told = Memory(), 0, []
    for step in given.take("steps"):
        now += round(step["advanceSeconds"] * 1000)
        seen = Observation(_left(step, pids), pids, now)
        memory, acted_on = look(memory, rows, {row.signal: seen for row in rows}, period, now)
        pressures = memory.pressures(period, now)
        found: Actual = {_LABELS[rows[0].condition]: bool(pressures), "evict": first if acted_on else None}
        found |= {f"admit{qos}": admits(_arriving(qos, []), pressures) for qos in _CLASSES}
        if acted_on:
            # The cases' pods have grace periods that are longer than any that is set.
            found["gracePeriodSeconds"] = messages.grace_override(hard=acted_on[0].hard, longest=longest, own=None)
        told.append(found)
    return {"perStep": told}


def _left(step: dict[str, Any], pids: int) -> int:
    if "runningProcesses" in step:
        return pids - int(step["runningProcesses"])
    keys = [key for key in step if key not in ("advanceSeconds", "note")]
    if len(keys) != 1:
        unknown(f"a step of {keys}")
    return value(str(step[keys[0]]))


_CLASSES = ("BestEffort", "Burstable", "Guaranteed")
_LABELS = {"MemoryPressure": "memoryPressure", "DiskPressure": "diskPressure", "PIDPressure": "pidPressure"}
