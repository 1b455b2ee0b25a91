"""What moving first is worth, and how drawish a game is, where a player meets itself.

Davidson's model gives win, draw and loss of the first of two equal players the odds gamma : nu * sqrt(gamma) : 1. So
gamma are the odds of its wins to its losses, and nu is the share of draws over the geometric mean of those of wins and
losses.

Source: R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison experiments",
J. of the American Statistical Association 65, 1970; intervals of nu: G. Y. Zou, A. Donner, "Construction of confidence
limits about effect measures: a general approach", Statistics in Medicine 27, 2008. Limits: the share of draws and the
first seat's share of the decisive games are taken for independent, which they are by chance in games; what players
differ in may move both.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from workbench.statistics.ladder import ELO


class ShareInterval(NamedTuple):
    """A share with the ends of its interval."""

    value: float
    low: float
    high: float


def first_move_elo(share_of_decisive: float) -> float:
    """What it is worth to move first, in Elo: gamma, by the first seat's share of the games that somebody won."""
    return ELO * _logit(share_of_decisive)


def drawishness(draws: ShareInterval, decisive: ShareInterval) -> ShareInterval:
    """Nu with its interval, by the share of draws and the first seat's share of the decisive games."""
    draw_logits = ShareInterval(*(_logit(end) for end in draws))
    evenness = ShareInterval(*(_evenness(end) for end in decisive))
    # As many wins as losses is the least that it can be.
    least = _evenness(0.5) if decisive.low <= 0.5 <= decisive.high else min(evenness)
    most = max(evenness)
    value = draw_logits.value + evenness.value
    if not math.isfinite(value):
        return ShareInterval(_exp(value), _exp(draw_logits.low + least), _exp(draw_logits.high + most))
    low = value - math.hypot(draw_logits.value - draw_logits.low, evenness.value - least)
    high = value + math.hypot(draw_logits.high - draw_logits.value, most - evenness.value)
    return ShareInterval(_exp(value), _exp(low), _exp(high))


def _logit(share: float) -> float:
    if not 0 < share < 1:
        return math.inf if share >= 1 else -math.inf
    return math.log(share / (1 - share))


def _evenness(share_of_decisive: float) -> float:
    """The logarithm of decisive games over the geometric mean of wins and losses."""
    both = share_of_decisive * (1 - share_of_decisive)
    return -0.5 * math.log(both) if both > 0 else math.inf


def _exp(x: float) -> float:
    return math.exp(x) if x < 700 else math.inf
