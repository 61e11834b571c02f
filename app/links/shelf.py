"""Where the walks of links come from: the flows, manifests that are given, and a database where one is at hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from app.errors import BadInput, NotFound, Unchecked
from app.kube.secrets import without_values
from app.store import manifests, sessions
from app.store.database import Store
from app.story import play as story
from app.story.play import Play
from app.web.address import Query
from app.web.site import manifests_of, request_of
from app.web.sittings import query_of


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """Walks as addresses name them. A database is opened when a link needs it."""

    url: str
    given: dict[str, str] = field(default_factory=dict)
    """Texts of manifests by their hash."""
    _opened: list[Store] = field(default_factory=list)

    def walk(self, flow: str, query: Query) -> Play:
        """NotFound and BadInput as for a page; Unchecked where a manifest is not at hand."""
        texts = {name: self._manifest(name) for name in manifests_of(query)}
        return story.play(request_of(flow, query, texts))

    def session(self, id: str) -> Play:
        """The walk of a session as it is kept now."""
        try:
            with self._store().reading() as db:
                opened = sessions.get_for_reading(db, id=id)
                choices = tuple(sessions.choices(db, session_id=opened.session.id))
        except SQLAlchemyError as error:
            raise Unchecked(f"the database does not answer: {_said(error)}") from None
        if opened.may_edit:
            told = "by this id whoever reads the document may change the session; link to the one that only reads"
            raise BadInput([told])
        return self.walk(opened.session.flow, query_of(opened.session, choices))

    def close(self) -> None:
        for store in self._opened:
            store.close()

    def _manifest(self, name: str) -> str:
        if name in self.given:
            return self.given[name]
        try:
            with self._store().reading() as db:
                return manifests.get(db, hash=name)
        except NotFound:
            raise Unchecked(f"manifest m={name} is neither given with -f nor kept in {self._shown}") from None
        except SQLAlchemyError as error:
            raise Unchecked(f"the database does not answer: {_said(error)}") from None
        except Unchecked as error:
            raise Unchecked(f"manifest m={name} is not given with -f, and {error}") from None

    def _store(self) -> Store:
        if not self._opened:
            url = make_url(self.url)
            if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
                raise Unchecked(f"there is no database at {self._shown}")
            store = Store(self.url)
            self._opened.append(store)
        return self._opened[0]

    @property
    def _shown(self) -> str:
        return make_url(self.url).render_as_string(hide_password=True)


def by_hash(texts: Iterable[str]) -> dict[str, str]:
    """Manifests as they are named in addresses: as they are kept, without the values of Secrets."""
    kept = (without_values(text.replace("\r\n", "\n")) for text in texts)
    return {manifests.hash_of(text): text for text in kept}


def checked(url: str) -> str:
    """A database that was asked for by name is there."""
    store = Store(url)
    try:
        if store.url.get_backend_name() == "sqlite" and not Path(store.url.database or "").is_file():
            raise BadInput([f"--database {url!r}: there is no such file"])
    finally:
        store.close()
    return url


def _said(error: SQLAlchemyError) -> str:
    return " ".join(str(getattr(error, "orig", None) or error).split())[:200]
