"""Notation of draughts' moves, positions and games, and reasons why a move is illegal.

Source: "Portable Draughts Notation", version 3.0: FEN, moves, tags, the table of game types with its results, and the
grammar for reading. Results refer to the side that moves first: ``1-0`` in English draughts means that Black won.
Captures are written with an x, which all programs accept. Royal pieces (R) and ranges of lettered squares are our own
additions.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from workbench.base.errors import expected
from workbench.base.language import OR, tr
from workbench.engine.contract import legal_moves, max_moves, start
from workbench.games import boards as positions
from workbench.games import results
from workbench.games.declaration import Board, Setting
from workbench.games.draughts import kernel
from workbench.games.draughts import kernel_board as b
from workbench.games.draughts import kernel_moves as m
from workbench.games.draughts import rules_squares as named
from workbench.games.draughts.kernel_board import TOGGLES
from workbench.games.draughts.rules import DECLARATION

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
"""The standard games by type number, as differences from English draughts, ignoring draws."""
_DRAWS = ("stuck", "repetition", "quiet_limit", "endgame_limits", "start_position")
"""Toggles that a standard game may set freely: draws and the start position."""

TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "Result", "GameType")
"""The leading tags, in order."""
NO_DATE = "????.??.??"
RESULTS, INTERNATIONAL_RESULTS = ("*", "1-0", "0-1", "1/2-1/2"), ("*", "2-0", "0-2", "1-1")
"""Result texts by the engine's code."""
NAMING = ("size", "squares", "king_capture", "capture_choice", "endgame_limits")
"""The toggles that determine the names of squares and the first mover."""


def settings(rules: Any) -> Mapping[str, Setting]:
    """Return the settings that determine the names of squares."""
    return _settings(*(getattr(rules, name) for name in NAMING))


@cache
def _settings(*codes: int) -> Mapping[str, Setting]:
    toggles = [DECLARATION.toggle(name) for name in NAMING]
    return {
        toggle.name: next(value.name for value in toggle.values if toggle.code(value.name) == code)
        for toggle, code in zip(toggles, codes, strict=True)
    }


def standard_game(rules: Any) -> int:
    """Return the PDN standard's number for the game with these rules, or 0."""
    for number, differences in GAMES.items():
        codes = DECLARATION.codes(DECLARATION.defaults() | dict(differences))
        if all(getattr(rules, name) == code for name, code in codes.items() if name not in _DRAWS):
            return number
    return 0


def game_type(rules: Any) -> str:
    """Return the PDN ``GameType`` for the rules, such as ``21,B,8,8,N1,0``, or ""."""
    number, naming = standard_game(rules), named.square_naming(settings(rules))
    kind, (files, ranks) = "A" if naming.lettered else "N", named.extent(rules.size)
    return f"{number},{naming.first},{files},{ranks},{kind}{naming.corner},{int(naming.mirrored)}" if number else ""


def write_game(rules: Any, moves: Sequence[str], turn: int, result: int, tags: Mapping[str, str]) -> str:
    """Return a game as PDN, given its move texts, the seat to move first, the result code and the tags."""
    number = standard_game(rules)
    ending = (INTERNATIONAL_RESULTS if number in (INTERNATIONAL, CANADIAN) else RESULTS)[result]
    all_tags = {**tags, "Result": ending, **({"GameType": game_type(rules)} if number else {})}
    all_tags = {name: all_tags[name] for name in (*(name for name in TAGS if name in all_tags), *all_tags)}
    words, ply, starts_turn = [], turn, True
    for move in moves:
        if starts_turn and ply % 2 == 0:
            words.append(f"{ply // 2 + 1}.")
        elif not words:
            words.append(f"{ply // 2 + 1}...")
        words.append(move)
        # After a huff, the same player moves.
        starts_turn = not move.startswith("huff")
        ply += starts_turn
    lines, line = [], ""
    for word in [*words, ending]:
        if line and len(line) + len(word) > 78:
            lines.append(line)
            line = ""
        line += f" {word}" if line else word
    escaped = {key: value.replace("\\", "\\\\").replace('"', '\\"') for key, value in all_tags.items()}
    return "\n".join([*(f'[{key} "{value}"]' for key, value in escaped.items()), "", *lines, line, ""])


