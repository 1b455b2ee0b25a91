"""What a report is made of: numbers, boards, games to look at, charts; and what its sections say of given tables."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from markupsafe import Markup, escape

from tests.test_strong_play import plan_of, records, specs
from tests.toy import altered, drawn, plan_for, plan_from, ruleset, with_keys
from workbench.base.errors import InputError
from workbench.base.language import bilingual, untranslated
from workbench.base.project import Project
from workbench.experiments import experiment, experiment_files
from workbench.experiments.experiment import Experiment
from workbench.experiments.experiment_files import Published, PublishedEstimate
from workbench.games.declaration import Board
from workbench.report import model as m
from workbench.report.labels import format_amount, format_difference, format_interval, format_percent, format_signed
from workbench.report.names import Names, Results
from workbench.report.render.svg import Pieces, board_svg, panel_svg
from workbench.report.sections import games, rules, strong
from workbench.report.sections.answer import WARNINGS, answer_sections
from workbench.report.sections.document import MOST_SHOWN, run_section
from workbench.report.sections.rules import VARIANTS as VARIANT_TEXTS
from workbench.report.sections.rules import further_rule_tables, rule_effects_section
from workbench.report.sections.strong import published_section as section_of
from workbench.report.sections.strong import reason_text, strong_verdict_tables
from workbench.report.verdicts import BALANCES, REASONS, VERDICTS, Words, certainty
from workbench.rules import rulesets
from workbench.rules.rulesets import Ruleset
from workbench.statistics import Analysis, AnalysisPlan, analyse, published_differences
from workbench.statistics.overview import VARIANTS

STRONGEST = ("alphabeta-2", "alphabeta-2")
SAMPLE = Path(__file__).resolve().parent / "data" / "sample"


@pytest.fixture(scope="module")
def provenance() -> dict[str, Any]:
    return dict(json.loads((SAMPLE / "provenance.json").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def trials() -> pd.DataFrame:
    return pd.read_parquet(SAMPLE / "trials")


@pytest.fixture(scope="module")
def analysis(provenance: dict[str, Any], trials: pd.DataFrame) -> Analysis:
    return analyse(trials, AnalysisPlan.from_provenance(provenance))


@pytest.mark.thorough
def test_long_lists_of_rulesets_are_counted(analysis: Analysis) -> None:
    names = Names(analysis.plan)
    assert names.list_rulesets(["chatra/A", "chatra/B"]) == "A and B"
    assert names.list_rulesets([f"chatra/{'x' * 70}{i}" for i in range(3)]) == "3 of 7 rulesets"
    assert names.list_rulesets(["chatra/A"] * 13) == "13 of 7 rulesets"


def answered(analysis: Analysis, **provenance: Any) -> list[m.Part]:
    """The parts of the first screen and of the details of its verdicts."""
    first, details = answer_sections(Results.of(analysis), [], None, provenance, None)
    return [*first.parts, *(details.parts if details else [])]


def lead(analysis: Analysis) -> str:
    return next(part.text for part in answered(analysis) if isinstance(part, m.Paragraph) and part.kind == "lead")


@pytest.mark.thorough
def test_the_effects_that_were_found_come_first(analysis: Analysis, trials: pd.DataFrame) -> None:
    def effect(measure: str, level: str, size: float, p: float, kind: str = "main") -> dict[str, Any]:
        row = [*STRONGEST, measure, kind, "opening", level, "subject-first"]
        pair = ["offside", "off", "front"] if kind == "interaction" else ["", "", ""]
        numbers = [size, size - abs(size) / 2, size + abs(size) / 2, p / 10, p, 800, False]
        return dict(zip(analysis.effects.columns, [*row, *pair, *numbers], strict=True))

    rows = [
        effect("draw_rate", "b", 0.02, 0.01), effect("draw_rate", "c", -0.2, 0.01), effect("draw_rate", "d", 0.3, 0.9),
        effect("draw_rate", "c", 0.11, 0.02, "interaction"),
        effect("first_score", "b", 0.1, 0.8), effect("plies_mean", "d", -27.0, 0.001),
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=analysis.effects.columns)
    plan = with_keys(analysis.plan, question="draw_rate")
    changed = altered(analyse(trials, plan), effects=table)
    first, *items = (item for part in answered(changed) if isinstance(part, m.Bullets) for item in part.items)
    assert re.findall(r"Opening: (\w) .*?(\S+)\N{NO-BREAK SPACE}", f"{first} {items.pop(0)}") == [
        ("c", "−20.0"), ("b", "+2.0"), ("d", "−27.0"),
    ]  # fmt: skip
    words = "draws|score|Opening: . × Offside|Opening: d"
    assert [re.findall(words, item) for item in items[:3]] == [
        ["draws", "Opening: c × Offside"], ["draws", "Opening: d"], ["score"],
    ]  # fmt: skip


def test_without_a_baseline_the_first_score_is_told(analysis: Analysis) -> None:
    alone = altered(analysis, plan=with_keys(analysis.plan, baseline=""), comparisons=analysis.comparisons.iloc[:0])
    assert lead(alone).startswith("Under Rules of September 2007 the first player scores 55.5")


def test_a_change_of_sides_is_told_where_fairness_is_open(analysis: Analysis) -> None:
    cells, compared = analysis.cells.copy(), analysis.comparisons.copy()
    for name, score in (("chatra/2007-09", 0.625), ("chatra/C", 0.375)):
        cells.loc[cells["ruleset"] == name, ["first_score", "first_score_low", "first_score_high"]] = score
    compared.loc[(compared["ruleset"] == "chatra/C") & (compared["measure"] == "first_score"), "verdict"] = "lower"
    told = lead(altered(analysis, cells=cells, comparisons=compared))
    moved = (
        "The advantage moves from the first player to the second (63 % → 38 %); whether it is smaller cannot be told"
    )
    assert told.replace("\N{NO-BREAK SPACE}", " ").startswith(f"C: {moved} yet. None of the 6 proposals looks fairer")


def test_every_code_of_the_analysis_has_words_in_both_languages(analysis: Analysis) -> None:
    assert set(analysis.comparisons["verdict"]) | {"met", "missed", "fairer", "less_fair"} <= set(VERDICTS)
    assert set(analysis.comparisons["reason"]) <= set(REASONS)
    # Only experiments that adjudicate ask what would be without that.
    assert set(analysis.sensitivity["variant"]) | {"unadjudicated"} == set(VARIANT_TEXTS) == set(VARIANTS)
    assert set(analysis.cells["balance"]) | set(analysis.opening_lines["status"]) <= set(BALANCES)
    assert all([*WARNINGS.values(), *VARIANT_TEXTS.values(), *BALANCES.values()])


def warned(analysis: Analysis, rows: Iterable[tuple[Any, ...]], kind: str = "warning") -> list[str]:
    table = pd.DataFrame(rows, columns=analysis.warnings.columns)
    parts = answered(altered(analysis, warnings=table))
    return [part.text for part in parts if isinstance(part, m.Paragraph) and part.kind == kind]


def test_a_warning_of_many_cells_is_said_once(analysis: Analysis) -> None:
    cells = [(name, *pair) for name in analysis.plan.names for pair in analysis.plan.pairings]
    rows = [("few_games", *cell, "", 200.0, 1540.0, math.nan) for cell in cells]
    rows.append(("unsteady", "chatra/A", "greedy", "greedy", "plies", 9.0, math.nan, 1e-6))
    rows.append(("toggle_never_fired", "chatra/E", "", "", "object_into_centre", 0.0, math.nan, math.nan))
    rows.append(("equal_fingerprints", "chatra/E", "", "", "chatra/D", math.nan, math.nan, math.nan))
    # What random players show is decided.
    assert [text.partition(" ")[0] for text in warned(analysis, rows)] == ["All", "A", "E:", "E"]
    assert warned(analysis, rows)[0].startswith("All rulesets (greedy and alphabeta-2): 200 games")


def test_games_are_not_called_too_few_where_the_question_is_decided(analysis: Analysis) -> None:
    strongest = analysis.plan.pairings[-1]
    rows = [("few_games", name, *strongest, "", 200.0, 1540.0, math.nan) for name in analysis.plan.names]
    decided = altered(analysis, comparisons=analysis.comparisons.assign(verdict="more"))
    assert warned(analysis, rows) and warned(decided, rows) == []


def test_what_never_happened_is_said_in_a_sentence(analysis: Analysis) -> None:
    rows = [("event_never", "", "", "", name, 0.0, math.nan, math.nan) for name in ("drops", "slides")]
    *_, never = warned(analysis, rows, "note")
    assert never.startswith("Did not happen in any game: “") and never.count("“") == 2


def test_a_long_table_of_rulesets_is_folded() -> None:
    for count, folded in ((MOST_SHOWN, False), (MOST_SHOWN + 1, True)):
        plan = plan_from([ruleset(f"toy/{number}") for number in range(count)], [("greedy", "greedy")])
        section = run_section({"experiment": {}, "pairings": []}, Names(plan))
        assert [part.folded for part in section.parts if isinstance(part, m.Table)] == [folded]


TINY = Board((("●", ""), ("", "王")), ("a", "b"), ("1", "2"), frozenset({(0, 1)}), owners=((-1, -1), (-1, 1)))


# Text and numbers


def test_words_are_shown_in_both_languages_and_are_safe() -> None:
    shown = escape(bilingual(en="<b> & a", ja="い"))
    assert shown == '<span lang="en">&lt;b&gt; &amp; a</span><span lang="ja">い</span>'
    assert escape(untranslated("a < b")) == "a &lt; b" and escape(bilingual(en="A", ja="A")) == "A"
    assert Markup("<p>{}</p>").format(untranslated("<")) == "<p>&lt;</p>"


def test_numbers_say_what_is_not_known() -> None:
    assert (format_percent(0.123), format_percent(math.nan)) == ("12.3\N{NO-BREAK SPACE}%", "–")
    assert [format_signed(value) for value in (2.04, -2.06, 0.01, math.inf)] == ["+2.0", "−2.1", "±0.0", "∞"]
    assert format_difference(0.021, -0.01, 0.052) == "+2.1 (−1.0…+5.2)"
    assert (format_amount(12345.6), format_amount(math.inf), format_amount(math.nan)) == ("12,346", "∞", "–")
    assert format_interval(0.1, math.nan) == ""


# Boards


def test_pieces_are_defined_once_and_those_of_the_second_seat_point_down() -> None:
    pieces = Pieces()
    assert pieces.numbers(TINY) == [1, 0, 0, 2]
    assert pieces.number(("王", 0)) == 3
    assert pieces.numbers(TINY) == [1, 0, 0, 2]
    drawn = pieces.definitions()
    assert drawn.count("<g id=") == 3
    parts = dict(re.findall(r'<g id="piece-(\d)"(.*?)</g>', drawn))
    assert "rotate(180)" in parts["2"] and "rotate" not in parts["3"] and "王" in parts["3"]
    assert "<circle" in parts["1"], "fonts draw this sign in different sizes"
    page = board_svg(Board((("<", "♟"),), ("&", "b"), ("1",)), pieces)
    assert "&amp;</text>" in page and "&lt;" in pieces.definitions(), "symbols are never markup"
    assert "♟\ufe0e" in pieces.definitions(), "no sign turns into an emoji"


# Games to look at


def test_a_game_that_comes_out_otherwise_than_on_record_has_no_moves(
    trials: pd.DataFrame, provenance: dict[str, Any]
) -> None:
    reasons: Any = [[untranslated("x")]] * 2
    chosen = trials[trials["first"] == "greedy"].head(2).assign(reasons=reasons)
    chosen.loc[chosen.index[1], "game_hash"] = "0" * 16
    right, wrong = games.replay_games(chosen, AnalysisPlan.from_provenance(provenance), provenance["weights"])
    assert wrong.moves is None and right.moves is not None and len(right.seats()) == right.plies


def test_toggles_that_are_younger_than_the_record_have_their_defaults() -> None:
    ruleset = rulesets.load_ruleset("chatra/9x9").derive(object_area="/".join(["xxx......"] + ["........."] * 8))
    older = {name: setting for name, setting in ruleset.settings.items() if name != "stuck"}
    assert Ruleset.from_provenance({"game": "chatra", "settings": older}).codes() == ruleset.codes()


# Charts


def row(*marks: m.Mark, text: str = "", series: int = 0) -> m.Row:
    return m.Row("A", untranslated("A"), (m.Line(series, marks, untranslated(text)),))


def panel_of(scale: m.Scale, *rows: m.Row) -> Markup:
    return panel_svg(m.Panel(scale, rows), "label")


def test_unknown_values_leave_their_place_empty() -> None:
    unknown = (
        m.Bounds(math.nan, math.nan),
        m.Interval(math.nan, math.nan),
        m.Dot(math.nan),
        m.Exact(math.nan),
        m.Survival(()),
    )
    picture = panel_of(m.fit_scale([1.0], str), row(*unknown, text="no games yet"))
    assert "nan" not in picture and "no games yet" in picture


def test_many_rows_stand_between_two_axes_and_very_many_are_moved_past_under_one() -> None:
    scale = m.fit_scale([0.0, 1.0], str, even=0.5)
    drawn = [panel_of(scale, *[row(m.Dot(0.5))] * count) for count in (12, 13, 40, 41)]
    assert [picture.count("row axis") for picture in drawn[:2]] == [1, 2]
    assert ['class="window" tabindex="0" role="region" aria-labelledby' in each for each in drawn] == [False] * 3 + [
        True
    ]


# Strong play


SCORES = {"toy/base": 0.5, "toy/new": 0.65, "toy/same": 0.5}


@pytest.fixture(scope="module")
def strong_play() -> Analysis:
    """Games of six players at three budgets under three rulesets, of which one changes something."""
    players = specs()
    trials = records(
        lambda name, player, line: np.full(len(line), SCORES[name]), players, 3_000, 3_000, 3, tuple(SCORES)
    ).drop(columns="line")
    return analyse(trials, plan_of(players, names=tuple(SCORES)))


def with_verdicts(analysis: Analysis, **columns: Any) -> Analysis:
    return altered(analysis, strong_verdicts=analysis.strong_verdicts.assign(**columns))


@pytest.mark.thorough
def test_what_is_not_settled_says_what_would_tell(strong_play: Analysis) -> None:
    open_ones = with_verdicts(
        strong_play, verdict="not_settled", direction="", reason="strength", more_games=np.nan, next_positions=2.4e9
    )
    (table,) = strong_verdict_tables(Results.of(open_ones))
    assert isinstance(table, m.Table)
    assert "players with 18k nodes (at most 2,400,000,000 positions" in table.rows[0][1].small
    assert table.rows[0][2].text == "? cannot tell yet", "what is not settled is not called fairer either"
    for more, told in ((4.0, "about 4 times as many games"), (np.inf, "more than 64 times as many games")):
        unsure = with_verdicts(strong_play, verdict="not_settled", direction="", reason="games", more_games=more)
        assert told in reason_text(unsure.strong_verdicts.iloc[0].to_dict())


# The first screen


def screen(analysis: Analysis, **provenance: Any) -> tuple[str, dict[str, m.Finding]]:
    (findings,) = [part for part in answered(analysis, **provenance) if isinstance(part, m.Findings)]
    return lead(analysis), {str(each.name): each for each in findings.items}


def section(found: m.Section | None) -> m.Section:
    assert found is not None
    return found


def tables(parts: Iterable[m.Part]) -> list[m.Table]:
    return [part for part in parts if isinstance(part, m.Table)]


@pytest.mark.thorough
def test_changes_of_rules_have_the_cards_where_rulesets_combine_them() -> None:
    players = specs(nodes=(1_000, 3_000), trainings=(0, 1))
    settings = {f"toy/{a}{b}": {"first": a, "second": b} for a in "xy" for b in "pq"}
    rulesets = [ruleset(name, settings=each) for name, each in settings.items()]
    plan = plan_from(rulesets, [(one, one) for one in players], margin=0.04)
    trials = records(
        lambda name, player, line: np.full(len(line), 0.66 if name[4] == "x" else 0.55), players, 600, 600, 5,
        tuple(settings),
    ).drop(columns="line")  # fmt: skip
    analysis = analyse(trials, plan)
    _, cards = screen(analysis)
    assert list(cards) == ["yp", "xq"], "a card for each change, and none for both together"
    (pairs,) = tables(further_rule_tables(Results.of(analysis)))
    assert pairs.folded and {str(row[0].text) for row in pairs.rows} == {"yp with xq"}
    (effects, _) = tables(section(rule_effects_section(Results.of(analysis))).parts)
    assert [str(row[0].text) for row in effects.rows][:2] == ["yp", "xq"], "names alone"
    assert cards["yp"].certainty.text == "fairer, settled" and cards["xq"].certainty.text != "fairer, settled"


@pytest.mark.thorough
def test_the_answer_ranks_the_fairest_and_the_appendix_all(
    strong_play: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "RANKS_SHOWN", 3)
    assert tables(further_rule_tables(Results.of(strong_play))) == []
    monkeypatch.setattr(rules, "RANKS_SHOWN", 2)
    (shown,) = tables(section(rule_effects_section(Results.of(strong_play))).parts)
    assert {str(row[0].text) for row in shown.rows} == {"base", "same"}, "new favours the first player"
    assert "a table below" in shown.caption
    (every,) = tables(further_rule_tables(Results.of(strong_play)))
    assert every.folded and len(every.rows) == 3 and "a table below" not in every.caption


@pytest.mark.thorough
def test_what_more_games_cost_is_told_in_time_where_games_were_timed() -> None:
    players = specs(nodes=(1_000, 3_000), trainings=(0, 1, 2))
    trials = records(
        lambda name, player, line: np.full(len(line), 0.62 if name == "toy/base" else 0.5), players, 40, 40, 3
    )
    analysis = analyse(trials.drop(columns="line"), plan_of(players, margin=0.08, games=40))
    untimed = screen(analysis)[1]["new"].next_step
    wanted, games = (int(number) for number in re.findall(r"\d+", untimed.replace(",", "")))
    # Two rulesets, twelve players.
    assert wanted % 40 == 0 and games == (wanted - 40) * 24
    # 6 seconds each, by two workers.
    timed = screen(analysis, timed={"games": 400, "seconds": 2_400.0}, workers=2)[1]["new"].next_step
    assert f"{games:,} more games ({games * 6 // 2 // 60} min" in timed
    # Nobody is advised to wait for days.
    dear = screen(analysis, timed={"games": 400, "seconds": 2.4e6}, workers=2)[1]["new"]
    assert dear.next_step.startswith("Not worth more games") and dear.command == ""


@pytest.mark.parametrize(("chance", "verdict", "strong", "said"), [
    (0.99, "more", True, "fairer, settled"), (0.97, "more", False, "fairer, sure for these players"),
    (0.01, "less", True, "less fair, settled"), (0.9, "", True, "fairer, likely 90 %"),
    (0.1, "", False, "less fair, likely 90 %"), (0.7, "", True, "cannot tell yet"),
    (math.nan, "", True, "cannot tell yet"), (0.99, "same", True, "no difference that matters"),
])  # fmt: skip
def test_how_sure_an_effect_is_takes_one_of_four_words(chance: float, verdict: str, strong: bool, said: str) -> None:
    words = Words("fairer", "less fair", True)
    assert certainty(chance, verdict, words, strong).text.replace("\N{NO-BREAK SPACE}", " ") == said


def test_a_card_names_the_event_that_changes_most(analysis: Analysis, trials: pd.DataFrame) -> None:
    cards = screen(analysis)[1]
    assert [name for name, card in cards.items() if card.certainty.kind != "open"] == [next(iter(cards))] == ["D"]
    # By hand, from the records: the share of the plies before the fighting with the objects facing each other.
    strongest = trials[trials["first"] == "alphabeta-2"].groupby("ruleset", observed=True)
    facing = 100 * strongest["event_plies_facing"].sum() / strongest["event_early_plies"].sum()
    numbers = f"{facing['chatra/2007-09']:.1f} → {facing['chatra/D']:.1f} in 100 plies"
    assert "facing each other" in cards["D"].reason and cards["D"].reason.endswith(f"{numbers}.")
    assert cards["A"].reason == "Why not yet: too few games."


def test_other_questions_have_cards_without_good_and_bad() -> None:
    chance = np.random.default_rng(3)
    trials = [drawn(chance, 1_500, 0.5, draws, ruleset=name) for name, draws in (("toy/base", 0.1), ("toy/new", 0.3))]
    plan = plan_for("toy/base", "toy/new", games=1_500, question="draw_rate")
    text, cards = screen(analyse(pd.concat(trials, ignore_index=True), plan))
    assert "More draws than base: new (sure for these players)." in text
    card = cards["new"]
    assert (card.certainty.text, card.certainty.kind) == ("more draws, sure for these players", "")
    assert " → " in card.values


# Published results


ROOT = Path(__file__).resolve().parent.parent
COUNTS = "{first_wins: 772, draws: 8820, second_wins: 409}"
SHARES = "{first_score: 0.533, draw_rate: 0.844, games: 10000}"
Load = Callable[[str], Experiment]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Loads an experiment on two rulesets of chess with these published results."""

    def read(said: str) -> Experiment:
        path = tmp_path / "test.yaml"
        head = "title: T\nrulesets: [chess/orthodox, chess/torpedo]\nagents: [random]\ngames: 10\npublished: "
        path.write_text(head + said + "\n", encoding="utf-8")
        return experiment.load_experiment(path, Project(ROOT))

    return read


