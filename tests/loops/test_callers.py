"""Programs that call a Service by its name: what they ask, where rules lead them, what becomes of connections."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.catalog import starting
from app.kube.manifests import read_manifests
from app.kube.meta import Ref
from app.sim.intervention import parse
from app.sim.interventions import check
from app.sim.naming import with_dns
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.walk import Walk

CLUSTER = """
{apiVersion: v1, kind: Node, metadata: {name: n1}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}}
---
apiVersion: v1
kind: Pod
metadata: {name: client}
spec: {nodeName: n1, containers: [{name: c, image: "c:1"}]}
---
apiVersion: v1
kind: Pod
metadata:
  name: a
  labels: {app: web}
  annotations: {sim.loopscope.dev/on-sigterm: exit, sim.loopscope.dev/pre-stop: 5s}
spec:
  nodeName: n1
  containers: [{name: c, image: "web:1", lifecycle: {preStop: {exec: {command: [sleep, "5"]}}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: b, labels: {app: web}}
spec: {nodeName: n2, containers: [{name: c, image: "web:1"}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, clusterIP: 10.96.0.9, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: pods}
spec: {selector: {app: web}, clusterIP: None, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: empty}
spec: {selector: {app: none}, clusterIP: 10.96.0.8, ports: [{port: 80}]}
"""


def walk(*script: str, until: int = 60_000) -> Walk:
    world = with_dns(at_rest(starting.model(), read_manifests(CLUSTER).objects))
    return run(starting.model(), world, [parse(line) for line in script], until=until)


def calls(found: Walk) -> list[tuple[float, str, str, str]]:
    steps = [row.step for row in found.records if row.step.loop == "callers"]
    return [(step.at / 1000, step.verb, step.object.name, step.outcome) for step in steps]


def exits(found: Walk) -> list[int | None]:
    rows = sorted(found.world.commands.values(), key=lambda row: row.number)
    return [row.exit for row in rows if row.call is not None]


def said(found: Walk) -> list[str]:
    return [line.text for row in found.records if row.step.loop == "callers" for line in row.step.output]


def test_a_name_an_address_a_pod() -> None:
    found = walk("0s call pod/client web")
    assert calls(found) == [
        (0.0, "look-up", "web", "10.96.0.9"),
        (0.0, "translate", "web", "10.96.0.9 → 10.244.1.2"),
        (0.0, "connect", "a", "answered"),
    ]
    assert (exits(found), said(found)) == ([0], ["a"])


def test_connections_take_turns() -> None:
    assert said(walk(*[f"{at}s call pod/client web" for at in range(4)])) == ["a", "b", "a", "b"]


def test_a_headless_service_needs_no_rules() -> None:
    found = walk("0s call pod/client pods", "1s call pod/client pods")
    assert [row[1:] for row in calls(found)][:3] == [
        ("look-up", "pods", "10.244.1.2, 10.244.2.2"),
        ("take-address", "a", "10.244.1.2"),
        ("connect", "a", "answered"),
    ]
    assert said(found) == ["a", "b"]


def test_no_endpoint_is_refused_at_once() -> None:
    found = walk("0s call pod/client empty")
    assert calls(found)[-1] == (0.0, "connect", "empty", "rejected")
    assert exits(found) == [7]
    assert said(found) == ["curl: (7) Failed to connect to empty port 80 after 0 ms: Could not connect to server"]


def test_no_such_name_is_told_at_once() -> None:
    found = walk("0s call pod/client nothing")
    assert calls(found) == [(0.0, "look-up", "nothing", "NXDOMAIN")]
    assert (exits(found), said(found)) == ([6], ["curl: (6) Could not resolve host: nothing"])


def test_a_server_that_is_down_is_waited_for_in_vain() -> None:
    found = walk("0s stop coredns", "1s call pod/client web")
    assert calls(found) == [(11.0, "look-up", "web", "no answer")]
    assert exits(found) == [6]


def test_one_that_has_seen_nothing_yet_fails_at_once() -> None:
    found = walk("0s stop coredns", "1s stop kube-apiserver", "2s start coredns", "3s call pod/client web")
    assert calls(found) == [(3.0, "look-up", "web", "SERVFAIL")]


def test_answers_are_kept_for_their_ttl_where_the_resolver_does() -> None:
    found = walk(*[f"{at}s call pod/client web cache=true" for at in (0, 29, 31)], "32s call pod/client web")
    assert [row[:2] for row in calls(found) if row[1] in ("look-up", "recall")] == [
        (0.0, "look-up"),
        (29.0, "recall"),
        (31.0, "look-up"),
        (32.0, "look-up"),
    ]


def test_what_was_kept_does_not_get_younger_by_being_used() -> None:
    found = walk(*[f"{at}s call pod/client nothing cache=true" for at in (0, 20, 29, 30)])
    assert [row[1] for row in calls(found)] == ["look-up", "recall", "recall", "look-up"]
    assert exits(found) == [6, 6, 6, 6]


def test_an_open_connection_keeps_its_pod_until_that_ends() -> None:
    found = walk("0s call pod/client web keep=30s", "1s delete pod/a wait=false", "3s call pod/client web")
    assert said(found) == ["b", "curl: (18) transfer closed with outstanding read data remaining"]
    rows = [row for row in calls(found) if row[1] in ("flow-on", "end-connection")]
    assert [row[1:] for row in rows] == [
        ("flow-on", "a", "still 10.244.1.2"),
        ("end-connection", "a", "closed by its pod's end"),
    ]
    # With the next sync after the slice has changed, and 5 s of hook after the deletion.
    assert 1.0 < rows[0][0] < 1.1
    assert 6.0 < rows[1][0] < 6.1


def test_an_open_connection_ends_by_itself() -> None:
    found = walk("0s call pod/client web keep=30s")
    assert calls(found)[-1] == (30.0, "end-connection", "a", "done")
    assert exits(found) == [0]


def test_a_dark_machine_closes_nothing() -> None:
    found = walk("0s call pod/client web", "1s call pod/client web keep=20s", "2s power-off node/n2")
    assert [row for row in calls(found) if row[0] >= 2] == [
        (2.0, "hang", "b", "no answer, and no end"),
        (21.0, "end-connection", "b", "timed out"),
    ]
    assert exits(found) == [0, 28]


def test_an_address_where_nobody_is_costs_the_whole_timeout() -> None:
    found = walk("0s power-off node/n2", "1s call pod/client web", "2s call pod/client web")
    assert calls(found)[-1] == (7.0, "connect", "b", "unanswered")
    assert said(found)[-1] == "curl: (28) Connection timed out after 5000 milliseconds"


def test_a_backend_once_chosen_stays() -> None:
    """A call that waits for an address does not take another one when others have called meanwhile."""
    found = walk(
        "0s power-off node/n2", "1s call pod/client pods", "2s call pod/client pods", "3s call pod/client pods"
    )
    assert exits(found) == [0, 28, 0]


def test_calls_need_no_api_server() -> None:
    assert exits(walk("0s stop kube-apiserver", "1s call pod/client web")) == [0]


def test_rules_that_do_not_know_the_service_lead_nowhere() -> None:
    """kube-proxy of the client's node is down, CoreDNS is not."""
    spec = "{clusterIP: 10.96.0.7, ports: [{port: 80}]}"
    service = f"{{apiVersion: v1, kind: Service, metadata: {{name: new}}, spec: {spec}}}"
    world = with_dns(at_rest(starting.model(), read_manifests(CLUSTER).objects))
    world = replace(world, manifests=world.manifests.set("new", read_manifests(service).objects))
    script = [parse(line) for line in ("0s stop kube-proxy/n1", "1s apply m:new", "2s call pod/client new")]
    found = run(starting.model(), world, script, until=60_000)
    assert calls(found)[-1] == (7.0, "connect", "new", "unanswered")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("call pod/client", "is the form"),
        ("call service/web web", "allowed: pod/NAME"),
        ("call pod/client WEB", "allowed: a name such as web"),
        ("call pod/client web keep=long", "keep"),
        ("call pod/client web cached=true", "takes no cached; allowed: keep, cache"),
    ],
)
def test_faults_are_told(line: str, fault: str) -> None:
    assert fault in " ".join(check(parse(line)))


def test_a_pod_that_runs_nowhere_calls_nobody() -> None:
    found = walk("0s call pod/nobody web")
    assert calls(found) == []
    assert not found.world.commands


def test_a_cluster_without_a_dns_server_has_no_deliveries_to_one() -> None:
    world = at_rest(starting.model(), read_manifests(CLUSTER).objects)
    found = run(starting.model(), world, [parse("0s delete pod/a wait=false")], until=20_000)
    assert "coredns" not in {process for row in found.records for process, _ in row.step.world.heads}
    assert Ref("Pod", "default", "a") not in found.world.etcd.objects


def test_a_service_that_asks_for_no_address_gets_one_and_keeps_it() -> None:
    text = CLUSTER.replace("clusterIP: 10.96.0.9, ", "")
    objects = read_manifests(text).objects
    world = with_dns(at_rest(starting.model(), objects))
    again = replace(
        world, manifests=world.manifests.set("again", tuple(row for row in objects if row.kind == "Service"))
    )
    script = ("0s call pod/client web", "1s apply m:again", "2s call pod/client web")
    found = run(starting.model(), again, [parse(line) for line in script], until=60_000)
    answers = [row[3] for row in calls(found) if row[1] == "look-up"]
    assert answers[0] == answers[1]
    assert answers[0].startswith("10.96.")
    assert said(found) == ["a", "b"]


@pytest.mark.parametrize("line", ["stop coredns", "freeze coredns", "stop ingress"])
def test_what_is_not_there_cannot_be_stopped(line: str) -> None:
    world = at_rest(starting.model(), read_manifests(CLUSTER).objects)
    found = run(starting.model(), world, [parse(f"0s {line}")], until=5_000)
    assert [row.step.outcome for row in found.steps] == ["is not there"]
    assert not found.world.down
