"""What a flow is: the shape of `flow.yaml`, with every key documented here."""

from __future__ import annotations

from msgspec import Struct

from app.kube.objects import Object
from app.kube.releases import CURRENT, Release
from app.sim.lags import Lag
from app.sim.ledger import Load
from app.sim.walk import Choice

STEP_WORDS = ("object", "name", "node", "at", "reason", "outcome", "from", "to", "verb")
"""What the words of a step may name in braces."""


class Lane(Struct, frozen=True):
    """One participant, in drawing order. `lane` is a loop's lane name, or that with `*` for one per node."""

    lane: str
    title: str
    kind: str
    """The colour family: user, api, controller, scheduler, kubelet, kube-proxy, runtime, kernel, app, clients."""


class Setting(Struct, frozen=True):
    """A number or choice that a reader may change."""

    name: str
    title: str
    type: str
    """duration, count, choice, switch or lag (`least..usual..most`)."""
    default: str
    help: str = ""
    unit: str = ""
    least: str = ""
    most: str = ""
    step: str = ""
    choices: tuple[str, ...] = ()
    open_choices: bool = False
    """Choices may carry a value of their own, such as `drain=10s`; where one is a duration, others may be given."""
    sets: tuple[str, ...] = ()
    """Where it is written; one of the targets in `catalog.targets`: `field REF PATH`, `annotation REF NAME`,
    `prestop REF CONTAINER`, `keep REF PATH` and `exists REF` (a switch that takes out what stands in cluster.yaml),
    `load SERVICE rate|duration`, `load SERVICE through|refresh|offset|retries|check` (the front that clients come
    through, one of nodes, ingress and load-balancer), `program IMAGE BEHAVIOUR` (how an image behaves whatever
    annotations say), `lag PROCESS`, `flag NAME` (of the control plane), `cluster nodes` (how many), `cluster version`
    (which Kubernetes), `script NAME` (fills `{NAME}` in scripts), `begins bound|rest` (rest: all was applied long
    before), `elects PROCESS` (a switch: whether it leads by a Lease)."""


class Notes(Struct, frozen=True):
    """The same moment for four readers."""

    junior: str
    middle: str
    senior: str
    principal: str


class Moment(Struct, frozen=True):
    """A named kind of step. Title and notes may name what `STEP_WORDS` lists, as in {object}."""

    id: str
    title: str
    notes: Notes
    covers: tuple[str, ...] = ()
    race: bool = False
    """Whether it opens or closes the window that the flow is about."""


class Symptom(Struct, frozen=True):
    """What an operator sees. It is true of a walk when `when` holds (see `story.claims`)."""

    id: str
    title: str
    words: tuple[str, ...]
    """What people type: message fragments, statuses, exit codes."""
    cause: str
    look: str
    when: str
    scene: str = ""
    covers: tuple[str, ...] = ()


class Verdict(Struct, frozen=True):
    """A computed answer; `id` names a function of `story.verdicts`. `text` may name {value} and what it reports."""

    id: str
    title: str
    text: str
    nothing: str = ""
    """The answer where the value is 0 or no, and there is nothing to name; `text` where it is left out."""
    never: str = ""
    """The answer where it did not happen; `nothing` where it is left out."""
    ok: str = ""
    """A claim about itself, such as `requests-failed == 0`; empty when the number is neither good nor bad."""
    varies: tuple[str, ...] = ()


class Scene(Struct, frozen=True):
    """A preset: settings and interventions that make something worth seeing happen."""

    id: str
    title: str
    summary: str
    settings: dict[str, str] = {}
    script: tuple[str, ...] = ()
    """Interventions beside the flow's own script."""
    instead: bool = False
    """Whether they stand in the place of the flow's script."""
    until: str = ""
    claims: tuple[str, ...] = ()
    """What its walk must show (see `story.claims`); a test holds it to that."""


