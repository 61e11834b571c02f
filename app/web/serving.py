"""The server that runs the application: uvicorn, which lets followers go before it waits for the rest to end."""

from __future__ import annotations

import socket
from collections.abc import Sequence

import uvicorn
from fastapi import FastAPI

from app.web.site import Site


class Server(uvicorn.Server):
    """Connections of followers never end by themselves; they come back to whoever answers next."""

    def __init__(self, app: FastAPI, *, host: str = "127.0.0.1", port: int = 8000, proxies: Sequence[str] = ()) -> None:
        # What has not ended by itself after this time is a download that nobody reads.
        patience = 10
        settings = uvicorn.Config(
            app,
            host=host,
            port=port,
            log_config=None,
            access_log=False,
            ws="none",
            forwarded_allow_ips=list(proxies),
            timeout_graceful_shutdown=patience,
        )
        super().__init__(settings)
        self._site: Site = app.state.site

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._site.following.close()
        await super().shutdown(sockets)
