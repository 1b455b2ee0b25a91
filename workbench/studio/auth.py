"""Access control: requests need the session cookie, a page of the studio as their origin, and this machine's name.

Any page open in the same browser can send requests to 127.0.0.1, and a domain that resolves to this machine (DNS
rebinding) can even read the answers. Every request, including the websocket's, must therefore name this machine as its
``Host``, must not originate from another page (``Origin``, ``Sec-Fetch-Site``), and must carry the cookie that only the
token in the opened address grants.

A content security policy restricts the page: scripts come from the studio, and inline scripts carry a nonce. Two
exceptions remain. ``unsafe-eval``: NiceGUI passes events by ``eval`` and Vue compiles its templates in the browser, so
text that reaches either must never come from users; ours are constants. ``unsafe-inline`` for styles only: Quasar
positions menus and dialogs with style attributes.

Reports are files that others may have written. They are sent as plain text, in which no browser runs anything; the
studio's pages show copies, which `shared/report.js` makes.
"""

from __future__ import annotations

import contextlib
import html
import ipaddress
import json
import os
import re
import secrets
import stat
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from workbench.base import output, project
from workbench.base.errors import WorkbenchError
from workbench.base.language import tr, translated
from workbench.studio.visitor import preferred_language

if TYPE_CHECKING:
    from starlette.datastructures import MutableHeaders

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
LOCAL = ("127.0.0.1", "localhost", "[::1]")
TOKEN = "token"
"""The query parameter that contains the token."""
_REDIRECT_PAGE = """<!doctype html>
<meta charset="utf-8"><meta http-equiv="refresh" content="0;url={address}"><title>…</title>
"""
_REFUSAL_PAGE = """<!doctype html>
<html lang="{language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{studio}</title>
<style>body {{ font: 1.1em/1.6 system-ui, sans-serif; max-width: 36em; margin: 4em auto; padding: 0 1em }}
@media (prefers-color-scheme: dark) {{ body {{ background: #16181b; color: #e6e6e6 }} }}</style>
<h1>{studio}</h1><p>{locked}</p><p><a href="/">{again}</a></p>
"""
_PLAIN_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "referrer-policy": "no-referrer",
}
_REFUSAL_TEXTS = {
    "studio": tr("Rule studio"),
    "locked": tr("Open the address printed in the studio's terminal: it contains the key to this page."),
    "again": tr("Try again"),
}


@dataclass
class Gate:
    """The ASGI application that protects the studio's application."""

    host: str
    port: int
    token: str = field(default_factory=secrets.token_urlsafe)
    session: str = field(default_factory=secrets.token_urlsafe)
    """The cookie's value; a browser with the cookie from an earlier studio of the project needs no token."""
    app: App = field(init=False)

    @property
    def cookie(self) -> str:
        """The name of the cookie; it contains the port because browsers share cookies between ports."""
        return f"workbench-studio-{self.port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request or reject it."""
        from starlette.requests import HTTPConnection
        from starlette.responses import HTMLResponse

        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        request, websocket = HTTPConnection(scope), scope["type"] == "websocket"
        is_own = self._is_local_host(request.headers.get("host", "")) and _is_from_own_page(request.headers, websocket)
        session = request.cookies.get(self.cookie, "")
        if is_own and not websocket and self._is_token(scope, request.query_params.get(TOKEN, "")):
            # The next request comes from a page of the studio, so that the browser sends the cookie even if the address
            # was opened from another page.
            cookie = {"set-cookie": f"{self.cookie}={self.session}; Path=/; HttpOnly; SameSite=Strict"}
            query = request.url.remove_query_params(TOKEN).query
            page = _REDIRECT_PAGE.format(address=html.escape(f"{quote(scope['path'])}?{query}".rstrip("?")))
            await HTMLResponse(page, headers=_PLAIN_HEADERS | cookie)(scope, receive, send)
        elif not is_own or not secrets.compare_digest(session.encode(), self.session.encode()):
            if websocket:
                await send({"type": "websocket.close", "code": 1008})
                return
            language = preferred_language(request.cookies, request.headers.get("accept-language", ""))
            texts = {key: translated(text, language) for key, text in _REFUSAL_TEXTS.items()}
            page = _REFUSAL_PAGE.format(language=language, **texts)
            await HTMLResponse(page, 403, headers=_PLAIN_HEADERS)(scope, receive, send)
        elif websocket:
            await self.app(scope, receive, send)
        else:
            await self.app(scope, receive, _ProtectedSend(send, request.headers["host"]))

    def _is_local_host(self, host: str) -> bool:
        """Return True if a ``Host`` names this machine itself, not a domain that resolves to it."""
        name, _, port = host.rpartition(":")
        if port != str(self.port):
            return False
        if name in LOCAL or name == self.host:
            return True
        if self.host in LOCAL:
            return False
        try:
            ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True

    def _is_token(self, scope: Scope, token: str) -> bool:
        valid = secrets.compare_digest(token.encode(), self.token.encode())
        return valid and scope["method"] == "GET" and not str(scope["path"]).startswith("//")


