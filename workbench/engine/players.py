"""Players, games and records as plain data that experiment files and the engine share; starts no compiler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

RANDOM, GREEDY, ALPHABETA, OPTIMAL, PRINCIPAL, BEST_FIRST = 0, 1, 2, 4, 5, 6
"""Kinds of agents. The numbers are part of what names the cells of an experiment, so none is used anew: 3 was one that
was removed."""
WITHOUT_NET, WITH_NET = 1, 2
"""How an agent that has learned evaluates positions."""
DEEPEST = 40
"""Plies that a search by budget looks ahead at most, tactical moves aside."""


class Search(NamedTuple):
    """How a kind of agent chooses its moves, and what it needs for that."""

    function: str = ""
    """The compiled function that chooses, by its module in `engine.search`; a random player needs none."""
    table: bool = False
    """Whether its transposition table grows with its budget of nodes."""
    tree: bool = False
    """Whether it keeps a tree of the positions that it looks at."""
    worth: bool = False
    """Whether it orders captures by what units are worth to it."""


SEARCHES: Mapping[int, Search] = {
    RANDOM: Search(),
    GREEDY: Search("fixed_depth.greedy"),
    ALPHABETA: Search("fixed_depth.alphabeta"),
    OPTIMAL: Search("fixed_depth.optimal"),
    PRINCIPAL: Search("principal.principal", table=True, worth=True),
    BEST_FIRST: Search("bestfirst.best_first", tree=True, worth=True),
}
"""The compiled half of the kinds of agents, by their numbers; `workbench.players.agent_kinds` is the other one."""


class Agent(NamedTuple):
    """What makes a player, weights aside."""

    kind: int
    depth: int = 0
    epsilon: float = 0.0
    temperature: float = 0.0
    style: int = 0
    """The number of a style that the family declares, from 1; 0: none."""
    nodes: int = 0
    """Positions that a search by budget looks at for a move; 0: no limit but the depth."""
    reductions: int = 0
    """1: a search by budget looks less deep at late quiet moves, and leaves out those that cannot matter."""
    follows: int = 0
    """1: a search by budget follows all captures, and leaves out none of the moves that must be answered."""
    learned: int = 0
    """`WITHOUT_NET`: the weights are learned: of features and of units by place, early and late in the game.
    `WITH_NET`: after them there is a net (`engine.search.evaluation`)."""


class Player(NamedTuple):
    """An agent with all that it plays by."""

    agent: Agent
    weights: tuple[float, ...]
    """One for each feature of the family; more, if they are learned (`engine.search.memory`, `WORTH` …)."""
    solution: str = ""
    """The file of the solution that an `OPTIMAL` agent plays by."""

    def with_learned(self, weights: tuple[float, ...], scale: float = 1.0, how: int = WITHOUT_NET) -> Player:
        """Return the same player by learned weights, so many times as large as the game's own, and noise with them."""
        agent = self.agent._replace(learned=how, temperature=self.agent.temperature * scale)
        return self._replace(agent=agent, weights=weights)

    def unpruned(self) -> Player:
        """Return the same player, who searches all moves equally deep."""
        return self._replace(agent=self.agent._replace(reductions=0))


def nobody(features: int) -> Player:
    """Return a player at random: as a judge, nobody."""
    return Player(Agent(RANDOM, 1, 0.0, 0.0, 0), (0.0,) * features)


class GameNumber(NamedTuple):
    """A float64 number of a game, a column of the records; NaN where it is not known."""

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
"""In the order of the words that `trials` fills."""
LEAD_CHANGES, DRAMA, DRAMA_MAX = range(len(NUMBERS))
