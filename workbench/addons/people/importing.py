"""Import of human games into a report folder as records with the columns of a run, and their provenance.

Games are collected by cell (one for each rating band) in temporary files that are merged at the end; memory holds only
thousands of games. `read_games` is part of the Python API.
"""

from __future__ import annotations

import hashlib
import importlib
import itertools
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from workbench import games
from workbench.addons.people import replaying as r
from workbench.addons.people.reading import (
    KINDS,
    MAX_PLIES,
    REMARKS,
    GameDetails,
    GameProblem,
    GameReader,
    Games,
    position_after,
)
from workbench.addons.people.replaying import PLIES, RESULT, TERMINATION, TURNS
from workbench.api.experiments import load
from workbench.api.rulesets import to_ruleset, to_whole_number
from workbench.base import output
from workbench.base.errors import (
    NONE,
    InputError,
    display_path,
    error_text,
    expected,
    hide_internal_frames,
    input_error,
)
from workbench.base.language import LANGUAGES, tr, translated
from workbench.base.project import find_project
from workbench.engine import contract
from workbench.engine.trials import best_move, make_rules
from workbench.games.declaration import NO_SWAP, SWAP, Declaration
from workbench.games.results import RESULTS, all_endings
from workbench.players import library
from workbench.players.agent_kinds import PEOPLE
from workbench.players.agents import AgentSpec
from workbench.positions.game_state import count_events
from workbench.records import provenance as provenances
from workbench.records import records
from workbench.records.records import Note, Segment
from workbench.rules.rulesets import Ruleset
from workbench.runs.runner import machine_entries, ruleset_entry
from workbench.runs.worker import engine_digests

PROBLEMS = "left-out.csv"
"""The file that lists excluded games, and recorded games with remarks."""
MAX_NAMED = 100_000
"""Maximum number of problems listed in `PROBLEMS`; the others are only counted."""


class _GamesRead(int):
    """A number of games read, which prints as a sentence."""

    def __str__(self) -> str:
        return str(tr("Read {count:,} games.", count=int(self)))


