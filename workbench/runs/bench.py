"""The speed of the engine, and a signature of the games that it plays.

`measure_speed` gives rates of one core, by the CPU time of this process: what other programs take of a busy machine is
not counted. The fastest of several equal rounds counts: sharing caches and memory with them can only slow a round down,
so the fastest is the nearest to what the machine can do. `signature_lines` hashes a fixed set of games.
"""

from __future__ import annotations

import hashlib
import os
import platform
import random
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any, NamedTuple

import numpy as np
from rich import box
from rich.table import Table
from rich.text import Text

from workbench import games
from workbench.base.console import stoppable
from workbench.base.errors import input_error
from workbench.base.language import tr, translated, trc
from workbench.base.project import Project
from workbench.engine import trials
from workbench.engine.players import BlockArguments
from workbench.experiments.experiment import DEFAULT_MAX_PLIES
from workbench.players import agents, library
from workbench.players.agent_kinds import KINDS
from workbench.players.agents import AgentSpec
from workbench.positions.game_state import GameState
from workbench.rules import rulesets
from workbench.rules.rulesets import Ruleset
from workbench.runs import runner

_SIZES = {"": ("",), "depth": (":depth=2", ":depth=3"), "nodes": (":nodes=1000",)}
AGENTS = tuple(
    f"{kind.name}{size}" for kind in KINDS.values() if not kind.solved for size in _SIZES.get(kind.size, ("",))
)
"""Agents that are measured by default: those of every kind that needs no solution."""
UNITS = ("games", "plies", "nodes")
ROUNDS = 5
MIN_ROUNDS = 3
SIGNATURE_GAMES = (("random", 20), ("greedy", 4), ("alphabeta:depth=1", 2))
"""Agents of the signature and the games that each plays against itself."""
SIGNATURE_MAX_PLIES = 200


class Elapsed(NamedTuple):
    """The time that some work took, in seconds; it is compared by CPU time."""

    cpu: float
    """User and system time of this process."""
    wall: float

    @classmethod
    def now(cls) -> Elapsed:
        """Readings of both clocks."""
        return cls(time.process_time(), time.perf_counter())

    def since(self) -> Elapsed:
        """Return the time since these readings."""
        return Elapsed(*(now - then for now, then in zip(Elapsed.now(), self, strict=True)))

    def as_json(self) -> dict[str, float]:
        """Both times."""
        return {"cpu_seconds": round(self.cpu, 4), "wall_seconds": round(self.wall, 4)}


@dataclass(frozen=True)
class Speed:
    """The work of one core in the fastest round."""

    ruleset: str
    agent: str
    rounds: int
    elapsed: Elapsed
    """The fastest round."""
    spread: float
    """The median round took this much longer than the fastest, as a share of it."""
    games: int
    plies: int
    nodes: int

    def as_json(self) -> dict[str, Any]:
        """Rates a second of CPU time; null for what the agent does not do."""
        return {
            "ruleset": self.ruleset, "agent": self.agent, "games_per_second": round(self.games / self.elapsed.cpu, 3),
            "plies_per_second": round(self.plies / self.elapsed.cpu, 1),
            "nodes_per_second": round(self.nodes / self.elapsed.cpu, 1) if self.nodes else None,
            **self.elapsed.as_json(), "rounds": self.rounds, "games_per_round": self.games,
            "spread": round(self.spread, 4),
        }  # fmt: skip


def benchmark_rulesets(project: Project) -> list[Ruleset]:
    """One ruleset of the project for each game, with all toggles at their defaults."""
    chosen = []
    for game in games.names():
        default = _default_ruleset(game)
        names = [name for name in rulesets.ruleset_names(project) if name.startswith(f"{game}/")]
        known = (rulesets.load_ruleset(name, project) for name in names)
        chosen.append(next((each for each in known if each.fingerprint == default.fingerprint), default))
    return chosen


