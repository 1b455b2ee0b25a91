"""Players see every end of a game: they take a win in one and avoid a loss in one, whatever rule brings it.

What ends a game is found here by listing all moves (`outcome`), not by the function that the players ask (`terminal`).
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from tests import few
from workbench import games
from workbench.engine import contract, jit, trials
from workbench.engine.players import BlockArguments, Codes
from workbench.engine.trials import best_move
from workbench.games import results
from workbench.games.declaration import Setting, equal_settings
from workbench.games.draughts import kernel_board
from workbench.games.draughts import rules_squares as draughts_squares
from workbench.players.agents import AgentSpec
from workbench.positions.game_state import GameState, IllegalMove
from workbench.rules import rulebook, rulesets

pytestmark = pytest.mark.skipif(jit.DISABLED, reason="thousands of moves")
PLAYERS = {"greedy": AgentSpec.of("greedy"), "greedy without noise": AgentSpec.of("greedy", temperature=0.0),
           "alphabeta-1": AgentSpec.of("alphabeta", depth=1), "alphabeta-200n": AgentSpec.of("alphabeta", nodes=200),
           "best-first-200n": AgentSpec.of("best-first", nodes=200)}  # fmt: skip
REPETITION = "repetition"
MOST_PLIES = 300


@dataclass(frozen=True)
class Line:
    family: str
    codes: Codes
    states: tuple[Any, ...]
    played: tuple[int, ...] = ()

    @functools.cached_property
    def rules(self) -> Any:
        return trials.make_rules(self.family, self.codes)

    @functools.cached_property
    def legal(self) -> list[int]:
        moves = np.zeros(int(contract.max_moves(self.rules)), np.int32)
        return [int(move) for move in moves[: contract.legal_moves(self.rules, self.states[-1], moves)]]

    @property
    def seat(self) -> int:
        return int(contract.seat(self.rules, self.states[-1]))

    def after(self, move: int) -> Line:
        state = self.states[-1].copy()
        contract.play(self.rules, state, move)
        return Line(self.family, self.codes, (*self.states, state), (*self.played, move))

    @functools.cached_property
    def end(self) -> tuple[int, str]:
        """Result and name of the ending; "" while the game goes on."""
        rules, state = self.rules, self.states[-1]
        result, why = contract.outcome(rules, state, len(self.legal))
        if result == contract.ONGOING and contract.counts_positions(rules):
            now = contract.key(rules, state)
            count = sum(contract.key(rules, other) == now for other in self.states)
            result, why = contract.repetition(rules, state, count)
        if result == contract.ONGOING:
            return result, ""
        return int(result), results.all_endings(games.declaration(self.family))[int(why)].name

    @functools.cached_property
    def ends(self) -> dict[int, tuple[int, str]]:
        return {move: self.after(move).end for move in self.legal}

    def value(self, move: int, weights: Mapping[int, float]) -> float:
        sign = 1 if self.seat == 0 else -1
        result, why = self.ends[move]
        if why:
            return sign * {contract.FIRST: math.inf, contract.SECOND: -math.inf, contract.DRAW: 0.0}[result]
        out = np.zeros(int(contract.feature_count(self.rules)))
        contract.features(self.rules, self.after(move).states[-1], out)
        return sign * sum(weight * float(out[i]) for i, weight in weights.items())

    def choice(self, player: AgentSpec, seed: int = 1) -> int:
        numbers = player.player(games.declaration(self.family))
        return best_move(self.family, self.codes, numbers, seed, self.played, self.states[0])


def tells(line: Line, ending: str) -> bool:
    results = {result for result, _ in line.ends.values()}
    return len(results) > 1 and ending in {why for _, why in line.ends.values()}


def judge(line: Line) -> None:
    """Every player takes a win in one, and avoids a loss in one; greedy takes the best of all moves."""
    mine, theirs = contract.FIRST + line.seat, contract.SECOND - line.seat
    wins = {move for move, (result, _) in line.ends.items() if result == mine}
    losses = {move for move, (result, _) in line.ends.items() if result == theirs}
    for name, player in PLAYERS.items():
        move = line.choice(player)
        if wins:
            assert move in wins, name
        elif len(losses) < len(line.ends):
            assert move not in losses, name
    weights = {i: feature.weight for i, feature in enumerate(games.declaration(line.family).features)}
    values = {move: line.value(move, weights) for move in line.legal}
    assert values[line.choice(PLAYERS["greedy without noise"])] >= max(values.values()) - 1e-9


def codes_of(name: str) -> Codes:
    return rulesets.load_ruleset(name).codes()


def met(name: str, player: str, count: int, each: int) -> Iterator[Line]:
    """Where games of equal players stood one ply before their end: at most ``each`` that tell of an ending."""
    family, codes = name.partition("/")[0], codes_of(name)
    numbers = AgentSpec.of(player).player(games.declaration(family))
    seeds = np.arange(count, dtype=np.uint64)
    arrays = trials.run_block(BlockArguments(family, codes, numbers, numbers, seeds, MOST_PLIES, keep=MOST_PLIES))
    start = GameState(family, codes).state
    for ending in sorted(set(arrays["termination"]) - {contract.CAP}):
        shortest = sorted((arrays["plies"][game], game) for game in np.flatnonzero(arrays["termination"] == ending))
        before = (continued(Line(family, codes, (start,)), arrays["opening"][game, : n - 1]) for n, game in shortest)
        why = results.all_endings(games.declaration(family))[int(ending)].name
        yield from itertools.islice((line for line in before if tells(line, why)), each)


def continued(line: Line, moves: Any) -> Line:
    states = list(line.states)
    for move in moves:
        state = states[-1].copy()
        contract.play(line.rules, state, int(move))
        states.append(state)
    return Line(line.family, line.codes, tuple(states), (*line.played, *(int(move) for move in moves)))


Board = Callable[[int], str]


@dataclass(frozen=True)
class Position:
    """A position that stands before an ending under some rulesets; where it cannot be set up it says nothing."""

    ending: str
    setup: Mapping[str, Any] | Callable[[Mapping[str, Setting]], Mapping[str, Any] | Iterator[Mapping[str, Any]]] | None
    """None: the start. Of several, the first that tells of the ending is taken."""
    cycle: tuple[str, ...] = field(default=())
    """Moves that are repeated until the ending is one ply away; "*": any four that lead back."""


RUNS = ("1/1", "2/1", "2/2", "3/1", "3/2", "3/3")


def chess(ending: str, fen: str) -> list[Position]:
    """A FEN at every place in the runs; its clock stands one ply before the limit."""

    def setup(run: str) -> Callable[[Mapping[str, Setting]], Mapping[str, Any]]:
        def written(settings: Mapping[str, Setting]) -> Mapping[str, Any]:
            clock = int(settings["move_limit"]) - 1 if ending == "move-limit" else 0
            return {"fen": f"{fen} - - {clock} 90"} | ({"run": run} if settings["turns"] != "single" else {})

        return written

    return [Position(ending, setup(run)) for run in RUNS]


def _by_rows(settings: Mapping[str, Setting]) -> list[str]:
    there, aside = draughts_squares.squares(settings), -1 if draughts_squares.square_naming(settings).mirrored else 1
    return sorted(there, key=lambda name: (there[name].row, aside * there[name].column))


def draughts(settings: Mapping[str, Setting], man: bool = False) -> Mapping[str, Any]:
    """A king of each side in opposite corners; or with a man of White, too, one ply before the limit of quiet plies."""
    rules = trials.make_rules("draughts", rulesets.kernel_codes("draughts", settings))
    squares, royal = _by_rows(settings), "R" if rules.royal else "K"
    own = f"{royal}{squares[-1]},{squares[-3]}" if man else f"{royal}{squares[-1]}"
    return {"fen": f"W:W{own}:B{royal}{squares[0]}", "quiet": max(0, rules.quiet_limit - 1) if man else 0}


def draughts_two_kings(settings: Mapping[str, Setting]) -> Mapping[str, Any]:
    squares = _by_rows(settings)
    return {"fen": f"W:WK{squares[-1]},K{squares[-2]}:BK{squares[0]},K{squares[1]}"}


def _pieces(rules: Any, own: list[int], enemies: list[int]) -> Mapping[str, Any]:
    """A position of men, the first side to move; if there must be royal pieces, the last of each side is one."""
    notation = games.notation("draughts")
    names, letters = notation.names(rules), notation.colours(rules)
    sides = [[names[man] for man in men] for men in (own, enemies)]
    for side in sides:
        side[-1] = "R" * rules.royal + side[-1]
    return {"fen": ":".join([letters[0], *(letters[side] + ",".join(sides[side]) for side in (0, 1))])}


def _draughts(settings: Mapping[str, Setting]) -> tuple[Any, list[int], Callable[[int, int], int], list[list[int]]]:
    """The rules, the squares, the next square in a direction (-1: none), and where the men of each side step."""
    rules = trials.make_rules("draughts", rulesets.kernel_codes("draughts", settings))
    following = kernel_board.NEXT[kernel_board.geometry(rules)]
    steps = kernel_board.STEP_DIRECTIONS[rules.squares, rules.men_step]
    others = kernel_board.OTHER_DIRECTIONS[rules.squares, rules.men_step] if rules.step_lines else (0, 0)
    directions = [[d for d in range(8) if (others[side] << 4 | steps[side]) >> d & 1] for side in (0, 1)]

    def beyond(square: int, d: int) -> int:
        return int(following[square, d]) if square >= 0 else -1

    return rules, list(games.notation("draughts").names(rules)), beyond, directions


def draughts_blocked(settings: Mapping[str, Setting]) -> Iterator[Mapping[str, Any]]:
    """The second side's only piece has both squares of each way occupied, but that one of the men is a step behind."""
    rules, squares, beyond, directions = _draughts(settings)
    for man in squares:
        ways = [(beyond(man, d), beyond(beyond(man, d), d)) for d in (range(4) if rules.royal else directions[1])]
        blockers = [square for way in ways for square in way if square >= 0]
        for late in blockers:
            for origin in squares:
                if late in {beyond(origin, d) for d in directions[0]} and origin not in (man, *blockers):
                    yield _pieces(rules, [origin, *(square for square in blockers if square != late)], [man])


