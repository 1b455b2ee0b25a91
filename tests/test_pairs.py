"""Where a changed rule acts: positions of two rulesets that one knows, and what the same player does under each."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.report_folders import SAMPLE
from workbench.engine import contract
from workbench.players.agents import agent_from_text
from workbench.players.match import games_between
from workbench.positions.game_state import GameState
from workbench.report.folders import read_report_trials, read_run_provenance
from workbench.report.model import Certainty, Finding, Findings, Paragraph, ReplayList
from workbench.report.names import Names
from workbench.report.sections import games as moments
from workbench.report.sections.games import decisive_moment, games_section, with_moments
from workbench.rules import rulesets
from workbench.statistics import AnalysisPlan

SEARCH = moments.searcher([agent_from_text("greedy"), agent_from_text("alphabeta-100k")])
STALEMATE = "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6"
"""The shortest game that ends by stalemate (S. Loyd)."""
pytestmark = pytest.mark.usefixtures("in_the_checkout")


def line(ruleset: str, text: str) -> list[int]:
    loaded = rulesets.load_ruleset(ruleset)
    game_state = GameState(loaded.game, loaded.codes())
    for move in text.split():
        game_state.push_text(move)
    return game_state.played


def played(ruleset: str, games: int, agent: str = "greedy") -> list[tuple[int, ...]]:
    player = agent_from_text(agent)
    return [one.codes for one in games_between(rulesets.load_ruleset(ruleset), player, player, 1, games, 200)]


def pair_of(was: str, now: str, lines: Sequence[Sequence[int]]) -> moments.Divergence | None:
    assert SEARCH is not None
    return moments.clearest_divergence(rulesets.load_ruleset(was), rulesets.load_ruleset(now), SEARCH, lines)


def test_who_searches_looks_farthest_but_not_too_far() -> None:
    assert SEARCH is not None and (SEARCH.kind, SEARCH.nodes) == ("alphabeta", moments.NODES)
    deep = moments.searcher([agent_from_text("alphabeta-4"), agent_from_text("random")])
    assert deep is not None and (deep.depth, deep.nodes) == (moments.DEPTH, 0)
    assert moments.searcher([agent_from_text("random")]) is None


@pytest.mark.family("chess")
def test_a_stalemate_is_sought_where_it_wins_and_avoided_where_it_draws() -> None:
    moves = line("chess/orthodox", STALEMATE)
    pair = pair_of("chess/orthodox", "chess/stalemate-wins", [moves])
    assert pair is not None and list(pair.shared) == moves[:-1] and pair.shows_rule
    was, now = pair.states
    assert now.texts[-1].startswith("Qe6") and not was.texts[-1].startswith("Qe6")
    assert now.outcome()[0] == contract.FIRST and was.outcome()[0] == contract.ONGOING
    assert pair.values[1] == 1.0
    assert pair_of("chess/orthodox", "chess/stalemate-wins", [moves[:-1]]) is None, "nothing differs before"


def test_of_all_positions_the_one_in_which_most_is_at_stake_is_shown() -> None:
    games = played("star/default", 6) + played("star/stuck-draws", 6)
    pair = pair_of("star/default", "star/stuck-draws", games)
    assert pair is not None and pair == pair_of("star/default", "star/stuck-draws", games)
    # Who leaves the other one without a move wins, or draws.
    assert pair.chosen[0] == pair.chosen[1] and pair.swing == 0.5
    assert [state.outcome()[0] for state in pair.states] == [contract.SECOND, contract.DRAW]
    assert SEARCH is not None
    before, after = moments.continue_games(pair, SEARCH)
    for game_state in (before, after):
        assert tuple(game_state.played[: len(pair.shared)]) == pair.shared
        assert game_state.plies <= len(pair.shared) + 1 + moments.FOLLOWED
    assert [state.plies for state in pair.states] == [len(pair.shared) + 1] * 2, "the pair itself is left as it is"


@pytest.mark.parametrize(
    ("was", "now"), [("star/default", "star/4x4"), ("star/default", "star/default"), ("star/default", "chatra/9x9")]
)
def test_no_pair_on_other_boards_or_without_a_difference(was: str, now: str) -> None:
    assert pair_of(was, now, played("star/default", 4)) is None


@pytest.mark.thorough
def test_a_card_has_the_position_in_which_its_proposal_acts_and_the_report_both_games() -> None:
    provenance = read_run_provenance(SAMPLE)
    plan = AnalysisPlan.from_provenance(provenance)
    names = Names(plan)
    section = games_section(read_report_trials(SAMPLE, provenance, plan.pairings), provenance, names)
    shown = next(part for part in section.parts if isinstance(part, ReplayList))
    moment = decisive_moment(names, "chatra/C", shown.replays)
    assert moment is not None and moment.text.startswith("Move 1: ") and "under Rules of September 2007" in moment.text
    assert len(moment.highlights["shut"]) == len(moment.highlights["open"]) == 1 and not moment.highlights["last"]
    assert moment.now.startswith("C: O") and not moment.was.startswith("2007-09: O")
    was, now = moment.replays
    assert was.moves is not None and now.moves is not None and was.parting == 1 and was.moves[0] != now.moves[0]
    assert "makes a difference: from the first move on, under" in was.about, "nothing is shared"
    assert [replay.link for replay in moment.replays] == ["pair/chatra/C/was", "pair/chatra/C/now"]
    assert decisive_moment(names, plan.baseline, shown.replays) is decisive_moment(names, "chatra/C", []) is None

    card = Finding("C", "", Certainty("", "", ""), moment=moment)
    more = with_moments(section, [Paragraph("text"), Findings([card], 8)])
    listed = next(part for part in more.parts if isinstance(part, ReplayList))
    assert list(listed.replays) == [*shown.replays, was, now]
    assert with_moments(section, []) == section
