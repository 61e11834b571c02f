"""`loopscope serve`."""

from __future__ import annotations

import argparse
import gc
import threading
from contextlib import closing
from typing import Any

from app import __version__, configuration
from app.configuration import LOG, PROXIES


def add(commands: Any) -> None:
    serve = commands.add_parser("serve", help="start the web server")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=int, default=8000)
    serve.set_defaults(run=_serve)


def _serve(asked: argparse.Namespace) -> int:
    from app.store.database import Store
    from app.web import logs
    from app.web.application import create_app
    from app.web.serving import Server

    configuration.check()
    logs.configure(LOG.get())
    with closing(Store()) as store:
        app = create_app(store, migrate=False)
        server = Server(app, host=asked.host, port=asked.port, proxies=PROXIES.get())
        faults: list[Exception] = []

        def migrate() -> None:
            try:
                store.migrate()
                print(f"Loopscope {__version__} on http://{asked.host}:{asked.port}", flush=True)
            except Exception as error:  # noqa: BLE001 - raised below, where the server has ended
                faults.append(error)
                server.should_exit = True

        # Beside the server: one that waits for another's migration is alive, and says that it is not ready.
        threading.Thread(target=migrate, daemon=True).start()
        _rest()
        server.run()
    if faults:
        raise faults[0]
    return 0


def _rest() -> None:
    """Search for garbage among the young only: a full search holds every reader up for a third of a second.

    It finds next to nothing, for walks are trees of immutable values; and what is loaded by now is there to stay.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 1_000)
