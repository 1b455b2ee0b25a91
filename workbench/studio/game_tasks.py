"""Tasks of the studio's worker processes: drawing and judging positions, and replaying games.

Modules that load pandas are imported in functions because ruleset pages need none.
"""

from __future__ import annotations

import contextlib
import itertools
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from markupsafe import Markup

from workbench import games
from workbench.base.errors import Problem, WorkbenchError, error_text
from workbench.base.language import join, join_list, sentences, tr
from workbench.base.project import Project
from workbench.engine import contract
from workbench.games.declaration import Board, Setting, equal_settings, setting_text
from workbench.games.results import RESULTS, SEATS
from workbench.players.judgement import Judge
from workbench.players.match import Played, export_game
from workbench.positions.board_input import (
    EditedPosition,
    InputMove,
    cell_names,
    input_move,
    input_moves,
    palette,
    piece_title,
    seat_pieces,
    typed_text,
)
from workbench.positions.game_state import GameState, IllegalMove, parse_setup
from workbench.report.model import ReplayList
from workbench.report.render.replay import replay_markup, replay_view, termination_sentence
from workbench.report.render.svg import CELL, EDGE, Grid, Pieces, board_svg, piece_svg, standalone_board_svg
from workbench.report.witness_positions import rule_position, witness_position
from workbench.rules import rulebook, rulesets
from workbench.rules.ruleset_files import Library
from workbench.rules.rulesets import Ruleset
from workbench.studio.visitor import View, choice_words

if TYPE_CHECKING:
    from workbench.records.trials import Trials
    from workbench.report.model import Highlights
    from workbench.report.names import Names
    from workbench.statistics import AnalysisPlan

    Records = tuple[dict[str, Any], AnalysisPlan, Trials]

MAX_CACHED = 8
"""The most games, players and judges that a process caches."""
MOST_PLIES = 2000
Moves = tuple[int, ...]


class Ply(NamedTuple):
    """A move of a game."""

    move: int
    seat: int
    """The seat that chose it."""
    text: str


Step = tuple[str, InputMove]
"""A move in words, "" if it has no squares, and its squares."""


def _set_up(ruleset: Ruleset, start: str) -> GameState:
    return GameState(ruleset.game, ruleset.codes(), parse_setup(ruleset.game, start))


@lru_cache(MAX_CACHED)
def _begun(ruleset: Ruleset, start: str) -> tuple[GameState, list[Step]]:
    return _set_up(ruleset, start), []


def _play(ruleset: Ruleset, start: str, played: Moves) -> tuple[GameState, list[Step]]:
    """Return the game after the moves, and their steps; moves shared with the last call are not played again."""
    game_state, steps = _begun(ruleset, start)
    while tuple(game_state.played) != played[: len(game_state.played)]:
        game_state.undo()
    del steps[len(game_state.played) :]
    for move in played[len(game_state.played) :]:
        squares, touch, board = cell_names(game_state), input_move(game_state, move), game_state.board()
        game_state.push(move)
        text, after = "", game_state.board()
        if touch.origin and touch.target:
            signs = _sign(board, *touch.origin), _sign(after, *touch.target)
            piece, target = (piece_title(ruleset.game, sign) for sign in signs)
            origin, lost = squares[touch.origin], _signs(board) - _signs(after) - Counter(signs[:1])
            text = tr("{piece} from {origin} to {target}", piece=piece, origin=origin, target=squares[touch.target])
            if captured := [piece_title(ruleset.game, sign) for sign in lost.elements()]:
                text = tr("{move}, captures {pieces}", move=text, pieces=join_list(captured))
            if piece != target:
                text = tr("{move}, becomes {piece}", move=text, piece=target)
        elif touch.target:
            piece = piece_title(ruleset.game, _sign(after, *touch.target))
            text = tr("{piece} placed on {target}", piece=piece, target=squares[touch.target])
        steps.append((text, touch))
    return game_state, steps


def state_after(ruleset: Ruleset, start: str, played: Moves) -> GameState:
    """Return the game after the moves."""
    return _play(ruleset, start, played)[0]


