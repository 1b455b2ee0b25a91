"""Effects of single changes of rules in all kept reports: estimates from the tables beside their games, and wishes.

A change is one toggle from one setting to another. An estimate of its effect is the difference between two rulesets of
a report that differ in that toggle alone, by games of one pairing of players; of a search, what its model expects of
the change over its space. Further down is what they come to.

Limits: games under the same lines are taken as independent where a ruleset is compared with another one than the
baseline, which makes their intervals too wide rather than too narrow; records that were kept twice under other digests
count twice. Drawings of the user's own, such as start positions, are no change that other rules could make.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ndtr

from workbench import games
from workbench.base.errors import InputError, expected, input_error
from workbench.base.language import join_list, quoted, tr
from workbench.base.project import RESERVED_FOLDERS, SEARCHES, Project
from workbench.experiments.experiment import STRONG_NODES
from workbench.experiments.measures import FAIRNESS, FIRST_SCORE, MEASURES, PLIES, measure_by_name
from workbench.games.declaration import Setting, Toggle, equal_settings, setting_text
from workbench.games.drawings import Drawing
from workbench.rules import rulesets
from workbench.rules.ruleset_files import Library
from workbench.rules.rulesets import Ruleset
from workbench.rules.settings import setting_of_text, toggles_by_name
from workbench.statistics.intervals import Floats, Z, wilson

PLAIN = (FIRST_SCORE, "draw_rate", "plies_mean")
"""Measures in every report."""
CHANGE = ["game", "toggle", "before", "after"]
COLUMNS = ["source", *CHANGE, "measure", "players", "effect", "error", "games", "value", "rules", "strength"]
"""A row for each estimate. ``before`` and ``after``: as files write settings, in the order of the alphabet; ``effect``:
what the measure is more under ``after``, ``error`` its standard error; ``value``: the measure under ``before``;
``rules``: all settings of that ruleset; ``strength``: see `_strength`."""
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError)
"""Errors of files that are damaged, or not of a report."""
YARDSTICK = "random"
NODES_OF_DEPTH = 30
"""Positions that a search of one ply looks at, about; of two plies as many each."""
STANDARD_STRENGTH = sum(map(math.log2, STRONG_NODES)) / len(STRONG_NODES)
"""The strength of the standard players of a search."""


SUMMARY = [
    *("ruleset", "first", "second", "games", "unfinished", "first_wins", "second_wins"),
    *(f"{name}{end}" for name in PLAIN for end in ("", "_low", "_high")),
]
"""The columns of ``summary.csv`` that are read: those of events are two hundred."""


def kept_estimates(folders: Iterable[Path], project: Project, game: str = "") -> pd.DataFrame:
    """Return the estimates of all reports in some folders, and of searches in ``searches/`` within them; see `COLUMNS`.

    A report is a folder with ``provenance.json`` and ``summary.csv``. One whose files cannot be read is left out, and
    one with the same records as another. Rulesets that are told by fingerprint alone are looked up in the project.
    ``game``: estimates of this game alone.
    """
    library = Library(project)
    parts: list[pd.DataFrame] = []
    seen: set[str] = set()
    for folder in folders:
        for path in sorted(folder.glob("*/provenance.json")):
            if path.parent.name in RESERVED_FOLDERS:
                continue
            try:
                provenance = json.loads(path.read_text("utf-8"))
                records = str(provenance.get("digests") or path)
                if records not in seen:
                    parts.append(_report_estimates(path.parent, provenance, library, game))
                    seen.add(records)
            except UNREADABLE:
                continue
        for path in sorted((folder / SEARCHES).glob("*/effects.csv")):
            try:
                parts.append(_search_estimates(path.parent, library, game))
            except UNREADABLE:
                continue
    kept = [part for part in parts if len(part)]
    return pd.concat(kept, ignore_index=True) if kept else pd.DataFrame(columns=COLUMNS)


def _report_estimates(folder: Path, provenance: Mapping[str, Any], library: Library, game: str) -> pd.DataFrame:
    known = dict(_kept_settings(provenance, library, game))
    summary = pd.read_csv(folder / "summary.csv", usecols=SUMMARY)
    summary["players"] = summary["first"].where(
        summary["first"] == summary["second"], summary["first"] + " : " + summary["second"]
    )
    if (summary["players"] != YARDSTICK).any():
        summary = summary[summary["players"] != YARDSTICK]
    cells = {name: rows.set_index("players") for name, rows in summary.groupby("ruleset")}
    baseline = provenance["experiment"]["baseline"]
    strengths = {
        _players(pair): (_strength(pair["first_options"]) + _strength(pair["second_options"])) / 2
        for pair in provenance["pairings"]
    }
    tables = [path for path in (folder / "tables" / "comparisons.csv", folder / "comparisons.csv") if path.exists()]
    compared = _comparisons(pd.read_csv(tables[0])) if tables else {}
    rows: list[list[Any]] = []
    for one, other in itertools.combinations([name for name in known if name in cells], 2):
        (game, a), (other_game, b) = known[one], known[other]
        differing = [name for name in a if game == other_game and not equal_settings(a[name], b[name])]
        if len(differing) != 1 or _is_drawn(game, differing[0], a, b):
            continue
        toggle, texts = differing[0], (setting_text(a[differing[0]]), setting_text(b[differing[0]]))
        before, after = (one, other) if texts[0] <= texts[1] else (other, one)
        sign = {after: 1, before: -1}
        for players in cells[one].index.intersection(cells[other].index):
            was, now = (_summary_values(cells[name].loc[players]) for name in (before, after))
            found = {name: (now[name][0] - was[name][0], math.hypot(now[name][1], was[name][1]), was[name][0])
                     for name in was}  # fmt: skip
            found[FAIRNESS] = _fairer(found[FIRST_SCORE])
            if baseline in (one, other):
                proposal = other if baseline == one else one
                for name, (difference, error, value) in compared.get((proposal, players), {}).items():
                    found[name] = sign[proposal] * difference, error, value
            count = int(min(cells[one].loc[players, "games"], cells[other].loc[players, "games"]))
            rows += [
                [folder.name, game, toggle, *sorted(texts), name, players, *numbers[:2], count, numbers[2],
                 known[before][1], strengths[players]]
                for name, numbers in found.items()
            ]  # fmt: skip
    return _usable(rows)


def _is_drawn(game: str, name: str, *settings: Mapping[str, Setting]) -> bool:
    """Return whether a toggle is a drawing of the user's own in any of some rules."""
    toggle = games.declaration(game).toggle(name)
    return isinstance(toggle, Drawing) and any(toggle.is_drawn(each[name]) for each in settings)


