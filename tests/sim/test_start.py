"""Starting worlds: what clients are doing when a walk begins."""

from fractions import Fraction

from clusters import pod, world
from msgspec.structs import replace

from app.kube.meta import Ref
from app.sim import traffic
from app.sim.draft import Draft
from app.sim.host import ContainerRun, Host, HostPod, Proxy, Rules
from app.sim.ledger import Load, requests
from app.sim.maps import Map
from app.sim.start import with_load

SERVICE = Ref("Service", "default", "web")
BACKENDS = ("10.244.1.2", "10.244.1.3", "10.244.1.4")


def machine(host: Host, serving: bool) -> Host:
    run = ContainerRun("app", "app", state="running", serving=serving)
    pods = {f"uid-{ip}": HostPod(pod(), ip=ip, sandbox="ready", containers=(run,)) for ip in BACKENDS[:1]}
    return replace(host, pods=Map(pods), proxy=Proxy(rules=Map({SERVICE: Rules(BACKENDS)})))


def test_a_request_in_flight_may_have_begun_before_the_walk() -> None:
    found = world()
    found = replace(found, hosts=Map({"node-1": machine(found.hosts["node-1"], serving=True)}))
    load = (Load(SERVICE, rate=30, duration=50),)
    draft = Draft(with_load(found, load))
    draft.now = 11
    before = draft.hosts["node-1"]
    after = machine(before, serving=False)
    draft.hosts = draft.hosts.set("node-1", after)
    traffic.settle(draft, before, after)
    # A third of 30 requests a second, each in flight for 50 ms.
    assert requests(draft.ledger.cut, load, 1) == Fraction(1, 2)
