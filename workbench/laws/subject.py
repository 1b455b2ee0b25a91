"""A ruleset under questions: random games of it, games of its players, and what is told of a law that it breaks."""

from __future__ import annotations

import functools
import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from workbench import games
from workbench.engine import contract, jit, trials
from workbench.errors import NotCompiled, WorkbenchError, in_a_line, text_of, with_line
from workbench.games import playing
from workbench.games.game_state import GameState
from workbench.language import tr
from workbench.questions.agent_kinds import KINDS, AgentKind
from workbench.questions.agents import AgentSpec
from workbench.questions.rulesets import Ruleset

LONGEST_WALK = 60
"""Plies of a random game."""


def _small(kind: AgentKind) -> AgentSpec:
    """An agent that takes moments, with errors of its own unless it searches to a depth."""
    options: dict[str, Any] = {"depth": {"depth": 1}, "nodes": {"nodes": 100}}.get(kind.size, {})
    return AgentSpec.of(kind.name, **options, epsilon=0.1 if kind.evaluates and kind.size != "depth" else 0.0)


PLAYING = [kind for kind in KINDS.values() if not kind.solved]
"""The kinds that need no solution."""
PLAYERS = {kind.name: _small(kind) for kind in PLAYING} | {"alphabeta-2": AgentSpec.of("alphabeta", depth=2)}
"""One of each kind, and a search that uses its table."""
MEETINGS = {
    (stronger.name, weaker.name): {"": (4, 200), "depth": (2, 60)}.get(stronger.size, (1, 30))
    for weaker, stronger in itertools.pairwise(PLAYING)
}
"""Each of them but the weakest against the next weaker one: games, and their cap."""

PLAN = {("random", "random"): (4, 150), ("random", "greedy"): (2, 200), **MEETINGS}
"""How many games of which players are looked at, and their cap."""
PLAIN_PLAN = {("random", "random"): (2, 150), ("greedy", "random"): (2, 60), ("alphabeta", "best-first"): (1, 10)}
"""The same without machine code."""


class Broken(Exception):
    """A law is broken; the text says what was found."""


class WrongAnswer(Broken):
    """A function answers what no function of its name may answer, whatever was asked of it."""


class Place(NamedTuple):
    """A position of a game."""

    state: Any
    legal: list[int]
    moves: tuple[str, ...]
    """The moves from the start, as players write them."""


@dataclass(frozen=True)
class Breach:
    """A law that a game breaks, and where that shows."""

    law: str
    """The name of the law."""
    ruleset: str
    """The ruleset; "" if it shows in the family's files."""
    said: str
    """What was found."""
    seed: int
    players: str = ""
    """Who played the game: two agents; "" for a random game of the questions themselves."""
    moves: tuple[str, ...] | None = None
    """The moves that led to the position; None if it is no matter of one."""


