"""What may stand in each annotation; every reader raises ValueError with what was found and what is allowed."""

from __future__ import annotations

import re

from app.kube import durations, quantity
from app.kube.behaviour import Exit, Hook, ImagePull, Leads, OnSigterm, Point
from app.kube.near_names import did_you_mean
from app.kube.quoting import shown

_EXIT = re.compile(r"(?:after\s+(?P<after>\S+))?\s*(?:code\s+(?P<code>\S+))?")
_NODE = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?", re.ASCII)
START_ERROR = 128
"""The exit code that containerd gives a container whose program cannot be started."""


def _refusal(text: str, allowed: str, near: str = "") -> ValueError:
    return ValueError(f"found {shown(text)}; allowed: {allowed}{near}")


def duration(text: str) -> int:
    return durations.parse(text.strip())


def on_sigterm(text: str) -> OnSigterm:
    act, equals, after = text.strip().partition("=")
    if act in ("exit", "drain") and equals:
        return OnSigterm(act, _duration_in(text, after, "exit, exit=2s, drain=10s, ignore"))
    if act in ("exit", "ignore") and not equals:
        return OnSigterm(act)
    near = "; say how long, as in drain=10s" if act == "drain" else did_you_mean(act, ("exit", "drain", "ignore"))
    raise _refusal(text, "exit, exit=2s, drain=10s, ignore", near)


def exit_code(text: str) -> int:
    if not re.fullmatch("[0-9]{1,3}", text.strip(), re.ASCII) or int(text) > 255:
        raise _refusal(text, "an exit code from 0 to 255")
    return int(text)


def hook(text: str) -> Hook:
    outcome = text.strip()
    allowed = "a duration such as 40s, never-returns, fails"
    if outcome in ("never-returns", "fails"):
        return Hook(outcome)
    return Hook(after=_duration_in(text, outcome, allowed, ("never-returns", "fails")))


def image_pull(text: str) -> ImagePull:
    outcome = text.strip()
    errors = ("not-found", "denied", "registry-down", "private")
    if outcome in errors:
        return ImagePull(outcome)
    return ImagePull(takes=_duration_in(text, outcome, f"a duration such as 3s, {', '.join(errors)}", errors))


def unmount(text: str) -> int | None:
    if text.strip() == "hangs":
        return None
    return _duration_in(text, text.strip(), "a duration such as 2s, hangs", ("hangs",))


def exit_by_itself(text: str) -> Exit | None:
    if text.strip() == "never":
        return None
    if text.strip() == "start-error":
        return Exit(0, START_ERROR, starts=False)
    match = _EXIT.fullmatch(text.strip())
    allowed = '"after 5s code 1", where either part may be left out, start-error or never'
    if match is None or not text.strip():
        raise _refusal(text, allowed)
    after = _duration_in(text, match["after"], allowed) if match["after"] else 0
    return Exit(after, exit_code(match["code"]) if match["code"] else 0)


def leads(text: str) -> Leads:
    """`renew=10s,start=3s`, both as client-go's leader election and a client's own start have them."""
    allowed = 'how long it tries before it ends, as in "renew=10s,start=3s"'
    parts = [part.partition("=") for part in text.split(",")]
    if sorted(name.strip() for name, _, _ in parts) != ["renew", "start"]:
        raise _refusal(text, allowed)
    found = {name.strip(): _duration_in(text, value, allowed) for name, _, value in parts}
    return Leads(found["renew"], found["start"])


def curve(text: str) -> tuple[Point, ...]:
    """`0s=80Mi,60s=300Mi`, or one amount for all time."""
    allowed = 'times in order, each with an amount, as in "0s=80Mi,60s=300Mi"'
    points: list[Point] = []
    for part in text.split(","):
        at, equals, amount = (word.strip() for word in part.rpartition("="))
        if not equals and "," in text:
            raise _refusal(text, allowed)
        time = _duration_in(text, at, allowed) if equals else 0
        try:
            size = quantity.value(amount)
        except ValueError:
            raise _refusal(text, allowed, quantity.likely(amount)) from None
        if size < 0 or (points and time < points[-1].at):
            raise _refusal(text, allowed)
        points.append(Point(time, size))
    return tuple(points)


def placement(text: str) -> tuple[str, ...]:
    """Names of nodes, `n1, n2`."""
    names = tuple(part.strip() for part in text.split(","))
    if not all(_NODE.fullmatch(name) for name in names) or len(set(names)) < len(names):
        raise _refusal(text, "names of nodes, each once, such as node-1, node-3")
    return names


def log(text: str) -> tuple[str, ...]:
    return tuple(text.rstrip("\n").split("\n"))


def _duration_in(text: str, part: str, allowed: str, words: tuple[str, ...] = ()) -> int:
    try:
        return durations.parse(part.strip())
    except ValueError:
        raise _refusal(text.strip(), allowed, did_you_mean(part.strip(), words)) from None