@lru_cache(maxsize=1000, typed=True)
def draw_witness(game: str, toggle: str, was: Setting, now: Setting, first_chosen: bool) -> View | None:
    """Return, as translatable messages, a position in which two settings of a toggle differ; None if there is none.

    If the two boards cannot be compared, the position shows the chosen setting; so it does if that is a number.
    """
    declared, chosen, drawn = games.declaration(game).toggle(toggle), was if first_chosen else now, now
    position = witness_position(game, declared, was, now)
    if first_chosen and position and not (position.opened or position.shut or position.outcome):
        position, drawn = witness_position(game, declared, now, was), was
    if position is None:
        return None
    opened, shut = (bool(position.highlights.get(mark)) for mark in ("open", "shut"))
    is_number = declared.span and not any(equal_settings(value.name, chosen) for value in declared.values)
    told = setting_text(chosen if is_number else drawn)
    # Without a mark, nothing on an empty board shows a difference, and a sentence on another setting is not about it.
    is_blank = (position.opened or position.shut) and not any(map(any, position.board.cells))
    if (is_number or not (opened or shut or position.outcome)) and (is_blank or position.about != told):
        return None
    pieces = Pieces(f"{toggle}-{zlib.crc32(repr((was, now)).encode()):x}")
    picture = Markup("{1}{0}").format(board_svg(position.board, pieces, position.highlights), pieces.definitions())
    sentence, legal = position.sentence, tr("Legal only with “{setting}”")
    if position.about != setting_text(chosen):
        sentence = tr("With the other choice: {sentence}", sentence=sentence)
    captions = [
        ("", sentence),
        ("open", opened and legal.format(setting=choice_words(declared, now))),
        ("shut", shut and legal.format(setting=choice_words(declared, was))),
        ("", position.outcome),
    ]
    return {"picture": str(picture), "captions": [{"mark": mark, "text": text} for mark, text in captions if text]}


@lru_cache(maxsize=100)
def draw_sample(root: Path, name: str) -> str:
    """Return a ruleset's board as an SVG document: the start, or the fullest witness if the start is nearly empty."""
    ruleset = rulesets.load_ruleset(name, Project(root))
    boards = [GameState(ruleset.game, ruleset.codes()).board()]
    size = len(boards[0].cells)
    if sum(map(bool, itertools.chain(*boards[0].cells))) < size:
        for witness in rulebook.family_witnesses(ruleset.game):
            with contextlib.suppress(WorkbenchError, IllegalMove):
                boards.append(witness.game_state(ruleset.game, witness.value).board())
    fitting = [board for board in boards if len(board.cells) == size]
    fullest = max(fitting, key=lambda board: sum(map(bool, itertools.chain(*board.cells))))
    return standalone_board_svg(replace(fullest, columns=("",) * len(fullest.columns), rows=("",) * len(fullest.rows)))


MARKS = {"open": tr("● shows where this rule allows a move."), "shut": tr("× shows where this rule forbids a move.")}


def draw_book(ruleset: Ruleset, changes: Mapping[str, Setting]) -> View:
    """Return the pictures of a rule book: the ``start``, and ``positions`` with their sentences by changed toggle.

    ``changes`` are the former settings.
    """
    positions = {}
    for name, was in changes.items():
        if position := rule_position(ruleset, name, was):
            marks = [text for mark, text in MARKS.items() if position.highlights.get(mark)]
            picture = standalone_board_svg(position.board, position.highlights)
            positions[name] = str(picture), sentences([position.sentence, *marks])
    start = GameState(ruleset.game, ruleset.codes()).board()
    return {"start": str(standalone_board_svg(start)), "positions": positions}


def check_first_moves(root: Path, name: str, text: str) -> list[Problem]:
    """Return the problems in a ruleset text's statements about first moves."""
    return rulesets.first_move_problems(rulesets.load_ruleset(name, library=Library(Project(root), {name: text})))


def position_view(ruleset: Ruleset, start: str, played: Moves) -> View:
    """Return a position's picture and touchable squares as translatable messages; `parse_setup` explains ``start``."""
    game_state, steps = _play(ruleset, start, played)
    board, touched, family = game_state.board(), input_moves(game_state), game_state.declaration
    becomes = _promotions(game_state, touched)
    result, ending = game_state.outcome()
    told_elsewhere = {str(board.check), *(str(tr("{seat} to move", seat=seat)) for seat in family.seats)}
    return {
        "plies": len(played),
        "pictures": _pictures(board, {"last": game_state.touched()}),
        "grid": grid_view(board),
        "cells": [
            {"y": y, "x": x, "name": name, "piece": piece_title(ruleset.game, _sign(board, y, x))}
            for (y, x), name in cell_names(game_state).items()
        ],
        "below": _lower_seat(ruleset),
        "moves": [touch._asdict() | {"becomes": becomes.get(touch.move)} for touch in touched],
        "hands": _droppable_pieces(game_state, touched),
        "steps": [text for text, _ in steps],
        "last": steps[-1][1]._asdict() if steps else {},
        "seat": game_state.seat,
        "swapped": game_state.swapped,
        "signs": [(sign, str(piece_svg(sign, owner)) if sign else "") for sign, owner in seat_pieces(game_state)],
        "notes": [note for note in board.notes if str(note) not in told_elsewhere],
        "check": board.check,
        "over": (int(result), termination_sentence(family, str(ending)) if result != contract.ONGOING else ""),
    }