class Question(Struct, frozen=True):
    id: str
    text: str
    answer: str
    moment: str = ""
    covers: tuple[str, ...] = ()


class Trap(Struct, frozen=True):
    """A sentence that costs you the question, and what is true instead."""

    id: str
    claim: str
    truth: str
    moment: str = ""
    covers: tuple[str, ...] = ()


class Figure(Struct, frozen=True):
    """A figure of the sources that a view or export shows."""

    view: str
    covers: tuple[str, ...]


class MomentWords(Struct, frozen=True):
    """A moment in other words."""

    id: str
    title: str
    notes: Notes


class Retold(Struct, frozen=True):
    """Texts of a symptom, verdict, scene, question or trap in other words; what is left out keeps its own."""

    id: str
    title: str = ""
    summary: str = ""
    text: str = ""
    nothing: str = ""
    never: str = ""
    answer: str = ""
    claim: str = ""
    truth: str = ""
    cause: str = ""
    look: str = ""


class Wording(Struct, frozen=True, kw_only=True):
    """A flow in other words, as read from `words.NAME.yaml` beside it."""

    label: str
    """What the switch to these words says."""
    title: str = ""
    summary: str = ""
    terms: dict[str, str] = {}
    """Word -> other word, in all that is not told anew, on pages and in pictures."""
    short: dict[str, str] = {}
    """The same for the small boxes of the map, where there is little room."""
    lanes: dict[str, str] = {}
    """`lane` -> title."""
    assumes: tuple[str, ...] = ()
    leaves_out: tuple[str, ...] = ()
    moments: tuple[MomentWords, ...] = ()
    symptoms: tuple[Retold, ...] = ()
    verdicts: tuple[Retold, ...] = ()
    scenes: tuple[Retold, ...] = ()
    questions: tuple[Retold, ...] = ()
    traps: tuple[Retold, ...] = ()