def draughts_all_or_some(settings: Mapping[str, Setting]) -> Iterator[Mapping[str, Any]]:
    """One man can capture both enemies, another only one of them."""
    rules, squares, beyond, directions = _draughts(settings)
    for man, d, e, f in itertools.product(squares, *(directions[0],) * 3):
        first = beyond(man, d)
        landing = beyond(first, d)
        second = beyond(landing, e)
        for other in squares:
            men = [man, other, first, second]
            if beyond(other, f) == first and beyond(first, f) >= 0 and beyond(second, e) >= 0 and len({*men}) == 4:
                yield _pieces(rules, [man, other], [first, second])


def draughts_limited(settings: Mapping[str, Setting]) -> Iterator[Mapping[str, Any]]:
    """A king can take a king or a man, so that a king each is left or not; or one of three kings can take the last
    piece, and need not where captures are optional; or a side may crown a man, which is a new count.

    One ply is left to the pieces, where plies are counted.
    """
    rules, squares, beyond, directions = _draughts(settings)
    notation = games.notation("draughts")
    names, (own, other) = notation.names(rules), notation.colours(rules)
    for king, d, e in itertools.product(squares, range(4), range(4)):
        one, two = beyond(king, d), beyond(king, e)
        if d != e and beyond(one, d) >= 0 and beyond(two, e) >= 0:
            yield {"fen": f"{own}:{own}K{names[king]}:{other}K{names[one]},{names[two]}", "left": 1}
    for king, d in itertools.product(squares, range(4)):
        if beyond(one := beyond(king, d), d) >= 0:
            far = [names[square] for square in squares if square not in (king, one, beyond(one, d))]
            yield {"fen": f"{own}:{own}K{names[king]},K{far[0]},K{far[-1]}:{other}K{names[one]}", "left": 1}
    for man, d in itertools.product(squares, directions[0]):
        last = beyond(man, d)
        if last >= 0 and all(beyond(last, ahead) < 0 for ahead in directions[0]):
            far = [square for square in squares if square not in (man, last)]
            yield {"fen": f"{own}:{own}K{names[far[0]]},{names[man]}:{other}K{names[far[-1]]}", "left": 1}


