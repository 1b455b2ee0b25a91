"""What rulesets, pairings and the codes of the analysis are called."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from workbench import games
from workbench.games.declaration import Declaration, Named, Toggle
from workbench.language.text import EMPTY, Text, bilingual, joined, verbatim
from workbench.questions.measures import MEASURES, PLIES, Measure, measure_by_name
from workbench.report.labels import labels_of
from workbench.report.model import TableCell
from workbench.report.numbers import percent
from workbench.statistics import AnalysisPlan

VERDICTS = {
    "fairer": (Text("fairer", "より公平"), "▲", "good"),
    "less_fair": (Text("less fair", "より不公平"), "▼", "bad"),
    "no_meaningful_difference": (Text("no meaningful difference", "意味のある差なし"), "=", ""),
    "undecided": (Text("undecided", "未判定"), "?", "open"),
    "met": (Text("met", "達成"), "▲", "good"),
    "missed": (Text("missed", "未達"), "▼", "bad"),
    "higher": (Text("higher", "増える"), "↑", ""),
    "lower": (Text("lower", "減る"), "↓", ""),
    "no_difference_shown": (Text("no difference shown", "差は示されない"), "?", "open"),
    "more": (Text("more", "多い"), "↑", ""),
    "less": (Text("less", "少ない"), "↓", ""),
    "yardstick": (Text("yardstick", "目安"), "·", "open"),
}
"""Code of a verdict -> its words, a sign that needs no colour, and how it is shown."""
BALANCES = {
    "first": Text("first player ahead", "先手有利"),
    "second": Text("second player ahead", "後手有利"),
    "balanced": Text("balanced", "互角"),
    "undecided": Text("undecided", "未判定"),
    "": Text("no result", "結果なし"),
}
REASONS = {
    "": verbatim(""),
    "too_few_games": Text("too few games", "対局数が足りない"),
    "capped_games": Text("too many games were stopped at the cap", "打ち切りが多い"),
    "too_few_lines": Text(
        "too few openings were drawn, and further games would begin with the same ones",
        "抽選した序盤が少なく、対局を増やしても同じ序盤の繰り返しになる",
    ),
    "no_games": Text("no games", "対局がない"),
    "together": Text("not sure yet among so many comparisons", "多くの比較と合わせるとまだ確かではない"),
    "no_look": Text("no verdict is due yet", "まだ判定の回に達していない"),
    "not_finished": Text("the run is not finished", "実験が完了していない"),
}
NOTES = {
    "together": (
        "†",
        Text(
            "† Undecided although the interval leaves out 0: it is the interval of one comparison; judged together "
            "with {others} others (Holm) it is not sure yet.",
            "†区間は0を含まないが未判定。区間はその比較だけのもので、他の{others}件の比較と合わせて判定すると"
            "（ホルム法）、まだ確かではない。",
        ),
    ),
    "no_look": (
        "‡",
        Text(
            "‡ Undecided because verdicts are taken only at numbers of games that were fixed beforehand: the first of "
            "them, {first_look}, is not reached yet.",
            "‡判定はあらかじめ決めた対局数でだけ行うため未判定。最初の回（{first_look}局）にまだ達していない。",
        ),
    ),
}
"""Reason of an undecided verdict -> the mark beside its interval, and what the mark says."""
UNITS = {
    "share": Text("points", "ポイント"),
    "plies": Text("plies", "手"),
    "moves": Text("moves", "手"),
    "count": Text("a game", "回（1局あたり）"),
    "ratio": Text("in a hundred", "（100あたり）"),
    "variety": Text("openings", "種類"),
}
"""What differences of a measure are in."""
SUBJECTS = {"result": Text("results", "結果"), "plies": Text("lengths", "手数")}
"""What jumps from one part of a run to the next."""
Pairing = tuple[str, str]


@dataclass(frozen=True)
class Names:
    """The names of an experiment's rulesets and pairings."""

    plan: AnalysisPlan

    @cached_property
    def _short(self) -> dict[str, str]:
        return labels_of(self.plan.rulesets)

    @cached_property
    def _titles(self) -> dict[str, Text]:
        return {variant.name: bilingual(variant.title, variant.title_ja) for variant in self.plan.rulesets}

    @property
    def rulesets(self) -> list[str]:
        """The full names, in their order."""
        return list(self._short)

    @property
    def proposals(self) -> list[str]:
        """All but the baseline; none without one."""
        return self.plan.proposals

    @property
    def short_names(self) -> dict[str, str]:
        """Full name -> the shortest that tells the rulesets apart."""
        return self._short

    def short(self, ruleset: str) -> str:
        """The shortest name that tells the rulesets apart."""
        return self._short.get(ruleset, ruleset)

    def title(self, ruleset: str) -> Text:
        """The title of a ruleset, without the short name where it begins with that."""
        title = self._titles.get(ruleset, verbatim(""))
        short = self.short(ruleset)
        lead, colon, rest = title.en.partition(": ")
        english = rest if colon and lead.replace(" ", "") == short else title.en
        return Text(english, title.ja.removeprefix(f"{short}案："))

    def cell(self, ruleset: str, titled: bool = False) -> TableCell:
        """A ruleset as the heading of a table's row."""
        place = self.rulesets.index(ruleset) if ruleset in self._short else len(self._short)
        return TableCell(verbatim(self.short(ruleset)), self.title(ruleset) if titled else EMPTY, sort=float(place))

    def series(self, pairing: Pairing) -> int:
        """The number of a pairing, for its colour and its dots."""
        return list(self.plan.pairings).index(pairing)

    @cached_property
    def strongest(self) -> Pairing:
        """The pairing on which the answer rests."""
        return self.plan.strongest_pairing()

    def seats(self, ruleset: str) -> tuple[Text, Text]:
        """What players call the two seats."""
        game = self.plan.ruleset(ruleset).game
        first, second = games.declaration(game).seats if game in games.names() else ("First", "Second")
        return Text(first, "先手"), Text(second, "後手")

    def factor(self, name: str) -> Text:
        """What was varied: a toggle by its title, the rulesets of `base`, or a factor by the experiment's own name."""
        if name == "base":
            return Text("ruleset", "ルール")
        return next((bilingual(one.title, one.title_ja) for one in self._toggles if one.name == name), verbatim(name))

    def level(self, factor: str, level: str) -> str:
        """A level of a factor, rulesets without their family."""
        return level.partition("/")[2] or level if factor == "base" else level

    def choice(self, code: str) -> Text:
        """What players choose for themselves: their style, or what the family says."""
        own = (one.own for one in self._declarations if one.own)
        return next((bilingual(each.name, each.ja) for each in own if each.name == code), Text("style", "作戦"))

    def but_for_own_choice(self, ruleset: str) -> Text:
        """What tells a ruleset of `vary` from others, the players' own choices aside; else the name of the game."""
        declaration = games.declaration(self.plan.ruleset(ruleset).game)
        own = declaration.own.toggles if declaration.own else ()
        levels = [
            Text("{factor} {level}", "{factor}：{level}").format(factor=self.factor(factor), level=level)
            for factor, level in self.plan.experiment.levels.get(ruleset, {}).items()
            if factor not in own
        ]
        return joined(levels) if levels else bilingual(declaration.title, declaration.title_ja)

    def event(self, name: str) -> Text:
        """The sentence of an event, or of ``plies``, without its full stop."""
        if name == PLIES:
            return Text("plies", "手数")
        event = next((one for one in self._events if one.name == name), None)
        return bilingual(event.sentence.rstrip("."), event.ja.rstrip("。")) if event else verbatim(name)

    def measure(self, code: str) -> Text:
        """What a measure of `comparisons` is called; an event by its sentence."""
        return measure_by_name(code, self.event).title

    def target(self, code: str) -> Text:
        """What a target is about."""
        return Text("median length", "手数の中央値") if code == PLIES else MEASURES[code].title

    def more_or_less(self, code: str, more: bool) -> Text:
        """What a ruleset has that has more, or less, of a measure."""
        one = measure_by_name(code, self.event)
        if word := one.more if more else one.less:
            return word
        if one.is_share:
            word = Text("more {what}", "{what}が多い") if more else Text("fewer {what}", "{what}が少ない")
        else:
            word = Text("more of {what}", "{what}が多い") if more else Text("less of {what}", "{what}が少ない")
        return word.format(what=one.title)

    def unit(self, code: str) -> Text:
        """The unit of differences of a measure."""
        return unit_of(measure_by_name(code))

    def landmark(self, name: str) -> Text:
        """The sentence of a choice of a place."""
        marks = (mark for declaration in self._declarations for mark in declaration.landmarks)
        return next((bilingual(mark.sentence, mark.ja) for mark in marks if mark.name == name), verbatim(name))

    def subject(self, name: str) -> Text:
        """What a warning is about: a ruleset, a toggle, an event, or something else in its own words."""
        if name in self._short:
            return verbatim(self.short(name))
        return SUBJECTS.get(name) or (self.event(name) if self.factor(name) == verbatim(name) else self.factor(name))

    @cached_property
    def _declarations(self) -> list[Declaration]:
        # Of a family that is no longer there, the numbers are left.
        played = dict.fromkeys(variant.game for variant in self.plan.rulesets)
        return [games.declaration(game) for game in played if game in games.names()]

    @cached_property
    def _toggles(self) -> list[Toggle]:
        return [toggle for declaration in self._declarations for toggle in declaration.toggles]

    @cached_property
    def _events(self) -> list[Named]:
        return [event for declaration in self._declarations for event in declaration.events]