def _is_from_own_page(headers: Mapping[str, str], websocket: bool) -> bool:
    """Return True if a request comes from a page of the studio or was opened by the user."""
    if "origin" in headers or websocket:
        return headers.get("origin") == f"http://{headers['host']}"
    if headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document":
        return True
    return headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")


@dataclass
class _ProtectedSend:
    """A sender that adds security headers to responses and the policy's nonce to inline scripts of pages."""

    send: Send
    host: str
    _nonce: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    _headers: MutableHeaders = field(init=False)
    _start: Message = field(default_factory=dict)
    _body: bytes = b""

    async def __call__(self, message: Message) -> None:
        from starlette.datastructures import MutableHeaders

        if message["type"] == "http.response.start":
            policy = (
                "default-src 'none'",
                f"script-src 'self' 'nonce-{self._nonce}' 'unsafe-eval'",
                "style-src 'self' 'unsafe-inline'", "img-src 'self' data:", "font-src 'self'",
                f"connect-src 'self' ws://{self.host}",
                "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            )  # fmt: skip
            self._headers = MutableHeaders(scope=message)
            self._headers["content-security-policy"] = "; ".join(policy)
            self._headers["x-content-type-options"] = "nosniff"
            self._headers["referrer-policy"] = "no-referrer"
            self._headers["cross-origin-opener-policy"] = "same-origin"
            self._headers["cross-origin-resource-policy"] = "same-origin"
            if "text/html" in self._headers.get("content-type", ""):
                self._start = message
                return
        elif self._start and message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if message.get("more_body"):
                return
            # These are NiceGUI's scripts because user text has every "<" escaped.
            body = self._body.replace(b"<script", f'<script nonce="{self._nonce}"'.encode())
            self._headers["content-length"] = str(len(body))
            await self.send(self._start)
            message = {"type": "http.response.body", "body": body}
        await self.send(message)


SESSIONS_FILE = "studio-sessions.json"
MAX_SESSIONS = 30
"""The most projects whose sessions are saved."""
_COOKIE = re.compile(r"[\w-]{43}")


@dataclass(frozen=True)
class Session:
    """The data shared by a project's studios."""

    cookie: str = field(default_factory=secrets.token_urlsafe)
    port: int | None = None
    """The last studio's port."""
    queue: tuple[str, ...] = ()
    """The unfinished jobs of a killed studio, the running job first."""
    project: str = ""
    """The project's path; empty if the session is not saved."""

    def save(self, **changes: Any) -> Session:
        """Return a changed session after saving it in the user's configuration folder, if there is one."""
        session, file = replace(self, **changes), project.config_file(SESSIONS_FILE)
        if not self.project or file is None:
            return session
        content = {"cookie": session.cookie, "port": session.port, "queue": session.queue}
        sessions = {name: state for name, state in _read_sessions().items() if name != self.project}
        sessions = dict([*sessions.items(), (self.project, content)][-MAX_SESSIONS:])
        with contextlib.suppress(WorkbenchError):
            path = output.make_folder(file.parent) / file.name
            output.write_file(path, json.dumps({"sessions": sessions}).encode(), private=True)
        return session


def load_session(project: Path) -> Session:
    """Return the session of a project's last studio, or a new one if it is missing or may have been read by others."""
    key = os.path.realpath(project)
    match _read_sessions().get(key):
        case {"cookie": str(cookie), "port": int(port), **other} if _COOKIE.fullmatch(cookie) and 0 < port < 65536:
            queue = other.get("queue")
            return Session(cookie, port, tuple(map(str, queue)) if isinstance(queue, list) else (), key)
    return Session(project=key)


def _read_sessions() -> dict[str, Any]:
    file = project.config_file(SESSIONS_FILE)
    with contextlib.suppress(OSError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
        if file is not None and _is_private(file):
            return dict(json.loads(file.read_text(encoding="utf-8"))["sessions"])
    return {}


def _is_private(file: Path) -> bool:
    status = file.lstat()
    return stat.S_ISREG(status.st_mode) and (
        os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & 0o077)
    )