def rengo(*units: tuple[str, int, int], to_move: str = "first", **setup: Any) -> Callable[..., Mapping[str, Any]]:
    """Units on columns and rows; numbers below 0 count from the far edge."""

    def written(settings: Mapping[str, Setting]) -> Mapping[str, Any]:
        n = games.declaration("rengo").toggle("board").code(settings["board"])
        assert isinstance(n, int)
        rows = [["."] * n for _ in range(n)]
        for unit, x, y in units:
            rows[y][x] = unit
        return {"board": "/".join("".join(row) for row in rows), "to_move": to_move, **setup}

    return written


def star(settings: Mapping[str, Setting]) -> Mapping[str, Any]:
    """First's pieces shut Second's in with the next move; two are too few without the star."""
    n = int(str(settings["size"]))
    rows = {2: ("●●★", "□○□", "○□□"), 3: ("●●●", "○○□", "□★○") if n == 3 else ("●●○", "●○□", "□□□", "○□★")}
    drawn = [row.ljust(n, "□") for row in rows.get(int(str(settings["pieces"])), ("●●□", "●●○", "○○★"))]
    return {"board": "/".join([*drawn, *["□" * n] * (n - len(drawn))]), "to_move": "first"}


def chatra(black: str, white: str, black_object: str, white_object: str, **more: Any) -> Mapping[str, Any]:
    objects = {"black_object": black_object, "white_object": white_object, "to_move": "first"}
    return {"black": black.split(), "white": white.split(), **objects, **more}


