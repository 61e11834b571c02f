"""What every answer says to the browser: run nothing foreign, be framed by no other site, tell none where you were."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGE_POLICY = (
    # The icon is a data: address, so that a first view needs one request less.
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors {ancestors}"
)
# A bare picture carries its own <style>, and can do nothing else.
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

EMBEDS = "/embed/"
# What a frame may load in a page of another origin: in a sandbox, our own files are foreign to our own page.
LENT = {"cross-origin-resource-policy": "cross-origin"}
FONTS = {"access-control-allow-origin": "*"}

ALWAYS = {
    "x-content-type-options": "nosniff",
    # Not no-referrer: with that, browsers send `Origin: null` with our own forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
# A window that a sandboxed frame opens is in the sandbox too, and there no page with an opener policy is shown.
# From a page of ours there is nothing to be kept from; it is said so that no policy of a cached answer stays.
OPENED_BY_US = {"cross-origin-opener-policy": "unsafe-none"}


class SecurityHeaders:
    """Adds them to every answer, those for errors included. `ancestors` may frame what lies under `/embed/`."""

    def __init__(self, app: ASGIApp, ancestors: str = "'self'") -> None:
        self.app = app
        self.page_policy = PAGE_POLICY.format(ancestors="'self'")
        self.embed_policy = PAGE_POLICY.format(ancestors=ancestors)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD":
            # Routes answer GET; the server leaves the body out, as it knows what was asked.
            scope = {**scope, "method": "GET"}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                said = self._said(Headers(scope=scope), scope["path"], headers.get("content-type", ""))
                for name, value in said.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers)

    def _said(self, asked: Headers, path: str, kind: str) -> dict[str, str]:
        """By the path, not by the page: what goes wrong in a frame is told in the frame."""
        if path.startswith(EMBEDS):
            return {"content-security-policy": self.embed_policy, **ALWAYS, **OPENED_BY_US, **LENT}
        policy = PICTURE_POLICY if kind.startswith("image/svg+xml") else self.page_policy
        lent = {**LENT, **FONTS} if path.startswith("/static/") else LENT if kind.startswith("image/") else {}
        opened = OPENED_BY_US if asked.get("sec-fetch-site") == "same-origin" else {}
        return {"content-security-policy": policy, **ALWAYS, **opened, **lent}


def is_foreign(headers: Headers) -> bool:
    """Whether another site's page sent this request, or a browser does not say which page did."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    # Browsers of today tell the origin of every form; older ones at least the page, as we ask them to.
    sender = headers.get("origin") or headers.get("referer")
    if sender is None:
        # Programs that are no browsers say nothing of it, and are nobody's tool but their caller's.
        return headers.get("user-agent", "").startswith("Mozilla/")
    return sender.partition("://")[2].partition("/")[0] != headers.get("host")
