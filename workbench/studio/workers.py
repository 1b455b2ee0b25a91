"""Processes beside the server's own, so that no page waits for a game.

Those that draw and those that answer quickly run the kernels as plain Python: a position takes some milliseconds, and
nothing has to be compiled before a designer sees the first board. The strong one runs machine code, and compiles it
where there is none yet.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import itertools
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from workbench.base.errors import compiler_in_words, text_of
from workbench.base.language import tr
from workbench.games import processes

if TYPE_CHECKING:
    from workbench.base.errors import Problem
    from workbench.base.project import Project
    from workbench.games.declaration import Board, Setting
    from workbench.players.judgement import Judge, Standing, Worth
    from workbench.positions.game_state import GameState
    from workbench.positions.touch import Touch
    from workbench.records.trials import Trials
    from workbench.rules.rulesets import Ruleset
    from workbench.statistics import AnalysisPlan


class Worker:
    """A process that does one thing after the other; it begins with the first, or when it is told to."""

    def __init__(self, compiled: bool) -> None:
        """``compiled``: it runs machine code."""
        self._compiled = compiled
        self._pool: ProcessPoolExecutor | None = None

    async def run(self, task: Callable[..., Any], *arguments: object) -> Any:
        """Runs a function of a module in the process; returns its result."""
        for last in (False, True):
            pool = self._pool = self._pool or processes.process(self._compiled)
            try:
                return await asyncio.wrap_future(pool.submit(_run_task, task, *arguments))
            except BrokenProcessPool:
                # It was killed, perhaps for want of memory: one more attempt.
                if self._pool is pool:
                    self._pool = None
                if last:
                    raise
        raise AssertionError

    def begin(self, task: Callable[..., Any]) -> None:
        """Has the process, which starts if need be, run a function of a module for whose result nobody waits."""
        self._pool = self._pool or processes.process(self._compiled)
        # A process that was killed is replaced by the next that is asked something.
        with contextlib.suppress(BrokenProcessPool):
            self._pool.submit(_run_task, task)

    def end(self) -> None:
        """Ends the process, whatever it does."""
        if self._pool is not None:
            processes.end(self._pool)
            self._pool = None


class Workers:
    """The processes of a studio, for the length of a ``with`` block."""

    def __init__(self) -> None:
        self.drawing, self.quick, self.strong = Worker(False), Worker(False), Worker(True)
        self.reading, self.planning, self.outside = Worker(False), Worker(True), Worker(True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in (self.drawing, self.quick, self.strong, self.reading, self.planning, self.outside):
            worker.end()


def _run_task(task: Callable[..., Any], *arguments: object) -> Any:
    with compiler_in_words():
        return task(*arguments)


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
    from workbench.positions.game_state import GameState, setup_of

    key = (ruleset.fingerprint, start)
    game_state = _states.get(key) or GameState(ruleset.game, ruleset.codes(), setup_of(ruleset.game, start))
    remember(_states, key, game_state)
    while game_state.played and tuple(game_state.played) != played[: len(game_state.played)]:
        game_state.undo()
    for move in played[len(game_state.played) :]:
        game_state.push(move)
    return game_state


PositionView = dict[str, Any]
"""A drawn position as plain data: its ``picture``, and in both languages what stands below it."""


class Positions:
    """What a process that knows the games has drawn; each position once."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._shown: dict[tuple[str, str, Setting, Setting, bool], PositionView | None] = {}
        self._samples: dict[str, str] = {}

    async def witness(
        self, game: str, toggle: str, was: Setting, now: Setting, first_chosen: bool
    ) -> PositionView | None:
        """The position in which two settings of a toggle differ; None if none is known.

        On boards that cannot be compared it is that of the setting that is chosen.
        """
        key = (game, toggle, was, now, first_chosen)
        if key not in self._shown:
            self._shown[key] = await self._worker.run(_draw_witness, *key)
        return self._shown[key]

    async def sample(self, root: Path, name: str) -> str:
        """A small picture of a ruleset's board with pieces on it, as an SVG document."""
        if name not in self._samples:
            self._samples[name] = await self._worker.run(_draw_sample, root, name)
        return self._samples[name]

    async def first_moves(self, root: Path, name: str, text: str) -> list[Problem]:
        """What is wrong with the first moves of which the text of a ruleset says that something is known."""
        problems: list[Problem] = await self._worker.run(_check_first_moves, root, name, text)
        return problems