BY_HAND: dict[str, list[Position]] = {
    "chatra": [
        Position("mate", chatra("b3 c3", "", "i9", "a1", hands=[5, 5])),
        Position("stuck", chatra("d2 a3", "", "i9", "a1", hands=[5, 0])),
        Position(REPETITION, chatra("", "", "a1", "i9", hands=[5, 5]), ("Oa2", "Oi8", "Oa1", "Oi9")),
        Position("row", chatra("b2 c2 d2 e2 f3", "h9", "l12", "l1")),
    ],
    "chess": [
        *chess("mate", "7k/8/5KQ1/8/8/8/8/8 w"),
        *chess("stalemate", "k7/8/PK6/8/8/8/8/8 w"),
        *chess("stalemate", "4k3/8/8/8/p7/Pp1p4/RP1P4/KRB1n3 b"),
        *chess("king-captured", "4k3/8/8/8/8/8/8/K3R3 w"),
        *chess("move-limit", "7k/8/8/8/8/8/R6P/K7 w"),
        *chess("move-limit", "7k/8/8/8/8/8/R6p/K7 w"),
        *chess("move-limit", "k2q3r/5p1b/7n/8/8/N7/B1P5/R2Q3K w"),
        *chess("move-limit", "kk5r/7p/8/8/8/8/P7/R5KK w"),
        *chess("move-limit", "k5/6/6/6/P5/R4K w"),
        *chess("move-limit", "k4/5/5/P4/R3K w"),
        *chess("bare-king", "8/8/8/8/8/4k3/3R4/K7 b"),
        *chess("both-at-goal", "K7/7k/8/8/8/8/8/8 b"),
        *chess("extinction", "4k3/8/8/8/8/8/1p6/P7 b"),
        *chess("insufficient-material", "8/8/8/4k3/8/8/1r6/K6B w"),
        Position(REPETITION, None, ("g1f3", "g8f6", "b1c3", "b8c6", "f3g1", "f6g8", "c3b1", "c6b8")),
        # Two moves a turn, and one in the first.
        Position(REPETITION, None, ("g1f3", "f3g1", "g8f6", "f6g8")),
        Position(REPETITION, None, ("g1f3", "g8f6", "f6g8", "f3g1")),
        # Bishops that leap two squares straight ahead.
        Position(REPETITION, None, ("c1c3", "c8c6", "f1f3", "f8f6", "c3c1", "c6c8", "f3f1", "f6f8")),
    ],
    "draughts": [
        Position(REPETITION, draughts, ("*",)),
        Position(REPETITION, draughts_two_kings, ("*",)),
        Position("quiet-limit", functools.partial(draughts, man=True)),
        Position("endgame-limit", draughts_limited),
        Position("stuck", draughts_blocked),
        Position("no-pieces", draughts_all_or_some),
        Position("lose-all", draughts_all_or_some),
    ],
    "rengo": [
        Position("mate", rengo(("玉'", 0, 0), ("飛", -1, 1), ("飛", -2, 2), ("君", -1, -1))),
        Position("five", rengo(*(("珠", x, 0) for x in range(4)), ("玉'", 0, -1), ("玉", -1, -1),
                               hands={"first": {"珠": 1}})),
        Position("bikjang", rengo(("楚'", 4, 0), ("金'", 0, 0), ("楚", 4, -1), to_move="second")),
        Position("count", rengo(("玉'", 0, 0), ("玉", -1, -1), ("碁", -2, -2), passes=1)),
        Position("no-move", rengo(("玉'", 0, 0), ("飛", -1, 1), ("飛", 2, -1), ("玉", -1, -1))),
        Position("perpetual-check", rengo(("飛", 4, 4), ("玉", 6, 4), ("俥", 0, 7), ("玉'", 5, 7), to_move="second"),
                 ("f8-f7", "a8-a7", "f7-f8", "a7-a8")),
        Position(REPETITION, rengo(("王'", 0, 0), ("玉", -1, -1)), ("*",)),
    ],
    "star": [Position("stuck", star)],
}  # fmt: skip


