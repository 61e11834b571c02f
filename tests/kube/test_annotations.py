from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import BadInput
from app.kube.annotations import PREFIX, Behaviour, behaviour, check, healthy, next_change
from app.kube.behaviour import Exit, Hook, ImagePull, Leads, OnSigterm, Point, amount_at, hook
from app.kube.health import Answer, Clause, Health, Outage, Reply
from app.kube.pods import ExecAction, HTTPGetAction, LifecycleHandler, SleepAction
from app.kube.stringmap import EMPTY, StringMap

MI = 2**20

NAMES = (
    "startup, on-sigterm, exit-code-on-sigterm, post-start, pre-stop, memory, child-memory, disk, health, image-pull, "
    "exit, unmount, leader-election, depends-on, log, placement, VOLUME.volume"
)
LEADS = 'how long it tries before it ends, as in "renew=10s,start=3s"'
NAMED = "names such as database, with commas between them"
HEALTH = (
    '"TARGET: STATUS; after 90s: STATUS for 30s; while NAME down: STATUS; on-sigterm: STATUS | TARGET: ...", '
    "where TARGET is an HTTP path, exec, tcp, grpc, startup, readiness, liveness, requests or *, and STATUS an HTTP "
    "code, ok, fail or hangs, or one that takes its time, such as 200 in 3s"
)


def of(**annotations: str) -> Behaviour:
    return behaviour(StringMap({PREFIX + name.replace("_", "-"): text for name, text in annotations.items()}), "web")


def test_an_application_without_annotations_is_up_at_once_and_goes_at_sigterm() -> None:
    assert behaviour(EMPTY, "web") == Behaviour(
        startup=0, on_sigterm=OnSigterm("exit", 0), exit_code_on_sigterm=0, pre_stop=None, memory=(), disk=(),
        health=(), image_pull=ImagePull("pulled", None), exit=None, unmount=0, depends_on=(), log=(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("startup", "4s", 4_000),
        ("startup", "1m30s", 90_000),
        ("on_sigterm", "exit", OnSigterm("exit", 0)),
        ("on_sigterm", "exit=200ms", OnSigterm("exit", 200)),
        ("on_sigterm", "drain=10s", OnSigterm("drain", 10_000)),
        ("on_sigterm", "ignore", OnSigterm("ignore", 0)),
        ("exit_code_on_sigterm", "143", 143),
        ("pre_stop", "40s", Hook("returns", 40_000)),
        ("pre_stop", "never-returns", Hook("never-returns")),
        ("pre_stop", "fails", Hook("fails")),
        ("memory", "0s=80Mi,60s=300Mi", (Point(0, 80 * MI), Point(60_000, 300 * MI))),
        ("memory", "80Mi", (Point(0, 80 * MI),)),
        ("disk", "0s=0, 10s=1G", (Point(0, 0), Point(10_000, 10**9))),
        ("image_pull", "3s", ImagePull("pulled", 3_000)),
        ("image_pull", "not-found", ImagePull("not-found")),
        ("image_pull", "denied", ImagePull("denied")),
        ("image_pull", "registry-down", ImagePull("registry-down")),
        ("image_pull", "private", ImagePull("private")),
        ("post_start", "2s", Hook("returns", 2_000)),
        ("exit", "after 5s code 1", Exit(5_000, 1)),
        ("exit", "after 5s", Exit(5_000, 0)),
        ("exit", "code 2", Exit(0, 2)),
        ("exit", "start-error", Exit(0, 128, starts=False)),
        ("exit", "never", None),
        ("unmount", "2m", 120_000),
        ("unmount", "hangs", None),
        ("health", "/healthz: 200", (Health("/healthz", Reply(200)),)),
        (
            "health",
            "/healthz: 200; after 90s: 500 for 30s",
            (Health("/healthz", Reply(200), (Clause(90_000, Reply(500), 30_000),)),),
        ),
        (
            "health",
            "/ready: 200; after 5s: fail; on-sigterm: fail | exec: ok | *: 503",
            (
                Health("/ready", Reply(200), (Clause(5_000, Reply(500), None),), on_sigterm=Reply(500)),
                Health("exec", Reply(200)),
                Health("*", Reply(503)),
            ),
        ),
        (
            "health",
            "/ready: 200 in 20ms; while database down: 503; while cache down: hangs; after 5s: 200 in 3s for 1m",
            (
                Health(
                    "/ready",
                    Reply(200, 20),
                    (Clause(5_000, Reply(200, 3_000), 60_000),),
                    (Outage("database", Reply(503)), Outage("cache", Reply(200, None))),
                ),
            ),
        ),
        ("depends_on", "database, cache", ("database", "cache")),
        ("leader_election", "renew=10s,start=3s", Leads(10_000, 3_000)),
        ("leader_election", "start=500ms, renew=1m", Leads(60_000, 500)),
        ("log", "starting\npanic: no route to database\n", ("starting", "panic: no route to database")),
    ],
)
def test_an_annotation_is_read(name: str, text: str, value: Any) -> None:
    assert getattr(of(**{name: text}), name) == value


