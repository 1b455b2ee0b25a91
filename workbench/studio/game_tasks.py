"""Tasks that run in the studio's worker processes: drawing and judging positions, playing games again.

Modules that load pandas are imported where they are used: a page of rules needs none.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from workbench import games
from workbench.base.errors import Problem, WorkbenchError, text_of
from workbench.base.language import tr, translated
from workbench.base.project import Project
from workbench.engine import contract
from workbench.games import processes
from workbench.games.declaration import Board, Setting
from workbench.games.results import RESULTS
from workbench.players import agents, judgement
from workbench.players.judgement import Judge, Standing, Worth
from workbench.players.match import Played, exported
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
from workbench.positions.game_state import GameState, IllegalMove, setup_of, traces
from workbench.report.model import Replay, ReplayList
from workbench.report.render.replay import (
    DRAWN,
    WON,
    replay_markup,
    replay_view,
    termination_sentence,
    view_of_game_in_play,
)
from workbench.report.render.svg import CELL, EDGE, Grid, Pieces, board_svg, piece_svg, standalone_board_svg
from workbench.report.witness_positions import witness_position
from workbench.rules import rulebook, rulesets
from workbench.rules.ruleset_files import Library
from workbench.rules.rulesets import Ruleset
from workbench.studio.workers import Worker

if TYPE_CHECKING:
    from workbench.records.trials import Trials
    from workbench.statistics import AnalysisPlan

MAX_REMEMBERED = 8
"""Games, players and judges that a process remembers."""
MOST_PLIES = 2000
PositionView = dict[str, Any]
"""A drawn position as plain data: its ``picture``, and the texts below it, in both languages."""
Moves = tuple[int, ...]
_states: OrderedDict[tuple[str, str], GameState] = OrderedDict()
_seen: OrderedDict[tuple[str, str], tuple[GameState, list[Step]]] = OrderedDict()
_judges: OrderedDict[str, Judge] = OrderedDict()


def remember(memory: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    """Add a value as the latest one; the oldest beyond `MAX_REMEMBERED` goes."""
    memory[key] = value
    memory.move_to_end(key)
    while len(memory) > MAX_REMEMBERED:
        memory.popitem(last=False)


def _set_up(ruleset: Ruleset, start: str) -> GameState:
    return GameState(ruleset.game, ruleset.codes(), setup_of(ruleset.game, start))


def _moves_ahead(game_state: GameState, played: Moves) -> Moves:
    """Undo the moves in which a game differs from others; return those that are left to be played."""
    while tuple(game_state.played) != played[: len(game_state.played)]:
        game_state.undo()
    return played[len(game_state.played) :]


def state_after(ruleset: Ruleset, start: str, played: Moves) -> GameState:
    """Return the game after these moves; moves shared by two calls are not played again."""
    key = (ruleset.fingerprint, start)
    game_state = _states.get(key) or _set_up(ruleset, start)
    remember(_states, key, game_state)
    for move in _moves_ahead(game_state, played):
        game_state.push(move)
    return game_state


class Positions:
    """Positions drawn by a worker, each once."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._drawn: dict[tuple[object, ...], Any] = {}

    async def _draw_once(self, task: Callable[..., Any], *arguments: object) -> Any:
        key = (task, *arguments)
        if key not in self._drawn:
            self._drawn[key] = await self._worker.run(task, *arguments)
        return self._drawn[key]

    async def witness(
        self, game: str, toggle: str, was: Setting, now: Setting, first_chosen: bool
    ) -> PositionView | None:
        """The position in which two settings of a toggle differ; None if none is known.

        Where the two boards cannot be compared it shows the setting that is chosen.
        """
        position: PositionView | None = await self._draw_once(_draw_witness, game, toggle, was, now, first_chosen)
        return position

    async def sample(self, root: Path, name: str) -> str:
        """A small picture of a ruleset's board with pieces on it, as an SVG document."""
        return str(await self._draw_once(_draw_sample, root, name))