def results(base: str = COUNTS, other: str = SHARES, source: str = "source: S") -> str:
    return f"{{{source}, results: {{chess/orthodox: {base}, chess/torpedo: {other}}}}}"


def test_counts_and_shares_become_estimates_with_their_errors(load: Load) -> None:
    said = load(results()).published
    assert said is not None and said.source == "S" and said.players == ""
    score = said.results["chess/orthodox"]["first_score"]
    assert score.value == pytest.approx((772 + 4410) / 10001)
    # 772 wins at 1 - s, 8820 draws at ½ - s and 409 losses at -s from the mean, squared.
    by_hand = sum(n * (x - score.value) ** 2 for n, x in ((772, 1), (8820, 0.5), (409, 0))) / 10001
    assert score.error == pytest.approx(math.sqrt(by_hand / 10001))
    torpedo = said.results["chess/torpedo"]
    expected = (0.844, math.sqrt(0.844 * 0.156 / 10_000))
    assert (torpedo["draw_rate"].value, torpedo["draw_rate"].error) == pytest.approx(expected)
    # Of shares with draws, the score spreads as much as that of the counts that they stand for.
    counted = load(results(other="{first_wins: 1110, draws: 8440, second_wins: 450}")).published
    assert counted is not None
    assert torpedo["first_score"] == pytest.approx(counted.results["chess/torpedo"]["first_score"])


