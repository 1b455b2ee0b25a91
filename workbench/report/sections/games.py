"""Games to look at, and where a proposal acts in them.

A proposal acts in a position of two rulesets in which the same player moves otherwise under each. Games of a report
that were played again are followed under both rulesets, as long as they are the same game. Wherever the legal moves
differ, or what a move leads to, one search looks at the position under each. Of the positions in which a choice is not
allowed under the other ruleset, or leads elsewhere there, the pair is the one in which the two values lie farthest
apart; failing these, of those in which the choices differ.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from workbench import games as families
from workbench.base.errors import InputError
from workbench.base.language import SEMICOLON, join, tr
from workbench.engine import contract
from workbench.games.results import RESULTS
from workbench.players.agent_kinds import PEOPLE
from workbench.players.agents import AgentSpec
from workbench.players.judgement import Search
from workbench.positions.game_state import GameState
from workbench.positions.playing import traces
from workbench.records.trials import Trials
from workbench.report.labels import ending_words, format_percent
from workbench.report.model import Findings, Moment, Paragraph, Part, Replay, ReplayList, Section
from workbench.report.names import Names
from workbench.report.replaying import ReplayBatch
from workbench.rules.rulesets import Ruleset
from workbench.statistics import AnalysisPlan


def replay_games(chosen: pd.DataFrame, plan: AnalysisPlan, weights: Mapping[str, Mapping[str, float]]) -> list[Replay]:
    """Plays the chosen games again, but for those whose family, or whose player's solution, is not at hand.

    Games of players from outside are not played again: a report starts no programs. The course of those that came out
    the same is evaluated as in the traces of a run, whether or not that run kept theirs.

    ``weights`` are the default weights of each family at the time of the run.
    """
    replays: dict[Any, Replay] = {}
    for key, records in chosen.groupby(["ruleset", "first", "second"], sort=False, observed=True):
        name, first, second = (str(part) for part in key)
        try:
            cell = ReplayBatch.of(records, plan, weights)
        except InputError:
            continue
        family, codes = cell.ruleset.game, cell.ruleset.codes()
        played = cell.moves()
        same = [moves for moves in played if moves is not None]
        lists = np.full((len(same), max(map(len, same), default=0)), -1, np.int32)
        for line, one in zip(lists, same, strict=True):
            line[: len(one)] = one
        courses = iter(traces(family, codes, *cell.players, lists))
        for row, record, moves in zip(records.index, records.to_dict("records"), played, strict=True):
            course = next(courses, None) if moves is not None else None
            replays[row] = Replay(
                name, first, second, family=family, codes=codes, moves=moves, reasons=tuple(record["reasons"]),
                evaluations=tuple(course.evaluations.tolist()) if course else (),
                **{column: record[column] for column in ("result", "termination", "game", "seed", "plies")},
            )  # fmt: skip
    return [replays[row] for row in chosen.index if row in replays]


MAX_GAMES = 60
"""Games that a page holds."""
SHORTEST = tr("the shortest")
TYPICAL = tr("a typical length")
LONGEST = tr("the longest that finished")
CHOSEN = tr("chosen by its number")
NONE_FINISHED = tr("none finished")
ENDED = tr("ended by {termination}")


def choose_games(
    games: Trials | pd.DataFrame, rulesets: Sequence[str], pairings: Sequence[tuple[str, str]]
) -> pd.DataFrame:
    """The records of the games to look at, with a column ``reasons``; at most `MAX_GAMES`.

    Of each ruleset: the shortest, a typical and the longest finished game of the last pairing that is an agent against
    itself, or else of the last one; if none finished, one that was stopped. Of each way to end: a game of the last
    pairing that has one. Among equal games the one with the smallest number.
    """
    kept = Trials.of(games)
    trials = kept.games
    if trials.empty:
        return trials.assign(reasons=None)
    strongest = next((pair for pair in reversed(pairings) if pair[0] == pair[1]), pairings[-1])
    rows: dict[Any, list[str]] = {}
    endings = {
        str(ending): _example(trials, str(ending), rulesets, pairings)
        for ending in trials["termination"].value_counts().index
    }
    shown = trials[(trials["first"] == strongest[0]) & (trials["second"] == strongest[1])]
    for name in rulesets:
        games_of = shown[shown["ruleset"] == name].sort_values(["plies", "game"])
        if games_of.empty or len(rows) + 3 + len(endings) > MAX_GAMES:
            continue
        games_of, stopped = games_of[games_of["result"] != "unfinished"], games_of
        if games_of.empty:
            rows.setdefault(stopped.index[0], []).append(NONE_FINISHED)
            continue
        middle = games_of["plies"].sub(games_of["plies"].median()).abs().sort_values(kind="stable").index[0]
        longest = games_of[games_of["plies"] == games_of["plies"].max()].index[0]
        for row, reason in ((games_of.index[0], SHORTEST), (middle, TYPICAL), (longest, LONGEST)):
            rows.setdefault(row, []).append(reason)
    for ending, row in endings.items():
        rows.setdefault(row, []).append(ENDED.format(termination=ending_words(str(trials.at[row, "ruleset"]), ending)))
    chosen = kept.rows(list(rows)).assign(reasons=pd.Series(rows, dtype=object))
    order = {name: i for i, name in enumerate(rulesets)}
    return chosen.sort_values("ruleset", key=lambda names: names.map(order), kind="stable")


def _example(trials: pd.DataFrame, ending: str, rulesets: Sequence[str], pairings: Sequence[tuple[str, str]]) -> Any:
    such = trials[trials["termination"] == ending]
    of_pairings = (such[(such["first"] == first) & (such["second"] == second)] for first, second in reversed(pairings))
    of_pairing = next(games for games in of_pairings if len(games))
    of_rulesets = (of_pairing.loc[of_pairing["ruleset"] == name, "game"] for name in rulesets)
    return next(games.idxmin() for games in of_rulesets if len(games))


def with_moments(section: Section, cards: Sequence[Part]) -> Section:
    """The games to look at, with those in which the proposals of some cards act."""
    findings = [each for part in cards if isinstance(part, Findings) for each in part.items]
    more = [replay for each in findings if each.moment for replay in each.moment.replays]
    parts = [
        replace(part, replays=[*part.replays, *more]) if isinstance(part, ReplayList) else part
        for part in section.parts
    ]
    return replace(section, parts=parts)


def games_section(trials: Trials, provenance: Mapping[str, Any], names: Names) -> Section:
    """The chosen games, played again."""
    chosen = choose_games(trials, names.rulesets, names.plan.pairings)
    cells = Counter({cell: len(trials.cell(cell)) for cell in trials.cells})
    sense = tr(
        "Of each ruleset the shortest, a typical and the longest game between the strongest "
        "players, and one game for each way to end, played again from their seeds."
    )
    if all(names.plan.agents[first].kind == PEOPLE for first, _ in names.plan.pairings):
        sense = tr(
            "Of each ruleset the shortest, a typical and the longest game of the highest rated people, and one game "
            "for each way to end."
        )
    shown_games = ReplayList(replay_games(chosen, names.plan, provenance.get("weights", {})), names.short_names, cells)
    return Section("games", tr("Games to look at"), [Paragraph(sense), shown_games])


NODES, DEPTH = 2_000, 2
"""How far the search looks at a position, at most."""
MOST_POSITIONS = 64
"""Positions that are searched; of more, as many that lie evenly between the first and the last."""
LEAST_SWING = 0.05
"""How far the values lie apart, at least, where the two moves themselves do not show the rule."""
FOLLOWED = 8
"""Plies that are played on under each ruleset."""


@dataclass(frozen=True)
class Pair:
    """A position in which two rulesets part."""

    rulesets: tuple[Ruleset, Ruleset]
    shared: tuple[int, ...]
    """The moves that lead there under both."""
    chosen: tuple[int, int]
    """What is played there under each."""
    values: tuple[float, float]
    """What the first seat can expect there under each: 0 to 1."""

    @property
    def swing(self) -> float:
        """How far the values lie apart."""
        return abs(self.values[0] - self.values[1])

    @cached_property
    def shows_the_rule(self) -> bool:
        """Whether a move that was chosen is not allowed under the other ruleset, or leads elsewhere there."""
        for move in self.chosen:
            both = [_after(ruleset, self.shared) for ruleset in self.rulesets]
            if any(move not in state.legal() for state in both):
                return True
            for state in both:
                state.push(move)
            if not _alike(*both):
                return True
        return False

    @cached_property
    def states(self) -> tuple[GameState, GameState]:
        """The game under each ruleset after the move that was chosen."""
        before, after = (_after(ruleset, self.shared) for ruleset in self.rulesets)
        before.push(self.chosen[0])
        after.push(self.chosen[1])
        return before, after


def searcher(players: Iterable[AgentSpec]) -> AgentSpec | None:
    """Who searches, of some players: the one that looks farthest, within `NODES` or `DEPTH`; None if nobody judges."""
    judges = [player.judge() for player in players if player.declared.evaluates and not player.outside]
    best = max(judges, key=lambda player: (bool(player.nodes), player.nodes, player.depth), default=None)
    if best is None:
        return None
    depth = best.depth if best.nodes else min(best.depth, DEPTH)
    return dataclasses.replace(best, nodes=min(best.nodes, NODES), depth=depth, training=0)


def clearest_pair(was: Ruleset, now: Ruleset, player: AgentSpec, lines: Iterable[Sequence[int]]) -> Pair | None:
    """The clearest pair in games (``lines``, as the engine numbers moves) that were played under either ruleset.

    None where the rulesets have different boards, or nothing that differs matters to the player.
    """
    if was.game != now.game:
        return None
    rulesets = was, now
    positions = list(dict.fromkeys(shared for line in lines for shared in _partings(rulesets, line)))
    positions = positions[:: -(-len(positions) // MOST_POSITIONS) or 1]
    searches = [Search(player, ruleset) for ruleset in rulesets] if positions else []
    pairs = []
    for shared in positions:
        states = [_after(ruleset, shared) for ruleset in rulesets]
        (before, worth), (after, worth_now) = (
            search.look(state) for search, state in zip(searches, states, strict=True)
        )
        # The search speaks of sides, the pair of players.
        values = (1 - worth, 1 - worth_now) if states[0].swapped else (worth, worth_now)
        pair = Pair(rulesets, shared, (before, after), values)
        if pair.shows_the_rule or (before != after and pair.swing >= LEAST_SWING):
            pairs.append(pair)
    return max(pairs, key=lambda pair: (pair.shows_the_rule, pair.swing), default=None)


def play_on(pair: Pair, player: AgentSpec) -> tuple[GameState, GameState]:
    """Both games, from the start to `FOLLOWED` plies behind the parting or to their end."""
    both = [state.copy() for state in pair.states]
    for game_state, ruleset in zip(both, pair.rulesets, strict=True):
        search = Search(player, ruleset)
        for _ in range(FOLLOWED):
            if game_state.outcome()[0] != contract.ONGOING:
                break
            game_state.push(search.look(game_state)[0])
    return both[0], both[1]


def _partings(rulesets: tuple[Ruleset, Ruleset], line: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The beginnings of a game after which the legal moves differ, or what its next move leads to."""
    states = [_after(ruleset, ()) for ruleset in rulesets]
    for ply, move in enumerate(line):
        if not _alike(*states):
            if ply:
                yield tuple(line[: ply - 1])
            return
        legal = [set(state.legal()) for state in states]
        if legal[0] != legal[1]:
            yield tuple(line[:ply])
        if any(move not in moves for moves in legal):
            return
        for state in states:
            state.push(move)
    if line and not _alike(*states):
        yield tuple(line[:-1])


