"""What rulesets, pairings and the codes of the analysis are called."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from workbench import games
from workbench.games.declaration import Declaration, Named, Toggle
from workbench.questions.primary import QUESTIONS, Question, question
from workbench.report import charts
from workbench.report.model import Cell
from workbench.report.numbers import percent
from workbench.report.words import NOTHING, Words, either, joined, same
from workbench.statistics import AnalysisPlan

VERDICTS = {
    "fairer": (Words("fairer", "より公平"), "▲", "good"),
    "less_fair": (Words("less fair", "より不公平"), "▼", "bad"),
    "no_meaningful_difference": (Words("no meaningful difference", "意味のある差なし"), "=", ""),
    "undecided": (Words("undecided", "未判定"), "?", "open"),
    "met": (Words("met", "達成"), "▲", "good"),
    "missed": (Words("missed", "未達"), "▼", "bad"),
    "higher": (Words("higher", "増える"), "↑", ""),
    "lower": (Words("lower", "減る"), "↓", ""),
    "no_difference_shown": (Words("no difference shown", "差は示されない"), "?", "open"),
    "more": (Words("more", "多い"), "↑", ""),
    "less": (Words("less", "少ない"), "↓", ""),
    "yardstick": (Words("yardstick", "目安"), "·", "open"),
}
"""Code of a verdict -> its words, a sign that needs no colour, and how it is shown."""
BALANCES = {
    "first": Words("first player ahead", "先手有利"),
    "second": Words("second player ahead", "後手有利"),
    "balanced": Words("balanced", "互角"),
    "undecided": Words("undecided", "未判定"),
    "": Words("no result", "結果なし"),
}
REASONS = {
    "": same(""),
    "too_few_games": Words("too few games", "対局数が足りない"),
    "capped_games": Words("too many games were stopped at the cap", "打ち切りが多い"),
    "no_games": Words("no games", "対局がない"),
    "together": Words("not sure yet among so many comparisons", "多くの比較と合わせるとまだ確かではない"),
    "no_look": Words("no verdict is due yet", "まだ判定の回に達していない"),
    "not_finished": Words("the run is not finished", "実験が完了していない"),
}
NOTES = {
    "together": (
        "†",
        Words(
            "† Undecided although the interval leaves out 0: it is the interval of one comparison; judged together "
            "with {others} others (Holm) it is not sure yet.",
            "†区間は0を含まないが未判定。区間はその比較だけのもので、他の{others}件の比較と合わせて判定すると"
            "（ホルム法）、まだ確かではない。",
        ),
    ),
    "no_look": (
        "‡",
        Words(
            "‡ Undecided because verdicts are taken only at numbers of games that were fixed beforehand: the first of "
            "them, {first_look}, is not reached yet.",
            "‡判定はあらかじめ決めた対局数でだけ行うため未判定。最初の回（{first_look}局）にまだ達していない。",
        ),
    ),
}
"""Reason of an undecided verdict -> the mark beside its interval, and what the mark says."""
TARGETS = {
    "first_score": Words("first player's score", "先手の得点率"),
    "first_win_rate": Words("first player's wins", "先手の勝率"),
    "second_win_rate": Words("second player's wins", "後手の勝率"),
    "draw_rate": Words("draws", "引き分けの割合"),
    "capped_rate": Words("games stopped at the cap", "打ち切りの割合"),
    "plies": Words("median length", "手数の中央値"),
    "plies_mean": Words("mean length", "平均手数"),
    "legal_moves": Words("legal moves at a ply", "1手ごとの合法手の数"),
    "fairness": Words("fairness", "公平さ"),
    "decisive_rate": Words("games with a winner", "勝敗のつく割合"),
    "variety": Words("different openings", "序盤の種類"),
}
"""Measures that a target or a comparison is about."""
MORE_AND_LESS = {
    "fairness": (Words("fairer", "公平"), Words("less fair", "不公平")),
    "first_score": (
        Words("a higher score of the first player", "先手の得点率が高い"),
        Words("a lower score of the first player", "先手の得点率が低い"),
    ),
    "draw_rate": (Words("more draws", "引き分けが多い"), Words("fewer draws", "引き分けが少ない")),
    "decisive_rate": (
        Words("more games with a winner", "勝敗のつく対局が多い"),
        Words("fewer games with a winner", "勝敗のつく対局が少ない"),
    ),
    "plies_mean": (Words("longer games", "対局が長い"), Words("shorter games", "対局が短い")),
    "variety": (
        Words("more different openings", "序盤の種類が多い"),
        Words("fewer different openings", "序盤の種類が少ない"),
    ),
    "legal_moves": (Words("more legal moves", "合法手が多い"), Words("fewer legal moves", "合法手が少ない")),
    "first_win_rate": (
        Words("more wins of the first player", "先手の勝ちが多い"),
        Words("fewer wins of the first player", "先手の勝ちが少ない"),
    ),
    "second_win_rate": (
        Words("more wins of the second player", "後手の勝ちが多い"),
        Words("fewer wins of the second player", "後手の勝ちが少ない"),
    ),
    "capped_rate": (
        Words("more games stopped at the cap", "打ち切りが多い"),
        Words("fewer games stopped at the cap", "打ち切りが少ない"),
    ),
}
"""What a ruleset has that has more, or less, of a measure than another."""
UNITS = {
    "share": Words("points", "ポイント"),
    "plies": Words("plies", "手"),
    "moves": Words("moves", "手"),
    "count": Words("a game", "回（1局あたり）"),
    "variety": Words("openings", "種類"),
}
"""What differences of a measure are in."""

SUBJECTS = {"result": Words("results", "結果"), "plies": Words("lengths", "手数")}
"""What jumps from one part of a run to the next."""

Pairing = tuple[str, str]


@dataclass(frozen=True)
class Names:
    """The names of an experiment's rulesets and pairings."""

    plan: AnalysisPlan

    @cached_property
    def _short(self) -> dict[str, str]:
        names = [variant.name for variant in self.plan.rulesets]
        return dict(zip(names, charts.short_names(names), strict=True))

    @cached_property
    def _titles(self) -> dict[str, Words]:
        return {variant.name: either(variant.title, variant.title_ja) for variant in self.plan.rulesets}

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

    def title(self, ruleset: str) -> Words:
        """The title of a ruleset, without the short name where it begins with that."""
        title = self._titles.get(ruleset, same(""))
        short = self.short(ruleset)
        lead, colon, rest = title.en.partition(": ")
        english = rest if colon and lead.replace(" ", "") == short else title.en
        return Words(english, title.ja.removeprefix(f"{short}案："))

    def cell(self, ruleset: str, titled: bool = False) -> Cell:
        """A ruleset as the heading of a table's row."""
        place = self.rulesets.index(ruleset) if ruleset in self._short else len(self._short)
        return Cell(same(self.short(ruleset)), self.title(ruleset) if titled else NOTHING, sort=float(place))

    def series(self, pairing: Pairing) -> int:
        """The number of a pairing, for its colour and its dots."""
        return list(self.plan.pairings).index(pairing)

    @cached_property
    def strongest(self) -> Pairing:
        """The pairing on which the answer rests."""
        return self.plan.strongest()

    def seats(self, ruleset: str) -> tuple[Words, Words]:
        """What players call the two seats."""
        game = self.plan.ruleset(ruleset).game
        first, second = games.declaration(game).seats if game in games.names() else ("First", "Second")
        return Words(first, "先手"), Words(second, "後手")

    def factor(self, name: str) -> Words:
        """What was varied: a toggle by its title, the rulesets of `base`, or a factor by the experiment's own name."""
        if name == "base":
            return Words("ruleset", "ルール")
        return next((either(one.title, one.title_ja) for one in self._toggles if one.name == name), same(name))

    def level(self, factor: str, level: str) -> str:
        """A level of a factor, rulesets without their family."""
        return level.partition("/")[2] or level if factor == "base" else level

    def choice(self, code: str) -> Words:
        """What players choose for themselves: their style, or what the family says."""
        own = (one.own for one in self._declarations if one.own)
        return next((either(each.name, each.ja) for each in own if each.name == code), Words("style", "作戦"))

    def but_for_own_choice(self, ruleset: str) -> Words:
        """What tells a ruleset of `vary` from others, the players' own choices aside; else the name of the game."""
        declaration = games.declaration(self.plan.ruleset(ruleset).game)
        own = declaration.own.toggles if declaration.own else ()
        levels = [
            Words("{factor} {level}", "{factor}：{level}").format(factor=self.factor(factor), level=level)
            for factor, level in self.plan.levels.get(ruleset, {}).items()
            if factor not in own
        ]
        return joined(levels) if levels else either(declaration.title, declaration.title_ja)

    def event(self, name: str) -> Words:
        """The sentence of an event, without its full stop."""
        found = next((one for one in self._events if one.name == name), None)
        return either(found.sentence.rstrip("."), found.ja.rstrip("。")) if found else same(name)

    def measure(self, code: str) -> Words:
        """What a measure of `comparisons` is called; an event by its sentence."""
        event = _of(code).event
        if not event:
            return TARGETS.get(code, same(code))
        text = (
            Words("games with “{event}”", "「{event}」のある対局")
            if _of(code).is_share
            else Words("“{event}”", "「{event}」")
        )
        return text.format(event=self.event(event))

    def more_or_less(self, code: str, more: bool) -> Words:
        """What a ruleset has that has more, or less, of a measure."""
        if code in MORE_AND_LESS:
            return MORE_AND_LESS[code][not more]
        word = Words("more {what}", "{what}が多い") if more else Words("fewer {what}", "{what}が少ない")
        if not _of(code).is_share:
            word = Words("more of {what}", "{what}が多い") if more else Words("less of {what}", "{what}が少ない")
        return word.format(what=self.measure(code))

    def unit(self, code: str) -> Words:
        """The unit of differences of a measure."""
        return UNITS.get(code) or UNITS[_of(code).unit]

    def landmark(self, name: str) -> Words:
        """The sentence of a choice of a place."""
        marks = (mark for declaration in self._declarations for mark in declaration.landmarks)
        return next((either(mark.sentence, mark.ja) for mark in marks if mark.name == name), same(name))

    def subject(self, name: str) -> Words:
        """What a warning is about: a ruleset, a toggle, an event, or something else in its own words."""
        if name in self._short:
            return same(self.short(name))
        return SUBJECTS.get(name) or (self.event(name) if self.factor(name) == same(name) else self.factor(name))

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


