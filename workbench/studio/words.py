"""Every text of the studio, in English and Japanese: the one catalogue, from which pages and their scripts are served.

A test compares the languages and looks for texts that are missing or that nothing uses. What the games themselves say
(titles, sentences, witnesses) stands in their declarations.
"""

from __future__ import annotations

from collections.abc import Mapping

from workbench.report.text import LANGUAGES, Text

WORDS: Mapping[str, Text] = {
    "studio": Text("Rule studio", "ルール工房"),
    "skip": Text("Skip to the rules", "ルールへ移動"),
    "areas": Text("Areas of the studio", "工房のページ"),
    "rules": Text("Rules", "ルール"),
    "idea": Text("An idea", "アイデア"),
    "play": Text("Play", "対局"),
    "language": Text("Language", "言語"),
    "theme": Text("Colours", "配色"),
    "auto": Text("As the system", "端末に合わせる"),
    "light": Text("Light", "明るい"),
    "dark": Text("Dark", "暗い"),
    "no_rulesets": Text(
        "This folder holds no rulesets. `workbench init my-rules` makes one that does.",
        "このフォルダにはルールがありません。`workbench init my-rules`で、ルール入りのフォルダを作れます。",
    ),
    "not_found": Text("There is no such page.", "そのページはありません。"),
    "games": Text("Games", "ゲーム"),
    "rulesets": Text("Rulesets", "ルール一覧"),
    "find": Text("Find a ruleset", "ルールを探す"),
    "nothing_found": Text("No ruleset has these words.", "該当するルールはありません。"),
    "new_from": Text("New rules from {name}", "{name}をもとにした新しいルール"),
    "editing": Text("The file of {name}", "{name}のファイル"),
    "edit_file": Text("Change its own file instead", "このルール自体のファイルを編集"),
    "derive": Text("Begin new rules from it", "これをもとに新しいルールを作る"),
    "title": Text("Title", "題名"),
    "begun": Text("A variant of {name}", "{name}の改案"),
    "base": Text("Base: {name}", "もと：{name}"),
    "no_base": Text("Base: the defaults of {name}", "もと：{name}の既定値"),
    "no_changes": Text("Nothing differs from the base yet.", "まだ、もとから変わったところはない。"),
    "changes": Text("Differs from the base:", "もとからの変更："),
    "undo": Text("Undo", "元に戻す"),
    "redo": Text("Redo", "やり直す"),
    "revert": Text("Discard", "破棄"),
    "revert_hint": Text("Back to how it began; Undo brings it back.", "最初の状態に戻す。「元に戻す」で取り消せる。"),
    "save": Text("Save…", "保存…"),
    "only_changed": Text("Only what differs", "変更したものだけ"),
    "choices": Text("Choices", "選択肢"),
    "book": Text("Rule book", "ルールブック"),
    "yaml": Text("YAML", "YAML"),
    "yaml_label": Text("The ruleset's file as YAML", "ルールファイル（YAML）"),
    "fine": Text("Everything fits together.", "矛盾はない。"),
    "problems": Text("To be mended", "要修正"),
    "line": Text("line {n}", "{n}行目"),
    "stale": Text(
        "The rule book shows what can be understood of the YAML.",
        "ルールブックには、YAMLのうち理解できるところまでを表示している。",
    ),
    "changed": Text("changed", "変更"),
    "default": Text("default", "既定"),
    "of_base": Text("base", "もと"),
    "was": Text("Base: {sentence}", "もと：{sentence}"),
    "clash": Text("Does not go together: {why}", "組み合わせ不可：{why}"),
    "number": Text("A number from {low} to {high}", "{low}から{high}までの数"),
    "step": Text("in steps of {step}", "{step}刻み"),
    "named_file": Text("A file of the folder {folder}", "フォルダ{folder}のファイル"),
    "prices": Text("Prices of one's own", "設置コストを変える"),
    "free": Text("free", "無料"),
    "free_of": Text("How many {name} cost nothing", "{name}が何個まで無料か"),
    "price_of": Text("Points for each {name}", "{name}1つの点数"),
    "source": Text("Source", "出典"),
    "board": Text("Position for {title}", "「{title}」の局面"),
    "no_position": Text("No position is needed to show this.", "この設定を示す局面はない。"),
    "drawing": Text("Drawing…", "描画中…"),
    "not_drawn": Text("The position could not be drawn.", "局面を描けなかった。"),
    "plays": Text("Moves: {moves}", "手順：{moves}"),
    "opened": Text("Only “{now}” allows: {moves}", "「{now}」でのみ可能な手：{moves}"),
    "shut": Text("Only “{was}” allows: {moves}", "「{was}」でのみ可能な手：{moves}"),
    "save_title": Text("Save as a ruleset", "ルールとして保存"),
    "save_name": Text("Name, such as free-drops", "名前（例：free-drops）"),
    "save_where": Text("Written to {folder}/", "保存先：{folder}/"),
    "save_now": Text("Save", "保存"),
    "cancel": Text("Cancel", "やめる"),
    "replace": Text("Replace the file", "ファイルを置き換える"),
    "taken": Text(
        "There is a file of this name already, or it has changed since it was opened. Replace it?",
        "同じ名前のファイルがすでにあるか、開いたあとで変更されています。置き換えますか。",
    ),
    "saved": Text("Saved as {name}", "{name}として保存した"),
    "reconnecting": Text("The studio does not answer.", "工房が応答しない。"),
    "play_these": Text("Play these rules", "このルールで対局"),
    "playing": Text("A game of {name}", "{name}の対局"),
    "to_rules": Text("To its rules", "ルールへ"),
    "not_playable": Text("These rules have to be mended first:", "先にルールを直す必要がある："),
    "to_move": Text("{seat} to move", "{seat}の番"),
    "thinking": Text("thinking…", "考え中…"),
    "compiling": Text(
        "Its machine code is being made, once for each game: up to a minute…",
        "このゲームの機械語を準備中（初回のみ、1分ほど）…",
    ),
    "ended": Text("{told}. {why}", "{told}。{why}"),
    "resigned": Text("{seat} resigns.", "{seat}の投了。"),
    "stopped": Text("Stopped after {plies} plies.", "{plies}手で打ち切り。"),
    "board_keys": Text(
        "Board: arrow keys move, Enter touches a square, Escape lets go.",
        "盤：矢印キーで移動、Enterで選択、Escapeで取り消し。",
    ),
    "legal_target": Text("may be moved to", "移動できる"),
    "in_hand": Text("From the hand", "持ち駒"),
    "which": Text("Which move?", "どの手？"),
    "undo_move": Text("Take back", "待った"),
    "redo_move": Text("Again", "再び指す"),
    "set_up": Text("Set up a position", "局面を作る"),
    "set_up_how": Text(
        "FEN (chess, draughts), rows (star game) or YAML in braces; empty: the start",
        "FEN（チェス、ドラフツ）、段ごとの文字列（★のゲーム）、または波括弧で囲んだYAML。空なら初期局面",
    ),
    "set_up_now": Text("Begin from it", "ここから始める"),
    "pass": Text("Pass", "パス"),
    "resign": Text("Resign", "投了"),
    "new_game": Text("New game", "新しい対局"),
    "human": Text("A person", "人"),
    "players_note": Text(
        "alphabeta-2 looks two plies ahead, alphabeta-10k at 10,000 positions a move.",
        "alphabeta-2は2手先まで、alphabeta-10kは1手に1万局面を読む。",
    ),
    "moves": Text("Moves", "棋譜"),
    "as_text": Text("Save as text", "テキストで保存"),
    "as_format": Text("Save as {format}", "{format}で保存"),
    "idea_lead": Text(
        "Say your idea in a few words. What the rulesets of {game} can already say about it is shown, nearest first.",
        "アイデアを短い言葉で書くと、{game}のルールですでに選べる近いものから順に表示する。",
    ),
    "idea_words": Text("Your idea", "アイデア"),
    "idea_example": Text("such as: drops near the enemy object", "例：相手のオブジェクトの近くに打つ"),
    "idea_none": Text(
        "No toggle of {game} speaks of this. Such a rule has to be added first:",
        "{game}のトグルには、これに触れるものがない。まずルールを追加する必要がある：",
    ),
    "idea_not_enough": Text(
        "If none of these says it, the rule has to be added first:",
        "この中になければ、まずルールを追加する必要がある：",
    ),
    "idea_how_1": Text(
        "Declare the toggle, with a sentence of the rule book for each value in both languages, in {rules}.",
        "{rules}にトグルを宣言し、値ごとにルールブックの文を日英で書く。",
    ),
    "idea_how_2": Text(
        "Say in the kernel what it does, one “if” at the place where the rule book has the sentence: {kernel}.",
        "ルールブックの文に当たるところで、その働きをカーネルに書く（if文1つ）：{kernel}。",
    ),
    "idea_how_3": Text(
        "Say the same a second time in the slow twin, from the rule text: {twin}.",
        "ルール文をもとに、検証用の双子プログラムにも同じことを書く：{twin}。",
    ),
    "idea_how_4": Text("Give a position in which it shows: {witnesses}.", "違いが現れる局面を添える：{witnesses}。"),
    "idea_how_more": Text("The steps are told in full in {guide}.", "手順の詳細は{guide}にある。"),
    "idea_open": Text("Choose it in {name}", "{name}で選ぶ"),
}


def words(language: str) -> dict[str, str]:
    """The catalogue in one language."""
    place = LANGUAGES.index(language)
    return {key: text[place] for key, text in WORDS.items()}
