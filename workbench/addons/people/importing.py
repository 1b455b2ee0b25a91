"""People's games as a report folder: records, of the same columns as those of a run, and their provenance.

Games are gathered by cells, one for each band of ratings, in block files beside each other, and merged at the end: so
memory holds some thousand games, however many there are.
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
from workbench.addons.people.reading import KINDS, REMARKS, ROOM, GameReader, Games, Told, Wrong, stand
from workbench.addons.people.replaying import PLIES, RESULT, TERMINATION, TURNS
from workbench.base import output, project
from workbench.base.errors import NONE, InputError, display_path, error_text, expected, input_error
from workbench.base.language import LANGUAGES, tr, translated
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
"""The file that names the games that were left out, and those on record with something odd."""
NAMED = 100_000
"""Games of either kind that are named in `PROBLEMS`; all are counted."""


@dataclass
class Imported:
    """The outcome of an import."""

    folder: Path
    games: int = 0
    """Games that are on record."""
    wrong: Counter[str] = field(default_factory=Counter)
    """Kind of problem -> games."""
    named: list[Wrong] = field(default_factory=list)
    """The first of these."""
    unfinished: int = 0


def band_label(told: Told, width: int) -> str:
    """Return the label of the players of a game: the band of the mean of their ratings."""
    if told.first_rating is None or told.second_rating is None:
        return PEOPLE
    low = (told.first_rating + told.second_rating) // 2 // width * width
    return f"{PEOPLE}-{low}-{low + width - 1}"


def import_games(
    files: Sequence[str | Path],
    ruleset: Ruleset,
    folder: Path,
    *,
    band: int = 400,
    most: int | None = None,
    under: Sequence[Ruleset] = (),
    beside: Path | None = None,
    positions: int = 50,
    title: str = "",
    command: str = "",
    into_existing: bool = False,
    on_progress: Callable[[int], object] = lambda games: None,
    on_player: Callable[[str], object] = lambda label: None,
) -> Imported:
    """Read files of games into a report folder, whose earlier records they replace.

    Args:
        files: PGN, PDN, or games of the workbench.
        ruleset: the rules by which people played.
        folder: the report folder.
        band: the width of a band of ratings.
        most: games at most.
        under: proposals under which the games are followed.
        beside: a report folder whose games are to stand beside them.
        positions: of each cell, in which the players of a ladder are asked for their move.
        title: the title of the report.
        command: the command, for the provenance.
        into_existing: also a folder that holds other things.
        on_progress: is called with the number of games that were read.
        on_player: is called with the label of a player of a ladder before it is asked.

    Raises:
        InputError: a file cannot be read, or no game of all is possible under the rules; or the folder cannot be used.
    """
    for other in under:
        if other.game != ruleset.game:
            raise input_error(expected(tr("a ruleset of {game}", game=ruleset.game), other.name), key="--under")
    if ruleset.settings[SWAP] != NO_SWAP:
        message = tr("games in which players may swap sides cannot be read: name the rules without the pie rule")
        raise input_error(message, file=ruleset.name)
    neighbour = Beside(beside) if beside else None
    if neighbour:
        neighbour.require_rules(ruleset)
    _refuse_other_runs(folder)
    reader = GameReader(ruleset)
    proposals = [Proposal(ruleset, other) for other in under]
    differences = {other.name: defaultdict[str, Difference](Difference) for other in under}
    owned = provenances.claim_report_folder(folder, into_existing)
    owned.claim_files([PROBLEMS])
    gathered, asked = Gathered(ruleset, folder, neighbour), Asked(positions)
    found, read = Imported(folder), 0
    try:
        for path, some in ((file, some) for file in files for some in reader.read(file)):
            if most is not None and len(some.told) > most - found.games:
                some = some.first(most - found.games)
            labels = [band_label(told, band) for told in some.told]
            gathered.add(some, labels, reader.openings(some.block.moves), Path(path).name)
            asked.add(some, labels)
            for proposal in proposals:
                proposal.follow(some, labels, differences[proposal.proposal.name], Path(path).name)
            found.games += len(some.told)
            found.wrong.update(one.kind for one in some.wrong)
            found.named += some.wrong[: max(0, NAMED - len(found.named))]
            found.unfinished += sum(told.end.result == "unfinished" for told in some.told)
            read += len(some.told) + sum(one.left_out for one in some.wrong)
            on_progress(read)
            if found.games == most:
                break
        if not found.games:
            raise _nothing_left(str(files[0]), ruleset, found)
        content = _provenance(ruleset, folder, list(gathered.bands), neighbour, title, command)
        names = [str(one["name"]) for one in content["rulesets"]]
        pairings = [(str(one["first"]), str(one["second"])) for one in content["pairings"]]
        digests = gathered.finish(names, pairings)
    finally:
        gathered.close()
    said = {
        "files": [str(path) for path in files], "band": band, "read": read, "games": found.games,
        "left_out": {kind: count for kind, count in found.wrong.items() if kind not in REMARKS},
        "remarks": {kind: count for kind, count in found.wrong.items() if kind in REMARKS},
        "under": {
            name: {
                label: Difference.of([cells[member] for member in members]).as_json()
                for label, members in gathered.bands.items()
            }
            for name, cells in differences.items()
        },
        "titles": {other.name: [other.title, other.title_ja] for other in under},
        "rungs": agreements(ruleset, asked.by_cell(gathered.bands), project.find_project().reports, on_player),
    }  # fmt: skip
    content[PEOPLE] = {**((neighbour.provenance.get(PEOPLE) or {}) if neighbour else {}), ruleset.name: said}
    output.write_file(folder / PROBLEMS, _problems_csv(found.named).encode())
    provenances.save_provenance(folder, content, digests)
    for path in records.file_paths(folder):
        if f"{records.TRIALS}/{path.name}" not in digests:
            path.unlink()
    return found


def _nothing_left(file: str, ruleset: Ruleset, found: Imported) -> InputError:
    """Return the error of files without a single game that is possible under the rules."""
    left_out = next((one for one in found.named if one.left_out), None)
    if not left_out:
        return input_error(tr("no games are in it"), file=file)
    message = tr("no game in it is possible under {ruleset}, the first one because of: {words}")
    hint = tr("are these games of another variant? workbench rules {game} lists the rulesets", game=ruleset.game)
    return input_error(message.format(ruleset=ruleset.name, words=left_out.words()), hint, file=file)


def _problems_csv(named: Sequence[Wrong]) -> str:
    columns = ("file", "game", "line", "ply", "move", "kind", "reason", "left_out")
    rows = [
        {name: getattr(one, name) for name in columns} | {"reason": translated(one.reason or KINDS[one.kind])}
        for one in named
    ]
    return records.to_csv(pd.DataFrame(rows, columns=list(columns)), "%.6g")


def _refuse_other_runs(folder: Path) -> None:
    """Raise `InputError` if a folder holds the records of a run, which no file could bring back."""
    try:
        there = provenances.load_provenance(folder)
    except (FileNotFoundError, provenances.Damaged, records.Unavailable):
        there = {PEOPLE: {}} if not records.file_paths(folder) else {}
    if PEOPLE not in there:
        message = expected(tr("a new folder, or one of an earlier import"), tr("the records of a run"))
        raise input_error(message, tr("name another folder"), file=display_path(folder), key="--out")


def _provenance(
    ruleset: Ruleset, folder: Path, labels: Sequence[str], beside: Beside | None, title: str, command: str
) -> dict[str, Any]:
    """Return the provenance of the folder without the outcome: first the ruleset and the players beside."""
    declaration = games.declaration(ruleset.game)
    theirs: Mapping[str, Any] = beside.provenance if beside else {}
    pairings = {(pair["first"], pair["second"]): pair for pair in (beside.pairings if beside else ())}
    options = {"first_options": {"kind": PEOPLE}, "second_options": {"kind": PEOPLE}, "reproducible": False}
    of_people = {pair for pair, one in pairings.items() if (one.get("first_options") or {}).get("kind") == PEOPLE}
    people = {(label, label): {"first": label, "second": label, **options} for label in labels}
    people |= {pair: pairings[pair] for pair in of_people}
    pairings = {pair: one for pair, one in pairings.items() if pair not in of_people}
    pairings |= dict(sorted(people.items(), key=lambda each: band_of(each[0][0])))
    others = [one for one in (beside.rulesets if beside else ()) if one["name"] != ruleset.name]
    weights = {ruleset.game: {feature.name: feature.weight for feature in declaration.features}}
    return {
        "experiment": {
            "name": folder.name,
            "title": title or f"Games of people: {ruleset.title}",
            "title_ja": "" if title else f"人の対局：{ruleset.title_ja or ruleset.title}",
            "baseline": ruleset.name, "games": 0, "targets": {},
            "max_plies": int((theirs.get("experiment") or {}).get("max_plies") or 0),
            "seed": int((theirs.get("experiment") or {}).get("seed") or 0),
        },
        **{name: theirs[name] for name in CONTINUED if name in theirs},
        "rulesets": [ruleset_entry(ruleset), *others],
        "pairings": list(pairings.values()),
        "weights": {**weights, **(theirs.get("weights") or {})},
        **machine_entries([ruleset.game], 1, command),
        "engines": {**engine_digests([ruleset.game]), **(theirs.get("engines") or {})},
    }  # fmt: skip


def summary_lines(found: Imported, shown: int) -> Iterator[str]:
    """Yield the outcome of an import, line by line, with the first games that were left out."""
    yield tr("{games:,} games are on record.", games=found.games)
    if found.unfinished:
        yield tr("{count:,} of them have no result.", count=found.unfinished)
    for kind, count in found.wrong.most_common():
        message = tr("Left out for {kind}: {count:,}.")
        if kind in REMARKS:
            message = tr("On record despite {kind}: {count:,}.")
        yield message.format(kind=KINDS[kind], count=count)
    yield from (one.words() for one in found.named[:shown])
    if found.wrong.total() > shown:
        yield tr("The others are named in {path}.", path=display_path(found.folder / PROBLEMS))


DRAUGHTS = "draughts"
EXAMPLES = 3
"""Games that are named of each kind of difference."""


@dataclass
class Difference:
    """The numbers of games that remain possible under a proposal, or do not."""

    games: int = 0
    legal: int = 0
    """Games that stay legal to their end, and end as they did."""
    other_result: int = 0
    """Games that stay legal to their end, where the proposal has another result."""
    plies: Counter[int] = field(default_factory=Counter)
    """The plies, from 1, of the first move that is not possible -> games."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Events of the first impossible move, with commas, or with a colon the ending before it -> games."""
    examples: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Sequence[Difference]) -> Difference:
        """Return the difference of several cells together."""
        whole = cls()
        for part in parts:
            whole.games += part.games
            whole.legal += part.legal
            whole.other_result += part.other_result
            whole.plies += part.plies
            whole.kinds += part.kinds
            for kind, named in part.examples.items():
                whole.examples[kind] = [*whole.examples.get(kind, []), *named][:EXAMPLES]
        return whole

    def as_json(self) -> dict[str, Any]:
        """All of it, as provenance keeps it."""
        return {
            "games": self.games, "legal": self.legal, "other_result": self.other_result,
            "plies": {str(ply): count for ply, count in sorted(self.plies.items())},
            "kinds": dict(self.kinds.most_common()), "examples": self.examples,
        }  # fmt: skip


