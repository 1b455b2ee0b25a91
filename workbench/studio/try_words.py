"""Texts of the pages on which rules are tried out; a part of the catalogue in `words`."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.language.text import Text

TRY_WORDS: Mapping[str, Text] = {
    "try": Text("Try it out", "お試し"),
    "try_title": Text("Tried out: {own} – against {base}", "お試し：{own} ⇔ {base}"),
    "try_heading": Text("Try out {own} against {base}", "{own}を{base}と比べる"),
    "try_own": Text("your rules", "この案"),
    "try_against": Text("Compare with", "比べる相手"),
    "try_lead": Text(
        "Quick players play many games by both rules. The first result comes within seconds, an answer within minutes; "
        "you may leave this page meanwhile.",
        "簡易プレイヤーが両方のルールで多数の対局を行う。最初の結果は数秒で、判定は数分で出る。"
        "その間このページを離れてもよい。",
    ),
    "try_players": Text(
        "These are quick players: greedy takes what looks best at once, alphabeta-2 looks two plies ahead. Strong play "
        "may differ. Before you decide, let stronger players play (alphabeta-10k, or trained ones) in an experiment of "
        "your own: that takes hours rather than minutes.",
        "ここで使うのは簡易プレイヤーである。greedyは目先の最善手を選び、alphabeta-2は2手先まで読む。"
        "強いプレイヤーでは結果が異なることもある。決める前に、より強いプレイヤー（alphabeta-10kや学習済みのもの）で"
        "実験を行うとよい。数分ではなく数時間かかる。",
    ),
    "try_margin": Text(
        "Differences of less than {margin} points count as none.", "{margin}ポイント未満の差は、差がないものとみなす。"
    ),
    "try_kept": Text(
        "It is an ordinary experiment: {experiment}, with its games in {folder}. The same in a terminal:",
        "通常の実験として{experiment}に保存され、対局は{folder}に記録される。端末では次のコマンドで続けられる：",
    ),
    "try_tried": Text("The rules are kept as they were tried in {path}.", "試したルールは{path}に残る。"),
    "try_start": Text("Try it out", "試してみる"),
    "try_same": Text(
        "These are the rules of {base}. Change something first.", "{base}と同じルールである。まず何か変更する。"
    ),
    "try_alone": Text("There is no other ruleset of this game to compare with.", "比べられるルールがほかにない。"),
    "try_preparing": Text("Measuring how fast these games go…", "対局の速さを測定中…"),
    "try_next_look": Text(
        "The next look comes after {games} games of each ruleset.", "次の判定は各ルール{games}局のとき。"
    ),
    "try_no_look": Text(
        "The first look comes after {games} games of each ruleset. Nothing is shown before: to look whenever one likes "
        "is wrong too often.",
        "最初の判定は各ルール{games}局のときに行う。それまでは何も表示しない。都合のよいときに見ると、"
        "誤りが増えるためである。",
    ),
    "try_verdict": Text("The verdict", "判定"),
    "try_open": Text("Not decided yet.", "まだ判定できない。"),
    "try_undecided": Text("These games do not decide it.", "この対局数では判定できない。"),
    "try_fairer": Text("Fairer than {base}.", "{base}より公平。"),
    "try_less_fair": Text("Less fair than {base}.", "{base}より不公平。"),
    "try_no_meaningful_difference": Text("As fair as {base}.", "公平さは{base}と同程度。"),
    "try_partly": Text(
        "{verdict} That holds for {players}; between the other players these games do not decide it.",
        "{verdict}ただし{players}の場合で、ほかのプレイヤーどうしでは判定できない。",
    ),
    "try_mixed": Text("It depends on the players.", "プレイヤーによって異なる。"),
    "try_quick_only": Text("That is how it is between quick players.", "簡易プレイヤーどうしの場合。"),
    "try_says_fairer": Text(
        "Fairer than {base}: the first player's score is nearer to 50\N{NO-BREAK SPACE}% by {gain} points "
        "({low} to {high}).",
        "{base}より公平：先手の得点率が50\N{NO-BREAK SPACE}%に{gain}ポイント近づく（{low}〜{high}）。",
    ),
    "try_says_less_fair": Text(
        "Less fair than {base}: the first player's score is farther from 50\N{NO-BREAK SPACE}%, by {gain} points "
        "({low} to {high}).",
        "{base}より不公平：先手の得点率が50\N{NO-BREAK SPACE}%から{gain}ポイント遠ざかる（{low}〜{high}）。",
    ),
    "try_says_no_meaningful_difference": Text(
        "As fair as {base}: the difference is less than {margin} points ({low} to {high}).",
        "公平さは{base}と同程度：差は{margin}ポイント未満（{low}〜{high}）。",
    ),
    "try_says_open": Text(
        "Not decided yet: the gain in fairness is {gain} points ({low} to {high}).",
        "まだ判定できない：公平さの改善幅は{gain}ポイント（{low}〜{high}）。",
    ),
    "try_says_undecided": Text(
        "Not decided ({why}): the gain in fairness is {gain} points ({low} to {high}).",
        "判定できない（{why}）：公平さの改善幅は{gain}ポイント（{low}〜{high}）。",
    ),
    "try_says_nothing": Text("No look yet.", "まだ判定の回に達していない。"),
    "try_needed": Text(
        "Roughly {games} more games of each would decide it.", "判定には、各ルールあと{games}局ほど必要。"
    ),
    "try_chart": Text(
        "First player's score at each look, with its interval. {players}: {base_name} {base}, {own_name} {own}.",
        "各回の先手の得点率とその区間。{players}：{base_name} {base}、{own_name} {own}。",
    ),
    "try_score": Text("First player's score, %", "先手の得点率（%）"),
    "try_axis": Text("games of each ruleset", "各ルールの対局数"),
    "try_beside": Text("What else changes", "そのほかの変化"),
    "try_difference": Text("Difference", "差"),
    "try_games_why": Text("Three games that show why", "理由がわかる3局"),
    "try_rule_fired": Text(
        "A changed rule at work in {share} % of the games: {event}",
        "変更したルールが働いた対局（全体の{share} %）：{event}",
    ),
    "try_more_often": Text(
        "Ends in a way that became more frequent, from {before} to {after} %: {how}",
        "{before} %から{after} %に増えた終わり方：{how}",
    ),
    "try_first_wins": Text(
        "The first player wins: {after} % instead of {before} %", "先手の勝ち：{before} %から{after} %に増えた"
    ),
    "try_second_wins": Text(
        "The second player wins: {after} % instead of {before} %", "後手の勝ち：{before} %から{after} %に増えた"
    ),
    "try_draws": Text("A draw: {after} % instead of {before} %", "引き分け：{before} %から{after} %に増えた"),
    "try_typical": Text("A game of typical length", "標準的な長さの対局"),
    "try_shortest": Text("The shortest game", "最も短い対局"),
    "try_longest": Text("The longest game", "最も長い対局"),
    "try_all_games": Text("Any other game of it", "ほかの対局を見る"),
    "try_report": Text("The whole report", "レポート全体"),
    "try_stronger": Text("Make an experiment", "実験を作る"),
    "try_settings": Text("How it is tried", "試し方"),
}
