"""The compiled kernel and the naive twin play the same chess: compared ply by ply over random games."""

from __future__ import annotations

import io
import random
import re
from collections import Counter
from collections.abc import Hashable
from typing import Any

import chess
import chess.pgn
import numpy as np
import pytest

from tests import chess_engines as c
from tests import few
from tests.chess_engines import Setup, at, begin, in_uci
from tests.engines import Outcome, Settings
from tests.naive import chess as twin
from workbench.engine import contract
from workbench.errors import InputError
from workbench.games.chess.kernel_moves import number_of_moves
from workbench.games.chess.rules import DECLARATION
from workbench.games.declaration import COMMON, Setting
from workbench.games.game_state import GameState, IllegalMove
from workbench.games.results import RESULTS, all_endings
from workbench.questions import rulesets

RULESETS = [name for name in rulesets.ruleset_names() if name.startswith("chess/")]
NATURAL_END = 2_000
"""Plies that no random game with a move limit reaches."""

MIXTURES: list[dict[str, Setting]] = [
    {**c.TAKE_KINGS, "stalemate": "win", "repetition": 2},
    {"stalemate": "loss", "move_limit": 30, "insufficient_material": "play-on"},
    {"turns": "triple", "promotion_by": "owner", "moved_enemy": "safe"},
    {"turns": "triple", "same_piece": "only-if-forced", "castling_moves": "king-and-rook", **c.TAKE_KINGS},
    {"turns": "balanced", "promotion_by": "owner", "same_piece": "only-if-forced", "stalemate": "loss"},
    {"turns": "progressive", "promotion_by": "owner", **c.TAKE_KINGS, "move_limit": 0},
    {"pawn_double_step": "anywhere", "pawn_extra": "sideways", "self_capture": "any-but-king"},
    {"pawn_double_step": "second-and-third", "pawn_extra": "back", "castling": "after-move-10", "repetition": 2},
    {"turns": "triple", "self_capture": "any-but-king", "same_piece": "only-if-forced", "moved_enemy": "safe"},
    {"turns": "progressive", "capture": "obligatory", "pawn_double_step": "anywhere", **c.TAKE_KINGS},
    {"turns": "triple", "promotion_by": "owner", "pawn_extra": "sideways", **c.ANTICHESS},
    {"start_position": "rbnqknbr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKNBR w KQkq", "turns": "balanced"},
    {"start_position": "r3k2r/pp4pp/8/8/8/8/PP4PP/R3K2R b Kkq", "castling": "after-move-10"},
    {"start_position": "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 b -", "pawn_double_step": "second-and-third"},
]

SETUPS: list[tuple[str, str]] = [
    # Castling on all sides, with attacks on the way.
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R", "KQkq"),
    ("r3k2r/8/8/8/8/8/8/R3K2R", "KQkq"),
    # Promotions and en passant everywhere.
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N", "-"),
    ("4k3/pppp4/8/PPPP4/4pppp/8/4PPPP/4K3", "-"),
    ("8/PPP4k/8/8/8/8/4Kppp/8", "-"),
    # Few pieces: forced moves, mates, stalemates, too little to mate.
    ("8/8/8/3k4/8/2p5/1P6/K7", "-"),
    ("7k/1r6/8/8/8/8/5N1N/K7", "-"),
    ("k7/8/1K6/8/8/3B4/6p1/8", "-"),
    ("5k2/8/4Q3/8/8/1q6/8/K7", "-"),
]