class Proposal:
    """Follows games of a ruleset under another one of its family."""

    def __init__(self, base: Ruleset, proposal: Ruleset) -> None:
        self.proposal = proposal
        declaration = games.declaration(proposal.game)
        self._notation = games.notation(proposal.game)
        self._events = [event.name for event in declaration.events]
        self._endings = all_endings(declaration)
        self._base = make_rules(base.game, base.codes())
        self._rules = make_rules(proposal.game, proposal.codes())
        # Captures of several pieces are numbered by their place among all.
        numbered = base.game == DRAUGHTS and importlib.import_module("workbench.games.draughts.kernel_moves")
        self._followed = r.Replayer(self._rules, ROOM, captures_from=numbered.MULTI if numbered else 0)
        self._buffer = np.zeros(int(contract.max_moves(self._rules)), np.int32)
        self._draw_value = int(self._rules.draw_value)
        self._renamed = self._names_of_squares()

    def _names_of_squares(self) -> dict[str, str]:
        """Names under the proposal of the squares of the games' rules, where they depend on the rules."""
        names = getattr(self._notation, "names", None)
        if names is None:
            return {}
        others = names(self._rules)
        return {name: others[bit] for bit, name in names(self._base).items() if bit in others}

    def _written(self, text: str) -> str:
        """Return a move of the games' rules as the proposal writes it."""
        return re.sub("[a-l]?[0-9]+", lambda name: self._renamed.get(name[0], name[0]), text) if self._renamed else text

    def follow(self, read: Games, labels: Sequence[str], into: Mapping[str, Difference], file: str) -> None:
        """Add games to the differences of their cells."""
        found, moves = read.block.found, read.block.moves.copy()
        plies, drawn_at = found[:, r.PLIES], found[:, r.DRAWN_AT]
        about = self._followed.follow(self._base, moves, read.block.moves, plies, drawn_at).found
        self._by_text(read, moves, about)
        kind_of = {}
        for game in np.flatnonzero(about[:, r.STATUS] != r.WHOLE).tolist():
            if about[game, r.STATUS] == r.OVER:
                kind_of[game] = f":{self._endings[int(about[game, r.TERMINATION])].name}"
                continue
            line = read.block.moves[game, : int(about[game, r.PLIES]) + 1]
            before, after = stand(self._base, line[:-1]), stand(self._base, line)
            counts = np.zeros(len(self._events), np.int32)
            count_events(self._base, before, int(line[-1]), after, counts)
            kind_of[game] = ",".join(self._events[place] for place in np.flatnonzero(counts > 0).tolist())
        for game, label in enumerate(labels):
            difference = into[label]
            difference.games += 1
            if game in kind_of:
                kind = kind_of[game]
                difference.plies[int(about[game, r.PLIES]) + 1] += 1
                difference.kinds[kind] += 1
                named = difference.examples.setdefault(kind, [])
                if len(named) < EXAMPLES:
                    named.append(self._example(read, moves[game], game, about[game], file))
                continue
            end = read.told[game].end
            result = int(about[game, r.RESULT])
            result = RESULTS.index(end.result) if result == found[game, r.RESULT] else result
            if RESULTS[self._draw_value if result == contract.DRAW else result] == end.result:
                difference.legal += 1
            else:
                difference.other_result += 1

    def _by_text(self, read: Games, moves: Any, about: Any) -> None:
        """Follow games on whose move only has another number: captures in draughts are numbered among all captures."""
        write = getattr(self._notation, "full", None)
        sure_to = np.full(len(moves), -1, np.int64)
        while write is not None:
            again = []
            for game in np.flatnonzero(about[:, r.STATUS] == r.UNMATCHED).tolist():
                ply = int(about[game, r.PLIES])
                line = read.block.moves[game]
                code = int(line[ply])
                base, there = stand(self._base, line[:ply]), stand(self._rules, moves[game, :ply])
                try:
                    other = self._notation.parse_move(self._rules, there, self._written(write(self._base, base, code)))
                except ValueError:
                    continue
                n = contract.legal_moves(self._rules, there, self._buffer)
                if int(other) in self._buffer[:n]:
                    moves[game, ply], sure_to[game] = other, ply
                    again.append(game)
            if not again:
                return
            found, played = read.block.found[again], read.block.moves[again]
            plies, drawn_at = found[:, r.PLIES], found[:, r.DRAWN_AT]
            block = self._followed.follow(self._base, moves[again], played, plies, drawn_at, sure_to[again])
            about[again] = block.found

    def _example(self, read: Games, moves: Any, game: int, about: Any, file: str) -> dict[str, Any]:
        """Return a game in which the proposal forbids a move: where it is, the move, and why it is forbidden.

        In brackets is the move as the proposal writes it, where its squares have other names.
        """
        ply = int(about[r.PLIES])
        line = read.block.moves[game]
        base, other = stand(self._base, line[:ply]), stand(self._rules, moves[:ply])
        text = str(self._notation.format_move(self._base, base, int(line[ply])))
        there = self._written(text)
        if about[r.STATUS] == r.OVER:
            reason = self._endings[int(about[r.TERMINATION])].sentence
        else:
            try:
                move = self._notation.parse_move(self._rules, other, there)
                reason = self._notation.explain(self._rules, other, there, move)
            except ValueError as problem:
                reason = error_text(problem)
        return {
            "file": file,
            "game": int(read.numbers[game]),
            "ply": ply + 1,
            "move": text if text == there else f"{text} ({there})",
            "reason": {language: translated(reason, language) for language in LANGUAGES},
        }


