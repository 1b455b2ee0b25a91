"""Numbers as the report writes them, the same in both languages."""

from __future__ import annotations

import math
from collections.abc import Mapping

from workbench.language import tr, verbatim

SPACE = "\N{NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"


def percent(share: float, digits: int = 1) -> str:
    """A share in percent; a dash where it is not known."""
    # Adding 0 makes no difference but to −0.
    return "–" if math.isnan(share) else f"{round(100 * share, digits) + 0:.{digits}f}{SPACE}%"


def interval(low: float, high: float, digits: int = 1) -> str:
    """The ends of an interval of shares, in percent."""
    return "" if math.isnan(low) or math.isnan(high) else f"{100 * low:.{digits}f}–{100 * high:.{digits}f}"


def share(value: float, low: float, high: float) -> str:
    """A share with its interval."""
    around = interval(low, high)
    return verbatim(f"{percent(value)} ({around})" if around and not math.isnan(value) else percent(value))


def signed(value: float, digits: int = 1) -> str:
    """A number with its sign."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    rounded = round(value, digits)
    return f"{'+' if rounded > 0 else MINUS if rounded < 0 else '±'}{abs(rounded):.{digits}f}"


def points(value: float) -> str:
    """A difference of two shares."""
    if math.isnan(value):
        return verbatim("–")
    number = signed(100 * value)
    return tr("{number}\N{NO-BREAK SPACE}points", number=number)


def difference(value: float, low: float, high: float, factor: float = 100) -> str:
    """A difference with its interval; with ``factor`` 100 in points."""
    if math.isnan(value):
        return "–"
    around = "" if math.isnan(low) else f" ({signed(factor * low)}…{signed(factor * high)})"
    return signed(factor * value) + around


def change(value: float, low: float, high: float, unit: str, factor: float) -> str:
    """A difference in its unit, with its interval."""
    if math.isnan(value):
        return verbatim("–")
    around = "" if math.isnan(low) else f" ({signed(factor * low)}…{signed(factor * high)})"
    return tr("{number}\N{NO-BREAK SPACE}{unit}{interval}", number=signed(factor * value), unit=unit, interval=around)


def amount(value: float, digits: int = 0) -> str:
    """A number with commas; a dash where it is not known, an infinity where it lies beyond the cap."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    return f"{value:,.{digits}f}"


def ratio(value: float) -> str:
    """A ratio of two counts, to about three digits; a dash where it is not known."""
    return amount(value, 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3)


def amounts(low: float, high: float, digits: int = 0) -> str:
    """The ends of an interval of numbers."""
    return f"{amount(low, digits)}–{amount(high, digits)}"


def kinds(value: float) -> str:
    """An estimated number of kinds: of many, parts of one say nothing."""
    return amount(value, 0 if value >= 100 else 1)


def number(value: float) -> float | None:
    """What a table sorts by: nothing where the value is not known."""
    return None if math.isnan(value) else value


def points_label(value: float) -> str:
    """A difference of two shares at a tick of a scale."""
    return signed(100 * value, 0 if abs(100 * value - round(100 * value)) < 1e-6 else 1).replace("±0", "0")


def rough_percent(share: float) -> str:
    """A share above 0 in whole percent, for the terminal; what is not all is not shown as 100 %."""
    if 0.995 <= share < 1:
        return ">99 %"
    return f"{100 * share:.0f} %" if share >= 0.01 else "<1 %"


def elo(value: float) -> str:
    """A strength in Elo, or a difference of two."""
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    rounded = round(value)
    return f"{'+' if rounded > 0 else MINUS if rounded < 0 else ''}{abs(rounded):,}"


def elo_ends(estimate: Mapping[str, float | None]) -> str:
    """The interval of a strength, of which an open end is None; nothing where it is a point."""
    low, high = estimate["low"], estimate["high"]
    if low is None:
        if high is None:
            return tr("not known")
        return tr("at most {elo}", elo=elo(high))
    if high is None:
        return tr("at least {elo}", elo=elo(low))
    return verbatim(f"{elo(low)}…{elo(high)}" if low < high else "")


def elo_with_ends(estimate: Mapping[str, float | None]) -> str:
    """A strength with its interval."""
    value = estimate["value"]
    assert value is not None
    around = elo_ends(estimate)
    return tr("{elo} ({ends})", elo=elo(value), ends=around) if around else elo(value)