def load_games() -> None:
    """Loads what pictures are drawn with, before the first is asked for."""
    from workbench import games

    for module in ("rules.rulesets", "rules.rulebook", "report.render.svg"):
        importlib.import_module(f"workbench.{module}")
    for name in games.names():
        games.declaration(name)


def _draw_witness(game: str, toggle: str, was: Setting, now: Setting, first_chosen: bool) -> PositionView | None:
    from markupsafe import Markup

    from workbench import games
    from workbench.report.render.svg import Pieces, board_svg
    from workbench.report.witness_positions import witness_position

    declared = games.declaration(game).toggle(toggle)
    shown = witness_position(game, declared, was, now)
    if first_chosen and shown and not (shown.opened or shown.shut or shown.outcome):
        shown = witness_position(game, declared, now, was)
    if shown is None:
        return None
    pieces = Pieces(f"{toggle}-{_yaml_of(was)}-{_yaml_of(now)}")
    drawn = Markup("{1}{0}").format(board_svg(shown.board, pieces, shown.highlights), pieces.definitions())
    # On an empty board without marks both settings look the same: only the words below it tell them apart.
    blank = not (any(map(any, shown.board.cells)) or any(shown.highlights.values()))
    return {
        "picture": "" if blank and (shown.opened or shown.shut) else str(drawn),
        "sentence": shown.sentence,
        "about": shown.about,
        "notes": shown.board.notes,
        "plays": shown.plays,
        "opened": shown.opened,
        "shut": shown.shut,
        "outcome": shown.outcome,
    }


def _draw_sample(root: Path, name: str) -> str:
    """The start, or what looks more like a game where the board is nearly empty: the fullest of the witnesses."""
    from workbench.base.errors import WorkbenchError
    from workbench.base.project import Project
    from workbench.positions.game_state import GameState, IllegalMove
    from workbench.report.render.svg import standalone_board_svg
    from workbench.rules import rulebook, rulesets

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
    bare = replace(fullest, columns=("",) * len(fullest.columns), rows=("",) * len(fullest.rows))
    return standalone_board_svg(bare)


def _yaml_of(setting: Setting) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in str(setting))


def _check_first_moves(root: Path, name: str, text: str) -> list[Problem]:
    from workbench.base.project import Project
    from workbench.rules import rulesets
    from workbench.rules.ruleset_files import Library

    return rulesets.first_move_problems(rulesets.load_ruleset(name, library=Library(Project(root), {name: text})))


MOST_PLIES = 2000


class Step(NamedTuple):
    """What a move did."""

    origin: str
    """The square from which something was moved; "" for what was placed."""
    target: str
    """Where it is then; "" for a move without a square."""
    piece: str


_seen: OrderedDict[tuple[str, str], tuple[GameState, list[Step]]] = OrderedDict()
_judges: OrderedDict[str, Judge] = OrderedDict()


