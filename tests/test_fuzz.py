"""Whatever is typed, a command ends with exit code 0 or 2 and says why: no traceback, no hang, no crash."""

from __future__ import annotations

import functools
import json
import os
import random
import signal
import string
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from workbench.base.errors import InputError
from workbench.cli import app
from workbench.engine.players import Codes
from workbench.positions.game_state import GameState, IllegalMove, parse_setup
from workbench.rules import rulesets

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 60.0
"""Seconds of a core for a command."""
SETUPS: dict[str, tuple[tuple[str, str], ...]] = {
    "star/default": (
        ("★□○/●○○/●□●", '{"board": "★□○/●○○/●□●", "to_move": "second", "before": ["★□○/●○○/●□●"]}'),
    ),
    "chatra/9x9": (
        ("f9", '{"black": ["c5"], "white": ["e9", "d4"], "black_object": "a1", "white_object": "i9",'
               ' "to_move": "first", "limits_ended": true, "checked": false, "hands": [3, 4]}'),
    ),
    "chess/007": (
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
         '{"fen": "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "run": "3/2", "moved": "a7 e1"}'),
    ),
    "draughts/international": (
        ("W:W31-50:B1-4,K6", '{"fen": "B:WK31,32:B1,K7", "quiet": 3}'),
    ),
    "rengo/go9": (
        ("玉", '{"board": "翻騎\'......./翻翻\'......./........./....平..../..冠....../........./........./........./'
               '玉.......玉\'",'
               ' "to_move": "first", "hands": {"first": {"翻": 1, "歩": 2}}, "prisoners": {"second": 3}, "ko": "e5",'
               ' "passes": 1, "second_king": "玉"}'),
    ),
}  # fmt: skip
"""For a ruleset of each family, positions in its own notation and in braces, to be damaged."""
SIGNS = string.printable.replace("\x0b", "").replace("\x0c", "") + "★□○●玉'٣９²ßé🙂\ufeff\u200b"
NUMBERS = ("0", "1", "2", "-1", "1e400", "nan", "inf", "9" * 30, "9" * 5000, "0x10", "1_0", "٣", "1.5", "", " ", "true")


def junk(chance: random.Random, depth: int = 0) -> Any:
    """A value of any kind."""
    kind = chance.randrange(11 if depth < 3 else 9)
    if kind == 9:
        return [junk(chance, depth + 1) for _ in range(chance.randrange(4))]
    if kind == 10:
        return {text(chance): junk(chance, depth + 1) for _ in range(chance.randrange(3))}
    return chance.choice([None, True, False, -1, 0, 10**30, -(2**63), 1.5, "", "first", text(chance), "a1", "9" * 99])


def text(chance: random.Random) -> str:
    return "".join(chance.choice(SIGNS) for _ in range(chance.randrange(12)))


def damaged(chance: random.Random, words: str) -> str:
    """Text with some of its signs exchanged, taken out, doubled or added."""
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(words) + 1)
        new = chance.choice([chance.choice(words or "x"), chance.choice(SIGNS), "", words[at : at + 3] * 2])
        words = words[:at] + new + words[at + chance.randrange(2) :]
    return words


