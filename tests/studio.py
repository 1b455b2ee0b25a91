"""A studio for tests: the real command in a process of its own, on a project of their own."""

from __future__ import annotations

import asyncio
import http.client
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, WebSocketRoute, expect

from tests.patience import PATIENCE
from workbench.base.project import Project
from workbench.studio.documents import Autosave
from workbench.studio.documents.rulesets import DraftStore

ROOT = Path(__file__).resolve().parent.parent
DESK = {"width": 1440, "height": 900}
HOSTILE = "<img src=x onerror=\"document.title='hacked'\"><script>document.title='hacked'</script>${1+1}{{7*7}}`"
COMMAND = "from workbench.cli import main; main()"


@dataclass
class Studio:
    process: subprocess.Popen[str]
    project: Path
    address: str
    """With the token."""

    @property
    def root(self) -> str:
        return self.address.partition("/?")[0]

    @cached_property
    def cookie(self) -> tuple[str, str]:
        """Name and value of the cookie that the token gives."""
        with urllib.request.urlopen(self.address, timeout=PATIENCE) as answer:
            name, _, value = str(answer.headers["Set-Cookie"]).partition(";")[0].partition("=")
        return name, value

    @property
    def port(self) -> int:
        return int(self.root.rpartition(":")[2])

    def answer(self, path: str, headers: Mapping[str, str] | None = None) -> tuple[http.client.HTTPResponse, str]:
        """The answer to a request that has the cookie and the right host, unless the headers say otherwise."""
        sent = {"Host": f"127.0.0.1:{self.port}", "Cookie": "=".join(self.cookie)} | dict(headers or {})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("GET", path, headers=sent)
        response = connection.getresponse()
        content = response.read().decode(errors="replace")
        connection.close()
        return response, content

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Asks it to end; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def run_apart(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine, run in a thread of its own, since an open browser has its loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def own_project(folder: Path, *families: str) -> Path:
    for family in families:
        shutil.copytree(ROOT / "rulesets" / family, folder / "rulesets" / family)
    (folder / "experiments").mkdir(parents=True, exist_ok=True)
    return folder


def store_of(project: Project) -> DraftStore:
    """The documents of a project as a studio has them that is opened now."""
    return DraftStore(project, Autosave(project))


class _Here:
    async def run(self, task: Callable[..., Any], *arguments: object) -> Any:
        return task(*arguments)


class WorkersHere:
    drawing = quick = strong = reading = planning = outside = _Here()


class Way:
    def __init__(self, send: Callable[[str | bytes], None]) -> None:
        self.send = send
        self.kept: list[str | bytes] = []
        self.keeps = False

    def take(self, said: str | bytes) -> None:
        if self.keeps:
            self.kept.append(said)
        else:
            self.send(said)

    def keep(self) -> None:
        self.keeps = True

    def holds(self, words: str) -> bool:
        return any(words in (said if isinstance(said, str) else said.decode(errors="replace")) for said in self.kept)

    def hand_on(self) -> None:
        kept, self.kept, self.keeps = self.kept, [], False
        for said in kept:
            self.send(said)


class Line:
    asked: Way
    """What the page says."""
    told: Way
    """What the studio says."""

    def connect(self, page: WebSocketRoute) -> None:
        studio = page.connect_to_server()
        self.asked, self.told = Way(studio.send), Way(page.send)
        page.on_message(lambda said: self.asked.take(said))
        studio.on_message(lambda said: self.told.take(said))


@contextmanager
def page_of(
    chromium: Browser, studio: Studio, path: str, quiet: bool = False, line: Line | None = None, **options: Any
) -> Iterator[Page]:
    """A page of the studio in a browser of its own, which asks no other machine, and which a ``line`` may connect.

    Nothing may go wrong in its scripts, unless it is ``quiet`` or the studio has ended.
    """
    context = chromium.new_context(**{"locale": "en-US", "viewport": {"width": 1280, "height": 900}} | options)
    context.add_cookies([{"name": studio.cookie[0], "value": studio.cookie[1], "url": studio.root}])
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    wrong: list[str] = []
    foreign: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on(
        "request", lambda asked: None if asked.url.startswith((studio.root, "data:")) else foreign.append(asked.url)
    )
    if line is not None:
        page.route_web_socket("**", line.connect)
    page.goto(studio.root + path)
    yield page
    context.close()
    assert quiet or studio.process.poll() is not None or wrong == [], wrong
    assert quiet or foreign == [], foreign


def unfold(page: Page) -> None:
    page.evaluate("document.querySelectorAll('.bundle').forEach((group) => (group.open = true))")


def show_yaml(page: Page) -> None:
    page.locator("details.yaml").evaluate("pane => (pane.open = true)")


@contextmanager
def rules_page(chromium: Browser, studio: Studio, path: str = "/rules/star/5x5", **options: Any) -> Iterator[Page]:
    """A page of rules on a desk, with all that folds open."""
    with page_of(chromium, studio, path, **{"viewport": DESK} | options) as page:
        page.wait_for_selector("#main")
        unfold(page)
        yield page


def fresh(page: Page) -> None:
    """Makes a page of rules what it was at first, whatever another test has done to its draft."""
    button = page.locator("[data-do=revert]")
    if button.is_enabled():
        button.click()
    expect(button).to_be_disabled()


def sentence(page: Page, toggle: str) -> Locator:
    return page.locator(f".book [data-toggle={toggle}]")


def yaml(page: Page) -> Locator:
    show_yaml(page)
    return page.locator("#yaml")


def new_game(page: Page) -> None:
    """Begins a new game, whatever becomes of the one that is in progress."""
    page.click("[data-do=new]")
    if page.locator("dialog[open] [data-do=leave]").count():
        page.click("[data-do=leave]")


def until(condition: Callable[[], bool], page: Page | None = None, patience: float = PATIENCE) -> None:
    """Waits until something holds that no page tells, for some seconds; a ``page`` goes on meanwhile."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it never came true"
        if page is None:
            time.sleep(0.05)
        else:
            page.wait_for_timeout(20)


@contextmanager
def opened(project: Path, *options: str, port: int | None = 0, user: Path | None = None) -> Iterator[Studio]:
    """The command, from the moment it has told its address to the end of the block.

    It remembers what a user says in the folder ``user``; None: in the project.
    """
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, "studio", "--no-open", *([] if port is None else [f"--port={port}"]), *options],
        cwd=project,
        env=os.environ
        | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "XDG_CONFIG_HOME": str(user or project / ".config")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            told = process.stdout.readline()
            address = re.search(r"http://\S+", told)
            assert address, told + process.stdout.read()
            yield Studio(process, project, address[0])
        finally:
            process.kill()