def _draw_witness(game: str, toggle: str, was: Setting, now: Setting, first_chosen: bool) -> PositionView | None:
    declared = games.declaration(game).toggle(toggle)
    position = witness_position(game, declared, was, now)
    if first_chosen and position and not (position.opened or position.shut or position.outcome):
        position = witness_position(game, declared, now, was)
    if position is None:
        return None
    pieces = Pieces(f"{toggle}-{_as_identifier(was)}-{_as_identifier(now)}")
    drawn = Markup("{1}{0}").format(board_svg(position.board, pieces, position.highlights), pieces.definitions())
    # On an empty board without marks both settings look the same: only the words below it tell them apart.
    blank = not (any(map(any, position.board.cells)) or any(position.highlights.values()))
    return {
        "picture": "" if blank and (position.opened or position.shut) else str(drawn),
        "notes": position.board.notes,
        **{key: getattr(position, key) for key in ("sentence", "about", "plays", "opened", "shut", "outcome")},
    }


def _as_identifier(setting: Setting) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in str(setting))


def _draw_sample(root: Path, name: str) -> str:
    """The start, or the fullest of the witnesses, which looks more like a game, where the board is nearly empty."""
    ruleset = rulesets.load_ruleset(name, Project(root))
    boards = [GameState(ruleset.game, ruleset.codes()).board()]
    size = len(boards[0].cells)
    if sum(map(bool, itertools.chain(*boards[0].cells))) < size:
        for witness in rulebook.family_witnesses(ruleset.game):
            try:
                boards.append(witness.game_state(ruleset.game, witness.value).board())
            except (WorkbenchError, IllegalMove):
                continue
    fitting = [board for board in boards if len(board.cells) == size]
    fullest = max(fitting, key=lambda board: sum(map(bool, itertools.chain(*board.cells))))
    return standalone_board_svg(replace(fullest, columns=("",) * len(fullest.columns), rows=("",) * len(fullest.rows)))


def check_first_moves(root: Path, name: str, text: str) -> list[Problem]:
    """Return the problems in a ruleset's text about first moves of which something is known."""
    return rulesets.first_move_problems(rulesets.load_ruleset(name, library=Library(Project(root), {name: text})))


class Step(NamedTuple):
    """The change that a move made."""

    origin: str
    """The square from which something was moved; "" for a placed piece."""
    target: str
    """The square where it is then; "" for a move without a square."""
    piece: str


def position_view(ruleset: Ruleset, start: str, played: Moves) -> dict[str, Any]:
    """Return the position after some moves from the start, or from a position as `setup_of` reads it.

    Its picture, and the squares that may be touched.
    """
    game_state = state_after(ruleset, start, played)
    board, touched = game_state.board(), input_moves(game_state)
    pieces, grid = Pieces("play"), Grid.from_board(board)
    picture = board_svg(board, pieces, {"last": game_state.touched()})
    result, ending = game_state.outcome()
    over = None
    if result != contract.ONGOING:
        sentence = DRAWN if result == contract.DRAW else WON
        over = {
            "result": RESULTS[game_state.result],
            "told": sentence.format(plies=len(played), player=game_state.declaration.seats[result == contract.SECOND]),
            "why": termination_sentence(game_state.declaration, str(ending)),
            "termination": str(ending),
        }
    return {
        "picture": str(Markup("{}{}").format(pieces.definitions(), picture)),
        "size": (len(board.cells), len(board.cells[0]), CELL, EDGE),
        "grid": {name: getattr(grid, name) for name in ("shift", "pitch", "shape", "width", "height")},
        "key": getattr(game_state.notation, "POSITION", ""),
        "names": [(y, x, name) for (y, x), name in cell_names(game_state).items()],
        "cells": [[_piece(ruleset.game, board, y, x) for x in range(len(row))] for y, row in enumerate(board.cells)],
        "moves": [touch._asdict() for touch in touched],
        "hands": _placeable_units(game_state, touched),
        "texts": list(game_state.texts),
        "steps": _steps(ruleset, start, played),
        "seat": game_state.seat,
        "swapped": game_state.swapped,
        "signs": [(sign, str(piece_svg(sign, owner)) if sign else "") for sign, owner in seat_pieces(game_state)],
        "notes": board.notes,
        "check": board.check,
        "over": over,
    }


