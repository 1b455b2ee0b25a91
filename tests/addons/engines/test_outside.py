"""Players from outside: what files say of them, what may be started, how they play, and how they fail."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest

from tests.command_line import call
from tests.patience import PATIENCE
from tests.report_folders import record_bytes
from workbench import games
from workbench import report as reports
from workbench.base.errors import InputError, PlayerFailed
from workbench.base.project import Project
from workbench.engine.players import BlockArguments
from workbench.experiments import experiment
from workbench.experiments.experiment import Experiment
from workbench.players import agents
from workbench.players import external as players
from workbench.players.agent_kinds import PythonClass
from workbench.players.agents import AgentSpec
from workbench.players.external import ExternalPlayer, open_player
from workbench.positions.game_state import GameState
from workbench.records import provenance
from workbench.rules import rulesets
from workbench.runs import executor, progress, runner

pytestmark = pytest.mark.thorough
ROOT = Path(__file__).resolve().parents[3]
ENGINE = {"uci": {"command": "engines/random", "nodes": 10, "reproducible": True}}
FIRST = """\
class First:
    def __init__(self, place=0):
        self.place = place

    def choose(self, position):
        moves = position.legal_texts()
        return moves[self.place % len(moves)]
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in ("star/4x4", "star/default", "chess/orthodox", "chess/007"):
        path = tmp_path / "rulesets" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "rulesets" / f"{name}.yaml", path)
    for folder in ("experiments", "engines", "players"):
        (tmp_path / folder).mkdir()
    for name in ("random", "mute"):
        program(tmp_path / "engines" / name, (ROOT / "tests/uci_engine.py").read_text(encoding="utf-8"))
    (tmp_path / "players/simple.py").write_text(FIRST, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path)


START = (
    "import sys; del sys.argv[0]; "
    r'exec(compile(open(sys.argv[0]).read().split("# ---\n", 1)[1], sys.argv[0], "exec"))'
)


def program(path: Path, source: str) -> None:
    """Write a program; the path of Python may have a blank, which a first line of a script may not."""
    start = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c \'{START}\' "$0" "$@"\n# ---\n'
    path.write_text(start + source, encoding="utf-8")
    path.chmod(0o755)


def written(own: Project, players: Any, **changes: Any) -> Experiment:
    content = {"title": "Who?", "rulesets": ["chess/orthodox"], "games": 4, "max_plies": 24, "seed": 3, **changes}
    path = own.experiments / "anchors.yaml"
    path.write_text(json.dumps(content | players, indent=1), encoding="utf-8")
    return experiment.load_experiment(path, own)


def spec(own: Project, words: str) -> AgentSpec:
    return agents.agent_from_text(words, (), "--agent", own)


def engine(**options: Any) -> dict[str, Any]:
    return {"uci": {**ENGINE["uci"], "options": options}}


def test_a_program_is_described(own: Project) -> None:
    loaded = written(own, {"agents": [{"uci": {"command": "stockfish", "options": {"Hash": 16, "Ponder": False},
                                               "nodes": 1000}}, ENGINE]})  # fmt: skip
    first, second = loaded.agents
    assert first.canonical() == {"kind": "uci", "command": "stockfish", "options": {"Hash": 16, "Ponder": False},
                                 "nodes": 1000, "reproducible": False}  # fmt: skip
    assert [agent.label for agent in loaded.agents] == ["stockfish-1000", "random-10"]
    assert spec(own, "uci:stockfish,nodes=1000,options.Hash=16,options.Ponder=false") == first
    assert spec(own, "uci:command=engines/random,depth=3").label == "random-depth-3"
    assert spec(own, "uci:stockfish,movetime=50,name=fish").label == "fish"
    for agent in (first, second, spec(own, "uci:stockfish,depth=3,name=fish")):
        assert AgentSpec.from_provenance(agent.label, json.loads(json.dumps(agent.canonical()))) == agent


def test_a_class_is_described_and_known_by_its_file(own: Project) -> None:
    short = spec(own, "python:players.simple:First")
    whole = {"class": "players.simple:First", "options": {"place": 2}, "reproducible": True, "name": "third"}
    loaded = written(own, {"agents": [{"python": "players.simple:First"}, {"python": whole}]})
    assert loaded.agents[0] == short and short.label == "First" and not short.reproducible
    third = loaded.agents[1]
    assert third.label == "third" and third.reproducible and third.canonical()["options"] == {"place": 2}
    assert AgentSpec.from_provenance("third", json.loads(json.dumps(third.canonical()))) == third
    (own.root / "players/simple.py").write_text(FIRST + "\n", encoding="utf-8")
    other = spec(own, "python:players.simple:First")
    assert other != short and other.canonical()["sha256"] != short.canonical()["sha256"]