def _of(code: str) -> Question:
    """The question about a measure of `comparisons`; about the score, too, where effects are estimated of it."""
    return next((one for one in QUESTIONS.values() if code in (one.measure, one.name)), None) or question(code)


def scaling(code: str) -> float:
    """By what differences of a measure are multiplied to be in its unit."""
    return 100.0 if _of(code).is_share else 1.0


def pair_words(pairing: Pairing) -> Words:
    """A pairing in a word or three."""
    return same(charts.pairing_label(*pairing)) if pairing[0] == pairing[1] else Words(
        f"{pairing[0]} v {pairing[1]}", f"{pairing[0]} 対 {pairing[1]}"
    )  # fmt: skip


def capped_method(names: Names) -> Words:
    """What became of the games that reached the cap, in a sentence."""
    if not names.plan.judge:
        return Words(
            "Capped games: bounds (they have no result, and intervals allow for either).",
            "打ち切りの扱い：範囲（結果はないものとし、区間はどちらの結果も許す）。",
        )
    text = Words(
        "Capped games: adjudicated by {judge} to the side whose expected score in the last position is at least "
        "{threshold}; the others have no result.",
        "打ち切りの扱い：裁定（最終局面の期待得点率が{threshold}以上の側を、{judge}の評価により勝ちとし、"
        "ほかは結果なしとする）。",
    )
    return text.format(judge=names.plan.judge, threshold=percent(names.plan.threshold, 0))


def verdict_cell(code: str, small: Words | str = "", sort: float | None = None) -> Cell:
    """A verdict in a table, with a sign that tells it without colour."""
    words, sign, kind = VERDICTS[code]
    below = small if isinstance(small, Words) else same(small)
    order = ["fairer", "met", "higher", "more", "no_meaningful_difference", "less_fair", "lower", "less",
             "no_difference_shown", "undecided"]  # fmt: skip
    rank = float(order.index(code)) if code in order else 9.0
    return Cell(
        Words(f"{sign} {words.en}", f"{sign} {words.ja}"), below, rank if sort is None else sort, f"verdict {kind}"
    )