def render_replay(
    ruleset: Ruleset, start: str, played: Moves, about: str, ending: str, language: str
) -> dict[str, Any]:
    """Return a game for `replay.js`, with the greedy player's evaluation of each position."""
    codes = ruleset.codes()
    evaluations: Moves = ()
    if not start:
        player = agents.agent_from_text("greedy").player(games.declaration(ruleset.game))
        course = traces(ruleset.game, codes, player, player, [played])[0]
        evaluations = tuple(course.evaluations.tolist())
    replay = Replay(
        ruleset.name, "", "", 0, 0, "", "", len(played), (), ruleset.game, codes, played, evaluations,
        setup_of(ruleset.game, start),
    )  # fmt: skip
    pieces = Pieces("look")
    view = view_of_game_in_play(replay, about, ending, pieces)
    return {"markup": str(replay_markup(view, pieces, language)), "data": view.content}


def _placeable_units(game_state: GameState, touched: Sequence[InputMove]) -> list[tuple[str, str, str]]:
    """Return the units in the hand that may be placed, each with its sign on the board, and its name."""
    units: dict[str, tuple[str, str, str]] = {}
    for touch in touched:
        if touch.target and not touch.origin and touch.hand not in units:
            game_state.push(touch.move)
            y, x = touch.target
            board = game_state.board()
            game_state.undo()
            units[touch.hand] = touch.hand, board.cells[y][x] or touch.text, _piece(game_state.game, board, y, x)
    return list(units.values())


def _piece(game: str, board: Board, y: int, x: int) -> str:
    """Return the name of the piece on a square."""
    return piece_title(game, board.cells[y][x] + "'" * (bool(board.owners) and board.owners[y][x] == 1))


def _steps(ruleset: Ruleset, start: str, played: Moves) -> list[Step]:
    """Return the piece moved or placed by each move; moves shared by two calls are not played again."""
    key = (ruleset.fingerprint, start)
    game_state, steps = _seen.get(key) or (_set_up(ruleset, start), [])
    ahead = _moves_ahead(game_state, played)
    del steps[len(game_state.played) :]
    for move in ahead:
        named, touch, before = cell_names(game_state), input_move(game_state, move), game_state.board()
        game_state.push(move)
        board, (y, x) = before if touch.origin else game_state.board(), touch.origin or touch.target or (0, 0)
        origin, target = (named[cell] if cell else "" for cell in (touch.origin, touch.target))
        steps.append(Step(origin, target, _piece(ruleset.game, board, y, x)))
    remember(_seen, key, (game_state, steps))
    return list(steps)


def why_not(
    ruleset: Ruleset,
    start: str,
    played: Moves,
    origin: tuple[int, int] | None,
    target: tuple[int, int],
    hand: str,
) -> str:
    """Return the rule that forbids the touched move, in a sentence."""
    game_state = state_after(ruleset, start, played)
    piece = _piece(ruleset.game, game_state.board(), *target)
    if piece and origin is None and all(touch.origin for touch in input_moves(game_state) if touch.target):
        return tr("{piece} on {square} cannot move now.", piece=piece, square=cell_names(game_state)[target])
    return game_state.why_not(typed_text(game_state, origin, target, hand))


def judge_must_compile(game: str) -> bool:
    """True if the judge of moves still lacks machine code."""
    return processes.must_compile({judgement.FUNCTION}, [game])


def evaluate_moves(
    ruleset: Ruleset, start: str, played: Moves, moves: Moves, project: Project
) -> tuple[str, list[Worth]]:
    """Return the judge's name, and its evaluations of some moves after those that were played."""
    judge = _judge(ruleset, project)
    return judge.name, judge.worths(state_after(ruleset, start, played), moves)


def best_move(ruleset: Ruleset, start: str, played: Moves, project: Project) -> Worth | None:
    """Return the best move after those that were played."""
    return _judge(ruleset, project).best(state_after(ruleset, start, played))


def standing(ruleset: Ruleset, start: str, played: Moves, project: Project) -> tuple[str, Standing]:
    """Return the judge's name, and its evaluation of the game after some moves."""
    judge = _judge(ruleset, project)
    return judge.name, judge.standing(state_after(ruleset, start, played))


def standing_at_a_glance(ruleset: Ruleset, start: str, played: Moves) -> Standing:
    """Return the same without machine code, and without looking ahead."""
    return judgement.at_a_glance(state_after(ruleset, start, played))


def _judge(ruleset: Ruleset, project: Project) -> Judge:
    if ruleset.fingerprint not in _judges:
        remember(_judges, ruleset.fingerprint, Judge(ruleset, project))
    return _judges[ruleset.fingerprint]