@pytest.mark.parametrize(
    ("player", "right"),
    [
        ({"uci": {"command": "stockfish", "options": {"Hash": 16, "Ponder": False}, "nodes": 10}}, True),
        ({"uci": {"command": "engines/random", "movetime": 10, "timeout": 5, "name": "quick"}}, True),
        ({"python": "players.simple:First"}, True),
        ({"python": {"class": "players.simple:First", "options": {"place": 1}, "reproducible": True}}, True),
        ({"uci": {"command": "stockfish"}}, False),
        ({"uci": {"command": "stockfish", "nodes": 10, "depth": 3}}, False),
        ({"uci": {"nodes": 10}}, False),
        ({"uci": {"command": "stockfish", "nodes": 10, "reproducible": "yes"}}, False),
        ({"python": "simple"}, False),
        ({"python": {"options": {}}}, False),
    ],
)
def test_editors_and_the_workbench_agree(own: Project, player: Any, right: bool) -> None:
    validator = jsonschema.Draft202012Validator(agents.agent_schema())
    assert validator.is_valid(player) == right
    if right:
        assert written(own, {"agents": [player]}).agents[0].outside is not None
    else:
        with pytest.raises(InputError):
            written(own, {"agents": [player]})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("uci:stockfish", "expected nodes, depth or movetime, found none of them"),
        ("uci:stockfish,nodes=1,depth=1", "expected nodes, depth or movetime, found nodes and depth"),
        ("uci:stockfish,nodes=0", "expected a whole number from 1 to 1000000000, found 0"),
        ("uci:nodes=5", "command: expected this key, found none"),
        ("uci:/usr/games/stockfish,nodes=1", "a path inside the project folder, found '/usr/games/stockfish'"),
        ("uci:../engine,nodes=1", "a path inside the project folder, found '../engine'"),
        ("uci:rm -rf x,nodes=1", "no arguments; engine options go under 'options'"),
        (
            "uci:stockfish,movetime=9,reproducible=true",
            "not reproducible: with movetime, the moves depend on the clock",
        ),
        ("uci:stockfish,nodes=9,options.threads=2,reproducible=true", "the operating system schedules its threads"),
        ("uci:stockfish,nods=9", "found the unknown key 'nods' (did you mean 'nodes'?)"),
        ("uci:stockfish,nodes=9,reproducible=2", "expected true or false, found 2"),
        ("python:simple", "expected module:Class, found 'simple'"),
        ("python:players.smple:First", "no file players/smple.py in the project folder (did you mean 'simple'?"),
        ("python:os:system", "there is no file os.py in the project folder"),
        ("python:players.link:First", "expected a file in the project folder, found a link to"),
        ("python:players.simple:First,weights.x=1", "found the unknown key 'weights.x'"),
    ],
)
def test_what_is_wrong_is_said(own: Project, words: str, message: str) -> None:
    (own.root / "players/link.py").symlink_to(ROOT / "tests/uci_engine.py")
    with pytest.raises(InputError) as refused:
        spec(own, words)
    assert message in str(refused.value)


def test_a_file_is_told_where(own: Project) -> None:
    with pytest.raises(InputError) as refused:
        written(own, {"agents": [{"uci": {"command": "../x", "nodes": 0}}, {"python": {"clas": "a:B"}}]})
    text = str(refused.value)
    assert text.count("anchors.yaml:") == len(refused.value.problems) == 4
    assert "class: expected this key, found none" in text and "did you mean 'class'?" in text
    untold = r"anchors\.yaml:12: .*random-10 cannot play chess/007: UCI cannot express turns: triple"
    with pytest.raises(InputError, match=untold):
        written(own, {"agents": [ENGINE]}, rulesets=["chess/orthodox", "chess/007"])
    done = call("play", "star/4x4", "--first", "uci:engines/random,nodes=5")
    assert done.exit_code == 1 and "random-5 cannot play star/4x4: UCI cannot express star." in done.output