MOVE = re.compile(r"([a-l]?[0-9]+)(?:-([a-l]?[0-9]+)|((?:[x:][a-l]?[0-9]+)+))")
FULL = re.compile(r"([a-l]?[0-9]+)x([a-l]?[0-9]+):([a-l]?[0-9]+(?:,[a-l]?[0-9]+)*)")
"""A capture followed by a colon and the captured squares. With one captured square, `MOVE` matches, too."""
SYMBOLS = {"W": ("○", "◎", "☆"), "B": ("●", "◉", "★")}
"""Men, kings and royal pieces of White and Black."""
COLOURS = {"W": tr("White"), "B": tr("Black")}
POSITION = "fen"
"""The key of `set_up` for a position on the command line."""


def algebraic(rules: Any) -> bool:
    """Return whether squares are named by letter and number (a1) rather than numbered."""
    return named.square_naming(settings(rules)).lettered


def black_first(rules: Any) -> bool:
    """Return whether the first seat is Black."""
    return named.square_naming(settings(rules)).first == "B"


def mirrored(rules: Any) -> bool:
    """Return whether the board is displayed mirrored from left to right."""
    return named.square_naming(settings(rules)).mirrored


def colours(rules: Any) -> tuple[str, str]:
    """Return the FEN letters of the seats' colours."""
    return ("B", "W") if black_first(rules) else ("W", "B")


def cells(rules: Any) -> list[list[int]]:
    """Return the bit of each displayed cell, with White at the bottom; -1 for cells that are not squares."""
    files, ranks = named.extent(rules.size)
    grid = [[-1] * files for _ in range(ranks)]
    for square in named.squares(settings(rules)).values():
        grid[square.row][square.column] = named.square_bit(rules.squares, (files, ranks), square.x, square.y)
    return grid


def names(rules: Any) -> dict[int, str]:
    """Return the name of each bit that is a square, in counting order."""
    extent, squares = named.extent(rules.size), named.squares(settings(rules))
    return {named.square_bit(rules.squares, extent, square.x, square.y): name for name, square in squares.items()}


def _bits(rules: Any) -> dict[str, int]:
    """Return the bit of each square, by its name and by its number in other programs."""
    bits = {name: bit for bit, name in names(rules).items()}
    return {number: bits[name] for name, number in named.square_numbers(settings(rules)).items()} | bits


def captured(rules: Any, state: Any, move: int) -> list[int]:
    """Return the squares of the pieces that a move captures."""
    if move < m.SINGLE:
        return []
    if move < m.MULTI:
        return [(move >> 16) & 255]
    sets = np.zeros(3, np.int64)
    kernel.captured(rules, state, move, sets)
    return [square for square in range(b.BITS) if b.has(sets, 0, square)]


def full(rules: Any, state: Any, move: int) -> str:
    """Return a move in full notation: ``11-15``, or ``22x8:11,18`` with the captured squares in order."""
    name = names(rules)
    origin, destination = name[(move >> 8) & 255], name[move & 255]
    if move < m.SINGLE:
        return f"huff{origin}" if m.is_huff(move) else f"{origin}-{destination}"
    captured_names = [name[square] for square in captured(rules, state, move)]
    captured_names.sort(key=lambda text: text if algebraic(rules) else int(text))
    return f"{origin}x{destination}:{','.join(captured_names)}"


def path(rules: Any, state: Any, move: int) -> list[int]:
    """Return a move's origin, intermediate landing squares and destination, choosing the first of several paths."""
    origin, destination = (move >> 8) & 255, move & 255
    if move < m.MULTI:
        return [origin, destination]
    prey = frozenset(captured(rules, state, move))
    return next(_find_paths(rules, state, [origin], prey, destination, bool(_has(rules, state, b.KINGS, origin)), -1))


def _has(rules: Any, state: Any, set_index: int, square: int) -> bool:
    return bool(b.has(state, b.SETS + set_index * (b.WORDS if b.wide(rules) else 1), square))