def paint_position(ruleset: Ruleset, start: str, played: Moves, done: dict[str, Any]) -> dict[str, Any]:
    """Return a position that is being painted, after one more change.

    ``done`` has the painting so far (``cells``, and the side to move as ``was``), unless it begins, and the change: a
    ``cell`` and the ``sign`` that was painted there, ``empty``, the new ``side`` to move, or ``text``, the position as
    it was typed.
    """
    game_state, problem, text = state_after(ruleset, start, played), "", done.get("text")
    painted = EditedPosition.of(game_state)
    if text is not None:
        try:
            painted = EditedPosition.of(_set_up(ruleset, text.strip()))
        except WorkbenchError as error:
            problem = text_of(error)
    if done.get("cells") and (text is None or problem):
        painted = replace(painted, cells=tuple(tuple(map(str, row)) for row in done["cells"]), side=int(done["was"]))
    if done.get("empty"):
        painted = painted.without_pieces()
    if "sign" in done:
        painted = painted.with_piece(tuple(done["cell"]), done["sign"])
    if "side" in done:
        painted = replace(painted, side=done["side"])
    if text is None:
        text = painted.text()
        try:
            _set_up(ruleset, text)
        except WorkbenchError as error:
            problem = text_of(error)
    board, pieces, signs = game_state.board(), Pieces("painted"), Pieces("palette")
    picture = board_svg(painted.board(board), pieces)
    choices = []
    for sign, _ in palette(game_state):
        owners = ((int(sign.endswith("'")),),) if board.owners else ()
        drawn = board_svg(Board(((sign.removesuffix("'"),),), ("",), ("",), owners=owners), signs)
        choices.append({"sign": sign, "title": piece_title(ruleset.game, sign), "picture": str(drawn)})
    return {
        "picture": str(Markup("{}{}").format(pieces.definitions(), picture)),
        "definitions": str(signs.definitions()),
        "palette": choices,
        "cells": [list(row) for row in painted.cells],
        "side": painted.side,
        "text": text,
        "problem": problem,
    }


def game_record(ruleset: Ruleset, played: Moves, result: str, ending: str, names: tuple[str, str]) -> str:
    """Return a game from the start as players exchange it (PGN, PDN)."""
    texts = tuple(state_after(ruleset, "", played).texts)
    return exported(ruleset, Played(0, 0, played, texts, result, ending), *names)