def grid_view(board: Board) -> View:
    """Return the layout of a board's squares for ``board.js``."""
    grid, names = Grid.from_board(board), ("shift", "pitch", "shape", "width", "height")
    return {"cell": CELL, "edge": EDGE, **{name: getattr(grid, name) for name in names}}


def _pictures(board: Board, highlights: Highlights | None = None) -> list[str]:
    """Return a board as it is and turned."""
    drawings = []
    for turned in (False, True):
        pieces = Pieces("play", turned)
        picture = board_svg(board, pieces, highlights)
        drawings.append(str(Markup("{}{}").format(pieces.definitions(), picture)))
    return drawings


@lru_cache(maxsize=100)
def _lower_seat(ruleset: Ruleset) -> int:
    """Return the seat whose pieces begin in the lower half of a board that is not turned."""
    game_state = GameState(ruleset.game, ruleset.codes())
    rows = [touch.origin[0] for touch in input_moves(game_state) if touch.origin]
    return game_state.seat ^ int(2 * sum(rows) < len(rows) * (len(game_state.board().cells) - 1))


def _droppable_pieces(game_state: GameState, moves: Sequence[InputMove]) -> list[tuple[str, str, str]]:
    """Return the letter, board sign and name of each piece in hand that can be dropped."""
    pieces: dict[str, tuple[str, str, str]] = {}
    for touch in moves:
        if touch.target and not touch.origin and touch.hand not in pieces:
            sign = _placed(game_state, touch)
            pieces[touch.hand] = touch.hand, sign.removesuffix("'") or touch.text, piece_title(game_state.game, sign)
    return list(pieces.values())


def _promotions(game_state: GameState, moves: Sequence[InputMove]) -> dict[int, str]:
    """Return what a piece becomes by each of several moves between the same squares."""
    alike = Counter(touch[2:4] for touch in moves if touch.origin)
    signs = {touch.move: _placed(game_state, touch) for touch in moves if alike[touch[2:4]] > 1}
    return {move: join(" ", (sign, piece_title(game_state.game, sign))) for move, sign in signs.items()}


def _placed(game_state: GameState, touch: InputMove) -> str:
    """Return the sign of the piece that a move puts on its target."""
    game_state.push(touch.move)
    sign = _sign(game_state.board(), *touch.target) if touch.target else ""
    game_state.undo()
    return sign


def _sign(board: Board, y: int, x: int) -> str:
    """Return the sign of the piece on a square for `piece_title`; "" if there is none."""
    return board.cells[y][x] + "'" * (bool(board.owners) and board.owners[y][x] == 1)


def _signs(board: Board) -> Counter[str]:
    cells = itertools.product(range(len(board.cells)), range(len(board.cells[0])))
    return Counter(filter(None, (_sign(board, y, x) for y, x in cells)))


def why_not(
    ruleset: Ruleset, start: str, played: Moves, origin: tuple[int, int] | None, target: tuple[int, int], hand: str
) -> str:
    """Return a sentence about the rule that forbids the touched move."""
    game_state = state_after(ruleset, start, played)
    piece = piece_title(ruleset.game, _sign(game_state.board(), *target))
    if origin is None and all(touch.origin for touch in input_moves(game_state) if touch.target):
        text = tr("The {piece} on {square} cannot move now.") if piece else tr("There is no piece on {square}.")
        return text.format(piece=piece, square=cell_names(game_state)[target])
    return game_state.why_not(typed_text(game_state, origin, target, hand))


def judge(ruleset: Ruleset, start: str, played: Moves, project: Project, method: Literal["best", "standing"]) -> Any:
    """Return the result of the judge's ``method`` for the position after the moves."""
    return getattr(_judge(ruleset, project), method)(state_after(ruleset, start, played))


