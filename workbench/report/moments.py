"""Where a proposal acts: a position of two rulesets in which the same player moves otherwise under each.

Games of a report that were played again are followed under both rulesets, as long as they are the same game. Wherever
the legal moves differ, or what a move leads to, one search looks at the position under each. Of the positions in which
a choice is not allowed under the other ruleset, or leads elsewhere there, the pair is the one in which the two values
lie farthest apart; failing these, of those in which the choices differ.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from workbench import games
from workbench.engine import contract
from workbench.games.game_state import GameState
from workbench.games.results import RESULTS
from workbench.language import SEMICOLON, join, tr
from workbench.play.judgement import Search
from workbench.questions.agents import AgentSpec
from workbench.questions.rulesets import Ruleset
from workbench.report.labels import format_percent
from workbench.report.model import Moment, Replay
from workbench.report.names import Names

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
    first, second = one.board(), other.board()
    grids = [(board.columns, board.rows, board.outside, board.cells, board.owners) for board in (first, second)]
    return grids[0] == grids[1] and one.seat == other.seat and one.outcome() == other.outcome()


def find_pair(names: Names, proposal: str, lines: Iterable[Sequence[int]]) -> Pair | None:
    """The clearest pair of the baseline and a proposal in games of either; None where there is none."""
    base, player = names.plan.baseline, searcher(names.plan.agents.values())
    if player is None or not base or proposal not in names.proposals:
        return None
    was, now = names.plan.ruleset(base), names.plan.ruleset(proposal)
    return clearest_pair(was, now, player, lines) if {was.game, now.game} <= set(games.names()) else None


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