def position_view(ruleset: Ruleset, start: str, played: tuple[int, ...]) -> dict[str, Any]:
    """The position after some moves from the start, or from a position as `setup_of` reads it.

    Its picture, and what may be touched.

    Raises:
        WorkbenchError: the position cannot be set up.
    """
    from markupsafe import Markup

    from workbench.engine import contract
    from workbench.games.results import RESULTS
    from workbench.positions.touch import names, seat_pieces, touches
    from workbench.report.render.replay import DRAWN, WON, termination_sentence
    from workbench.report.render.svg import CELL, EDGE, Grid, Pieces, board_svg, piece_svg

    game_state = state_after(ruleset, start, played)
    board, touched = game_state.board(), touches(game_state)
    pieces = Pieces("play")
    picture = board_svg(board, pieces, {"last": game_state.touched()})
    result, ending = game_state.outcome()
    over = None
    if result != contract.ONGOING:
        told = DRAWN if result == contract.DRAW else WON
        winner = game_state.declaration.seats[result == contract.SECOND]
        player = winner
        over = {
            "result": RESULTS[game_state.result],
            "told": told.format(plies=len(played), player=player),
            "why": termination_sentence(game_state.declaration, str(ending)),
            "termination": str(ending),
        }
    return {
        "picture": str(Markup("{}{}").format(pieces.definitions(), picture)),
        "size": (len(board.cells), len(board.cells[0]), CELL, EDGE),
        "grid": {
            name: getattr(Grid.from_board(board), name) for name in ("shift", "pitch", "shape", "width", "height")
        },
        "key": getattr(game_state.notation, "POSITION", ""),
        "names": [(y, x, name) for (y, x), name in names(game_state).items()],
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
    ruleset: Ruleset, start: str, played: tuple[int, ...], about: str, ending: str, language: str
) -> dict[str, Any]:
    """A game, to be looked through: what `replay.js` shows, with what the greedy player thinks of each position."""
    from workbench import games
    from workbench.players import agents
    from workbench.positions.game_state import setup_of
    from workbench.positions.playing import traces
    from workbench.report.model import Replay
    from workbench.report.render.replay import replay_markup, view_of_game_in_play
    from workbench.report.render.svg import Pieces

    codes = ruleset.codes()
    evaluations: tuple[int, ...] = ()
    if not start:
        player = agents.agent_from_text("greedy").player(games.declaration(ruleset.game))
        course = traces(ruleset.game, codes, player, player, [played])[0]
        evaluations = tuple(course.evaluations.tolist())
    replay = Replay(
        ruleset.name, "", "", 0, 0, "", "", len(played), (), ruleset.game, codes, played, evaluations,
        setup_of(ruleset.game, start),
    )  # fmt: skip
    pieces = Pieces("look")
    seen = view_of_game_in_play(replay, about, ending, pieces)
    return {"markup": str(replay_markup(seen, pieces, language)), "data": seen.content}


def _placeable_units(game_state: GameState, touched: Sequence[Touch]) -> list[tuple[str, str, str]]:
    """What may be placed from the hand, each with the sign that it is on the board, and its name."""
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
    """What stands on a square of a board, in words."""
    from workbench.positions.touch import piece_title

    return piece_title(game, board.cells[y][x] + "'" * (bool(board.owners) and board.owners[y][x] == 1))


def _steps(ruleset: Ruleset, start: str, played: tuple[int, ...]) -> list[Step]:
    """What was moved or placed by each move; what two calls share is not looked at again."""
    from workbench.positions.game_state import GameState, setup_of
    from workbench.positions.touch import names, touch_of

    key = (ruleset.fingerprint, start)
    new = GameState(ruleset.game, ruleset.codes(), setup_of(ruleset.game, start))
    game_state, steps = _seen.get(key) or (new, [])
    while tuple(game_state.played) != played[: len(game_state.played)]:
        game_state.undo()
    del steps[len(game_state.played) :]
    for move in played[len(game_state.played) :]:
        named, touch, before = names(game_state), touch_of(game_state, move), game_state.board()
        game_state.push(move)
        board, (y, x) = before if touch.origin else game_state.board(), touch.origin or touch.target or (0, 0)
        piece = _piece(ruleset.game, board, y, x)
        origin, target = (named[cell] if cell else "" for cell in (touch.origin, touch.target))
        steps.append(Step(origin, target, piece))
    remember(_seen, key, (game_state, steps))
    return list(steps)


def why_not(
    ruleset: Ruleset,
    start: str,
    played: tuple[int, ...],
    origin: tuple[int, int] | None,
    target: tuple[int, int],
    hand: str,
) -> str:
    """Which rule forbids what somebody touched, in a sentence."""
    from workbench.positions.touch import attempt, names, touches

    game_state = state_after(ruleset, start, played)
    piece = _piece(ruleset.game, game_state.board(), *target)
    if piece and origin is None and all(touch.origin for touch in touches(game_state) if touch.target):
        return tr("{piece} on {square} cannot move now.", piece=piece, square=names(game_state)[target])
    return game_state.why_not(attempt(game_state, origin, target, hand))


def judge_must_compile(game: str) -> bool:
    """Whether the machine code of who judges moves is still to be made."""
    from workbench.games import processes
    from workbench.players.judgement import FUNCTION

    return processes.must_compile({FUNCTION}, [game])


