"""Debian's Chromium on a server of its own; without a browser the tests skip, or fail where one is required."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from app.store.database import Store
from app.web.application import create_app
from app.web.serving import Server
from tests.browser.hosts import Wiki, hosting

NAMES = ("chromium", "chromium-browser", "google-chrome")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


def executable() -> str:
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        reason = f"no browser found: looked for {', '.join(NAMES)} on PATH (apt-get install chromium)"
        if os.environ.get("LOOPSCOPE_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = executable()
    with sync_playwright() as playwright:
        # Chromium's sandbox does not run as root, which is what containers of CI are.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """The application on a free port, as `loopscope serve` runs it; its address."""
    server = Server(app, port=0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 30
    while not server.started:
        assert thread.is_alive(), "the server ended before it had started"
        assert time.monotonic() < deadline, "the server did not start in 30 s"
        thread.join(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server for all tests that need none of their own."""
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('browser')}/loopscope.db")
    with serving(create_app(store)) as found:
        yield found
    store.close()


class Faults(list[str]):
    """What a page complained of: errors in its console, requests to other hosts."""


@pytest.fixture
def faults() -> Faults:
    return Faults()


def watched(context: BrowserContext, address: str, faults: Faults) -> Page:
    """A page whose complaints are gathered."""
    page = context.new_page()
    page.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "request", lambda request: None if request.url.startswith((address, "data:")) else faults.append(request.url)
    )
    return page


@pytest.fixture
def page(chromium: Browser, address: str, faults: Faults) -> Iterator[Page]:
    """A wide window; at the end its console must have been quiet."""
    context = chromium.new_context(base_url=address, viewport={"width": 1440, "height": 1010})
    context.set_default_timeout(15_000)
    yield watched(context, address, faults)
    context.close()
    assert faults == []


@pytest.fixture(scope="session")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wiki]:
    with hosting(tmp_path_factory.mktemp("wiki")) as found:
        yield found


@pytest.fixture(scope="session")
def lent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose embeds the pages of localhost may hold."""
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('lent')}/loopscope.db")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOOPSCOPE_FRAME_ANCESTORS", "http://localhost:*")
        app = create_app(store)
    with serving(app) as found:
        yield found
    store.close()


@pytest.fixture
def host(chromium: Browser, faults: Faults) -> Iterator[Page]:
    """A reader of the wiki; at the end the console must have been quiet."""
    context = chromium.new_context(viewport={"width": 1000, "height": 800})
    context.set_default_timeout(15_000)
    page = context.new_page()
    page.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    context.close()
    # That a sandbox forbids scripts is what it is for.
    assert [fault for fault in faults if not fault.startswith("Blocked script execution")] == []
