"""Access checks: the host name, and a token where the viewer can be reached from other machines."""

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
    """Checks every request, and sends the same headers with every answer.

    Args:
        app: what is guarded.
        hosts: names under which the viewer answers, without a port; another name may be that of a foreign page whose name was
            made to point here. None for any, which is only safe with a token.
        token: a secret that must come once as ``?token=`` and then as a cookie; empty for none.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str] | None, token: str = "") -> None:
        self._app = app
        self._hosts = None if hosts is None else frozenset(hosts)
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or lets it through."""
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
            return PlainTextResponse("This viewer answers only under its own address.", 421)
        if not self._token:
            return None
        params = QueryParams(scope.get("query_string", b""))
        given = params.get("token")
        if given is not None and hmac.compare_digest(given.encode(), self._token.encode()):
            # The token leaves the address at once, so that it is neither copied nor kept in the history.
            answer = RedirectResponse("/", 303)
            answer.set_cookie(COOKIE, self._token, httponly=True, samesite="strict")
            return answer
        kept = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        if hmac.compare_digest(kept.encode(), self._token.encode()):
            return None
        return PlainTextResponse("A token is needed: open the address that dialmeter view printed.", 403)


def host_name(header: str) -> str:
    """The name in a Host header, without its port.

    Example:
        >>> host_name("localhost:8765"), host_name("[::1]:8765"), host_name("127.0.0.1")
        ('localhost', '[::1]', '127.0.0.1')
    """
    if header.startswith("["):
        return header.partition("]")[0].lower() + "]"
    return header.partition(":")[0].lower()
