"""What the server counts and measures, in the form that Prometheus reads; every label takes few values."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.gc_collector import GCCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy import ExceptionContext, event
from sqlalchemy.exc import SQLAlchemyError

from app import __version__
from app.store.database import Store
from app.store.tally import tally
from app.story import play as story
from app.web.pictures import drawn
from app.web.telling import found_orders

# When a series began is no use to whoever draws rates, and doubles what is sent.
disable_created_metrics()  # type: ignore[no-untyped-call]

METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
OTHER = "(other)"
"""A method or a route that is none of ours; what was asked for is no label, for there is no end to it."""

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
LIVE = timedelta(minutes=15)
"""A session that was touched within this time is somebody's just now."""

FORMS = {
    "text/html": "page",
    "image/svg+xml": "svg",
    "image/png": "png",
    "application/json": "json",
    "text/markdown": "md",
    "text/plain": "text",
}


class Metrics:
    """Those of one application. A process has one application; each is scraped by itself."""

    def __init__(self, store: Store) -> None:
        self.registry = registry = CollectorRegistry()
        self.requests = Counter(
            "loopscope_http_requests", "Requests answered.", ("method", "route", "status"), registry=registry
        )
        self.request_seconds = Histogram(
            "loopscope_http_request_seconds",
            "From the request to the last byte of its answer; live streams are left out.",
            ("method", "route"),
            buckets=SECONDS,
            registry=registry,
        )
        self.steps = Counter("loopscope_steps_served", "Steps answered, by their form.", ("form",), registry=registry)
        self.refused = Counter("loopscope_refused", "Requests over a limit.", ("limit",), registry=registry)
        self.followers = Gauge("loopscope_followers", "Followers connected to this process.", registry=registry)
        self.database_seconds = Histogram(
            "loopscope_database_seconds",
            "A unit of work, its waiting and its commit included.",
            ("kind",),
            buckets=SECONDS,
            registry=registry,
        )
        self.database_errors = Counter("loopscope_database_errors", "Errors by class.", ("kind",), registry=registry)
        Info("loopscope_build", "The engine's version and what it runs on.", registry=registry).info(
            {"version": __version__, "python": platform.python_version(), "database": store.engine.dialect.name}
        )
        registry.register(_Kept())
        registry.register(_Stored(store))
        ProcessCollector(registry=registry)
        GCCollector(registry=registry)
        store.observe = self._worked
        event.listen(store.engine, "handle_error", self._failed)

    @contextmanager
    def following(self) -> Iterator[None]:
        """One follower, for as long as it is connected."""
        with self.followers.track_inprogress():
            yield

    def answered(self, method: str, route: str, status: int, seconds: float, media_type: str) -> None:
        method = method if method in METHODS else OTHER
        self.requests.labels(method, route, str(status)).inc()
        if media_type != "text/event-stream":
            self.request_seconds.labels(method, route).observe(seconds)
        if status == 200 and route.endswith("/{step}"):
            self.steps.labels(FORMS.get(media_type, OTHER)).inc()

    def _worked(self, kind: str, seconds: float) -> None:
        self.database_seconds.labels(kind).observe(seconds)

    def _failed(self, context: ExceptionContext) -> None:
        error = context.sqlalchemy_exception or context.original_exception
        self.database_errors.labels(type(error).__name__).inc()


class _Kept(Collector):
    """Walks, searches and pictures: computed, or found among those kept in memory."""

    def collect(self) -> Iterator[Metric]:
        found = CounterMetricFamily(
            "loopscope_asked", "Walks, searches and pictures asked for.", labels=("what", "computed")
        )
        for what, (found_again, computed) in (
            ("walk", story.tally()),
            ("search", found_orders.tally()),
            ("picture", drawn.tally()),
        ):
            found.add_metric((what, "no"), found_again)
            found.add_metric((what, "yes"), computed)
        yield found


class _Stored(Collector):
    """What the database holds. Every process that shares it tells the same: take the greatest, not the sum."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("loopscope_database_up", "Whether the database answers.")
        try:
            with self._store.reading() as db:
                found = tally(db, since=LIVE)
        except SQLAlchemyError:
            up.add_metric((), 0)
            yield up
            return
        up.add_metric((), 1)
        yield up
        for name, number, told in (
            ("loopscope_sessions", found.sessions, "Sessions kept."),
            ("loopscope_sessions_live", found.live, "Sessions touched in the last 15 minutes."),
            ("loopscope_manifests", found.manifests, "Manifests kept."),
        ):
            yield GaugeMetricFamily(name, told, value=number)
