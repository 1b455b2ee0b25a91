"""The pages that build a game from nothing: their files and commands do what they say, in the studio, too."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests import hexapawn, hexgame
from tests.hexapawn import User
from tests.studio import opened, own_project, page_of

pytestmark = pytest.mark.skipif(not hexapawn.PAGE.exists(), reason="an installed package has no documentation")
SHELL = 'workbench() {{ {python} -m workbench "$@"; }}\n{commands}\npwd'


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("page", "experiment", "title"),
    [(hexapawn.PAGE, "my-question", "Hexapawn as Gardner plays it"), (hexgame.PAGE, "pie", "Hex on 3×3")],
    ids=["hexapawn", "hex"],
)
def test_a_page_does_what_it_says(tmp_path: Path, page: Path, experiment: str, title: str) -> None:
    """From an empty folder to a report, block by block; each block of text is what the commands before it print."""
    user, folder, printed, code = User(tmp_path / "home"), tmp_path, "", 0
    for block in hexapawn.blocks(page):
        if block.kind == "sh":
            commands = SHELL.format(python=shlex.quote(sys.executable), commands=block.content)
            done = subprocess.run(
                ["bash", "-e", "-c", commands], cwd=folder, env=user.environment, capture_output=True, text=True,
                encoding="utf-8", check=False,
            )  # fmt: skip
            code, printed = done.returncode, done.stdout + done.stderr
            if code == 0:
                folder = Path(done.stdout.splitlines()[-1])
            else:
                assert code == 2 and "contains a game" in printed, printed
        elif block.kind == "text":
            for line in block.content.splitlines():
                assert line in printed, printed
        elif block.kind != "toml":
            assert block.file, block.content
            hexapawn.write(block._replace(content=block.content.replace("games: 200", "games: 20")), folder)
    report = folder / "reports" / experiment
    assert title in (report / "report.html").read_text(encoding="utf-8")
    assert not list((folder / "games").rglob("__pycache__")), "nothing is written beside what is trusted"


@pytest.mark.thorough
def test_a_package_brings_the_game_to_every_project(tmp_path: Path) -> None:
    """As an installer leaves it: the package, and the entry point of its pyproject.toml; nothing is to be trusted."""
    user, site, project = User(tmp_path / "home"), tmp_path / "site", tmp_path / "project"
    for block in hexapawn.blocks():
        if block.file.startswith(f"{hexapawn.FAMILY}/"):
            hexapawn.write(block, site)
        elif block.kind == "yaml":
            hexapawn.write(block, project)
    said = tomllib.loads(next(block.content for block in hexapawn.blocks() if block.kind == "toml"))
    (name, package), = said["project"]["entry-points"]["workbench.games"].items()  # fmt: skip
    (site / hexapawn.FAMILY).rename(site / package)
    (site / package / "__init__.py").touch()
    info = site / f"{package}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {said['project']['name']}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[workbench.games]\n{name} = {package}\n")
    paths = {"PYTHONPATH": f"{hexapawn.ROOT}:{site}", "NUMBA_DISABLE_JIT": "1"}
    done = user.run("check-game", "hexapawn/gardner", folder=project, **paths)
    assert done.returncode == 0, done.stderr
    assert "hexapawn/gardner: fine" in done.stdout
    done = user.run("play", "hexapawn/4x4", "--first", "random", "--second", "random", folder=project, **paths)
    assert done.returncode == 0, done.stderr
    digests = "from workbench.runs.worker import engine_digests; print(engine_digests(['hexapawn']))"
    installed = user.python("-c", digests, folder=project, **paths)
    own = hexapawn.project(tmp_path / "own")
    trusted = user.python("-c", digests, folder=own, WORKBENCH_TRUST=str(own / "games"))
    assert installed.stdout == trusted.stdout != "", "the same sources play the same games, wherever they lie"


RULES, PLAY = "/rules/hexapawn/gardner", "/play/file/hexapawn/gardner"


@pytest.mark.thorough
def test_a_trusted_game_plays(chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user, project = User(tmp_path / "home"), hexapawn.project(own_project(tmp_path / "mine", "star"))
    for name, value in user.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("WORKBENCH_TRUST", raising=False)
    with opened(project, user=user.home) as studio:
        with page_of(chromium, studio, "/", quiet=True) as page:
            page.get_by_role("link", name="hexapawn ⚠").click()
            for path in ("", RULES, PLAY, "/ask/file/hexapawn/gardner"):
                if path:
                    page.goto(studio.root + path)
                expect(page.locator(".note")).to_contain_text("This game cannot be played yet.")
                expect(page.locator(".note")).to_contain_text("workbench check-game hexapawn --trust")
        trusted = user.run("show", "hexapawn/gardner", "--trust", folder=project)
        assert trusted.returncode == 0, trusted.stderr
        # The studio that is open sees it.
        with page_of(chromium, studio, RULES) as page:
            expect(page.locator("body")).to_contain_text("Whoever brings a pawn to the last row wins.")
        with page_of(chromium, studio, PLAY) as page:
            page.select_option("[data-seat='0']", "human")
            page.select_option("[data-seat='1']", "human")
            for square in ("a1", "a2"):
                page.click(f"[data-cell={square}]")
            expect(page.locator(".side .moves li")).to_have_text(["a1-a2"])
