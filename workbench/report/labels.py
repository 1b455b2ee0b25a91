"""Short names of rulesets and players, and numbers as text."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from workbench import games
from workbench.base.language import LANGUAGES, bilingual, join, tr, translated, untranslated
from workbench.games import results
from workbench.games.declaration import Named
from workbench.players.agent_kinds import PEOPLE
from workbench.rules.rulesets import Ruleset, is_tried, short_titles


def short_names(names: Sequence[str]) -> list[str]:
    """Return names without a family or ruleset that all of them share.

    With several factors, only levels that differ from the first name's remain; the first is named by its ruleset.
    """
    if len({name.partition("/")[0] for name in names}) == 1:
        names = [name.partition("/")[2] or name for name in names]
    # Rulesets with several factors are named by the varied ruleset and then each level.
    parts = [[name.partition(" ")[0], *name.partition(" ")[2].split(", ")] for name in names]
    counts = {len(words) for words in parts}
    if len(counts) == 1 and counts.pop() > 2 and all("=" in level for words in parts for level in words[1:]):
        return [
            " + ".join(level for level, first in zip(words, parts[0], strict=True) if level != first) or parts[0][0]
            for words in parts
        ]
    if len({name.partition(" ")[0] for name in names}) == 1 and all(" " in name for name in names):
        return [name.partition(" ")[2] for name in names]
    return list(names)


def ruleset_labels(rulesets: Sequence[Ruleset]) -> dict[str, str]:
    """Return short names by full name: the rulesets' own labels, unique short titles, or the shortest names."""
    files = short_names([ruleset.name for ruleset in rulesets])
    # What was never saved is called by its whole title, which tells its changes.
    titles = [
        {} if " " in ruleset.name or is_tried(ruleset.name) else short_titles(ruleset.heading) for ruleset in rulesets
    ]
    labels: dict[str, str] = {}
    for ruleset, file, texts in zip(rulesets, files, titles, strict=True):
        # A title such as "C + D" is the name of its file.
        name = ruleset.heading if is_tried(ruleset.name) else file
        own = {
            language: text
            for language, text in texts.items()
            if text.replace(" ", "") not in ("", file) and sum(other.get(language) == text for other in titles) == 1
        }
        fallback = {language: translated(name, language) for language in LANGUAGES}
        labels[ruleset.name] = ruleset.label or bilingual(**fallback | own)
    return labels


def pairing_label(first: str, second: str) -> str:
    """Return a pairing as one label."""
    return first if first == second else f"{first} v {second}"


def pairing_text(pairing: tuple[str, str]) -> str:
    """Return a pairing in words."""
    first, second = pairing
    if first != second:
        return tr("{first} v {second}", first=first, second=second)
    if band := re.fullmatch(rf"{PEOPLE}-([0-9]+)-([0-9]+)", first):
        return tr("people rated {low}–{high}", low=band[1], high=band[2])
    return tr("people") if first == PEOPLE else untranslated(first)


SOLVED_BY = "workbench solve"
"""The prefix of a value's source if the workbench solved it."""
LEARNED_IN_WORDS = tr("{ruleset}, training {training}")
"""The name of a training run."""

_COUNTED = re.compile("（.*）|。|の?回数|(?:(?<=[いうくたるん])|の)数|のは何手目か")
"""The words that make a Japanese sentence refer to a count."""


def event_title(event: Named) -> str:
    """Return an event's name for a single occurrence; in Japanese, its sentence without counting words.

    >>> sentence = bilingual(en="Ply after which …", ja="制限が解除されたのは何手目か（解除されなければ0）。")
    >>> event = Named("limits_ended", sentence)
    >>> in_all(event_title(event))
    ('limits ended', '制限が解除された')
    """
    return bilingual(en=event.name.replace("_", " "), ja=_COUNTED.sub("", translated(event.sentence, "ja")))


def ending_words(ruleset: str, ending: str) -> str:
    """Return a recorded ending in words; in Japanese, the first sentence of its rule."""
    game = ruleset.partition("/")[0]
    declared = results.ending(games.declaration(game), ending) if game in games.names() else None
    return bilingual(en=ending, ja=translated(declared.sentence, "ja").partition("。")[0]) if declared else ending


def games_command(ruleset: str, pairing: tuple[str, str], game: int | None = None) -> str:
    """Return the command that exports a cell's games, or a single ``game``, from the report folder."""
    first, second = pairing
    agents = ["--agent", first] if first == second else ["--first", first, "--second", second]
    game_option = ["--game", str(game)] if game else []
    return shlex.join(["workbench", "games", ".", "--ruleset", ruleset, *agents, *game_option])


SPACE = "\N{NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"
NO_INTERVAL = tr("no interval: too few games, or all identical")


def whole(value: float) -> str:
    """Return a positive number without decimal places; what one place shows as a half is rounded up."""
    return f"{math.floor(round(value, 1) + 0.5):,}"