GATHERED = 1 << 13
"""Games of a cell that are in memory."""
Cell = tuple[str, str, str]
"""A ruleset, and the labels of the players of both seats."""
FEW_GAMES, FEW_SHARE = 10, 0.02
"""Bands at both ends with fewer games, or a smaller share of all, are merged with the next."""
CONTINUED = ("weights", "learned", "players", "openings", "engines")
"""Keys of a provenance about players, taken over with their games."""


def band_of(label: str) -> tuple[int, int]:
    """Return the lowest and the highest rating of a label; zeros where ratings are not known."""
    _, *ends = label.split("-")
    return (int(ends[0]), int(ends[1])) if len(ends) == 2 else (0, 0)


class Beside:
    """The records of another folder, of a run or of people, that are to stand beside the new ones."""

    def __init__(self, folder: Path) -> None:
        """Read the provenance.

        Raises:
            InputError: it has no records, or its games began with lines that were given to the players.
        """
        self.folder = folder
        try:
            self.provenance = provenances.load_provenance(folder)
        except (FileNotFoundError, provenances.Damaged, records.Unavailable) as error:
            raise self.refusal(expected(tr("a report folder with its records")), error_text(error)) from error
        if self.provenance["experiment"].get("openings"):
            raise self.refusal(expected(tr("games that players began at the start"), tr("some with given lines")))
        self.rulesets: Sequence[Mapping[str, Any]] = self.provenance["rulesets"]
        self.pairings: Sequence[Mapping[str, Any]] = self.provenance["pairings"]
        if not self.provenance.get("digests"):
            raise self.refusal(expected(tr("the records of a finished run"), NONE))

    def refusal(self, message: str, hint: str = "") -> InputError:
        """Return the error of a folder that cannot stand beside others."""
        return input_error(message, hint, file=display_path(self.folder), key="--beside")

    def require_rules(self, ruleset: Ruleset) -> None:
        """Raise `InputError` if its games of a ruleset of that name were played under other rules."""
        for one in self.rulesets:
            if one["name"] == ruleset.name and one["fingerprint"] != ruleset.fingerprint:
                raise self.refusal(tr("its games of {name} were played under other rules", name=ruleset.name))

    def cells(self, columns: Sequence[records.Column]) -> Iterator[tuple[Cell, str, pa.Table]]:
        """Its cells, each with the digest that its files give it, and its games with these columns.

        Raises:
            InputError: a file is damaged.
        """
        fields = records.arrow_schema(columns)
        for place in self.provenance["digests"]:
            path = self.folder / place
            try:
                file = records.read_file(path)
                whole = records.read_table(path)
            except (records.Unreadable, records.Unavailable) as error:
                raise input_error(error_text(error), file=str(path), key="--beside") from error
            parts = [
                whole[field.name].cast(field.type) if field.name in whole.column_names
                else pa.nulls(whole.num_rows, field.type)
                for field in fields
            ]  # fmt: skip
            table = pa.table(parts, schema=fields)
            for one, row in zip(file.note.segments, file.note.rows(), strict=True):
                yield (one.ruleset, one.first, one.second), one.cell, table.slice(row, one.count)


