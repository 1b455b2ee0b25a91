"""Whether a program plays by a ruleset: compares its legal moves with ours where the ruleset's settings matter.

Source: the positions are the start and the family's witnesses, with every position on the way.
Limits: moves are compared, and not how games end; the workbench ends them itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.engine import contract
from workbench.games.game_state import GameState, IllegalMove
from workbench.games.uci_variants import UciVariant
from workbench.language import tr
from workbench.outside.errors import PlayerFailed
from workbench.outside.uci import Engine
from workbench.questions import witnesses
from workbench.questions.rulesets import Ruleset


def disagreement(engine: Engine, variant: UciVariant, ruleset: Ruleset) -> str:
    """Compares an engine's legal moves with ours; returns "", or a note if it plays chess and cannot list its moves.

    Raises:
        PlayerFailed: its moves differ from ours, or it ends; or it cannot list them and the game is not chess.
    """
    compared = set()
    for start, game_state in _positions(variant, ruleset):
        rules, notation = game_state.rules, game_state.notation
        moves = [notation.uci(rules, game_state.before(ply), move) for ply, move in enumerate(game_state.played)]
        position = " ".join((start, *["moves"] * bool(moves), *moves))
        if position in compared or game_state.outcome()[0] != contract.ONGOING:
            continue
        compared.add(position)
        try:
            listed = engine.legal_moves(position)
        except PlayerFailed as failed:
            raise PlayerFailed(f"{ruleset.name}: {failed}") from None
        if listed is None:
            if variant.name == "chess":
                return tr(
                    "{engine} does not list its legal moves ('go perft 1'): whether it plays by the rules of "
                    "{ruleset} was not compared",
                    engine=engine.title,
                    ruleset=ruleset.name,
                )
            raise PlayerFailed(
                tr(
                    "{engine} does not list its legal moves ('go perft 1'), which would show whether it "
                    "plays by the rules of {ruleset}.",
                    engine=engine.title,
                    ruleset=ruleset.name,
                )
            )
        ours = {notation.uci(rules, game_state.state, move) for move in game_state.legal()}
        for move in sorted(ours.symmetric_difference(listed)):
            claim = tr("plays by other rules than {ruleset}", ruleset=ruleset.name)
            if move in ours:
                raise PlayerFailed(
                    tr(
                        "{engine} {claim}: it has no move {move} after 'position {position}'.",
                        engine=engine.title,
                        claim=claim,
                        move=move,
                        position=position,
                    )
                )
            raise PlayerFailed(
                tr(
                    "{engine} {claim}: it would play {move} after 'position {position}'.",
                    engine=engine.title,
                    claim=claim,
                    move=move,
                    position=position,
                )
            )
    return ""


def _positions(variant: UciVariant, ruleset: Ruleset) -> Iterator[tuple[str, GameState]]:
    """The positions to compare, each with the start of its game as an argument of the command ``position``."""
    start = GameState(ruleset.game, ruleset.codes())
    yield variant.start, start
    for witness in witnesses.family_witnesses(ruleset.game):
        if witness.setup is None:
            start_words, game_state = variant.start, start.copy()
        elif "fen" in witness.setup:
            start_words = " ".join(("fen", str(witness.setup["fen"])))
            try:
                game_state = GameState(ruleset.game, ruleset.codes(), setup=witness.setup)
            except IllegalMove:
                continue
        else:
            continue
        yield start_words, game_state
        for move in witness.moves * witness.times:
            try:
                game_state.push_text(move)
            except IllegalMove:
                break
            yield start_words, game_state