def evaluate_moves(
    ruleset: Ruleset, start: str, played: tuple[int, ...], moves: tuple[int, ...], project: Project
) -> tuple[str, list[Worth]]:
    """What some moves are worth after those that were played, and who says so."""
    judge = _judge(ruleset, project)
    return judge.name, judge.worths(state_after(ruleset, start, played), moves)


def best_move(ruleset: Ruleset, start: str, played: tuple[int, ...], project: Project) -> Worth | None:
    """The move that is worth most after those that were played."""
    return _judge(ruleset, project).best(state_after(ruleset, start, played))


def standing(ruleset: Ruleset, start: str, played: tuple[int, ...], project: Project) -> tuple[str, Standing]:
    """Who says how the game stands after some moves, and what."""
    judge = _judge(ruleset, project)
    return judge.name, judge.standing(state_after(ruleset, start, played))


def standing_at_a_glance(ruleset: Ruleset, start: str, played: tuple[int, ...]) -> Standing:
    """The same without machine code, and without looking ahead."""
    from workbench.players.judgement import at_a_glance

    return at_a_glance(state_after(ruleset, start, played))


def _judge(ruleset: Ruleset, project: Project) -> Judge:
    from workbench.players.judgement import Judge

    if ruleset.fingerprint not in _judges:
        remember(_judges, ruleset.fingerprint, Judge(ruleset, project))
    return _judges[ruleset.fingerprint]


def paint_position(ruleset: Ruleset, start: str, played: tuple[int, ...], done: dict[str, Any]) -> dict[str, Any]:
    """A position that somebody paints, after one more thing was done to it.

    ``done`` has the painting as it was (``cells``, and who was to move), unless it begins, and what was done: a
    ``cell`` and the ``sign`` that was painted there, ``empty``, a ``side`` that is to move, or ``text``, the position
    as it was typed.
    """
    from dataclasses import replace

    from markupsafe import Markup

    from workbench.base.errors import WorkbenchError
    from workbench.games.declaration import Board
    from workbench.positions.game_state import GameState, setup_of
    from workbench.positions.touch import Painting, palette, piece_title
    from workbench.report.render.svg import Pieces, board_svg

    game_state, problem, text = state_after(ruleset, start, played), "", done.get("text")
    painted = Painting.of(game_state)
    if text is not None:
        try:
            painted = Painting.of(GameState(ruleset.game, ruleset.codes(), setup_of(ruleset.game, text.strip())))
        except WorkbenchError as error:
            problem = text_of(error)
    if done.get("cells") and (text is None or problem):
        painted = replace(painted, cells=tuple(tuple(map(str, row)) for row in done["cells"]), side=int(done["was"]))
    if done.get("empty"):
        painted = painted.empty()
    if "sign" in done:
        painted = painted.painted(tuple(done["cell"]), done["sign"])
    if "side" in done:
        painted = replace(painted, side=done["side"])
    if text is None:
        text = painted.text()
        try:
            GameState(ruleset.game, ruleset.codes(), setup_of(ruleset.game, text))
        except WorkbenchError as error:
            problem = text_of(error)
    board, pieces, signs = game_state.board(), Pieces("painted"), Pieces("palette")
    picture = board_svg(painted.board(board), pieces)
    choices = palette(game_state)
    drawn = []
    for sign, _ in choices:
        owners = ((int(sign.endswith("'")),),) if board.owners else ()
        drawn.append(board_svg(Board(((sign.removesuffix("'"),),), ("",), ("",), owners=owners), signs))
    return {
        "picture": str(Markup("{}{}").format(pieces.definitions(), picture)),
        "definitions": str(signs.definitions()),
        "palette": [
            {"sign": sign, "title": piece_title(ruleset.game, sign), "picture": str(one)}
            for (sign, _), one in zip(choices, drawn, strict=True)
        ],
        "cells": [list(row) for row in painted.cells],
        "side": painted.side,
        "text": text,
        "problem": problem,
    }


def game_record(ruleset: Ruleset, played: tuple[int, ...], result: str, ending: str, names: tuple[str, str]) -> str:
    """A game from the start as players exchange it (PGN, PDN)."""
    from workbench.players.match import Played, exported

    texts = tuple(state_after(ruleset, "", played).texts)
    return exported(ruleset, Played(0, 0, played, texts, result, ending), *names)


