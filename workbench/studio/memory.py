"""What a process of the studio remembers of the games that are played or looked at, so as not to make it anew."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.games.game_state import GameState
    from workbench.questions.rulesets import Ruleset

MAX_REMEMBERED = 8
"""Games, players and judges that a process remembers."""
_states: OrderedDict[tuple[str, str], GameState] = OrderedDict()


def remember(memory: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    """Adds a value, or makes it the latest one; the oldest beyond `MAX_REMEMBERED` goes."""
    memory[key] = value
    memory.move_to_end(key)
    while len(memory) > MAX_REMEMBERED:
        memory.popitem(last=False)


def state_after(ruleset: Ruleset, start: str, played: tuple[int, ...]) -> GameState:
    """The game after these moves; what two calls share is not played again."""
    from workbench.games.game_state import GameState, setup_of

    key = (ruleset.fingerprint, start)
    game_state = _states.get(key) or GameState(ruleset.game, ruleset.codes(), setup_of(ruleset.game, start))
    remember(_states, key, game_state)
    while game_state.played and tuple(game_state.played) != played[: len(game_state.played)]:
        game_state.undo()
    for move in played[len(game_state.played) :]:
        game_state.push(move)
    return game_state