def _after(ruleset: Ruleset, moves: Sequence[int]) -> GameState:
    game_state = GameState(ruleset.game, ruleset.codes())
    for move in moves:
        game_state.push(move)
    return game_state


def _alike(one: GameState, other: GameState) -> bool:
    """Whether nobody who looks at the board could tell two games apart."""
    # Alike at the start, they are drawn alike wherever the kernel's words are the same.
    drawn = [] if one.plies and np.array_equal(one.state, other.state) else [one.board(), other.board()]
    grids = {(board.columns, board.rows, board.outside, board.cells, board.owners) for board in drawn}
    return len(grids) < 2 and one.seat == other.seat and one.outcome() == other.outcome()


def find_pair(names: Names, proposal: str, lines: Iterable[Sequence[int]]) -> Pair | None:
    """The clearest pair of the baseline and a proposal in games of either; None where there is none."""
    base, player = names.plan.baseline, searcher(names.plan.agents.values())
    if player is None or not base or proposal not in names.plan.proposals:
        return None
    was, now = names.plan.ruleset(base), names.plan.ruleset(proposal)
    return clearest_pair(was, now, player, lines) if {was.game, now.game} <= set(families.names()) else None


def decisive_moment(names: Names, proposal: str, replays: Iterable[Replay]) -> Moment | None:
    """The position in which a proposal acts most clearly, with the move under each ruleset, if there is one."""
    both = names.plan.baseline, proposal
    lines = [replay.moves for replay in replays if replay.ruleset in both and replay.moves is not None]
    pair = find_pair(names, proposal, lines)
    if pair is None:
        return None
    states, at = pair.states, len(pair.shared)
    cells = [state.touched() for state in states]
    highlights = {"shut": cells[0] - cells[1], "open": cells[1] - cells[0], "last": cells[0] & cells[1]}
    was, now = (
        tr("{ruleset}: {move}", ruleset=names.short(ruleset.name), move=state.texts[-1])
        for ruleset, state in zip(pair.rulesets, states, strict=True)
    )
    return Moment(
        f"moment-{names.rulesets.index(proposal)}", states[1].board(at), highlights, moment_text(names, pair),
        tr("Move {n}", n=at + 1), was, now, pair_replays(names, pair),
    )  # fmt: skip


