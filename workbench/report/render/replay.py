"""The replay viewer: the data for `replay.js` and its markup, in a report or served by the studio."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from workbench import games
from workbench.base.language import LANGUAGES, OWN_NAME, SEMICOLON, join, join_list, tr, translated, untranslated
from workbench.games import results
from workbench.games.declaration import Board, Declaration
from workbench.positions.board_input import cell_names, piece_title
from workbench.report.labels import event_title, games_command, pairing_text
from workbench.report.model import Replay, ReplayList
from workbench.report.render.svg import CELL, Pieces, board_svg

TEXTS = {
    "native": OWN_NAME, "guide": tr("How to read the report"), "contents": tr("Contents"),
    "skip": tr("Skip to content"), "appendix": tr("Appendix: all numbers"), "print_appendix": tr("Include in print"),
    "before": tr("baseline"), "after": tr("proposal"), "proposals": tr("Proposals"), "example": tr("Example"),
    "marked": tr("marked square"), "instead": tr("today"), "opened": tr("Legal with the proposal only"),
    "shut": tr("Legal today only"), "plays": tr("Moves"), "stop": tr("."),
    "next_step": tr("Next:"), "rule": tr("The rule and an example"),
    "one_game": tr("Watch a game"), "typical": tr("Typical lines"),
    "viewer": tr("Replay of a game"),
    "choose": tr("Game"), "first": tr("To the start"), "previous": tr("Previous move"), "next": tr("Next move"),
    "last": tr("To the end"), "play": tr("Play"), "pause": tr("Pause"), "speed": tr("Speed"),
    "curve": tr("Position in the game, and the players' evaluation of it without search"),
    "copy_text": tr("Copy as text"), "copy_link": tr("Link to this ply"), "copied": tr("Copied."),
    "again": tr("How to reproduce this game"), "had": tr("In this report's folder:"),
    "arrows": tr(
        "Arrow keys step through the game, Home and End jump, Space plays it; swipe on a phone. The curve is the "
        "players' evaluation without search; marks on the curve and on moves show events caused by rule choices."
    ),
}  # fmt: skip
WON = tr("{player} wins after {plies} plies")
DRAWN = tr("A draw after {plies} plies")
AHEAD = tr("{player} ahead")
STOPPED = tr("Stopped after {plies} plies")
ENDING = tr("{result}: {termination}. {sentence}")


def ending_sentence(replay: Replay) -> str:
    """Return a sentence on how a game ended."""
    declaration = games.declaration(replay.family)
    result = {"draw": DRAWN, "unfinished": STOPPED}.get(replay.result, WON)
    player = declaration.seats[replay.result == "second"]
    return ENDING.format(
        result=result.format(plies=replay.plies, player=player),
        termination=replay.termination,
        sentence=termination_sentence(declaration, replay.termination),
    )


def termination_sentence(declaration: Declaration, name: str) -> str:
    """Return the sentence that describes an ending, or "" if the ending is not declared."""
    ending = results.ending(declaration, name)
    return ending.sentence if ending else ""


HERE = Path(__file__).parent
SCRIPT, STYLE = HERE / "replay.js", HERE / "replay.css"
UNIT = 10
"""Thousandths of an evaluation per unit of the curve, a hundredth."""
ABOUT = tr("{ruleset}, {pairing}, game {game} of {count}: {reasons}.")
SEED = tr("Its random seed is {seed}.")
CERTAIN = {"first": 100, "draw": 0, "second": -100}
"""The end of a game's curve by its result."""
OPTION = tr("{ruleset}: {reasons} ({plies} plies, {pairing})")


@dataclass(frozen=True)
class Group:
    """The menu entries for the games of one ruleset."""

    name: str
    games: list[tuple[int, str]]


@dataclass(frozen=True)
class ReplayView:
    """The data of a replay viewer."""

    games: list[dict[str, Any]]
    groups: list[Group]
    """Empty without a menu."""
    boards: list[tuple[str, Markup]]
    picture: Markup
    """The final position of the first game."""
    families: dict[str, dict[str, Any]]
    """Texts shared by a family's games; see `_family_content`."""
    squares: dict[str, list[str]]
    """The names of each board's cells, row by row; "" outside the board."""
    pieces: str
    cell: int = CELL

    @property
    def content(self) -> dict[str, Any]:
        """The data for the script."""
        return {"games": self.games, "families": self.families, "squares": self.squares}

    @property
    def data(self) -> Markup:
        """The data for the script as JSON."""
        return json_markup(self.content)


def template_environment() -> Environment:
    """Return the environment for templates."""
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["languages"] = LANGUAGES
    environment.filters["in_language"] = translated
    return environment


