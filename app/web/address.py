"""A walk in an address: `m`, `scene`, `set.NAME`, `do` and `pick` as they stand there, and how it is looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal
from urllib.parse import parse_qsl, quote

from app.errors import BadInput
from app.kube import durations
from app.kube.meta import DEFAULT_NAMESPACE, Ref
from app.story.words import DEPTHS

Kind = Literal["do", "pick"]
Choice = tuple[Kind, str]

VIEWS = ("cluster", "messages", "timeline")
THEMES = ("light", "dark")
SCALES = ("1", "2")
"""Of a PNG."""
NAMED = ("m", "scene", "depth", "view", "theme", "scale", "pod", "words", "seen")
VERSION = "kubernetes"
DESCRIBING = ("txt", "json")
"""Forms that hold what kubectl prints."""
MOST_PARTS = 500
POD = re.compile(r"[a-z0-9.-]{1,253}(/[a-z0-9.-]{1,253})?", re.ASCII)
"""NAME or NAMESPACE/NAME."""
# Kept as they are, so that an address can be read: all of them are allowed in a query.
READABLE = "/:!@~,="


@dataclass(frozen=True, kw_only=True)
class Query:
    """What follows the `?`: the walk first, then how it is shown."""

    manifest: str = ""
    scene: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    choices: tuple[Choice, ...] = ()
    depth: str = ""
    view: str = ""
    theme: str = ""
    scale: str = ""
    pod: str = ""
    """The one to describe."""
    words: str = ""
    """Other words to tell it in."""
    seen: str = ""
    """What somebody saw of this one step, as `app.story.pinned` writes it: read, and left out of every further link."""

    def __str__(self) -> str:
        """With its `?`, or nothing."""
        return self._written

    @cached_property
    def _written(self) -> str:
        # A page has a hundred links with the same query.
        pairs = [("m", self.manifest), ("scene", self.scene)]
        pairs += [(f"set.{name}", value) for name, value in self.settings]
        pairs += [*self.choices, ("depth", self.depth), ("view", self.view)]
        pairs += [("theme", self.theme), ("scale", self.scale), ("pod", self.pod), ("words", self.words)]
        kept = [f"{_written(key)}={_written(value)}" for key, value in pairs if value or key.startswith("set.")]
        return f"?{'&'.join(kept)}" if kept else ""

    def pairs(self, *, without: Sequence[str] = ()) -> tuple[tuple[str, str], ...]:
        """Names and values as the hidden fields of a form; `without` names keys that the form has itself."""
        if not str(self):
            return ()
        found = parse_qsl(str(self)[1:], keep_blank_values=True)
        return tuple(pair for pair in found if pair[0].partition(".")[0] not in without)

    def with_choices(self, choices: tuple[Choice, ...]) -> Query:
        return replace(self, choices=choices)

    def without_choice(self, index: int) -> Query:
        return replace(self, choices=(*self.choices[:index], *self.choices[index + 1 :]))

    def in_theme(self, theme: str) -> Query:
        return replace(self, theme=theme)

    def describing(self, pod: Ref) -> Query:
        return replace(self, pod=pod.name if pod.namespace == DEFAULT_NAMESPACE else pod.path)

    @property
    def described(self) -> Ref | None:
        """The pod that the reader wants to know more of."""
        space, _, name = self.pod.rpartition("/")
        return Ref("Pod", space or DEFAULT_NAMESPACE, name) if name else None

    def in_words(self, words: str) -> Query:
        return replace(self, words=words)

    def at_depth(self, depth: str) -> Query:
        return replace(self, depth=depth)

    def at_view(self, view: str) -> Query:
        return replace(self, view=view)

    def in_scene(self, scene: str) -> Query:
        """Another preset of the same flow: what was set and decided belongs to the one that was left."""
        return Query(manifest=self.manifest, scene=scene, depth=self.depth, theme=self.theme, words=self.words)

    def with_settings(self, settings: tuple[tuple[str, str], ...]) -> Query:
        return replace(self, settings=settings)

    def with_setting(self, name: str, value: str) -> Query:
        """With one setting given anew; an empty value takes it out."""
        rest = tuple(pair for pair in self.settings if pair[0] != name)
        return replace(self, settings=(*rest, (name, value)) if value else rest)

    def walk_only(self) -> Query:
        """The walk, without how it is shown."""
        return replace(self, depth="", view="", theme="", pod="", words="")

    def near(self, at: int | str) -> str:
        """This walk at a step, or at its last where it has fewer, or where a symptom shows: the server then gives the
        address to keep.
        """
        return self.joined({"at": str(at)})

    def joined(self, more: Mapping[str, str]) -> str:
        """With other names behind it, which are no part of the walk."""
        extra = "&".join(f"{_written(name)}={_written(value)}" for name, value in more.items())
        return f"{self}{'&' if str(self) else '?'}{extra}" if extra else str(self)

    def only_looks(self) -> Query:
        """How it is shown, without the walk."""
        return Query(depth=self.depth, view=self.view, theme=self.theme, pod=self.pod, words=self.words, seen=self.seen)


def pairs_of(text: str) -> list[tuple[str, str]]:
    """Names and values of a raw query in their order."""
    try:
        return parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_PARTS)
    except ValueError:
        raise BadInput([f"address: at most {MOST_PARTS} parts are read"]) from None


def parse(text: str) -> Query:
    """Read the raw query; BadInput lists every value that cannot be. Names that are not ours are let pass."""
    return query_of(pairs_of(text))


def query_of(pairs: Sequence[tuple[str, str]]) -> Query:
    """The same from pairs, as a form sends them."""
    named = {key: value.strip() for key, value in pairs if key in NAMED}
    problems = [
        f"{key}: found {named[key][:40]!r}; allowed: {', '.join(allowed)}"
        for key, allowed in (("depth", DEPTHS), ("view", VIEWS), ("theme", THEMES), ("scale", SCALES))
        if named.get(key) and named[key] not in allowed
    ]
    if named.get("pod") and not POD.fullmatch(named["pod"]):
        problems.append(f"pod: found {named['pod'][:40]!r}; allowed: NAME or NAMESPACE/NAME")
    if problems:
        raise BadInput(problems)
    settings = {key.removeprefix("set."): value.strip() for key, value in pairs if key.startswith("set.")}
    # `v=1.33` is short for the setting of that name, which wins where both are given.
    if short := dict(pairs).get("v", "").strip():
        settings.setdefault(VERSION, short)
    return Query(
        manifest=named.get("m", ""),
        scene=named.get("scene", ""),
        settings=tuple(settings.items()),
        choices=choices_of(pairs),
        depth=named.get("depth", ""),
        view=named.get("view", ""),
        theme=named.get("theme", ""),
        scale=named.get("scale", ""),
        pod=named.get("pod", ""),
        words=named.get("words", ""),
        seen=named.get("seen", ""),
    )


def choices_of(pairs: Sequence[tuple[str, str]]) -> tuple[Choice, ...]:
    """The `do` and `pick` values in their order; a field left empty, or with its time only, is no choice."""
    found: list[Choice] = []
    for key, value in pairs:
        text = value.strip()
        if key == "pick" and text:
            found.append(("pick", text))
        elif key == "do" and not _is_only_a_time(text):
            found.append(("do", text))
    return tuple(found)


def _is_only_a_time(text: str) -> bool:
    if not text:
        return True
    try:
        durations.parse(text)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=4_096)
def _written(text: str) -> str:
    return quote(text, safe=READABLE)


def with_parts(address: str, parts: Sequence[tuple[str, str]]) -> str:
    """An address with more behind its `?`; what is empty is left out."""
    written = "&".join(f"{name}={_written(value)}" for name, value in parts if value)
    return f"{address}{'&' if '?' in address else '?'}{written}" if written else address


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a page's links lead: the path of a flow or a session, and what the address carries along."""

    path: str
    query: Query
    tail: str = ""
    """What follows a step in the path: `/present`."""

    def step(self, step: int | str) -> str:
        """The same walk at another step."""
        return f"{self.path}/{_written(str(step))}{self.tail}{self.query}"

    def embed(self, step: int | str) -> str:
        """What to paste into other pages to show this step: one segment more, so it is mistaken for no step."""
        return f"{self.path}/{quote(str(step), safe=READABLE)}/embed{self.query}"

    def seen(self, step: int | str) -> str:
        """The step that this address was of, with what was seen of it then."""
        return with_parts(self.step(step), (("seen", self.query.seen),))

    def form(self, step: int | str, suffix: str, view: str = "") -> str:
        """The same moment as a picture or text."""
        shown = replace(self.query, view=view, depth="", theme="", pod=self.query.pod if suffix in DESCRIBING else "")
        return f"{self.path}/{quote(str(step), safe=READABLE)}.{suffix}{shown}"

    def taking(self, what: str, step: int | str = "") -> str:
        """Where this walk can be taken away, as `export` or `report`; seen from a step."""
        return f"{self.path}/{what}{replace(self.query, pod='').joined({'step': str(step)} if step else {})}"

    def at(self, path: str) -> Place:
        """The same at another path."""
        return replace(self, path=path)

    def asking(self, query: Query) -> Place:
        return replace(self, query=query)
