"""The sections of a report as one HTML file that needs nothing else."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from workbench import games
from workbench.games.declaration import Board, Declaration
from workbench.report.boards import Pieces, svg
from workbench.report.model import Chart, Games, Part, Section
from workbench.report.names import pair_words
from workbench.report.replays import Replay, frames
from workbench.report.words import LANGUAGES, Words, either, joined, same
from workbench.store import records

HERE = Path(__file__).parent
TEXTS = {
    "guide": Words("How to read the report", "レポートの読み方"),
    "contents": Words("Contents", "目次"),
    "before": Words("baseline", "基準"),
    "after": Words("proposal", "案"),
    "example": Words("Example", "例"),
    "opened": Words("Only the proposal allows", "案でのみ可能な手"),
    "shut": Words("Only the baseline allows", "基準でのみ可能な手"),
    "plays": Words("Moves", "手順"),
    "stop": Words(".", "。"),
    "viewer": Words("Replay of a game", "棋譜の再生"),
    "choose": Words("Game", "対局を選ぶ"),
    "first": Words("To the start", "最初へ"),
    "previous": Words("One move back", "1手戻る"),
    "next": Words("One move on", "1手進む"),
    "last": Words("To the end", "最後へ"),
    "arrows": Words(
        "Arrow keys step through the game, Home and End jump.",
        "矢印キーで1手ずつ、Home・Endキーで最初と最後へ移動できる。",
    ),
}
WON = Words("{player} wins after {plies} plies", "{plies}手で{player}の勝ち")
DRAWN = Words("A draw after {plies} plies", "{plies}手で引き分け")
STOPPED = Words("Stopped after {plies} plies", "{plies}手で打ち切り")
ENDING = Words("{result}: {termination}. {sentence}", "{result}（{termination}）。{sentence}")
ABOUT = Words(
    "{ruleset}, {pairing}, game {game} of {count}: {reasons}. Seed {seed}.",
    "{ruleset}、{pairing}、全{count}局中の第{game}局：{reasons}。乱数の種{seed}。",
)
FAILED = Words(
    "Game {game} of {ruleset}, {pairing}, cannot be shown: from its seed this version of the workbench plays another "
    "game than the one on record.",
    "{ruleset}、{pairing}の第{game}局は表示できない。この版のworkbenchが同じ乱数の種から指した棋譜は、"
    "記録と一致しなかった。",
)


def html(
    sections: Sequence[Section],
    title: Words,
    about: Words,
    colophon: Words,
    pieces: Pieces,
    lang: str = "en",
    guides: Mapping[str, str] | None = None,
    follow: bool = False,
) -> str:
    """The page; it opens in ``lang`` (en or ja), and its reader may switch.

    With ``follow`` it opens in the first of these languages that the reader's browser asks for, and in ``lang`` only
    where it asks for neither or runs no scripts. A language that the reader chose is kept by the browser.

    ``guides`` are the addresses of the guide to the report in each language, where there is one.
    """
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["groups"] = _groups
    shown = next((part for section in sections for part in section.parts if isinstance(part, Games)), None)
    view = _view(shown, pieces, LANGUAGES.index(lang)) if shown else None
    return environment.get_template("page.html").render(
        sections=sections,
        title=title,
        about=about,
        colophon=colophon,
        guides=guides or {},
        view=view,
        t=TEXTS,
        lang=lang,
        follow=follow,
        start=LANGUAGES.index(lang),
        titles=_json(title._asdict()),
        definitions=pieces.definitions(),
        style=Markup((HERE / "style.css").read_text(encoding="utf-8")),
        script=Markup((HERE / "script.js").read_text(encoding="utf-8")),
    )


def _groups(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """The parts, small charts that follow each other together."""
    for small, group in itertools.groupby(parts, lambda part: isinstance(part, Chart) and part.small):
        if small:
            yield list(group)
        else:
            yield from ([part] for part in group)


def _json(value: Any) -> Markup:
    """JSON that may stand inside a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


@dataclass(frozen=True)
class _Group:
    """Games of one ruleset in the list to choose from."""

    words: Words
    games: list[tuple[int, Words]]


@dataclass(frozen=True)
class _View:
    """What the replay viewer needs."""

    games: list[dict[str, Any]]
    groups: list[_Group]
    boards: list[tuple[str, Markup]]
    picture: Markup
    data: Markup
    failed: list[Words]


def _view(shown: Games, pieces: Pieces, start: int) -> _View:
    replays = [replay for replay in shown.replays if replay.moves is not None]
    failed = [
        FAILED.format(
            game=replay.game + 1, ruleset=shown.short[replay.ruleset], pairing=pair_words((replay.first, replay.second))
        )
        for replay in shown.replays
        if replay.moves is None
    ]
    boards: dict[Any, tuple[str, Markup]] = {}
    found: list[dict[str, Any]] = []
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
        found.append(
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
        name = same(shown.short[replay.ruleset])
        if not groups or groups[-1].words != name:
            groups.append(_Group(name, []))
        groups[-1].games.append((number, _option(replay, shown)))
    return _View(found, groups, list(boards.values()), picture, _json(found), failed)


def _option(replay: Replay, shown: Games) -> Words:
    text = Words("{ruleset}: {reasons} ({plies} plies, {pairing})", "{ruleset}：{reasons}（{plies}手、{pairing}）")
    return text.format(
        ruleset=shown.short[replay.ruleset],
        reasons=joined(replay.reasons),
        plies=replay.plies,
        pairing=pair_words((replay.first, replay.second)),
    )


def _about(replay: Replay, shown: Games) -> Words:
    pair = (replay.first, replay.second)
    return ABOUT.format(
        ruleset=shown.short[replay.ruleset],
        pairing=pair_words(pair),
        game=f"{replay.game + 1:,}",
        count=f"{shown.count[replay.ruleset, *pair]:,}",
        reasons=joined(replay.reasons),
        seed=replay.seed,
    )


def ending(replay: Replay) -> Words:
    """How a game ended, in words."""
    declaration = games.declaration(replay.family)
    result = {"draw": DRAWN, "unfinished": STOPPED}.get(replay.result, WON)
    winner = declaration.seats[replay.result == "second"]
    player = Words(winner, "後手" if replay.result == "second" else "先手")
    return ENDING.format(
        result=result.format(plies=replay.plies, player=player),
        termination=replay.termination,
        sentence=termination(declaration, replay.termination),
    )


def termination(declaration: Declaration, name: str) -> Words:
    """The sentence of a way to end."""
    endings = {**records.ENDINGS, **declaration.terminations}
    found = next((ending for ending in endings.values() if ending.name == name), None)
    return either(found.sentence, found.ja) if found else same("")


def _notes(positions: Sequence[Board]) -> tuple[list[str], list[int]]:
    """The different notes of a game as HTML, and which of them each position has."""
    known: dict[str, int] = {}
    places = []
    for board in positions:
        lines = itertools.zip_longest(board.notes, board.notes_ja or board.notes, fillvalue="")
        text = "; ".join(str(either(en, ja).__html__()) for en, ja in lines)
        places.append(known.setdefault(text, len(known)))
    return list(known), places
