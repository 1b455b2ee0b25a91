"""People's games under a ruleset: texts become moves that the kernel has replayed, and what is wrong gets a name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from workbench import games
from workbench.engine import contract
from workbench.engine.trials import rules_of
from workbench.errors import InputError, abbreviated, text_of
from workbench.games import swapping
from workbench.games.game_state import setup_of
from workbench.games.openings import opening_texts
from workbench.games.results import all_endings
from workbench.language import tr
from workbench.people import texts
from workbench.people.endings import End, ended
from workbench.people.replaying import (
    BY_NONE,
    BY_SAN,
    BY_SQUARES,
    LONG,
    NAMES_OF_SQUARES,
    OVER,
    PENDING,
    PLIES,
    RESULT,
    STATUS,
    TERMINATION,
    UNMATCHED,
    WHOLE,
    WORD,
    WORD_END,
    Block,
    Replayer,
)
from workbench.questions.rulesets import Ruleset
from workbench.store.records import OPENING_PLIES

ROOM = 1024
"""Plies of a game that there is room for, and one more."""
AT_ONCE = 2048
"""Games that are replayed at once."""
EXPLAINED = 1000
"""Problems of which the reason is looked for; of all others it is only counted what kind they are."""
REMEMBERED = 1 << 19
"""Openings whose text is remembered."""
ILLEGAL, UNREADABLE, AFTER_END, TOO_LONG, OTHER_START = "illegal", "no-move", "after-end", "too-long", "other-start"
KINDS: Mapping[str, str] = {
    ILLEGAL: tr("a move that the rules forbid"),
    UNREADABLE: tr("a word that is no move"),
    AFTER_END: tr("a move after the end of the game"),
    TOO_LONG: tr("more than {room:,} plies", room=ROOM - 1),
    OTHER_START: tr("another position to begin with"),
}
"""What may be wrong with a game, in words."""


@dataclass(frozen=True)
class Wrong:
    """A game that was left out."""

    file: str
    game: int
    """Its number in the file, from 1."""
    line: int
    ply: int
    """From 1; 0 where no move is to blame."""
    move: str
    kind: str
    """One of `KINDS`."""
    reason: str = ""
    """The rule that forbids the move, in a sentence; "" after the first `EXPLAINED`."""

    def words(self) -> str:
        """All of it in a line."""
        said = self.reason or KINDS[self.kind]
        where = tr("{file}:{line}: game {game}", file=self.file, line=self.line, game=self.game)
        if not self.ply:
            return tr("{where}: {reason}", where=where, reason=said)
        return tr("{where}, ply {ply}, {move}: {reason}", where=where, ply=self.ply, move=self.move, reason=said)


@dataclass(frozen=True)
class Told:
    """What a file says of a game besides its moves."""

    end: End
    first_rating: int | None
    second_rating: int | None
    date: str
    """As PGN writes it: 2024.05.31; "" if it is not known."""
    event: str


@dataclass(frozen=True)
class Games:
    """Games of a file that were read, and those that were left out."""

    block: Block
    """The games that were read."""
    told: tuple[Told, ...]
    numbers: Any
    """Of each its number in the file, from 1."""
    wrong: tuple[Wrong, ...]


class GameReader:
    """Reads people's games under one ruleset."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.rules = rules_of(ruleset.game, ruleset.codes())
        self.notation = games.notation(ruleset.game)
        self.endings = all_endings(games.declaration(ruleset.game))
        self._replayer = Replayer(self.rules, ROOM, *_matching(ruleset.game, self.rules))
        self._explained = 0
        self._texts: dict[bytes, str] = {}
        self._state = np.zeros(int(contract.state_size(self.rules)), np.int64)
        self._buffer = np.zeros(int(contract.max_moves(self.rules)), np.int32)
        black_first = getattr(self.notation, "black_first", None)
        self._seats = (b"Black", b"White") if black_first and black_first(self.rules) else (b"White", b"Black")
        contract.start(self.rules, self._state)
        self._start = self._state.copy()

    def read(self, path: str | Path) -> Iterator[Games]:
        """The games of a file, some at a time, in their order.

        Raises:
            InputError: the file cannot be read, or holds no games.
        """
        name = texts.STANDARD if str(path) == texts.STANDARD else Path(path).name
        for part in texts.blocks(path):
            for start in range(0, len(part.spans), AT_ONCE):
                yield self._read(part, start, min(start + AT_ONCE, len(part.spans)), name)

    def _read(self, part: texts.Texts, start: int, stop: int, file: str) -> Games:
        spans = part.spans[start:stop]
        block = self._replayer.block(spans[:, 1])
        tags = [part.tags(game) for game in range(start, stop)]
        wrong: dict[int, Wrong] = {}

        def refuse(game: int, kind: str, reason: str = "", ply: int = 0, move: str = "") -> None:
            block.found[game, STATUS] = UNMATCHED
            number = part.first + start + game
            wrong[game] = Wrong(file, number, int(spans[game, 3]), ply, move, kind, reason)

        for game, said in enumerate(tags):
            if b"FEN" in said and (other := self._elsewhere(said[b"FEN"].decode("utf-8", "replace"))):
                refuse(game, OTHER_START, other)
        if self._replayer.how == BY_NONE:
            for game in range(len(spans)):
                if game not in wrong and (bad := self._parse_all(part.text, spans[game], block, game)):
                    refuse(game, *bad)
        while True:
            self._replayer.read(part.text, spans[:, 2], block)
            again = False
            for game in np.flatnonzero(block.found[:, STATUS] != WHOLE).tolist():
                if game in wrong:
                    continue
                about = block.found[game]
                ply = int(about[PLIES])
                word = bytes(part.text[about[WORD] : about[WORD_END]]).decode("utf-8", "replace")
                if about[STATUS] == LONG:
                    refuse(game, TOO_LONG)
                elif about[STATUS] == OVER:
                    ending = self.endings[int(about[TERMINATION])]
                    refuse(game, AFTER_END, ending.sentence, ply + 1, abbreviated(word))
                else:
                    line = block.moves[game]
                    codes, problem = self._resolve(line[:ply].tolist(), word)
                    if problem or ply + len(codes) >= ROOM:
                        kind, reason = problem or (TOO_LONG, "")
                        refuse(game, kind, reason, ply + 1, abbreviated(word))
                        continue
                    line[ply : ply + len(codes)] = codes
                    about[PLIES], about[STATUS] = ply + len(codes), PENDING
                    again = True
            if not again:
                break
        kept = np.array([game not in wrong for game in range(len(spans))], np.bool_)
        good = Block(*(getattr(block, name)[kept] for name in ("moves", "found", "legal", "hashes", "counts")))
        told = tuple(self._told(tags[game], block.found[game]) for game in np.flatnonzero(kept).tolist())
        numbers = np.flatnonzero(kept) + part.first + start
        return Games(good, told, numbers, tuple(wrong.values()))

    def _elsewhere(self, fen: str) -> str:
        """Why a FEN does not write the position that the ruleset begins with; "" if it does."""
        try:
            setup = setup_of(self.ruleset.game, fen)
            if setup is not None:
                self.notation.set_up(self.rules, self._state, setup)
        except InputError as error:
            return "; ".join(one.message for one in error.problems)
        except ValueError as error:
            return text_of(error)
        return "" if setup is None or np.array_equal(self._state, self._start) else KINDS[OTHER_START]

    def _told(self, tags: Mapping[bytes, bytes], about: Any) -> Told:
        code = int(about[TERMINATION])
        end = ended(tags, int(about[RESULT]), self.endings[code].name if code else "", int(self.rules.draw_value))
        first, second = (
            _rating(tags, (seat + b"Elo", seat + b"Rating", own))
            for seat, own in zip(self._seats, (b"FirstRating", b"SecondRating"), strict=True)
        )
        date = (tags.get(b"UTCDate") or tags.get(b"Date") or b"").decode("ascii", "replace")
        event = tags.get(b"Event", b"").decode("utf-8", "replace").strip()
        return Told(end, first, second, "" if date.startswith("?") else date, "" if event == "?" else event)

    def _stand(self, played: list[int]) -> Any:
        contract.start(self.rules, self._state)
        for move in played:
            swapping.play(self.rules, self._state, move)
        return self._state

    def _resolve(self, played: list[int], word: str) -> tuple[list[int], tuple[str, str] | None]:
        """The moves that a word writes after some others, by the family's notation; or what is wrong with it, and why.

        A pawn's move may have the choice of its owner behind it, which is a ply of its own in 007 chess.
        """
        state = self._stand(played)
        problem = self._parsed(state, word)
        if isinstance(problem, int):
            return [problem], None
        if "=" in word:
            step, _, choice = word.partition("=")
            move = self._parsed(state, step)
            if isinstance(move, int):
                swapping.play(self.rules, state, move)
                chosen = self._parsed(state, f"={choice}")
                if isinstance(chosen, int):
                    return [move, chosen], None
        return [], problem

    def _parsed(self, state: Any, word: str) -> int | tuple[str, str]:
        """The legal move of a word, or what is wrong with it, and why."""
        try:
            move = int(self.notation.parse_move(self.rules, state, word))
        except ValueError as error:
            return (UNREADABLE if not re.search("[0-9]", word) else ILLEGAL), text_of(error)
        n = contract.legal_moves(self.rules, state, self._buffer)
        if move in self._buffer[:n]:
            return move
        self._explained += 1
        if self._explained > EXPLAINED:
            return ILLEGAL, ""
        reason: str = self.notation.explain(self.rules, state, word, move)
        return ILLEGAL, reason

    def _parse_all(self, text: Any, span: Any, block: Block, game: int) -> tuple[str, str, int, str] | None:
        """Reads a game of a family whose words only its notation knows; what is wrong with it, if anything."""
        written = bytes(text[span[1] : span[2]]).decode("utf-8", "replace")
        state = self._stand([])
        for ply, word in enumerate(_words(written)):
            n = contract.legal_moves(self.rules, state, self._buffer)
            result, termination = contract.plain_outcome(self.rules, state, n)
            if result != contract.ONGOING:
                return AFTER_END, self.endings[int(termination)].sentence, ply + 1, abbreviated(word)
            if ply + 1 >= ROOM:
                return TOO_LONG, "", 0, ""
            move = self._parsed(state, word)
            if not isinstance(move, int):
                return *move, ply + 1, abbreviated(word)
            swapping.play(self.rules, state, move)
            block.moves[game, ply] = move
            block.found[game, PLIES] = ply + 1
        return None

    def openings(self, moves: Any) -> list[str]:
        """The first `OPENING_PLIES` of each game as players write them."""
        lines = np.ascontiguousarray(moves[:, :OPENING_PLIES])
        keys = [line.tobytes() for line in lines]
        new = [place for place, each in enumerate(keys) if each not in self._texts]
        if len(self._texts) + len(new) > REMEMBERED:
            self._texts.clear()
            new = list(range(len(keys)))
        if new:
            found = opening_texts(self.ruleset.game, self.ruleset.codes(), lines[new])
            self._texts.update(zip((keys[place] for place in new), found, strict=True))
        return [self._texts[each] for each in keys]


