"""Rulesets of chess from sections of ``variants.ini``: settings whose variant, by `uci.uci_variant`, is that section.

That mapping is the one definition. Settings are looked for, toggle by toggle, until what it makes of them has the same
normal form as the section; what still differs cannot be said. The normal form says the same rule in the same words,
however it is written, and leaves out what has no effect. Whether too few pieces to mate are a draw is no part of it.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from workbench.base.errors import text_of
from workbench.base.language import tr
from workbench.games import betza
from workbench.games.betza import Moves
from workbench.games.chess import drawings
from workbench.games.chess.rules import DECLARATION
from workbench.games.chess.uci import PIECES as SLOTS
from workbench.games.chess.uci_sections import COLOURS, OFF, PIECES, WORDS, Variant, sections
from workbench.games.declaration import Setting
from workbench.games.drawings import Drawing, DrawingError
from workbench.games.uci_variants import UciVariant, uci_variant

Settings = Mapping[str, Setting]
Letters = tuple[dict[str, str], dict[str, str]]
"""For each colour: kind of piece -> the letter that stands for it here."""
CASES = (str.upper, str.lower)
NEED = {
    "drop": ("pieceDrops",), "firstRankPawnDrops": ("pieceDrops",), "promotionZonePawnDrops": ("pieceDrops",),
    "extinction": ("extinctionValue",), "nFoldValue": ("nFoldRule",), "wallingR": ("wallingRule",),
    "connect": ("connectN", "connectNxN", "collinearN"),
}  # fmt: skip
"""How keys begin that do nothing unless one of others is on."""
APART = ("startFen", "maxFile", "maxRank", "castling", "doubleStep", "promotionLimit", "checkCounting", "chess960")
"""Keys that the normal form says otherwise."""


class Said(NamedTuple):
    """A rule of a variant: a value that compares, and the key that says so."""

    value: object
    key: str


@functools.cache
def built_in() -> dict[str, Variant]:
    """What Fairy-Stockfish knows by name, as far as rulesets of chess come near it."""
    known = {"": Variant()}
    for section in sections((Path(__file__).parent / "variants.ini").read_text("utf-8")):
        known[section.name] = known[section.base].of(section)
    return known


class Start:
    """The start of a variant, and which kinds of pieces come into its games."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        words = [*variant.words["startFen"].split(), "", "", ""]
        placement, _, hand = words[0].partition("[")
        self.colour, self.hand = words[1], hand.rstrip("]").replace("-", "")
        self.rows = [re.sub("[0-9]+", lambda gap: "." * int(gap[0]), row) for row in placement.split("/")]
        self.files, self.ranks = len(max(self.rows, key=len)), len(self.rows)
        self.checks = next((word for word in words if re.fullmatch(r"[0-9]\+[0-9]", word)), "1+1")
        self.of_letter = {letter: kind for kind, (letter, _) in variant.pieces.items()}
        self.castling = "".join(filter(self._may_castle, words[2] if words[2].isalpha() else ""))
        drops = variant.words["pieceDrops"] == "true"
        self.kinds: list[list[str]] = []
        """The kinds of each colour, the most common first."""
        self.pawns: list[set[str]] = []
        self.hindmost: list[int] = []
        """The rank of a colour's hindmost pawn, as it sees it."""
        for colour, (name, case) in enumerate(zip(COLOURS, CASES, strict=True)):
            signs = [sign for sign in "".join(self.rows) + self.hand if sign.isalpha() and case(sign) == sign]
            kinds = [self.kind(sign) for sign in sorted(signs, key=lambda sign: -signs.count(sign))]
            pawns = set(kinds) & variant.kinds[f"promotionPawnTypes{name}"]
            if pawns:
                kinds += sorted(variant.kinds[f"promotionPieceTypes{name}"] & set(variant.pieces))
            self.kinds.append(list(dict.fromkeys(kinds)))
            self.pawns.append(pawns)
            rows = self.rows if colour else self.rows[::-1]
            stand = [y for y, row in enumerate(rows) if any(self.kind(s) in pawns and case(s) == s for s in row)]
            self.hindmost.append(min([*stand, *([1] if drops else [])], default=0))
        if drops and variant.words["capturesToHand"] == "true":
            self.kinds = [list(dict.fromkeys(self.kinds[side] + self.kinds[1 - side])) for side in (0, 1)]

    def kind(self, sign: str) -> str:
        """Return the kind of a piece by its sign; the sign itself, if it is none."""
        return self.of_letter.get(sign.lower(), sign)

    def problem(self) -> str:
        """Why no game of chess begins so; empty if one may."""
        signs = {sign.lower() for sign in "".join(self.rows) + self.hand if sign.isalpha()}
        if unnamed := "".join(sorted(signs - set(self.of_letter))):
            return tr("its start has pieces that it does not name: {letters}", letters=unnamed)
        try:
            drawings.pieces_of(re.sub("[A-Za-z]", "K", "/".join(self.rows)))
        except DrawingError as error:
            return text_of(error)
        return ""

    def _may_castle(self, right: str) -> bool:
        """Return whether king and rook are there, and not forbidden to."""
        words, kinds, name = self.variant.words, self.variant.kinds, COLOURS[right.islower()]
        if words["castling"] == "false":
            return False
        if words["chess960"] == "true" or (self.files, self.ranks) != (8, 8):
            return True
        row = self.rows[0 if right.islower() else -1]
        king, rook = row["abcdefgh".find(words["castlingKingFile"])], row[-1 if right in "Kk" else 0]
        kings, rooks = kinds[f"castlingKingPiece{name}"], kinds[f"castlingRookPieces{name}"]
        return self.kind(king) in kings and self.kind(rook) in rooks

    def renamed(self, letters: Letters) -> str:
        """Return the pieces as a FEN has them, by other letters."""

        def other(sign: str) -> str:
            colour = sign.islower()
            return CASES[colour](letters[colour].get(self.kind(sign), sign)) if sign.isalpha() else sign

        return "/".join("".join(map(other, row)) for row in self.rows)

    def steps(self, colour: int) -> set[tuple[int, int]]:
        """From where pawns step twice: ranks to which they come, and that are not too near to their last."""
        if self.variant.words["doubleStep"] == "false" or not self.pawns[colour]:
            return set()
        return {
            (x, y)
            for x, y in self.variant.regions[f"doubleStepRegion{COLOURS[colour]}"]
            if x < self.files and self.hindmost[colour] <= (self.ranks - 1 - y if colour else y) < self.ranks - 2
        }


