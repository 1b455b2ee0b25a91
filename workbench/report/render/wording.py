"""Headings and labels of the written report, and how a game ended in a sentence."""

from __future__ import annotations

from workbench import games
from workbench.games import results
from workbench.games.declaration import Declaration
from workbench.language.text import Text, bilingual, verbatim
from workbench.report.model import Replay

TEXTS = {
    "guide": Text("How to read the report", "レポートの読み方"),
    "contents": Text("Contents", "目次"),
    "before": Text("baseline", "基準"),
    "after": Text("proposal", "案"),
    "proposals": Text("Proposals", "案"),
    "example": Text("Example", "例"),
    "opened": Text("Only the proposal allows", "案でのみ可能な手"),
    "shut": Text("Only the baseline allows", "基準でのみ可能な手"),
    "plays": Text("Moves", "手順"),
    "stop": Text(".", "。"),
    "typical": Text("Typical lines", "よくある序盤"),
    "viewer": Text("Replay of a game", "棋譜の再生"),
    "choose": Text("Game", "対局を選ぶ"),
    "first": Text("To the start", "最初へ"),
    "previous": Text("One move back", "1手戻る"),
    "next": Text("One move on", "1手進む"),
    "last": Text("To the end", "最後へ"),
    "play": Text("Play", "自動再生"),
    "pause": Text("Pause", "一時停止"),
    "speed": Text("Speed", "再生の速さ"),
    "curve": Text(
        "Place in the game, and what the players' evaluation expected of it, without search",
        "棋譜の位置と、プレイヤーの評価関数（読みなし）による形勢",
    ),
    "copy_text": Text("Copy as text", "テキストでコピー"),
    "copy_link": Text("Link to this ply", "この局面へのリンク"),
    "copied": Text("Copied.", "コピーした。"),
    "had": Text("In the folder of this report:", "このレポートのフォルダで："),
    "arrows": Text(
        "Arrow keys step through the game, Home and End jump, Space plays it; a phone is swiped. The curve is what the "
        "players' evaluation expects, without search; its marks, and those of moves, are what a rule choice speaks of.",
        "矢印キーで1手ずつ、Home・Endキーで最初と最後へ移動し、スペースキーで自動再生する。スマートフォンでは横に"
        "スワイプ。曲線はプレイヤーの評価関数（読みなし）による形勢。曲線と棋譜の印は、ルールの選択に関わる出来事。",
    ),
}
WON = Text("{player} wins after {plies} plies", "{plies}手で{player}の勝ち")
DRAWN = Text("A draw after {plies} plies", "{plies}手で引き分け")
AHEAD = Text("{player} ahead", "{player}優勢")
STOPPED = Text("Stopped after {plies} plies", "{plies}手で打ち切り")
ENDING = Text("{result}: {termination}. {sentence}", "{result}。{sentence}")


def ending(replay: Replay) -> Text:
    """How a game ended, in a sentence."""
    declaration = games.declaration(replay.family)
    result = {"draw": DRAWN, "unfinished": STOPPED}.get(replay.result, WON)
    player = seat_names(declaration)[replay.result == "second"]
    return ENDING.format(
        result=result.format(plies=replay.plies, player=player),
        termination=replay.termination,
        sentence=termination(declaration, replay.termination),
    )


def termination(declaration: Declaration, name: str) -> Text:
    """The sentence of a way to end."""
    named = results.ending(declaration, name)
    return bilingual(named.sentence, named.ja) if named else verbatim("")


def seat_names(declaration: Declaration) -> tuple[Text, Text]:
    """What players call the two seats."""
    first, second = declaration.seats
    return Text(first, "先手"), Text(second, "後手")
