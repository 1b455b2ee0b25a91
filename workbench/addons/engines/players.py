"""UCI programs at a seat of a game, and the comparison of their rules with ours."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator

import numpy as np

from workbench import games
from workbench.addons.engines.uci import Engine, find_program
from workbench.base.errors import PlayerFailed
from workbench.base.language import tr
from workbench.engine import contract, trials
from workbench.engine.players import BlockArguments
from workbench.games.results import all_endings
from workbench.games.uci_variants import UciVariant
from workbench.players.agent_kinds import Program
from workbench.players.agents import AgentSpec
from workbench.players.external import ExternalPlayer, SeatPlayer, illegal_move
from workbench.positions.game_state import GameState, IllegalMove, apply_ply
from workbench.rules import rulebook
from workbench.rules.rulesets import Ruleset

__all__ = ["disagreement", "find_program", "goals", "open_program", "probe_program"]


class _UciPlayer:
    def __init__(self, outsider: ExternalPlayer, engine: Engine) -> None:
        self.outsider, self.engine = outsider, engine
        self.texts: list[str] = []
        self.played: list[int] = []

    def new_game(self, seat: int, seed: int) -> None:
        self.texts, self.played = [], []
        self.engine.new_game()

    def choose(self, game_state: GameState) -> int:
        if game_state.setup is not None:
            words = tr("{outsider} can only play games from the start, not from a set-up position.")
            raise PlayerFailed(words.format(outsider=self.outsider.label))
        texts = self._played_texts(game_state)
        state, rules, notation = game_state.state, game_state.rules, game_state.notation
        answer = self.engine.best_move(texts)
        for move in game_state.legal():
            if notation.uci(rules, state, move) == answer:
                return move
        raise illegal_move(self.engine.title, answer, game_state, self.outsider.ruleset)

    def _played_texts(self, game_state: GameState) -> list[str]:
        """Return the moves of the game in UCI; only moves since the last call are converted."""
        common = len(self.played)
        if game_state.played[:common] != self.played:
            common = 0
        del self.texts[common:]
        for ply in range(common, game_state.plies):
            self.texts.append(game_state.notation.uci(game_state.rules, game_state.before(ply), game_state.played[ply]))
        self.played = list(game_state.played)
        return self.texts


@contextlib.contextmanager
def open_program(outsider: ExternalPlayer) -> Iterator[SeatPlayer]:
    """Start a program, which ends with the context.

    Raises:
        PlayerFailed: it cannot be started, or does not know the ruleset.
    """
    with contextlib.closing(_engine(outsider)) as engine:
        yield _UciPlayer(outsider, engine)


def probe_program(outsider: ExternalPlayer, ruleset: Ruleset) -> tuple[str, str]:
    """Start a program briefly, and compares its rules with ours; its name, and a note for the user or "".

    Raises:
        PlayerFailed: it cannot be started, does not know the ruleset, or plays by other rules.
    """
    assert outsider.variant is not None
    with contextlib.closing(_engine(outsider)) as engine:
        return engine.name, disagreement(engine, outsider.variant, ruleset)


def _engine(outsider: ExternalPlayer) -> Engine:
    assert isinstance(outsider.outside, Program) and outsider.variant is not None
    return Engine(outsider.outside, outsider.label, outsider.variant, outsider.ruleset)


GAMES, LONGEST = 400, 300
"""Random games in which goals are looked for, and their plies."""
ASKED, TRIED = 3, 30
"""Positions in which a program has to see a win, for each ending and colour; and so many games are tried for them."""


def disagreement(engine: Engine, variant: UciVariant, ruleset: Ruleset) -> str:
    """Compare an engine's legal moves with ours; return "", or a note if it plays chess and cannot list its moves.

    Moves are compared at the start and in the family's witnesses, with every position on the way; wins are compared
    in random games of the ruleset that were about to be won.

    Limits: draws are not compared; the workbench ends such games itself.

    Raises:
        PlayerFailed: its moves differ from ours, it does not see a win, or it ends; or it cannot list its moves and the
            game is not chess.
    """
    compared = set()
    for start, game_state in _positions(variant, ruleset):
        position = _words(start, game_state)
        if position in compared or game_state.outcome()[0] != contract.ONGOING:
            continue
        compared.add(position)
        with _named(ruleset):
            listed = engine.legal_moves(position)
        if listed is None:
            note = tr(
                "{engine} does not list its legal moves ('go perft 1'): whether it plays by the rules of {ruleset} "
                "cannot be compared"
            ).format(engine=engine.title, ruleset=ruleset.name)
            if variant.name == "chess":
                return note
            raise PlayerFailed(tr("{note}.", note=note))
        ours = {_uci(game_state, move) for move in game_state.legal()}
        for move in sorted(ours.symmetric_difference(listed)):
            difference = tr("it has no move {move}") if move in ours else tr("it would play {move}")
            raise _otherwise(engine, ruleset, difference.format(move=move), position)
    # Chess is known to every engine, also to those that are weak on purpose.
    for ending, game_state, winning in goals(ruleset) if variant.name != "chess" else ():
        position, moves = _words(variant.start, game_state), [_uci(game_state, move) for move in winning]
        with _named(ruleset):
            sees = engine.sees_win(position, moves)
        if not sees:
            difference = tr("it does not see that {move} wins ({ending})", move=moves[0], ending=ending)
            raise _otherwise(engine, ruleset, difference, position)
    return ""


@contextlib.contextmanager
def _named(ruleset: Ruleset) -> Iterator[None]:
    """Name the ruleset in the error of an engine."""
    try:
        yield
    except PlayerFailed as failed:
        raise PlayerFailed(f"{ruleset.name}: {failed}") from None


def _otherwise(engine: Engine, ruleset: Ruleset, difference: str, position: str) -> PlayerFailed:
    claim = tr("{engine} does not play by the same rules as {ruleset}", engine=engine.title, ruleset=ruleset.name)
    words = tr("{claim}: {difference} after 'position {position}'.")
    return PlayerFailed(words.format(claim=claim, difference=difference, position=position))


def _uci(game_state: GameState, move: int, ply: int = -1) -> str:
    text: str = game_state.notation.uci(game_state.rules, game_state.before(ply), move)
    return text


def _words(start: str, game_state: GameState) -> str:
    """Return the arguments of the command ``position``."""
    moves = [_uci(game_state, move, ply) for ply, move in enumerate(game_state.played)]
    return " ".join((start, *["moves"] * bool(moves), *moves))


def _positions(variant: UciVariant, ruleset: Ruleset) -> Iterator[tuple[str, GameState]]:
    """Yield the positions to compare, each with the start of its game as an argument of the command ``position``."""
    start = GameState(ruleset.game, ruleset.codes())
    yield variant.start, start
    for witness in rulebook.family_witnesses(ruleset.game):
        start_words, game_state = variant.start, start.copy()
        with contextlib.suppress(IllegalMove):  # a witness of other rules
            if witness.setup is not None:
                game_state = GameState(ruleset.game, ruleset.codes(), setup=witness.setup)
                start_words = game_state.notation.uci_position(game_state.rules, game_state.state)
            for move in ("", *witness.moves * witness.times) if start_words else ():
                if move:
                    game_state.push_text(move)
                yield start_words, game_state


def goals(ruleset: Ruleset) -> Iterator[tuple[str, GameState, list[int]]]:
    """Yield for each ending by which a colour wins its name, positions of random games, and the moves that win there.

    They win at once or, where the loser's own ply ends the game, by any answer, and by no other ending.
    """
    game, codes, declaration = ruleset.game, ruleset.codes(), games.declaration(ruleset.game)
    random = AgentSpec.of("random").player(declaration)
    seeds = np.arange(GAMES, dtype=np.uint64)
    played = trials.run_block(BlockArguments(game, codes, random, random, seeds, LONGEST, keep=LONGEST))
    asked, tried = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for row in np.argsort(played["plies"], kind="stable"):
        goal = int(played["result"][row]), int(played["termination"][row])
        if goal[0] not in (contract.FIRST, contract.SECOND) or asked[goal] == ASKED or tried[goal] == TRIED:
            continue
        tried[goal] += 1
        game_state = GameState(game, codes)
        for move in played["opening"][row, : played["plies"][row] - 1]:
            game_state.push(move)
        answered = game_state.side != goal[0] - contract.FIRST
        if answered:
            game_state.undo()
        if game_state.side != goal[0] - contract.FIRST:
            continue
        legal = game_state.legal()
        ends = {move: _end(game_state, move, answered) for move in legal}
        winning = [move for move in legal if ends[move] == goal]
        by_others = any(end[0] == goal[0] and end != goal for end in ends.values())
        if winning and 3 * len(winning) <= len(legal) and not by_others:
            asked[goal] += 1
            yield all_endings(declaration)[goal[1]].name, game_state, winning


def _end(game_state: GameState, move: int, answered: bool) -> tuple[int, int]:
    """Return the result and termination after a move or after all answers; `ONGOING` if answers differ or go on."""
    rules, state = game_state.rules, game_state.state.copy()
    buffer = np.zeros(int(contract.max_moves(rules)), np.int32)
    apply_ply(rules, state, move)
    end = contract.terminal(rules, state, buffer)
    ends = {end}
    if end[0] == contract.ONGOING and answered:
        ends = set()
        for answer in buffer[: contract.legal_moves(rules, state, buffer)].tolist():
            after = state.copy()
            apply_ply(rules, after, answer)
            ends.add(contract.terminal(rules, after, buffer))
    result, termination = ends.pop() if len(ends) == 1 else (contract.ONGOING, 0)
    return int(result), int(termination)
