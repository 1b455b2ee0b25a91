"""The compiled kernel and the naive twin play the same chess: compared ply by ply over random games."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests import engines, few
from tests.engines import NATURAL_END, Settings
from tests.games.chess import engines as c
from tests.games.chess import twin
from tests.games.chess.engines import at, begin, rules
from workbench.base.errors import InputError
from workbench.games.chess.kernel_moves import number_of_moves
from workbench.games.chess.rules import DECLARATION
from workbench.games.declaration import COMMON, Setting
from workbench.positions.game_state import GameState, IllegalMove
from workbench.rules import rulesets

RULESETS = [name for name in rulesets.ruleset_names() if name.startswith("chess/")]

PLAY_ON: dict[str, Setting] = {"insufficient_material": "play-on"}
ZH: dict[str, Setting] = {"drops": "captured", **PLAY_ON}
PLACED: dict[str, Setting] = {"drops": "placement"}
ATOMIC: dict[str, Setting] = {"blast": "around", **PLAY_ON}
HILL: dict[str, Setting] = {"flag": "Kk d4 e4 d5 e5", **PLAY_ON}
ROOKIES: dict[str, Setting] = {"knight_moves": "WD", "bishop_moves": "HFD", "rook_moves": "R4", "queen_moves": "RN"}
SMALL = "rbnkq/ppppp/5/5/PPPPP/QKNBR w -"
CROWDS = "4k3/8/PPPP4/4PPPP/ppppp3/8/8/4K3 w -"
"""Pawns on their way."""
LIMITED = "rnbqk3/1PP5/5PPP/8/8/5ppp/1pp5/RNBQK3 w -"
PAWNS_AND_KINGS = "4k3/4p2b/8/8/8/8/4P2B/4K3 w -"
MIDDLE_GAME = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
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
    # Pieces that move by Betza's notation.
    {"queen_moves": "QN"},
    {**ROOKIES, **PLAY_ON},
    {"knight_moves": "NN", "rook_moves": "mRcB2", "queen_moves": "AADD", "king_moves": "KN", **PLAY_ON},
    {"knight_moves": "NN", **c.DETENTE, **PLAY_ON},
    {"bishop_moves": "fBbsNmW", "self_capture": "any-but-king", "pawn_extra": "sideways", **PLAY_ON},
    {"queen_moves": "RDCC", "pawn_extra": "back", "king_moves": "fhNfR2bFrW", **PLAY_ON},
    {"knight_moves": "NC", "turns": "progressive", "promotion_by": "owner", **c.TAKE_KINGS},
    {"rook_moves": "BD", "queen_moves": "BN", "king_moves": "KG", **c.ANTICHESS},
    {"knight_moves": "ffNlrW", "capture": "obligatory", "pawn_double_step": "anywhere", **PLAY_ON},
    # Goals, checks and bare kings.
    {"flag": "Kk *4; Qq *4 b*", "flag_when": "end-of-round", **PLAY_ON, **c.TRIPLE},
    {"flag": "P *8; p *1", "flag_when": "end-of-round", "pawn_double_step": "anywhere", **PLAY_ON},
    {"flag": "P d8 e8; pn *2", "pawn_extra": "sideways", "start_position": PAWNS_AND_KINGS, **PLAY_ON},
    {"checks_to_win": 2, **HILL},
    {"checks_to_win": 3, **c.TRIPLE, **PLAY_ON},
    {"checks_to_win": 4, "checks_of_black": 2, **PLAY_ON},
    {"bare_king": "loses", **PLAY_ON, "start_position": PAWNS_AND_KINGS},
    {"bare_king": "loses-unless-bared", **PLAY_ON, "start_position": PAWNS_AND_KINGS},
    {"stalemate_black": "loss", "stalemate": "win", "start_position": "k7/8/1K6/8/8/8/7Q/8 w -"},
    # Other pawns, drops, explosions, own turns, other castling, smaller boards.
    {**ZH, "checks_to_win": 3},
    {**ZH, "pawn_moves": "fmFfcW/fmWfcF", "king": "capture"},
    {**ZH, "giving_check": "forbidden", "capture": "obligatory"},
    {**ZH, "start_position": SMALL},
    {**ZH, "drops": "captured-as-they-are", "start_position": CROWDS},
    {**PLACED, "start_position": "1rkbnb1r/pppppppp/8/8/8/8/PPPPPPPP/R3K1R1 w AGbh", "flag": "Kk d4 e4", **PLAY_ON},
    {**PLACED, "start_position": SMALL, "giving_check": "forbidden", "turns": "double"},
    {**ATOMIC, "turns": "double", "knight_moves": "NN"},
    {**ATOMIC, "castling": "after-move-10", "repetition": 2},
    {"turns": "double-balanced", "king": "capture", **PLAY_ON},
    {"turns": "progressive-own", "pawn_double_step": "second-and-third"},
    {"start_position": "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq"},
    {"start_position": "1rk4r/pppppppp/8/8/8/8/PPPPPPPP/R3K1R1 w AGbh", "castling": "after-move-10"},
    {"knight_moves": "N/NC", "queen_moves": "RN/QN", "king_moves": "K/KA", **PLAY_ON},
    {"knight_moves": "fhNfRsR/WD", "bishop_moves": "BmW/BcW", "turns": "triple", **PLAY_ON},
    {"pawn_moves": "fmWfmFfcFfcW", "pawn_double_step": "anywhere"},
    {"promotion_limit": "captured", "promotion_rank": "seventh", "promotion_to": "RN", "pawn_extra": "back"},
    {"promotion_limit": "captured", "start_position": LIMITED, "pawn_double_step": "anywhere"},
    {"start_position": "rnnnknnr/pppppppp/8/8/8/8/PPPPPPPP/R1QQK1QR w KQkq", "self_capture": "any-but-king"},
    {"start_position": "qqqqkqqq/pppppppp/pppppppp/8/8/PPPPPPPP/PPPPPPPP/QQQQKQQQ w -", "king": "capture", **PLAY_ON},
    {"extinction": "NB qr1", "extinction_result": "win", **PLAY_ON},
    {"king": "ordinary", "extinction": "K k", "promotion_to": "KN", **PLAY_ON},
    {"king": "ordinary", "goal": "lose-all", "capture": "obligatory", "castling": "after-move-10", **PLAY_ON},
    {"self_capture": "any-but-king", "promotion_to": "Q", "pawn_extra": "sideways", "giving_check": "forbidden"},
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


def same_fen(settings: Settings, game_state: GameState, positions: list[twin.Position], where: str) -> None:
    """Compares pieces, colour, castling rights and clock: the en-passant square of a FEN may be written or not."""
    assert number_of_moves(game_state.rules, game_state.state) == len(game_state._generate()), where
    if positions[-1].promoting is None:
        fens = game_state.notation.position(game_state.rules, game_state.state)["fen"], positions[-1].fen()
        here, there = ([*fields[:3], fields[4]] for fields in map(str.split, fens))
        assert here == there, where


def compare(
    settings: Settings, seed: int | str, plies: int = NATURAL_END, setup: dict[str, str] | None = None
) -> str | None:
    # Half of the games capture when they can half of the time: they reach other positions, and sooner.
    greed = random.Random(seed).choice((0.0, 0.5))

    def choose(chance: random.Random, legal: list[str], position: twin.Position) -> str:
        there = {twin.FILES[x] + str(y + 1) for x, y in position.pieces}
        captures = [text for text in legal if text[2:4] in there and "@" not in text]
        return chance.choice(captures if captures and chance.random() < greed else legal)

    return engines.compare("chess", settings, seed, plies, setup, choose, same_fen)[1]


BY_TRYING: dict[str, tuple[Setting, ...]] = {
    "turns": ("double", "double-balanced", "progressive-own"),
    "pawn_double_step": ("first-and-second",),
    "promotion_rank": ("seventh",),
    "promotion_limit": ("captured",),
    "drops": ("captured", "captured-as-they-are"),
    "blast": ("around",),
    "giving_check": ("forbidden",),
}
"""Values that are tried in `MIXTURES` alone."""


def some_settings(chance: random.Random) -> dict[str, Setting]:
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
        colour, _, run, place = next(plies)
        setup = at(f"{pieces} {'wb'[colour]} {castling} - 0 1", f"{run}/{place}")
        if not could_be_taken(settings, setup):
            return setup


def takes_setups(settings: Settings) -> bool:
    usual = ("start_position", "drops", "blast", "extinction", "giving_check", "pawn_moves")
    own_turns = settings["turns"] in twin.OWN_TURNS
    return not own_turns and all(settings[name] == DECLARATION.toggle(name).default for name in usual)


def could_be_taken(settings: Settings, place: dict[str, str]) -> bool:
    """Whether neither twin nor kernel begin there, since a king could be captured."""
    try:
        twin.from_setup(settings, place)
    except ValueError:
        with pytest.raises(IllegalMove, match="could be captured"):
            begin(settings, place)
        return True
    return False


@few.every_ruleset("chess/", nightly_in=3)
def test_kernel_and_twin_agree_on_every_shipped_ruleset(name: str) -> None:
    settings = rulesets.load_ruleset(name).settings
    compare(settings, name)
    if takes_setups(settings):
        for seed in range(6):
            compare(settings, seed, plies=30, setup=some_place(settings, random.Random(seed)))


@pytest.mark.kernel
@pytest.mark.parametrize("changes", few.first(8, MIXTURES, thorough=20), ids=str)
def test_kernel_and_twin_agree_on_mixed_toggles(changes: dict[str, Setting]) -> None:
    settings = rules(changes)
    compare(settings, seed=1, plies=40)
    if takes_setups(settings):
        for seed in range(3):
            compare(settings, seed, plies=20, setup=some_place(settings, random.Random(seed)))
        place = at(MIDDLE_GAME.replace("KQkq", "-" if settings["castling"] == "never" else "KQkq"))
        if settings["turns"] == "single" and not could_be_taken(settings, place):
            compare(settings, seed=2, plies=30, setup=place)
    else:
        compare(settings, seed=2, plies=80)


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
            compare(settings, number, plies=60)


@pytest.mark.parametrize("seeds", few.first(1, [range(20), range(20, 80)]), ids=str)
def test_kernel_and_twin_agree_on_some_random_rules(seeds: range) -> None:
    for seed in seeds:
        chance = random.Random(seed)
        settings = some_settings(chance)
        compare(settings, seed, plies=40, setup=some_place(settings, chance))


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
    # Named by the ruleset: the same numbers would give the rulesets that differ in their turns the same games.
    ends = Counter(compare(settings, f"{name} {game}") for game in range(150))
    assert expected_endings(settings) <= set(ends), ends


@pytest.mark.slow
@pytest.mark.parametrize("block", range(5))
def test_kernel_and_twin_agree_on_random_rules(block: int) -> None:
    for seed in range(200 * block, 200 * (block + 1)):
        chance = random.Random(seed)
        settings = some_settings(chance)
        compare(settings, seed, plies=60, setup=some_place(settings, chance) if seed % 5 else None)
