"""The annotation `health`: what may stand in it; ValueError says what was found and what is allowed."""

from __future__ import annotations

import re
from collections import Counter

from app.kube import durations
from app.kube.health import Clause, Health, Outage, Reply
from app.kube.near_names import did_you_mean
from app.kube.quoting import shown

_HEALTH = (
    '"TARGET: STATUS; after 90s: STATUS for 30s; while NAME down: STATUS; on-sigterm: STATUS | TARGET: ...", '
    "where TARGET is an HTTP path, exec, tcp, grpc, startup, readiness, liveness, requests or *, and STATUS an HTTP "
    "code, ok, fail or hangs, or one that takes its time, such as 200 in 3s"
)
_AFTER = re.compile(r"after\s+(\S+)")
_WHILE = re.compile(r"while\s+(\S+)\s+down")
_REPLY = re.compile(r"(?P<status>\S+)(?:\s+in\s+(?P<takes>\S+))?(?:\s+for\s+(?P<lasts>\S+))?")
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", re.ASCII)
_STATUS = {"ok": 200, "fail": 500, "hangs": 200}
_PROBES = ("exec", "tcp", "grpc", "startup", "readiness", "liveness", "requests", "*")


def health(text: str) -> tuple[Health, ...]:
    rules = tuple(_of_target(rule) for rule in text.split("|"))
    targets = [rule.target for rule in rules]
    for target, count in Counter(targets).items():
        if count > 1:
            raise ValueError(f"the target {shown(target)} stands twice; allowed: each target once")
    return rules


def dependencies(text: str) -> tuple[str, ...]:
    """Names of what an application cannot do without: `database, cache`."""
    names = tuple(part.strip() for part in text.split(","))
    if not all(_NAME.fullmatch(name) for name in names):
        raise ValueError(f"found {shown(text)}; allowed: names such as database, with commas between them")
    return names


def _of_target(text: str) -> Health:
    first, *others = (part.strip() for part in text.split(";"))
    target, colon, word = (part.strip() for part in first.rpartition(":"))
    if not colon or not (target in _PROBES or (target.startswith("/") and " " not in target)):
        raise _refusal(text, did_you_mean(target, _PROBES))
    rule = Health(target, _reply(text, target, word))
    clauses: list[Clause] = []
    outages: list[Outage] = []
    on_term: Reply | None = None
    for part in others:
        when, colon, word = (piece.strip() for piece in part.partition(":"))
        after, outage = _AFTER.fullmatch(when), _WHILE.fullmatch(when)
        if when == "on-sigterm" and colon and on_term is None:
            on_term = _reply(text, target, word)
        elif after and colon:
            clauses.append(_clause(text, target, after[1], word))
        elif outage and colon and _NAME.fullmatch(outage[1]):
            outages.append(Outage(outage[1], _reply(text, target, word)))
        else:
            raise _refusal(text)
    clauses.sort(key=lambda clause: clause.after)
    return Health(target, rule.usual, tuple(clauses), tuple(outages), on_term)


def _clause(text: str, target: str, after: str, word: str) -> Clause:
    match = _REPLY.fullmatch(word)
    if match is None:
        raise _refusal(text)
    lasts = _duration(text, match["lasts"]) if match["lasts"] else None
    return Clause(_duration(text, after), _timed(text, target, match), lasts)


def _reply(text: str, target: str, word: str) -> Reply:
    match = _REPLY.fullmatch(word)
    if match is None or match["lasts"]:
        raise _refusal(text)
    return _timed(text, target, match)


def _timed(text: str, target: str, match: re.Match[str]) -> Reply:
    status = _status(text, target, match["status"])
    if match["status"] == "hangs":
        if match["takes"]:
            raise _refusal(text)
        return Reply(status, None)
    return Reply(status, _duration(text, match["takes"]) if match["takes"] else 0)


def _status(text: str, target: str, word: str) -> int:
    if word in _STATUS:
        return _STATUS[word]
    if re.fullmatch("[2-5][0-9][0-9]", word, re.ASCII) and target not in ("exec", "tcp", "grpc"):
        return int(word)
    if target in ("exec", "tcp", "grpc"):
        raise ValueError(f"found {shown(word)}; allowed: ok, fail or hangs; {target} has no HTTP codes")
    raise _refusal(text, did_you_mean(word, _STATUS))


def _duration(text: str, part: str) -> int:
    try:
        return durations.parse(part.strip())
    except ValueError:
        raise _refusal(text) from None


def _refusal(text: str, near: str = "") -> ValueError:
    return ValueError(f"found {shown(text.strip())}; allowed: {_HEALTH}{near}")
