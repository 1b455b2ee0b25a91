"""The sections of a report as one HTML file that needs nothing else."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from workbench.games.declaration import Board
from workbench.report.labels import pairing_text
from workbench.report.model import Document, Replay, ReplayList
from workbench.report.render.boards import Pieces, svg
from workbench.report.render.svg import legend_key, plot, strip
from workbench.report.render.wording import TEXTS, ending
from workbench.report.text import LANGUAGES, Text, bilingual, joined, verbatim

HERE = Path(__file__).parent
ABOUT = Text(
    "{ruleset}, {pairing}, game {game} of {count}: {reasons}. Seed {seed}.",
    "{ruleset}、{pairing}、全{count}局中の第{game}局：{reasons}。乱数の種{seed}。",
)
FAILED = Text(
    "Game {game} of {ruleset}, {pairing}, cannot be shown: from its seed this version of the workbench plays another "
    "game than the one on record.",
    "{ruleset}、{pairing}の第{game}局は表示できない。この版のworkbenchが同じ乱数の種から指した棋譜は、"
    "記録と一致しなかった。",
)


def html(document: Document, lang: str = "en", guides: Mapping[str, str] | None = None, follow: bool = False) -> str:
    """The page; it opens in ``lang`` (en or ja), and its reader may switch.

    With ``follow`` it opens in the first of these languages that the reader's browser asks for, and in ``lang`` only
    where it asks for neither or runs no scripts. A language that the reader chose is kept by the browser.

    ``guides`` are the addresses of the guide to the report in each language, where there is one.
    """
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    shown = next((part for part in document.parts if isinstance(part, ReplayList)), None)
    pieces = Pieces()
    return environment.get_template("page.html").render(
        sections=document.sections,
        title=document.title,
        about=document.about,
        colophon=document.colophon,
        guides=guides or {},
        view=lambda: _view(shown, pieces, LANGUAGES.index(lang)) if shown else None,
        plot=plot,
        strip=strip,
        key=legend_key,
        board=lambda board, highlights, label: svg(board, pieces, highlights, label),
        t=TEXTS,
        lang=lang,
        follow=follow,
        start=LANGUAGES.index(lang),
        titles=_json(document.title._asdict()),
        definitions=pieces.definitions,
        style=Markup("").join(
            Markup((HERE / name).read_text(encoding="utf-8")) for name in ("boards.css", "style.css")
        ),
        script=Markup((HERE / "script.js").read_text(encoding="utf-8")),
    )


def _json(value: Any) -> Markup:
    """JSON that may stand inside a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


@dataclass(frozen=True)
class _Group:
    """Games of one ruleset in the list to choose from."""

    name: Text
    games: list[tuple[int, Text]]


@dataclass(frozen=True)
class _View:
    """What the replay viewer needs."""

    games: list[dict[str, Any]]
    groups: list[_Group]
    boards: list[tuple[str, Markup]]
    picture: Markup
    data: Markup
    failed: list[Text]


def _view(shown: ReplayList, pieces: Pieces, start: int) -> _View:
    replays = [replay for replay in shown.replays if replay.moves is not None]
    failed = [
        FAILED.format(
            game=replay.game + 1,
            ruleset=shown.short[replay.ruleset],
            pairing=pairing_text((replay.first, replay.second)),
        )
        for replay in shown.replays
        if replay.moves is None
    ]
    boards: dict[Any, tuple[str, Markup]] = {}
    shown_games: list[dict[str, Any]] = []
    groups: list[_Group] = []
    picture = Markup("")
    for number, replay in enumerate(replays):
        positions = list(replay.boards())
        grid = (positions[0].columns, positions[0].rows, positions[0].shaded)
        if grid not in boards:
            bare = Board(tuple(tuple("" for _ in row) for row in positions[0].cells), *grid)
            boards[grid] = (f"board-{len(boards)}", svg(bare, pieces))
        if number == 0:
            picture = svg(positions[-1], pieces)
        notes, note = _notes(positions)
        shown_games.append(
            {
                "board": boards[grid][0],
                "about": _about(replay, shown).__html__(),
                "ending": ending(replay).__html__(),
                "moves": replay.game_state.texts,
                "seats": replay.seats(),
                "frames": frames(positions, pieces.numbers),
                "notes": notes,
                "note": note,
            }
        )
        name = verbatim(shown.short[replay.ruleset])
        if not groups or groups[-1].name != name:
            groups.append(_Group(name, []))
        groups[-1].games.append((number, _option(replay, shown)))
    return _View(shown_games, groups, list(boards.values()), picture, _json(shown_games), failed)


def _option(replay: Replay, shown: ReplayList) -> Text:
    text = Text("{ruleset}: {reasons} ({plies} plies, {pairing})", "{ruleset}：{reasons}（{plies}手、{pairing}）")
    return text.format(
        ruleset=shown.short[replay.ruleset],
        reasons=joined(replay.reasons),
        plies=replay.plies,
        pairing=pairing_text((replay.first, replay.second)),
    )


def _about(replay: Replay, shown: ReplayList) -> Text:
    pair = (replay.first, replay.second)
    return ABOUT.format(
        ruleset=shown.short[replay.ruleset],
        pairing=pairing_text(pair),
        game=f"{replay.game + 1:,}",
        count=f"{shown.count[replay.ruleset, *pair]:,}",
        reasons=joined(replay.reasons),
        seed=replay.seed,
    )


def _notes(positions: Sequence[Board]) -> tuple[list[str], list[int]]:
    """The different notes of a game as HTML, and which of them each position has."""
    known: dict[str, int] = {}
    places = []
    for board in positions:
        lines = itertools.zip_longest(board.notes, board.notes_ja or board.notes, fillvalue="")
        text = "; ".join(str(bilingual(en, ja).__html__()) for en, ja in lines)
        places.append(known.setdefault(text, len(known)))
    return list(known), places


def frames(boards: Sequence[Board], numbers: Callable[[Board], list[int]]) -> list[list[int]]:
    """What changes from each position to the next: cell and piece, cell and piece, …; the first is all that stands.

    ``numbers`` gives the pieces on all cells of a board.
    """
    before = [0] * (len(boards[0].cells) * len(boards[0].cells[0]))
    frames = []
    for board in boards:
        after = numbers(board)
        changed = [i for i in range(len(after)) if before[i] != after[i]]
        frames.append([part for i in changed for part in (i, after[i])])
        before = after
    return frames