def _find_paths(
    rules: Any, state: Any, visited: list[int], prey: frozenset[int], destination: int, king: bool, entry: int
) -> Iterator[list[int]]:
    """Yield the paths on which a piece captures all of ``prey`` and ends on ``destination``."""
    g, side, square = int(b.geometry(rules)), int(state[b.TURN]), visited[-1]
    if not prey:
        if square == destination:
            yield visited
        return
    if (
        len(visited) > 1
        and rules.crowning_in_capture == TOGGLES.crowning_in_capture.becomes_king_and_goes_on
        and m.is_last_row(rules, g, side, square)
    ):
        king = True
    flies = king and rules.king_capture != TOGGLES.king_capture.adjacent
    for d in range(4 * b.lines_begin(rules), 4 * b.lines_end(rules)):
        if rules.reverse_turn == TOGGLES.reverse_turn.forbidden and entry >= 0 and d == entry ^ 3:
            continue
        if not king and not (b.man_directions(rules, side) >> d) & 1:
            continue
        victim = int(b.NEXT[g, square, d])
        while flies and victim >= 0 and _is_free(rules, state, visited, prey, victim):
            victim = int(b.NEXT[g, victim, d])
        if victim not in prey:
            continue
        landing = int(b.NEXT[g, victim, d])
        while landing >= 0 and _is_free(rules, state, visited, prey, landing):
            yield from _find_paths(rules, state, [*visited, landing], prey - {victim}, destination, king, d)
            if not flies or rules.king_capture == TOGGLES.king_capture.land_behind:
                break
            landing = int(b.NEXT[g, landing, d])


def _is_free(rules: Any, state: Any, visited: list[int], prey: frozenset[int], square: int) -> bool:
    """Return whether a square is empty for the capturing piece, whose origin and removed victims count as empty."""
    if square == visited[0]:
        return True
    if _has(rules, state, int(state[b.TURN]), square) or square in prey:
        return False
    return not _has(rules, state, 1 - int(state[b.TURN]), square) or (
        rules.removal == TOGGLES.removal.at_once and square in _jumped(rules, visited)
    )


def _jumped(rules: Any, visited: list[int]) -> set[int]:
    """Return all squares that a piece has passed over on its path."""
    passed: set[int] = set()
    for leg in itertools.pairwise(visited):
        passed |= set(_between(rules, *leg) or ())
    return passed


def _between(rules: Any, origin: int, destination: int) -> list[int] | None:
    """Return the squares between two squares on a line, or None if they are not on a line."""
    g = int(b.geometry(rules))
    for d in range(8):
        line, square = [], int(b.NEXT[g, origin, d])
        while square >= 0 and square != destination:
            line.append(square)
            square = int(b.NEXT[g, square, d])
        if square == destination:
            return line
    return None


def _legal(rules: Any, state: Any) -> list[int]:
    moves = np.zeros(int(max_moves(rules)), np.int32)
    return [int(move) for move in moves[: legal_moves(rules, state, moves)]]


def format_move(rules: Any, state: Any, move: int) -> str:
    """Return a move's notation, with intermediate squares if another capture has the same ends."""
    name = names(rules)
    if move < m.SINGLE:
        return full(rules, state, move)
    rivals = [other for other in _legal(rules, state) if other >= m.SINGLE and (other ^ move) & 0xFFFF == 0]
    squares = path(rules, state, move)
    return "x".join(name[square] for square in (squares if len(rivals) > 1 else (squares[0], squares[-1])))


class _ParsedMove(NamedTuple):
    """The content of a move text."""

    squares: list[int]
    """Origin, squares on the way, destination."""
    captures: bool
    captured: frozenset[int] | None = None
    """The captured squares, if they are named."""


def _read(rules: Any, state: Any, text: str) -> _ParsedMove:
    """Parse a move text; raise ValueError if it is not a move on this board."""
    text = re.sub(r"^([a-l][0-9]+)([a-l][0-9]+)$", r"\1-\2", text)
    # No quiet move returns to its origin, so a huff is written as such a move internally.
    text = re.sub(r"^huff([a-l]?[0-9]+)$", r"\1-\1", text)
    match, full_match = MOVE.fullmatch(text), FULL.fullmatch(text)
    example = "c3-d4, c3xe5 or c3xe5xg7" if algebraic(rules) else "11-15, 22x15 or 22x15x8"
    if rules.squares:
        example = "a3-a4, a3xa5 or a3xa5xc5"
    if not match and not full_match:
        raise ValueError(tr("'{move}' is not a move; write {example}", move=text, example=example))
    bits = _bits(rules)

    def bit(name: str) -> int:
        if name not in bits:
            files, ranks = named.extent(rules.size)
            board_name = tr("{files}×{ranks} board", files=files, ranks=ranks)
            message = tr("there is no square {name} on the {board_name}; write {example}")
            raise ValueError(message.format(name=name, board_name=board_name, example=example))
        return bits[name]

    if full_match:
        ends = [bit(full_match[1]), bit(full_match[2])]
        captured_squares = [bit(name) for name in full_match[3].split(",")]
        # No capture ends on an enemy piece, so an occupied last square is a captured one.
        if not match or _has(rules, state, 1 - int(state[b.TURN]), captured_squares[0]):
            return _ParsedMove(ends, True, frozenset(captured_squares))
    assert match
    origin, destination, captures = match.groups()
    if destination:
        return _ParsedMove([bit(origin), bit(destination)], False)
    return _ParsedMove([bit(name) for name in (origin, *re.split("[x:]", captures)[1:])], True)