class Gathered:
    """Records by cell, in temporary files as soon as there are many."""

    def __init__(self, ruleset: Ruleset, folder: Path, beside: Beside | None = None) -> None:
        self.ruleset = ruleset
        self.folder = folder
        self.beside = beside
        self.declaration = games.declaration(ruleset.game)
        families = dict.fromkeys([ruleset.game, *(str(one["game"]) for one in (beside.rulesets if beside else ()))])
        declarations: list[Declaration] = [games.declaration(name) for name in families]
        self.columns = (*records.COLUMNS, records.MOVES, *records.PEOPLE, *records.event_columns(declarations))
        self.fields = records.arrow_schema(self.columns)
        self._waiting: dict[str, list[pa.Table]] = {}
        self._sizes: Counter[str] = Counter()
        self._blocks: dict[str, list[Path]] = {}
        self._place = tempfile.TemporaryDirectory(prefix=".workbench-", suffix=".tmp", dir=folder)

    @cached_property
    def bands(self) -> dict[str, list[str]]:
        """The label of each cell's players, and the labels that were gathered in it, when all games are there.

        The lowest and the highest bands are merged with the next while they have few games.
        """
        few = max(FEW_GAMES, FEW_SHARE * sum(self._sizes.values()))
        rated = sorted((low, high, label) for label in self._sizes for low, high in [band_of(label)] if high)
        cells = [(low, high, [label]) for low, high, label in rated]
        for end in (0, -1):
            while len(cells) > 1 and sum(self._sizes[label] for label in cells[end][2]) < few:
                one, other = cells.pop(end), cells.pop(end)
                lowest, highest = sorted((one, other))
                cells.insert(0 if end == 0 else len(cells), (lowest[0], highest[1], lowest[2] + highest[2]))
        unrated = {label: [label] for label in self._sizes if not band_of(label)[1]}
        return unrated | {f"{PEOPLE}-{low}-{high}": members for low, high, members in cells}

    def add(self, some: Games, labels: Sequence[str], openings: Sequence[str], file: str) -> None:
        """Add games, each to the cell of its label."""
        if not some.told:
            return
        whole = self._table(some, openings, file)
        names = np.array(labels, object)
        for label in dict.fromkeys(labels):
            rows = np.flatnonzero(names == label)
            part = whole.take(pa.array(rows))
            self._sizes[label] += len(rows)
            waiting = self._waiting.setdefault(label, [])
            waiting.append(part)
            if sum(each.num_rows for each in waiting) >= GATHERED:
                self._write(label)

    def _table(self, some: Games, openings: Sequence[str], file: str) -> pa.Table:
        block, told = some.block, some.told
        n = len(told)
        plies = block.found[:, PLIES]
        table = records.block_table(
            {"experiment": self.folder.name, "ruleset": self.ruleset.name, "fingerprint": self.ruleset.fingerprint,
             "first": "", "second": "", "cell": 0},
            0,
            np.zeros(n, np.uint64),
            {
                "result": block.found[:, RESULT],
                "termination": np.maximum(block.found[:, TERMINATION], 1),
                "plies": plies, "turns": block.found[:, TURNS], "legal_moves": block.legal, "game_hash": block.hashes,
                "events": block.counts, "opening": openings,
                records.MOVES.name: [
                    " ".join(map(str, line[:length])) for line, length in zip(block.moves.tolist(), plies, strict=True)
                ],
            },
            self.declaration,
            self.columns,
        )  # fmt: skip
        people = {
            "result": [one.end.result for one in told], "termination": [one.end.termination for one in told],
            "first_rating": [one.first_rating for one in told], "second_rating": [one.second_rating for one in told],
            "date": [one.date for one in told], "event": [one.event for one in told],
            "source_file": [file] * n, "source_game": some.numbers,
        }  # fmt: skip
        for name, values in people.items():
            place = table.schema.get_field_index(name)
            table = table.set_column(place, table.schema.field(place), pa.array(values, table.schema.field(place).type))
        return table

    def _digest(self, label: str) -> str:
        return hashlib.sha256(f"{self.ruleset.fingerprint} {label}".encode()).hexdigest()[:16]

    def _write(self, label: str) -> None:
        paths = self._blocks.setdefault(label, [])
        path = Path(self._place.name) / f"{self._digest(label)}-{len(paths)}.parquet"
        stream = pa.BufferOutputStream()
        pq.write_table(pa.concat_tables(self._waiting.pop(label)), stream)
        paths.append(output.write_file(path, stream.getvalue()))

    def finish(self, names: Sequence[str], pairings: Sequence[tuple[str, str]]) -> dict[str, str]:
        """Write the records, cell by cell, in the order of rulesets and pairings; returns the digests of the files.

        Raises:
            InputError: the folder beside has games of a cell that was gathered.
        """
        order = {(name, *pair): number for number, (name, pair) in enumerate(itertools.product(names, pairings))}
        cells: list[tuple[Cell, str, pa.Table | None]] = []
        cells += [((self.ruleset.name, label, label), self._digest(label), None) for label in self.bands]
        mine = {cell for cell, _, _ in cells}
        if self.beside:
            for cell, digest, table in self.beside.cells(self.columns):
                if cell in mine:
                    message = tr("has games of {label} under {name}, too: import all files at once")
                    raise self.beside.refusal(message.format(label=cell[1], name=cell[0]))
                if table.num_rows:
                    cells.append((cell, digest, table))
        cells.sort(key=lambda each: order[each[0]])
        totals: Counter[Cell] = Counter()
        digests: dict[Cell, str] = {}
        for cell, digest, table in cells:
            mine_of_cell = (self._sizes[label] for label in self.bands[cell[1]]) if table is None else (table.num_rows,)
            totals[cell] += sum(mine_of_cell)
            digests.setdefault(cell, digest)
        rows = _Pieces(part for cell, _, table in cells for part in self._rows(cell, order[cell], table))
        engines = engine_digests([self.ruleset.game])
        files = []
        whole = [Segment(digests[cell], order[cell], *cell, 0, total) for cell, total in totals.items()]
        for segments in records.cut(whole):
            part = pa.concat_tables(rows.take(sum(one.count for one in segments)))
            note = Note(self.folder.name, tuple(segments), engines)
            files.append(records.write_file(self.folder, part, note))
        return records.digests_of(files)

    def _rows(self, cell: Cell, number: int, table: pa.Table | None) -> Iterator[pa.Table]:
        own: dict[str, str | int] = {
            "experiment": self.folder.name,
            "first": cell[1],
            "second": cell[2],
            "cell": number,
        }
        if table is not None:
            yield records.with_constant_columns(table, own)
            return
        game, place = 0, self.fields.get_field_index("game")
        for part in self._gathered(self.bands[cell[1]]):
            numbers = pa.array(np.arange(game, game + part.num_rows), pa.int32())
            game += part.num_rows
            yield records.with_constant_columns(part.set_column(place, self.fields.field(place), numbers), own)

    def _gathered(self, labels: Sequence[str]) -> Iterator[pa.Table]:
        for label in labels:
            for path in self._blocks.get(label, ()):
                yield records.read_table(path)
            yield from self._waiting.get(label, ())

    def close(self) -> None:
        """Delete the temporary files."""
        self._place.cleanup()


