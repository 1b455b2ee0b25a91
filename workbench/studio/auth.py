"""Who may speak to the studio: the holder of the token, from the studio's own pages, by the name of this machine.

Any page that is open in the same browser can send requests to 127.0.0.1, and a domain that its owner points at this
machine (DNS rebinding) even reads the answers. So every request, that for the websocket included, must name this
machine as its ``Host``, must not come from another page (``Origin``, ``Sec-Fetch-Site``), and must bear the cookie that
only the token in the opened address gives.

What the browser may then do is said by a content security policy: scripts come from the studio alone, and those within
the page bear a number that is drawn for each answer. Two exceptions remain. ``unsafe-eval``: NiceGUI hands events on by
``eval`` and Vue compiles its templates in the browser, so text that reaches either must never be a user's; ours are
constants. ``unsafe-inline`` for styles only: Quasar places menus and dialogs by style attributes.

Reports and charts, whose scripts and pictures are within them, come from files that others may have written. They are
sent with a policy of their own: in a sandbox that gives them no origin, so that nothing of the studio is theirs, and
without any request. No policy keeps a script from the network in every browser (WebRTC, or going to another page), so
the only one that runs is that of the reports of this version, named by its digest. The studio's pages may show them in
frames; nobody else's may.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import ipaddress
import json
import os
import re
import secrets
import stat
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from workbench.base import output, project
from workbench.base.errors import WorkbenchError
from workbench.base.language import tr, translated
from workbench.report.render.documents import script_element
from workbench.studio.visitor import preferred_language

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
LOCAL = ("127.0.0.1", "localhost", "[::1]")
REPORTS = "/report-files/"
"""Where the files of reports are served."""
TOKEN = "token"
"""The name of the token in the opened address."""
_REDIRECT_PAGE = """<!doctype html>
<meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>…</title>
"""
_REFUSAL_PAGE = """<!doctype html>
<html lang="{language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{studio}</title>
<style>body {{ font: 1.1em/1.6 system-ui, sans-serif; max-width: 36em; margin: 4em auto; padding: 0 1em }}
@media (prefers-color-scheme: dark) {{ body {{ background: #16181b; color: #e6e6e6 }} }}</style>
<h1>{studio}</h1><p>{locked}</p><p><a href="/">{again}</a></p>
"""
_REFUSAL_TEXTS = {
    "studio": tr("Rule studio"),
    "locked": tr("The key to this page is in the address that the studio has printed in its terminal: open that one."),
    "again": tr("Try again"),
}


@dataclass
class Gate:
    """The ASGI application around another one."""

    app: App
    host: str
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    """What the cookie holds; a browser that has it from an earlier studio of the project comes in without the token."""

    @property
    def cookie(self) -> str:
        """The name of the cookie; browsers keep those of one machine together, whatever the port."""
        return f"workbench-studio-{self.port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request through, or refuses it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        websocket = scope["type"] == "websocket"
        if not self._is_local_host(headers.get("host", "")) or not self._from_own_page(headers, websocket):
            await _send_answer(send, 403, _refusal_page(headers), websocket)
        elif not websocket and self._is_token(scope):
            # A page of the studio's own asks for the next one, so that the browser sends the cookie along, even if the
            # address was clicked on in a page of others.
            cookie = f"{self.cookie}={self.session}; Path=/; HttpOnly; SameSite=Strict"
            await _send_answer(send, 200, _REDIRECT_PAGE, cookie=cookie)
        elif not self._has_session(headers.get("cookie", "")):
            await _send_answer(send, 403, _refusal_page(headers), websocket)
        elif websocket:
            await self.app(scope, receive, send)
        else:
            apart = str(scope["path"]).startswith(REPORTS)
            await self.app(scope, receive, _SandboxedSend(send) if apart else _ProtectedSend(send, headers["host"]))

    def _is_local_host(self, host: str) -> bool:
        """Return whether a ``Host`` is this machine, and no domain that somebody points at it."""
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

    def _from_own_page(self, headers: dict[str, str], websocket: bool) -> bool:
        """Whether a request comes from a page of the studio, or from the user who typed or clicked the address."""
        own = f"http://{headers['host']}"
        if "origin" in headers or websocket:
            return headers.get("origin") == own
        if headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document":
            return True
        return headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")

    def _is_token(self, scope: Scope) -> bool:
        given = parse_qs(scope["query_string"].decode("latin-1")).get(TOKEN, [""])[0]
        right = secrets.compare_digest(given.encode(), self.token.encode())
        return right and scope["method"] == "GET" and scope["path"] == "/"

    def _has_session(self, cookies: str) -> bool:
        morsel = _read_cookies(cookies).get(self.cookie)
        return morsel is not None and secrets.compare_digest(morsel.value.encode(), self.session.encode())


@dataclass
class _SandboxedSend:
    """Sends what files of reports hold, with headers that shut it in."""

    send: Send

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [pair for pair in message["headers"] if pair[0].lower() not in _SECURITY_HEADER_NAMES]
            message = {**message, "headers": headers + _sandbox_headers()}
        await self.send(message)


@dataclass
class _ProtectedSend:
    """Sends an answer with the headers that protect it; scripts within a page get the number that the policy names."""

    send: Send
    host: str
    _nonce: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    _start: Message = field(default_factory=dict)
    _body: bytes = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [pair for pair in message["headers"] if pair[0].lower() not in _SECURITY_HEADER_NAMES]
            headers += _security_headers(self._nonce, self.host)
            message = {**message, "headers": headers}
            if any(name.lower() == b"content-type" and b"text/html" in value for name, value in headers):
                self._start = message
                return
        elif self._start and message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if message.get("more_body"):
                return
            # What users wrote stands in the page with every "<" escaped, so these are NiceGUI's own scripts.
            body = self._body.replace(b"<script", f'<script nonce="{self._nonce}"'.encode())
            headers = [pair for pair in self._start["headers"] if pair[0].lower() != b"content-length"]
            headers.append((b"content-length", str(len(body)).encode()))
            await self.send({**self._start, "headers": headers})
            message = {"type": "http.response.body", "body": body}
        await self.send(message)


def _security_headers(nonce: str, host: str) -> list[tuple[bytes, bytes]]:
    policy = (
        "default-src 'none'",
        f"script-src 'self' 'nonce-{nonce}' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self'",
        f"connect-src 'self' ws://{host}",
        "frame-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
    return _headers(policy)


def _headers(policy: Sequence[str]) -> list[tuple[bytes, bytes]]:
    return [
        (b"content-security-policy", "; ".join(policy).encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
    ]


_SECURITY_HEADER_NAMES = {name for name, _ in _security_headers("", "")}


@functools.cache
def _sandbox_headers() -> list[tuple[bytes, bytes]]:
    digest = base64.b64encode(hashlib.sha256(script_element().encode()).digest()).decode()
    policy = (
        "sandbox allow-scripts",
        "default-src 'none'",
        f"script-src 'sha256-{digest}'",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    )
    return _headers(policy)


def _read_cookies(cookies: str) -> SimpleCookie:
    try:
        return SimpleCookie(cookies)
    except CookieError:
        return SimpleCookie()


def _refusal_page(headers: dict[str, str]) -> str:
    """Return the page for who may not come in, in the language of their browser."""
    cookies = {name: morsel.value for name, morsel in _read_cookies(headers.get("cookie", "")).items()}
    language = preferred_language(cookies, headers.get("accept-language", ""))
    return _REFUSAL_PAGE.format(
        language=language, **{key: translated(text, language) for key, text in _REFUSAL_TEXTS.items()}
    )


async def _send_answer(send: Send, status: int, page: str, websocket: bool = False, cookie: str = "") -> None:
    if websocket:
        await send({"type": "websocket.close", "code": 1008})
        return
    body = page.encode()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'"),
        (b"referrer-policy", b"no-referrer"),
    ]
    if cookie:
        headers.append((b"set-cookie", cookie.encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


SESSIONS_FILE = "studio-sessions.json"
MAX_SESSIONS = 30
"""Projects that are remembered."""
_COOKIE = re.compile(r"[\w-]{43}")


@dataclass(frozen=True)
class Session:
    """What the studio of a project is known by."""

    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    port: int | None = None
    """Where the last one listened."""
    queue: tuple[str, ...] = ()
    """The experiments that the last one had still to play when it was killed, the one that ran first."""
    project: str = ""
    """The path of the project; empty for what is good for one studio only."""

    def save(self, **changes: Any) -> Session:
        """Return the session with these changes, kept for the next studio where this user has a folder for it."""
        session, file = replace(self, **changes), project.config_file(SESSIONS_FILE)
        if not self.project or file is None:
            return session
        others = {name: said for name, said in _read_sessions().items() if name != self.project}
        content = {"cookie": session.cookie, "port": session.port, "queue": session.queue}
        kept = dict([*others.items(), (self.project, content)][-MAX_SESSIONS:])
        with contextlib.suppress(WorkbenchError):
            output.write_file(
                output.make_folder(file.parent) / file.name, json.dumps({"sessions": kept}).encode(), private=True
            )
        return session


def load_session(project: Path) -> Session:
    """Return the session of a project's last studio; a new one if there is none, or if others may know it."""
    key = os.path.realpath(project)
    said = _read_sessions().get(key)
    match said:
        case {"cookie": str(cookie), "port": int(port)} if _COOKIE.fullmatch(cookie) and 0 < port < 65536:
            match said:
                case {"queue": [*names]}:
                    return Session(cookie, port, tuple(map(str, names)), key)
            return Session(cookie, port, project=key)
    return Session(project=key)


def _read_sessions() -> dict[str, Any]:
    file = project.config_file(SESSIONS_FILE)
    with contextlib.suppress(OSError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
        if file is not None and _is_private(file):
            return dict(json.loads(file.read_text(encoding="utf-8"))["sessions"])
    return {}


def _is_private(file: Path) -> bool:
    """Return whether it is a file of this user's that nobody else may read."""
    about = file.lstat()
    return stat.S_ISREG(about.st_mode) and (
        os.name != "posix" or (about.st_uid == os.geteuid() and not about.st_mode & 0o077)
    )