def parse_move(rules: Any, state: Any, text: str) -> int:
    """Return the move that a text denotes, whether legal or not; a unique capture needs no intermediate squares.

    Raises:
        ValueError: the text is not a move on this board, is ambiguous, or lists captured squares of no capture.
    """
    squares, captures, captured_squares = _read(rules, state, text)
    ends = squares[0] << 8 | squares[-1]
    if not captures:
        return ends
    rivals = [move for move in _legal(rules, state) if move >= m.SINGLE and move & 0xFFFF == ends]
    if captured_squares is not None:
        for move in rivals:
            if captured_squares == frozenset(captured(rules, state, move)):
                return move
        if rivals:
            options = OR.join(full(rules, state, move) for move in rivals)
            raise ValueError(tr("the captured pieces do not match: write {captures}", captures=options))
    elif len(squares) > 2:
        legs = [_between(rules, *leg) for leg in itertools.pairwise(squares)]
        enemy = 1 - int(state[b.TURN])
        jumped = {square for leg in legs for square in leg or () if _has(rules, state, enemy, square)}
        exact = [move for move in rivals if None not in legs and set(captured(rules, state, move)) == jumped]
        rivals = exact or [move for move in rivals if _passes(path(rules, state, move), squares)]
    else:
        # Without intermediate squares, a single capture is preferred to longer ones with the same ends.
        rivals = [move for move in rivals if move < m.MULTI] or rivals
    if len(rivals) > 1:
        options = OR.join(format_move(rules, state, move) for move in rivals)
        raise ValueError(tr("'{move}' could be several captures: write {captures}", move=text, captures=options))
    return rivals[0] if rivals else m.SINGLE | ends


def pattern(rules: Any, word: str) -> tuple[int, int, int, int] | None:
    """Return the bits shared by all moves with this text (see `people.replaying.matched`), or None if not a move."""
    spelled = re.sub(r"^([0-9]{2}|[a-l][0-9]+)([0-9]{2}|[a-l][0-9]+)$", r"\1-\2", word)
    bits, match = _bits(rules), MOVE.fullmatch(spelled)
    squares = [bits.get(name, -1) for name in re.findall("[a-l]?[0-9]+", spelled)]
    if not match or -1 in squares:
        return None
    captures = m.SINGLE if match[3] else 0
    return 0xFFFF if captures or spelled != word else -1, squares[0] << 8 | squares[-1], -1, captures


def _passes(visited: Sequence[int], squares: Sequence[int]) -> bool:
    """Return whether a path visits the squares in this order."""
    remaining = iter(visited)
    return all(square in remaining for square in squares)


def board(rules: Any, state: Any) -> Board:
    """Return the position as a grid with shaded playing squares."""
    grid, name, (files, ranks) = cells(rules), names(rules), named.extent(rules.size)

    def symbol(square: int) -> str:
        for side, colour in enumerate(colours(rules)):
            if square >= 0 and _has(rules, state, side, square):
                royal = rules.royal and _has(rules, state, b.ROYALS, square)
                return SYMBOLS[colour][2 if royal else int(_has(rules, state, b.KINGS, square))]
        return ""

    if algebraic(rules):
        columns, rows = tuple(named.LETTERS[:files]), tuple(str(ranks - y) for y in range(ranks))
    else:
        columns, rows = (" ",) * files, tuple(name[next(bit for bit in row if bit >= 0)] for row in grid)
    dark = rules.squares == named.DARK
    shaded = {
        (y, x) for y, row in enumerate(grid) for x, bit in enumerate(row) if bit >= 0 and (dark or (x + y + ranks) % 2)
    }
    pieces = tuple(tuple(symbol(square) for square in row) for row in grid)
    return Board(cells=pieces, columns=columns, rows=rows, shaded=frozenset(shaded))


