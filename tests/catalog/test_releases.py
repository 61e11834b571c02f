"""The setting for the version, what follows from it, and the words about releases."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.catalog import reading, releases, setting_checks, starting
from app.catalog.flow import Flow, Setting
from app.catalog.settings import effective, scene_of
from app.errors import BadInput
from app.kube.manifests import read_manifests
from app.kube.nodes import Node
from app.kube.releases import BEHAVIOURS, NAMES, release
from app.sim.world import World

LOSS = reading.flow("node-loss")
OWN = """
apiVersion: v1
kind: Pod
metadata: {name: lone}
spec:
  resources: {limits: {memory: 1Gi}}
  containers: [{name: main, image: lone:1, lifecycle: {preStop: {sleep: {seconds: 2}}}}]
"""


def begun(version: str, flow: str = "sandbox") -> World:
    return starting.start(starting.setup(flow, settings={"kubernetes": version}))


def test_every_flow_has_the_setting_and_none_has_it_twice() -> None:
    for flow in reading.flows().values():
        assert [row.name for row in flow.settings].count(releases.NAME) == 1
    (found,) = [row for row in LOSS.settings if row.name == releases.NAME]
    assert (found.default, found.choices, found.type) == ("1.36", NAMES, "choice")


def test_a_flow_may_say_itself_how_its_version_is_set(race: Flow) -> None:
    own = Setting("release", "Release", "choice", "1.33", choices=("1.33", "1.34"), sets=(releases.TARGET,))
    rest = tuple(row for row in race.settings if row.name != releases.NAME)
    assert releases.with_setting((*rest, own)) == (*rest, own)
    flow = replace(race, settings=(own,))
    assert not list(setting_checks.check(flow))
    assert releases.of(flow, {}) is release("1.33")
    assert releases.of(flow, {"release": "1.34"}) is release("1.34")
    wrong = replace(race, settings=(replace(own, type="count", default="3", choices=()),))
    assert "takes a choice" in next(row.text for row in setting_checks.check(wrong))


@pytest.mark.parametrize(("version", "grace"), [("1.31", "40s"), ("1.32", "50s"), ("1.37", "50s")])
def test_a_flag_that_is_left_alone_goes_with_the_version(version: str, grace: str) -> None:
    assert effective(LOSS, None, {"kubernetes": version})["grace_period"] == grace
    assert effective(LOSS, None, {"kubernetes": version, "grace_period": ""})["grace_period"] == grace
    assert effective(LOSS, None, {"kubernetes": version, "grace_period": "20s"})["grace_period"] == "20s"


def test_a_scene_may_bring_a_version() -> None:
    found = effective(LOSS, scene_of(LOSS, "older-release"), {})
    assert (found["kubernetes"], found["grace_period"]) == ("1.30", "40s")


def test_the_world_is_of_that_release() -> None:
    world = begun("1.31")
    assert world.release is release("1.31")
    nodes = [row for row in world.etcd.find("Node") if isinstance(row, Node)]
    assert {row.status.nodeInfo.kubeletVersion for row in nodes} == {"v1.31.0"}
    assert world.lags["node-monitor-grace-period"].usual == 40_000
    assert begun("1.36").lags["node-monitor-grace-period"].usual == 50_000


@pytest.mark.parametrize("version", ["1.28", "1.38", "v1.31", "1.31.4", "latest", "1.3"])
def test_any_other_version_is_refused_with_what_is_allowed(version: str) -> None:
    with pytest.raises(BadInput) as refused:
        starting.setup("termination", settings={"kubernetes": version})
    (problem,) = refused.value.problems
    assert problem.startswith(f'setting kubernetes: found "{version}"; allowed: 1.29, 1.30')


def test_what_a_release_drops_and_refuses_is_said() -> None:
    own = read_manifests(OWN)
    setup = starting.setup("termination", settings={"kubernetes": "1.33"}, manifests=own)
    assert setup.dropped == (("pod/lone", "spec.resources", "1.34"),)
    assert not starting.setup("termination", settings={"kubernetes": "1.34"}, manifests=own).dropped
    with pytest.raises(BadInput) as refused:
        starting.setup("termination", settings={"kubernetes": "1.29"}, manifests=own)
    place = "pod/lone: spec.containers[0].lifecycle.preStop"
    text = "found a sleep; allowed before 1.30: exec, httpGet, tcpSocket"
    assert refused.value.problems == [f"kubernetes 1.29: {place}: {text}"]


def test_what_is_applied_later_is_held_to_it_too() -> None:
    with pytest.raises(BadInput) as refused:
        starting.setup("sandbox", settings={"kubernetes": "1.29"}, applies={"abc": read_manifests(OWN)})
    assert refused.value.problems[0].startswith("kubernetes 1.29: pod/lone: ")


def test_the_table_in_words_has_every_behaviour_in_order() -> None:
    rows = releases.rows()
    assert [row.name for row in rows] == list(BEHAVIOURS)
    assert [row.release for row in rows] == sorted((row.release for row in rows), key=lambda name: int(name[2:]))
    assert all(row.source and row.part and row.since and row.before for row in rows)
    assert {row.release for row in releases.words().elsewhere} <= set(NAMES)


def test_between_two_releases_is_what_one_has_and_the_other_has_not() -> None:
    found = [row.name for row in releases.between(release("1.32"), release("1.34"))]
    assert found == [name for name, since in BEHAVIOURS.items() if since.minor in (33, 34)]
    assert found == [row.name for row in releases.between(release("1.34"), release("1.32"))]
    assert releases.between(release("1.36"), release("1.36")) == ()
