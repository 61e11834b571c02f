"""Reads the folders of flows and the words they share; files that have not changed are read once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from app.catalog import releases, strict_walk, wording
from app.catalog.checking import check_flow
from app.catalog.flow import Flow, Lexicon, Wording
from app.errors import BadInput, NotFound
from app.kube.manifests import Manifests, read_manifests
from app.kube.near_names import did_you_mean
from app.kube.yaml_reading import read_documents
from app.kube.yaml_values import Node, Problem, line_of, written
from app.paths import flows_dirs

FLOW, CLUSTER, LEXICON, WORDS = "flow.yaml", "cluster.yaml", "lexicon.yaml", "words.{}.yaml"
_NO_LEXICON = Lexicon({})


class Source(Struct, frozen=True):
    """A flow with the file it was read from, so that a fault found later still has its line."""

    flow: Flow
    file: str
    root: Node

    def told(self, problems: Iterable[Problem]) -> list[str]:
        """The problems in the order of their lines."""
        return told(self.file, self.root, problems)


class Shelf(Struct, frozen=True):
    """All that was read from all folders, good and bad."""

    sources: dict[str, Source]
    faulty: dict[str, tuple[str, ...]]
    """Problems by the name of the folder they were found in."""
    lexicon: Lexicon
    problems: tuple[str, ...]
    """Every problem, those of `faulty` included."""


def flows() -> dict[str, Flow]:
    """All flows by id, the shipped ones first; BadInput lists every problem of every file."""
    found = shelf()
    if found.problems:
        raise BadInput(found.problems)
    return {id: source.flow for id, source in found.sources.items()}


def flow(id: str) -> Flow:
    """One flow; a fault in another flow's folder does not hinder it."""
    return source(id).flow


def source(id: str) -> Source:
    """One flow with the lines of its file: NotFound for no such folder, BadInput for a faulty one."""
    found = shelf()
    if id in found.faulty:
        raise BadInput(found.faulty[id])
    if id not in found.sources:
        known = [*found.sources, *found.faulty]
        raise NotFound(f'no flow "{id}"; there are {", ".join(known) or "none"}{did_you_mean(id, known)}')
    return found.sources[id]


def lexicon() -> Lexicon:
    """The words that all flows share."""
    return shelf().lexicon


def shelf() -> Shelf:
    """What lies in the shipped folder and in those of LOOPSCOPE_FLOWS now."""
    texts = []
    problems = []
    for at, folder in enumerate(flows_dirs()):
        if not folder.is_dir():
            problems.append(f"{folder}: no such folder{'; LOOPSCOPE_FLOWS names it' if at else ''}")
        elif (folder / FLOW).is_file():
            problems.append(f"{folder}: this is one flow's folder; LOOPSCOPE_FLOWS names the folder around it")
        else:
            texts.append((str(folder), _texts(folder)))
    return _shelf(tuple(texts), tuple(problems))


def _texts(folder: Path) -> tuple[tuple[str, bytes], ...]:
    """Every file that belongs to a flow, as `flow/name` with its bytes, in the order of the names."""
    return _read(folder, tuple(sorted(_stamps(folder, deep=True))))