def _pieces(rules: Any, states: Any) -> Iterator[str]:
    """Yield each position's side to move and pieces as a PDN FEN such as ``W:W31,K32:B1,2``."""
    letters, name, w = colours(rules), names(rules), b.WORDS if b.wide(rules) else 1
    texts = np.array([[kind + text for text in name.values()] for kind in ("", "K", "R")], object)

    def squares(set_index: int) -> Any:
        words = np.ascontiguousarray(states[:, b.SETS + set_index * w : b.SETS + (set_index + 1) * w], "<i8")
        return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, list(name)]

    kinds, sides = squares(b.KINGS), [squares(letters.index(colour)) for colour in "WB"]
    if rules.royal:
        kinds = kinds + squares(b.ROYALS)
    for turn, kind, *pieces in zip(states[:, b.TURN].tolist(), kinds, *sides, strict=True):
        white, black = (",".join(texts[kind[i], i]) for i in (mask.nonzero()[0] for mask in pieces))
        yield f"{letters[turn]}:W{white}:B{black}"


def pieces_fen(rules: Any, state: Any) -> str:
    """Return a position as a PDN FEN without counters."""
    return next(_pieces(rules, np.array([state])))


def fens(rules: Any, states: Sequence[Any], setup: Mapping[str, Any] | None = None) -> list[str]:
    """Return the positions of a game in the format of `set_up`, with counters after the pieces."""
    name, number, last_turn, texts = names(rules), 1, 0, []
    runs, huffs = rules.king_run, rules.capture == TOGGLES.capture.huffing
    if setup is not None:
        number = int(_fields(setup["fen"])[2].get("F", "1"))
    for state, text in zip(states, _pieces(rules, np.array(states)), strict=True):
        number, last_turn = number + (last_turn > state[b.TURN]), state[b.TURN]
        counters = {}
        if state[b.LEFT]:
            fresh = state.copy()
            kernel.start_ending_count(rules, fresh)
            counters["L"] = str(state[b.LEFT] - 1) if state[b.LEFT] != fresh[b.LEFT] else ""
        if state[b.QUIET]:
            counters |= {"H": str(state[b.QUIET]), "F": str(number)}
        if runs:
            kings = [int(run) for run in state[b.runs_start(rules) : b.runs_start(rules) + 2] if run]
            counters["M"] = ",".join(f"{name[run & 255]}={run >> 8}" for run in kings)
        if huffs:
            counters["U"] = ",".join(name[bit] for bit in name if _has(rules, state, b.HUFFABLE, bit))
        texts.append(text + "".join(f":{letter}{value}" for letter, value in counters.items() if value))
    return texts


def _fields(text: str) -> tuple[str, dict[str, str], dict[str, str]]:
    """Parse a FEN into side to move, pieces by colour and counters by letter; raise ValueError if it is invalid."""
    turn, *parts = (part.rstrip(".") for part in re.sub(r'[\s"]', "", text).replace("–", "-").split(":"))
    # Lidraughts writes +0+0 if no king has made consecutive moves.
    fields = [(part[0].upper(), part[1:]) for part in parts if part not in ("", "+0+0")]
    values = dict(fields)
    if turn.upper() not in ("W", "B") or not {"W", "B"} <= {*values}:
        message = tr("{found} is not a position; write {turn}:W…:B…, the side to move first")
        raise ValueError(message.format(found=positions.shortened(text), turn="W"))
    for index, (letter, value) in enumerate(fields):
        valid = letter in "WBMU" or (letter in "HFL" and re.fullmatch("[0-9]{1,5}", value))
        if not valid or letter in dict(fields[:index]):
            message = tr("FEN: {field} is repeated, or is neither pieces (W, B) nor a number (H, F)")
            raise ValueError(message.format(field=positions.shortened(letter + value)))
    return turn.upper(), {"W": values.pop("W"), "B": values.pop("B")}, values