_judge = lru_cache(MAX_CACHED)(Judge)


def paint_position(
    ruleset: Ruleset, start: str, played: Moves, painted: EditedPosition | None, change: View
) -> tuple[EditedPosition, View]:
    """Return a painted position after a change, and its view for ``painted.js``.

    Painting begins with the position after the moves. A change is a ``sign`` on ``cells``, an ``action`` ("none"
    empties the board, a seat's number lets it move) or a typed position ``text``.
    """
    game_state, problem = state_after(ruleset, start, played), ""
    painted = painted or EditedPosition.of(game_state)
    match change:
        case {"cells": [*cells], "sign": str(sign)}:
            for y, x in cells:
                painted = painted.with_piece((y, x), sign)
        case {"action": "none"}:
            painted = painted.without_pieces()
        case {"action": "0" | "1" as side}:
            painted = replace(painted, side=int(side))
    text = str(change.get("text", painted.text())).strip()
    try:
        checked = EditedPosition.of(_set_up(ruleset, text))
        painted = checked if "text" in change else painted
    except WorkbenchError as error:
        problem = error_text(error)
    board, seats = game_state.board(), game_state.declaration.seats
    sides = [
        {"name": str(side), "text": tr("{seat} to move", seat=seat), "on": side == painted.side}
        for side, seat in enumerate(seats)
    ]
    return painted, {
        "pictures": _pictures(painted.board(board)),
        "grid": grid_view(board),
        "cells": [
            {"y": y, "x": x, "name": name, "sign": painted.cells[y][x]} for (y, x), name in painted.names.items()
        ],
        "palette": [
            {"sign": sign, "title": piece_title(ruleset.game, sign), "picture": sign_picture(sign, bool(board.owners))}
            for sign, _ in palette(game_state)
        ],
        "actions": [{"name": "none", "text": tr("Empty board")}, *sides],
        "problem": problem,
        "text": text,
    }


def sign_picture(sign: str, owned: bool = False) -> str:
    """Return the picture of a piece on a palette; ``owned``: the sign ends with an apostrophe for the second side's."""
    return str(piece_svg(sign.removesuffix("'"), int(sign.endswith("'")) if owned else -1))


def game_record(ruleset: Ruleset, start: str, played: Moves, resigned: int | None, names: tuple[str, str]) -> str:
    """Return a game from the initial position in its exchange format (PGN or PDN); ``resigned`` is a seat."""
    game_state = state_after(ruleset, start, played)
    result, ending = RESULTS[game_state.result], game_state.outcome()[1] or "unfinished"
    if resigned is not None:
        result, ending = SEATS[1 - resigned], "resignation"
    return export_game(ruleset, Played(0, 0, played, tuple(game_state.texts), result, ending), *names)


def read_moves(ruleset: Ruleset, start: str, texts: Sequence[str]) -> list[Ply]:
    """Return the moves of a saved game or of a link; raises `WorkbenchError`."""
    game_state, moves = _set_up(ruleset, start), []
    for text in texts[:MOST_PLIES]:
        seat = game_state.seat
        game_state.push_text(str(text))
        moves.append(Ply(game_state.played[-1], seat, game_state.texts[-1]))
    return moves


GAMES_SEARCHED = 10
"""The number of games per ruleset that are searched for a proposal's effect."""


def report_games(folder: Path, wanted: str, language: str) -> View:
    """Return what to choose from in a folder, and the ``games`` of an identifier for `replay.js`, as messages.

    ``cells`` have numbers of games, ``examples`` are the report's sample games. ``wanted`` is a game's identifier in
    links, ``pair/PROPOSAL/`` for the effect of a proposal, or "" for the first example. The ``text`` says why there are
    no games.
    """
    from workbench.report.names import Names
    from workbench.report.render.replay import game_option
    from workbench.report.sections.games import choose_games

    _, plan, trials = records = _read_records(folder)
    names = Names(plan)
    titles = {
        name: {"ruleset": name, "short": names.short(name), "title": plan.ruleset(name).heading or names.short(name)}
        for name in names.rulesets
    }
    cells = [
        {**titles[name], "first": first, "second": second, "count": count}
        for name in names.rulesets
        for first, second in plan.pairings
        if (count := len(trials.cell((name, first, second))))
    ]
    examples = []
    for row in choose_games(trials, names.rulesets, plan.pairings).to_dict("records"):
        name, players = row["ruleset"], (row["first"], row["second"])
        text = game_option(names.short(name), row["reasons"], row["plies"], players)
        examples.append({"id": "/".join((name, *players, str(int(row["game"]) + 1))), "text": text})
    wanted = wanted or (examples[0]["id"] if examples else "")
    proposal = next((name for name in plan.proposals if wanted.startswith(f"pair/{name}/")), "")
    number = game_number(cells, wanted)
    shown: View = {"text": tr("The answer has no such game.")}
    try:
        if proposal:
            shown = _find_effect(records, names, proposal, language)
        elif number:
            shown = _replay_game(records, names, number, language)
    except WorkbenchError as error:
        shown = {"text": error_text(error)}
    proposals = [titles[name] for name in plan.proposals]
    return {"cells": cells, "examples": examples, "proposals": proposals, "id": wanted, "proposal": proposal, **shown}


