"""The kinds of players of the workbench, each declared once, in `KINDS`.

Reading, canonical form, labels, JSON Schema, help, the table of the guide, ladders, laws and the studio follow from
it. The compiled half, by the number of its search, is `workbench.engine.players.SEARCHES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.engine.players import (
    ALPHABETA,
    BEST_FIRST,
    GREEDY,
    OPTIMAL,
    PRINCIPAL,
    RANDOM,
    WITH_NET,
    WITHOUT_NET,
)
from workbench.language import SEMICOLON, tr, trc
from workbench.questions.keys import ByName, Key, Number, OneOf, OneOrMore, Word

OWN, LEARNED, NET, SHARED = "own", "learned", "net", "shared"


@dataclass(frozen=True)
class Evaluation:
    """How an agent judges a position."""

    name: str
    code: int
    """`workbench.engine.players.Agent.learned`."""
    sentence: str

    @property
    def described(self) -> str:
        """Its name, and what it is."""
        return tr("{name}, {sentence}", name=self.name, sentence=self.sentence)

    @property
    def trained(self) -> bool:
        """Whether it is learned by self-play with a seed."""
        return self.code != 0


EVALUATIONS: Mapping[str, Evaluation] = {
    each.name: each
    for each in (
        Evaluation(OWN, 0, tr("the heuristic's weights that come with the game, made by hand")),
        Evaluation(LEARNED, WITHOUT_NET, tr("weights that self-play has found for the ruleset (workbench train)")),
        Evaluation(NET, WITH_NET, tr("learned weights and a small network beside them (workbench train --net)")),
        Evaluation(
            SHARED,
            WITHOUT_NET,
            tr("the same weights under all rulesets of the experiment, found by self-play under all of them"),
        ),
    )
}
"""What an agent's evaluation may be; one that says nothing has the first."""
TRAINED = tuple(name for name, each in EVALUATIONS.items() if each.trained)


def training_key(evaluation: str, seed: int) -> str:
    """What records call a training: its seed, with the evaluation before it if that is not `LEARNED`; "" for none."""
    return "" if not seed else str(seed) if evaluation == LEARNED else f"{evaluation}-{seed}"


def split_training_key(key: str) -> tuple[str, int]:
    """The evaluation and the seed of a training."""
    evaluation, _, seed = key.rpartition("-")
    return evaluation or LEARNED, int(seed)


def shares_weights(key: str) -> bool:
    """Whether players by a training, "" for none, have the same weights under all rulesets of an experiment."""
    return not key or split_training_key(key)[0] == SHARED


def fallback_training(key: str) -> str:
    """By what those play whose training was not accepted: another training, or the game's own weights ("")."""
    evaluation, seed = split_training_key(key)
    return training_key(LEARNED, seed) if evaluation == NET else ""


SEEDS = (1, 2, 3)
"""The trainings of a ruleset that an answer rests on, if nobody says otherwise: an agent for each."""
MOST_TRAININGS = 1_000


@dataclass(frozen=True)
class Option:
    """A number that a kind of player reads: a field of `AgentSpec` and of `workbench.engine.players.Agent`."""

    name: str
    default: int | float
    low: float
    high: float
    sentence: str

    @property
    def key(self) -> Key:
        """What a file may write for it."""
        whole = isinstance(self.default, int)
        kind = tr("a whole number") if whole else tr("a number")
        expected = tr("{kind} from {low:,.0f} to {high:,.0f}", kind=kind, low=self.low, high=self.high)
        number = Number(self.low, self.high, whole=whole, expected=expected)
        return Key(self.name, number, self.sentence, self.default, default=self.default)