def four_that_lead_back(line: Line) -> tuple[int, ...]:
    key = contract.key(line.rules, line.states[-1])
    for a in line.legal:
        for b in line.after(a).legal:
            there = line.after(a).after(b)
            for c in there.legal:
                for d in there.after(c).legal:
                    if contract.key(line.rules, there.after(c).after(d).states[-1]) == key:
                        return a, b, c, d
    return ()


def witnessed(name: str) -> Iterator[tuple[str, Line]]:
    """The positions before the last moves of witnesses, where these bring endings that `BY_HAND` does not have."""
    family = name.partition("/")[0]
    known = {position.ending for position in BY_HAND[family]}
    for witness in rulebook.family_witnesses(family):
        ending = witness.expect.get("termination")
        if ending and ending not in known and witness.moves and witness.times == 1:
            with contextlib.suppress(IllegalMove):
                game = GameState(family, codes_of(name), witness.setup)
                for move in witness.moves[:-1]:
                    game.push_text(move)
                yield str(ending), Line(family, game.codes, tuple(game._states), tuple(game.played))


def by_hand(name: str) -> Iterator[tuple[str, Line]]:
    """The positions that can be set up under a ruleset, each with the ending that it stands before."""
    family = name.partition("/")[0]
    ruleset = rulesets.load_ruleset(name)
    seen = set()
    for position in BY_HAND[family]:
        setup = position.setup(ruleset.settings) if callable(position.setup) else position.setup
        line = None
        for each in setup if isinstance(setup, Iterator) else [setup]:
            try:
                game = GameState(family, codes_of(name), each)
            except IllegalMove:
                continue
            line = Line(family, game.codes, (game.state,))
            if tells(line, position.ending):
                break
        if line is None or (position.ending, line.states[0].tobytes()) in seen:
            continue
        if not position.cycle:
            seen.add((position.ending, line.states[0].tobytes()))
            yield position.ending, line
            continue
        cycle: list[int] = []
        if position.cycle == ("*",):
            cycle = list(four_that_lead_back(line))
        else:
            try:
                for move in position.cycle:
                    game.push_text(move)
            except IllegalMove:
                continue
            cycle = list(game.played)
        for ply in range(96):
            after = line.after(cycle[ply % len(cycle)])
            if after.end[1]:
                yield position.ending, line
                break
            line = after


def tiny(settings: Mapping[str, Setting]) -> bool:
    """Whether a board of draughts has only two squares that can be jumped over, never both by one piece."""
    return settings["size"] == 4 and settings["squares"] == "dark"


