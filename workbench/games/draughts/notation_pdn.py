"""Games of draughts in Portable Draughts Notation: which game of the standard the rules are, results, tags and moves.

Source: "Portable Draughts Notation", version 3.0: the tags, the table of game types with its results, and the grammar
for reading. A result is told from the side that moves first: ``1-0`` in English draughts means that Black won. Two
things are written as all programs read them: a capture has an x, which the standard writes as a colon in Russian
draughts and reads as either, and a game ends with its result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from workbench.games.declaration import Setting
from workbench.games.draughts.kernel_tables import extent
from workbench.games.draughts.rules import DECLARATION
from workbench.games.draughts.rules_squares import naming

_FLYING: Mapping[str, Setting] = {"king_move": "flying", "king_capture": "flying"}
_RUSSIAN: Mapping[str, Setting] = {
    **_FLYING, "men_capture": "all-directions", "crowning_in_capture": "becomes-king-and-goes-on",
}  # fmt: skip
_BRAZILIAN: Mapping[str, Setting] = {
    **_FLYING, "men_capture": "all-directions", "capture_choice": "most-pieces",
    "crowning_in_capture": "stays-man-unless-it-ends-there",
}  # fmt: skip
INTERNATIONAL, CANADIAN = 20, 27
GAMES: Mapping[int, Mapping[str, Setting]] = {
    INTERNATIONAL: {**_BRAZILIAN, "size": 10, "rows": 4},
    21: {},
    22: {"men_may_take_kings": False, "capture_choice": "italian"},
    23: {**_RUSSIAN, "crowning_in_capture": "stays-man-unless-it-ends-there"},
    24: {**_FLYING, "capture_choice": "spanish"},
    25: _RUSSIAN,
    26: _BRAZILIAN,
    CANADIAN: {**_BRAZILIAN, "size": 12, "rows": 5},
    29: {**_FLYING, "capture_choice": "king-first"},
    30: {
        **_FLYING, "squares": "all", "rows": 2, "empty_back_rows": 1, "men_step": "forward-and-sideways",
        "capture_choice": "most-pieces", "crowning_in_capture": "stays-man-unless-it-ends-there",
        "removal": "at-once", "reverse_turn": "forbidden",
    },
    40: {
        **_BRAZILIAN, "size": 10, "rows": 4, "capture_lines": "all", "capture_choice": "frisian", "king_run": 3,
    },
    41: {**_RUSSIAN, "size": "10x8"},
}  # fmt: skip
"""The games of the standard by the number of their type: what differs from English draughts, draws left aside."""
_DRAWS = ("stuck", "repetition", "quiet_limit", "endgame_limits", "start_position")
"""What a game of the standard may have otherwise: how it is drawn, and where it begins."""

TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "Result", "GameType")
"""The tags that come first, in this order."""
NO_DATE = "????.??.??"
RESULTS, INTERNATIONAL_RESULTS = ("*", "1-0", "0-1", "1/2-1/2"), ("*", "2-0", "0-2", "1-1")
"""How results are written, by the engine's code."""
NAMING = ("size", "squares", "king_capture", "capture_choice", "endgame_limits")
"""The toggles that decide how squares are named, and who moves first."""


def settings(rules: Any) -> Mapping[str, Setting]:
    """Return the rules' settings that decide how squares are named."""
    return _settings(*(getattr(rules, name) for name in NAMING))


@cache
def _settings(*codes: int) -> Mapping[str, Setting]:
    toggles = [DECLARATION.toggle(name) for name in NAMING]
    return {
        toggle.name: next(value.name for value in toggle.values if toggle.code(value.name) == code)
        for toggle, code in zip(toggles, codes, strict=True)
    }


def game_of(rules: Any) -> int:
    """Return the number of the game of the standard that is played by these rules; 0 if there is none."""
    for number, differs in GAMES.items():
        codes = DECLARATION.codes(DECLARATION.defaults() | dict(differs))
        if all(getattr(rules, name) == code for name, code in codes.items() if name not in _DRAWS):
            return number
    return 0


def game_type(rules: Any) -> str:
    """The ``GameType`` of the rules, such as ``21,B,8,8,N1,0``; "" if the standard has no number for the game."""
    number, how = game_of(rules), naming(settings(rules))
    kind, (files, ranks) = "A" if how.lettered else "N", extent(rules.size)
    return f"{number},{how.first},{files},{ranks},{kind}{how.corner},{int(how.mirrored)}" if number else ""


def written(rules: Any, moves: Sequence[str], turn: int, result: int, tags: Mapping[str, str]) -> str:
    """A game as PDN: moves as texts, the seat that moves first, the engine's code of the result, and the tags."""
    number = game_of(rules)
    ending = (INTERNATIONAL_RESULTS if number in (INTERNATIONAL, CANADIAN) else RESULTS)[result]
    head = {**tags, "Result": ending, **({"GameType": game_type(rules)} if number else {})}
    head = {name: head[name] for name in (*(name for name in TAGS if name in head), *head)}
    words, ply, begins = [], turn, True
    for move in moves:
        if begins and ply % 2 == 0:
            words.append(f"{ply // 2 + 1}.")
        elif not words:
            words.append(f"{ply // 2 + 1}...")
        words.append(move)
        # Who huffs moves after that.
        begins = not move.startswith("huff")
        ply += begins
    lines, line = [], ""
    for word in [*words, ending]:
        if line and len(line) + len(word) > 78:
            lines.append(line)
            line = ""
        line += f" {word}" if line else word
    escaped = {key: value.replace("\\", "\\\\").replace('"', '\\"') for key, value in head.items()}
    return "\n".join([*(f'[{key} "{value}"]' for key, value in escaped.items()), "", *lines, line, ""])