def game_number(cells: Sequence[View], identifier: str) -> tuple[str, str, str, int] | None:
    """Return a game's ruleset, agents and number from its identifier in links; None if the report lacks the game."""
    name, _, number = identifier.rpartition("/")
    for cell in cells:
        cell_name = cell["ruleset"], cell["first"], cell["second"]
        is_number = number.isascii() and number.isdecimal() and 1 <= int(number[:9]) <= cell["count"]
        if name == "/".join(cell_name) and is_number:
            return *cell_name, int(number[:9])
    return None


def _replay_game(records: Records, names: Names, number: tuple[str, str, str, int], language: str) -> View:
    from workbench.report.render.documents import unplayable_games
    from workbench.report.replaying import ReplayBatch
    from workbench.report.sections.games import CHOSEN, replay_games

    provenance, plan, trials = records
    cell = trials.cell(number[:3])
    record = trials.rows(cell.index[cell["game"] == number[3] - 1].to_list())
    weights = provenance.get("weights", {})
    ReplayBatch.of(record, plan, weights)
    reasons: Any = [(CHOSEN,)]
    replays = replay_games(record.assign(reasons=reasons), plan, weights)
    replay_list = ReplayList(replays, names.short_names, {number[:3]: len(cell)})
    if replays[0].moves is None:
        return {"text": unplayable_games(replay_list)[0]}
    return {"games": [_viewer(replay_list, "viewer", language)]}


def _viewer(replay_list: ReplayList, name: str, language: str) -> View:
    pieces = Pieces(name)
    view = replay_view(replay_list, pieces, choice=False)
    return {"markup": str(replay_markup(view, pieces, language, name)), "data": view.content}


def _find_effect(records: Records, names: Names, proposal: str, language: str) -> View:
    """Return replays of a divergence under the baseline and a proposal, its ply, and the sentences that change."""
    from workbench.report.replaying import ReplayBatch
    from workbench.report.sections.games import divergence_replays, find_divergence, moment_text
    from workbench.report.sections.rules import distinct_changes

    provenance, plan, trials = records
    lines = []
    for name in (plan.baseline, proposal):
        cell = trials.cell((name, *names.strongest))
        record = trials.rows(cell.index[:GAMES_SEARCHED].to_list())
        lines += [moves for moves in ReplayBatch.of(record, plan, provenance.get("weights", {})).moves() if moves]
    divergence = find_divergence(names, proposal, lines)
    if divergence is None:
        return {"text": tr("In the compared games, the rule does not change the player's moves.")}
    changes = [item for item in distinct_changes(provenance["rulesets"], plan.baseline) if proposal in item.proposals]
    return {
        "games": [
            _viewer(ReplayList([replay], names.short_names), f"pair-{number}", language)
            for number, replay in enumerate(divergence_replays(names, divergence))
        ],
        "ply": len(divergence.shared) + 1,
        "text": moment_text(names, divergence),
        "changes": [{"was": change.was[1], "now": change.now[1]} for change in changes],
    }


def _read_records(folder: Path) -> Records:
    from workbench.records.provenance import folder_stamp

    return _read_records_at(folder, folder_stamp(folder))


@lru_cache(maxsize=2)
def _read_records_at(folder: Path, stamp: tuple[int, ...]) -> Records:
    from workbench.report.folders import read_report_trials, read_run_provenance
    from workbench.statistics import AnalysisPlan

    provenance = read_run_provenance(folder)
    plan = AnalysisPlan.from_provenance(provenance)
    return provenance, plan, read_report_trials(folder, provenance, plan.pairings)