SIGTERM = "exit, exit=2s, drain=10s, ignore"
CURVE = 'times in order, each with an amount, as in "0s=80Mi,60s=300Mi"'
HOOK = "a duration such as 40s, never-returns, fails"
EXIT = '"after 5s code 1", where either part may be left out, start-error or never'
PULL = "a duration such as 3s, not-found, denied, registry-down, private"


@pytest.mark.parametrize(
    ("key", "text", "fault"),
    [
        ("startup", "soon", 'found "soon"; a duration is written 300ms, 5s, 2m or 1h30m'),
        ("startup", "4", 'found "4"; a duration is written 300ms, 5s, 2m or 1h30m; did you mean 4s?'),
        ("strtup", "4s", f'no such annotation; allowed after sim.loopscope.dev/: {NAMES}; did you mean "startup"?'),
        ("on-sigterm", "drain", f'found "drain"; allowed: {SIGTERM}; say how long, as in drain=10s'),
        ("on-sigterm", "ignroe", f'found "ignroe"; allowed: {SIGTERM}; did you mean "ignore"?'),
        ("on-sigterm", "ignore=5s", f'found "ignore=5s"; allowed: {SIGTERM}'),
        ("exit-code-on-sigterm", "256", 'found "256"; allowed: an exit code from 0 to 255'),
        ("pre-stop", "fail", f'found "fail"; allowed: {HOOK}; did you mean "fails"?'),
        ("memory", "0s=80MB", f'found "0s=80MB"; allowed: {CURVE}; did you mean "80M"?'),
        ("memory", "9s=1Mi,3s=2Mi", f'found "9s=1Mi,3s=2Mi"; allowed: {CURVE}'),
        ("memory", "-1Mi", f'found "-1Mi"; allowed: {CURVE}'),
        ("disk", "1Mi,2Mi", f'found "1Mi,2Mi"; allowed: {CURVE}'),
        ("post-start", "never", f'found "never"; allowed: {HOOK}'),
        ("image-pull", "notfound", f'found "notfound"; allowed: {PULL}; did you mean "not-found"?'),
        ("exit", "5s", f'found "5s"; allowed: {EXIT}'),
        ("exit", "after 5s code 300", 'found "300"; allowed: an exit code from 0 to 255'),
        ("unmount", "hang", 'found "hang"; allowed: a duration such as 2s, hangs; did you mean "hangs"?'),
        ("health", "/healthz", f'found "/healthz"; allowed: {HEALTH}'),
        ("health", "healthz: 200", f'found "healthz: 200"; allowed: {HEALTH}'),
        ("health", "/a: 200; before 3s: 500", f'found "/a: 200; before 3s: 500"; allowed: {HEALTH}'),
        ("health", "/a: 600", f'found "/a: 600"; allowed: {HEALTH}'),
        ("health", "exce: ok", f'found "exce: ok"; allowed: {HEALTH}; did you mean "exec"?'),
        ("health", "tcp: 200", 'found "200"; allowed: ok, fail or hangs; tcp has no HTTP codes'),
        ("health", "/a: 200 for 3s", f'found "/a: 200 for 3s"; allowed: {HEALTH}'),
        ("health", "/a: hangs in 3s", f'found "/a: hangs in 3s"; allowed: {HEALTH}'),
        ("health", "/a: 200; while Data down: 500", f'found "/a: 200; while Data down: 500"; allowed: {HEALTH}'),
        ("health", "/a: 200; while database up: 500", f'found "/a: 200; while database up: 500"; allowed: {HEALTH}'),
        ("leader-election", "10s", f'found "10s"; allowed: {LEADS}'),
        ("leader-election", "renew=10s", f'found "renew=10s"; allowed: {LEADS}'),
        ("leader-election", "renew=10s,start=3", f'found "renew=10s,start=3"; allowed: {LEADS}'),
        ("depends-on", "the database", f'found "the database"; allowed: {NAMED}'),
        ("health", "/a: 200 | /a: 500", 'the target "/a" stands twice; allowed: each target once'),
        ("wbe.startup", "4s", 'no container "wbe" in this pod; allowed: web, proxy; did you mean "web"?'),
        ("web.unmount", "4s", "belongs to the whole pod; write sim.loopscope.dev/unmount"),
    ],
)
def test_a_fault_says_what_was_found_and_what_is_allowed(key: str, text: str, fault: str) -> None:
    annotations = StringMap({PREFIX + key: text, "team.example.com/owner": "payments"})
    assert check(annotations, ("web", "proxy")) == [(PREFIX + key, fault)]