def format_percent(share: float, digits: int = 1) -> str:
    """Return a share in percent, or a dash if it is unknown."""
    if math.isnan(share):
        return "–"
    # Adding 0 turns −0 into 0.
    number = f"{round(100 * share, digits) + 0:.{digits}f}" if digits else whole(100 * share)
    return f"{number}{SPACE}%"


def format_interval(low: float, high: float) -> str:
    """Return an interval of shares in percent, or "" if it is unknown."""
    return "" if math.isnan(low) or math.isnan(high) else f"{100 * low:.1f}–{100 * high:.1f}"


def format_share(value: float, low: float, high: float) -> str:
    """Return a share with its interval."""
    interval = "" if math.isnan(value) else format_interval(low, high)
    return untranslated(f"{format_percent(value)} ({interval})" if interval else format_percent(value))


def share_text(row: Mapping[Any, Any], name: str) -> str:
    """Return a record's share with its interval."""
    return format_share(row[name], row[f"{name}_low"], row[f"{name}_high"])


def percent_tick(share: float) -> str:
    """Return the tick label of a share."""
    return f"{100 * share:.3g} %"


def format_signed(value: float, digits: int = 1) -> str:
    """Return a number with its sign."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    rounded = round(value, digits)
    return f"{'+' if rounded > 0 else MINUS if rounded < 0 else '±'}{abs(rounded):.{digits}f}"


def format_difference(value: float, low: float, high: float, factor: float = 100) -> str:
    """Return a difference with its interval, by default in points."""
    return "–" if math.isnan(value) else join("", [format_signed(factor * value), _signed_interval(low, high, factor)])


def format_change(value: float, low: float, high: float, unit: str, factor: float) -> str:
    """Return a difference in its unit with its interval."""
    if math.isnan(value):
        return untranslated("–")
    text = tr("{number}\N{NO-BREAK SPACE}{unit}{interval}")
    return text.format(number=format_signed(factor * value), unit=unit, interval=_signed_interval(low, high, factor))


def _signed_interval(low: float, high: float, factor: float) -> str:
    """Return the interval of a difference in parentheses, or "" if it is unknown."""
    if math.isnan(low):
        return untranslated("")
    if math.isinf(low) and math.isinf(high):
        return join("", [" (", NO_INTERVAL, ")"])
    return untranslated(f" ({format_signed(factor * low)}…{format_signed(factor * high)})")


def format_amount(value: float, digits: int = 0) -> str:
    """Return a number with thousands separators, a dash if it is unknown, or ∞ if it exceeds the cap."""
    if math.isnan(value):
        return "–"
    return "∞" if math.isinf(value) else f"{value:,.{digits}f}".replace("-", MINUS)


def format_ratio(value: float) -> str:
    """Return a ratio of two counts to about three digits, or a dash if it is unknown."""
    return format_amount(value, 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3)


def format_amounts(low: float, high: float, digits: int = 0) -> str:
    """Return an interval of non-negative numbers, or the reason why it is missing."""
    no_interval = low <= 0 and math.isinf(high)
    return NO_INTERVAL if no_interval else f"{format_amount(max(low, 0), digits)}–{format_amount(high, digits)}"


def format_kinds(value: float) -> str:
    """Return an estimated number of kinds, with one decimal place below 100."""
    return format_amount(value, 0 if value >= 100 else 1)


def sort_value(value: float) -> float | None:
    """Return the sort key of a number, or None if it is unknown."""
    return None if math.isnan(value) else value


def points_label(value: float) -> str:
    """Return the tick label of a difference between two shares."""
    return number_label(100 * value)


def number_label(value: float) -> str:
    """Return the tick label of a difference."""
    return format_signed(value, 0 if abs(value - round(value)) < 1e-6 else 1).replace("±0", "0")


def round_count(count: float) -> int:
    """Round a predicted count up to two significant digits."""
    size = 10 ** max(0, math.floor(math.log10(max(count, 1))) - 1)
    return int(math.ceil(count / size) * size)


def format_rough_percent(share: float) -> str:
    """Return a positive share in whole percent; only an exact 1 becomes 100 %."""
    if 0.995 <= share < 1:
        return ">99 %"
    return f"{100 * share:.0f} %" if share >= 0.01 else "<1 %"


def format_elo(value: float) -> str:
    """Return an Elo rating or the difference between two ratings."""
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    rounded = round(value)
    return f"{'+' if rounded > 0 else MINUS if rounded < 0 else ''}{abs(rounded):,}"


def format_elo_estimate(estimate: Mapping[str, float | None]) -> str:
    """Return an Elo rating with its interval (None is an open end), or only the rating if it is exact."""
    value, low, high = estimate["value"], estimate["low"], estimate["high"]
    assert value is not None
    if low is not None and high is not None:
        interval = untranslated(f"{format_elo(low)}…{format_elo(high)}" if low < high else "")
    elif low is not None:
        interval = tr("at least {elo}", elo=format_elo(low))
    else:
        interval = tr("not known") if high is None else tr("at most {elo}", elo=format_elo(high))
    return tr("{elo} ({ends})", elo=format_elo(value), ends=interval) if interval else format_elo(value)