def restore_game(ruleset: Ruleset, left: Mapping[str, Any]) -> dict[str, Any] | None:
    """A game that an earlier studio kept on disk, every move of which is found to be legal; None if it is no such game.

    The texts of its moves tell whether they are still encoded as they were.
    """
    from workbench.base.errors import WorkbenchError
    from workbench.engine import contract
    from workbench.positions.game_state import GameState, setup_of

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
        game_state = GameState(ruleset.game, ruleset.codes(), setup_of(ruleset.game, start))
    except WorkbenchError:
        return None
    for one in (*played, *reversed(later)):
        match one:
            case [int(move), game_state.seat] if game_state.outcome()[0] == contract.ONGOING:
                if move not in game_state.legal():
                    return None
                game_state.push(move)
            case _:
                return None
    if any(one != other for one, other in zip(game_state.texts[: len(played)], texts, strict=False)):
        return None
    moves = {"played": [(move, seat) for move, seat in played], "later": [(move, seat) for move, seat in later]}
    return {"start": start, **moves, "resigned": resigned, "seed": seed, "players": list(players)}


GAMES_SEARCHED = 10
"""Games of each ruleset in which a position is looked for where a proposal acts."""
Number = tuple[str, str, str, int]
"""A game: its ruleset, the agents of both seats, and its number in this cell, from 1."""


def list_cells(folder: Path) -> dict[str, Any]:
    """The cells of a folder with the games in each, and the games that its report shows, in both languages.

    Raises:
        WorkbenchError: there are no records, or they are damaged.
    """
    from workbench.report.names import Names
    from workbench.report.render.replay import game_option
    from workbench.report.sections.games import choose_games

    _, plan, trials = _read_records(folder)
    names = Names(plan)
    chosen = choose_games(trials, names.rulesets, plan.pairings)
    examples = [
        {
            "id": game_id((row["ruleset"], row["first"], row["second"], int(row["game"]) + 1)),
            "text": game_option(
                names.short(row["ruleset"]), row["reasons"], row["plies"], (row["first"], row["second"])
            ),
        }
        for row in chosen.to_dict("records")
    ]
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
    """How links name a game."""
    ruleset, first, second, game = number
    return f"{ruleset}/{first}/{second}/{game}"


def replay_must_compile(folder: Path, number: Number) -> bool:
    """Whether machine code is still to be made before a game is played again."""
    from workbench.games import processes

    _, plan, _ = _read_records(folder)
    players = [plan.agents[label] for label in number[1:3]]
    return processes.games_must_compile((player.function for player in players), [plan.ruleset(number[0]).game])


def replay_game(folder: Path, number: Number, language: str) -> dict[str, Any]:
    """A game, played again, as `replay_games.js` shows it: its markup and its data.

    Raises:
        WorkbenchError: it cannot be played again.
    """
    from workbench.report.model import ReplayList
    from workbench.report.names import Names
    from workbench.report.render.documents import unplayable_games
    from workbench.report.render.replay import replay_markup, replay_view
    from workbench.report.render.svg import Pieces
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
    pieces = Pieces("replay")
    seen = replay_view(listed, pieces, choice=False)
    return {"markup": str(replay_markup(seen, pieces, language)), "data": seen.content}


def games_where_it_acts(folder: Path, proposal: str, language: str) -> dict[str, Any] | None:
    """Where a proposal acts, in games of the report: the same game under the baseline and under the proposal.

    Each as `replay_game` gives it, with the ply at which they part, and the sentences that the proposal changes. None
    where no position was found in which it matters.

    Raises:
        WorkbenchError: the games cannot be played again.
    """
    from workbench.base.language import translated
    from workbench.report.model import ReplayList
    from workbench.report.names import Names
    from workbench.report.render.replay import replay_markup, replay_view
    from workbench.report.render.svg import Pieces
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
    both = []
    for number, replay in enumerate(pair_replays(names, pair)):
        pieces = Pieces(f"pair-{number}")
        seen = replay_view(ReplayList([replay], names.short_names), pieces, choice=False)
        both.append({"markup": str(replay_markup(seen, pieces, language, pieces.name)), "data": seen.content})
    changes = [each for each in distinct_changes(provenance["rulesets"], plan.baseline) if proposal in each.proposals]
    return {
        "games": both,
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
