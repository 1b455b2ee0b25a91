"""Ends of people's games, by their files and by the rules of the last position."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from workbench.engine.contract import DRAW, FIRST, ONGOING, SECOND
from workbench.games.results import ENGINE_ENDINGS, RESULTS
from workbench.people.texts import DASH, GameText

NO_RESULT, RESIGNATION, AGREEMENT, TIME, ABANDONED, AWARDED, UNKNOWN = (
    "no-result", "resignation", "agreement", "time", "abandoned", "awarded", "unknown",
)  # fmt: skip
"""Endings that only people's games have: see `results.PEOPLE_ENDINGS`."""
_POINTS = r"(\d*\s?(?:1/2|½)|\d*[.,]?\d+)"
POINTS = re.compile(rf"{_POINTS}\s*(?:{DASH}|:)\s*{_POINTS}(?![\d/½])")
_SIGNS = re.compile(rf"([+=]|{DASH})\s*[/:-]?\s*([+=]|{DASH}{{1,2}})")
SHARED = (0, 2, 3, 4, 10, 12)
"""Points that are shared in a game of draughts."""
NO_PLAY = " forfeit"
_VERBS = r"won|wins|lost|loses|drawn|resigns|resigned|forfeits|forfeited|ran|runs|makes|left|disconnects|connection"
SPOKEN = re.compile(
    r"(?:[-+M\d.]+/\d+ [\d.]+s, )?(?:[\w.'-]+\s+){1,3}(?:resign(?:s|ed)|r[au]ns? out of time.{0,40}|left the game"
    r"|(?:forfeits|wins|won|loses|lost)\s+(?:on time|by .{1,40})|disconnect(?:s|ed)|makes an illegal move.{0,40}"
    r"|connection stalls|drawn by .{1,40})\W*|(?:draw|time|win) (?:by|forfeit|adjudicat).{0,40}",
    re.IGNORECASE,
)
"""A comment by which a server or a program says how the game ended."""
SITES: Mapping[str, re.Pattern[str]] = {
    ending: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for ending, words in {
        TIME: r"time|timed? ?out|flag(?:ged|s)?|clock",
        RESIGNATION: r"resign(?:s|ed|ation)?|surrenders?|concede[sd]?",
        AGREEMENT: r"agreement|agreed|mutual",
        ABANDONED: r"abandon(?:s|ed|ment)?|disconnect(?:s|ed|ion)?|connection(?: stalls)?|left the game",
        AWARDED: r"infraction|illegal(?: move)?|adjudicat(?:ed|ion)|TCEC|Syzygy(?:TB)?|tablebases?|death|emergency|"
        r"forfeit(?:s|ed)?|walkover|FF?|WO|default|no.show|arbiter|disqualified|awarded",
        "normal": r"normal",
    }.items()
}  # fmt: skip
"""What Lichess, Lidraughts, chess.com, FICS, PlayOK, TCEC, ICC and cutechess call an end, the first that fits."""
STOPPED = {ending.name for ending in ENGINE_ENDINGS.values()}


class End(NamedTuple):
    """The end of a game."""

    result: str
    """As records have it."""
    termination: str
    contradicts: bool = False
    """The file says another result than the rules, which decide."""


def read_result(text: str) -> tuple[int, str] | None:
    """The engine's code of a result, told from the side that moves first, and what stands behind it.

    None stands for a text that is no result. Who has more points has won, be it 1-0, 12-0 or 8-4; where both have none,
    nobody has.
    """
    text = text.strip()
    if text in RESULTS:
        return RESULTS.index(text), ""
    if text in ("", "*", "?", "-"):
        return ONGOING, ""
    if match := POINTS.match(text):
        first, second = map(_points, match.groups())
        code = FIRST if first > second else SECOND if second > first else DRAW if first else ONGOING
        return code, text[match.end() :]
    if text in ("1/2", "½"):
        return DRAW, ""
    if match := _SIGNS.match(text):
        won, lost = (sign[0] == "+" for sign in match.groups())
        if "=" in match[0]:
            return None if won or lost or match[0].count("=") < 2 else (DRAW, "")
        return FIRST if won and not lost else SECOND if lost and not won else ONGOING, NO_PLAY + text[match.end() :]
    return None


def is_result(word: str, tag: str) -> bool:
    """Return whether a last word that is no move is a result such as 8-4, by the tag or since all points are shared."""
    match = POINTS.fullmatch(word)
    shared = match and sum(map(_points, match.groups())) in SHARED
    return bool(match and (tag.replace(" ", "") == word.replace(" ", "") or (shared and tag in ("", "?", "*"))))


def _points(text: str) -> float:
    parts = re.findall(r"½|[\d.]+", text.replace("1/2", "½").replace(",", "."))
    return sum(0.5 if part == "½" else float(part) for part in parts)


def ended(
    game: GameText, result: int, termination: str, draw_value: int = DRAW, forced: tuple[int, str] = (ONGOING, "")
) -> End:
    """The end of a game whose last position has a result and an ending by the rules.

    A win by the rules, or an end in which nobody can move, stands whatever the file says. A draw that has to be claimed
    does not: who went on until the time ran out has lost. ``draw_value`` is the result that a draw counts as, and
    ``forced`` the end that every legal move of the last position leads to.
    """
    end = _ended(game, result, termination, forced)
    counts = RESULTS[draw_value]
    if end.result == RESULTS[DRAW] != counts:
        return End(counts, end.termination, told(game)[0] not in (ONGOING, DRAW, draw_value))
    return end


def told(game: GameText) -> tuple[int, str]:
    """The result that a file tells, first by the tag, and what stands behind it."""
    written = (game.tags.get("Result", ""), *game.results, game.claim)
    results = filter(None, map(read_result, written))
    return next((result for result in results if result[0] != ONGOING), (ONGOING, ""))


def _ended(game: GameText, result: int, termination: str, forced: tuple[int, str]) -> End:
    code, behind = told(game)
    if result != ONGOING and code in (ONGOING, result):
        return End(RESULTS[result], termination)
    if result not in (ONGOING, DRAW) or termination == "stalemate":
        return End(RESULTS[result], termination, contradicts=True)
    by = " ".join(filter(None, map(game.tags.get, ("Termination", "TerminationDetails", "ICCResult"))))
    if by in STOPPED and (game.own or game.tags.get("Site") == "rule workbench"):
        return End(RESULTS[code], by)
    if code == ONGOING:
        return End(RESULTS[ONGOING], NO_RESULT)
    if by.lower() in ("", "?", "normal") and SPOKEN.fullmatch(game.comment):
        by = game.comment
    how = _how(f"{by} {behind}")
    if how in ("normal", UNKNOWN) and code == forced[0] != DRAW:
        return End(RESULTS[code], forced[1])
    if how == "normal":
        how = AGREEMENT if code == DRAW else RESIGNATION
    return End(RESULTS[code], how)


def _how(by: str) -> str:
    """The ending that a file names; who stands before the verb is no part of it."""
    by = re.sub(rf".*\b(?=(?:{_VERBS})\b)", "", by, flags=re.DOTALL)
    return next((ending for ending, words in SITES.items() if words.search(by)), UNKNOWN)
