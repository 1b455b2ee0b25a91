"""Games of a report folder: which of them are wanted, and each as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench import games
from workbench.errors import InputError, Problem, display_path, guess, input_error
from workbench.language import OR, tr
from workbench.play import match
from workbench.questions.agents import AgentSpec
from workbench.questions.rulesets import Ruleset
from workbench.report.reading import read_report_trials, read_run_provenance
from workbench.run.executor import Executor
from workbench.run.worker import Call
from workbench.statistics import AnalysisPlan


@dataclass(frozen=True)
class GameSelection:
    """Games that somebody asks for; what is left open is not asked."""

    ruleset: str = ""
    """Its name, or what stands behind the family in it."""
    first: str = ""
    second: str = ""
    numbers: Sequence[int] = ()
    """Games of each cell, from 1."""
    result: str = ""
    ending: str = ""
    count: int = 20
    """Games of each cell, the first ones that are asked for."""


@dataclass
class GameExport:
    """The games of a folder as text, in their order: by ruleset, pairing and number."""

    kind: str
    texts: Iterator[list[str | None]]
    """Block by block; None is a game that this version of the workbench does not play from its seed any more."""
    count: int
    rulesets: list[Ruleset]
    players: list[AgentSpec]

    @property
    def families(self) -> set[str]:
        """Whose games they are."""
        return {ruleset.game for ruleset in self.rulesets}


def export_formats(families: set[str]) -> dict[str, str]:
    """What games of all these families can be written as: the name of a format, and how it is written."""
    own = {getattr(games.notation(family), "EXPORT", "") for family in families if family in games.names()}
    exchanged = {kind.lower(): kind for kind in own if kind and len(own) == 1}
    return exchanged | {match.JSON: "JSON", match.TEXT: "text"}


def export_games(folder: Path, wanted: GameSelection, kind: str, workers: int | None = None) -> GameExport:
    """Plays the wanted games of a folder again.

    Raises:
        InputError: there is nothing of that name in the folder, and what there is; or no such games.
    """
    provenance = read_run_provenance(folder)
    plan = AnalysisPlan.from_provenance(provenance)
    trials = read_report_trials(folder, provenance, plan.pairings)
    rulesets, pairings, problems = _selected_cells(plan, wanted)
    families = {plan.ruleset(name).game for name in rulesets}
    if kind not in (known := export_formats(families)):
        message = tr(
            "expected {known} for games of {families}, found '{kind}'",
            known=OR.join(known),
            families=", ".join(sorted(families)),
            kind=kind,
        )
        problems.append(Problem("--export", None, None, message, guess(kind, known) if kind not in _ALL else ""))
    for option, column, asked in (("--result", "result", wanted.result), ("--ending", "termination", wanted.ending)):
        there = sorted({str(word) for cell in trials.cells for word in trials.cell(cell)[column].unique()})
        if asked and asked not in there:
            message = tr("no game of {folder} ended so: '{asked}'", folder=display_path(folder), asked=asked)
            problems.append(Problem(option, None, None, message, guess(asked, there, tr("there are {names}"))))
    if problems:
        raise InputError(problems)
    chosen = []
    for name in rulesets:
        for first, second in pairings:
            cell = trials.cell((name, first, second))
            if wanted.numbers and len(cell):
                last = int(cell["game"].max()) + 1
                if beyond := [number for number in wanted.numbers if number > last]:
                    message = tr("expected a number from 1 to {last:,}, found {beyond:,}", last=last, beyond=beyond[0])
                    raise input_error(
                        message,
                        tr("games of {name}, {first} v {second}", name=name, first=first, second=second),
                        file="--game",
                    )
                cell = cell[(cell["game"] + 1).isin(list(wanted.numbers))]
            for column, asked in (("result", wanted.result), ("termination", wanted.ending)):
                cell = cell[cell[column] == asked] if asked else cell
            some = cell.sort_values("game").head(wanted.count)
            chosen.append(trials.rows(some.index.to_list()))
    cells = [cell for cell in chosen if len(cell)]
    if not cells:
        raise input_error(tr("no game in it is like that"), file=display_path(folder))
    weights = provenance.get("weights", {})
    blocks = match.replay_blocks([match.Again.of(cell, plan, weights) for cell in cells], plan.agents)
    return GameExport(
        kind,
        _game_texts(blocks, kind, workers),
        sum(map(len, cells)),
        [plan.ruleset(name) for name in rulesets],
        [plan.agents[label] for label in dict.fromkeys(label for pair in pairings for label in pair)],
    )


_ALL = ("pgn", "pdn", match.JSON, match.TEXT)


def _selected_cells(
    plan: AnalysisPlan, wanted: GameSelection
) -> tuple[list[str], list[tuple[str, str]], list[Problem]]:
    """The rulesets and pairings that are asked for, and what is wrong with their names."""
    problems = []
    names = [ruleset.name for ruleset in plan.rulesets]
    rulesets = [name for name in names if wanted.ruleset in ("", name)]
    if not rulesets:
        rulesets = [name for name in names if name.partition("/")[2] == wanted.ruleset]
    if len(rulesets) != 1 and wanted.ruleset:
        known = [*names, *(name.partition("/")[2] for name in names)]
        hint = (
            tr("there are {rulesets}", rulesets=", ".join(rulesets))
            if rulesets
            else guess(wanted.ruleset, known, tr("there are {names}"))
        )
        said = (
            tr("the report has several rulesets '{ruleset}'", ruleset=wanted.ruleset)
            if rulesets
            else tr("the report has no ruleset '{ruleset}'", ruleset=wanted.ruleset)
        )
        problems.append(Problem("--ruleset", None, None, said, hint))
    for place, (option, asked) in enumerate((("--first", wanted.first), ("--second", wanted.second))):
        there = list(dict.fromkeys(pairing[place] for pairing in plan.pairings))
        if asked and asked not in there:
            message = tr("no agent of the report is called '{asked}' in that seat", asked=asked)
            problems.append(Problem(option, None, None, message, guess(asked, there, tr("there are {names}"))))
    pairings = [pair for pair in plan.pairings if wanted.first in ("", pair[0]) and wanted.second in ("", pair[1])]
    if not pairings and not problems:
        known = [f"{first} v {second}" for first, second in plan.pairings]
        message = tr("{first} does not play {second} in this report", first=wanted.first, second=wanted.second)
        problems.append(Problem("--second", None, None, message, tr("there are {known}", known=", ".join(known))))
    return rulesets or names, pairings, problems


def _game_texts(blocks: Sequence[match.Again], kind: str, workers: int | None) -> Iterator[list[str | None]]:
    """The texts of each block, in the order of the blocks."""
    # The first block compiles what is not compiled yet, for all processes.
    yield match.replayed_texts(blocks[0], kind)
    waiting: dict[int, list[str | None]] = {}
    due = 1
    calls = Executor(workers).as_completed(
        range(1, len(blocks)), lambda number: Call(match.replayed_texts, (blocks[number], kind), str(number))
    )
    for number, texts in calls:
        waiting[number] = texts
        while due in waiting:
            yield waiting.pop(due)
            due += 1
