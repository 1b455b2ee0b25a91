"""Games of people for programs: `workbench.read_games`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from workbench.addons.people import importing
from workbench.api.experiments import load
from workbench.api.rulesets import to_ruleset, to_whole_number
from workbench.base import project
from workbench.base.errors import expected, hide_internal_frames, input_error
from workbench.base.language import tr
from workbench.rules.rulesets import Ruleset


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
    """Read games of people into a report folder, and returns their records, a row a game, as `load` does.

    Every move is checked by the rules, in blocks and by machine code: a million games of chess take some minutes. Games
    that are not possible, of another game or without moves are left out; ``left-out.csv`` in the folder names them with
    file, line, number, ply, move and reason, and says what is odd about games on record. Columns that only these
    records have: ``first_rating``, ``second_rating``, ``date``, ``event``, ``source_file`` and ``source_game``;
    ``moves`` are kept. Who won by resignation or on time has won, with a ``termination`` of its own; a game without a
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
        raise input_error(expected(tr("the path of a file, or a list of paths"), tr("something else")), key="files")
    where = project.find_project()
    folder = Path(out) if out else where.report(Path(paths[0]).name.split(".")[0])
    importing.import_games(
        paths,
        to_ruleset(ruleset),
        folder,
        band=to_whole_number(band, "band", 10, 5000),
        most=None if games is None else to_whole_number(games, "games", 1, 1_000_000_000),
        under=[to_ruleset(other) for other in under],
        beside=where.existing_report_folder(beside) if beside else None,
        positions=to_whole_number(positions, "positions", 0, 10_000),
        command="workbench.read_games",
        into_existing=into_existing,
        on_progress=lambda read: progress(_Read(read)) if progress else None,
    )
    return load(folder)