@hide_internal_frames
def read_games(
    files: str | Path | Sequence[str | Path], ruleset: str | Ruleset, out: str | Path = "", *,
    under: Sequence[str | Ruleset] = (), beside: str | Path = "", band: int = 400, games: int | None = None,
    positions: int = 0, into_existing: bool = False, progress: Callable[[int], object] | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Read human games into a report folder, and return their records, one row per game, as `load` does.

    Every move is checked by compiled code against the rules: a million games of chess take a few minutes.
    Illegal games, games of other variants and games without moves are excluded; ``left-out.csv`` in the folder lists
    them with file, line, number, ply, move and reason, and contains remarks on recorded games. Additional columns are
    ``first_rating``, ``second_rating``, ``date``, ``event``, ``source_file``, ``source_game`` and ``moves``. A win by
    resignation or on time is a win with its own ``termination``; a game without a result is ``unfinished``.

    Examples:
        The share of games won by White, by rating difference::

            people = wb.read_games("month.pgn.zst", "chess/orthodox", games=100_000)
            advantage = (people["first_rating"] - people["second_rating"]) // 100 * 100
            people.assign(won=people["result"] == "first").groupby(advantage)["won"].mean()

    Args:
        files: PGN (chess), PDN (draughts), or the text or JSON output of ``workbench games``; may be compressed
            as ``.gz``, ``.bz2`` or ``.zst``.
        ruleset: the rules of the games.
        out: the report folder, by default ``reports/FILE``.
        under: rulesets under which the legality of the games is tested.
        beside: a report whose records are added, for comparison.
        band: width of the rating bands by which players are grouped.
        games: maximum number of games.
        positions: number of positions per band in which players of a saved ladder choose a move.
        into_existing: allow a folder with other files.
        progress: called with the number of games read, for example ``print``.

    Raises:
        InputError: a file cannot be read, no game is legal under the rules, or the folder cannot be used.
    """
    paths = [files] if isinstance(files, str | Path) else list(files)
    if not paths or not all(isinstance(path, str | Path) and str(path) for path in paths):
        raise input_error(expected(tr("the path of a file, or a list of paths"), tr("something else")), key="files")
    project = find_project()
    folder = Path(out) if out else project.report(Path(paths[0]).name.split(".")[0])
    import_games(
        paths, to_ruleset(ruleset), folder,
        band=to_whole_number(band, "band", 10, 5000),
        limit=None if games is None else to_whole_number(games, "games", 1, 1_000_000_000),
        under=[to_ruleset(other) for other in under],
        beside=project.existing_report_folder(beside) if beside else None,
        positions=to_whole_number(positions, "positions", 0, 10_000),
        command="workbench.read_games",
        into_existing=into_existing,
        on_progress=lambda read: progress(_GamesRead(read)) if progress else None,
    )  # fmt: skip
    return load(folder)


@dataclass
class ImportResult:
    """The outcome of an import."""

    folder: Path
    games: int = 0
    unfinished: int = 0
    problem_counts: Counter[str] = field(default_factory=Counter)
    problems: list[GameProblem] = field(default_factory=list)


def band_label(details: GameDetails, width: int) -> str:
    """Return the label of a game's cell: the band of the players' mean rating."""
    if details.first_rating is None or details.second_rating is None:
        return PEOPLE
    low = (details.first_rating + details.second_rating) // 2 // width * width
    return f"{PEOPLE}-{low}-{low + width - 1}"


def import_games(
    files: Sequence[str | Path], ruleset: Ruleset, folder: Path, *, band: int = 400, limit: int | None = None,
    under: Sequence[Ruleset] = (), beside: Path | None = None, positions: int = 50, title: str = "",
    command: str = "", into_existing: bool = False, on_progress: Callable[[int], object] = lambda games: None,
    on_player: Callable[[str], object] = lambda label: None,
) -> ImportResult:  # fmt: skip
    """Read files of games into a report folder, replacing its earlier records.

    The arguments correspond to `read_games`; ``on_player`` is called with the label of each ladder player that chooses
    moves.

    Raises:
        InputError: a file cannot be read, no game is legal under the rules, or the folder cannot be used.
    """
    for other in under:
        if other.game != ruleset.game:
            raise input_error(expected(tr("a ruleset of {game}", game=ruleset.game), other.name), key="--under")
    if ruleset.settings[SWAP] != NO_SWAP:
        message = tr("games with side swaps cannot be read: use the rules without the pie rule")
        raise input_error(message, file=ruleset.name)
    existing = ExistingRecords(beside) if beside else None
    if existing:
        existing.require_rules(ruleset)
    _refuse_other_runs(folder)
    reader = GameReader(ruleset)
    proposals = [Proposal(ruleset, other) for other in under]
    differences = {other.name: defaultdict[str, Difference](Difference) for other in under}
    report_folder = provenances.claim_report_folder(folder, into_existing)
    report_folder.claim_files([PROBLEMS])
    writer, sample = RecordWriter(ruleset, folder, existing), PositionSample(positions)
    result, read_count = ImportResult(folder), 0
    try:
        for path, batch in ((file, batch) for file in files for batch in reader.read(file)):
            if limit is not None and len(batch.details) > limit - result.games:
                batch = batch.first(limit - result.games)
            labels = [band_label(details, band) for details in batch.details]
            writer.add(batch, labels, reader.openings(batch.block.moves), Path(path).name)
            sample.add(batch, labels)
            for proposal in proposals:
                proposal.follow(batch, labels, differences[proposal.proposal.name], Path(path).name)
            result.games += len(batch.details)
            result.problem_counts.update(problem.kind for problem in batch.problems)
            result.problems += batch.problems[: max(0, MAX_NAMED - len(result.problems))]
            result.unfinished += sum(details.end.result == "unfinished" for details in batch.details)
            read_count += len(batch.details) + sum(problem.left_out for problem in batch.problems)
            on_progress(read_count)
            if result.games == limit:
                break
        if not result.games:
            raise _no_games(str(files[0]), ruleset, result)
        content = _provenance(ruleset, folder, list(writer.bands), existing, title, command)
        names = [str(entry["name"]) for entry in content["rulesets"]]
        pairings = [(str(entry["first"]), str(entry["second"])) for entry in content["pairings"]]
        digests = writer.finish(names, pairings)
    finally:
        writer.close()
    counts = result.problem_counts
    entry = {
        "files": [str(path) for path in files], "band": band, "read": read_count, "games": result.games,
        "left_out": {kind: count for kind, count in counts.items() if kind not in REMARKS},
        "remarks": {kind: count for kind, count in counts.items() if kind in REMARKS},
        "under": {
            name: {
                label: Difference.total([cells[member] for member in members]).as_json()
                for label, members in writer.bands.items()
            }
            for name, cells in differences.items()
        },
        "titles": {other.name: [other.title, other.title_ja] for other in under},
        "rungs": agreements(ruleset, sample.by_cell(writer.bands), find_project().reports, on_player),
    }  # fmt: skip
    content[PEOPLE] = {**((existing.provenance.get(PEOPLE) or {}) if existing else {}), ruleset.name: entry}
    output.write_file(folder / PROBLEMS, _problems_csv(result.problems).encode())
    provenances.save_provenance(folder, content, digests)
    for path in records.file_paths(folder):
        if f"{records.TRIALS}/{path.name}" not in digests:
            path.unlink()
    return result


def _no_games(file: str, ruleset: Ruleset, result: ImportResult) -> InputError:
    left_out = next((problem for problem in result.problems if problem.left_out), None)
    if not left_out:
        return input_error(tr("it contains no games"), file=file)
    message = tr("none of its games is legal under {ruleset}; the first problem is: {words}")
    hint = tr("are these games of another variant? workbench rules {game} lists the rulesets", game=ruleset.game)
    return input_error(message.format(ruleset=ruleset.name, words=left_out.text), hint, file=file)


def _problems_csv(problems: Sequence[GameProblem]) -> str:
    columns = ["file", "game", "line", "ply", "move", "kind", "reason", "left_out"]
    table = pd.DataFrame([[getattr(problem, name) for name in columns] for problem in problems], columns=columns)
    table["reason"] = [translated(problem.reason or KINDS[problem.kind]) for problem in problems]
    return records.to_csv(table, "%.6g")


def _refuse_other_runs(folder: Path) -> None:
    """Raise `InputError` if a folder contains the records of a run, which the import would delete."""
    try:
        imported = PEOPLE in provenances.load_provenance(folder)
    except (FileNotFoundError, provenances.Damaged, records.Unavailable):
        imported = not records.file_paths(folder)
    if not imported:
        message = expected(tr("a new folder, or one from an earlier import"), tr("the records of a run"))
        raise input_error(message, tr("choose another folder"), file=display_path(folder), key="--out")


def _provenance(
    ruleset: Ruleset, folder: Path, labels: Sequence[str], existing: ExistingRecords | None, title: str, command: str
) -> dict[str, Any]:
    """Return the folder's provenance except for the outcome of the import."""
    declaration = games.declaration(ruleset.game)
    previous: Mapping[str, Any] = existing.provenance if existing else {}
    pairings = {(pair["first"], pair["second"]): pair for pair in (existing.pairings if existing else ())}
    options = {"first_options": {"kind": PEOPLE}, "second_options": {"kind": PEOPLE}, "reproducible": False}
    human_pairs = {pair for pair, entry in pairings.items() if (entry.get("first_options") or {}).get("kind") == PEOPLE}
    human_entries = {(label, label): {"first": label, "second": label, **options} for label in labels}
    human_entries |= {pair: pairings[pair] for pair in human_pairs}
    pairings = {pair: entry for pair, entry in pairings.items() if pair not in human_pairs}
    pairings |= dict(sorted(human_entries.items(), key=lambda item: band_range(item[0][0])))
    other_rulesets = [entry for entry in (existing.rulesets if existing else ()) if entry["name"] != ruleset.name]
    weights = {ruleset.game: {feature.name: feature.weight for feature in declaration.features}}
    return {
        "experiment": {
            "name": folder.name,
            "title": title or f"Games of people: {ruleset.title}",
            "title_ja": "" if title else f"人の対局：{ruleset.title_ja or ruleset.title}",
            "baseline": ruleset.name, "games": 0, "targets": {},
            "max_plies": int((previous.get("experiment") or {}).get("max_plies") or 0),
            "seed": int((previous.get("experiment") or {}).get("seed") or 0),
        },
        **{name: previous[name] for name in PLAYER_KEYS if name in previous},
        "rulesets": [ruleset_entry(ruleset), *other_rulesets],
        "pairings": list(pairings.values()),
        "weights": {**weights, **(previous.get("weights") or {})},
        **machine_entries([ruleset.game], 1, command),
        "engines": {**engine_digests([ruleset.game]), **(previous.get("engines") or {})},
    }  # fmt: skip


def summary_lines(result: ImportResult, limit: int) -> Iterator[str]:
    """Yield lines about the outcome of an import, with at most ``limit`` problems."""
    yield tr("{games:,} games were recorded.", games=result.games)
    if result.unfinished:
        yield tr("{count:,} of these have no result.", count=result.unfinished)
    for kind, count in result.problem_counts.most_common():
        message = tr("Excluded for {kind}: {count:,}.")
        if kind in REMARKS:
            message = tr("Recorded despite {kind}: {count:,}.")
        yield message.format(kind=KINDS[kind], count=count)
    yield from (problem.text for problem in result.problems[:limit])
    if result.problem_counts.total() > limit:
        yield tr("The others are listed in {path}.", path=display_path(result.folder / PROBLEMS))


DRAUGHTS = "draughts"
MAX_EXAMPLES = 3


@dataclass
class Difference:
    """Counts of games that remain legal under a proposal, and of games that do not."""

    games: int = 0
    legal: int = 0
    """The number of games that are legal to the end with the same result."""
    other_result: int = 0
    """The number of games that are legal to the end with another result."""
    plies: Counter[int] = field(default_factory=Counter)
    """Number of games by the ply of the first illegal move, starting at 1."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Number of games by the first illegal move's events, comma-separated, or by a colon and the earlier ending."""
    examples: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @classmethod
    def total(cls, parts: Sequence[Difference]) -> Difference:
        """Return the sum of several cells' counts."""
        total = cls()
        for part in parts:
            total.games += part.games
            total.legal += part.legal
            total.other_result += part.other_result
            total.plies += part.plies
            total.kinds += part.kinds
            for kind, examples in part.examples.items():
                total.examples[kind] = [*total.examples.get(kind, []), *examples][:MAX_EXAMPLES]
        return total

    def as_json(self) -> dict[str, Any]:
        """Return the counts as an entry of the provenance."""
        return {
            "games": self.games, "legal": self.legal, "other_result": self.other_result,
            "plies": {str(ply): count for ply, count in sorted(self.plies.items())},
            "kinds": dict(self.kinds.most_common()), "examples": self.examples,
        }  # fmt: skip


class Proposal:
    """A ruleset under which games of another ruleset of its family are replayed."""

    def __init__(self, base: Ruleset, proposal: Ruleset) -> None:
        self.proposal = proposal
        declaration = games.declaration(proposal.game)
        self._notation = games.notation(proposal.game)
        self._events = [event.name for event in declaration.events]
        self._endings = all_endings(declaration)
        self._base = make_rules(base.game, base.codes())
        self._rules = make_rules(proposal.game, proposal.codes())
        # The codes of multiple captures depend on the other legal captures.
        captures = base.game == DRAUGHTS and importlib.import_module("workbench.games.draughts.kernel_moves")
        self._replayer = r.Replayer(self._rules, MAX_PLIES, captures_from=captures.MULTI if captures else 0)
        self._buffer = np.zeros(int(contract.max_moves(self._rules)), np.int32)
        self._draw_value = int(self._rules.draw_value)
        self._renamed = self._square_names()

    def _square_names(self) -> dict[str, str]:
        """Return the proposal's square names by the base's, or an empty mapping if names do not depend on the rules."""
        names = getattr(self._notation, "names", None)
        if names is None:
            return {}
        proposal_names = names(self._rules)
        return {name: proposal_names[bit] for bit, name in names(self._base).items() if bit in proposal_names}

    def _rename_squares(self, text: str) -> str:
        """Replace the square names in a move of the base rules with the proposal's."""
        return re.sub("[a-l]?[0-9]+", lambda m: self._renamed.get(m[0], m[0]), text) if self._renamed else text

    def follow(self, batch: Games, labels: Sequence[str], differences: Mapping[str, Difference], file: str) -> None:
        """Replay games under the proposal and add them to the differences of their cells."""
        fields, moves = batch.block.fields, batch.block.moves.copy()
        plies, drawn_at = fields[:, r.PLIES], fields[:, r.DRAWN_AT]
        replayed = self._replayer.follow(self._base, moves, batch.block.moves, plies, drawn_at).fields
        self._follow_renumbered(batch, moves, replayed)
        kinds = {}
        for game in np.flatnonzero(replayed[:, r.STATUS] != r.WHOLE).tolist():
            if replayed[game, r.STATUS] == r.OVER:
                kinds[game] = f":{self._endings[int(replayed[game, r.TERMINATION])].name}"
                continue
            line = batch.block.moves[game, : int(replayed[game, r.PLIES]) + 1]
            before, after = position_after(self._base, line[:-1]), position_after(self._base, line)
            counts = np.zeros(len(self._events), np.int32)
            count_events(self._base, before, int(line[-1]), after, counts)
            kinds[game] = ",".join(self._events[event] for event in np.flatnonzero(counts > 0).tolist())
        for game, label in enumerate(labels):
            difference = differences[label]
            difference.games += 1
            if game in kinds:
                kind = kinds[game]
                difference.plies[int(replayed[game, r.PLIES]) + 1] += 1
                difference.kinds[kind] += 1
                examples = difference.examples.setdefault(kind, [])
                if len(examples) < MAX_EXAMPLES:
                    examples.append(self._example(batch, moves[game], game, replayed[game], file))
                continue
            end = batch.details[game].end
            result = int(replayed[game, r.RESULT])
            result = RESULTS.index(end.result) if result == fields[game, r.RESULT] else result
            if RESULTS[self._draw_value if result == contract.DRAW else result] == end.result:
                difference.legal += 1
            else:
                difference.other_result += 1

    def _follow_renumbered(self, batch: Games, moves: Any, replayed: Any) -> None:
        """Continue games that stopped at a move with another code, such as a draughts capture among other captures."""
        format_full = getattr(self._notation, "full", None)
        confirmed = np.full(len(moves), -1, np.int64)
        while format_full is not None:
            resumed = []
            for game in np.flatnonzero(replayed[:, r.STATUS] == r.UNMATCHED).tolist():
                ply = int(replayed[game, r.PLIES])
                line = batch.block.moves[game]
                code = int(line[ply])
                base, proposed = position_after(self._base, line[:ply]), position_after(self._rules, moves[game, :ply])
                try:
                    new_code = self._notation.parse_move(
                        self._rules, proposed, self._rename_squares(format_full(self._base, base, code))
                    )
                except ValueError:
                    continue
                n = contract.legal_moves(self._rules, proposed, self._buffer)
                if int(new_code) in self._buffer[:n]:
                    moves[game, ply], confirmed[game] = new_code, ply
                    resumed.append(game)
            if not resumed:
                return
            fields, played = batch.block.fields[resumed], batch.block.moves[resumed]
            plies, drawn_at = fields[:, r.PLIES], fields[:, r.DRAWN_AT]
            block = self._replayer.follow(self._base, moves[resumed], played, plies, drawn_at, confirmed[resumed])
            replayed[resumed] = block.fields

    def _example(self, batch: Games, moves: Any, game: int, replayed: Any, file: str) -> dict[str, Any]:
        """Return a game's first illegal move with the reason as plain data.

        If square names differ, the move in the proposal's notation follows in parentheses.
        """
        ply = int(replayed[r.PLIES])
        line = batch.block.moves[game]
        base, proposed = position_after(self._base, line[:ply]), position_after(self._rules, moves[:ply])
        text = str(self._notation.format_move(self._base, base, int(line[ply])))
        renamed = self._rename_squares(text)
        if replayed[r.STATUS] == r.OVER:
            reason = self._endings[int(replayed[r.TERMINATION])].sentence
        else:
            try:
                move = self._notation.parse_move(self._rules, proposed, renamed)
                reason = self._notation.explain(self._rules, proposed, renamed, move)
            except ValueError as problem:
                reason = error_text(problem)
        return {
            "file": file,
            "game": int(batch.numbers[game]),
            "ply": ply + 1,
            "move": text if text == renamed else f"{text} ({renamed})",
            "reason": {language: translated(reason, language) for language in LANGUAGES},
        }


FLUSH_SIZE = 1 << 13
"""Maximum number of a cell's games in memory."""
Cell = tuple[str, str, str]
"""Ruleset and labels of both players."""
MIN_GAMES, MIN_SHARE = 10, 0.02
"""The lowest and highest bands are merged with their neighbours if they have fewer games or a smaller share."""
PLAYER_KEYS = ("weights", "learned", "players", "openings", "engines")


def band_range(label: str) -> tuple[int, int]:
    """Return the lowest and the highest rating of a label, or zeros for unknown ratings."""
    _, *ends = label.split("-")
    return (int(ends[0]), int(ends[1])) if len(ends) == 2 else (0, 0)


class ExistingRecords:
    """Records of another report folder to add to the imported ones."""

    def __init__(self, folder: Path) -> None:
        """Read the folder's provenance."""
        self.folder = folder
        try:
            self.provenance = provenances.load_provenance(folder)
        except (FileNotFoundError, provenances.Damaged, records.Unavailable) as error:
            raise self.refusal(expected(tr("a report folder with its records")), error_text(error)) from error
        if self.provenance["experiment"].get("openings"):
            raise self.refusal(expected(tr("games from the starting position"), tr("games with given opening lines")))
        self.rulesets: Sequence[Mapping[str, Any]] = self.provenance["rulesets"]
        self.pairings: Sequence[Mapping[str, Any]] = self.provenance["pairings"]
        if not self.provenance.get("digests"):
            raise self.refusal(expected(tr("the records of a completed run"), NONE))

    def refusal(self, message: str, hint: str = "") -> InputError:
        """Return the error for a folder with unusable records."""
        return input_error(message, hint, file=display_path(self.folder), key="--beside")

    def require_rules(self, ruleset: Ruleset) -> None:
        """Raise `InputError` if the folder's ruleset with the same name has other rules."""
        for entry in self.rulesets:
            if entry["name"] == ruleset.name and entry["fingerprint"] != ruleset.fingerprint:
                raise self.refusal(tr("its ruleset {name} has different rules", name=ruleset.name))

    def cells(self, columns: Sequence[records.Column]) -> Iterator[tuple[Cell, str, pa.Table]]:
        """Yield each cell with its digest and its games in ``columns``."""
        fields = records.arrow_schema(columns)
        for file_name in self.provenance["digests"]:
            path = self.folder / file_name
            try:
                file = records.read_file(path)
                all_games = records.read_table(path)
            except (records.Unreadable, records.Unavailable) as error:
                raise input_error(error_text(error), file=str(path), key="--beside") from error
            parts = [
                all_games[field.name].cast(field.type) if field.name in all_games.column_names
                else pa.nulls(all_games.num_rows, field.type)
                for field in fields
            ]  # fmt: skip
            table = pa.table(parts, schema=fields)
            for segment, row in zip(file.note.segments, file.note.first_rows(), strict=True):
                yield (segment.ruleset, segment.first, segment.second), segment.cell, table.slice(row, segment.count)


class RecordWriter:
    """A writer that collects records by cell in memory and temporary files and writes them in cell order."""

    def __init__(self, ruleset: Ruleset, folder: Path, existing: ExistingRecords | None = None) -> None:
        self.ruleset = ruleset
        self.folder = folder
        self.beside = existing
        self.declaration = games.declaration(ruleset.game)
        families = dict.fromkeys(
            [ruleset.game, *(str(entry["game"]) for entry in (existing.rulesets if existing else ()))]
        )
        declarations: list[Declaration] = [games.declaration(name) for name in families]
        self.columns = (*records.COLUMNS, records.MOVES, *records.PEOPLE, *records.event_columns(declarations))
        self.fields = records.arrow_schema(self.columns)
        self._waiting: dict[str, list[pa.Table]] = {}
        self._sizes: Counter[str] = Counter()
        self._blocks: dict[str, list[Path]] = {}
        self._temporary = tempfile.TemporaryDirectory(prefix=".workbench-", suffix=".tmp", dir=folder)

    @cached_property
    def bands(self) -> dict[str, list[str]]:
        """The labels merged into each final cell, by the cell's label; available after all games were added.

        The lowest and highest bands are merged with their neighbours while they have few games.
        """
        minimum = max(MIN_GAMES, MIN_SHARE * sum(self._sizes.values()))
        rated = sorted((low, high, label) for label in self._sizes for low, high in [band_range(label)] if high)
        cells = [(low, high, [label]) for low, high, label in rated]
        for end in (0, -1):
            while len(cells) > 1 and sum(self._sizes[label] for label in cells[end][2]) < minimum:
                first, second = cells.pop(end), cells.pop(end)
                lowest, highest = sorted((first, second))
                cells.insert(0 if end == 0 else len(cells), (lowest[0], highest[1], lowest[2] + highest[2]))
        unrated = {label: [label] for label in self._sizes if not band_range(label)[1]}
        return unrated | {f"{PEOPLE}-{low}-{high}": members for low, high, members in cells}

    def add(self, batch: Games, labels: Sequence[str], openings: Sequence[str], file: str) -> None:
        """Add games to the cells with their labels."""
        if not batch.details:
            return
        table = self._table(batch, openings, file)
        names = np.array(labels, object)
        for label in dict.fromkeys(labels):
            rows = np.flatnonzero(names == label)
            part = table.take(pa.array(rows))
            self._sizes[label] += len(rows)
            tables = self._waiting.setdefault(label, [])
            tables.append(part)
            if sum(chunk.num_rows for chunk in tables) >= FLUSH_SIZE:
                self._write(label)

    def _table(self, batch: Games, openings: Sequence[str], file: str) -> pa.Table:
        block, details = batch.block, batch.details
        n = len(details)
        plies = block.fields[:, PLIES]
        table = records.block_table(
            {"experiment": self.folder.name, "ruleset": self.ruleset.name, "fingerprint": self.ruleset.fingerprint,
             "first": "", "second": "", "cell": 0},
            0,
            np.zeros(n, np.uint64),
            {
                "result": block.fields[:, RESULT],
                "termination": np.maximum(block.fields[:, TERMINATION], 1),
                "plies": plies, "turns": block.fields[:, TURNS], "legal_moves": block.legal, "game_hash": block.hashes,
                "events": block.counts, "opening": openings,
                records.MOVES.name: [
                    " ".join(map(str, line[:length])) for line, length in zip(block.moves.tolist(), plies, strict=True)
                ],
            },
            self.declaration,
            self.columns,
        )  # fmt: skip
        people = {
            "result": [game.end.result for game in details], "termination": [game.end.termination for game in details],
            "first_rating": [game.first_rating for game in details],
            "second_rating": [game.second_rating for game in details],
            "date": [game.date for game in details], "event": [game.event for game in details],
            "source_file": [file] * n, "source_game": batch.numbers,
        }  # fmt: skip
        for name, values in people.items():
            i = table.schema.get_field_index(name)
            table = table.set_column(i, table.schema.field(i), pa.array(values, table.schema.field(i).type))
        return table

    def _digest(self, label: str) -> str:
        return hashlib.sha256(f"{self.ruleset.fingerprint} {label}".encode()).hexdigest()[:16]

    def _write(self, label: str) -> None:
        paths = self._blocks.setdefault(label, [])
        path = Path(self._temporary.name) / f"{self._digest(label)}-{len(paths)}.parquet"
        stream = pa.BufferOutputStream()
        pq.write_table(pa.concat_tables(self._waiting.pop(label)), stream)
        paths.append(output.write_file(path, stream.getvalue()))

    def finish(self, names: Sequence[str], pairings: Sequence[tuple[str, str]]) -> dict[str, str]:
        """Write the records in the order of rulesets and pairings and return the files' digests."""
        order = {(name, *pair): number for number, (name, pair) in enumerate(itertools.product(names, pairings))}
        cells: list[tuple[Cell, str, pa.Table | None]] = []
        cells += [((self.ruleset.name, label, label), self._digest(label), None) for label in self.bands]
        imported = {cell for cell, _, _ in cells}
        if self.beside:
            for cell, digest, table in self.beside.cells(self.columns):
                if cell in imported:
                    message = tr("it also contains games of {label} under {name}: import all files together")
                    raise self.beside.refusal(message.format(label=cell[1], name=cell[0]))
                if table.num_rows:
                    cells.append((cell, digest, table))
        cells.sort(key=lambda entry: order[entry[0]])
        totals: Counter[Cell] = Counter()
        digests: dict[Cell, str] = {}
        for cell, digest, table in cells:
            sizes = (self._sizes[label] for label in self.bands[cell[1]]) if table is None else (table.num_rows,)
            totals[cell] += sum(sizes)
            digests.setdefault(cell, digest)
        rows = _TableReader(part for cell, _, table in cells for part in self._rows(cell, order[cell], table))
        engines = engine_digests([self.ruleset.game])
        files = []
        all_segments = [Segment(digests[cell], order[cell], *cell, 0, total) for cell, total in totals.items()]
        for segments in records.file_segments(all_segments):
            part = pa.concat_tables(rows.take(sum(segment.count for segment in segments)))
            note = Note(self.folder.name, tuple(segments), engines)
            files.append(records.write_file(self.folder, part, note))
        return records.file_digests(files)

    def _rows(self, cell: Cell, number: int, table: pa.Table | None) -> Iterator[pa.Table]:
        constants: dict[str, str | int] = {
            "experiment": self.folder.name,
            "first": cell[1],
            "second": cell[2],
            "cell": number,
        }
        if table is not None:
            yield records.with_constant_columns(table, constants)
            return
        game, column = 0, self.fields.get_field_index("game")
        for part in self._parts(self.bands[cell[1]]):
            numbers = pa.array(np.arange(game, game + part.num_rows), pa.int32())
            game += part.num_rows
            yield records.with_constant_columns(part.set_column(column, self.fields.field(column), numbers), constants)

    def _parts(self, labels: Sequence[str]) -> Iterator[pa.Table]:
        for label in labels:
            for path in self._blocks.get(label, ()):
                yield records.read_table(path)
            yield from self._waiting.get(label, ())

    def close(self) -> None:
        """Delete the temporary files."""
        self._temporary.cleanup()


class _TableReader:
    """A reader of rows from a sequence of tables."""

    def __init__(self, tables: Iterable[pa.Table]) -> None:
        self._tables = iter(tables)
        self._remainder: pa.Table | None = None

    def take(self, rows: int) -> Iterator[pa.Table]:
        """Yield tables with the next ``rows`` rows."""
        while rows:
            table = self._remainder if self._remainder is not None else next(self._tables)
            self._remainder = table.slice(rows) if table.num_rows > rows else None
            yield table.slice(0, rows)
            rows -= min(rows, table.num_rows)


FIRST_PLY = 8
"""The first ply of sampled positions; people know openings by heart."""
MAX_NODES = 20_000
"""Players with larger searches are skipped because they would take hours."""


class PositionSample:
    """A sample of positions from human games by cell, one per game, at a ply derived from the game's number."""

    def __init__(self, limit: int) -> None:
        """``limit``: the maximum number of positions per cell, taken from its first games."""
        self.limit = limit
        self.lines: dict[str, list[list[int]]] = {}
        """The moves of each game up to and including the sampled move."""

    def add(self, batch: Games, labels: Sequence[str]) -> None:
        """Add a position from each game."""
        for game, label in enumerate(labels):
            lines = self.lines.setdefault(label, [])
            plies = int((batch.block.moves[game] >= 0).sum())
            if len(lines) < self.limit and plies > FIRST_PLY:
                ply = FIRST_PLY + int(batch.numbers[game]) * 2654435761 % 2**32 % (plies - FIRST_PLY)
                lines.append(batch.block.moves[game, : ply + 1].tolist())

    def by_cell(self, bands: Mapping[str, Sequence[str]]) -> dict[str, list[list[int]]]:
        """Return the positions of each cell after bands were merged."""
        return {
            label: [line for member in members for line in self.lines.get(member, ())][: self.limit]
            for label, members in bands.items()
        }


def agreements(
    ruleset: Ruleset,
    sample: Mapping[str, Sequence[Sequence[int]]],
    reports: Path,
    on_progress: Callable[[str], object] = lambda label: None,
) -> dict[str, Any]:
    """Count the positions of each cell in which each player of the saved ladder chooses the same move as people.

    Returns an empty dictionary if the current engine has no ladder. Random players are skipped.
    """
    engine = engine_digests([ruleset.game])[ruleset.game]
    ladders = (
        ladder for ladder in provenances.saved_ladders(reports, ruleset.fingerprint) if ladder["engine"] == engine
    )
    ladder: Mapping[str, Any] | None = next(ladders, None)
    if ladder is None or not any(sample.values()):
        return {}
    agreement_counts: dict[str, Any] = {}
    for entry in ladder["players"]:
        agent = AgentSpec.from_provenance(str(entry["player"]), entry["options"]).judge()
        if agent.outside or agent.declared.at_random or agent.nodes > MAX_NODES:
            continue
        on_progress(agent.label)
        try:
            player = library.engine_player(agent, ruleset)
        except InputError:
            continue
        counts: dict[str, list[int]] = {}
        for label, lines in sample.items():
            moves = [best_move(ruleset.game, ruleset.codes(), player, i, line[:-1]) for i, line in enumerate(lines)]
            if lines:
                counts[label] = [sum(move == line[-1] for move, line in zip(moves, lines, strict=True)), len(lines)]
        agreement_counts[str(entry["player"])] = {"elo": entry["elo"]["value"], "agrees": counts}
    return agreement_counts