def moment_text(names: Names, pair: Pair) -> str:
    """What happens in the position of a pair, in a line."""
    text = tr("Move {n}: {was} under {baseline}, {now} under {proposal}")
    if pair.chosen[0] == pair.chosen[1]:
        text = tr("Move {n}: {was} under {baseline} as under {proposal}, with other consequences")
    was, now = (state.texts[-1] for state in pair.states)
    baseline, proposal = (names.short(ruleset.name) for ruleset in pair.rulesets)
    where = text.format(n=len(pair.shared) + 1, was=was, now=now, baseline=baseline, proposal=proposal)
    before, after = (format_percent(value, 0) for value in pair.values)
    worth = tr("the first player can expect {before} → {after} of the points", before=before, after=after)
    return join(SEMICOLON, (where, worth))


def pair_replays(names: Names, pair: Pair) -> tuple[Replay, Replay]:
    """Both games of a pair, played on for some plies."""
    player = searcher(names.plan.agents.values())
    assert player is not None
    played = play_on(pair, player)
    return _replay(names, pair, played[0], "was"), _replay(names, pair, played[1], "now")


def _replay(names: Names, pair: Pair, game_state: GameState, which: str) -> Replay:
    ruleset, proposal = pair.rulesets[which == "now"], pair.rulesets[1].name
    text = tr("Where {proposal} acts: one game up to move {n}, played on under {ruleset}")
    if not pair.shared:
        text = tr("Where {proposal} acts: from the first move on, played under {ruleset}")
    about = text.format(proposal=names.short(proposal), n=len(pair.shared), ruleset=names.short(ruleset.name))
    _, termination = game_state.outcome()
    return Replay(
        ruleset.name, "", "", 0, 0, RESULTS[game_state.result], termination or "", game_state.plies, (), ruleset.game,
        ruleset.codes(), tuple(game_state.played), link=f"pair/{proposal}/{which}", about=about,
        parting=len(pair.shared) + 1,
    )  # fmt: skip
