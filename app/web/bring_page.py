"""The page for a reader's own manifests: where they are brought, and what a flow has to ask about them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from app.catalog import own_words, subjects
from app.catalog.flow import Setting
from app.kube.manifests import read_manifests
from app.story.play import Play
from app.web.address import Query
from app.web.pages import Frame
from app.web.player_parts import Unmodelled
from app.web.rendering import Page


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One answer to a question."""

    value: str
    """As the setting has it."""
    guess: bool
    """Whether it is chosen unless the reader chooses another."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One thing that cannot be told from manifests."""

    field: str
    """The name of the form's field."""
    title: str
    """The question."""
    help: str
    """What it is about."""
    choices: tuple[Choice, ...]
    """All that it could be."""


@dataclass(frozen=True, kw_only=True)
class BringPage(Page):
    """Bring your own manifests."""

    template: ClassVar[str] = "manifests.html"

    frame: Frame
    """Title, theme, navigation."""
    flows: tuple[tuple[str, str], ...]
    """Id and title of the flows to choose from."""
    flow: str
    """The one chosen."""
    text: str
    """What was pasted or uploaded."""
    problems: tuple[str, ...]
    """What is wrong with it."""
    read: str
    """What was read, by kind; empty where nothing was."""
    walk: str
    """Where the walk is; empty where nothing can be walked."""
    carried: tuple[tuple[str, str], ...]
    """Hidden fields of the form that leads there."""
    questions: tuple[Asked, ...]
    """What has to be asked."""
    assumed: tuple[str, ...]
    """What is taken for granted beyond the manifests."""
    not_modelled: tuple[Unmodelled, ...]
    """Fields that the model does not read."""
    inspect: str
    """Where the same manifests are inspected."""


def bring_page(
    frame: Frame,
    flows: tuple[tuple[str, str], ...],
    flow: str,
    text: str,
    query: Query,
    *,
    problems: tuple[str, ...] = (),
    played: Play | None = None,
) -> BringPage:
    """The page; with a walk, what it makes of the manifests and has to ask."""
    setup = played.setup if played is not None else None
    kept = Query(manifest=query.manifest, theme=query.theme)
    return BringPage(
        frame=frame,
        flows=flows,
        flow=flow,
        text=text,
        problems=problems,
        read=_read(text) if setup is not None else "",
        walk=f"/f/{flow}" if setup is not None else "",
        carried=kept.pairs(),
        questions=questions(played) if played is not None else (),
        assumed=tuple(own_words.sentence(what, names) for what, names in setup.assumed) if setup is not None else (),
        not_modelled=tuple(Unmodelled(object=name, path=path) for name, path in setup.not_modelled) if setup else (),
        inspect=f"/inspect{kept}" if setup is not None else "",
    )


def questions(played: Play) -> tuple[Asked, ...]:
    """What its manifests leave open: every setting that has more than one thing of theirs to choose from."""
    setup = played.setup
    return tuple(_asked(row, setup.settings[row.name]) for row in setup.flow.settings if _is_asked(row))


def _is_asked(setting: Setting) -> bool:
    return setting.name in (subjects.ABOUT, subjects.NODE) and len(setting.choices) > 1


def _asked(setting: Setting, guess: str) -> Asked:
    return Asked(
        field=f"set.{setting.name}",
        title=setting.title,
        help=setting.help,
        choices=tuple(Choice(value=value, guess=value == guess) for value in setting.choices),
    )


def _read(text: str) -> str:
    """`2 Deployments`, as kinds are counted here."""
    kinds = Counter(obj.kind for obj in read_manifests(text).objects)
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items())