def test_players_from_outside_judge_nothing(own: Project) -> None:
    with pytest.raises(InputError, match=r"expected a built-in agent .*, found uci, an external player"):
        written(own, {"agents": ["random"]}, openings={"plies": 2, "judge": ENGINE})
    with pytest.raises(InputError, match="expected a player that can evaluate a position"):
        written(own, {"agents": [ENGINE]}, capped="adjudicate")
    loaded = written(own, {"pairings": [["greedy", ENGINE]]}, capped="adjudicate")
    assert loaded.judge == AgentSpec.of("greedy")


def moves_of(own: Project, first: str, second: str, name: str, cap: int = 24, lines: Any = None) -> dict[str, Any]:
    ruleset = rulesets.load_ruleset(name, own)
    specs = [spec(own, words) for words in (first, second)]
    seats = [each.player(games.declaration(ruleset.game)) for each in specs]
    play = players.block_runner(specs[0], specs[1], ruleset)
    seeds = np.array([5, 6], np.uint64)
    return dict(play(BlockArguments(ruleset.game, ruleset.codes(), seats[0], seats[1], seeds, cap, cap, None, lines)))


def test_a_game_of_an_engine_is_its_moves(own: Project) -> None:
    import chess

    from tests import uci_engine

    arrays = moves_of(own, "uci:engines/random,nodes=10", "uci:engines/random,depth=2", "chess/orthodox", cap=60)
    board = chess.Board()
    game_state = GameState("chess", rulesets.load_ruleset("chess/orthodox", own).codes())
    for move in arrays["opening"][0, : arrays["plies"][0]]:
        assert game_state.notation.uci(game_state.rules, game_state.state, move) == uci_engine.best(board)
        game_state.push(int(move))
        board.push_uci(uci_engine.best(board))
    assert arrays["plies"][0] >= 20 and arrays["result"][0] == game_state.outcome()[0]
    assert arrays["events"][0, 0] == sum("x" in text for text in game_state.texts)
    assert np.isfinite(arrays["lead_changes"]).all()


def test_a_class_and_an_agent_of_the_workbench(own: Project) -> None:
    players = ("python:players.simple:First,options.place=1", "alphabeta-1")
    arrays = moves_of(own, *players, "star/4x4", cap=100)
    again = moves_of(own, *players, "star/4x4", cap=100)
    np.testing.assert_array_equal(arrays["opening"], again["opening"])
    for number in range(2):
        game_state = GameState("star", rulesets.load_ruleset("star/4x4", own).codes())
        for move in arrays["opening"][number, : arrays["plies"][number]]:
            if game_state.seat == 0:
                legal = game_state.legal()
                assert move == legal[1 % len(legal)]
            game_state.push(int(move))
        assert game_state.outcome()[0] == arrays["result"][number] != 0
    lines = np.full((2, 3), -1, np.int32)
    lines[0, :2] = arrays["opening"][1, :2]
    begun = moves_of(own, *players, "star/4x4", cap=100, lines=lines)
    np.testing.assert_array_equal(begun["opening"][0, :2], lines[0, :2])
    np.testing.assert_array_equal(begun["opening"][1], arrays["opening"][1])
    assert moves_of(own, *players, "star/4x4", cap=3)["termination"].tolist() == [1, 1]


def test_what_a_class_is_told_and_may_do(own: Project) -> None:
    (own.root / "players/curious.py").write_text(
        "SEEN = []\n"
        "class Curious:\n"
        "    def new_game(self, seat, seed):\n"
        "        SEEN.append((seat, seed))\n"
        "    def choose(self, position):\n"
        "        move = position.legal()[-1]\n"
        "        position.push(move)\n"
        "        position.state[:] = 0\n"
        "        position.undo()\n"
        "        return move\n",
        encoding="utf-8",
    )
    arrays = moves_of(own, "python:players.curious:Curious", "python:players.curious:Curious", "star/4x4")
    game_state = GameState("star", rulesets.load_ruleset("star/4x4", own).codes())
    for move in arrays["opening"][0, : arrays["plies"][0]]:
        assert move == game_state.legal()[-1]
        game_state.push(int(move))
    digest = spec(own, "python:players.curious:Curious").canonical()["sha256"]
    seen = sys.modules[f"workbench_player_{digest}"].SEEN
    assert [seat for seat, _ in seen] == [0, 1, 0, 1] and len({seed for _, seed in seen}) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("options.Mood=illegal,options.Moody=2",
         r"^random-10 \(Random Mover 1.0\) replied 'e1e8', which is illegal in chess/orthodox after \S+ \S+.$"),
        ("options.Mood=dead", "exited with code 1; its last output: out of memory"),
        ("options.Mood=silent,timeout=1", r"no move within 1 seconds \('go nodes 10'\); its last output: search 1% / "),
        ("options.Moud=dead", "'Moud' is not an option of this engine; did you mean 'Mood'"),
        ("options.Mood=bad", "option Mood: expected one of its values, found 'bad'"),
        ("options.Moody=1000", "option Moody: expected a number from 0 to 999, found 1000"),
        ("options.Un_known=2", "'Un_known' is not an option of this engine"),
        ("options.Fast=2", "option Fast: expected true or false, found '2'"),
    ],
)  # fmt: skip
def test_an_engine_that_fails_is_named(own: Project, options: str, message: str) -> None:
    with pytest.raises(PlayerFailed, match=message):
        moves_of(own, f"uci:engines/random,nodes=10,{options}", "random", "chess/orthodox")