def _default_ruleset(game: str) -> Ruleset:
    family = games.declaration(game)
    settings = family.defaults()
    fingerprint = rulesets.rules_fingerprint(family, settings)
    return Ruleset(f"{game}/default", game, family.title, "", "", (), {}, settings, fingerprint, None)


def measure_speed(ruleset: Ruleset, agent: AgentSpec, seconds: float) -> Speed:
    """The speed of games that an agent plays against itself, from about so many seconds of CPU after a warm-up."""
    count = 1
    _play_round(ruleset, agent, 1)
    while (took := _play_round(ruleset, agent, count)[0].cpu) < seconds / ROUNDS / 1.5:
        count = max(count + 1, min(16 * count, int(count * seconds / ROUNDS / max(took, 1e-6))))
    rounds: list[tuple[Elapsed, Any]] = []
    while len(rounds) < MIN_ROUNDS or sum(took.cpu for took, _ in rounds) < seconds:
        rounds.append(_play_round(ruleset, agent, count))
    best, arrays = min(rounds, key=lambda item: item[0])
    return Speed(
        ruleset=ruleset.name, agent=agent.label, rounds=len(rounds), elapsed=best,
        spread=statistics.median(took.cpu for took, _ in rounds) / best.cpu - 1, games=count,
        plies=int(arrays["plies"].sum()), nodes=int(arrays["nodes"][0]),
    )  # fmt: skip


@dataclass(frozen=True)
class ProgramComparison:
    """The same work done by the workbench and by another program, on one core."""

    work: str
    ours: float
    """Units a second, of the fastest round."""
    theirs: float
    elapsed: Elapsed
    """All rounds of both."""

    def as_json(self) -> dict[str, Any]:
        """Both rates a second of CPU time, and how many times the workbench is as fast."""
        return {
            "work": self.work,
            "workbench": round(self.ours, 1),
            "other": round(self.theirs, 1),
            "ratio": round(self.ours / self.theirs, 1),
            **self.elapsed.as_json(),
        }


OTHER_PROGRAMS = ("chess",)
"""Programs that `compare_programs` knows, by the name of their package."""


