"""What tests share: a whole run compiles each family once, whichever process does it; fixtures of several files."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests import few
from workbench import games
from workbench.base import language
from workbench.engine import jit
from workbench.engine.players import SEARCHES
from workbench.rules import rulesets
from workbench.runs import runner

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.studio import Studio
os.environ["WORKBENCH_LANG"] = "en"
"""Tests compare English output, whatever the developer's own language is; processes that they start inherit it."""


def _loses_translations(name: str) -> None:
    """Makes it an error that the package uses a message in a way that loses its translations."""
    plain = getattr(str, name)

    def refuse(self: language.Message, *arguments: Any) -> Any:
        if sys._getframe(1).f_globals["__name__"].startswith("workbench"):
            raise TypeError(f"{name} loses translations; combine messages by tr, join or listed: {str(self)!r}")
        return plain(str(self), *arguments)

    setattr(language.Message, name, refuse)


for _name in ("__format__", "__iter__", "__getitem__", "capitalize", "lower", "replace", "rstrip", "strip"):
    _loses_translations(_name)
TESTS = Path(__file__).resolve().parent

# Nothing that a test writes outlives the machine; a run waits for the disk thousands of times.
os.fsync = lambda fd: None
SEARCHED = gc.get_threshold()
"""How often Python looks for garbage while tests run."""
# What is imported, compiled and collected stays: looking through it was a quarter of the time of a collection.
gc.set_threshold(50_000, 20, 20)


def pytest_collection_finish() -> None:
    gc.set_threshold(*SEARCHED)


def runs_all(config: pytest.Config) -> bool:
    """Whether no file of tests is named."""
    return TESTS in {Path(word).resolve() for word in config.args}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks tests that look at pages, and what a quick run leaves out; files with a browser come first, not last."""
    whole = bool(items) and runs_all(items[0].config)
    looked_at = set()
    for item in items:
        named = [name for mark in item.iter_markers("family") for name in mark.args]
        if whole and any(name in named or name in item.nodeid for name in games.names() if name not in few.COMPILED):
            item.add_marker(pytest.mark.other_family)
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
            looked_at.add(item.path)
    items.sort(key=lambda item: item.path not in looked_at)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compiles what has no machine code yet, in a run of all tests; otherwise each process would compile everything."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not worker or jit.CACHE is None or not runs_all(session.config):
        return
    quick = "not other_family" in session.config.option.markexpr
    wanted = few.COMPILED if quick else dict.fromkeys(games.names(), tuple(SEARCHES))
    # Every other process begins at the other end, and leaves to others what they have begun.
    families = [*wanted] if int(worker.removeprefix("gw")) % 2 == 0 else [*reversed(wanted)]
    waiting = [name for name in families if not compiled(name, wanted[name], fcntl.LOCK_EX | fcntl.LOCK_NB)]
    for name in waiting:
        compiled(name, wanted[name], fcntl.LOCK_EX)


def compiled(family: str, kinds: tuple[int, ...], lock: int) -> bool:
    """Whether a family has machine code now; False if another process is at it, unless the lock waits."""
    assert jit.CACHE is not None
    with open(jit.CACHE / f"{family}.lock", "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, lock)
        except BlockingIOError:
            return False
        first = next(name for name in rulesets.ruleset_names() if name.startswith(f"{family}/"))
        code = runner.game_preparation(rulesets.load_ruleset(first), kinds)
        if code.is_missing():
            code.make(*code.arguments)
    return True


@pytest.fixture(autouse=True, scope="module")
def _what_lives_to_the_end_is_not_searched_for_garbage() -> None:
    """Modules and tests are hundreds of megabytes by now; looking through them takes longer than most tests."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser without a window, for one file: nothing of another one's hundreds of pages is left in it."""
    from tests import browser

    with browser.chromium() as started:
        yield started


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio on a project with all shipped rulesets, for whoever asks for nothing else; pages keep their drafts."""
    from tests.studio import HOSTILE, opened, own_project

    project = own_project(tmp_path_factory.mktemp("mine"), "chatra", "chess", "draughts", "rengo", "star")
    (project / "rulesets" / "star" / "hostile.yaml").write_text(
        f"game: star\nextends: 5x5\ntitle: '{HOSTILE.replace(chr(39), chr(39) * 2)}'\nrules:\n  size: 4\n"
    )
    with opened(project) as started:
        yield started


@pytest.fixture
def quick_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen games a file."""
    from workbench.records import records

    monkeypatch.setattr(records, "GAMES_PER_FILE", 16)


@pytest.fixture
def in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line in this repository, at a terminal of 100 columns."""
    monkeypatch.chdir(TESTS.parent)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture(scope="session")
def made_by_init(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder as ``init`` makes it, to be copied."""
    from tests.command_line import printed

    path = tmp_path_factory.mktemp("init") / "mine"
    printed("init", str(path))
    return path


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_by_init: Path) -> Path:
    """A working folder made by ``init``, with the command line in it."""
    path = shutil.copytree(made_by_init, tmp_path / "mine")
    monkeypatch.chdir(path)
    return path


def leave_out_charts(patch: pytest.MonkeyPatch) -> None:
    for name in ("draw_figure", "draw_heat_map", "save_figure"):
        patch.setattr(f"workbench.report.render.matplotlib.{name}", lambda *_, **__: [])


@pytest.fixture
def no_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports without pictures for printing, which take most of their time."""
    leave_out_charts(monkeypatch)


@pytest.fixture(scope="module")
def no_charts_in_module() -> Iterator[None]:
    """The same for the reports that the tests of a file share."""
    with pytest.MonkeyPatch.context() as patch:
        leave_out_charts(patch)
        yield


@pytest.fixture
def reported(tmp_path: Path) -> Path:
    """A folder of games that nobody can replay, so that its report is quick."""
    return toy_records(tmp_path / "toy")


def toy_records(folder: Path) -> Path:
    import pandas as pd

    from tests.toy import games, write_records
    from workbench.records import provenance

    trials = pd.concat([games("wl" * 20, "toy/a"), games("wu" * 20, "toy/b")])
    folder.mkdir(parents=True)
    write_records(folder, trials)
    content = {
        "experiment": {"name": "toy", "title": "Which?", "baseline": "toy/a", "games": 40, "max_plies": 99, "seed": 1,
                       "targets": {"first_score": [0.1, 0.9], "plies": "<5"}},
        "rulesets": [{"name": name, "title": "A title", "title_ja": "題", "game": "toy", "fingerprint": name,
                      "settings": {"a": 1}} for name in ("toy/a", "toy/b")],
        "pairings": [{"first": "greedy", "second": "greedy", "first_options": {"kind": "greedy"},
                      "second_options": {"kind": "greedy"}}],
        "weights": {"toy": {"a": 1.0}}, "versions": {"workbench": "1.0.0"},
    }  # fmt: skip
    provenance.save_provenance(folder, content)
    return folder