def test_a_mistyped_prefix_is_not_overlooked() -> None:
    assert check(StringMap({"loopscope.dev/startup": "4s"})) == [
        ("loopscope.dev/startup", "no such annotation; those for Loopscope begin with sim.loopscope.dev/")
    ]


def test_an_annotation_for_one_container_wins_over_the_pods() -> None:
    annotations = StringMap({f"{PREFIX}startup": "4s", f"{PREFIX}proxy.startup": "1s"})
    assert check(annotations, ("web", "proxy")) == []
    assert [behaviour(annotations, name).startup for name in ("web", "proxy")] == [4_000, 1_000]


def test_a_behaviour_that_was_never_checked_gathers_its_faults() -> None:
    with pytest.raises(BadInput) as raised:
        of(startup="soon", exit="sometimes")
    assert raised.value.problems == [
        'sim.loopscope.dev/startup: found "soon"; a duration is written 300ms, 5s, 2m or 1h30m',
        f'sim.loopscope.dev/exit: found "sometimes"; allowed: {EXIT}',
    ]


@pytest.mark.parametrize(
    ("target", "since_start", "since_sigterm", "answer"),
    [
        ("/healthz", 3_999, None, Answer(ok=False, code=None)),
        ("/healthz", 4_000, None, Answer(ok=True, code=200)),
        ("/healthz", 89_999, None, Answer(ok=True, code=200)),
        ("/healthz", 90_000, None, Answer(ok=False, code=500)),
        ("/healthz", 119_999, None, Answer(ok=False, code=500)),
        ("/healthz", 120_000, None, Answer(ok=True, code=200)),
        ("/healthz", 100_000, 0, Answer(ok=False, code=503)),
        ("/other", 90_000, 0, Answer(ok=True, code=302)),
        ("exec", 90_000, None, Answer(ok=True, code=None)),
        ("tcp", 90_000, None, Answer(ok=False, code=None)),
        ("tcp", 90_000, 5, Answer(ok=False, code=None)),
    ],
)
def test_a_probe_meets(target: str, since_start: int, since_sigterm: int | None, answer: Answer) -> None:
    app = of(startup="4s", health="/healthz: 200; after 90s: 500 for 30s; on-sigterm: 503 | tcp: fail | *: 302")
    assert healthy(app, target, since_start, since_sigterm) == answer


def test_what_is_said_of_a_probe_itself_wins_over_what_is_said_of_what_it_asks() -> None:
    app = of(health="exec: ok | startup: fail; after 5s: ok")
    kinds = ("liveness", "startup")
    assert [healthy(app, "exec", 0, kind=kind).ok for kind in kinds] == [True, False]
    assert [next_change(app, "exec", 0, kind=kind) for kind in kinds] == [None, 5_000]


@pytest.mark.parametrize(
    ("broken", "since_sigterm", "answer"),
    [
        ((), None, Answer(ok=True, code=200)),
        (("cache",), None, Answer(ok=True, code=200)),
        (("database",), None, Answer(ok=False, code=503)),
        (("cache", "database", "queue"), None, Answer(ok=True, code=200, takes=None)),
        (("database",), 10, Answer(ok=False, code=500)),
    ],
)
def test_a_probe_meets_what_the_application_depends_on(
    broken: tuple[str, ...], since_sigterm: int | None, answer: Answer
) -> None:
    app = of(health="/a: 200; while database down: 503; while queue down: hangs; on-sigterm: fail")
    assert healthy(app, "/a", 0, since_sigterm, broken=broken) == answer


def test_without_a_rule_every_target_is_well_once_the_application_serves() -> None:
    assert healthy(of(startup="1s"), "/any", 1_000) == Answer(ok=True, code=200)
    assert healthy(of(startup="1s"), "grpc", 999) == Answer(ok=False, code=None)