def test_an_interval_tells_its_error_and_a_share_alone_spreads_most(load: Load) -> None:
    said = load(results("{first_score: [0.50, 0.54]}", "{first_score: 0.5, games: 400}")).published
    assert said is not None
    base = said.results["chess/orthodox"]
    assert list(base) == ["first_score"]
    assert (base["first_score"].value, base["first_score"].error) == pytest.approx((0.52, 0.02 / 1.96), rel=1e-4)
    assert said.results["chess/torpedo"]["first_score"].error == pytest.approx(0.025)


def test_published_results_are_recorded_and_decide_no_game(load: Load) -> None:
    with_results = load(results())
    recorded = json.loads(json.dumps(with_results.canonical()["published"]))
    assert experiment_files.published_from_provenance(recorded) == with_results.published
    others = load(results("{first_score: 0.6, games: 10}", "{draw_rate: 0.1, games: 10}"))
    assert [cell.digest for cell in others.cells()] == [cell.digest for cell in with_results.cells()]


SHARE = "{first_score: 0.518, draw_rate: [0.88, 0.89], games: 10000}"
WRONG: list[tuple[str, str]] = [
    ("S", "expected keys of published, found 'S' (for instance {source: "),
    (results(source="sauce: S"), "published.sauce: expected a key of published, found the unknown key 'sauce'"),
    (results(source="sauce: S"), "published.source: expected this key, found none"),
    ("{source: S, results: {}}", "published.results: expected rulesets with their results"),
    (results("{first_wins: 5, draws: 3}"), f"such as {COUNTS} or {SHARE}"),
    (results("{first_wins: 0, draws: 0, second_wins: 0}"), f"or {SHARE}, found {{first_wins: 0, "),
    (results("{first_score: 0.5}"), f"{SHARE}, found {{first_score: 0.5}}"),
    (results("{first_score: 1.5, games: 10}"), "first_score: expected a share from 0 to 1, found"),
    (results("{first_score: [0.6, 0.5]}"), "expected [low, high] with low below high, found [0.6, 0.5]"),
    (results("{games: 10}"), f"{SHARE}, found {{games: 10}}"),
    (results("[1]"), "published.results.chess/orthodox: expected keys of published results, found a list"),
    (results().replace("torpedo", "torped"), "did you mean 'chess/torpedo'?"),
    (results().replace("orthodox", "007"), "expected results of the baseline chess/orthodox, found none"),
]


