"""The pages of the studio, which are found by package name, and responses that are not pages."""

from __future__ import annotations

import functools
import importlib
import logging
import pkgutil
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from nicegui import Client, app, binding, ui

from workbench.base.addons import addons
from workbench.base.language import LANGUAGES, tr
from workbench.studio import frame
from workbench.studio.documents.rulesets import DraftStore
from workbench.studio.frame import Studio
from workbench.studio.jobs import Queue
from workbench.studio.visitor import LANGUAGE, THEME, THEMES, YEAR, Visitor
from workbench.studio.workers import Workers

# By default NiceGUI warns on stderr whenever a busy machine pauses it for a hundredth of a second.
binding.MAX_PROPAGATION_TIME = 1.0


def create_application(store: DraftStore, workers: Workers, queue: Queue) -> FastAPI:
    """Return a project's studio as an ASGI application."""
    outer = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.get("/language/{choice}")(_choose_language)
    app.get("/theme/{choice}")(_choose_theme)
    app.exception_handler(404)(functools.partial(_message_page, frame.NOT_FOUND, 404))
    app.exception_handler(Exception)(functools.partial(_message_page, FAILED, 500))
    studio = Studio(store, workers, queue)
    page_modules = (importlib.import_module(f"{__name__}.{folder.name}") for folder in pkgutil.iter_modules(__path__))
    for page in (*page_modules, *addons().studio_page()):
        page.register(studio)
    ui.run_with(
        outer,
        title=str(tr("Rule studio")),
        favicon=Path(frame.__file__).parent / "shared/favicon.svg",
        tailwind=False, gzip_middleware_factory=None, show_welcome_message=False,
        reconnect_timeout=30, binding_refresh_interval=None,
    )  # fmt: skip
    return outer


FAILED = tr("Something went wrong in the studio; see its terminal. Reload the page: drafts are saved.")


async def _message_page(text: str, status: int, request: Request, error: Exception) -> Response:
    if status == 500:
        logging.getLogger("nicegui").exception(error)
    with Client(ui.page(""), request=request) as client:
        visitor = Visitor.from_request(request)
        frame.begin_page(visitor, "", "/")
        frame.note_page(visitor, text)
    return client.build_response(request, status)


def _set_cookie(cookie: str, choice: str, back: str) -> Response:
    parts = urlsplit(back)
    is_local = back.startswith("/") and not back.startswith(("//", "/\\")) and not parts.netloc and not parts.scheme
    response = RedirectResponse(back if is_local else "/", status_code=303)
    response.set_cookie(cookie, choice, max_age=YEAR, samesite="strict", httponly=True)
    return response


def _choose_language(choice: str, back: str = "/") -> Response:
    return _set_cookie(LANGUAGE, choice if choice in LANGUAGES else LANGUAGES[0], back)


def _choose_theme(choice: str, back: str = "/") -> Response:
    return _set_cookie(THEME, choice if choice in THEMES else "auto", back)
