"""Whether a program plays by a ruleset: its own legal moves beside ours, where the settings of the ruleset show.

Source: the positions are the start and the family's witnesses, with every position on the way.
Limits: moves are compared, and not how games end; the workbench ends them itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.engine import contract
from workbench.games.game_state import GameState, IllegalMove
from workbench.games.uci_variants import UciVariant
from workbench.outside.errors import PlayerFailed
from workbench.outside.uci import Engine
from workbench.questions import witnesses
from workbench.questions.rulesets import Ruleset


def disagreement(engine: Engine, variant: UciVariant, ruleset: Ruleset) -> str:
    """A sentence on an engine that cannot list its moves in orthodox chess; "" for one that has the same moves as we.

    Raises:
        PlayerFailed: it has other moves than we, or ends; or it cannot list them, and the rules are not known to all.
    """
    compared = set()
    for begin, game_state in _positions(variant, ruleset):
        rules, notation = game_state.rules, game_state.notation
        moves = [notation.uci(rules, game_state.before(ply), move) for ply, move in enumerate(game_state.played)]
        position = " ".join((begin, *["moves"] * bool(moves), *moves))
        if position in compared or game_state.outcome()[0] != contract.ONGOING:
            continue
        compared.add(position)
        try:
            listed = engine.legal(position)
        except PlayerFailed as failed:
            raise PlayerFailed(f"{ruleset.name}: {failed}") from None
        if listed is None:
            if variant.name == "chess":
                return (
                    f"{engine.title} does not list its legal moves ('go perft 1'): whether it plays by the rules of "
                    f"{ruleset.name} was not compared"
                )
            raise PlayerFailed(
                f"{engine.title} does not list its legal moves ('go perft 1'), which would show whether it plays by "
                f"the rules of {ruleset.name}."
            )
        ours = {notation.uci(rules, game_state.state, move) for move in game_state.legal()}
        for move in sorted(ours.symmetric_difference(listed)):
            other = f"plays by other rules than {ruleset.name}"
            if move in ours:
                raise PlayerFailed(f"{engine.title} {other}: it has no move {move} after 'position {position}'.")
            raise PlayerFailed(f"{engine.title} {other}: it would play {move} after 'position {position}'.")
    return ""


def _positions(variant: UciVariant, ruleset: Ruleset) -> Iterator[tuple[str, GameState]]:
    """Where moves are compared, and where its game began in the words of the command ``position``."""
    start = GameState(ruleset.game, ruleset.codes())
    yield variant.start, start
    for witness in witnesses.of(ruleset.game):
        if witness.setup is None:
            begin, game_state = variant.start, start.copy()
        elif "fen" in witness.setup:
            begin = " ".join(("fen", str(witness.setup["fen"])))
            try:
                game_state = GameState(ruleset.game, ruleset.codes(), setup=witness.setup)
            except IllegalMove:
                continue
        else:
            continue
        yield begin, game_state
        for move in witness.moves * witness.times:
            try:
                game_state.push_text(move)
            except IllegalMove:
                break
            yield begin, game_state
