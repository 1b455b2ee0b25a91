"""People's games as a report folder: records, of the same columns as those of a run, and their provenance.

Games are gathered by cells, one for each band of ratings, in block files beside each other, and merged at the end: so
memory holds some thousand games, however many there are.
"""

from __future__ import annotations

import datetime
import platform
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import workbench
from workbench import games
from workbench.errors import InputError, Problem, display_path
from workbench.files import output, project
from workbench.games.declaration import NO_SWAP, SWAP
from workbench.language import tr, translated
from workbench.people.gathering import CONTINUED, Beside, Gathered, band_of
from workbench.people.reading import KINDS, REMARKS, GameReader, Told, Wrong
from workbench.people.rungs import Asked, agreements
from workbench.people.under import Difference, Proposal
from workbench.questions.agent_kinds import PEOPLE
from workbench.questions.rulesets import Ruleset
from workbench.run.manifest import cpu_name, current_commit, engine_digests
from workbench.store import provenance as provenances
from workbench.store import record_files, records

PROBLEMS = "left-out.csv"
"""The file that names the games that were left out, and those on record with something odd."""
NAMED = 100_000
"""Games of either kind that are named in `PROBLEMS`; all are counted."""


@dataclass(frozen=True)
class Wanted:
    """The request of an import."""

    files: Sequence[str | Path]
    ruleset: Ruleset
    band: int = 400
    """Width of a band of ratings."""
    most: int | None = None
    """Games at most."""
    under: Sequence[Ruleset] = ()
    beside: Path | None = None
    """A report folder whose games are to stand beside them."""
    asked: int = 50
    """Positions of each cell in which the players of a ladder are asked for their move."""
    title: str = ""
    command: str = ""


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
    """The label of the players of a game: the band of the mean of their ratings."""
    if told.first_rating is None or told.second_rating is None:
        return PEOPLE
    low = (told.first_rating + told.second_rating) // 2 // width * width
    return f"{PEOPLE}-{low}-{low + width - 1}"


def import_games(
    wanted: Wanted,
    folder: Path,
    into_existing: bool = False,
    on_progress: Callable[[int], object] = lambda games: None,
    on_player: Callable[[str], object] = lambda label: None,
) -> Imported:
    """Reads files of games into a report folder, whose earlier records they replace.

    ``on_progress`` is told how many games were read so far, ``on_player`` which player of a ladder is asked.

    Raises:
        InputError: a file cannot be read, or no game of all is possible under the rules; or the folder cannot be used.
    """
    for other in wanted.under:
        if other.game != wanted.ruleset.game:
            message = tr("expected a ruleset of {game}, found {name}", game=wanted.ruleset.game, name=other.name)
            raise InputError([Problem("", None, "--under", message)])
    if wanted.ruleset.settings[SWAP] != NO_SWAP:
        message = tr("games in which players may swap sides cannot be read: name the rules without the pie rule")
        raise InputError([Problem(wanted.ruleset.name, None, None, message)])
    beside = Beside(wanted.beside) if wanted.beside else None
    if beside:
        beside.require_rules(wanted.ruleset)
    _refuse_other_runs(folder)
    reader = GameReader(wanted.ruleset)
    proposals = [Proposal(wanted.ruleset, other) for other in wanted.under]
    differences: dict[str, dict[str, Difference]] = {other.name: {} for other in wanted.under}
    owned = provenances.claim_report_folder(folder, into_existing)
    owned.claim_files([PROBLEMS])
    gathered, asked = Gathered(wanted.ruleset, folder, beside), Asked(wanted.asked)
    found, read = Imported(folder), 0
    try:
        for path, some in ((file, some) for file in wanted.files for some in reader.read(file)):
            if wanted.most is not None and len(some.told) > wanted.most - found.games:
                some = some.first(wanted.most - found.games)
            labels = [band_label(told, wanted.band) for told in some.told]
            gathered.add(some, labels, reader.openings(some.block.moves), Path(path).name)
            asked.add(some, labels)
            for proposal in proposals:
                cells = differences[proposal.proposal.name]
                for label in labels:
                    cells.setdefault(label, Difference())
                proposal.follow(some, labels, cells, Path(path).name)
            found.games += len(some.told)
            found.wrong.update(one.kind for one in some.wrong)
            found.named += some.wrong[: max(0, NAMED - len(found.named))]
            found.unfinished += sum(told.end.result == "unfinished" for told in some.told)
            read += len(some.told) + sum(one.left_out for one in some.wrong)
            on_progress(read)
            if found.games == wanted.most:
                break
        if not found.games:
            raise _nothing_left(wanted, found)
        content = _provenance(wanted, folder, list(gathered.bands), beside)
        names = [str(one["name"]) for one in content["rulesets"]]
        pairings = [(str(one["first"]), str(one["second"])) for one in content["pairings"]]
        digests = gathered.finish(names, pairings)
    finally:
        gathered.close()
    said = {
        "files": [str(path) for path in wanted.files], "band": wanted.band, "read": read, "games": found.games,
        "left_out": {kind: count for kind, count in found.wrong.items() if kind not in REMARKS},
        "remarks": {kind: count for kind, count in found.wrong.items() if kind in REMARKS},
        "under": {
            name: {
                label: Difference.of([cells[member] for member in members if member in cells]).as_json()
                for label, members in gathered.bands.items()
            }
            for name, cells in differences.items()
        },
        "titles": {other.name: [other.title, other.title_ja] for other in wanted.under},
        "rungs": agreements(wanted.ruleset, asked.by_cell(gathered.bands), project.find_project().reports, on_player),
    }  # fmt: skip
    content[PEOPLE] = {**((beside.provenance.get(PEOPLE) or {}) if beside else {}), wanted.ruleset.name: said}
    output.write_file(folder / PROBLEMS, _problems_csv(found.named).encode())
    provenances.save_provenance(folder, content, digests)
    for path in record_files.file_paths(folder):
        if f"{record_files.TRIALS}/{path.name}" not in digests:
            path.unlink()
    return found