def normal(variant: Variant, letters: Letters) -> dict[str, Said]:
    """What a variant says, in words that are equal for equal rules."""
    start, words = Start(variant), variant.words
    inside = {(x, y) for x in range(start.files) for y in range(start.ranks)}
    found: dict[str, Said] = {}

    def put(name: str, value: object, key: str = "") -> None:
        found[name] = Said(value, key or name)

    put("startFen", (start.renamed(letters), start.colour, "".join(sorted(start.hand))))
    put("castling", start.castling)
    if (str(start.files), str(start.ranks)) != (words["maxFile"], words["maxRank"]):
        put("maxFile", (words["maxFile"], words["maxRank"]))
    if words["checkCounting"] == "true":
        put("checkCounting", start.checks)
    for colour, name in enumerate(COLOURS):
        own, pawns, steps = letters[colour], start.pawns[colour], start.steps(colour)

        def area(key: str, name: str = name) -> set[tuple[int, int]]:
            return {*variant.regions.get(f"{key}{name}", ())} & inside

        def signs(key: str, name: str = name, own: Mapping[str, str] = own) -> set[str]:
            return {own.get(kind, kind) for kind in variant.kinds[f"{key}{name}"]}

        for kind in (kind for kind in start.kinds[colour] if kind in variant.pieces):
            moves = variant.pieces[kind][1]
            way = _pawn(moves, bool(steps)) if kind in pawns else _rays(moves)
            put(f"piece {own.get(kind, kind)} {name}", (way, kind == "king"), kind)
            region = f"{kind[0].upper()}{kind[1:]}"
            if squares := {*variant.regions.get(f"mobilityRegion{name}{region}", ())} & inside:
                put(f"region {own.get(kind, kind)} {name}", squares, f"mobilityRegion{name}{region}")
        if pawns:
            put(f"promotionPieceTypes{name}", signs("promotionPieceTypes"))
            put(f"promotionRegion{name}", area("promotionRegion"))
            put(f"doubleStepRegion{name}", steps)
            put(f"tripleStepRegion{name}", area("tripleStepRegion"))
            jumped = {y + (1 if colour else -1) for _, y in start.steps(1 - colour)}
            passing = {(x, y) for x, y in area("enPassantRegion") if y in jumped}
            put(f"enPassantRegion{name}", passing if pawns & variant.kinds[f"enPassantTypes{name}"] else set())
            progress = variant.kinds[f"nMoveRuleTypes{name}"] & {*start.kinds[colour]}
            put(f"nMoveRuleTypes{name}", progress and words["nMoveRule"] != "0" and {own.get(one) for one in progress})
            limits = (each.split(":") for each in words["promotionLimit"].lower().split() if ":" in each)
            put(f"promotionLimit{name}", {(own.get(start.kind(sign)), n) for sign, n in limits}, "promotionLimit")
        if any(CASES[colour](right) == right for right in start.castling):
            put(f"castlingKingPiece{name}", signs("castlingKingPiece"))
            put(f"castlingRookPieces{name}", signs("castlingRookPieces"))
        if goal := area("flagRegion"):
            put(f"flagRegion{name}", goal)
            put(f"flagPiece{name}", signs("flagPiece"))
        if words["extinctionValue"] not in OFF:
            put(f"extinctionPieceTypes{name}", signs("extinctionPieceTypes", ""), "extinctionPieceTypes")
        if words["pieceDrops"] == "true":
            put(f"dropRegion{name}", area("dropRegion"))
    for key in ("mustDropType", "blastImmuneTypes", "mutuallyImmuneTypes", "petrifyOnCaptureTypes", "dropNoDoubled"):
        put(key, variant.kinds[key])
    flags = any(key.startswith("flagRegion") for key in found)
    for key, value in words.items():
        idle = any(key.startswith(begin) and all(words[need] in OFF for need in needs) for begin, needs in NEED.items())
        idle |= (key.startswith("castling") and not start.castling) or (key.startswith("flag") and not flags)
        if key not in APART and not idle and value != WORDS[key] and not {value, WORDS[key]} <= {*OFF}:
            put(key, value)
    return {name: said for name, said in found.items() if said.value}