class Kernel:
    """A game on the compiled kernel without a game state's comfort: thousands of games are played here."""

    def __init__(self, settings: Settings, setup: Setup | None) -> None:
        game_state = begin(settings, setup)
        self.rules, self.notation = game_state.rules, game_state.notation
        self.state = game_state.state.copy()
        self.moves = np.zeros(int(contract.max_moves(self.rules)), np.int32)
        self.keys: Counter[int] = Counter()
        self.legal: dict[str, Any] = {}
        self.look()

    def look(self) -> None:
        """Finds the legal moves, and counts the position."""
        n = contract.legal_moves(self.rules, self.state, self.moves)
        self.legal = {}
        for move in self.moves[:n]:
            text = self.notation.uci(self.rules, self.state, int(move))
            self.legal[f"={text[4]}" if text[:2] == text[2:4] else text] = move
        assert len(self.legal) == n == number_of_moves(self.rules, self.state), "a move is listed twice"
        self.keys[int(contract.key(self.rules, self.state))] += 1

    def outcome(self) -> Outcome:
        result, termination = contract.outcome(self.rules, self.state, len(self.legal))
        if result == contract.ONGOING:
            count = self.keys[int(contract.key(self.rules, self.state))]
            result, termination = contract.repetition(self.rules, self.state, count)
        if result == contract.ONGOING:
            return "ongoing", None
        return RESULTS[result], all_endings(DECLARATION)[int(termination)].name

    def play(self, text: str) -> None:
        contract.play(self.rules, self.state, self.legal[text])
        self.look()

    def fen(self) -> list[str]:
        """Pieces, colour, castling rights and clock: the en-passant square of a FEN may be written or not."""
        fields = self.notation.position(self.rules, self.state)["fen"].split()
        return [*fields[:3], fields[4]]


def compare(
    settings: Settings, seed: int | str, plies: int = NATURAL_END, setup: Setup | None = None, fens: bool = False
) -> tuple[int, str | None]:
    """Plays a random game on both; returns the positions compared and how the game ended."""
    chance = random.Random(seed)
    # Half of the games capture when they can half of the time: they reach other positions, and sooner.
    greed = chance.choice((0.0, 0.5))
    kernel = Kernel(settings, setup)
    position = twin.start(settings) if setup is None else twin.from_setup(settings, setup)
    history: list[Hashable] = []
    texts: list[str] = []
    for ply in range(plies):
        where = (seed, setup, texts)
        outcome = twin.outcome(settings, position, history)
        assert kernel.outcome() == outcome, where
        if fens or outcome[1]:
            fields = position.board.fen().split()
            assert position.promoting or kernel.fen() == [*fields[:3], fields[4]], where
        if outcome[1]:
            return ply + 1, outcome[1]
        legal = twin.legal_moves(settings, position)
        assert set(kernel.legal) == legal, (where, set(kernel.legal) ^ legal)
        assert contract.seat(kernel.rules, kernel.state) == twin.seat(settings, position), where
        choices = sorted(legal)
        if greed and chance.random() < greed:
            board = position.board
            captures = [text for text in choices if text[0] != "=" and board.is_capture(chess.Move.from_uci(text[:4]))]
            choices = captures or choices
        texts.append(chance.choice(choices))
        history.append(twin.repetition_key(settings, position))
        position = twin.play(settings, position, texts[-1])
        kernel.play(texts[-1])
    return plies, None


BY_TRYING: dict[str, tuple[Setting, ...]] = {
    "turns": ("double", "double-balanced", "progressive-own"),
    "pawn_double_step": ("first-and-second",),
    "promotion_rank": ("seventh",),
    "promotion_limit": ("captured",),
    "drops": ("captured", "captured-as-they-are"),
    "blast": ("around",),
    "giving_check": ("forbidden",),
}
"""Values for which another twin is there: `tests/test_chess_general.py`."""


def some_settings(chance: random.Random) -> dict[str, Setting]:
    """Random values of random toggles, free of conflicts."""
    settings = DECLARATION.defaults()
    for toggle in DECLARATION.toggles:
        if chance.random() < 0.5 and toggle not in COMMON:
            choices: list[Setting] = [value.name for value in toggle.values]
            if toggle.name in BY_TRYING:
                choices = [each for each in choices if each not in BY_TRYING[toggle.name]]
            if toggle.name == "repetition":
                choices += [2, 3]
            if toggle.name == "move_limit":
                choices += [1, 5, 20]
            settings[toggle.name] = chance.choice(choices)
    for toggle in DECLARATION.toggles:
        conflicts = [
            conflict
            for conflict in DECLARATION.excluded()
            if toggle.name in conflict.settings
            and all(settings[name] in values for name, values in conflict.settings.items())
        ]
        if conflicts:
            settings[toggle.name] = toggle.default
    return settings