def changed(chance: random.Random, value: Any) -> Any:
    """Plain data with a part of it exchanged, left out or added."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        how = chance.randrange(8)
        if how == 0:
            return {name: each for name, each in value.items() if name != key}
        if how == 1:
            return value | {text(chance): junk(chance)}
        return value | {key: changed(chance, value[key])}
    if isinstance(value, list) and value and chance.random() < 0.6:
        at = chance.randrange(len(value))
        return [*value[:at], changed(chance, value[at]), *value[at + chance.randrange(2) :]]
    if isinstance(value, str) and chance.random() < 0.6:
        return damaged(chance, value)
    return junk(chance)


def position(chance: random.Random, name: str) -> str:
    own, braces = chance.choice(SETUPS[name])
    how = chance.randrange(4)
    if how == 0:
        return damaged(chance, own)
    if how == 1:
        return damaged(chance, braces)
    return json.dumps(changed(chance, json.loads(braces)), ensure_ascii=False)


@functools.cache
def codes(name: str) -> Codes:
    return rulesets.load_ruleset(name).codes()


def set_up(name: str, words: str, run: str = "") -> bool:
    """Whether the position can be set up; if so, it is asked all that `workbench moves` asks."""
    game = name.partition("/")[0]
    try:
        game_state = GameState(game, codes(name), parse_setup(game, words, run))
    except (InputError, IllegalMove) as refused:
        assert 0 < len(str(refused)) < 5000
        return False
    game_state.board()
    game_state.outcome()
    game_state.legal_texts()
    return True


@pytest.fixture
def _not_for_ever() -> Iterator[None]:
    """Ends a test that hangs."""
    signal.alarm(3600)
    yield
    signal.alarm(0)


@pytest.mark.kernel
@pytest.mark.usefixtures("_not_for_ever")
@pytest.mark.parametrize("count", [40, pytest.param(4000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SETUPS)
def test_any_position_is_set_up_or_refused_in_words(name: str, count: int) -> None:
    for own, braces in SETUPS[name]:
        assert set_up(name, braces) and (set_up(name, own) or name.startswith(("chatra", "rengo")))
    chance = random.Random(f"{name}{count}")
    fine = 0
    for _ in range(count):
        words, run = position(chance, name), chance.choice(["", "", "", text(chance), "1/1", "9" * 5000 + "/1"])
        begin = time.process_time()
        fine += set_up(name, words, run)
        assert time.process_time() - begin < LONGEST, words
    assert 0 < fine < count


Words = list[str]


def some(chance: random.Random, *words: str) -> Words:
    """One of some words, or none."""
    return [chance.choice(words)] if chance.random() < 0.6 else []


def option(chance: random.Random, name: str, *values: str) -> Words:
    return [name, chance.choice(values)] if chance.random() < 0.4 else []


def arguments(chance: random.Random, odd: Words) -> Words:
    """A command with arguments of which some are odd; none that would play for long."""
    name = chance.choice(list(SETUPS))
    ruleset = chance.choice([name, name, name, *odd])
    wrong = chance.choice(odd)
    nothing = wrong if wrong != "star" else "stars"  # there is an experiment of that name
    number = chance.choice(NUMBERS)
    agents = ("random", "greedy", "alphabeta:depth=1", "best-first:nodes=9", "optimal",
              "alphabeta:depth=99", "x",
              "greedy:temperature=nan", "random:", ":", "greedy:weights.material=1e999", "best-first:nodes=" + "9" * 50,
              "greedy:style=x", wrong)  # fmt: skip
    played = ("a1", "e4 e5", "pass", "9" * 5000, "🙂", "b2 b2", "11-15", "٣-٤", "x" * 300, wrong)
    where = option(chance, "--moves", *played) + option(chance, "--run", "3/2", "1/1", "0/0", number)
    where += ["--position", position(chance, name)] * chance.choice([0, 1]) + some(chance, "--json")
    command = chance.choice([
        ["check", *(chance.choice([name, *odd]) for _ in range(chance.randrange(1, 4)))],
        ["rules", chance.choice(["star", "chatra", "chess", wrong])],
        ["show", ruleset, *some(chance, "--json")],
        ["diff", ruleset, chance.choice([name, wrong])],
        ["idea", chance.choice(["no draws", text(chance)]), *option(chance, "--base", name, wrong)],
        ["list", *some(chance, "star", wrong), *some(chance, "--json")],
        ["schema", *some(chance, "ruleset", "experiment", wrong)],
        ["moves", ruleset, *where],
        ["moves", ruleset, *where],
        ["perft", ruleset, chance.choice(["1", number if number != "2" else "1"]), *where, *some(chance, "--divide")],
        ["play", ruleset, "--max-plies", chance.choice(["4", "4", number]), *option(chance, "--first", *agents),
         *option(chance, "--second", *agents), *option(chance, "--games", "2", "0", "-1", "9" * 30),
         *option(chance, "--seed", number), *option(chance, "--export", *odd), *some(chance, "--json"),
         *some(chance, "--legal")],
        ["solve", chance.choice(["star/default", *odd]), "--max-states", chance.choice(["9", number])],
        ["plan", nothing, *option(chance, "--gain", number), *option(chance, "--seconds", number)],
        ["report", chance.choice(["no-such-report", wrong]), *option(chance, "--lang", "en", "xx")],
        ["run", nothing, *option(chance, "--workers", number), *option(chance, "--out", *odd)],
        ["bench", wrong, "--seconds", chance.choice(["0.01", number]), *option(chance, "--vs", wrong)],
        ["signature", "--check", chance.choice(["no-such-file", "/dev/zero", "a-pipe"])],
        ["new", chance.choice([wrong, text(chance)]), "--from", ruleset, *option(chance, "--title", wrong),
         *option(chance, "--set", wrong, f"stuck={wrong}")],
        ["init", chance.choice(["made", *(word for word in odd if os.path.exists(word) or len(word) > 99)])],
        [text(chance)],
        ["--version"],
    ])  # fmt: skip
    if chance.random() < 0.1:
        word = chance.choice(["--", "--no-such-option", "-", "-x", text(chance)])
        command.insert(chance.randrange(len(command) + 1), word)
    return command


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Words:
    """Names of things that are no rulesets and no experiments; in a folder of its own that holds some of them."""
    own = tmp_path / "mine"
    assert CliRunner().invoke(app, ["init", str(own)]).exit_code == 0
    monkeypatch.chdir(own)
    os.mkfifo("a-pipe")
    os.mkfifo("experiments/pipe.yaml")
    Path("empty.yaml").write_bytes(b"")
    Path("binary.yaml").write_bytes(bytes(range(256)))
    Path("marks.yaml").write_bytes(b"\xef\xbb\xbf\xef\xbb\xbfgame: star\ntitle: x\n")
    Path("deep.yaml").write_text("a: " + "[" * 3000, encoding="utf-8")
    bomb = "a0: &a0 [1, 1]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9))
    Path("bomb.yaml").write_text(bomb, encoding="utf-8")
    Path("list.yaml").write_text("[1, 2]", encoding="utf-8")
    Path("experiments/broken.yaml").write_text("title: x\ngames: 9\nrulesets: [a]\nagents: 7\n", encoding="utf-8")
    Path("loop").symlink_to("loop")
    Path("nowhere.yaml").symlink_to("no-such-file")
    Path("folder").mkdir()
    return [
        "", " ", "star", "star/", "/bin", "..", ".", "nope/x", "chatra/é", "-1", "--", "🙂", "a" * 5000, "/etc/passwd",
        "/dev/null", "/dev/zero", "a-pipe", "experiments/pipe.yaml", "empty.yaml", "binary.yaml", "marks.yaml",
        "deep.yaml", "bomb.yaml", "list.yaml", "experiments/broken.yaml", "broken", "loop", "nowhere.yaml", "folder",
        "star/DEFAULT", "../star/default", "~", "*", "no/such/file", "rulesets", "\ufeffstar/default", "pipe",
    ]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.kernel
@pytest.mark.usefixtures("_not_for_ever")
@pytest.mark.parametrize("count", [60, pytest.param(1500, marks=pytest.mark.slow)])
def test_any_arguments_end_with_0_or_2_and_a_sentence(odd: Words, count: int) -> None:
    chance = random.Random(count)
    wrong: list[tuple[object, ...]] = []
    for _ in range(count):
        words = arguments(chance, odd)
        begin = time.process_time()
        result = CliRunner().invoke(app, words, input="")
        seconds = time.process_time() - begin
        crashed = result.exception is not None and not isinstance(result.exception, SystemExit)
        silent = result.exit_code == 2 and not result.stderr.strip()
        if crashed or result.exit_code not in (0, 2) or silent or "Traceback" in result.output or seconds > LONGEST:
            wrong.append((words, result.exit_code, result.exception, result.output[-300:], seconds))
    assert not wrong, "\n".join(map(str, wrong))