def _players(pair: Mapping[Any, Any]) -> str:
    """Return a pairing in a word: the player, or both."""
    first, second = str(pair["first"]), str(pair["second"])
    return first if first == second else f"{first} : {second}"


def _strength(options: Mapping[str, Any]) -> float:
    """Return the strength of a player: doublings of the nodes of a move; of a depth, about so many."""
    if nodes := options.get("nodes"):
        return math.log2(nodes)
    return math.log2(NODES_OF_DEPTH) * (options.get("depth") or (0 if options.get("kind") == YARDSTICK else 1))


def _usable(rows: Sequence[Sequence[Any]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=COLUMNS)
    finite = np.isfinite(table[["effect", "error"]].to_numpy(dtype=float)).all(axis=1)
    usable: pd.DataFrame = table[finite & (table["error"] > 0)]
    return usable


def _fairer(score: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return by how much a difference brings a score nearer to one half."""
    difference, error, value = score
    return abs(value - 0.5) - abs(value + difference - 0.5), error, abs(value - 0.5)


def _summary_values(cell: pd.Series) -> dict[str, tuple[float, float]]:
    """Measures of a cell with their standard errors, from its counts and intervals."""
    values = {name: (float(cell[name]), float(cell[f"{name}_high"] - cell[f"{name}_low"]) / (2 * Z)) for name in PLAIN}
    played = float(cell["games"])
    counts = {"capped_rate": cell["unfinished"], "decisive_rate": cell["first_wins"] + cell["second_wins"]}
    for name, count in counts.items():
        low, high = wilson(float(count), played)
        values[name] = float(count) / played, float(high - low) / (2 * Z)
    return values


def _comparisons(table: pd.DataFrame) -> dict[tuple[str, str], dict[str, tuple[float, float, float]]]:
    """Differences from the baseline with standard errors and the baseline's value, by ruleset and players."""
    found: dict[tuple[str, str], dict[str, tuple[float, float, float]]] = {}
    for row in table.to_dict("records"):
        players = _players(row)
        error = (row["high"] - row["low"]) / (2 * Z)
        numbers = float(row["difference"]), float(error), float(row["baseline_value"])
        found.setdefault((str(row["ruleset"]), players), {})[str(row["measure"])] = numbers
    return found


def _kept_settings(
    provenance: Mapping[str, Any], library: Library, game: str
) -> Iterator[tuple[str, tuple[str, Mapping[str, Setting]]]]:
    """Yield the game and all settings of each ruleset of a report, as its family knows them now."""
    listed = provenance["rulesets"]
    for entry in listed if isinstance(listed, list) else []:
        if entry["game"] in games.names() and game in ("", entry["game"]):
            defaults = games.declaration(entry["game"]).defaults()
            if set(entry["settings"]) <= set(defaults):
                yield entry["name"], (entry["game"], {**defaults, **entry["settings"]})
    for name, fingerprint in listed.items() if isinstance(listed, dict) else []:
        ruleset = _looked_up(name, library) if name.startswith(game) else None
        if ruleset is not None and ruleset.fingerprint == fingerprint:
            yield name, (ruleset.game, ruleset.settings)


def _looked_up(name: str, library: Library) -> Ruleset | None:
    """The ruleset of a name, also of one that an experiment varied: ``chatra/2008-02 stuck=loss, subjects=7``."""
    base, _, varied = name.partition(" ")
    try:
        ruleset = rulesets.load_ruleset(base, library=library)
        toggles = games.declaration(ruleset.game)
        pairs = (part.partition("=") for part in varied.split(", ") if part)
        changes = {name: setting_of_text(toggles.toggle(name), text) for name, _, text in pairs}
        return rulesets.derive_ruleset(ruleset, changes, name, "") if changes else ruleset
    except (InputError, KeyError):
        return None


def _search_estimates(folder: Path, library: Library, wanted: str) -> pd.DataFrame:
    """Return the effects that the model of a search expects of each change, over its space."""
    kept = json.loads((folder / "search.json").read_text("utf-8"))
    base = _looked_up(str(kept["base"]), library)
    if base is None or wanted not in ("", base.game):
        return pd.DataFrame(columns=COLUMNS)
    game, toggles = base.game, toggles_by_name(games.declaration(base.game))
    players = ", ".join((kept.get("result") or {}).get("players", []))
    rows: list[list[Any]] = []
    for row in pd.read_csv(folder / "effects.csv", dtype={"level": str, "beside": str}).to_dict("records"):
        if row["factor"] not in toggles:
            continue
        texts = (str(row[name]) for name in ("level", "beside"))
        level, beside = (text.lower() if text in ("True", "False") else text for text in texts)
        sign = 1 if beside <= level else -1
        for column, measure in ((FIRST_SCORE, FIRST_SCORE), ("draw_rate", "draw_rate"), (PLIES, "plies_mean")):
            error = (row[f"{column}_high"] - row[f"{column}_low"]) / (2 * Z)
            rows.append([f"{SEARCHES}/{folder.name}", game, row["factor"], *sorted((beside, level)), measure, players,
                         sign * row[column], error, kept["budget"]["strong"], math.nan, base.settings,
                         STANDARD_STRENGTH])  # fmt: skip
    return _usable(rows)


RULES, STRENGTH = 1.0, 6.0
"""Other toggles, and doublings of the nodes of a move, over which deviations become e times less alike."""
LEAST = 2.0
"""The least standard deviation of effects and of deviations, in differences that matter."""
REPORT = 1.0
"""The standard deviation of what all estimates of a report have in common, such as its lines, in the same unit."""
CLAIM = 0.84
"""The least probability of a direction that is reported: about one standard deviation."""

Rules = Mapping[str, Setting]


@dataclass(frozen=True)
class Effect:
    """The expected effect of a change on a measure: mean and standard deviation, and the difference that matters."""

    value: float
    spread: float
    unit: float

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.value - Z * self.spread

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.value + Z * self.spread

    def chance(self, direction: int) -> float:
        """Return the probability that the measure moves in a direction, 1 or -1."""
        return float(ndtr(direction * self.value / self.spread))

    @property
    def beyond(self) -> float:
        """By how many differences that matter it is expected to be larger than one of them."""
        mean, spread = abs(self.value) / self.unit - 1, self.spread / self.unit
        density = math.exp(-((mean / spread) ** 2) / 2) / math.sqrt(2 * math.pi)
        return float(mean * ndtr(mean / spread) + spread * density)


@dataclass(frozen=True)
class Change:
    """A change of one toggle, and what is known of it."""

    game: str
    toggle: Toggle
    before: Setting
    after: Setting
    effects: Mapping[str, Effect]
    """By measure."""
    sources: tuple[str, ...]
    """The reports that it stands in."""
    players: tuple[str, ...]
    """The players, the strongest last."""
    games: int
    """Games under rulesets with the change; of a search all of its games."""
    gain: float = field(default=0.0, compare=False)
    """The gain by a wish: wanted effects in differences that matter, less unwanted ones."""
    chance: float = field(default=math.nan, compare=False)
    """The probability that all that is wanted moves in its direction."""

    def turned(self) -> Change:
        """Return the change in the other direction."""
        effects = {name: replace(effect, value=-effect.value) for name, effect in self.effects.items()}
        return replace(self, before=self.after, after=self.before, effects=effects)


class Model:
    """The estimates of one measure in one game, by change, and the variances that make them most likely."""

    def __init__(self, table: pd.DataFrame) -> None:
        """``table``: rows of `kept_estimates` of one game and measure."""
        measure = measure_by_name(str(table["measure"].iloc[0]))
        usual = float(table["value"].abs().mean())
        self.unit = measure.margin * (usual if measure.relative and usual > 0 else 1.0)
        self.groups = {tuple(map(str, key)): _Group(rows, self.unit) for key, rows in table.groupby(CHANGE)}
        squares = [np.mean(group.effects**2 - group.variances) for group in self.groups.values()]
        self.scale = max(LEAST, math.sqrt(max(0.0, float(np.median(squares)))))

    def effect(self, change: tuple[str, ...], rules: Rules, strength: float) -> Effect:
        """Return the expected effect of a change beside some rules, between players of a strength."""
        mean, deviation = self.groups[change].expected(rules, strength, self.scale)
        return Effect(self.unit * mean, self.unit * deviation, self.unit)


class _Group:
    """The estimates of one change, in differences that matter; those of like players of one report are one."""

    def __init__(self, rows: pd.DataFrame, unit: float) -> None:
        rows = rows.assign(
            weight=1 / rows["error"] ** 2, among=[id(each) for each in rows["rules"]], level=rows["strength"].round()
        )
        values, self.rules, strengths, sources = [], list[Rules](), [], []
        for (source, _, _), alike in rows.groupby(["source", "among", "level"]):
            weight = float(alike["weight"].sum())
            values.append((float((alike["weight"] * alike["effect"]).sum()) / weight, 1 / weight))
            self.rules.append(alike["rules"].iloc[0])
            strengths.append(float(alike["strength"].mean()))
            sources.append(source)
        self.toggle = str(rows["toggle"].iloc[0])
        self.strengths = np.array(strengths)
        self.effects, self.variances = (np.array(values) / [unit, unit**2]).T
        names = np.array(sources, dtype=str)
        self.same_report = names[:, None] == names[None, :]
        self.alike = np.array([self._alike(*each) for each in zip(self.rules, strengths, strict=True)])

    def _alike(self, rules: Rules, strength: float) -> Floats:
        """Return the correlation of the deviations of each estimate with the deviation for some rules and players."""
        apart = {id(one): _toggles_apart(one, rules, self.toggle) for one in self.rules}
        toggles = np.array([apart[id(one)] for one in self.rules])
        return np.asarray(np.exp(-toggles / RULES - np.abs(self.strengths - strength) / STRENGTH))

    def expected(self, rules: Rules, strength: float, scale: float) -> tuple[float, float]:
        """Mean and standard deviation of the effect beside some rules."""
        across = scale**2 * (1 + self._alike(rules, strength))
        covariance = scale**2 * (1 + self.alike) + REPORT**2 * self.same_report + np.diag(self.variances)
        factor = cho_factor(covariance, lower=True)
        gain = cho_solve(factor, across)
        variance = 2 * scale**2 + REPORT**2 - float(gain @ across)
        return float(gain @ self.effects), math.sqrt(max(variance, 1e-12))


def _toggles_apart(one: Rules, other: Rules, changed: str) -> float:
    """Return how many other toggles two rulesets set differently; a number counts by its ratio."""
    total = 0.0
    for name in one.keys() | other.keys():
        a, b = one.get(name), other.get(name)
        if name == changed or (a is not None and b is not None and equal_settings(a, b)):
            continue
        numbers = all(isinstance(each, int | float) and not isinstance(each, bool) and each > 0 for each in (a, b))
        total += min(2.0, 2 * abs(math.log2(a / b))) if numbers else 1.0  # type: ignore[operator]
    return total


def known_changes(estimates: pd.DataFrame, base: Ruleset, measures: Sequence[str]) -> list[Change]:
    """All changes of a game with what is expected of them beside a ruleset, between the strongest who played."""
    own = estimates[estimates["game"] == base.game]
    if own.empty:
        return []
    wanted = own[own["measure"].isin(measures)]
    models = {str(name): Model(rows) for name, rows in wanted.groupby("measure")}
    strongest, family = float(own["strength"].max()), games.declaration(base.game)
    changes = []
    for key, rows in own.groupby(CHANGE):
        change = tuple(map(str, key))
        toggle = family.toggle(change[1])
        known = {name: model for name, model in models.items() if change in model.groups}
        effects = {name: model.effect(change, base.settings, strongest) for name, model in known.items()}
        changes.append(
            Change(
                base.game, toggle, setting_of_text(toggle, change[2]), setting_of_text(toggle, change[3]), effects,
                tuple(sorted(rows["source"].unique())),
                tuple(dict.fromkeys(rows.sort_values("strength", kind="stable")["players"])),
                int(rows.groupby("measure")["games"].sum().max()),
            )
        )  # fmt: skip
    return changes


def serve(wish: Wish, changes: Iterable[Change], base: Ruleset | None = None) -> list[Change]:
    """The changes that are expected to serve a wish, the best first; with ``base`` only those of its own settings.

    What is wanted counts by its expected effect in differences that matter. What should stay costs as much as it is
    expected to change by more than one of these.
    """
    served = []
    for change in (one for each in changes for one in (each, each.turned())):
        if not {*wish.toward, *wish.keep} <= set(change.effects):
            continue
        if base is None or equal_settings(base.settings[change.toggle.name], change.before):
            wanted = [(direction, change.effects[name]) for name, direction in wish.toward.items()]
            gain = sum(direction * effect.value / effect.unit for direction, effect in wanted)
            gain -= sum(change.effects[name].beyond for name in wish.keep)
            if gain > 0:
                chance = math.prod(effect.chance(direction) for direction, effect in wanted)
                served.append(replace(change, gain=gain, chance=chance))
    return sorted(served, key=lambda change: -change.gain)


# Wishes

MORE, LESS, SAME = 1, -1, 0
Thing = TypeVar("Thing", str, int)
MEASURE_WORDS: Mapping[str, str] = {
    FAIRNESS: r"fair(?:er|ness)?|balanced?|even(?:er)?|公平|五分|互角",
    FIRST_SCORE: r"first(?: player| mover| move)?|opening advantage|先手|先番|先攻",
    "draw_rate": r"draws?|drawn|ties?|引き分け|引分け?|ドロー",
    "capped_rate": r"unfinished|endless|never end\w*|終わらない|打ち切り",
    "decisive_rate": r"decisive|winners?|decided|決着|勝敗",
    "plies_mean": r"lengths?|long(?:er)?|short(?:er)?|plies|duration|quick(?:er)?|長さ|手数|長く|長い|短く|短い|時間",
    "legal_moves": r"legal moves|choices?|options|合法手|選択肢",
    "variety": r"var(?:iety|ied)|openings|多様|変化",
}
"""The words for each measure: regular expressions, of whole words where letters are Latin."""
DIRECTION_WORDS: Mapping[int, str] = {
    SAME: r"same|keep\w*|unchanged|as (?:long|many|much)|equal|同じ|そのまま|変え|保|維持",
    LESS: r"fewer|less|lower|shorter|short|quick(?:er)?|reduce\w*|decrease\w*|rarer|no|without|avoid|"
    r"少な|減|短|下げ|低|抑え|なし|無し|なく",
    MORE: r"more|higher|longer|increase\w*|raise\w*|多く|多い|増|長く|高|上げ",
}
"""The words for directions; a word such as "shorter" is both a measure and a direction."""
IMPLIED = (FAIRNESS, "decisive_rate", "variety")
"""Measures of which more is meant where no direction is said."""
FORMAL: Mapping[str, int] = {"more": MORE, "less": LESS, "same": SAME}


@dataclass(frozen=True)
class Wish:
    """A wish: what should change, and what should not."""

    toward: Mapping[str, int]
    """Measure -> `MORE` or `LESS`."""
    keep: tuple[str, ...] = ()
    """Measures that should stay as they are."""


def read_wish(text: str) -> Wish:
    """Return the wish of a sentence.

    Raises:
        InputError: a part of it says no measure, no direction, or nothing should change.

    >>> read_wish("fewer draws, same length")
    Wish(toward={'draw_rate': -1}, keep=('plies_mean',))
    >>> read_wish("引き分けを減らしたい").toward, read_wish("plies:less, fairness:more").toward
    ({'draw_rate': -1}, {'plies_mean': -1, 'fairness': 1})
    """
    said: dict[str, int] = {}
    for clause in re.split(r"[,;、，。]|\b(?:and|but|with)\b", text):
        if clause.strip():
            said |= _clause(clause.strip())
    toward = {measure: direction for measure, direction in said.items() if direction != SAME}
    if not toward:
        raise _problem(text)
    return Wish(toward, tuple(measure for measure in said if measure not in toward))


def _clause(text: str) -> dict[str, int]:
    """Measures and directions of a clause, the first measure with the first direction."""
    if formal := re.fullmatch(r"(\w+)\s*[:：]\s*(more|less|same)", text):
        return {_measure(formal[1], text): FORMAL[formal[2]]}
    measures, directions = _matches(MEASURE_WORDS, text), _matches(DIRECTION_WORDS, text)
    implied = [one for one in measures if one in IMPLIED] if len(directions) < len(measures) else []
    spoken = [one for one in measures if one not in implied]
    if not measures or len(spoken) != len(directions):
        raise _problem(text)
    return dict(zip(spoken, directions, strict=True)) | dict.fromkeys(implied, MORE)


def _measure(name: str, text: str) -> str:
    by_key = {one.question_key: one.name for one in MEASURES.values()} | {name: name for name in MEASURES}
    try:
        return by_key.get(name) or measure_by_name(name).name
    except ValueError:
        raise _problem(text) from None


def _matches(words: Mapping[Thing, str], text: str) -> list[Thing]:
    """Return the names that match, each once, in the order of the text."""
    places: dict[Thing, int] = {}
    for thing, pattern in words.items():
        # Latin words are whole; signs of Japanese stand in a row with others.
        if match := re.search(rf"(?<![a-z])(?:{pattern})(?![a-z])", text, re.IGNORECASE):
            places[thing] = match.start()
    return sorted(places, key=lambda thing: places[thing])


def _problem(text: str) -> InputError:
    message = expected(tr("wishes such as “fewer draws, same length”"), quoted(text))
    hint = tr("measures, with :more, :less or :same, are {names}", names=join_list(list(MEASURES)))
    return input_error(message, hint)
