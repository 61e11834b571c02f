"""How names, labels, ports and quantities may be written, as apimachinery's validation has it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.kube import quantity
from app.kube.near_names import did_you_mean
from app.kube.quoting import shown
from app.kube.stringmap import StringMap
from app.kube.yaml_values import Path, Problem

_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?", re.ASCII)
_SUBDOMAIN = re.compile(rf"{_LABEL.pattern}(?:\.{_LABEL.pattern})*", re.ASCII)
_QUALIFIED = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?", re.ASCII)
_LABEL_RULE = "at most 63 of a-z, 0-9 and -, with a letter or digit at both ends"
_SUBDOMAIN_RULE = "at most 253 of a-z, 0-9, - and ., with a letter or digit at both ends of every part"
_QUALIFIED_RULE = "[prefix/]name, where the name has at most 63 of A-Z, a-z, 0-9, -, _ and ."

MAX_ANNOTATIONS = 256 * 1024


def refused(path: Path, value: object, allowed: str, hint: str = "") -> Problem:
    found = shown(value) if isinstance(value, str) else value
    return Problem(path, f"found {found}; allowed: {allowed}{hint}")


def required(path: Path, value: object) -> Iterator[Problem]:
    if not value:
        yield Problem(path, "missing; this field is required")


def label(path: Path, name: str) -> Iterator[Problem]:
    """An RFC 1123 label: what names containers, namespaces, volumes and Services."""
    if not name:
        yield from required(path, name)
    elif len(name) > 63 or not _LABEL.fullmatch(name):
        yield refused(path, name, _LABEL_RULE, _mended(name, "[^a-z0-9]+"))


def subdomain(path: Path, name: str) -> Iterator[Problem]:
    """An RFC 1123 subdomain: what names most objects."""
    if not name:
        yield from required(path, name)
    elif len(name) > 253 or not _SUBDOMAIN.fullmatch(name):
        yield refused(path, name, _SUBDOMAIN_RULE, _mended(name, r"[^a-z0-9.]+"))


def _mended(name: str, other: str) -> str:
    mended = re.sub(other, "-", name.lower()).strip("-.")[:63].strip("-.")
    return f'; did you mean "{mended}"?' if _SUBDOMAIN.fullmatch(mended) and len(name) <= 63 else ""


def qualified_name(path: Path, name: str) -> Iterator[Problem]:
    prefix, slash, rest = name.rpartition("/")
    sound = len(rest) <= 63 and _QUALIFIED.fullmatch(rest)
    if not sound or (slash and not (len(prefix) <= 253 and _SUBDOMAIN.fullmatch(prefix))):
        yield refused(path, name, _QUALIFIED_RULE)


def labels(path: Path, pairs: StringMap) -> Iterator[Problem]:
    for name, value in pairs.items():
        yield from qualified_name((*path, name), name)
        if value and not (len(value) <= 63 and _QUALIFIED.fullmatch(value)):
            allowed = "at most 63 of A-Z, a-z, 0-9, -, _ and ., with a letter or digit at both ends"
            yield refused((*path, name), value, allowed)


def annotated(path: Path, pairs: StringMap) -> Iterator[Problem]:
    for name in pairs:
        yield from qualified_name((*path, name), name.lower())
    size = sum(len(name.encode()) + len(value.encode()) for name, value in pairs.items())
    if size > MAX_ANNOTATIONS:
        yield Problem(path, f"found {size:,} bytes; allowed: at most {MAX_ANNOTATIONS:,}")


def number(path: Path, value: int | None, least: int, most: int | None = None) -> Iterator[Problem]:
    if value is not None and (value < least or (most is not None and value > most)):
        yield refused(path, value, f"{least} or more" if most is None else f"{least} to {most}")


def one_of(path: Path, value: str, allowed: tuple[str, ...]) -> Iterator[Problem]:
    """A word from a list, or nothing, for which the server has a default."""
    if value and value not in allowed:
        yield refused(path, value, ", ".join(allowed), did_you_mean(value, allowed))


def port(path: Path, value: int) -> Iterator[Problem]:
    yield from number(path, value, 1, 65535)


def port_name(path: Path, name: str) -> Iterator[Problem]:
    """An IANA service name."""
    if not (len(name) <= 15 and _LABEL.fullmatch(name) and re.search("[a-z]", name) and "--" not in name):
        hint = f"; remove the quotes: {name}" if name.isascii() and name.isdigit() and len(name) <= 5 else ""
        yield refused(path, name, "a port name: at most 15 of a-z, 0-9 and single -, with a letter in it", hint)


def port_or_name(path: Path, value: int | str) -> Iterator[Problem]:
    yield from port_name(path, value) if isinstance(value, str) else port(path, value)


def quantities(path: Path, amounts: StringMap) -> Iterator[Problem]:
    for name, text in amounts.items():
        yield from amount((*path, name), text)


def amount(path: Path, text: str) -> Iterator[Problem]:
    try:
        if quantity.parse(text) < 0:
            yield refused(path, text, "0 or more")
    except ValueError as error:
        yield Problem(path, str(error))