def _stamps(folder: Path | str, *, deep: bool) -> Iterator[tuple[str, int, int, int, int]]:
    """What changes when a file does. Every page asks for it: it takes a tenth of the time that reading takes."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if deep and entry.is_dir():
                yield from _stamps(entry.path, deep=False)
            # An editor's lock file may be a link that leads nowhere.
            with suppress(FileNotFoundError):
                stat = entry.stat()
                yield entry.path, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino


@lru_cache(maxsize=8)
def _read(folder: Path, _: tuple[object, ...]) -> tuple[tuple[str, bytes], ...]:
    found = {}
    if (folder / LEXICON).is_file():
        found[LEXICON] = (folder / LEXICON).read_bytes()
    for part in sorted(folder.iterdir()):
        if part.is_dir() and not part.name.startswith((".", "_")):
            files = [*(part / name for name in (FLOW, CLUSTER)), *sorted(part.glob(WORDS.format("*")))]
            found |= {f"{part.name}/{file.name}": file.read_bytes() for file in files if file.is_file()}
            found.setdefault(f"{part.name}/", b"")
    return tuple(found.items())


Texts = tuple[tuple[str, tuple[tuple[str, bytes], ...]], ...]


@lru_cache(maxsize=8)
def _shelf(folders: Texts, problems: tuple[str, ...]) -> Shelf:
    sources: dict[str, Source] = {}
    faulty: dict[str, tuple[str, ...]] = {}
    words = _NO_LEXICON
    places: dict[str, str] = {}
    found = list(problems)
    for folder, pairs in folders:
        texts = dict(pairs)
        if LEXICON in texts:
            words, faults = _with_words(words, texts[LEXICON], f"{folder}/{LEXICON}")
            found += faults
        for name in (key.removesuffix("/") for key in texts if key.endswith("/")):
            if name in places:
                # The first stays in use: a folder that is added must not take a shipped flow away.
                found.append(f"{folder}/{name}: there is a flow {name} already, in {places[name]}; rename this folder")
                continue
            places[name] = folder
            files = [texts.get(f"{name}/{file}") for file in (FLOW, CLUSTER)]
            words_files = {key: text for key, text in texts.items() if key.startswith(f"{name}/words.")}
            source, faults = read_flow(name, *files, place=name, words_files=words_files)
            if source is not None:
                sources[name] = source
            if faults:
                faulty[name] = tuple(faults)
    return Shelf(sources, faulty, words, (*found, *(fault for faults in faulty.values() for fault in faults)))


def read_flow(
    id: str,
    text: bytes | None,
    cluster: bytes | None,
    *,
    place: str,
    words_files: Mapping[str, bytes] | None = None,
) -> tuple[Source | None, list[str]]:
    """One flow from the bytes of its two files, and those of its other words; and all their problems."""
    file = f"{place}/{FLOW}"
    if text is None:
        return None, [f"{file}: missing; a flow's folder holds {FLOW} and {CLUSTER}"]
    root, problems = _root(text, file)
    objects, faults = _cluster(cluster, f"{place}/{CLUSTER}")
    if root is None:
        return None, problems + faults
    wrong: list[Problem] = []
    read = strict_walk.read(Flow, root, wrong)
    if not wrong and read.id != id:
        wrong.append(Problem(("id",), f'found "{read.id}"; allowed: the name of its folder, "{id}"'))
    digest = sha256(b"\0".join((text, cluster or b"", *(words_files or {}).values()))).hexdigest()[:16]
    settings = releases.with_setting(read.settings)
    whole = replace(
        read, settings=settings, cluster=objects.objects, not_modelled=tuple(objects.not_modelled), digest=digest
    )
    for name, body in (words_files or {}).items():
        found, unsaid = _wording(whole, body, name)
        whole = replace(whole, wordings={**whole.wordings, **found})
        faults += unsaid
    # What is built on faults would only tell of faults that are none.
    wrong = wrong or check_flow(whole) if not (problems or faults) else wrong
    problems += told(file, root, wrong) + faults
    return (None if problems else Source(whole, file, root)), problems


def _wording(flow: Flow, text: bytes, file: str) -> tuple[dict[str, Wording], list[str]]:
    """The flow in other words, by the name in the name of the file."""
    root, problems = _root(text, file)
    if root is None:
        return {}, problems
    wrong: list[Problem] = []
    read = strict_walk.read(Wording, root, wrong)
    problems += told(file, root, wrong or wording.check(flow, read))
    return {} if problems else {file.rpartition("/words.")[2].removesuffix(".yaml"): read}, problems


def told(file: str, root: Node, problems: Iterable[Problem]) -> list[str]:
    """Problems with file, line and key, in the order of the lines."""
    placed = sorted(((line_of(root, problem.path), problem) for problem in problems), key=lambda pair: pair[0])
    return [
        f"{file}: line {line}, {written(problem.path)}{': ' if problem.path else ''}{problem.text}"
        for line, problem in placed
    ]


def _root(text: bytes, file: str) -> tuple[Node | None, list[str]]:
    """The one document of a file."""
    try:
        reading = read_documents(text.decode(), file)
    except UnicodeDecodeError as error:
        return None, [f"{file}: byte {error.start} is not UTF-8"]
    problems = list(reading.problems)
    if len(reading.documents) != 1 and not problems:
        problems.append(f"{file}: found {len(reading.documents)} documents; allowed: one")
    return reading.documents[0].root if reading.documents else None, problems


def _cluster(text: bytes | None, file: str) -> tuple[Manifests, list[str]]:
    if text is None:
        return Manifests(), [f"{file}: missing; it holds the Kubernetes objects that the flow starts from"]
    try:
        return read_manifests(text.decode(), file), []
    except UnicodeDecodeError as error:
        return Manifests(), [f"{file}: byte {error.start} is not UTF-8"]
    except BadInput as error:
        return Manifests(), error.problems


def _with_words(before: Lexicon, text: bytes, file: str) -> tuple[Lexicon, list[str]]:
    """A lexicon with a further file's words; a word that is there already is a problem."""
    root, problems = _root(text, file)
    if root is None:
        return before, problems
    wrong: list[Problem] = []
    read = strict_walk.read(Lexicon, root, wrong)
    parts = {}
    for part in Lexicon.__struct_fields__:
        old, new = getattr(before, part), getattr(read, part)
        wrong += [Problem((part, name), "there already, in another lexicon; keep one") for name in new if name in old]
        parts[part] = {**new, **old}
    return Lexicon(**parts), problems + told(file, root, wrong)