NO_CHOICE = "where a pass is not forbidden it is forced: who passes has no other move"
RULED_OUT: dict[tuple[str, str], tuple[Callable[[Mapping[str, Setting]], bool], str]] = {
    ("chatra", "stuck"): (lambda rules: rules["subjects"] == "unlimited",
                          "a subject is always in hand, to be dropped somewhere"),
    ("chess", "mate"): (lambda rules: rules["king"] != "checkmate" or rules["giving_check"] == "forbidden",
                        "there is no check where kings are captured, or where none may be given"),
    ("chess", "stalemate"): (lambda rules: rules["king"] == "ordinary" and rules["extinction"] != "none",
                             "a colour without check loses some piece for good before all are blocked"),
    ("chess", "bare-king"): (lambda rules: rules["bare_king"] == "plays-on", "a king may be left alone"),
    ("chess", "both-at-goal"): (lambda rules: rules["flag_when"] == "at-once", "who arrives first has won"),
    ("chess", "extinction"): (lambda rules: rules["extinction"] == "none", "all pieces but the king may be lost"),
    ("chess", "lose-all"): (lambda rules: rules["goal"] != "lose-all" or rules["capture"] == "obligatory",
                            "who can take the last piece has to take it"),
    ("chess", "king-captured"): (lambda rules: rules["king"] != "capture", "no move leaves a king in check"),
    ("chess", "move-limit"): (lambda rules: rules["move_limit"] == 0, "there is no limit"),
    ("chess", "insufficient-material"): (lambda rules: rules["insufficient_material"] != "draw", "the game "
                                                                                                 "continues"),
    ("draughts", "endgame-limit"): (lambda rules: rules["endgame_limits"] in ("none", "frisian")
                                    or (rules["endgame_limits"], rules["capture"]) == ("pool", "obligatory"),
                                    "endings have no limit, or one of kings alone whose last ply is a draw anyway"),
    ("draughts", "royal-captured"): (lambda rules: rules["royal"] == "none", "these rules have no royal piece"),
    ("draughts", "first-king"): (lambda rules: rules["goal"] != "first-king", "a king ends nothing"),
    ("draughts", "two-kings"): (lambda rules: rules["goal"] != "two-kings", "two kings end nothing"),
    ("draughts", "lose-all"): (lambda rules: rules["goal"] != "lose-all" or tiny(rules),
                               "to lose all pieces is `no-pieces`; on 4×4 to take the last one is no choice"),
    ("draughts", "no-pieces"): (lambda rules: (rules["goal"] == "lose-all" or rules["royal"] != "none"
                                              or rules["capture_choice"] not in ("any", "king-first") or tiny(rules)),
                                "it is `lose-all`, or `royal-captured`; or to take all is no choice"),
    ("draughts", "quiet-limit"): (lambda rules: rules["quiet_limit"] == 0 or rules["goal"] == "first-king",
                                  "there is no limit, or no king that moves"),
    ("draughts", REPETITION): (lambda rules: rules["goal"] == "first-king" and rules["men_step"] == "forward",
                               "men that only go forward never come back"),
    ("chatra", "row"): (lambda rules: rules["row_wins"] == 0, "subjects in a row win nothing"),
    ("rengo", "five"): (lambda rules: rules["five"] == "off", "five in a row are nothing"),
    ("rengo", "bikjang"): (lambda rules: rules["bikjang"] == "off", "kings may face each other"),
    ("rengo", "count"): (lambda rules: rules["board"] in ("draughts10", "othello8", "renju15"), NO_CHOICE),
    ("rengo", "no-move"): (lambda rules: rules["board"] not in ("draughts10", "renju15"), "there is always a pass"),
}  # fmt: skip
"""Endings that cannot be met one ply ahead with a choice, under rulesets of which this holds; and why."""


def ruled_out(name: str) -> set[str]:
    """Endings that a ruleset excludes: by `RULED_OUT`, or since it has the default of every toggle that brings them."""
    settings, family = rulesets.load_ruleset(name).settings, name.partition("/")[0]
    defaults = games.declaration(family).defaults()
    return {ending for (game, ending), (holds, _) in RULED_OUT.items() if game == family and holds(settings)} | {
        ending
        for ending, toggles in of_toggles(family).items()
        if all(equal_settings(settings[toggle], defaults[toggle]) for toggle in toggles)
    }