def some_place(settings: Settings, chance: random.Random) -> dict[str, str]:
    """One of the setups in which no king can be taken, at a random place of the first 20 plies of the turns."""
    while True:
        pieces, castling = chance.choice(SETUPS)
        plies = twin.schedule(settings)
        for _ in range(chance.randrange(20)):
            next(plies)
        colour, slot = next(plies)
        place = at(f"{pieces} {'w' if colour else 'b'} {castling} - 0 1", f"{slot.run}/{slot.place}")
        if twin.pieces_as_in_chess(settings) or not could_be_taken(settings, place):
            return place


def could_be_taken(settings: Settings, place: Setup) -> bool:
    """Whether neither twin nor kernel begin there, since a king could be taken."""
    try:
        twin.from_setup(settings, place)
    except ValueError:
        with pytest.raises(IllegalMove, match="could be taken"):
            begin(settings, place)
        return True
    return False


@few.every_ruleset("chess/", nightly_in=3)
def test_kernel_and_twin_agree_on_every_shipped_ruleset(name: str) -> None:
    settings = rulesets.load_ruleset(name).settings
    if settings["turns"] in BY_TRYING["turns"] or settings["start_position"] != "array":
        pytest.skip("tests/test_chess_general.py compares it, and the setups here are those of chess")
    compare(settings, name, fens=True)
    for seed in range(12):
        compare(settings, seed, plies=40, setup=some_place(settings, random.Random(seed)), fens=True)


@pytest.mark.kernel
@pytest.mark.parametrize("changes", MIXTURES, ids=str)
def test_kernel_and_twin_agree_on_mixed_toggles(changes: dict[str, Setting]) -> None:
    settings = DECLARATION.defaults() | changes
    compare(settings, seed=1, plies=40)
    for seed in range(8):
        compare(settings, seed, plies=20, setup=some_place(settings, random.Random(seed)))


def test_kernel_and_twin_agree_from_drawn_starts() -> None:
    for number, (placement, castling) in enumerate(SETUPS):
        for turns, colour in (("single", "w"), ("single", "b"), ("triple", "w"), ("progressive", "w")):
            drawn = {"start_position": f"{placement} {colour} {castling}", "turns": turns}
            base = rulesets.load_ruleset("chess/orthodox")
            try:
                settings = rulesets.derive_ruleset(base, drawn, "drawn", "drawn").settings
            except InputError as error:
                assert "is not attacked" in str(error)
                continue
            compare(settings, number, plies=60, fens=True)


@pytest.mark.parametrize("seeds", few.first(1, [range(30), range(30, 80)]), ids=str)
def test_kernel_and_twin_agree_on_some_random_rules(seeds: range) -> None:
    for seed in seeds:
        chance = random.Random(seed)
        settings = some_settings(chance)
        compare(settings, seed, plies=40, setup=some_place(settings, chance), fens=True)


def expected_endings(settings: Settings) -> set[str]:
    """The endings that a thousand random games meet: the usual ones, or what a changed toggle ends games by instead."""
    if settings["king"] != "checkmate":
        return {"king-captured"} if settings["king"] == "capture" else {"lose-all"}
    usual = {"mate", "stalemate", "insufficient-material", "move-limit"}
    changed = {name for name, setting in DECLARATION.defaults().items() if settings[name] != setting}
    of_changed = {one.name for one in DECLARATION.terminations.values() if changed & {*one.toggles}}
    if settings["insufficient_material"] == "play-on":
        usual -= {"insufficient-material"}
    return of_changed - usual - {"insufficient-material"} or usual


@pytest.mark.slow
@pytest.mark.parametrize("name", RULESETS)
def test_kernel_and_twin_agree_on_many_games(name: str) -> None:
    settings = rulesets.load_ruleset(name).settings
    # The twin takes its time where python-chess does not know the moves.
    games = 1_000 if twin.pawns_and_captures_as_in_chess(settings) else 250
    # Named by the ruleset: the same numbers would give the rulesets that differ in their turns the same games.
    ends = Counter(compare(settings, f"{name} {game}")[1] for game in range(games))
    assert expected_endings(settings) <= set(ends), ends


@pytest.mark.slow
@pytest.mark.parametrize("block", range(5))
def test_kernel_and_twin_agree_on_random_rules(block: int) -> None:
    for seed in range(1_000 * block, 1_000 * (block + 1)):
        chance = random.Random(seed)
        settings = some_settings(chance)
        compare(settings, seed, plies=60, setup=some_place(settings, chance) if seed % 5 else None)


