"""kubectl drain: cordon the nodes, then send the pods of one after the other away through the Eviction API.

Each pod is a goroutine of its own: asked for again 5 s after every refusal, waited for with a look every second.
The timeout is noticed at the next attempt. Not modelled: `--dry-run`, `--selector`, pods in terminating namespaces.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from msgspec.structs import replace

from app.kube import selectors
from app.kube.ages import go_duration
from app.kube.drain_filters import Flags, Verdict, errors, gone, verdict, warning
from app.kube.durations import parse as milliseconds
from app.kube.meta import Ref
from app.kube.pods import Pod
from app.loops.drain_report import given_up, refused, unfinished
from app.loops.kubectl_nodes import set_unschedulable
from app.loops.kubectl_output import Answers, error_of, said
from app.sim.acts import Act, Command, Delete, Departure, Drain, Evict, Get, Line, List, Outcome, Wait
from app.sim.index import on_node
from app.sim.lags import Bounds
from app.sim.loop import Turn

RETRY = 5_000
"""EvictErrorRetryDelay."""
POLL = 1_000
"""Between two looks at whether a pod is gone."""

Judged = Sequence[tuple[Pod, Verdict]]
Listing = Generator[Act, Outcome, Judged]


def drain(turn: Turn, command: Command) -> Answers | Act | Wait | None:
    """What a drain does next."""
    state = command.drain or Drain(since=turn.now)
    if state.cordoned < len(command.refs):
        after = replace(command, drain=replace(state, cordoned=state.cordoned + 1))
        return set_unschedulable(command, after, command.refs[state.cordoned], wanted=True)
    if state.node == len(command.refs):
        return unfinished(command, state)
    if not state.listed:
        return _begin(turn, command, state)
    return _go_on(turn, command, state)


def _begin(turn: Turn, command: Command, state: Drain) -> Answers | Wait:
    bounds = Bounds.at(state.since) if state.node else turn.lag("drain-list").after(state.since)
    return _listed(turn, command, state) if turn.reached(bounds) else Wait(bounds)


def _listed(turn: Turn, command: Command, state: Drain) -> Answers:
    """List and judge the pods of the node; any error keeps all of them."""
    node = command.refs[state.node]
    judged = yield from _judged(turn, command, node)
    found = errors(judged)
    if found:
        yield refused(command, state, found, turn.now)
        return
    told = warning(judged)
    if told:
        yield said(command, Line(f"Warning: {told}", "stderr"))
    pods = tuple(Departure(pod.ref, pod.metadata.uid, since=turn.now) for pod, row in judged if row.delete)
    state = replace(state, listed=True, asked=turn.now, pods=pods)
    yield Act(
        "choose-pods",
        node,
        reason="UserRequest",
        moment="pods-chosen",
        command=replace(command, drain=state),
        outcome=f"{len(pods)} of {len(judged)} to send away",
    )


def _judged(turn: Turn, command: Command, node: Ref) -> Listing:
    answer = yield Act("list-pods", node, request=List(on_node(node.name)), command=command, background=True)
    chosen = command.option("pod-selector")
    selector = selectors.parse(chosen) if chosen else None
    pods = [pod for pod in answer.objects if isinstance(pod, Pod)]
    pods = [pod for pod in pods if selector is None or selector.selects(pod.metadata.labels)]
    missing: dict[Ref, str] = {}
    for pod in pods:
        owner = pod.metadata.controller
        if owner is None or owner.kind != "DaemonSet" or pod.finished:
            continue
        ref = Ref(owner.kind, pod.metadata.namespace, owner.name)
        known = yield Act("get", ref, request=Get(ref), command=command, background=True)
        missing[pod.ref] = "" if known.ok else f'daemonsets.apps "{owner.name}" not found'
    flags = _flags(command)._replace(release=turn.release)
    return [(pod, verdict(pod, flags, turn.now, lambda row: missing.get(row.ref, ""))) for pod in pods]


def _flags(command: Command) -> Flags:
    def on(name: str) -> bool:
        return command.option(name) == "true"

    return Flags(
        force=on("force"),
        ignore_daemonsets=on("ignore-daemonsets"),
        delete_emptydir_data=on("delete-emptydir-data"),
        skip_wait_for_delete=int(command.option("skip-wait-for-delete-timeout", "0")),
    )


def _go_on(turn: Turn, command: Command, state: Drain) -> Answers | Wait | None:
    """Ask for those whose time has come, look after those that leave, or wait."""
    if any(_due(turn, command, pod) for pod in state.pods) or all(_over(pod) for pod in state.pods):
        return _rounds(turn, command, state)
    waits = [bounds for pod in state.pods if (bounds := _next(turn, command, pod)) is not None]
    # Looks that would find the pod still there are left out: the watch tells when it is gone.
    return Wait(_first(waits)) if waits else None


def _rounds(turn: Turn, command: Command, state: Drain) -> Answers:
    pods = list(state.pods)
    asked: list[tuple[int, Outcome]] = []
    for at in _turns(turn, pods):
        if _late(turn, command) and pods[at].stage != "busy":
            yield said(_with(command, state, pods), *_evicting(command, pods[at]))
            pods[at] = _timed_out(pods[at], command, turn.now)
            continue
        answer = yield _request(command, state, pods[at])
        asked.append((at, answer))
    for at, answer in asked:
        pods[at], lines = _answered(turn, pods[at], answer)
        yield said(_with(command, state, pods), *lines)
    # Only those that left before: what this turn did is not in its beliefs.
    for at, pod in enumerate(state.pods):
        if pod.stage == "leaving" and _due(turn, command, pod):
            pods[at], lines = _looked(turn, command, pod)
            yield said(_with(command, state, pods), *lines)
    if all(_over(pod) for pod in pods):
        yield _node_done(turn, command, replace(state, pods=tuple(pods)))


def _turns(turn: Turn, pods: Sequence[Departure]) -> list[int]:
    """Whose turn it is to be asked for: of those that may be, the ones that usually come first."""
    waiting = [(at, pod.due) for at, pod in enumerate(pods) if pod.stage in ("asking", "busy", "refused")]
    ready = [(at, due or Bounds.at(turn.now)) for at, due in waiting if due is None or turn.reached(due)]
    first = min((due.usual for _, due in ready), default=0)
    return [at for at, due in ready if due.usual == first or due.most <= turn.now]


def _request(command: Command, state: Drain, pod: Departure) -> Act:
    grace = int(command.option("grace-period", "-1"))
    deletes = command.option("disable-eviction") == "true"
    asked = None if grace < 0 else grace
    lines = () if pod.stage == "busy" else _evicting(command, pod)
    return Act(
        "delete" if deletes else "evict",
        pod.ref,
        reason="Drain" if pod.stage == "asking" else "Retry",
        moment="delete-requested" if deletes else "eviction-requested",
        request=Delete(pod.ref, asked) if deletes else Evict(pod.ref, asked),
        output=lines,
        command=replace(command, drain=state),
        # The server's own retry is not kubectl's doing.
        background=pod.stage == "busy",
    )


def _evicting(command: Command, pod: Departure) -> tuple[Line, ...]:
    return () if command.option("disable-eviction") == "true" else (Line(f"evicting pod {pod.ref.path}"),)


def _answered(turn: Turn, pod: Departure, answer: Outcome) -> tuple[Departure, tuple[Line, ...]]:
    match answer.status:
        case "ok":
            return replace(pod, stage="leaving", since=turn.now, due=None), ()
        case "not-found":
            return replace(pod, stage="gone"), ()
        case "busy":
            return replace(pod, stage="busy", since=turn.now, due=answer.again), ()
        case "too-many-requests":
            text = f"{_where(pod)} (will retry after 5s): {answer.message}"
            due = Bounds.at(turn.now + RETRY)
            return replace(pod, stage="refused", since=turn.now, due=due), (Line(text, "stderr"),)
        case _:
            text = error_of(answer) if answer.status == "unreachable" else answer.message
            return replace(pod, stage="failed", error=f"{_where(pod)}: {text}"), ()


def _where(pod: Departure) -> str:
    return f'error when evicting pods/"{pod.ref.name}" -n "{pod.ref.namespace}"'


def _timed_out(pod: Departure, command: Command, now: int) -> Departure:
    error = f"{_where(pod)}: global timeout reached: {go_duration(_timeout(command))}"
    return replace(pod, stage="failed", since=now, error=error)


def _looked(turn: Turn, command: Command, pod: Departure) -> tuple[Departure, tuple[Line, ...]]:
    if _is_gone(turn, pod):
        word = "deleted" if command.option("disable-eviction") == "true" else "evicted"
        return replace(pod, stage="gone", since=turn.now), (Line(f"pod/{pod.ref.name} {word}"),)
    where = f'pod "{pod.ref.name}" in namespace "{pod.ref.namespace}"'
    error = f"error when waiting for {where} to terminate: context deadline exceeded"
    return replace(pod, stage="failed", since=turn.now, error=error), ()


def _node_done(turn: Turn, command: Command, state: Drain) -> Act:
    found = [pod.error for pod in state.pods if pod.stage == "failed"]
    if found:
        return given_up(command, state, found, turn.now)
    node = command.refs[state.node]
    done = replace(state, node=state.node + 1, since=turn.now, listed=False, asked=None, pods=())
    return Act(
        "finish",
        node,
        reason="AllPodsGone",
        moment="node-drained",
        output=(Line(f"node/{node.name} drained"),),
        command=replace(command, drain=done, uids=()),
        to="You",
    )


# When.


def _due(turn: Turn, command: Command, pod: Departure) -> bool:
    if pod.stage == "leaving":
        return (_is_gone(turn, pod) and (turn.now - pod.since) % POLL == 0) or _late(turn, command)
    return not _over(pod) and (pod.due is None or turn.reached(pod.due))


def _next(turn: Turn, command: Command, pod: Departure) -> Bounds | None:
    if pod.stage != "leaving":
        return pod.due
    if _is_gone(turn, pod):
        return Bounds.at(turn.now + POLL - (turn.now - pod.since) % POLL)
    asked, timeout = (command.drain or Drain()).asked, _timeout(command)
    return Bounds.at((asked or 0) + timeout) if timeout else None


def _first(rows: Sequence[Bounds]) -> Bounds:
    least, usual, most = zip(*((row.least, row.usual, row.most) for row in rows), strict=True)
    return Bounds(min(least), min(usual), min(most))


def _over(pod: Departure) -> bool:
    return pod.stage in ("gone", "failed")


def _is_gone(turn: Turn, pod: Departure) -> bool:
    held = turn.get(pod.ref)
    return gone(pod.uid, held.metadata.uid if held else None)


def _timeout(command: Command) -> int:
    return milliseconds(command.option("timeout", "0s"))


def _late(turn: Turn, command: Command) -> bool:
    asked, timeout = (command.drain or Drain()).asked, _timeout(command)
    return bool(timeout) and asked is not None and turn.now >= asked + timeout


def _with(command: Command, state: Drain, pods: Sequence[Departure]) -> Command:
    """The command with its pods as they are, awaiting those that leave."""
    uids = tuple(pod.uid for pod in pods if pod.stage == "leaving")
    return replace(command, drain=replace(state, pods=tuple(pods)), uids=uids)
