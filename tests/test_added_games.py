"""Games of a project: their code runs once the user has said so, as it was then; all else is said in a sentence."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import few, hexapawn
from tests.hexapawn import User

SHOW = ("rules", "hexapawn")
"""A command that reads the declaration, and compiles nothing."""
ALARM = 'import pathlib; pathlib.Path("ran").touch()\n'
"""Code that leaves a trace in the working folder."""


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path / "home")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = hexapawn.project(tmp_path / "mine")
    for file in (folder / hexapawn.FAMILY).iterdir():
        file.write_text(file.read_text(encoding="utf-8").replace("import re\n", f"import re\n{ALARM}"))
    rules = folder / hexapawn.FAMILY / "rules.py"
    rules.write_text(rules.read_text(encoding="utf-8") + ALARM)
    return folder


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """What a refused command says, in one line."""
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())


def edit(project: Path, file: str = "rules.py", text: str = "\n# another line\n") -> None:
    with (project / hexapawn.FAMILY / file).open("a", encoding="utf-8") as opened:
        opened.write(text)


class TestTrust:
    @pytest.mark.thorough
    @pytest.mark.parametrize(
        "words",
        [SHOW, ("show", "hexapawn/gardner"), ("check",), ("run", "my-question"), ("check-game", "hexapawn"),
         ("play", "hexapawn/4x4", "--first", "random", "--second", "random")],
        ids=lambda words: words[0],
    )  # fmt: skip
    def test_without_it_no_code_runs(self, user: User, project: Path, words: tuple[str, ...]) -> None:
        said = user.run(*words, folder=project)
        told = " ".join((said.stdout + said.stderr).split())
        assert said.returncode == 2 and "workbench check-game hexapawn --trust" in told
        assert "games/hexapawn contains a game, and a project's code runs only with your permission" in told
        assert not (project / "ran").exists()

    def test_other_games_play_on_beside_it(self, user: User, project: Path) -> None:
        assert user.run("rules", "star", folder=project).returncode == 0
        assert not (project / "ran").exists()

    @pytest.mark.thorough
    @pytest.mark.parametrize("words", [("--trust", *SHOW), (*SHOW, "--trust")], ids=["before", "behind"])
    def test_is_given_by_a_word_and_remembered(self, user: User, project: Path, words: tuple[str, ...]) -> None:
        given = user.run(*words, folder=project)
        assert given.returncode == 0 and given.stderr == "trusted in its current state: games/hexapawn\n"
        assert (project / "ran").exists()
        again = user.run(*SHOW, folder=project)
        assert again.returncode == 0 and not again.stderr and again.stdout == given.stdout
        kept = json.loads((user.home / "workbench" / "trusted-games.json").read_text(encoding="utf-8"))
        assert list(kept["trusted"]) == [str(project / hexapawn.FAMILY)]

    @pytest.mark.thorough
    def test_holds_for_the_code_as_it_was_and_no_other(self, user: User, project: Path) -> None:
        user.run(*SHOW, "--trust", folder=project)
        edit(project, "notation.py")
        said = refused(user.run(*SHOW, folder=project))
        assert said.startswith("games/hexapawn has changed since you trusted its code")
        assert user.run(*SHOW, "--trust", folder=project).returncode == 0
        (project / hexapawn.FAMILY / "more.py").touch()
        assert "has changed" in refused(user.run(*SHOW, folder=project))

    @pytest.mark.thorough
    def test_holds_for_the_folder_and_no_copy_of_it(self, user: User, project: Path) -> None:
        user.run(*SHOW, "--trust", folder=project)
        other = project.parent / "checkout"
        shutil.copytree(project, other)
        assert "contains a game" in refused(user.run(*SHOW, folder=other))

    @pytest.mark.thorough
    def test_nothing_in_the_project_gives_it(self, user: User, project: Path) -> None:
        kept = {"trusted": {str(project / hexapawn.FAMILY): "0" * 64}}
        for folder in (project, project / "games", project / ".config" / "workbench", project / "workbench"):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "trusted-games.json").write_text(json.dumps(kept))
        (project / "rulesets" / "hexapawn" / "sly.yaml").write_text("game: hexapawn\ntitle: T\ntrust: true\n")
        assert "contains a game" in refused(user.run(*SHOW, folder=project))
        # A configuration folder that is named without its root would be one of the working folder.
        assert "contains a game" in refused(user.run(*SHOW, folder=project, XDG_CONFIG_HOME=".config"))

    @pytest.mark.thorough
    def test_may_be_given_by_the_environment_whatever_the_folder_holds(self, user: User, project: Path) -> None:
        for place in (project / "games", project / hexapawn.FAMILY):
            assert user.run(*SHOW, folder=project, WORKBENCH_TRUST=str(place)).returncode == 0
            edit(project)
        for other in ("games", str(project), str(project.parent / "elsewhere" / "games")):
            assert "contains a game" in refused(user.run(*SHOW, folder=project, WORKBENCH_TRUST=other))

    @pytest.mark.thorough
    @pytest.mark.parametrize("link", few.first(1, ["games", "games/hexapawn", "games/hexapawn/kernel.py"]))
    def test_links_are_refused(self, user: User, project: Path, tmp_path: Path, link: str) -> None:
        (project / link).rename(tmp_path / "elsewhere")
        (project / link).symlink_to(tmp_path / "elsewhere")
        assert "is a link" in refused(user.run(*SHOW, "--trust", folder=project))
        assert "is a link" in refused(user.run(*SHOW, folder=project, WORKBENCH_TRUST=str(project / "games")))
        assert not (project / "ran").exists()

    def test_byte_code_beside_the_files_is_never_run(self, user: User, project: Path) -> None:
        """Python would take it for the module's, whatever the module says."""
        script = "import py_compile, sys; py_compile.compile(*sys.argv[1:], invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)"  # noqa: E501
        rules = project / hexapawn.FAMILY / "rules.py"
        harmless = rules.read_text(encoding="utf-8")
        rules.write_text('import pathlib; pathlib.Path("sly").touch()\n' + harmless)
        place = f"import importlib.util; print(importlib.util.cache_from_source({str(rules)!r}))"
        cached = user.python("-c", place, folder=project).stdout.strip()
        user.python("-c", script, str(rules), cached, folder=project)
        assert Path(cached).is_file()
        rules.write_text(harmless)
        assert user.run(*SHOW, "--trust", folder=project).returncode == 0
        assert (project / "ran").exists() and not (project / "sly").exists()

    def test_of_nothing_is_a_mistake(self, user: User, tmp_path: Path) -> None:
        (tmp_path / "empty" / "rulesets").mkdir(parents=True)
        assert "there is nothing to trust" in refused(user.run("check", "--trust", folder=tmp_path / "empty"))

    @pytest.mark.thorough
    def test_that_cannot_be_remembered_holds_for_the_command(self, user: User, project: Path) -> None:
        user.home.write_text("no folder")
        assert user.run(*SHOW, "--trust", folder=project).returncode == 0
        assert "contains a game" in refused(user.run(*SHOW, folder=project))

    @pytest.mark.thorough
    def test_reaches_the_processes_that_play_and_only_with_that_code(self, user: User, project: Path) -> None:
        """As workers do: they import the kernel by its name, from any folder."""
        script = """
import os, subprocess, sys
from workbench import games
games.declaration("hexapawn")
codes = {'size': 3, 'stuck': 0, 'swap': 0, 'draw_value': 3}
child = f"from workbench.engine.trials import make_rules; print(make_rules('hexapawn', {codes}))"
words = [sys.executable, "-c", child]
print(subprocess.run(words, cwd="/", check=True, capture_output=True, text=True).stdout)
with open("games/hexapawn/kernel.py", "a") as kernel: kernel.write("# changed")
print(subprocess.run(words, cwd="/", capture_output=True, text=True).stderr)
try: games.kernel("hexapawn")
except Exception as error: print("here:", error)
"""
        place = {"WORKBENCH_TRUST": str(project / "games"), "NUMBA_DISABLE_JIT": "1"}
        done = user.python("-c", script, folder=project, **place)
        assert done.returncode == 0, done.stderr
        assert "Rules(size=3, stuck=0, swap=0, draw_value=3)" in done.stdout
        assert "RefusedGame: " in done.stdout and "has changed since it was loaded: restart" in done.stdout
        assert "here: games/hexapawn has changed since it was loaded: restart" in done.stdout