# --- Moves and games as text ------------------------------------------------------------------------------------------


def random_game(settings: Settings, seed: int | str, plies: int, setup: Setup | None = None) -> GameState:
    """A game of random moves, up to its end."""
    chance, game_state = random.Random(seed), begin(settings, setup)
    for _ in range(plies):
        legal = game_state.legal()
        if not legal:
            break
        game_state.push(chance.choice(legal))
    return game_state


def whole_moves(settings: Settings, game_state: GameState) -> tuple[list[str], list[int]]:
    """The plies of a game in UCI, the owner's choice of a promotion joined to the pawn's move; and who chose each."""
    moves: list[str] = []
    choosers: list[int] = []
    again = begin(settings, game_state.setup)
    for move in game_state.played:
        text = in_uci(again)[move]
        if text.startswith("="):
            moves[-1] += text[1]
        else:
            moves.append(text)
            choosers.append(again.seat)
        again.push(move)
    return moves, choosers


def read_back(game_state: GameState) -> chess.pgn.Game:
    """The game as python-chess reads it from the kernel's PGN."""
    tags = {"Variant": "Three-check"} if game_state.rules.checks_to_win == 3 else {}
    text = game_state.notation.pgn(game_state.rules, game_state.played, tags, setup=game_state.setup)
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None and not game.errors, text
    return game


def choosers_in_comments(game: chess.pgn.Game) -> list[int]:
    """Who chose each ply: {W} or {B} before a run says it; {W promotes} is another matter."""
    choosers: list[int] = []
    chooser = -1
    for child in game.mainline():
        for letter in re.findall(r"\b([WB])\b(?! promotes)", child.parent.comment):
            chooser = "WB".index(letter)
        choosers.append(chooser)
    return choosers


@pytest.mark.parametrize("name", few.first(2, [name for name in RULESETS if c.read_by_python_chess(name)]))
def test_python_chess_reads_the_games_back(name: str) -> None:
    settings = rulesets.load_ruleset(name).settings
    for seed in range(6):
        setup = some_place(settings, random.Random(seed)) if seed > 1 else None
        game_state = random_game(settings, seed, 150, setup)
        if "=q" in in_uci(game_state).values():
            game_state.undo()  # a pawn that waits for its piece is no move of chess yet
        moves, choosers = whole_moves(settings, game_state)
        game = read_back(game_state)
        assert [move.uci() for move in game.mainline_moves()] == moves
        result = RESULTS[game_state.outcome()[0]]
        assert game.headers["Result"] == {"first": "1-0", "second": "0-1", "draw": "1/2-1/2"}.get(result, "*"), seed
        if settings["turns"] != "single":
            assert choosers_in_comments(game) == choosers


def test_result_of_a_game_ended_by_repetition_is_written() -> None:
    game_state = begin(DECLARATION.defaults())
    for move in c.SHUFFLE * 2:
        game_state.push_text(move)
    assert read_back(game_state).headers["Result"] == "1/2-1/2"


def test_owners_choice_is_one_move_of_the_record() -> None:
    settings = DECLARATION.defaults() | {"turns": "triple", "promotion_by": "owner"}
    game_state = begin(settings, at("3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "3/2"))
    for move in ("exd8", "=Q+", "Kg7"):
        game_state.push_text(move)
    game = read_back(game_state)
    assert [node.san() for node in game.mainline()] == ["exd8=Q+", "Kg7"]
    assert game.headers["Run"] == "3/2"
    assert choosers_in_comments(game) == [1, 1]


def test_san_tells_a_move_apart_from_those_that_detente_forbids_too() -> None:
    # The rook from a1 has moved and may not go to d1; readers of the record do not know.
    settings = DECLARATION.defaults() | {"turns": "triple", "same_piece": "only-if-forced"}
    game_state = begin(settings, at("4k3/p7/8/8/8/8/4K3/R6R w - - 0 1", "3/1"))
    for move in ("a1b1", "a7a6", "h1c1"):
        game_state.push_text(move)
    assert game_state.texts[-1] == "Rhc1"
    assert [node.san() for node in read_back(game_state).mainline()] == game_state.texts
