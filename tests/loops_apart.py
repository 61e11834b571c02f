"""Coroutines in tests: Playwright keeps an event loop running in the main thread, so they run in one of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """What `asyncio.run` gives, in a thread that has no loop yet."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