def _words(text: str) -> list[str]:
    """The words of a text of moves that may be moves."""
    text = re.sub(r"\{[^}]*\}|;[^\n]*|\$\d+", " ", text)
    words = re.sub(r"(?<!\S)\d+\.+(?=\s|\S)", " ", text).split()
    return [word for word in words if word not in ("1-0", "0-1", "1/2-1/2", "*")]


def _rating(tags: Mapping[bytes, bytes], names: tuple[bytes, ...]) -> int | None:
    """The rating that a tag tells, if any."""
    for name in names:
        said = tags.get(name, b"").strip()
        if said.isdigit() and 0 < int(said) < 10_000:
            return int(said)
    return None


def _matching(game: str, rules: Any) -> tuple[int, Any, int]:
    """How words of a family are matched with moves: the way, the squares by their names, and the first capture."""
    if game == "chess":
        return BY_SAN, None, 0
    if game != "draughts":
        return BY_NONE, None, 0
    from workbench.games.draughts import kernel_captures, notation

    squares = np.full(NAMES_OF_SQUARES, -1, np.int64)
    for bit, name in notation.names(rules).items():
        letter = ord(name[0]) - 96 if name[0].isalpha() else 0
        squares[64 * letter + int(name.lstrip("abcdefghijklmnopqrstuvwxyz"))] = bit
    return BY_SQUARES, squares, kernel_captures.SINGLE