def unit_of(one: Measure) -> Text:
    """The unit of differences of a measure."""
    return UNITS.get(one.name) or UNITS.get(one.unit) or verbatim(one.unit)


def scaling(code: str) -> float:
    """By what differences of a measure are multiplied to be in its unit."""
    return 100.0 if measure_by_name(code).unit in ("share", "ratio") else 1.0


def capped_method(names: Names) -> Text:
    """What became of the games that reached the cap, in a sentence."""
    if not names.plan.experiment.adjudicator:
        return Text(
            "Capped games: bounds (they have no result, and intervals allow for either).",
            "打ち切りの扱い：範囲（結果はないものとし、区間はどちらの結果も許す）。",
        )
    text = Text(
        "Capped games: adjudicated by {judge} to the side whose expected score in the last position is at least "
        "{threshold}; the others have no result.",
        "打ち切りの扱い：裁定（最終局面の期待得点率が{threshold}以上の側を、{judge}の評価により勝ちとし、"
        "ほかは結果なしとする）。",
    )
    return text.format(
        judge=names.plan.experiment.adjudicator, threshold=percent(names.plan.experiment.adjudicate or 1.0, 0)
    )


def verdict_cell(code: str, small: Text | str = "", sort: float | None = None) -> TableCell:
    """A verdict in a table, with a sign that tells it without colour."""
    text, sign, kind = VERDICTS[code]
    below = small if isinstance(small, Text) else verbatim(small)
    order = ["fairer", "met", "higher", "more", "no_meaningful_difference", "less_fair", "lower", "less",
             "no_difference_shown", "undecided"]  # fmt: skip
    rank = float(order.index(code)) if code in order else 9.0
    return TableCell(
        Text(f"{sign} {text.en}", f"{sign} {text.ja}"), below, rank if sort is None else sort, f"verdict {kind}"
    )