class _Pieces:
    """Tables that follow each other, cut elsewhere."""

    def __init__(self, tables: Iterable[pa.Table]) -> None:
        self._tables = iter(tables)
        self._rest: pa.Table | None = None

    def take(self, rows: int) -> Iterator[pa.Table]:
        """Yield the next so many rows."""
        while rows:
            table = self._rest if self._rest is not None else next(self._tables)
            self._rest = table.slice(rows) if table.num_rows > rows else None
            yield table.slice(0, rows)
            rows -= min(rows, table.num_rows)


EARLIEST = 8
"""Plies of a game before its position is chosen: people know openings by heart."""
MOST_NODES = 20_000
"""Players that search more positions a move are left out: they would take hours."""


class Asked:
    """Positions of people's games, by cell: one of each game, at a ply drawn by its number."""

    def __init__(self, most: int) -> None:
        """``most`` positions of a cell, those of its first games."""
        self.most = most
        self.lines: dict[str, list[list[int]]] = {}
        """The moves up to the one that was made, which is the last."""

    def add(self, some: Games, labels: Sequence[str]) -> None:
        """Add positions of some games."""
        for game, label in enumerate(labels):
            lines = self.lines.setdefault(label, [])
            plies = int((some.block.moves[game] >= 0).sum())
            if len(lines) < self.most and plies > EARLIEST:
                ply = EARLIEST + int(some.numbers[game]) * 2654435761 % 2**32 % (plies - EARLIEST)
                lines.append(some.block.moves[game, : ply + 1].tolist())

    def by_cell(self, bands: Mapping[str, Sequence[str]]) -> dict[str, list[list[int]]]:
        """Return the positions of each cell, after bands were merged."""
        return {
            label: [line for member in members for line in self.lines.get(member, ())][: self.most]
            for label, members in bands.items()
        }


