"""Experiments, handicaps and games of people, played or read as records."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from workbench import games as families
from workbench.addons.people import importing
from workbench.api.rulesets import Agent, to_agent, to_ruleset, to_whole_number
from workbench.base import project
from workbench.base.errors import InputError, abbreviated, guess, hide_internal_frames, input_error
from workbench.base.language import tr
from workbench.experiments import experiment as experiments
from workbench.experiments.experiment import Experiment
from workbench.games.declaration import Toggle, setting_text
from workbench.games.results import SEATS
from workbench.records import records
from workbench.report.reading import checked_provenance, read_report_trials
from workbench.rules.rulesets import Ruleset
from workbench.runs import runner, training
from workbench.runs.executor import open_executor
from workbench.runs.progress import Progress
from workbench.runs.self_play import describe, play_handicap
from workbench.statistics import AnalysisPlan

__all__ = ["EvenGame", "handicap", "load", "read_games", "run"]

WINNER = "winner"
"""The column of the agent that has won, which only data frames have."""
MAX_VALUES = 1 << 27
"""Values in a table of records, games times columns: one or two gigabytes of memory."""


@hide_internal_frames
def run(
    experiment: str | Path = "",
    *,
    rulesets: Sequence[str | Ruleset] | None = None,
    vary: Mapping[str, object] | None = None,
    design: str | None = None,
    baseline: str | Ruleset | None = None,
    agents: Sequence[Agent] | None = None,
    pairings: Sequence[Sequence[Agent]] | None = None,
    games: int | None = None,
    question: str | None = None,
    until: str | None = None,
    precision: float | None = None,
    looks: int | None = None,
    margin: float | None = None,
    measures: Sequence[str] | None = None,
    max_plies: int | None = None,
    capped: str | Mapping[str, object] | None = None,
    openings: Mapping[str, object] | Sequence[str] | None = None,
    seed: int | None = None,
    block: int | None = None,
    keep_moves: bool | None = None,
    targets: Mapping[str, object] | None = None,
    published: Mapping[str, object] | None = None,
    title: str | None = None,
    title_ja: str | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    on: str | None = None,
    fresh: bool = False,
    into_existing: bool = False,
    allow_programs: bool = False,
    progress: Callable[[Progress], object] | None = None,
) -> pd.DataFrame:
    """Plays the games of an experiment, and returns their records: a row a game, as the files in ``trials`` have them.

    ``first`` and ``second`` are the agents in the two seats; ``result`` names the seat that has won (``first``,
    ``second``) or is ``draw`` or ``unfinished``. ``winner`` is the agent that has won, missing where neither has.

    With nothing but a name or a path, the experiment is that of a YAML file, and the records are byte for byte those of
    ``workbench run``; with ``games``, it is a quick look at it with so many games a cell. With other keys, it is what a
    file with these keys would be, and ``experiment`` is its name.

    Records go to a report folder, ``reports/<name>``, block by block. The same call again plays only what is missing;
    Ctrl-C, or *interrupt* in a notebook, stops it without loss. ``trials.attrs["folder"]`` says where they are.

    Examples:
        >>> both = ["star/default", "star/two-pieces"]
        >>> trials = run("two-or-three", rulesets=both, agents=["random"], games=50, seed=1)
        >>> trials.groupby("ruleset").size().to_dict()
        {'star/default': 50, 'star/two-pieces': 50}

    Args:
        experiment: a YAML file, or the stem of its name; or, with keys of an experiment, what it is called. Without a
            name it is called after what it says, so that the same call has the same folder.
        rulesets: the rulesets to compare, or their names; see the user guide for this and all keys of an experiment.
        vary: toggles and the values to try.
        design: which combinations of ``vary`` are played.
        baseline: what the others are compared with; the first ruleset, if left out.
        agents: agents that play themselves.
        pairings: pairs of agents, for the first and the second seat.
        games: games of each ruleset and pairing.
        question: the measure that the verdicts are about.
        until: ``decided``: cells end as soon as the verdict is sure.
        precision: cells end as soon as the score's interval is so narrow.
        looks: how often ``until`` or ``precision`` look.
        margin: the smallest difference that matters.
        measures: what else is compared.
        max_plies: games are stopped here.
        capped: what becomes of games that are stopped.
        openings: how games begin.
        seed: where all chance comes from.
        block: games that are played and saved together.
        keep_moves: the records hold the moves of every game, for `moves`.
        targets: what a good ruleset should reach.
        published: what others published.
        title: the question in words.
        title_ja: the same in Japanese.
        out: the report folder, if it is to be another one.
        workers: processes; one for each core, if left out.
        on: a cluster that plays, such as ``dask:tcp://host:8786``; this machine, if left out.
        fresh: deletes the records of earlier runs in the folder first, and does not ask.
        into_existing: also a folder that holds other things.
        allow_programs: starts the programs and classes from outside that the experiment names.
        progress: is told of every block; ``print`` will do.

    Raises:
        InputError: all that is wrong with the experiment, or the folder cannot be used.
        Stopped: the run did not reach its end; the text says why, what is kept and how to go on.
    """
    keys = {name: value for name, value in locals().items() if name in _KEYS and value is not None}
    where = project.find_project()
    workers = None if workers is None else to_whole_number(workers, "workers", 1, 4096)
    loaded = _to_experiment(experiment, keys)
    folder = Path(out) if out else where.report(loaded.name)
    # Whoever waits for them is not told at the end that he cannot have them.
    if not loaded.sequential:
        _refuse_too_many(len(loaded.cells()) * loaded.games, len(records.COLUMNS) + 1, "run")
    again = f"workbench.run({str(experiment)!r})" if set(keys) <= {"games"} else tr("the same call of workbench.run")
    with open_executor(on, workers) as executor:
        # They take long, and were not asked for in so many words.
        training.ensure_trained(
            training.experiment_trainings(loaded), where, say=lambda line: print(line, file=sys.stderr),
            executor=executor, command=again,
        )  # fmt: skip
        runner.run_experiment(
            loaded, folder, executor=executor, fresh=fresh, into_existing=into_existing, allow_programs=allow_programs,
            command=again, on_progress=progress,
        )  # fmt: skip
    return _load_records(folder)


_KEYS = frozenset(inspect.signature(run).parameters) - {
    *("experiment", "out", "workers", "on", "fresh", "into_existing", "allow_programs", "progress")
}
"""The parameters of `run` that are keys of an experiment."""


def _to_experiment(name: str | Path, keys: Mapping[str, Any]) -> Experiment:
    if not isinstance(name, str | Path):
        raise input_error(
            tr("expected the name of an experiment or a path, found {name}", name=abbreviated(repr(name))),
            key="experiment",
        )
    if keys.keys() - {"games"}:
        return experiments.experiment_from_values(keys, str(name))
    if not str(name):
        message = tr("expected the name of an experiment, or rulesets and agents, found nothing")
        raise input_error(message, key="experiment")
    loaded = experiments.load_experiment(experiments.find_experiment(str(name)))
    if "games" in keys:
        return experiments.quick_look(loaded, to_whole_number(keys["games"], "games", 1, experiments.MOST_GAMES))
    return loaded


@hide_internal_frames
def load(folder: str | Path, columns: Sequence[str] | None = None, ruleset: str = "") -> pd.DataFrame:
    """The records of a report folder, as `run` returns them.

    Of a run that is not finished, each cell has the games from its first one up to the first that is missing. Very many
    games are too much for one table: some of their columns, or the games of one ruleset, are not.

    Args:
        folder: a report folder, or its name in ``reports/``.
        columns: only these, such as ``["ruleset", "result", "plies"]``; all of them, if left out.
        ruleset: only the games of this one, by its full name.

    Raises:
        InputError: there is no such folder, column or ruleset, it cannot be read, or it is too much for one table; the
            text says what to do.
    """
    if not isinstance(folder, str | Path) or not str(folder).strip():
        raise input_error(tr("expected a report folder, found {folder!r}", folder=folder), key="folder")
    return _load_records(project.find_project().existing_report_folder(folder), columns, ruleset)


def _load_records(folder: Path, columns: Sequence[str] | None = None, ruleset: str = "") -> pd.DataFrame:
    with checked_provenance(folder) as provenance:
        plan = AnalysisPlan.from_provenance(provenance)
        trials = read_report_trials(folder, provenance, plan.pairings)
    at = trials.columns.index("result") + 1
    there = [*trials.columns[:at], WINNER, *trials.columns[at:]]
    if unknown := [each for each in columns or () if each not in there]:
        hint = guess(str(unknown[0]), there, tr("there are {names}"))
        raise input_error(tr("the records have no column '{unknown}'", unknown=unknown[0]), hint, key="columns")
    if ruleset and ruleset not in plan.names:
        hint = guess(ruleset, plan.names, tr("there are {names}"))
        raise input_error(tr("the records have no ruleset '{ruleset}'", ruleset=ruleset), hint, key="ruleset")
    if ruleset:
        trials = trials.select((trials.games["ruleset"] == ruleset).to_numpy())
    wanted = there if columns is None else list(dict.fromkeys(columns))
    _refuse_too_many(len(trials), len(wanted), str(folder))
    needed = ["first", "second", "result"] if WINNER in wanted else []
    frame = trials.frame([each for each in dict.fromkeys([*wanted, *needed]) if each != WINNER])
    if needed:
        first, second = (frame[seat].where(frame["result"] == seat) for seat in SEATS)
        frame = frame.assign(**{WINNER: first.fillna(second)})[wanted]
    frame.attrs["folder"] = str(folder)
    return frame


def _refuse_too_many(games: int, columns: int, folder: str) -> None:
    if games * columns > MAX_VALUES:
        message = tr(
            "{games:,} games with {columns} columns are too much for one table of {most_values:,} values"
        ).format(games=games, columns=columns, most_values=MAX_VALUES)
        hint = tr("name some columns, or a ruleset: load(folder, columns=['ruleset', 'result', 'plies'], ruleset='…')")
        raise input_error(message, hint, key=folder)


class _Read(int):
    """The number of games that were read; printed, a sentence."""

    def __str__(self) -> str:
        return str(tr("{count:,} games are read.", count=int(self)))


@hide_internal_frames
def read_games(
    files: str | Path | Sequence[str | Path],
    ruleset: str | Ruleset,
    out: str | Path = "",
    *,
    under: Sequence[str | Ruleset] = (),
    beside: str | Path = "",
    band: int = 400,
    games: int | None = None,
    positions: int = 0,
    into_existing: bool = False,
    progress: Callable[[int], object] | None = None,
) -> pd.DataFrame:
    """Reads games of people into a report folder, and returns their records, a row a game, as `load` does.

    Every move is checked by the rules, in blocks and by machine code: a million games of chess take some minutes. Games
    that are not possible, of another game or without moves are left out; ``left-out.csv`` in the folder names them with
    file, line, number, ply, move and reason, and says what is odd about games on record. Columns that only these
    records have: ``first_rating``, ``second_rating``, ``date``, ``event``, ``source_file`` and ``source_game``;
    ``moves`` are kept. Wins by resignation or on time are wins, with a ``termination`` of their own; a game without a
    result is ``unfinished``.

    Examples:
        White's score by the difference of the ratings::

            people = wb.read_games("month.pgn.zst", "chess/orthodox", games=100_000)
            better = (people["first_rating"] - people["second_rating"]) // 100 * 100
            people.assign(won=people["result"] == "first").groupby(better)["won"].mean()

    Args:
        files: PGN (chess), PDN (draughts), or what ``workbench games`` writes as text or JSON; also packed, as
            ``.gz``, ``.bz2`` or ``.zst``.
        ruleset: the rules by which people played.
        out: the report folder; ``reports/FILE``, if left out.
        under: would the games have been legal under these rules, and where do they differ?
        beside: a report whose players, or people, stand beside them in the records.
        band: the width of a band of ratings, by which players are grouped.
        games: at most so many games.
        positions: of each band, in which players of a kept ladder are asked for their move.
        into_existing: also a folder that holds other things.
        progress: is told how many games were read; ``print`` will do.

    Raises:
        InputError: a file cannot be read, no game in it is possible under the rules, or the folder cannot be used.
    """
    paths = [files] if isinstance(files, str | Path) else list(files)
    if not paths or not all(isinstance(path, str | Path) and str(path) for path in paths):
        raise input_error(tr("expected the path of a file, or a list of paths, found something else"), key="files")
    where = project.find_project()
    folder = Path(out) if out else where.report(Path(paths[0]).name.split(".")[0])
    wanted = importing.Wanted(
        paths,
        to_ruleset(ruleset),
        band=to_whole_number(band, "band", 10, 5000),
        most=None if games is None else to_whole_number(games, "games", 1, 1_000_000_000),
        under=[to_ruleset(other) for other in under],
        beside=where.existing_report_folder(beside) if beside else None,
        asked=to_whole_number(positions, "positions", 0, 10_000),
        command="workbench.read_games",
    )
    importing.import_games(wanted, folder, into_existing, lambda read: progress(_Read(read)) if progress else None)
    return load(folder)


@dataclass(frozen=True)
class EvenGame:
    """The result of `handicap`."""

    verdict: str
    """``named``; else no amount is: ``misfit``, the scores do not lie on one curve that passes one half once; ``open``,
    they may not pass one half between these amounts at all."""
    even: float
    """The amount at which the first player is expected to score one half, in the unit of the toggle; NaN if none is
    named."""
    low: float
    """The lower end of its 95 % interval; NaN if none is named."""
    high: float
    """The upper end."""
    nearest: Ruleset
    """The ruleset, of those that may be played, nearest to the even amount; or with the measured score nearest to ½."""
    table: pd.DataFrame
    """A row for each amount that was played: ``amount``, ``ruleset``, ``games``, ``score`` (0 to 1, of the first)."""
    sentences: tuple[str, ...]
    """All of it in words."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.sentences))