class Subject:
    """A ruleset under questions. Everything follows from the seed."""

    def __init__(self, ruleset: Ruleset, seed: int = 0) -> None:
        self.ruleset, self.seed = ruleset, seed
        self.game = ruleset.game
        self.codes = ruleset.codes()
        self.declaration = games.declaration(self.game)
        self.at: tuple[int, str, tuple[str, ...] | None] = (seed, "", None)
        """The seed, the players and the moves of what is looked at."""

    @functools.cached_property
    def rules(self) -> Any:
        """The kernel's rules."""
        return trials.rules_of(self.game, self.codes)

    def new_game(self) -> GameState:
        """A game from the start."""
        return GameState(self.game, self.codes)

    def listed(self, state: Any) -> list[int]:
        """The legal moves of a position, as the kernel lists them."""
        # Two more than there may be: a kernel that needs them is told so.
        moves = np.full(int(contract.max_moves(self.rules)) + 2, -7, np.int32)
        listed: list[int] = moves[: contract.legal_moves(self.rules, state, moves)].tolist()
        if wrong := [move for move in listed if move < 0 or move == contract.SWAP]:
            what = tr("legal_moves lists {move}; a move is a whole number from 0 on, {swap} excepted")
            raise WrongAnswer(what.format(move=wrong[0], swap=contract.SWAP))
        return listed

    def played(self, state: Any, move: int) -> Any:
        """The position after a move."""
        after = state.copy()
        playing.play(self.rules, after, move)
        return after

    def text(self, place: Place, move: int) -> str:
        """A move as players write it."""
        return str(games.notation(self.game).format_move(self.rules, place.state, move))

    @functools.cached_property
    def walk(self) -> list[Place]:
        """The positions of a random game, up to where its rules end it."""
        chance = random.Random(f"{self.ruleset.name} {self.seed}")
        game_state = self.new_game()
        places = []
        for _ in range(LONGEST_WALK):
            self.at = self.seed, "", tuple(game_state.texts)
            legal = self.listed(game_state.state)
            places.append(Place(game_state.state.copy(), legal, tuple(game_state.texts)))
            if game_state.outcome()[0] != contract.ONGOING:
                break
            if not legal:
                raise Broken(tr("no move is legal, and the game goes on: outcome(rules, state, 0) must end it"))
            game_state.push(chance.choice(sorted(legal)))
        return places

    def places(self, which: slice = slice(None)) -> Iterator[Place]:
        """Positions of the random game, each noted as what is looked at."""
        for place in self.walk[which]:
            self.at = self.seed, "", place.moves
            yield place

    def block(self, first: str, second: str, seeds: list[int], max_plies: int) -> dict[str, Any]:
        """A block of games with their whole move lists."""
        numbers = [PLAYERS[player].player(self.declaration) for player in (first, second)]
        words = np.array(seeds, np.uint64)
        return trials.run_block(self.game, self.codes, numbers[0], numbers[1], words, max_plies, keep=max_plies)

    @functools.cached_property
    def blocks(self) -> dict[tuple[str, str], dict[str, Any]]:
        """A few games of every kind of player."""
        found = {}
        for pair, (count, plies) in (PLAIN_PLAN if jit.DISABLED else PLAN).items():
            self.at = self.seed, " ".join(pair), None
            found[pair] = self.block(*pair, [self.seed + i for i in range(count)], plies)
        return found

    def replayed(self) -> Iterator[tuple[GameState, dict[str, Any]]]:
        """Every game of the players, played again by `GameState`, with its record."""
        for pair, arrays in self.blocks.items():
            for i in range(len(arrays["result"])):
                game_state = self.new_game()
                for move in arrays["opening"][i][arrays["opening"][i] >= 0]:
                    self.at = self.seed + i, " ".join(pair), tuple(game_state.texts)
                    if move not in game_state.legal():
                        raise Broken(tr("a player played move {move}, which is not legal there", move=int(move)))
                    game_state.push(move)
                self.at = self.seed + i, " ".join(pair), tuple(game_state.texts)
                yield game_state, {column: values[i] for column, values in arrays.items() if column != "nodes"}

    def breach(self, law: str, ask: Callable[[Subject], None]) -> Breach | None:
        """What a law finds wrong; None if it holds."""
        self.at = self.seed, "", None
        try:
            ask(self)
        except Broken as broken:
            law = "answers" if isinstance(broken, WrongAnswer) else law
            return Breach(law, self.ruleset.name, str(broken), *self.at)
        except Exception as error:  # whatever the code of a family may raise
            return Breach(law, self.ruleset.name, raised(error, games.folder(self.game)), *self.at)
        return None


@dataclass(frozen=True)
class Law:
    """What every game must hold."""

    name: str
    sentence: str
    ask: Callable[[Subject], None] | None = None
    """Raises `Broken` if a ruleset breaks it; None for a law of a family's files, or of two processes."""


LAWS: defaultdict[str, list[Law]] = defaultdict(list)
"""The laws of rulesets, by the module that asks them."""
_Ask = Callable[..., None]


def law(name: str, sentence: str) -> Callable[[_Ask], _Ask]:
    """Makes a function the question that asks a ruleset a law."""

    def asks(ask: _Ask) -> _Ask:
        LAWS[ask.__module__].append(Law(name, sentence, ask))
        return ask

    return asks


def same_games(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two blocks are equal; what is not known of a game (NaN) is equal, too."""
    return all(
        np.array_equal(one[column], other[column], equal_nan=one[column].dtype.kind == "f")
        for column in one
        if column != "nodes"
    )


def raised(error: BaseException, folder: Path) -> str:
    """An exception in a line, with the last line of the family's code that it came through."""
    told = error if isinstance(error, WorkbenchError) else NotCompiled.of(error)
    return text_of(told) if told else with_line(error, folder) or in_a_line(error)
