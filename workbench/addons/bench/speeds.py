"""The engine's speed and a signature of its games.

Rates are per second of this process's CPU time, which excludes other programs on a busy machine. The fastest of several
equal rounds counts because sharing caches and memory can only slow a round down.
"""

from __future__ import annotations

import hashlib
import os
import platform
import random
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
"""The default agents: every kind that needs no solved game."""
UNITS = ("games", "plies", "nodes")
ROUNDS = 5
MIN_ROUNDS = 3
SIGNATURE_GAMES = (("random", 20), ("greedy", 4), ("alphabeta:depth=1", 2))
"""The signature's agents with their numbers of self-play games."""
SIGNATURE_MAX_PLIES = 200


class Elapsed(NamedTuple):
    """CPU time and wall time in seconds, compared by CPU time."""

    cpu: float
    """User and system time of this process."""
    wall: float

    @classmethod
    def now(cls) -> Elapsed:
        """Return the readings of both clocks."""
        return cls(time.process_time(), time.perf_counter())

    def since(self) -> Elapsed:
        """Return the time since these readings."""
        return Elapsed(*(now - start for now, start in zip(Elapsed.now(), self, strict=True)))

    def as_json(self) -> dict[str, float]:
        """Return both times as plain data."""
        return {"cpu_seconds": round(self.cpu, 4), "wall_seconds": round(self.wall, 4)}


def benchmark_rulesets(project: Project) -> list[Ruleset]:
    """Return one ruleset per game with all toggles at their defaults; the project's rulesets are preferred."""
    defaults = []
    for game in games.names():
        default = _default_ruleset(game)
        names = [name for name in rulesets.ruleset_names(project) if name.startswith(f"{game}/")]
        candidates = (rulesets.load_ruleset(name, project) for name in names)
        defaults.append(next((entry for entry in candidates if entry.fingerprint == default.fingerprint), default))
    return defaults


def _default_ruleset(game: str) -> Ruleset:
    family = games.declaration(game)
    settings = family.defaults()
    fingerprint = rulesets.rules_fingerprint(family, settings)
    return Ruleset(f"{game}/default", game, family.title, "", "", (), {}, settings, fingerprint, None)


def measure_speed(ruleset: Ruleset, agent: AgentSpec, seconds: float) -> dict[str, Any]:
    """Measure an agent's self-play rates per CPU second for about ``seconds`` of CPU time after a warm-up.

    ``spread`` is the relative excess of the median round over the fastest. Agents that do not search have no nodes.
    """
    count = 1
    _play_round(ruleset, agent, 1)
    while (duration := _play_round(ruleset, agent, count)[0].cpu) < seconds / ROUNDS / 1.5:
        count = max(count + 1, min(16 * count, int(count * seconds / ROUNDS / max(duration, 1e-6))))
    rounds: list[tuple[Elapsed, Any]] = []
    while len(rounds) < MIN_ROUNDS or sum(duration.cpu for duration, _ in rounds) < seconds:
        rounds.append(_play_round(ruleset, agent, count))
    fastest, arrays = min(rounds, key=lambda item: item[0])
    nodes = int(arrays["nodes"][0])
    return {
        "ruleset": ruleset.name, "agent": agent.label, "games_per_second": round(count / fastest.cpu, 3),
        "plies_per_second": round(int(arrays["plies"].sum()) / fastest.cpu, 1),
        "nodes_per_second": round(nodes / fastest.cpu, 1) if nodes else None,
        **fastest.as_json(), "rounds": len(rounds), "games_per_round": count,
        "spread": round(statistics.median(duration.cpu for duration, _ in rounds) / fastest.cpu - 1, 4),
    }  # fmt: skip


OTHER_PROGRAMS = ("chess",)
"""The package names of the programs that `compare_programs` supports."""