def _rays(moves: str) -> object:
    """Where a piece goes; the text itself, if that cannot be said."""
    try:
        return betza.rays(ours(moves))
    except DrawingError:
        return moves


def ours(moves: str) -> str:
    """Betza's notation as the workbench reads it: Fairy-Stockfish's fN are the two steep leaps."""
    return re.sub("(?<![a-z])([fblr])(?=[mc]*[NCZLJ])", r"\1\1", moves)


def _pawn(moves: str, steps: bool) -> object:
    """How a pawn moves: always, and at first, where it may step twice."""
    parts = re.findall("[a-z]*[A-Z][0-9A-Z]?", moves + "ifmnD" * (moves == PIECES["pawn"]))
    first = {"".join(sorted(part)) for part in parts if "i" in part and steps}
    return _rays("".join(part for part in parts if "i" not in part).replace("e", "")), first


def letters_of(variant: Variant) -> Letters:
    """Return the letters that stand for the kinds of pieces: five at most, besides those of pawns.

    A kind that both colours have has one letter; of the others, the most common of each colour share one, and so on.
    """
    start = Start(variant)
    found: Letters = ({}, {})
    kinds = [[kind for kind in start.kinds[side] if kind not in start.pawns[side]] for side in (0, 1)]
    for side in (0, 1):
        found[side].update(dict.fromkeys(start.pawns[side], "p"))
    alone = [[kind for kind in kinds[side] if kind not in kinds[1 - side]] for side in (0, 1)]
    pairs: list[tuple[str, ...]] = [(kind, kind) for kind in kinds[0] if kind in kinds[1]]
    pairs += itertools.zip_longest(*alone, fillvalue="")
    rooks = {kind for name in COLOURS for kind in variant.kinds[f"castlingRookPieces{name}"] if start.castling}
    free = [*SLOTS.values()]
    wishes: tuple[Callable[[str], str], ...] = (
        lambda kind: "k" if kind == "king" else "r" if kind in rooks else "",
        lambda kind: variant.pieces.get(kind, " ")[0],
        lambda kind: free[0] if free else "",
    )
    for wish in wishes:
        for pair in list(pairs):
            if letter := next((own for own in map(wish, filter(None, pair)) if own in free), ""):
                free.remove(letter)
                pairs.remove(pair)
                for side, kind in enumerate(pair):
                    found[side].update({kind: letter} if kind else {})
    return found


