"""Access checks: the host name, and a token if other machines can reach the viewer."""

from __future__ import annotations

import hmac
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .links import SERVER_POLICY

COOKIE = "dialmeter"
HEADERS = {
    "Content-Security-Policy": SERVER_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Middleware that checks every request, and sends the same headers with every response.

    Args:
        app: the guarded application.
        hosts: accepted host names, without a port. Other names are refused, because a foreign page may use DNS rebinding.
            None accepts any name, which is only safe with a token.
        token: a secret that must be sent once as ``?token=`` and then as a cookie; empty for none.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str] | None, token: str = "") -> None:
        self._app = app
        self._hosts = None if hosts is None else frozenset(hosts)
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await (self._refusal(scope) or self._app)(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if self._hosts is not None and host_name(headers.get("host", "")) not in self._hosts:
            return PlainTextResponse("Wrong host name: open the address that dialmeter view printed.", 421)
        if not self._token:
            return None
        params = QueryParams(scope.get("query_string", b""))
        given = params.get("token")
        if given is not None and hmac.compare_digest(given.encode(), self._token.encode()):
            # The redirect removes the token from the address, so that it is not copied or stored in the history.
            redirect = RedirectResponse("/", 303)
            redirect.set_cookie(COOKIE, self._token, httponly=True, samesite="strict")
            return redirect
        cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        if hmac.compare_digest(cookie.encode(), self._token.encode()):
            return None
        return PlainTextResponse("A token is needed: open the address that dialmeter view printed.", 403)


def host_name(header: str) -> str:
    """Return the name in a Host header, without the port.

    Example:
        >>> host_name("localhost:8765"), host_name("[::1]:8765"), host_name("127.0.0.1")
        ('localhost', '[::1]', '127.0.0.1')
    """
    if header.startswith("["):
        return header.partition("]")[0].lower() + "]"
    return header.partition(":")[0].lower()