@hide_internal_frames
def handicap(
    rulesets: str | Path | Ruleset | Sequence[str | Path | Ruleset],
    toggle: str = "",
    *,
    low: float | None = None,
    high: float | None = None,
    agent: Agent = "greedy",
    games: int = 1000,
    seed: int = 0,
    max_plies: int = 400,
) -> EvenGame:
    """Looks for the amount of a handicap that makes the game even between two players of one strength.

    It plays in this process, more and more games near the answer, and fits a curve to the scores. Where these do not
    lie on one, no amount is named.

    Examples:
        >>> found = handicap(["star/default", "star/two-pieces"], games=200)
        >>> int(found.table["games"].sum())
        200

    Args:
        rulesets: one ruleset, whose ``toggle`` is the handicap; or several, ordered by the handicap that they give:
            their amounts are 0, 1, 2 and so on.
        toggle: a rule that takes numbers, such as ``komi``.
        low: the smallest amount of the toggle to try, of those that it allows.
        high: the largest one.
        agent: who plays both sides, such as ``alphabeta-1k``.
        games: how many games, in all.
        seed: where their chance comes from.
        max_plies: games are stopped here, and count as draws.

    Raises:
        InputError: there is no such ruleset, toggle or agent, or fewer than two amounts.
    """
    several = isinstance(rulesets, Sequence) and not isinstance(rulesets, str)
    bases = [to_ruleset(ruleset) for ruleset in rulesets] if several else [to_ruleset(rulesets)]  # type: ignore[union-attr, arg-type]
    if toggle and len(bases) > 1:
        raise input_error(tr("expected one ruleset with a toggle, or several without one"), key="toggle")
    chosen = steps_of(bases[0], toggle, low, high) if toggle else list(enumerate(bases))
    if len(chosen) < 2:
        raise input_error(
            tr("expected two amounts or more, found {count}", count=len(chosen)), key="toggle" if toggle else "rulesets"
        )
    spec = to_agent(agent, bases[0], "agent")
    amounts, variants = [float(amount) for amount, _ in chosen], [variant for _, variant in chosen]
    names = [f"{toggle} {setting_text(variant.settings[toggle])}" if toggle else variant.name for variant in variants]
    count, begin = to_whole_number(games, "games", 100, 10_000_000), to_whole_number(seed, "seed", 0, 2**63)
    found = play_handicap(variants, amounts, spec, count, begin, to_whole_number(max_plies, "max_plies", 1, 100_000))
    rows = [
        [amounts[place], variants[place].name, sum(result), found.score(place)]
        for place, result in enumerate(found.results)
        if sum(result)
    ]
    table, sentences = (
        pd.DataFrame(rows, columns=["amount", "ruleset", "games", "score"]),
        describe(found, names, spec.label),
    )
    answer = found.found
    return EvenGame(
        answer.verdict, answer.even, answer.low, answer.high, variants[found.nearest], table, tuple(sentences)
    )


def steps_of(base: Ruleset, name: str, low: float | None, high: float | None) -> list[tuple[Any, Ruleset]]:
    """The numbers that a toggle allows, each with the ruleset that has it; excluded ones are left out."""
    toggles = {toggle.name: toggle for toggle in families.declaration(base.game).toggles}
    numeric = [toggle.name for toggle in toggles.values() if _numbers(toggle)]
    if name not in numeric:
        hint = guess(name, numeric, tr("rules with numbers are {names}"))
        raise input_error(tr("expected a rule that takes numbers, found '{name}'", name=name), hint, key="toggle")
    steps = []
    for number in _numbers(toggles[name]):
        if (low is None or number >= low) and (high is None or number <= high):
            try:
                steps.append((number, base.derive(**{name: number})))
            except InputError:
                continue
    return steps


def _numbers(toggle: Toggle) -> list[Any]:
    named = [value.name for value in toggle.values if type(value.name) in (int, float)]
    return sorted({*named, *(toggle.span.numbers() if toggle.span else ())}) if toggle.span or len(named) > 1 else []