def _told(settings: Settings) -> dict[str, Said] | None:
    """What Fairy-Stockfish is told; None if it cannot be. Unlike armies are told one after the other."""
    colours = []
    for side in (0, 1):
        own = {name: betza.of_colours(str(one))[side] if isinstance(DECLARATION.toggle(name), Moves) else one
               for name, one in settings.items()}  # fmt: skip
        try:
            told = uci_variant(DECLARATION.name, own)
        except DrawingError:
            return None
        if not isinstance(told, UciVariant):
            return None
        colours.append(_normal_of(told.section))
    return {name: said for side, each in enumerate(colours) for name, said in each.items()
            if name.endswith("Black") == bool(side)}  # fmt: skip


@functools.lru_cache(128)
def _normal_of(text: str) -> dict[str, Said]:
    section = next(sections(text))
    variant = built_in()[section.base].of(section)
    own = {kind: letter for kind, (letter, _) in variant.pieces.items()}
    return normal(variant, (own, own))


def names_of(section: str) -> tuple[str, ...]:
    """Return the variants that Fairy-Stockfish knows by name and that are this section, letters of pieces included."""
    return tuple(name for name in built_in() if name and _normal_of(f"[known:{name}]") == _normal_of(section))


def _proposals(variant: Variant, letters: Letters) -> dict[str, list[Setting]]:
    """What toggles may be set to, the start first: their named values, and the texts and numbers of the variant."""
    start, words = Start(variant), variant.words
    pieces = re.sub(r"\.+", lambda gap: str(len(gap[0])), start.renamed(letters))
    found: dict[str, list[Setting]] = {
        "start_position": [f"{pieces} {start.colour or 'w'} {start.castling or '-'}"],
        "pawn_moves": ["fmFfcW"],
        "checks_to_win": [int(start.checks[0])],
        "repetition": [int(words["nFoldRule"])],
        "move_limit": [2 * int(words["nMoveRule"])],
    }
    for name, slot in SLOTS.items():
        ways = [ours(variant.pieces[kind][1]) if kind in variant.pieces else "" for own in letters
                for kind in [next((kind for kind, letter in own.items() if letter == slot), "")]]  # fmt: skip
        found[f"{name}_moves"] = ["/".join(dict.fromkeys(filter(None, ways)))]
    promoted = [{own.get(kind, "") for kind in variant.kinds[f"promotionPieceTypes{name}"]}
                for name, own in zip(COLOURS, letters, strict=True)]  # fmt: skip
    found["promotion_to"] = ["".join(sorted(each, key="qrbnk".find)).upper() for each in promoted]
    goals = []
    for colour, name in enumerate(COLOURS):
        area = [(x, y) for x, y in sorted(variant.regions[f"flagRegion{name}"]) if x < start.files and y < start.ranks]
        rows = sorted({y for _, y in area if all((x, y) in area for x in range(start.files))})
        places = [f"*{y + 1}" for y in rows] + [f"{'abcdefgh'[x]}{y + 1}" for x, y in area if y not in rows]
        signs = CASES[colour]("".join(letters[colour].get(kind, "") for kind in variant.kinds[f"flagPiece{name}"]))
        goals += [" ".join([signs, *places])] if places else []
    found["flag"] = ["; ".join(goals)]
    lost = sorted((letters[0].get(kind, "") for kind in variant.kinds["extinctionPieceTypes"]), key="kqrbnp".find)
    number = words["extinctionPieceCount"].replace("0", "")
    found["extinction"] = [
        " ".join(f"{case(each)}{number}" for case in CASES for each in lost),
        # A colour that has a king loses it last.
        *sorted(("PNBRQ", "pnbrq"), key=lambda each: "king" in start.kinds[each.islower()]),
    ]
    named = {toggle.name: [value.name for value in toggle.values] for toggle in DECLARATION.toggles}
    proposed = {name: [*filter(functools.partial(_allows, name), ones), *named[name]] for name, ones in found.items()}
    return proposed | {name: ones for name, ones in named.items() if name not in found}