def _nothing_left(wanted: Wanted, found: Imported) -> InputError:
    """The error of files without a single game that is possible under the rules."""
    left_out = next((one for one in found.named if one.left_out), None)
    if not left_out:
        return InputError([Problem(str(wanted.files[0]), None, None, tr("no games are in it"))])
    message = tr(
        "no game in it is possible under {ruleset}, the first one because of: {words}",
        ruleset=wanted.ruleset.name,
        words=left_out.words(),
    )
    hint = tr("are these games of another variant? workbench rules {game} lists the rulesets", game=wanted.ruleset.game)
    return InputError([Problem(str(wanted.files[0]), None, None, message, hint)])


def _problems_csv(named: Sequence[Wrong]) -> str:
    import pandas as pd

    columns = ("file", "game", "line", "ply", "move", "kind", "reason", "left_out")
    rows = [
        {name: getattr(one, name) for name in columns} | {"reason": translated(one.reason or KINDS[one.kind])}
        for one in named
    ]
    return records.to_csv(pd.DataFrame(rows, columns=list(columns)), "%.6g")


def _refuse_other_runs(folder: Path) -> None:
    """Raises `InputError` if a folder holds the records of a run: they are no files that can be read again."""
    try:
        there = provenances.load_provenance(folder)
    except (FileNotFoundError, provenances.Damaged, record_files.Unavailable):
        there = {PEOPLE: {}} if not record_files.file_paths(folder) else {}
    if PEOPLE not in there:
        message = tr("expected a new folder, or one of an earlier import; found the records of a run")
        raise InputError([Problem(display_path(folder), None, "--out", message, tr("name another folder"))])


def _provenance(wanted: Wanted, folder: Path, labels: Sequence[str], beside: Beside | None) -> dict[str, Any]:
    """The provenance of the folder without the outcome: first the ruleset and the players beside."""
    ruleset = wanted.ruleset
    declaration = games.declaration(ruleset.game)
    theirs: Mapping[str, Any] = beside.provenance if beside else {}
    own = {
        "name": ruleset.name, "title": ruleset.title, "title_ja": ruleset.title_ja,
        **({"label": ruleset.label} if ruleset.label else {}),
        "game": ruleset.game, "fingerprint": ruleset.fingerprint, "settings": dict(ruleset.settings),
    }  # fmt: skip
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
            "title": wanted.title or f"Games of people: {ruleset.title}",
            "title_ja": "" if wanted.title else f"人の対局：{ruleset.title_ja or ruleset.title}",
            "baseline": ruleset.name, "games": 0, "targets": {},
            "max_plies": int((theirs.get("experiment") or {}).get("max_plies") or 0),
            "seed": int((theirs.get("experiment") or {}).get("seed") or 0),
        },
        **{name: theirs[name] for name in CONTINUED if name in theirs},
        "rulesets": [own, *others],
        "pairings": list(pairings.values()),
        "weights": {**weights, **(theirs.get("weights") or {})},
        "versions": {
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in ("numpy", "numba", "pandas", "pyarrow")},
            "workbench": workbench.__version__,
            **({"commit": current_commit()} if current_commit() else {}),
        },
        "engines": {**engine_digests([ruleset.game]), **(theirs.get("engines") or {})},
        "cpu": cpu_name(),
        "workers": 1,
        "command": wanted.command,
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }  # fmt: skip


def summary_lines(found: Imported, shown: int) -> Iterator[str]:
    """The outcome of an import, line by line, with the first games that were left out."""
    yield tr("{games:,} games are on record.", games=found.games)
    if found.unfinished:
        yield tr("{count:,} of them have no result.", count=found.unfinished)
    for kind, count in found.wrong.most_common():
        message = (
            tr("On record despite {kind}: {count:,}.") if kind in REMARKS else tr("Left out for {kind}: {count:,}.")
        )
        yield message.format(kind=KINDS[kind], count=count)
    yield from (one.words() for one in found.named[:shown])
    if found.wrong.total() > shown:
        yield tr("The others are named in {path}.", path=display_path(found.folder / PROBLEMS))
