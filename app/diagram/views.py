"""What each picture shows, before anything is placed: plain values, already in words."""

from __future__ import annotations

from msgspec import Struct


class Chip(Struct, frozen=True):
    """A process: what it is called and what it has not seen or done yet."""

    id: str
    kind: str
    """The colour family of its lane."""
    name: str
    note: str = ""
    state: str = "calm"
    """calm, behind (its belief differs from the truth), waits or down."""
    title: str = ""


class Row(Struct, frozen=True):
    """One line of a list: a symbol, a name, and what is to be said of it."""

    state: str
    symbol: str
    name: str
    note: str


class Listing(Struct, frozen=True):
    """An EndpointSlice with its endpoints, or a node's rules for one Service with their backends."""

    id: str
    title: str
    state: str
    rows: tuple[Row, ...]
    about: str = ""
    """The whole of it as one sentence."""


class Mark(Struct, frozen=True):
    """Something that a bar is held against, at a share of its width."""

    at: float
    kind: str
    """request, limit, threshold, soft or allocatable."""


class Bar(Struct, frozen=True):
    used: float
    """A share of its width."""
    state: str
    """calm, above (its request), short (below a threshold) or promised (what is asked for)."""
    marks: tuple[Mark, ...]
    note: str


class Meter(Struct, frozen=True):
    """Memory as bars, one below the other."""

    id: str
    bars: tuple[Bar, ...]
    title: str
    """The whole of it as one sentence."""


class PodCard(Struct, frozen=True):
    id: str
    name: str
    status: str
    ip: str
    state: str
    """ready, starting, unready, draining, dead, orphan or done."""
    symbol: str
    slot: int
    """Its place on the node; it keeps it for as long as it is there."""
    full: str
    """The whole name."""
    memory: Meter | None = None
    """None where memory is not drawn, or nothing of the pod runs."""


class Traffic(Struct, frozen=True):
    """What clients meet that go through one node."""

    state: str
    """ok or failing."""
    note: str
    title: str
    dead: tuple[str, ...] = ()
    """Ids of pods that this node's rules lead to although they do not serve."""


class NodeCard(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    state: str
    """ready, pressed (short of memory or disk), cordoned, unready or off."""
    note: str
    brief: str
    """The same in as few words as there is room for among many nodes; it also tells of a taint that sends pods away."""
    kubelet: Chip
    runtime: Chip
    proxy: Chip
    pods: tuple[PodCard, ...]
    rules: tuple[Listing, ...]
    no_rules: str
    """What stands in their place as long as there are none."""
    traffic: Traffic | None
    memory: Meter | None = None

    @property
    def counts(self) -> str:
        """`9 × Running · Ready, 1 × Terminating · exited 0`."""
        found: dict[str, int] = {}
        for pod in self.pods:
            found[pod.status] = found.get(pod.status, 0) + 1
        return ", ".join(f"{count} × {status}" for status, count in found.items())


class Message(Struct, frozen=True):
    """An arrow between two boxes of the map, named by their ids."""

    id: str
    sender: str
    receiver: str
    kind: str
    state: str
    text: str


class Extent(Struct, frozen=True):
    """The most that a walk ever shows at once, so that the map keeps its size from step to step."""

    pods: int = 0
    """On one node."""
    backends: int = 0
    """Lines of rules on one node."""
    endpoints: int = 0
    """Lines of all slices."""
    slices: int = 0
    waiting: int = 0
    """Pods without a node."""
    budgets: int = 0
    memory: bool = False
    """Whether memory is drawn."""


class ClusterView(Struct, frozen=True, kw_only=True):
    """The cluster as it is, with each process's belief beside it."""

    title: str
    caption: str
    caption_kind: str
    user: Chip | None
    api: Chip
    etcd: Chip
    scheduler: Chip
    controllers: Chip
    dns: Chip | None
    """The cluster's DNS server, if there is one."""
    control_plane: str
    slices: tuple[Listing, ...]
    waiting: Listing | None
    budgets: Listing | None
    nodes: tuple[NodeCard, ...]
    more_nodes: str
    """What is said of nodes that are not drawn."""
    clients: str
    """Empty when there are none."""
    clients_state: str
    clients_name: str
    cause: Message | None
    message: Message | None
    extent: Extent
    compact: bool


class LaneHead(Struct, frozen=True):
    id: str
    kind: str
    title: str
    under: str
    """The node, or what else tells it from lanes of the same title."""


class Shot(Struct, frozen=True, kw_only=True):
    """One arrow of the message picture."""

    id: str
    n: int
    sender: int
    """Index of the lane."""
    receiver: int
    kind: str
    look: str
    """message, watch or self."""
    state: str
    """past, now or ahead."""
    harm: bool
    text: str
    title: str
    racing: bool
    """Whether requests fail before or after it."""


class MessagesView(Struct, frozen=True, kw_only=True):
    title: str
    lanes: tuple[LaneHead, ...]
    shots: tuple[Shot, ...]
    before: str
    """What is said of earlier steps that are not drawn."""
    after: str
    race: str


class Segment(Struct, frozen=True):
    """One interval of a row, half-open; times in milliseconds."""

    start: int
    end: int
    state: str
    text: str
    goes_on: bool = False
    """Whether it lasts beyond the end of the picture."""


class Track(Struct, frozen=True):
    id: str
    kind: str
    name: str
    segments: tuple[Segment, ...]


class Pin(Struct, frozen=True):
    """What somebody noted on a step."""

    n: int
    """The step."""
    at: int
    """Milliseconds."""
    kind: str
    """note or decision."""
    actor: str
    """What of the step it is pinned to; empty where that is the whole of it."""
    text: str


class TimelineView(Struct, frozen=True, kw_only=True):
    """Intervals of a whole walk; only `cursor` depends on the step."""

    title: str
    start: int
    end: int
    tracks: tuple[Track, ...]
    races: tuple[tuple[int, int], ...]
    race: str
    instants: tuple[int, ...]
    """Instants at which something is shown to happen: the scale may fold what lies between two of them."""
    enlarged: str
    """What is said of a start that is drawn larger; names {end} and {times}."""
    keeps_waits: bool = False
    """Whether a wait is cut out only where it leaves no room for anything else."""
    cursor: int
    cursor_text: str
    pins: tuple[Pin, ...] = ()


class Column(Struct, frozen=True):
    """One value of a setting, and what a verdict says there."""

    name: str
    """The value."""
    height: float | None
    """None where there is no number: it never came about, or there is no walk."""
    text: str
    """The number, in a few characters."""
    state: str
    """good, bad or plain."""
    about: str
    """The whole of it as one sentence."""
    low: float | None = None
    high: float | None = None
    """The least and most, where it is a range."""
    usual: bool = False
    """Whether that is the value that the flow usually has."""


class ChartView(Struct, frozen=True):
    title: str
    measure: str
    """What the heights mean."""
    axis: str
    """What the values are."""
    columns: tuple[Column, ...]