def test_progress_on_standard_error_is_no_part_of_an_answer(own: Project) -> None:
    """It may end its lines with carriage returns alone, or not at all."""
    arrays = moves_of(own, "uci:engines/random,nodes=10,options.Mood=chatty", "random", "chess/orthodox", cap=12)
    quiet = moves_of(own, "uci:engines/random,nodes=10", "random", "chess/orthodox", cap=12)
    np.testing.assert_array_equal(arrays["opening"], quiet["opening"])


def test_programs_that_cannot_play(own: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.addons.engines.uci.GAMES_FOLDERS", ())
    monkeypatch.setenv("PATH", os.pathsep.join([".", str(own.root / "players")]))
    program(own.root / "stockfish", "print('not this one')")
    with pytest.raises(PlayerFailed, match="'stockfish' is not on PATH. To install it: apt-get install stockfish"):
        moves_of(own, "uci:stockfish,nodes=10", "random", "chess/orthodox")
    with pytest.raises(PlayerFailed, match="mute-10 did not answer 'uci' within 1 seconds"):
        moves_of(own, "uci:engines/mute,nodes=10,timeout=1", "random", "chess/orthodox")
    (own.root / "engines/text").write_text("no program", encoding="utf-8")
    with pytest.raises(PlayerFailed, match="engines/text is not executable: chmod"):
        moves_of(own, "uci:engines/text,nodes=10", "random", "chess/orthodox")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("class X:\n def choose(self, position):\n  return 1 / 0\n",
         r"^X: choose raised ZeroDivisionError: division by zero \(\S+/x.py:3\) in star/4x4 at the start\.$"),
        ("class X:\n def choose(self, position):\n  return 'z9'\n", "X replied 'z9', which is illegal in star/4x4"),
        ("class X:\n def choose(self, position):\n  return None\n", "X replied 'None', which is illegal"),
        ("class X:\n def __init__(self, a):\n  pass\n def choose(self, p):\n  pass\n", "X: the class raised TypeError"),
        ("class X:\n pass\n", r"expected a class X with a method choose\(position\) in \S+, found something else"),
        ("class Y:\n pass\n", "found none"),
        ("import nothing_of_this_name\n", r"its module raised ModuleNotFoundError: .* \(\S+/x.py:1\)"),
        ("class X\n", r"its module raised SyntaxError: .* \(\S+/x.py:1\)"),
    ],
)  # fmt: skip
def test_a_class_that_fails_is_named(own: Project, source: str, message: str) -> None:
    (own.root / "players/x.py").write_text(source, encoding="utf-8")
    with pytest.raises(PlayerFailed, match=message):
        moves_of(own, "python:players.x:X", "random", "star/4x4")


def test_a_class_that_was_changed_is_not_started(own: Project) -> None:
    agent = spec(own, "python:players.simple:First")
    outsider = ExternalPlayer.of(agent, rulesets.load_ruleset("star/4x4", own))
    assert outsider is not None and isinstance(outsider.outside, PythonClass)
    (own.root / "players/simple.py").write_text("import nothing", encoding="utf-8")
    with pytest.raises(PlayerFailed, match="changed during the run"), open_player(outsider):
        pass