def compare_programs(other: str, seconds: float) -> list[ProgramComparison]:
    """Compare the rates of the workbench and another program, measured in turns, about so many seconds for each.

    ``chess`` is python-chess: random games of orthodox chess to their natural end (mate, stalemate, threefold
    repetition, 50 moves, too little material), and perft from the start with the last ply counted, not played.

    Raises:
        InputError: the other program is unknown or not installed.
    """
    if other not in OTHER_PROGRAMS:
        known = ", ".join(OTHER_PROGRAMS)
        message = tr("'{other}' is not a program to compare with; there are: {known}", other=other, known=known)
        raise input_error(message, file="--vs")
    try:
        import chess
    except ImportError:
        message = tr("the package chess (python-chess) is not installed: pip install chess")
        raise input_error(message, file="--vs") from None
    orthodox = _default_ruleset("chess")
    chance = random.Random(0)

    def random_game() -> int:
        board = chess.Board()
        while not (board.is_insufficient_material() or board.halfmove_clock >= 100 or board.is_repetition(3)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(chance.choice(moves))
        return board.ply()

    def perft(board: chess.Board, depth: int) -> int:
        if depth == 1:
            return board.legal_moves.count()
        total = 0
        for move in board.legal_moves:
            board.push(move)
            total += perft(board, depth - 1)
            board.pop()
        return total

    def random_plies() -> float:
        speed = measure_speed(orthodox, agents.agent_from_text("random"), seconds)
        return speed.plies / speed.elapsed.cpu

    game_state = GameState("chess", orthodox.codes())
    works: list[tuple[str, Callable[[], float], Callable[[], int]]] = [
        (tr("random plies"), random_plies, random_game),
        (
            tr("perft nodes"),
            lambda: _measure_rate(lambda: game_state.perft(5), seconds),
            lambda: perft(chess.Board(), 3),
        ),
    ]
    rows = []
    for work, ours, theirs in works:
        begin = Elapsed.now()
        rates = ours(), _measure_rate(theirs, seconds)
        rows.append(ProgramComparison(work, *rates, begin.since()))
    return rows


def _measure_rate(work: Callable[[], int], seconds: float) -> float:
    """Units a second of CPU time: the best of several equal rounds of a piece of work that returns its units."""
    work()
    best = 0.0
    end = time.process_time() + seconds
    with stoppable():
        while True:
            begin = time.process_time()
            units = 0
            while (took := time.process_time() - begin) < seconds / ROUNDS:
                units += work()
            best = max(best, units / took)
            if time.process_time() > end:
                return best


def describe_machine() -> dict[str, Any]:
    """Return the machine that is measured on."""
    return {
        "cpu": runner.cpu_name(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numba": metadata.version("numba"),
    }


def speed_table(machine: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], other: str = "") -> Table:
    """A table for the terminal, of the ``as_json`` of `Speed`, or of `ProgramComparison` an ``other`` program."""
    title = tr(
        "One core of {machine} ({machine2} cores), numba {machine3}: rates a second of CPU time",
        machine=machine["cpu"],
        machine2=machine["cores"],
        machine3=machine["numba"],
    )
    printed = Table(
        box=box.SIMPLE_HEAD, title=Text(translated(title)), title_justify="left", title_style="bold", pad_edge=False
    )
    heads = ("work", "workbench", "other", "ratio") if other else ("ruleset", "agent", *UNITS)
    names = {
        "work": tr("work"), "ratio": tr("ratio"), "ruleset": tr("ruleset"), "agent": tr("agent"), "games": tr("games"),
        "plies": trc("bench", "plies"), "nodes": tr("nodes"), "other": tr("python package {other}", other=other),
        "cpu_seconds": tr("CPU (s)"), "wall_seconds": tr("wall (s)"),
    }  # fmt: skip
    for head in (*heads, "cpu_seconds", "wall_seconds"):
        printed.add_column(
            translated(names.get(head, head)),
            justify="left" if head in ("ruleset", "agent", "work") else "right",
        )
    for row in rows:
        values = (row.get(f"{head}_per_second", row.get(head)) for head in heads)
        times = (f"{row[head]:.2f}" for head in ("cpu_seconds", "wall_seconds"))
        printed.add_row(*(value if isinstance(value, str) else _format_rate(value) for value in values), *times)
    return printed


def _format_rate(rate: float | None) -> str:
    if rate is None:
        return "–"
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def signature_lines(chosen: Iterable[Ruleset]) -> Iterator[str]:
    """Yield a line for each ruleset and agent: the names, and a hash of all that happened in a fixed set of games.

    A line changes when the rules, the agents, the heuristic's weights or the random numbers do, and must not otherwise.
    """
    for ruleset in chosen:
        for words, count in SIGNATURE_GAMES:
            agent = agents.agent_from_text(words)
            _, arrays = _play_round(ruleset, agent, count, SIGNATURE_MAX_PLIES)
            hashed = hashlib.sha256()
            for name in ("result", "termination", "plies", "turns", "events", "game_hash"):
                # One width and byte order, whatever the engine's arrays have.
                hashed.update(np.ascontiguousarray(arrays[name]).astype("<u8").tobytes())
            yield f"{ruleset.name} {agent.label} {hashed.hexdigest()[:16]}"


def _play_round(
    ruleset: Ruleset, agent: AgentSpec, count: int, max_plies: int = DEFAULT_MAX_PLIES
) -> tuple[Elapsed, Any]:
    """Plays games 0 to ``count - 1`` of fixed seeds; the time it took and what the engine returned."""
    numbers = library.engine_player(agent, ruleset)
    codes = ruleset.codes()
    seeds = np.arange(count, dtype=np.uint64)
    with stoppable():
        begin = Elapsed.now()
        arrays = trials.run_block(BlockArguments(ruleset.game, codes, numbers, numbers, seeds, max_plies))
        return begin.since(), arrays