def json_markup(value: Any) -> Markup:
    """Return JSON that is safe inside a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def replay_markup(view: ReplayView, pieces: Pieces, lang: str, name: str = "viewer") -> Markup:
    """Return the markup of a standalone replay viewer; ``name`` is its id on the page."""
    source = '{% from "replay.html" import viewer %}{{ viewer(view, t, lang, name) }}'
    template = template_environment().from_string(source)
    return pieces.definitions() + Markup(template.render(view=view, t=TEXTS, lang=lang, name=name))


def replay_view(replay_list: ReplayList, pieces: Pieces, choice: bool = True) -> ReplayView:
    """Return a view of the playable games, with a menu if ``choice``, and add their pieces to ``pieces``."""
    boards = _Boards(pieces)
    shown_games: list[dict[str, Any]] = []
    groups: list[Group] = []
    replays = [replay for replay in replay_list.replays if replay.moves is not None]
    for number, replay in enumerate(replays):
        pair = (replay.first, replay.second)
        texts = {"id": replay.link, "about": escape(replay.about), "ending": "", "command": "", "seed": ""}
        if not replay.link:
            about = ABOUT.format(
                ruleset=replay_list.short[replay.ruleset], pairing=pairing_text(pair), game=f"{replay.game + 1:,}",
                count=f"{replay_list.count[replay.ruleset, *pair]:,}", reasons=join_list(replay.reasons),
            )  # fmt: skip
            texts = {
                "id": f"{replay.ruleset}/{replay.first}/{replay.second}/{replay.game + 1}",
                "about": escape(about),
                "ending": escape(ending_sentence(replay)),
                "command": games_command(replay.ruleset, pair, replay.game + 1),
                "seed": escape(SEED.format(seed=replay.seed)),
            }
        shown_games.append(texts | boards.game(replay))
        if not choice:
            continue
        name = untranslated(replay_list.short[replay.ruleset])
        if not groups or groups[-1].name != name:
            groups.append(Group(name, []))
        text = replay.about or game_option(replay_list.short[replay.ruleset], replay.reasons, replay.plies, pair)
        groups[-1].games.append((number, text))
    return boards.view(shown_games, groups)


class _Boards:
    """The boards of a viewer's games and the texts of their families."""

    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces
        self.boards: dict[Any, tuple[str, Markup]] = {}
        self.families: dict[str, dict[str, Any]] = {}
        self.squares: dict[str, list[str]] = {}
        self.picture = Markup("")

    def game(self, replay: Replay) -> dict[str, Any]:
        """Return a game's data for the script."""
        positions = list(replay.boards())
        first = positions[0]
        names_by_cell = cell_names(replay.game_state)
        squares = [names_by_cell.get((y, x), "") for y, row in enumerate(first.cells) for x in range(len(row))]
        grid = (*squares, first.columns, first.rows, first.shaded, first.hexagonal, first.outside, first.goals)
        if not self.boards:
            self.picture = board_svg(positions[-1], self.pieces)
        if grid not in self.boards:
            empty = replace(first, cells=tuple(tuple("" for _ in row) for row in first.cells), owners=())
            self.boards[grid] = (f"{len(self.boards)}", board_svg(empty, self.pieces))
            self.squares[self.boards[grid][0]] = squares
        if replay.family not in self.families:
            self.families[replay.family] = _family_content(games.declaration(replay.family))
        frames = board_changes(positions, self.pieces.numbers)
        on_board = {piece for board in positions for row in board.pieces() for piece in row if piece[0]}
        for sign, owner in sorted(on_board, key=self.pieces.number):
            title = piece_title(replay.family, sign + "'" * (owner == 1))
            self.families[replay.family]["pieces"][self.pieces.number((sign, owner))] = escape(title)
        notes, note_indices = _distinct_notes(positions)
        return {
            "board": self.boards[grid][0], "family": replay.family, "moves": replay.game_state.texts,
            "seats": replay.seats(), "frames": frames, "notes": notes, "note": note_indices,
            "events": _event_plies(replay), "curve": _curve(replay),
        }  # fmt: skip

    def view(self, shown_games: list[dict[str, Any]], groups: list[Group]) -> ReplayView:
        """Return the data of a viewer for these games and groups of the menu."""
        boards = list(self.boards.values())
        return ReplayView(shown_games, groups, boards, self.picture, self.families, self.squares, self.pieces.name)


def _curve(replay: Replay) -> list[int]:
    """Return the evaluation after each ply; the last one is the result if the game finished."""
    values = [round(value / UNIT) for value in replay.evaluations]
    if replay.result in CERTAIN and values and len(values) == len(replay.moves or ()):
        values[-1] = CERTAIN[replay.result]
    return values


def game_option(short: str, reasons: Sequence[str], plies: int, pairing: tuple[str, str]) -> str:
    """Return a game's menu entry."""
    return OPTION.format(ruleset=short, reasons=join_list(reasons), plies=plies, pairing=pairing_text(pairing))


def _distinct_notes(positions: Sequence[Board]) -> tuple[list[str], list[int]]:
    numbers: dict[str, int] = {}
    indices = []
    for board in positions:
        text = str(escape(join(SEMICOLON, board.notes)))
        indices.append(numbers.setdefault(text, len(numbers)))
    return list(numbers), indices


def _family_content(declaration: Declaration) -> dict[str, Any]:
    """Return a family's texts: leaders, events (each with 1 if it belongs to a toggle), and pieces."""
    return {
        "pieces": {},
        "ahead": [escape(AHEAD.format(player=seat)) for seat in declaration.seats],
        "happened": [(escape(event_title(event)), int(bool(event.toggles))) for event in declaration.events],
    }


def _event_plies(replay: Replay) -> dict[int, list[int]]:
    """Return the indices of the events of each ply (numbered from 1), those of toggles first.

    Ratios, such as quiet moves per ply, do not belong to a single ply.
    """
    declared = games.declaration(replay.family).events
    event_indices = {event.name: i for i, event in enumerate(declared) if not event.per}
    by_ply = {}
    for ply, names in enumerate(replay.game_state.ply_events(), start=1):
        events = [event_indices[name] for name in names if name in event_indices]
        if events:
            by_ply[ply] = sorted(events, key=lambda i: not declared[i].toggles)
    return by_ply


def board_changes(boards: Sequence[Board], numbers: Callable[[Board], list[int]]) -> list[list[int]]:
    """Return the changes from each position to the next as (cell, piece, cell, piece, …), starting with all pieces.

    ``numbers`` returns the number of the piece on each cell of a board.
    """
    before = [0] * (len(boards[0].cells) * len(boards[0].cells[0]))
    frames = []
    for board in boards:
        after = numbers(board)
        changed_cells = [i for i in range(len(after)) if before[i] != after[i]]
        frames.append([value for i in changed_cells for value in (i, after[i])])
        before = after
    return frames