def test_modules_are_not_those_of_the_current_folder(own: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = own.root / "elsewhere"
    (elsewhere / "players").mkdir(parents=True)
    (elsewhere / "players/simple.py").write_text("raise RuntimeError('the wrong file')", encoding="utf-8")
    monkeypatch.chdir(elsewhere)
    monkeypatch.syspath_prepend(str(elsewhere))
    assert moves_of(own, "python:players.simple:First", "random", "star/4x4")["plies"].min() > 0


def test_a_run_asks_first(own: Project, tmp_path: Path) -> None:
    loaded = written(own, {"pairings": [[ENGINE, "random"], [{"python": "players.simple:First"}, ENGINE]]})
    marker = own.root / "players/simple.py"
    marker.write_text(FIRST + "open('started', 'w')\n", encoding="utf-8")
    loaded = experiment.load_experiment(own.experiments / "anchors.yaml", own)
    with pytest.raises(progress.ProgramsNotAllowed) as refused:
        runner.run_experiment(loaded, tmp_path / "out", workers=1, command="workbench run anchors")
    text = str(refused.value)
    assert "the program " in text and "engines/random (player random-10)" in text
    assert "the class First in " in text and "players/simple.py (player First)" in text
    assert text.endswith("To allow it: workbench run anchors --allow-programs")
    assert not (own.root / "started").exists()


def test_a_run_gives_records_like_others(own: Project, tmp_path: Path) -> None:
    players = {"pairings": [[ENGINE, "greedy"], ["greedy", {"uci": {"command": "engines/random", "depth": 1}}]]}
    loaded = written(own, players, block=2, openings={"plies": 2, "lines": 20})
    one = runner.run_experiment(loaded, tmp_path / "one", workers=1, allow_programs=True)
    two = runner.run_experiment(loaded, tmp_path / "two", workers=2, allow_programs=True)
    assert one.played == two.played == 8
    assert record_bytes(tmp_path / "one") == record_bytes(tmp_path / "two")
    assert sum("Starts the program" in line for line in one.notes) == 2
    content = provenance.load_provenance(tmp_path / "one")
    assert content["players"]["random-10"] == {"name": "Random Mover 1.0",
                                               "file": str((own.root / "engines/random").resolve())}  # fmt: skip
    assert [pair.get("reproducible", True) for pair in content["pairings"]] == [True, False]
    # Nothing is started where nothing is to play.
    shutil.rmtree(own.root / "engines")
    assert runner.run_experiment(loaded, tmp_path / "one", workers=1).played == 0
    assert provenance.load_provenance(tmp_path / "one")["players"] == content["players"]


def test_a_run_goes_on_when_a_crashing_engine_is_mended(own: Project, tmp_path: Path) -> None:
    """With another number of workers, too: every game is played once, and all are those of a run without a crash."""
    broken = own.root / "broken"
    crash = (
        f'if Path({str(broken)!r}).exists() and board.ply() >= 4:\n                sys.exit("crashed")\n            '
    )
    source = (ROOT / "tests/uci_engine.py").read_text(encoding="utf-8")
    program(own.root / "engines/random", source.replace("bad = mood", f"{crash}bad = mood"))
    loaded = written(own, {"pairings": [["random", "random"], [ENGINE, "random"]]}, block=1)
    broken.touch()
    with pytest.raises(executor.Stopped, match=r"random-10 \(Random Mover 1.0\) exited with code 1"):
        runner.run_experiment(loaded, tmp_path / "mended", workers=3, allow_programs=True)
    broken.unlink()
    assert runner.run_experiment(loaded, tmp_path / "mended", workers=3, allow_programs=True).total == 8
    runner.run_experiment(loaded, tmp_path / "whole", workers=1, allow_programs=True)
    assert record_bytes(tmp_path / "mended") == record_bytes(tmp_path / "whole") != {}


def test_another_engine_does_not_go_on(own: Project, tmp_path: Path) -> None:
    players = {"pairings": [["random", "random"], [ENGINE, "random"]]}
    loaded = written(own, players, games=2)
    runner.run_experiment(loaded, tmp_path / "out", workers=1, allow_programs=True)
    source = (ROOT / "tests/uci_engine.py").read_text(encoding="utf-8").replace("Mover 1.0", "Mover 2.0")
    program(own.root / "engines/random", source)
    more = written(own, players, games=4)
    was = "player random-10: was Random Mover 1.0, is now Random Mover 2.0"
    with pytest.raises(progress.FolderMismatch, match=was):
        runner.run_experiment(more, tmp_path / "out", workers=1, allow_programs=True)


def test_reports_say_what_is_not_reproducible(own: Project, tmp_path: Path, no_charts: None) -> None:
    players = {"agents": ["random", {"python": "players.simple:First"}]}
    loaded = written(own, players, rulesets=["star/default", "star/4x4"], max_plies=60)
    runner.run_experiment(loaded, tmp_path / "out", workers=1, allow_programs=True)
    shutil.rmtree(own.root / "players")
    reports.write_report(tmp_path / "out", None)
    warnings = pd.read_csv(tmp_path / "out/tables/warnings.csv")
    marked = warnings[warnings["code"] == "not_reproducible"]
    assert set(marked["first"]) == {"First"} and set(marked["ruleset"]) == {"star/default", "star/4x4"}
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert "Not reproducible: All rulesets (First" in page and "players.simple:First" in page


def gone(process: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.kill(process, 0)
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_an_engine_does_not_outlive_who_started_it(own: Project) -> None:
    script = (
        "import sys, time\n"
        "from workbench.base.project import Project\n"
        "from workbench.addons.engines.uci import Engine\n"
        "from workbench.games.uci_variants import UciVariant\n"
        "from workbench.players.agent_kinds import Program\n"
        f"program = Program('engines/random', (('Mood', 'deaf'),), 'nodes', 1, root={str(own.root)!r})\n"
        "engine = Engine(program, 'deaf', UciVariant('chess'), 'chess')\n"
        "print(engine._process.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=ROOT) as parent:
        assert parent.stdout
        process = int(parent.stdout.readline())
        assert not gone(process, 0.2)
        parent.send_signal(signal.SIGKILL)
        assert gone(process, PATIENCE)


def test_play_at_the_terminal(own: Project) -> None:
    done = call("play", "star/4x4", "--first", "python:players.simple:First", "--second", "random", "--json")
    assert done.exit_code == 0, done.output
    played = json.loads(done.stdout)
    first = GameState("star", rulesets.load_ruleset("star/4x4", own).codes()).legal_texts()[0]
    assert played["moves"][0] == first and played["result"] != "unfinished"
    done = call(
        "play", "chess/orthodox", "--first", "human", "--second", "uci:engines/random,nodes=5", given="e4\nquit\n"
    )
    assert done.exit_code == 0 and "Black plays" in done.stdout and "Black: random-5" in done.stdout


def test_run_and_plan_ask_and_then_start(own: Project, no_charts: None) -> None:
    written(own, {"agents": [{"python": "players.simple:First"}]}, rulesets=["star/4x4"], games=2)
    for command in (("run", "anchors", "--workers", "1"), ("plan", "anchors", "--seconds", "0.1")):
        refused = call(*command)
        assert refused.exit_code == 2 and f"workbench {command[0]} anchors" in refused.output, refused.output
        assert "--allow-programs" in refused.output
        done = call(*command, "--allow-programs")
        assert done.exit_code == 0 and "Starts the class First in" in done.output, done.output


def test_the_class_of_the_documentation_plays_the_same_again(own: Project) -> None:
    page = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
    source = page.partition("```python\n")[2].partition("```")[0]
    assert source.startswith("# players/cautious.py\n")
    (own.root / "players/cautious.py").write_text(source, encoding="utf-8")
    words = "python:players.cautious:Cautious,options.chance=0.1"
    arrays = moves_of(own, words, "random", "star/default", cap=200)
    np.testing.assert_array_equal(moves_of(own, words, "random", "star/default", cap=200)["opening"], arrays["opening"])


def test_a_ladder_with_a_class(own: Project, no_charts: None) -> None:
    words = ("ladder", "star/4x4", "--agents", "random python:players.simple:First greedy", "--games", "200",
             "--lines", "20", "--plies", "2", "--workers", "1", "--precision", "1000", "--json")  # fmt: skip
    refused = call(*words)
    assert refused.exit_code == 2 and "--allow-programs" in refused.output, refused.output
    done = call(*words, "--seconds", "60", "--allow-programs")
    assert done.exit_code == 0, done.output
    (told,) = json.loads(done.stdout.splitlines()[-1])["ladders"]
    assert {each["player"] for each in told["players"]} == {"random", "First", "greedy"}


def installed(name: str) -> bool:
    return any(Path(folder, name).is_file() for folder in ("/usr/games", "/usr/bin", "/usr/local/bin"))