def of_toggles(family: str) -> dict[str, set[str]]:
    """The endings of which witnesses alone have positions, with the toggles of those witnesses."""
    by_toggle: dict[str, set[str]] = {}
    for witness in rulebook.family_witnesses(family):
        if ending := witness.expect.get("termination"):
            by_toggle.setdefault(str(ending), set()).add(witness.toggle)
    known = {position.ending for position in BY_HAND[family]} | {ending for game, ending in RULED_OUT if game == family}
    return {ending: toggles for ending, toggles in by_toggle.items() if ending not in known}


def endings(name: str) -> set[str]:
    family = name.partition("/")[0]
    declared = {ending.name for ending in games.declaration(family).terminations.values()}
    rules = trials.make_rules(family, codes_of(name))
    return declared | ({REPETITION} if contract.counts_positions(rules) else set())


def lines(name: str, count: int, each: int) -> Iterator[tuple[set[str], Line]]:
    """Positions one ply before an end, with the endings that each tells of: of games, and those set up by hand."""
    for player, share in (("random", count), ("greedy", count // 4)):
        for line in met(name, player, share, each):
            terminations = {why for _, why in line.ends.values() if why}
            yield {ending for ending in terminations if tells(line, ending)}, line
    for ending, line in (*by_hand(name), *witnessed(name)):
        if tells(line, ending):
            yield {ending}, line


def check(name: str, seen: set[str]) -> None:
    """Fails if an ending was not met that the ruleset does not rule out, or the other way round."""
    family = name.partition("/")[0]
    for ending in sorted(endings(name) - ruled_out(name) - seen):
        raise AssertionError(
            f"{name}: nowhere was the ending {ending} one ply ahead and another result to choose. Write such a "
            f"position in BY_HAND[{family!r}] (a witness whose last move brings it will do, and says under which rules "
            f"it comes), or why the rules exclude it in RULED_OUT[{family!r}, {ending!r}]"
        )
    assert not seen & ruled_out(name), f"{name}: these cannot be met, say RULED_OUT or witnesses"
    assert seen <= endings(name)


@few.every_ruleset(quick=("star/default", "draughts/italian"), nightly_in=4)
def test_players_see_every_ending(name: str) -> None:
    seen = set()
    for told, line in lines(name, 12, each=1):
        seen |= told
        judge(line)
    check(name, seen)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    # On the go board moves that take are so many that a small budget may not last to follow those after one move.
    [name if name == "rengo/go9" else pytest.param(name, marks=pytest.mark.slow) for name in rulesets.ruleset_names()],
)
def test_players_see_the_endings_of_many_games(name: str) -> None:
    seen = set()
    for told, line in lines(name, 100 if name.startswith("rengo/") else 1000, each=25):
        seen |= told
        judge(line)
    check(name, seen)


def test_an_ending_that_witnesses_alone_know_is_ruled_out_without_their_toggle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(RULED_OUT, ("draughts", "lose-all"))
    monkeypatch.setitem(BY_HAND, "draughts", [each for each in BY_HAND["draughts"] if each.ending != "lose-all"])
    assert "lose-all" in ruled_out("draughts/english")
    assert "lose-all" not in ruled_out("draughts/giveaway")


@pytest.mark.family("chess")
@pytest.mark.parametrize("stalemate", ["loss", "draw", "win"])
@pytest.mark.parametrize("player", PLAYERS)
def test_what_stalemate_is_worth_decides(player: str, stalemate: str) -> None:
    """The pawn's step to a7 leaves Black without a move: it wins, gives a win away for a draw, or loses."""
    codes = rulesets.kernel_codes("chess", {**games.declaration("chess").defaults(), "stalemate": stalemate})
    game = GameState("chess", codes, {"fen": "k7/8/PK6/8/8/8/8/8 w - - 0 1"})
    line = Line("chess", codes, (game.state,))
    move = game.notation.parse_move(game.rules, game.state, "a6a7")
    for seed in range(5):
        assert (line.choice(PLAYERS[player], seed) == move) == (stalemate == "loss")