class TestMistakes:
    @pytest.mark.parametrize(
        ("text", "said"),
        few.first(
            1,
            [("DECLARATION = 3\n", "games/hexapawn/rules.py: DECLARATION is not a Declaration"),
             ("def broken(:\n", "games/hexapawn/rules.py cannot be read: rules.py, line "),
             ("import sys; sys.exit(3)\n", "games/hexapawn/rules.py cannot be read: rules.py, line "),
             ("import dataclasses; DECLARATION = dataclasses.replace(DECLARATION, name='pawns')\n",
              "games/hexapawn/rules.py declares 'pawns'; here it must be 'hexapawn'")],
        ),
    )  # fmt: skip
    def test_of_a_declaration_leave_other_games_alone(self, user: User, project: Path, text: str, said: str) -> None:
        edit(project, text=text)
        assert said in refused(user.run(*SHOW, "--trust", folder=project))
        assert user.run("rules", "star", folder=project).returncode == 0

    @pytest.mark.parametrize("name", few.first(1, ["star", "declaration", "Hexa-Pawn"]))
    def test_of_a_name_are_told(self, user: User, project: Path, name: str) -> None:
        (project / hexapawn.FAMILY).rename(project / "games" / name)
        assert f"'{name}'" in refused(user.run("check", "--trust", folder=project))
        assert user.run("rules", "star", folder=project).returncode == 0

    @pytest.mark.thorough
    def test_of_an_installed_package_are_told(self, user: User, project: Path, tmp_path: Path) -> None:
        shutil.rmtree(project / "games")
        info = tmp_path / "site" / "pawns-1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pawns\nVersion: 1\n")
        (info / "entry_points.txt").write_text("[workbench.games]\nhexapawn = no_such_package\n")
        paths = {"PYTHONPATH": f"{hexapawn.ROOT}:{tmp_path / 'site'}"}
        said = refused(user.run(*SHOW, folder=project, **paths))
        assert "the package pawns cannot be loaded as the game 'hexapawn': ModuleNotFoundError" in said
        assert user.run("rules", "star", folder=project, **paths).returncode == 0

    def test_of_a_game_without_rulesets_are_told(self, user: User, project: Path) -> None:
        shutil.rmtree(project / "rulesets" / "hexapawn")
        said = refused(user.run("check-game", "hexapawn", "--trust", folder=project))
        assert "no rulesets found for hexapawn (write rulesets/hexapawn/standard.yaml" in said