def restore_game(ruleset: Ruleset, left: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a game saved by an earlier studio, all of whose moves are legal; None of anything else.

    The texts of its moves tell whether they are still encoded in the same way.
    """
    match left:
        case {
            "rules": ruleset.fingerprint,
            "start": str(start),
            "played": [*played],
            "later": [*later],
            "texts": [*texts],
            "resigned": 0 | 1 | None as resigned,
            "seed": int(seed),
            "players": [str(), str()] as players,
        } if len(played) + len(later) <= MOST_PLIES and 0 <= seed < 2**32:
            pass
        case _:
            return None
    try:
        game_state = _set_up(ruleset, start)
    except WorkbenchError:
        return None
    for move_of_seat in (*played, *reversed(later)):
        match move_of_seat:
            case [int(move), game_state.seat] if game_state.outcome()[0] == contract.ONGOING:
                if move not in game_state.legal():
                    return None
                game_state.push(move)
            case _:
                return None
    if any(now != before for now, before in zip(game_state.texts[: len(played)], texts, strict=False)):
        return None
    moves = {"played": [(move, seat) for move, seat in played], "later": [(move, seat) for move, seat in later]}
    return {"start": start, **moves, "resigned": resigned, "seed": seed, "players": list(players)}


GAMES_SEARCHED = 10
"""Games of each ruleset in which a position is looked for where a proposal acts."""
Number = tuple[str, str, str, int]
"""A game: its ruleset, the agents of both seats, and its number in this cell, from 1."""


def list_cells(folder: Path) -> dict[str, Any]:
    """Return the cells of a folder with the games in each, and the games shown in its report, in both languages."""
    from workbench.report.names import Names
    from workbench.report.render.replay import game_option
    from workbench.report.sections.games import choose_games

    _, plan, trials = _read_records(folder)
    names = Names(plan)
    examples = []
    for row in choose_games(trials, names.rulesets, plan.pairings).to_dict("records"):
        name, players = row["ruleset"], (row["first"], row["second"])
        text = game_option(names.short(name), row["reasons"], row["plies"], players)
        examples.append({"id": game_id((name, *players, int(row["game"]) + 1)), "text": text})
    return {
        "cells": [
            {"ruleset": name, "short": names.short(name), "first": first, "second": second, "count": count}
            for name in names.rulesets
            for first, second in plan.pairings
            if (count := len(trials.cell((name, first, second))))
        ],
        "examples": examples,
        "proposals": [{"ruleset": name, "short": names.short(name)} for name in names.plan.proposals],
    }


def game_id(number: Number) -> str:
    """Return the name of a game in links."""
    return "/".join(map(str, number))


def replay_must_compile(folder: Path, number: Number) -> bool:
    """True if machine code is still to be made before a game is played again."""
    _, plan, _ = _read_records(folder)
    players = [plan.agents[label] for label in number[1:3]]
    return processes.games_must_compile((player.function for player in players), [plan.ruleset(number[0]).game])


def replay_game(folder: Path, number: Number, language: str) -> dict[str, Any]:
    """Return a game, played again, for `replay_games.js`: its markup and its data."""
    from workbench.report.names import Names
    from workbench.report.render.documents import unplayable_games
    from workbench.report.replaying import ReplayBatch
    from workbench.report.sections.games import CHOSEN, replay_games

    provenance, plan, trials = _read_records(folder)
    name, first, second, game = number
    cell = trials.cell((name, first, second))
    record = trials.rows(cell.index[cell["game"] == game - 1].to_list())
    weights = provenance.get("weights", {})
    ReplayBatch.of(record, plan, weights)
    reasons: Any = [(CHOSEN,)]
    replays = replay_games(record.assign(reasons=reasons), plan, weights)
    listed = ReplayList(replays, Names(plan).short_names, {(name, first, second): len(cell)})
    if replays[0].moves is None:
        return {"failed": unplayable_games(listed)[0]}
    return _replayed(listed, Pieces("replay"), language, "viewer")


def _replayed(listed: ReplayList, pieces: Pieces, language: str, name: str) -> dict[str, Any]:
    view = replay_view(listed, pieces, choice=False)
    return {"markup": str(replay_markup(view, pieces, language, name)), "data": view.content}


def games_where_it_acts(folder: Path, proposal: str, language: str) -> dict[str, Any] | None:
    """Return a game of the report under the baseline and under a proposal, up to where the proposal matters and beyond.

    Each is as `replay_game` gives it; with the ply at which they part, and the sentences that the proposal changes.
    None if no such position was found.
    """
    from workbench.report.names import Names
    from workbench.report.replaying import ReplayBatch
    from workbench.report.sections.games import find_pair, moment_text, pair_replays
    from workbench.report.sections.rules import distinct_changes

    provenance, plan, trials = _read_records(folder)
    names, lines = Names(plan), []
    for name in (plan.baseline, proposal):
        cell = trials.cell((name, *names.strongest))
        record = trials.rows(cell.index[:GAMES_SEARCHED].to_list())
        lines += [moves for moves in ReplayBatch.of(record, plan, provenance.get("weights", {})).moves() if moves]
    pair = find_pair(names, proposal, lines)
    if pair is None:
        return None
    changes = [each for each in distinct_changes(provenance["rulesets"], plan.baseline) if proposal in each.proposals]
    return {
        "games": [
            _replayed(ReplayList([replay], names.short_names), Pieces(f"pair-{number}"), language, f"pair-{number}")
            for number, replay in enumerate(pair_replays(names, pair))
        ],
        "ply": len(pair.shared) + 1,
        "text": translated(moment_text(names, pair), language),
        "changes": [
            {"was": translated(each.was[1], language), "now": translated(each.now[1], language)} for each in changes
        ],
    }


def _read_records(folder: Path) -> tuple[dict[str, Any], AnalysisPlan, Trials]:
    from workbench.records.provenance import folder_stamp

    return _read_records_of(folder, folder_stamp(folder))


@lru_cache(maxsize=2)
def _read_records_of(folder: Path, stamp: tuple[int, ...]) -> tuple[dict[str, Any], AnalysisPlan, Trials]:
    from workbench.report.reading import read_report_trials, read_run_provenance
    from workbench.statistics import AnalysisPlan

    provenance = read_run_provenance(folder)
    plan = AnalysisPlan.from_provenance(provenance)
    return provenance, plan, read_report_trials(folder, provenance, plan.pairings)
