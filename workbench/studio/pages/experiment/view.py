"""An experiment and its costs as plain data in one language, for ``experiment.js``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from workbench import games
from workbench.base import yamlfile
from workbench.base.errors import InputError, display_path
from workbench.base.language import COMMA, in_all, join, sentences, strip_period, tr, trc
from workbench.experiments import measures
from workbench.experiments.experiment import Experiment
from workbench.players.agent_kinds import KINDS, LEARNED, NET, OWN, SHARED
from workbench.report.labels import ruleset_labels
from workbench.rules import edits
from workbench.rules.rulesets import is_tried, with_saved_titles
from workbench.runs.executor import format_duration
from workbench.studio.documents import plain_item, plain_number, plain_word
from workbench.studio.documents.experiments import (
    NEW_QUESTION,
    QUICK_PLAYERS,
    ExperimentDocument,
    common_base,
    compared_title,
)
from workbench.studio.documents.rulesets import DraftStore
from workbench.studio.opponents import LEARNED_TOO, OFFERED_PLAYERS, SIZES, pair_name, players_view
from workbench.studio.visitor import View, Visitor, problem_view

if TYPE_CHECKING:
    from workbench.games.declaration import Named

USUAL_QUESTIONS = ("first_score", "draw_rate", "plies", "variety", "decisive", "legal_moves")
"""Questions shown first; others, such as events of the game, follow on request."""
WISHES: Mapping[str, str] = {
    "file": tr("As it stands"),
    "precision": tr("Each score to ±{size} points"),
    "gain": tr("A gain in fairness of {size} points is detected (80 %)"),
    "difference": tr("A difference of {size} points is detected (80 %)"),
    "equality": tr("Equivalence to within ±{size} points is shown (80 %)"),
}
COMPARING = ("gain", "difference")
"""Kinds of wishes that concern a difference between rulesets."""
ADVISED_SIZE = 0.05
"""The recommended difference to detect."""


def choices_view(store: DraftStore, visitor: Visitor) -> View:
    """Return the games, rulesets and players that can be chosen while the page is open."""
    families = [games.declaration(name) for name in games.names() if name in store.games()]
    rulesets = [
        {"name": item.name, "own": item.name.partition("/")[2], "game": family.name, "title": item.heading}
        for family in families
        for item in store.family_rulesets(family.name)
    ]
    return {
        "games": visitor.localize([{"name": family.name, "title": family.title} for family in families]),
        "rulesets": visitor.localize(rulesets),
        "players": players_view(OFFERED_PLAYERS, visitor),
    }


def experiment_view(document: ExperimentDocument, visitor: Visitor) -> View:
    """Return the state of the page."""
    reading = document.read()
    loaded, title, pairs = reading.experiment, reading.title, len(reading.list_items("pairings"))
    # Before the first choice, an empty list is not an error.
    ticked = [plain_word(name) for name in reading.list_items("rulesets")]
    is_incomplete = document.new and not ticked and {problem.key for problem in reading.problems} == {"rulesets"}
    played = [name for name in dict.fromkeys(name.partition("/")[0] for name in ticked) if name in games.names()]
    question = plain_word(reading.keys.get("question")) or measures.FIRST_SCORE
    file = display_path(document.path)
    baseline = loaded.baseline if loaded else plain_word(reading.keys.get("baseline")) or (ticked or [""])[0]
    base = common_base(document.project, ticked)
    varied = len(loaded.levels) if loaded else 0
    labels = ruleset_labels(with_saved_titles(loaded.rulesets, document.project)) if loaded else {}
    view = {
        **document.view(),
        "title": NEW_QUESTION if title in _UNNAMED[1:] else title,
        "proposed": {
            "title": compared_title(loaded) if loaded and title in _UNNAMED else title,
            "name": document.proposed_name(ticked, baseline),
        },
        "base": "" if base in ticked else base,
        "begins": is_incomplete,
        "problems": [] if is_incomplete else [problem_view(problem, visitor, own=file) for problem in reading.problems],
        "rulesets": ticked,
        "labels": {name: label for name, label in labels.items() if is_tried(name)},
        "baseline": baseline,
        "varied": varied and tr("`vary` adds {count} rulesets.", count=varied),
        "agents": _agent_views(document),
        "pairs": pairs and tr("The file adds {count} pairs of players.", count=pairs),
        "question": question,
        "questions": [
            {"name": name, "title": text, "usual": name in USUAL_QUESTIONS or name == question}
            for name, text in _questions(loaded.families() if loaded else played, question)
        ],
        "games": plain_number(reading.keys.get("games")),
        "size": _size(loaded) if loaded else "",
        "quick": loaded is not None and {spec.label for pair in loaded.pairings for spec in pair} <= set(QUICK_PLAYERS),
    }
    return visitor.localize(view)


ONCE_A_GAME = {
    "limits_ended_by_check", "limits_ended_by_centre", "mates_given", "self_mates", "turns_cut_short", "counts",
}  # fmt: skip
"""Events that occur at most once per game or count plies; only their share of games makes sense."""
_UNNAMED = ("", *in_all(NEW_QUESTION))
"""Titles that are replaced by a proposed title."""


def _agent_views(document: ExperimentDocument) -> list[View]:
    try:
        items = edits.list_items(document.text, "agents")
    except InputError:
        return []
    return [
        {"place": i, "label": plain_item(item), "sentence": _describe_players(item)} for i, item in enumerate(items)
    ]


def _describe_players(yaml: str) -> str:
    """Describe players that YAML gives by their kind and options; "" if it gives none."""
    try:
        item = yamlfile.parse_yaml(f"x: {yaml}", "").descendant("x").plain()
    except InputError:
        return ""
    name, options = next(iter(item.items())) if isinstance(item, dict) and len(item) == 1 else ("", None)
    if name not in KINDS or not isinstance(options, dict):
        return ""
    size = next((size for size in SIZES if size in options and size in KINDS[name].offered), None)
    if size is None:
        return ""
    sizes, evaluations = (x if isinstance(x, list) else [x] for x in map(options.get, (size, "evaluation")))
    texts = [
        KINDS[name].offered[size].format(n=join(COMMA, [f"{n:,}" if isinstance(n, int) else str(n) for n in sizes]))
    ]
    if LEARNED in evaluations:
        texts.append(
            tr("With the game's own evaluation, and with weights learned for each ruleset.")
            if OWN in evaluations
            else LEARNED_TOO
        )
    if SHARED in evaluations:
        texts.append(tr("With the same weights under all rulesets, learned from games played under all of them."))
    if NET in evaluations:
        texts.append(tr("With a small network added to the weights learned for each ruleset; training takes longer."))
    return sentences(texts)


def _questions(families: Iterable[str], current: str) -> Iterable[tuple[str, str]]:
    """Yield the sensible questions about the games, and the chosen question, with their texts."""
    families = list(families)
    possible = measures.possible_questions(families)
    events = {event.name: event for game in families[:1] for event in games.declaration(game).events}
    sentences = {name: strip_period(event.sentence) for name, event in events.items()} | {
        measures.PLIES: trc("shelf words", "plies")
    }
    for name in possible:
        measure = measures.measure_for_question(name, sentences.__getitem__)
        if (text := measure.studio_question) and (name == current or is_sensible(measure, events)):
            yield name, text
    if current not in possible:
        yield current, current


def is_sensible(measure: measures.Measure, events: Mapping[str, Named]) -> bool:
    """Return True if a measure makes sense for its event; an event counted per another event needs a ratio."""
    if not measure.event or measure.per:
        return True
    if measure.event in ONCE_A_GAME:
        return measure.is_share
    per = events[measure.event].per
    return not per or (per == measures.PLIES and not measure.is_share)


def _size(loaded: Experiment) -> str:
    text = tr("{rulesets} rulesets × {players} players × {games} games = {total} games")
    if loaded.sequential:
        text = tr("{rulesets} rulesets × {players} players × at most {games} games = at most {total} games")
    return text.format(
        rulesets=f"{len(loaded.rulesets):,}", players=f"{len(loaded.pairings):,}",
        games=f"{loaded.games:,}", total=f"{len(loaded.cells()) * loaded.games:,}",
    )  # fmt: skip


def costs_view(plan: Mapping[str, Any], visitor: Visitor) -> View:
    """Return the result of `tryouts.plan_costs` in words."""
    relevant = [wish for wish in plan["wishes"] if wish["size"] == ADVISED_SIZE and wish["all_games"] is not None]
    recommended = [wish for wish in relevant if wish["kind"] in COMPARING] or relevant
    return visitor.localize(
        {
            "paces": [
                {
                    "players": pair_name(pace["first"], pace["second"]),
                    "games": f"{pace['games']:,}",
                    "speed": f"{speed:,.0f}" if (speed := 1 / pace["seconds"]) >= 100 else f"{speed:.3g}",
                    "draws": f"{100 * pace['draw_rate']:.0f} %",
                    "plies": f"{pace['plies']:.0f}",
                }
                for pace in plan["paces"]
            ],
            "wishes": [
                {
                    "what": WISHES[wish["kind"]].format(size=f"{100 * wish['size']:.3g}"),
                    "games": f"{games:,}" if games is not None else trc("shelf words", "no number suffices"),
                    "time": visitor.translate(format_duration(wish["seconds"])) if games is not None else "",
                    "take": games if wish["kind"] != "file" else None,
                    "advised": wish["kind"] == "file" or wish in recommended,
                }
                for wish in plan["wishes"]
                for games in [wish["all_games"]]
            ],
            "workers": tr("Time, {n} workers", n=plan["workers"]),
            "notes": plan["notes"],
        }
    )
