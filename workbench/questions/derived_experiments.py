"""Experiments made of those in files: with fewer games, or with other players."""

from __future__ import annotations

from dataclasses import replace

from workbench.files.names import QUICK_LOOK, STRONG
from workbench.questions.agent_kinds import KINDS, LEARNED, OWN, SEEDS, SHARED
from workbench.questions.agents import AgentSpec
from workbench.questions.experiment import Experiment
from workbench.questions.lines import DrawnLines

STRONG_NODES, STRONG_GAMES, STRONG_PLIES = (250, 2_000), 150, 4
"""The budgets of `with_strong_players`, the games of each cell, and the plies of the lines that are drawn for them.

What a doubling of nodes changes is told the better the farther budgets lie apart; more than a factor of ten is too far.
"""


def quick_look(experiment: Experiment, count: int) -> Experiment:
    """The experiment with ``count`` games in every cell, none of which ends earlier; its name says so.

    The games are the first ``count`` of the experiment's own, by their seeds.
    """
    name = QUICK_LOOK.format(name=experiment.name, count=count)
    return replace(_without_early_ends(experiment, count), name=name, quick_look=experiment.games)


def with_strong_players(experiment: Experiment, share: bool = False) -> Experiment:
    """The same rulesets and question, by players that can tell what strong play says; its name says so.

    Both families of search play themselves with two budgets of nodes, the game's own weights and those of three
    trainings; from lines that are drawn, where the file says nothing of openings. The rulesets ``share`` the first of
    these trainings, where they can: differences show in fewer games between players of the same weights.
    """
    players = strong_players(SEEDS[:2], SEEDS[:1]) if share else strong_players()
    return replace(
        _without_early_ends(experiment, STRONG_GAMES),
        name=STRONG.format(name=experiment.name),
        pairings=tuple((player, player) for player in (one.within(experiment.rulesets) for one in players)),
        openings=experiment.openings or DrawnLines(STRONG_PLIES),
    )


def strong_players(trainings: tuple[int, ...] = SEEDS, shared: tuple[int, ...] = ()) -> tuple[AgentSpec, ...]:
    """Both families of search with two budgets of nodes, by the game's own weights and by those of trainings."""
    kinds = [kind.name for kind in KINDS.values() if kind.by_nodes]
    judged = [(OWN, 0), *((SHARED, seed) for seed in shared), *((LEARNED, seed) for seed in trainings)]
    return tuple(
        AgentSpec.of(kind, nodes=nodes, training=training, evaluation=evaluation)
        for kind in kinds for nodes in STRONG_NODES for evaluation, training in judged
    )  # fmt: skip


def _without_early_ends(experiment: Experiment, games: int) -> Experiment:
    """With a fixed number of games, even where the file ends cells early.

    Verdicts after these games need no correction for interim analyses that are not taken.
    """
    return replace(experiment, games=games, until="", precision=None, looks=None)