def compare_programs(other: str, seconds: float) -> list[dict[str, Any]]:
    """Compare the workbench's rates with another program's on one core, each measured for about ``seconds``.

    ``chess`` is python-chess: random games of orthodox chess to their natural end (mate, stalemate, threefold
    repetition, 50 moves, insufficient material), and perft from the start without playing the last ply.

    Raises:
        InputError: the other program is unknown or not installed.
    """
    if other not in OTHER_PROGRAMS:
        available = ", ".join(OTHER_PROGRAMS)
        message = tr("unknown program '{other}'; available: {known}", other=other, known=available)
        raise input_error(message, file="--vs")
    try:
        import chess
    except ImportError:
        message = tr("the package chess (python-chess) is not installed: pip install chess")
        raise input_error(message, file="--vs") from None
    orthodox = _default_ruleset("chess")
    rng = random.Random(0)

    def random_game() -> int:
        board = chess.Board()
        while not (board.is_insufficient_material() or board.halfmove_clock >= 100 or board.is_repetition(3)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
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

    game_state = GameState("chess", orthodox.codes())
    random_agent = agents.agent_from_text("random")
    workloads: list[tuple[str, Callable[[], float], Callable[[], int]]] = [
        (tr("random plies"), lambda: measure_speed(orthodox, random_agent, seconds)["plies_per_second"], random_game),
        (
            tr("perft nodes"),
            lambda: _measure_rate(lambda: game_state.perft(5), seconds),
            lambda: perft(chess.Board(), 3),
        ),
    ]
    rows = []
    for task, measure_workbench, other_work in workloads:
        start = Elapsed.now()
        workbench_rate, other_rate = measure_workbench(), _measure_rate(other_work, seconds)
        rates = {"workbench": workbench_rate, "other": other_rate, "ratio": workbench_rate / other_rate}
        rows.append({"work": task, **{name: round(rate, 1) for name, rate in rates.items()}, **start.since().as_json()})
    return rows


def _measure_rate(work: Callable[[], int], seconds: float) -> float:
    """Return the fastest round's units per CPU second; ``work`` returns the number of units it completed."""
    work()
    fastest = 0.0
    end = time.process_time() + seconds
    with stoppable():
        while True:
            start = time.process_time()
            units = 0
            while (duration := time.process_time() - start) < seconds / ROUNDS:
                units += work()
            fastest = max(fastest, units / duration)
            if time.process_time() > end:
                return fastest


def describe_machine() -> dict[str, Any]:
    """Return the properties of this machine that affect its speed."""
    return {
        "cpu": runner.cpu_name(), "cores": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(), "numba": metadata.version("numba"),
    }  # fmt: skip


def speed_table(machine: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], other: str = "") -> Table:
    """Return a terminal table of speeds, or of the comparison with the ``other`` program."""
    text = tr("One core of {machine} ({machine2} cores), Numba {machine3}; rates per second of CPU time")
    title = Text(translated(text.format(machine=machine["cpu"], machine2=machine["cores"], machine3=machine["numba"])))
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold", pad_edge=False)
    keys = ("work", "workbench", "other", "ratio") if other else ("ruleset", "agent", *UNITS)
    headings = {
        "work": tr("work"), "ratio": tr("ratio"), "ruleset": tr("ruleset"), "agent": tr("agent"), "games": tr("games"),
        "plies": trc("bench", "plies"), "nodes": tr("nodes"), "other": tr("python package {other}", other=other),
        "cpu_seconds": tr("CPU (s)"), "wall_seconds": tr("wall (s)"),
    }  # fmt: skip
    for key in (*keys, "cpu_seconds", "wall_seconds"):
        justify: Any = "left" if key in ("ruleset", "agent", "work") else "right"
        table.add_column(translated(headings.get(key, key)), justify=justify)
    for row in rows:
        values = (row.get(f"{key}_per_second", row.get(key)) for key in keys)
        times = (f"{row[key]:.2f}" for key in ("cpu_seconds", "wall_seconds"))
        table.add_row(*(value if isinstance(value, str) else _format_rate(value) for value in values), *times)
    return table


def _format_rate(rate: float | None) -> str:
    if rate is None:
        return "–"
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def signature_lines(selected: Iterable[Ruleset]) -> Iterator[str]:
    """Yield a line per ruleset and agent with a hash of fixed games.

    A line changes if and only if the rules, the agents, the heuristic's weights or the random numbers change.
    """
    for ruleset in selected:
        for agent_text, count in SIGNATURE_GAMES:
            agent = agents.agent_from_text(agent_text)
            _, arrays = _play_round(ruleset, agent, count, SIGNATURE_MAX_PLIES)
            digest = hashlib.sha256()
            for name in ("result", "termination", "plies", "turns", "events", "game_hash"):
                # The hash does not depend on the width and byte order of the engine's arrays.
                digest.update(np.ascontiguousarray(arrays[name]).astype("<u8").tobytes())
            yield f"{ruleset.name} {agent.label} {digest.hexdigest()[:16]}"


def _play_round(
    ruleset: Ruleset, agent: AgentSpec, count: int, max_plies: int = DEFAULT_MAX_PLIES
) -> tuple[Elapsed, Any]:
    """Play games with seeds 0 to ``count - 1`` and return the elapsed time and the engine's arrays."""
    player, codes = library.engine_player(agent, ruleset), ruleset.codes()
    seeds = np.arange(count, dtype=np.uint64)
    with stoppable():
        start = Elapsed.now()
        arrays = trials.run_block(BlockArguments(ruleset.game, codes, player, player, seeds, max_plies))
        return start.since(), arrays
