"""The setting for the Kubernetes version that every flow has, and the table of behaviours by version, in words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from app.catalog import strict_walk
from app.catalog.flow import Flow, Setting
from app.errors import BadInput
from app.kube.releases import BEHAVIOURS, CURRENT, NAMES, Release, Since, release
from app.kube.yaml_reading import read_documents
from app.kube.yaml_values import Problem, written
from app.paths import flows_dir

FILE = "versions.yaml"
NAME = "kubernetes"
TARGET = "cluster version"


class SettingWords(Struct, frozen=True):
    """What the setting is called."""

    title: str
    help: str


class BehaviourWords(Struct, frozen=True):
    """A behaviour: whose it is, how it is from its release on, and how it was before."""

    name: str
    part: str
    since: str
    before: str


class Elsewhere(Struct, frozen=True):
    """What came with a release and is not followed here."""

    release: str
    text: str


class Words(Struct, frozen=True):
    """`flows/versions.yaml`."""

    setting: SettingWords
    behaviours: tuple[BehaviourWords, ...]
    elsewhere: tuple[Elsewhere, ...]


class Row(Struct, frozen=True):
    """One behaviour with its words."""

    name: str
    release: str
    """From which it is so."""
    part: str
    since: str
    before: str
    source: str


@cache
def words() -> Words:
    """The words; BadInput for every fault of the file, also where it lacks a behaviour or has one too many."""
    reading = read_documents((flows_dir() / FILE).read_text(encoding="utf-8"), FILE)
    if reading.problems:
        raise BadInput(list(reading.problems))
    problems: list[Problem] = []
    found = strict_walk.read(Words, reading.documents[0].root, problems)
    names = [row.name for row in found.behaviours]
    if names != list(BEHAVIOURS):
        problems.append(Problem(("behaviours",), f"found {', '.join(names)}; allowed: {', '.join(BEHAVIOURS)}"))
    if problems:
        raise BadInput([f"{FILE}: {written(row.path)}: {row.text}" for row in problems])
    return found


def setting() -> Setting:
    """The setting itself."""
    said = words().setting
    return Setting(NAME, said.title, "choice", CURRENT.name, help=said.help, choices=NAMES, sets=(TARGET,))


def with_setting(settings: tuple[Setting, ...]) -> tuple[Setting, ...]:
    """The settings of a flow with that of the version, unless it says itself how its version is set."""
    has = any(row.name == NAME or TARGET in row.sets for row in settings)
    return settings if has else (*settings, setting())


def of(flow: Flow, settings: Mapping[str, str]) -> Release:
    """The release that the settings of a flow name."""
    name = next((settings.get(row.name, row.default) for row in flow.settings if TARGET in row.sets), CURRENT.name)
    return release(name) if name in NAMES else CURRENT


def rows() -> tuple[Row, ...]:
    """The whole table, the oldest release first."""
    return tuple(_row(said, BEHAVIOURS[said.name]) for said in words().behaviours)


def between(first: Release, second: Release) -> tuple[Row, ...]:
    """What one of two releases has and the other has not."""
    return tuple(row for row in rows() if getattr(first, row.name) != getattr(second, row.name))


def _row(said: BehaviourWords, since: Since) -> Row:
    return Row(said.name, f"1.{since.minor}", said.part, said.since, said.before, since.source)