class Flow(Struct, frozen=True, kw_only=True):
    """One lesson, as read from its folder."""

    id: str
    title: str
    summary: str
    chapter: str
    lanes: tuple[Lane, ...]
    settings: tuple[Setting, ...] = ()
    script: tuple[str, ...] = ()
    goal: tuple[str, ...] = ()
    """Named predicates of `catalog.goals`; the walk ends when all hold."""
    until: str = "10m"
    target: str = ""
    """The object that the flow is about, as a reference (`pod/web-1`)."""
    anything: bool = False
    """Whether a reader's manifests may be without anything that takes the target's place: the walk is then about
    nothing in particular, and lines of the script that name the target are left out."""
    last_sync: dict[str, str] = {}
    """How long before t = 0 a node's kube-proxy ended its last sync."""
    images: tuple[str, ...] = ()
    """Images that every node has."""
    applies: tuple[str, ...] = ()
    """Objects of cluster.yaml that are not there at the start: `kubectl apply` brings them at t = 0, in the order of
    the file. Of a reader's manifests that is everything but Nodes. Without any, all was applied long before."""
    brings: tuple[str, ...] = ()
    """Objects of cluster.yaml that come along with a reader's manifests, such as a pod that calls their Service."""
    spare: tuple[str, ...] = ()
    """Objects of cluster.yaml that are in no walk until a script brings them: `apply m:KIND/NAME`."""
    clients: str = "always"
    """`always`: they have been sending since long before; `after-wait`: they come when a `wait` has returned;
    `on-nodes`: as always, but they are programs on the nodes, and those of a lost node are lost with it."""
    narrate_api: tuple[str, ...] = ()
    """Kinds of objects: what the API server does with kubectl's requests about them are steps of their own."""
    heartbeats: bool = False
    """Whether kubelets renew Leases and the node lifecycle controller watches over them. How long before t = 0 a node
    renewed its own is said by the annotation `lease-age` on the Node."""
    monitor: str = "1s"
    """When that controller's first pass over all nodes begins; it makes one every 5 s."""
    dns: bool = False
    """Whether the cluster has a DNS server that programs in pods may ask (`call pod/NAME DNS-NAME`)."""
    leaders: bool = False
    """Whether kube-controller-manager and kube-scheduler lead by Leases, and exit when they cannot renew them."""
    keeps_waits: bool = False
    """Whether long waits are what it is about: a timeline cuts out only those that leave nothing else to be seen."""
    folds: tuple[str, ...] = ()
    """Acts, `LOOP.VERB[:REASON]`, that are beside the point here: they are folded into the next numbered step."""
    assumes: tuple[str, ...] = ()
    leaves_out: tuple[str, ...] = ()
    place: int = 100
    """Where it stands among the others on the first page: the lowest first."""
    headline: bool = False
    """Whether the first page opens with its walk."""
    about: str = ""
    claims: tuple[str, ...] = ()
    """What the default walk must show."""
    moments: tuple[Moment, ...] = ()
    symptoms: tuple[Symptom, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    scenes: tuple[Scene, ...] = ()
    questions: tuple[Question, ...] = ()
    traps: tuple[Trap, ...] = ()
    figures: tuple[Figure, ...] = ()
    cluster: tuple[Object, ...] = ()
    """From `cluster.yaml` beside it."""
    not_modelled: tuple[tuple[str, str], ...] = ()
    """(object, path) pairs of the cluster's fields that the model does not read."""
    wordings: dict[str, Wording] = {}
    """From each `words.NAME.yaml` beside it."""
    terms: dict[str, str] = {}
    """Of the words that it is told in; none in its own."""
    short: dict[str, str] = {}
    """The same for small boxes."""
    digest: str = ""
    """Changes when any file of the folder does."""

    @property
    def about_memory(self) -> bool:
        """A flow that has a lane for the kernel draws memory, and ranks the pods of a node."""
        return any(lane.kind == "kernel" for lane in self.lanes)


class Lexicon(Struct, frozen=True):
    """Words that all flows share (`flows/lexicon.yaml`)."""

    acts: dict[str, str] = {}
    """`LOOP.VERB` or `LOOP.VERB:MOMENT` -> a sentence; the same names as in moments' titles."""
    lanes: dict[str, str] = {}
    glossary: dict[str, str] = {}
    outcomes: dict[str, str] = {}


class Setup(Struct, frozen=True):
    """Everything that decides a walk but its length: flow, effective settings, manifests, scene, choices."""

    flow: Flow
    settings: dict[str, str]
    """All effective settings, in the flow's order."""
    objects: tuple[Object, ...]
    choices: tuple[Choice, ...]
    """The scene's script, the flow's, then the reader's; `{node}` is left in for `starting.choices` to fill in."""
    until: int
    scene: str = ""
    begins: str = "rest"
    """`rest`: all was applied long before; `apply`: `later` is applied at t = 0; `bound`: it was applied just before,
    and the first pod of it is bound at t = 0."""
    later: tuple[Object, ...] = ()
    target: str = ""
    """The object that the walk is about, as a reference; with the reader's manifests, what stands in its place."""
    lags: dict[str, Lag] = {}
    loads: tuple[Load, ...] = ()
    images: tuple[str, ...] = ()
    applies: dict[str, tuple[Object, ...]] = {}
    """Objects that `apply m:HASH` may name."""
    alone: tuple[str, ...] = ()
    """Processes that work without being elected, in a flow with leaders."""
    programs: dict[str, dict[str, str]] = {}
    """How programs behave, by image."""
    release: Release = CURRENT
    """Which Kubernetes the cluster is."""
    not_modelled: tuple[tuple[str, str], ...] = ()
    """(object, path) pairs of manifests' fields that the model does not read."""
    assumed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What is taken for granted beyond a reader's manifests: (what, names), told by `own_words`."""
    dropped: tuple[tuple[str, str, str], ...] = ()
    """(object, path, release) of fields that this Kubernetes does not know, and the release that first does."""