def agreements(
    ruleset: Ruleset,
    asked: Mapping[str, Sequence[Sequence[int]]],
    reports: Path,
    on_progress: Callable[[str], object] = lambda label: None,
) -> dict[str, Any]:
    """How often each player of the rules' kept ladder agrees with the people of each cell, by the lines of `Asked`.

    Empty if there is no ladder by this engine. Random players are left out.
    """
    engine = engine_digests([ruleset.game])[ruleset.game]
    kept = (one for one in provenances.saved_ladders(reports, ruleset.fingerprint) if one["engine"] == engine)
    ladder: Mapping[str, Any] | None = next(kept, None)
    if ladder is None or not any(asked.values()):
        return {}
    found: dict[str, Any] = {}
    for entry in ladder["players"]:
        agent = AgentSpec.from_provenance(str(entry["player"]), entry["options"]).judge()
        if agent.outside or agent.declared.at_random or agent.nodes > MOST_NODES:
            continue
        on_progress(agent.label)
        try:
            player = library.engine_player(agent, ruleset)
        except InputError:
            continue
        agrees: dict[str, list[int]] = {}
        for label, lines in asked.items():
            moves = [best_move(ruleset.game, ruleset.codes(), player, i, line[:-1]) for i, line in enumerate(lines)]
            if lines:
                agrees[label] = [sum(move == line[-1] for move, line in zip(moves, lines, strict=True)), len(lines)]
        found[str(entry["player"])] = {"elo": entry["elo"]["value"], "agrees": agrees}
    return found
