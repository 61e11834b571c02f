"""What a turn may decide: one write, one change on its own host, or a wait."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from app.kube.meta import Ref
from app.kube.objects import Object
from app.sim.fronts import Front
from app.sim.host import Host
from app.sim.lags import Bounds
from app.sim.ledger import Failing, Route


class Work(NamedTuple):
    """One key of one loop; `node` is empty for loops that run once per cluster."""

    loop: str
    node: str
    key: Ref


class Create(Struct, frozen=True):
    """Store a new object; with `generateName` the API server picks the name."""

    object: Object


class Update(Struct, frozen=True, gc=False):
    """Replace metadata and spec. Refused when the writer's belief is stale."""

    object: Object


class UpdateStatus(Struct, frozen=True):
    """Replace the status. Refused when the writer's belief is stale."""

    object: Object


class PatchStatus(Struct, frozen=True):
    """Send what differs between `believed` and `object` in the status; never stale (the kubelet's way)."""

    believed: Object
    object: Object


class Patch(Struct, frozen=True):
    """Set some fields by path (`spec.replicas`), without a version (kubectl's way)."""

    ref: Ref
    changes: tuple[tuple[str, object], ...]


class Bind(Struct, frozen=True):
    """POST pods/binding: sets the node and PodScheduled=True in one update."""

    ref: Ref
    node: str


class Delete(Struct, frozen=True):
    """Graceful deletion. `grace` None means the object's own; `uid` is a precondition when given."""

    ref: Ref
    grace: int | None = None
    uid: str = ""


class Evict(Struct, frozen=True):
    """POST pods/eviction: a graceful deletion that a disruption budget may refuse."""

    ref: Ref
    grace: int | None = None
    dry_run: bool = False


class Get(Struct, frozen=True):
    """Read one object from the API server itself, past every cache."""

    ref: Ref


class Dial(Struct, frozen=True):
    """Have the API server reach the kubelet that a pod is bound to (pods/log, pods/exec)."""

    ref: Ref


class List(Struct, frozen=True):
    """Read all objects under one index word (see `index.words`)."""

    word: str


class Renew(Struct, frozen=True):
    """The holder of a Lease says that it lives: only the time is written."""

    ref: Ref


Request = Create | Update | UpdateStatus | PatchStatus | Patch | Bind | Delete | Evict | Get | Dial | List | Renew


class Event(Struct, frozen=True):
    """A Kubernetes Event that goes with an act; `source` is the component that reports it."""

    type: str
    reason: str
    message: str
    source: str
    object: Ref | None = None
    """None means the act's own object."""
    part: str = ""
    """The part of the object that it is about (`involvedObject.fieldPath`), such as `spec.containers{app}`."""


class Line(Struct, frozen=True):
    """A line that a command prints."""

    text: str
    stream: str = "stdout"


class Act(Struct, frozen=True, gc=False):
    """The one next thing. A request and a host change may come together: the host changes if the request passes."""

    verb: str
    object: Ref
    reason: str = ""
    """One CamelCase word or a few plain words: why the loop decided so."""
    moment: str = ""
    """The kind of step that words hang on, such as `sigterm-sent`."""
    request: Request | None = None
    host: Host | None = None
    to: str = ""
    """The lane acted upon; requests go to the API server."""
    sender: str = ""
    """The lane it comes from, when that is not the loop's own (an app process)."""
    outcome: str = ""
    """What came of it, for acts without a request."""
    events: tuple[Event, ...] = ()
    output: tuple[Line, ...] = ()
    background: bool = False
    command: Command | None = None
    """The new state of the command that a kubectl turn works on."""
    noted: tuple[Route, Failing | None] | None = None
    """What the clients have noticed of one route."""
    clients: str = ""
    """`come`: those that waited begin to send; `served`: they have noticed their first answer."""
    front: tuple[Ref, Front] | None = None
    """What a front sends to from now on, for one Service."""
    memory: Struct | None = None
    """What the loop keeps in mind about its key from now on; None leaves it as it is."""
    also: tuple[Ref, ...] = ()
    """Other keys of the same loop that are to be looked at."""
    client: str = ""
    """The process that sends the request, where it is not the loop's own."""
    process: tuple[str, bool] | None = None
    """A process that begins its work with this act (True), or ends."""
    lists: str = ""
    """A kind that the process lists anew, as its watch is back."""


class Wait(Struct, frozen=True, gc=False):
    """Wake this key again within these bounds, unless something else wakes it first."""

    bounds: Bounds | None
    """None waits for nothing."""
    memory: Struct | None = None
    """What the loop keeps in mind about its key from now on; None leaves it as it is."""
    forget: bool = False
    """Whether it keeps nothing of it any more."""
    also: tuple[Ref, ...] = ()
    """Other keys of the same loop that are to be looked at."""


class Outcome(Struct, frozen=True, gc=False):
    """What the API server answered."""

    status: str
    """ok, conflict, not-found, already-exists, invalid, unreachable; of evictions also too-many-requests, forbidden,
    internal-error and busy."""
    object: Object | None = None
    message: str = ""
    objects: tuple[Object, ...] = ()
    """What was listed."""
    cause: str = ""
    """What `details.causes` of a refusal says."""
    retry_after: int = 0
    """Seconds of its Retry-After header."""
    again: Bounds | None = None
    """A busy server works on: its answer comes when the same request is carried out then."""

    @property
    def ok(self) -> bool:
        return self.status == "ok"


class Departure(Struct, frozen=True):
    """One pod that a drain sends away."""

    ref: Ref
    uid: str
    stage: str = "asking"
    """asking, busy (the server still works on the request), refused (asked again when due), leaving, gone or failed."""
    since: int = 0
    """When it came to this stage."""
    due: Bounds | None = None
    """When its next request is."""
    error: str = ""


class Drain(Struct, frozen=True):
    """How far a drain has come: nodes are cordoned first, then emptied one after the other."""

    cordoned: int = 0
    node: int = 0
    """The place among the command's nodes of the one at hand."""
    since: int = 0
    """When the work on that node began."""
    listed: bool = False
    asked: int | None = None
    """When its first eviction was requested: the timeout counts from here."""
    pods: tuple[Departure, ...] = ()
    failed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Nodes that are not drained, each with its errors."""


class Call(Struct, frozen=True):
    """How far a program in a pod has come with a call of a Service by its name."""

    name: str
    """As it asks for it."""
    node: str
    """The machine that its pod is on."""
    stage: str = "asking"
    """asking (for the name), calling, connecting, open, hanging or over."""
    since: int = 0
    """When it came to ask, to call, or to be connected."""
    host: str = ""
    """The full name that was answered."""
    addresses: tuple[str, ...] = ()
    asked: int | None = None
    """When the DNS server answered; None when the answer was at hand."""
    backend: str = ""
    """The address of the pod that the connection belongs to."""
    told: bool = False
    """Whether it was told that the rules lead elsewhere by now."""


class Command(Struct, frozen=True):
    """One command line at work, such as `kubectl delete pod web-1`."""

    number: int
    text: str
    """As typed."""
    verb: str
    refs: tuple[Ref, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    objects: tuple[Object, ...] = ()
    """What `apply` sends."""
    uids: tuple[str, ...] = ()
    """The uids of the objects whose end it waits for."""
    done: int = 0
    """How many of its requests are sent."""
    exit: int | None = None
    """None while it runs."""
    drain: Drain | None = None
    call: Call | None = None

    @property
    def key(self) -> Ref:
        return Ref("Command", "", str(self.number))

    def option(self, name: str, default: str = "") -> str:
        return dict(self.options).get(name, default)