@pytest.mark.parametrize(("said", "message"), WRONG)
def test_what_is_wrong_is_said_with_its_place(load: Load, said: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load(said)
    assert any(message in problem and "test.yaml:5" in problem for problem in map(str, caught.value.problems))


def told(
    analysis: Analysis, base: PublishedEstimate, other: PublishedEstimate, ruleset: str
) -> tuple[pd.DataFrame, m.Section | None]:
    said = Published("S", {analysis.plan.baseline: {"first_score": base}, ruleset: {"first_score": other}}, "P")
    table = published_differences(said, analysis.comparisons, analysis.strong_verdicts.iloc[:0], analysis.plan)
    return table, section_of(table, said, Names(analysis.plan))


def clearest(analysis: Analysis) -> dict[str, Any]:
    scores = analysis.comparisons[analysis.comparisons["measure"] == "first_score"]
    sure = scores[((scores["low"] > 0) | (scores["high"] < 0)) & scores["difference"].notna()]
    return {str(name): value for name, value in sure.iloc[0].items()}


def test_a_published_difference_that_is_not_significant_has_no_direction(analysis: Analysis) -> None:
    ours = clearest(analysis)
    table, section = told(analysis, PublishedEstimate(0.5, 0.03), PublishedEstimate(0.55, 0.04), ours["ruleset"])
    assert not table["usable"].any() and set(table["agrees"]) == {""}
    assert section is not None
    assert tables(section.parts)[0].rows[0][1].small == "not significant: no direction"


def test_of_many_pairs_of_players_the_strongest_is_shown(analysis: Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strong, "MOST_COLUMNS", 1)
    ruleset = clearest(analysis)["ruleset"]
    _, section = told(analysis, PublishedEstimate(0.5, 0.003), PublishedEstimate(0.6, 0.004), ruleset)
    assert section is not None
    assert len(tables(section.parts)[0].heads) == 3 < 2 + len(analysis.plan.pairings)


def test_our_interval_around_0_decides_nothing(analysis: Analysis) -> None:
    scores = analysis.comparisons
    open_ones = scores[(scores["measure"] == "first_score") & (scores["low"] < 0) & (scores["high"] > 0)]
    ours = open_ones.iloc[0].to_dict()
    table, _ = told(analysis, PublishedEstimate(0.5, 0.001), PublishedEstimate(0.6, 0.001), ours["ruleset"])
    row = table[(table["first"] == ours["first"]) & (table["second"] == ours["second"])].iloc[0]
    assert row["usable"] and row["agrees"] == ""


def test_the_usable_directions_of_the_chess_paper() -> None:
    said = experiment.load_experiment(ROOT / "experiments" / "chess-proposals.yaml", Project(ROOT)).published
    assert said is not None
    base = said.results["chess/orthodox"]

    def usable(measure: str) -> dict[str, float]:
        apart = {
            name.removeprefix("chess/"): (each[measure].value - base[measure].value)
            / math.hypot(each[measure].error, base[measure].error)
            for name, each in said.results.items()
            if name != "chess/orthodox"
        }
        return {name: z for name, z in apart.items() if abs(z) > experiment_files.NORMAL_95}

    scores, draws = usable("first_score"), usable("draw_rate")
    assert len(scores) == 8 and "pawn-one-square" not in scores
    assert set(scores) - set(draws) == {"pawn-sideways", "self-capture"} and len(draws) == 6
    assert scores["torpedo"] == pytest.approx(16, abs=0.5) and draws["torpedo"] == pytest.approx(-29, abs=0.5)
