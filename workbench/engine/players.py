"""Plain data for players, blocks of games and per-game numbers. Importing this module starts no compiler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

RANDOM, GREEDY, ALPHABETA, OPTIMAL, PRINCIPAL, BEST_FIRST = 0, 1, 2, 4, 5, 6
"""Kinds of agents. Cells of experiments are named after these numbers, so a number is never reused: 3 was removed."""
WITHOUT_NET, WITH_NET = 1, 2
"""Values of `Agent.learned`."""
DEEPEST = 40
"""Maximum depth in plies of a node-budget search, without tactical moves."""

Codes = Mapping[str, int | tuple[int, ...]]
"""The code of each toggle by its name; a tuple is the content of a file that a toggle names."""


class Search(NamedTuple):
    """The compiled search of a kind of agent, and the memory it requires."""

    function: str = ""
    """Module and name of the compiled function in `engine.search`; empty for a random player."""
    table: bool = False
    """True if the transposition table grows with the node budget."""
    tree: bool = False
    """True if the search stores a tree of positions."""
    worth: bool = False
    """True if the search orders captures by the worth of units."""


SEARCHES: Mapping[int, Search] = {
    RANDOM: Search(),
    GREEDY: Search("fixed_depth.greedy"),
    ALPHABETA: Search("fixed_depth.alphabeta"),
    OPTIMAL: Search("fixed_depth.optimal"),
    PRINCIPAL: Search("principal.principal", table=True, worth=True),
    BEST_FIRST: Search("bestfirst.best_first", tree=True, worth=True),
}
"""The compiled search of each kind of agent; `workbench.players.agent_kinds` declares the kinds."""


class Agent(NamedTuple):
    """A player without its weights."""

    kind: int
    depth: int = 0
    epsilon: float = 0.0
    temperature: float = 0.0
    style: int = 0
    """The index of a style in the family's declaration, starting at 1; 0: none."""
    nodes: int = 0
    """Node budget per move; 0: limited by depth only."""
    reductions: int = 0
    """1: a node-budget search reduces late quiet moves and prunes irrelevant moves."""
    follows: int = 0
    """1: a node-budget search follows all captures and never prunes moves that must be answered."""
    learned: int = 0
    """`WITHOUT_NET`: weights of features and of units by place, early and late in the game, are learned. `WITH_NET`: a
    net follows them in the row (`engine.search.evaluation`)."""


class Player(NamedTuple):
    """An agent with its weights."""

    agent: Agent
    weights: tuple[float, ...]
    """One per feature of the family; more if they are learned (`engine.search.memory`, `WORTH` and so on)."""
    solution: str = ""
    """The solution file of an `OPTIMAL` agent."""

    def with_learned(self, weights: tuple[float, ...], scale: float = 1.0, learned: int = WITHOUT_NET) -> Player:
        """Return this player with learned weights, ``scale`` times the hand-tuned ones in size, and scaled noise."""
        agent = self.agent._replace(learned=learned, temperature=self.agent.temperature * scale)
        return self._replace(agent=agent, weights=weights)

    def unpruned(self) -> Player:
        """Return this player without reductions and pruning, so that all moves are searched to the same depth."""
        return self._replace(agent=self.agent._replace(reductions=0))


def random_player(features: int) -> Player:
    """Return a random player; as a judge, it adjudicates no games."""
    return Player(Agent(RANDOM, 1, 0.0, 0.0, 0), (0.0,) * features)


Judge = tuple[Player, float]
"""The player that adjudicates capped games, and the minimum expected score (½ to 1) at which a side wins."""


class BlockArguments(NamedTuple):
    """A block of games for `trials.run_block`."""

    game: str
    codes: Codes
    first: Player
    second: Player
    seeds: Any
    """uint64, one per game."""
    max_plies: int
    keep: int = 0
    """Number of moves to return per game."""
    judge: Judge | None = None
    """If None, games that reach ``max_plies`` have no result."""
    lines: Any = None
    """int32, games × plies, padded with -1: moves that start each game, up to a whole game. May be None."""


class GameNumber(NamedTuple):
    """A float64 column of the records that is measured during a game; NaN if it is not measured."""

    name: str
    sentence: str
    unit: str = ""


NUMBERS = (
    GameNumber(
        "lead_changes", "How often the lead changed, as the heuristic sees it; NaN if both are random.", "count"
    ),
    GameNumber("drama", "How far the later winner was behind, 0 to 1, over the plies where it was; see metrics."),
    GameNumber("drama_max", "How far the later winner was behind at worst, 0 to 1."),
)
LEAD_CHANGES, DRAMA, DRAMA_MAX = range(len(NUMBERS))
