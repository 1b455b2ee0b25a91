"""Numbers as the report writes them, the same in both languages."""

from __future__ import annotations

import math
from collections.abc import Mapping

from workbench.language import join, tr, verbatim

SPACE = "\N{NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"
NO_INTERVAL = tr("no interval: too few games, or all alike")


def format_percent(share: float, digits: int = 1) -> str:
    """A share in percent; a dash where it is not known."""
    # Adding 0 makes no difference but to −0.
    return "–" if math.isnan(share) else f"{round(100 * share, digits) + 0:.{digits}f}{SPACE}%"


def format_interval(low: float, high: float) -> str:
    """The ends of an interval of shares, in percent."""
    return "" if math.isnan(low) or math.isnan(high) else f"{100 * low:.1f}–{100 * high:.1f}"


def format_share(value: float, low: float, high: float) -> str:
    """A share with its interval."""
    around = format_interval(low, high)
    return verbatim(
        f"{format_percent(value)} ({around})" if around and not math.isnan(value) else format_percent(value)
    )


def format_signed(value: float, digits: int = 1) -> str:
    """A number with its sign."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    rounded = round(value, digits)
    return f"{'+' if rounded > 0 else MINUS if rounded < 0 else '±'}{abs(rounded):.{digits}f}"


def format_points(value: float) -> str:
    """A difference of two shares."""
    if math.isnan(value):
        return verbatim("–")
    number = format_signed(100 * value)
    return tr("{number}\N{NO-BREAK SPACE}points", number=number)


def format_difference(value: float, low: float, high: float, factor: float = 100) -> str:
    """A difference with its interval; with ``factor`` 100 in points."""
    if math.isnan(value):
        return "–"
    return join("", [format_signed(factor * value), _around_difference(low, high, factor)])


def format_change(value: float, low: float, high: float, unit: str, factor: float) -> str:
    """A difference in its unit, with its interval."""
    if math.isnan(value):
        return verbatim("–")
    return tr(
        "{number}\N{NO-BREAK SPACE}{unit}{interval}",
        number=format_signed(factor * value),
        unit=unit,
        interval=_around_difference(low, high, factor),
    )


def _around_difference(low: float, high: float, factor: float) -> str:
    """The interval of a difference in brackets; nothing where there is none."""
    if math.isnan(low):
        return verbatim("")
    if math.isinf(low) and math.isinf(high):
        return join("", [" (", NO_INTERVAL, ")"])
    return verbatim(f" ({format_signed(factor * low)}…{format_signed(factor * high)})")


def format_amount(value: float, digits: int = 0) -> str:
    """A number with commas; a dash where it is not known, an infinity where it lies beyond the cap."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    return f"{value:,.{digits}f}".replace("-", MINUS)


def format_ratio(value: float) -> str:
    """A ratio of two counts, to about three digits; a dash where it is not known."""
    return format_amount(value, 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3)


def format_amounts(low: float, high: float, digits: int = 0) -> str:
    """The ends of an interval of numbers that are not negative, or why there are none."""
    if low <= 0 and math.isinf(high):
        return NO_INTERVAL
    return f"{format_amount(low, digits)}–{format_amount(high, digits)}"


def format_kinds(value: float) -> str:
    """An estimated number of kinds: of many, parts of one say nothing."""
    return format_amount(value, 0 if value >= 100 else 1)


def sort_value(value: float) -> float | None:
    """What a table sorts by: nothing where the value is not known."""
    return None if math.isnan(value) else value


def points_label(value: float) -> str:
    """A difference of two shares at a tick of a scale."""
    return format_signed(100 * value, 0 if abs(100 * value - round(100 * value)) < 1e-6 else 1).replace("±0", "0")


def format_rough_percent(share: float) -> str:
    """A share above 0 in whole percent, for the terminal; what is not all is not shown as 100 %."""
    if 0.995 <= share < 1:
        return ">99 %"
    return f"{100 * share:.0f} %" if share >= 0.01 else "<1 %"


def format_elo(value: float) -> str:
    """A strength in Elo, or a difference of two."""
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    rounded = round(value)
    return f"{'+' if rounded > 0 else MINUS if rounded < 0 else ''}{abs(rounded):,}"


def format_elo_interval(estimate: Mapping[str, float | None]) -> str:
    """The interval of a strength, of which an open end is None; nothing where it is a point."""
    low, high = estimate["low"], estimate["high"]
    if low is None:
        if high is None:
            return tr("not known")
        return tr("at most {elo}", elo=format_elo(high))
    if high is None:
        return tr("at least {elo}", elo=format_elo(low))
    return verbatim(f"{format_elo(low)}…{format_elo(high)}" if low < high else "")


def format_elo_estimate(estimate: Mapping[str, float | None]) -> str:
    """A strength with its interval."""
    value = estimate["value"]
    assert value is not None
    around = format_elo_interval(estimate)
    return tr("{elo} ({ends})", elo=format_elo(value), ends=around) if around else format_elo(value)