@pytest.mark.parametrize(
    ("text", "since_start", "change"),
    [
        ("/a: 200; after 90s: 500 for 30s", 0, 4_000),
        ("/a: 200; after 90s: 500 for 30s", 4_000, 90_000),
        ("/a: 200; after 90s: 500 for 30s", 90_000, 120_000),
        ("/a: 200; after 90s: 500 for 30s", 120_000, None),
        ("/a: 200; after 90s: 200 for 30s", 4_000, None),
        ("/a: 200; after 1s: 500 for 2s", 0, 4_000),
        ("/a: 200; after 10s: 500; after 20s: 200 for 5s", 10_000, 20_000),
        ("/a: 200; after 10s: 500; after 20s: 200 for 5s", 20_000, 25_000),
        ("/b: 200; after 90s: 500", 4_000, None),
    ],
)
def test_the_answer_next_changes_at(text: str, since_start: int, change: int | None) -> None:
    assert next_change(of(startup="4s", health=text), "/a", since_start) == change


@given(st.integers(0, 40_000), st.integers(0, 40_000))
def test_between_now_and_the_next_change_every_probe_finds_the_same(since: int, later: int) -> None:
    app = of(startup="2s", health="/a: 200; after 3s: 500 for 4s; after 5s: 404 for 1s; after 20s: fail")
    change = next_change(app, "/a", since)
    if later >= since and (change is None or later < change):
        assert healthy(app, "/a", later) == healthy(app, "/a", since)
    if change is not None:
        assert change > since
        assert healthy(app, "/a", change) != healthy(app, "/a", since)


def test_memory_grows_on_a_straight_line_between_points() -> None:
    curve = of(memory="0s=80Mi,60s=200Mi,60s=100Mi").memory
    assert [amount_at(curve, at) for at in (0, 30_000, 59_999, 60_000, 10**9)] == [
        80 * MI, 140 * MI, 80 * MI + 120 * MI * 59_999 // 60_000, 100 * MI, 100 * MI
    ]  # fmt: skip
    assert amount_at((), 5) == 0


@pytest.mark.parametrize(
    ("handler", "annotation", "expected"),
    [
        (LifecycleHandler(sleep=SleepAction(5)), {"pre_stop": "fails"}, Hook(after=5_000)),
        (LifecycleHandler(httpGet=HTTPGetAction(80)), {"pre_stop": "never-returns"}, Hook("never-returns")),
        (LifecycleHandler(httpGet=HTTPGetAction(80)), {}, Hook()),
        (LifecycleHandler(exec=ExecAction(("sleep", "15"))), {"pre_stop": "40s"}, Hook(after=40_000)),
        (LifecycleHandler(exec=ExecAction(("sleep", "15"))), {}, Hook(after=15_000)),
        (LifecycleHandler(exec=ExecAction(("/bin/sleep", "1m"))), {}, Hook(after=60_000)),
        (LifecycleHandler(exec=ExecAction(("/bin/sh", "-c", "sleep 0.5"))), {}, Hook(after=500)),
        (LifecycleHandler(exec=ExecAction(("sh", "-c", "sleep 15 && nginx -s quit"))), {}, Hook(after=15_000)),
        (LifecycleHandler(exec=ExecAction(("bash", "-c", "sleep 15; true"))), {}, Hook(after=15_000)),
        (LifecycleHandler(exec=ExecAction(("sh", "-c", "sleep $DELAY"))), {}, Hook()),
        (LifecycleHandler(exec=ExecAction(("nginx", "-s", "quit"))), {}, Hook()),
    ],
)
def test_a_hook_takes(handler: LifecycleHandler, annotation: dict[str, str], expected: Hook) -> None:
    assert hook(of(**annotation).pre_stop, handler) == expected


WORDS = st.lists(st.sampled_from(
    ["after", "5s", "code", "1", "/a", ":", ";", "|", "200", "fail", "for", "on-sigterm", "=", ",", "80Mi", "exit", " "]
), max_size=12).map(" ".join)  # fmt: skip


@given(st.sampled_from(NAMES.split(", ")), st.text(max_size=40) | WORDS)
def test_what_check_accepts_can_be_read_and_what_it_refuses_cannot(name: str, text: str) -> None:
    annotations = StringMap({PREFIX + name: text})
    if check(annotations):
        with pytest.raises(BadInput):
            behaviour(annotations, "web")
    else:
        behaviour(annotations, "web")