@dataclass(frozen=True)
class AgentKind:
    """A kind of player: all that tells it from the others, but for its search.

    One of which nothing else is declared stands for players from outside, and for kinds that there are no more.
    """

    name: str
    sentence: str = ""
    """What it does."""
    search: int | None = None
    """Its number in `workbench.engine.players.SEARCHES`; None: nothing here chooses its moves."""
    search_by_nodes: int | None = None
    """The number of its search with a budget of nodes, if that is another one."""
    options: tuple[Option, ...] = ()
    size: str = ""
    """The option that tells agents of the kind apart, and stands in their label; see `label`."""
    evaluates: bool = False
    """Whether it judges positions by weights, which may be learned: it reads weights, evaluation and training."""
    styled: bool = False
    """Whether it chooses from the list of moves that a style leaves it."""
    solved: bool = False
    """Whether it plays by the solution of the ruleset."""
    block: tuple[int, ...] = (200,)
    """Games that take about a second, or a few, when it plays itself: for the size 1, 2 …, the last for all larger
    ones. With a budget of nodes, that says how many."""
    offered: Mapping[str, str] = field(default_factory=dict)
    """How the studio offers it: without an option (""), or by its depth or nodes, {n}."""

    @property
    def at_random(self) -> bool:
        """Whether it looks at nothing: it judges no position, and the others are compared with it."""
        return self.search == RANDOM

    @property
    def at_once(self) -> bool:
        """Whether it looks at no more than its own moves: ladders stand on such, and nobody waits for them."""
        return not self.size and not self.solved

    @property
    def by_nodes(self) -> bool:
        """Whether it may have a budget of nodes."""
        return any(option.name == "nodes" for option in self.options)

    def label(self, size: str = "", value: int = 0) -> str:
        """What tables call an agent of the kind, by an option: nodes are written ``10k`` or ``2500n``."""
        if size == "nodes" and value:
            return f"{self.name}-{value // 1000}k" if value % 1000 == 0 else f"{self.name}-{value}n"
        return f"{self.name}-{value}" if size else self.name

    def keys(self) -> dict[str, Key]:
        """All that a file may say of an agent of the kind."""
        keys = [option.key for option in self.options]
        if self.by_nodes:
            place, plain = next((n, one) for n, one in enumerate(keys) if one.name == "nodes")
            sentence = tr("{sentence} Of a list, an agent for each.", sentence=plain.sentence)
            keys[place] = Key("nodes", OneOrMore(plain.kind, tr("a budget")), sentence, plain.example, plain.default)
        if self.evaluates:
            judged = tr(
                "How it judges a position: {evaluations}. If left out, {own}. Of a list, agents for each.",
                evaluations=SEMICOLON.join(each.described for each in EVALUATIONS.values()),
                own=OWN,
            )
            trained = tr(
                "With an evaluation that is learned, the seed of the training, or a list: an agent for each. If "
                "left out, three ({seeds}), so that the spread between trainings is seen.",
                seeds=", ".join(map(str, SEEDS)),
            )
            weighed = tr("Weights of the heuristic's features, where they differ from the game's own.")
            weights = ByName(tr("numbers such as {mobility: 0.5}"), Number(-1e9, 1e9, expected=tr("a number")))
            seed = tr("a whole number from 1 to {most_trainings}", most_trainings=MOST_TRAININGS)
            keys += [
                Key("weights", weights, weighed, {"mobility": 0.5}),
                Key("evaluation", OneOrMore(OneOf(tuple(EVALUATIONS)), tr("an evaluation")), judged, LEARNED),
                Key("training", OneOrMore(Number(1, MOST_TRAININGS, whole=True), seed), trained, SEEDS[0]),
            ]
        if self.styled:
            styles = tr("A style of the opening that the game declares.")
            keys.append(Key("style", Word(tr("the name of a style")), styles, "centre"))
        return {each.name: each for each in (*keys, NAME)}


NAME = Key("name", Word(tr("a name of at most 40 characters"), 40), tr("What tables call the player."), "mine")


_EPSILON = Option("epsilon", 0.0, 0, 1, tr("Chance that a move is drawn at random instead."))
_NOISE = Option("temperature", 0.05, 0, 1_000_000, tr("Size of the random noise on evaluations; 0 is none."))
_DEPTH = Option("depth", 2, 1, 12, tr("Plies to look ahead; with nodes, at most so many."))
_NODES_OR_DEPTH = tr("Positions to look at for a move, as deep as they reach; 0: to the depth.")

_ALL = (
    AgentKind(
        "random",
        tr("Every legal move is equally likely."),
        RANDOM,
        styled=True,
        block=(500,),
        offered={"": trc("agent kinds", "Every legal move is equally likely.")},
    ),
    AgentKind(
        "greedy",
        tr("Takes the move after which the heuristic likes the position best."),
        GREEDY,
        options=(_EPSILON, _NOISE),
        evaluates=True,
        styled=True,
        offered={"": tr("Takes the best-looking move; sees one ply.")},
    ),
    AgentKind(
        "alphabeta",
        tr("Searches a fixed number of plies ahead, or as deep as a budget of nodes reaches (alpha-beta)."),
        ALPHABETA,
        PRINCIPAL,
        options=(_EPSILON, _NOISE, _DEPTH, Option("nodes", 0, 0, 100_000_000, _NODES_OR_DEPTH)),
        size="depth",
        evaluates=True,
        styled=True,
        block=(150, 50, 3, 1),
        offered={
            "depth": tr("Looks {n} plies ahead."),
            "nodes": tr("Looks at {n} positions a move, as deep as they reach."),
        },
    ),
    AgentKind(
        "best-first",
        tr("Follows the likeliest lines as far as a budget of nodes reaches (best-first minimax)."),
        BEST_FIRST,
        options=(_EPSILON, _NOISE, Option("nodes", 10_000, 1, 10_000_000, tr("Positions to look at for a move."))),
        size="nodes",
        evaluates=True,
        styled=True,
        offered={
            "nodes": tr("Follows the likeliest lines, {n} positions a move."),
        },
    ),
    AgentKind(
        "optimal",
        tr("Plays perfectly, from the ruleset's solution (workbench solve --save); among equal moves at random."),
        OPTIMAL,
        options=(_EPSILON,),
        solved=True,
    ),
)
KINDS: Mapping[str, AgentKind] = {kind.name: kind for kind in _ALL}
"""The kinds of players, from weak to strong."""
OPTIONS: Mapping[str, type[int | float]] = {
    option.name: type(option.default) for kind in _ALL for option in kind.options
}
"""The types of all options."""

PEOPLE = "people"
"""The kind of players who are people, in records of games that were read from files."""


def kind_of(name: str) -> AgentKind:
    """The kind of that name; one of which nothing is declared for players from outside, and people."""
    return KINDS.get(name) or AgentKind(name)