def set_up(rules: Any, state: Any, setup: Mapping[str, Any]) -> None:
    """Write a position into ``state``, given its ``fen`` and optional counters.

    ``quiet`` is the number of plies since a capture or a man's move (``:H3`` in a FEN). ``left`` is the number of plies
    remaining under an endgame limit (``:L5``), by default the full limit. A range such as ``31-50`` or ``K50-K31``
    includes all squares between its ends in counting order. ``:M50=2`` is a king that has made two consecutive moves,
    ``:U12`` a piece that may be huffed. The move number, ``:F9``, has no effect.

    Raises:
        ValueError: the FEN is not a position under these rules.
    """
    counter_fields = {"quiet": positions.whole(0, 10_000, -1), "left": positions.whole(0, 120, -1)}
    fields = positions.read(setup, fen=positions.words(), **counter_fields)
    letters, bits, name = colours(rules), _bits(rules), names(rules)
    turn, pieces, counters = _fields(fields["fen"])
    start(rules, state)
    state[b.SETS :] = 0
    state[b.TURN] = letters.index(turn)
    w = b.WORDS if b.wide(rules) else 1
    for letter, text in pieces.items():
        side, royals = letters.index(letter), 0
        for kind, entry in named.read_pieces(text, settings(rules)):
            square = bits[entry]
            if _has(rules, state, 0, square) or _has(rules, state, 1, square):
                raise ValueError(tr("two pieces on {name}", name=name[square]))
            if not kind and m.is_last_row(rules, int(b.geometry(rules)), side, square):
                raise ValueError(tr("a man cannot be on {name}, which is its last row", name=name[square]))
            royals += kind == "R"
            for set_index in (side, *((b.KINGS,) if kind else ()), *((b.ROYALS,) if kind == "R" else ())):
                state[b.SETS + set_index * w + (square >> 6)] |= b.bit(square)
        colour = COLOURS[letter]
        if royals and not rules.royal:
            raise ValueError(tr("these rules have no royal piece, but the position has one"))
        if rules.royal and royals != 1:
            what = tr("one royal piece of {colour} (R before its square, such as Re1)", colour=colour)
            raise ValueError(expected(what, royals))
    kernel.start_ending_count(rules, state)
    for key, letter, word in (("quiet", "H", b.QUIET), ("left", "L", b.LEFT)):
        numbers = {fields[key], int(counters.get(letter, fields[key]))} - {-1}
        if len(numbers) > 1:
            raise ValueError(tr("{key} and {letter} in the FEN contradict each other", key=key, letter=letter))
        for number in numbers:
            state[word] = number if key == "quiet" else min(int(state[word]), number + 1)
    _set_marks(rules, state, counters)
    state[b.HASH] = kernel.position_hash(rules, state)


def _set_marks(rules: Any, state: Any, counters: Mapping[str, str]) -> None:
    """Record kings with consecutive moves (M) and huffable pieces (U)."""
    bits = _bits(rules)
    for letter in {*"MU"} & {*counters}:
        for entry in filter(None, counters[letter].split(",")):
            name, _, moves = entry.partition("=")
            square, opponent = bits.get(name, -1), 1 - int(state[b.TURN])
            owner = next((side for side in (0, 1) if square >= 0 and _has(rules, state, side, square)), -1)
            if letter == "U" and rules.capture == TOGGLES.capture.huffing and owner == opponent and not moves:
                state[b.SETS + b.HUFFABLE * (b.WORDS if b.wide(rules) else 1) + (square >> 6)] |= b.bit(square)
            elif letter == "M" and rules.king_run and owner >= 0 and moves.isdecimal():
                state[b.runs_start(rules) + owner] = min(int(moves), rules.king_run) << 8 | square
            else:
                raise ValueError(tr("FEN: {letter}{entry} is not valid under these rules", letter=letter, entry=entry))


