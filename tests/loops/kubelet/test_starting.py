"""Images that do not come: what is said, what the status shows one sync late, when it is tried again."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.backoff import Entry
from app.loops.kubelet.backoff import image_error, next_look
from app.loops.kubelet.case import cases
from app.loops.kubelet.pods import LOOP
from app.sim.host import Crash, Host, Pull
from app.sim.lags import Bounds
from app.sim.maps import Map
from tests.loops.machines import APP, KEY, act, api, at, decides, events, knows, machine, pod_after, there, worker_after

MISSING = replace(APP, image="missing:1")
POD = api(MISSING)
ERROR = 'failed to pull and unpack image "missing:1": failed to resolve reference "missing:1": missing:1: not found'
PULLS = 'Pulling: Pulling image "missing:1"'
HELD = ['BackOff: Back-off pulling image "missing:1"', "Failed: Error: ImagePullBackOff"]


def waiting(crash: Crash | None = None, pull: Pull | None = None, pod: object = POD) -> Host:
    """A pod whose sandbox came up at 0.3 s on a machine that relists at 0.7 s past the second."""
    found = there(pod, pull=pull, sandbox_since=300)  # type: ignore[arg-type]
    return machine(found, knows(found, crashes=(crash,) if crash else ()), relist_phase=700)


def failed(at: int, delay: int = 10_000, **more: object) -> Crash:
    return Crash("app", entry=Entry(delay, at), **{"failing": "ErrImagePull", "message": ERROR, **more})  # type: ignore[arg-type]


def test_a_failed_pull_is_told_of_twice_and_looked_at_again_with_the_relist_of_the_sandbox() -> None:
    made = act(LOOP, waiting(pull=Pull("app", "missing:1", 310, ended=320, error="not-found")), POD, now=320)
    assert events(made) == [f'Failed: Failed to pull image "missing:1": {ERROR}', "Failed: Error: ErrImagePull"]
    assert worker_after(made).crashes == (failed(320, resync=Bounds.at(700)),)
    assert pod_after(made).pull is None


def test_the_next_sync_shows_it_and_finds_the_back_off_in_force() -> None:
    host = waiting(failed(320, resync=Bounds.at(700)))
    assert decides(LOOP, host, POD, now=320) == "wait 700"
    made = act(LOOP, host, POD, now=700, fired=True)
    (crash,) = worker_after(made).crashes
    assert events(made) == HELD
    assert (crash.shown, crash.told, crash.failing) == ("ErrImagePull", ERROR, "ImagePullBackOff")
    assert crash.message == f'Back-off pulling image "missing:1": ErrImagePull: {ERROR}'
    # A sync that failed is tried again after 10 s, or up to half as long again, at a tick of every second.
    assert crash.resync == Bounds(11_000, 14_000, 16_000)


def test_once_the_back_off_is_over_it_is_pulled_again() -> None:
    held = failed(320, failing="ImagePullBackOff", message=f"x: ErrImagePull: {ERROR}", resync=Bounds.at(13_200))
    made = act(LOOP, waiting(held), POD, now=13_200, fired=True)
    assert events(made) == [PULLS]
    (crash,) = worker_after(made).crashes
    assert (crash.shown, crash.resync) == ("ImagePullBackOff", None)
    again = waiting(crash, Pull("app", "missing:1", 13_200, ended=13_210, error="not-found"))
    assert worker_after(act(LOOP, again, POD, now=13_210)).crashes[0].entry == Entry(20_000, 13_210)


def test_a_pull_that_comes_at_last_clears_the_record() -> None:
    made = act(LOOP, waiting(failed(320), Pull("app", "missing:1", 500, ended=600)), POD, now=600)
    assert made.verb == "start-container"
    assert worker_after(made).crashes == (Crash("app"),)


@pytest.mark.parametrize(
    ("policy", "images", "told"),
    [
        pytest.param("IfNotPresent", (), [PULLS], id="an absent image is pulled"),
        pytest.param("Always", ("missing:1",), [PULLS], id="with Always a present one, too"),
        pytest.param(
            "Never",
            (),
            [
                'ErrImageNeverPull: Container image "missing:1" is not present with pull policy of Never',
                "Failed: Error: ErrImageNeverPull",
            ],
            id="with Never none",
        ),
    ],
)
def test_pull_policy(policy: str, images: tuple[str, ...], told: list[str]) -> None:
    pod = api(replace(MISSING, imagePullPolicy=policy))
    host = replace(waiting(pod=pod), images=images)
    assert events(act(LOOP, host, pod, now=400)) == told


@pytest.mark.parametrize(
    ("image", "error", "text"),
    [
        pytest.param("bad:v3", "not-found", "bad:v3: not found", id="not found"),
        pytest.param("bad:v3", "denied", "pull access denied, repository does not exist", id="denied"),
        pytest.param(
            "missing:1",
            "registry-down",
            'failed to resolve image: failed to do request: Head "https://registry-1.docker.io/v2/library/missing/'
            'manifests/1": dial tcp: lookup registry-1.docker.io: no such host',
            id="a registry that is down",
        ),
        pytest.param(
            "registry.example/team/app",
            "registry-down",
            "https://registry.example/v2/team/app/manifests/latest",
            id="another",
        ),
    ],
)
def test_what_the_runtime_says(image: str, error: str, text: str) -> None:
    assert text in image_error(image, error)


@pytest.mark.parametrize(
    ("expires", "bounds"),
    [
        pytest.param(9_000, Bounds(9_590, 11_590, 13_590), id="when the back-off is over, or up to half as long again"),
        pytest.param(300_000, Bounds(60_590, 76_590, 90_590), id="after a minute at the latest"),
        pytest.param(-5, Bounds(590, 590, 590), id="at the next tick, never in the past"),
    ],
)
def test_the_worker_sleeps_no_longer_than_a_minute(expires: int, bounds: Bounds) -> None:
    host = replace(waiting(), sync_phase=590)
    (case,) = cases(at(LOOP, host, POD))
    assert next_look(case, expires) == bounds


def test_what_the_kubelet_is_known_to_have_drawn_is_taken_in_turn() -> None:
    host = replace(waiting(), drawn=Map({KEY: (1_100, 1_450)}))
    (case,) = cases(at(LOOP, host, POD))
    naps = [replace(case, worker=replace(case.worker, naps=done)) for done in range(3)]
    assert [next_look(row, 20_000) for row in naps] == [
        Bounds.at(22_000),
        Bounds.at(29_000),
        Bounds(20_000, 26_000, 30_000),
    ]