def _allows(name: str, setting: Setting) -> bool:
    toggle = DECLARATION.toggle(name)
    try:
        if isinstance(toggle, Drawing) and toggle.is_drawn(setting) and toggle.allows(setting):
            toggle.understand(str(setting))
    except DrawingError:
        return False
    return toggle.allows(setting)


def settings_of(variant: Variant) -> tuple[list[dict[str, Setting]], dict[str, Said]]:
    """Return the settings that come nearest to a variant, and what they do not say of it.

    Several settings if they say the same of it: some may not go together. Those at their defaults are left out.
    """
    letters, defaults = letters_of(variant), DECLARATION.defaults()
    wanted, proposals = normal(variant, letters), _proposals(variant, letters)

    def left(settings: Settings) -> dict[str, Said]:
        told, none = _told(settings), Said("", "")
        if told is None:
            return dict.fromkeys(map(str, range(1000)), none)
        names = [name for name in {**wanted, **told} if wanted.get(name, none)[0] != told.get(name, none)[0]]
        return {name: wanted.get(name) or Said("", told[name].key) for name in names}

    def weight(settings: Settings) -> int:
        """How much is not said: first of all pieces are to move as they should."""
        names = left(settings)
        return len(names) + sum(name.startswith("piece") for name in names)

    settings: dict[str, Setting] = defaults
    for king in proposals.pop("king"):
        if weight(settings):
            settings = min(settings, _nearest({**defaults, "king": king}, proposals, weight), key=weight)
    for name, usual in defaults.items():
        if variant.words["castling"] == "false" and name == "castling":
            usual = "never"
        if weight({**settings, name: usual}) <= weight(settings):
            settings[name] = usual
    changes = ({"king": "ordinary"}, {"castling": "never"}, {"insufficient_material": "play-on"})
    others = itertools.product(*(({}, change) for change in changes))
    same = [{**settings, **king, **castling, **few} for king, castling, few in others]
    alike = [each for each in same if weight(each) == weight(settings)]
    return [{name: one for name, one in each.items() if one != defaults[name]} for each in alike], left(settings)


def _nearest(
    settings: Settings, proposals: Mapping[str, list[Setting]], weight: Callable[[Settings], int]
) -> dict[str, Setting]:
    """Return the settings after all changes of a toggle by which more is said."""
    nearest, least, before = dict(settings), weight(settings), -1
    lost = {name: DECLARATION.toggle(name).default for name in ("goal", "extinction", "bare_king", "blast")}
    while least and least != before:
        before = least
        for name, ones in proposals.items():
            for one, others in itertools.product(ones, ({}, lost) if name in lost else ({},)):
                after = {**nearest, **others, name: one}
                if (now := weight(after)) < least:
                    nearest, least = after, now
    return nearest