def explain(rules: Any, state: Any, text: str, move: int) -> str:
    """Return the reason why a move is illegal, as a sentence; ``text`` is the move as typed."""
    squares, captures, _ = _read(rules, state, text)
    legal = _legal(rules, state)
    side, name = int(state[b.TURN]), names(rules)
    origin, destination = squares[0], squares[-1]
    if origin == destination and not captures:
        return tr("No piece on {square} could have captured on the previous move.", square=name[origin])
    colour = COLOURS[colours(rules)[side]]
    if not _has(rules, state, side, origin):
        whose = tr("an enemy piece") if _has(rules, state, 1 - side, origin) else tr("no piece")
        return tr("There is {whose} on {name}; it is {colour}'s turn.", whose=whose, name=name[origin], colour=colour)
    if destination != origin and (_has(rules, state, 0, destination) or _has(rules, state, 1, destination)):
        return tr("{name} is occupied.", name=name[destination])
    king = _has(rules, state, b.KINGS, origin)
    if captures:
        return _capture_reason(rules, state, squares, king, legal)
    quiet = np.zeros(int(max_moves(rules)), np.int32)
    if origin << 8 | destination in quiet[: m.list_quiet(rules, state, quiet)].tolist():
        return tr("Capturing is obligatory: {captures}.", captures=_list_moves(rules, state, legal))
    if origin == b.barred_king(rules, state, side):
        message = tr("The king on {square} has moved {n} times in a row: it must capture or rest.")
        return message.format(square=name[origin], n=rules.king_run)
    line = _between(rules, origin, destination)
    if king and line is not None and rules.king_move != TOGGLES.king_move.one_step:
        return tr("The path from {origin} to {target} is blocked.", origin=name[origin], target=name[destination])
    if line and len(line) == 1 and _has(rules, state, 1 - side, line[0]):
        return tr("That would be a capture: write {origin}x{target}.", origin=name[origin], target=name[destination])
    if not king:
        rule = (
            tr("steps one square forward"), tr("steps one square forward or sideways"),
            tr("steps one square in any direction"),
        )[rules.men_step]  # fmt: skip
    elif rules.king_move != TOGGLES.king_move.one_step:
        rule = tr("moves in a straight line")
    else:
        rule = tr("moves one step in any direction")
    piece, message = "A king" if king else "A man", tr("{piece} {moves}; from {origin} it cannot reach {target}.")
    return message.format(piece=piece, moves=rule, origin=name[origin], target=name[destination])


def _list_moves(rules: Any, state: Any, legal: Sequence[int]) -> str:
    return OR.join(format_move(rules, state, move) for move in legal[:4])


def _capture_reason(rules: Any, state: Any, squares: Sequence[int], king: bool, legal: Sequence[int]) -> str:
    name = names(rules)
    captures_by_piece = [move for move in legal if move >= m.SINGLE and (move >> 8) & 255 == squares[0]]
    continuations = [move for move in captures_by_piece if _passes(path(rules, state, move), squares)]
    if continuations:
        return tr("The capture must continue: {captures}.", captures=_list_moves(rules, state, continuations))
    free_rules = rules._replace(capture_choice=TOGGLES.capture_choice.any)
    others = [move for move in _legal(free_rules, state) if move >= m.SINGLE]
    if any(_passes(path(free_rules, state, move), squares) and move & 255 == squares[-1] for move in others):
        reason = {
            TOGGLES.capture_choice.king_first: tr("A king can capture, so a king must do so"),
            TOGGLES.capture_choice.most_pieces: tr("Another move captures more pieces"),
            TOGGLES.capture_choice.frisian: tr("Another capture is worth more, or is made by a king"),
        }.get(rules.capture_choice, tr("Another capture takes precedence"))
        captures = _list_moves(rules, state, [move for move in legal if move >= m.SINGLE])
        return tr("{why}: {captures}.", why=reason, captures=captures)
    if captures_by_piece:
        message = tr("Legal captures from {origin}: {captures}.")
        return message.format(origin=name[squares[0]], captures=_list_moves(rules, state, captures_by_piece))
    if king:
        return tr("The king on {square} cannot capture that way.", square=name[squares[0]])
    return tr("The man on {square} cannot capture that way.", square=name[squares[0]])


def pdn(
    rules: Any,
    moves: Sequence[str],
    result: int = 0,
    tags: Mapping[str, str] | None = None,
    setup: Mapping[str, Any] | None = None,
) -> str:
    """Return a game as PDN, given its move texts and the engine's result code."""
    state = np.zeros(int(kernel.state_size(rules)), np.int64)
    start(rules, state)
    start_tags = {}
    if setup is not None:
        set_up(rules, state, setup)
    if setup is not None or rules.start_position.shape[0]:
        start_tags = {"SetUp": "1", "FEN": fens(rules, [state], setup)[0]}
    return write_game(rules, moves, int(state[b.TURN]), result, dict(tags or {}) | start_tags)


EXPORT = "PDN"
"""The format of `export`."""


def export(
    rules: Any,
    moves: Sequence[int],
    texts: Sequence[str],
    result: str,
    players: tuple[str, str],
    tags: Mapping[str, str],
    setup: Mapping[str, Any] | None = None,
) -> str:
    """Return a finished or stopped game as PDN; ``result`` and ``players`` are by seat."""
    white, black = players[::-1] if black_first(rules) else players
    all_tags = {"Date": NO_DATE, **tags, "White": white, "Black": black}
    return pdn(rules, texts, results.RESULTS.index(result), all_tags, setup)
