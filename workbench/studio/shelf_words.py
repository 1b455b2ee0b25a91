"""The texts of the pages of experiments and reports; part of the catalogue in `words`."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.language.text import Text

SHELF_WORDS: Mapping[str, Text] = {
    "experiments": Text("Experiments", "実験"),
    "reports": Text("Reports", "レポート"),
    # Reports
    "reports_lead": Text(
        "The charts of every report in this folder, newest first. Touch a chart to see it large.",
        "このフォルダにあるレポートの図（新しい順）。図を選ぶと大きく表示する。",
    ),
    "no_reports": Text(
        "There are no reports yet: run an experiment first.", "まだレポートはない。まず実験を行う必要がある。"
    ),
    "script_of_others": Text(
        "This report was written by another version of the workbench, or by somebody else. The studio does not run its "
        "script, so replays and switches stand still; workbench report writes the page anew.",
        "このレポートは別の版のworkbench、または別の人が作成したもの。スタジオではそのスクリプトを実行しないため、"
        "棋譜の再生や切り替えは動かない。workbench reportでページを作り直せる。",
    ),
    "no_report": Text("There is no such report.", "そのレポートはない。"),
    "no_charts": Text("No charts.", "図はない。"),
    "find_report": Text("Find a report", "レポートを探す"),
    "chart_of": Text("{chart}, {report}", "{report}の図（{chart}）"),
    "compare_this": Text("Compare", "並べて見る"),
    "compare_one_more": Text("Choose one more report.", "もう1つ選ぶ。"),
    "compare_two": Text("Two reports are chosen.", "2つのレポートを選択中。"),
    "beside": Text("Open beside each other", "並べて開く"),
    "beside_another": Text("Beside another…", "別のレポートと並べる…"),
    "alone": Text("This one alone", "左だけにする"),
    "report_first": Text("The report", "レポート"),
    "report_second": Text("The report beside it", "並べるレポート"),
    "how_to_read": Text("How to read it", "読み方"),
    "own_tab": Text("In a tab of its own", "別のタブで開く"),
    "close": Text("Close", "閉じる"),
    # The list
    "new_experiment": Text("New experiment", "新しい実験"),
    "experiments_lead": Text(
        "Each is a question to some rulesets, answered by games that players play.",
        "実験とは、いくつかのルールへの問い。プレイヤー同士の対局で答えを出す。",
    ),
    "no_experiments": Text(
        "There are no experiments yet. Tick rulesets, players and a question, and there is one.",
        "まだ実験はない。ルールとプレイヤーと問いを選べば作れる。",
    ),
    "find_experiment": Text("Find an experiment", "実験を探す"),
    "looking": Text("Looking at the folders…", "フォルダを調べている…"),
    "queue": Text("Now and next", "実行中と順番待ち"),
    "earlier": Text("Earlier:", "先にする："),
    "later": Text("Later:", "後にする："),
    "take_out": Text("Take out", "取り消す"),
    "stop": Text("Stop", "止める"),
    "run_it": Text("Run", "実行"),
    "go_on": Text("Continue", "続ける"),
    "mend": Text("Mend and continue", "直して続ける"),
    "open_report": Text("Report", "レポート"),
    "report_so_far": Text("Report so far", "途中までのレポート"),
    "programs": Text(
        "It starts programs from outside, which only the terminal may allow (workbench studio --allow-programs).",
        "外部のプログラムを起動するため、端末からのみ実行できる（workbench studio --allow-programs）。",
    ),
    "no_file": Text(
        "Only its folder of reports is there, not the experiment's file.",
        "レポートのフォルダだけがあり、実験のファイルはない。",
    ),
    "differs": Text(
        "Its games were played as the file said before: a run would refuse to continue them.",
        "以前のファイルの内容による対局であり、今の内容では続けられない。",
    ),
    "state_not_begun": Text("not begun", "未実行"),
    "state_queued": Text("waiting", "順番待ち"),
    "state_running": Text("running, {percent} %", "実行中 {percent}%"),
    "state_elsewhere": Text("running elsewhere", "別の場所で実行中"),
    "state_stopped": Text("{percent} % played", "{percent}%まで"),
    "state_done": Text("done", "完了"),
    "state_damaged": Text("damaged", "破損あり"),
    "state_wrong": Text("to be mended", "要修正"),
    "phase_starting": Text("starting…", "準備中…"),
    "phase_training": Text("players are learning…", "プレイヤーの学習中…"),
    "phase_compiling": Text("machine code is being made…", "機械語を準備中…"),
    "phase_playing": Text("playing", "対局中"),
    "phase_reporting": Text("writing the report…", "レポートを作成中…"),
    "phase_stopping": Text("stopping…", "停止中…"),
    "games_asked": Text("{total} games", "{total}局"),
    "games_at_most": Text("at most {total} games", "最大{total}局"),
    "games_played": Text("{games} games", "{games}局"),
    "games_of": Text("{games} of {total} games", "{total}局中{games}局"),
    "games_of_at_most": Text("{games} of at most {total} games", "最大{total}局中{games}局"),
    "pace": Text("{n} games/s", "毎秒{n}局"),
    "left": Text("{time} left", "残り{time}"),
    "left_at_most": Text("at most {time} left", "残り最大{time}"),
    "seconds": Text("{n} s", "{n}秒"),
    "minutes": Text("{n} min", "{n}分"),
    "hours": Text("{hours} h {minutes} min", "{hours}時間{minutes}分"),
    "so_far": Text("So far", "途中経過"),
    "so_far_lead": Text(
        "How the games have ended so far. These shares still move; verdicts stand in the report.",
        "これまでの対局の結果。割合はまだ動く。判定はレポートにある。",
    ),
    "so_far_shares": Text(
        "first {first} %, drawn {draw} %, second {second} %", "先手{first}%、引き分け{draw}%、後手{second}%"
    ),
    "so_far_capped": Text(
        "first {first} %, drawn {draw} %, second {second} %, stopped {unfinished} %",
        "先手{first}%、引き分け{draw}%、後手{second}%、打ち切り{unfinished}%",
    ),
    # An experiment
    "new_question": Text("What do these rules change?", "ルールを変えると何が変わるか"),
    "experiment_of": Text("The experiment {name}", "実験{name}"),
    "its_run": Text("Its games", "この実験の対局"),
    "question_title": Text("Title of the experiment", "実験の題名"),
    "ask_rulesets": Text("Which rulesets are compared?", "比べるルール"),
    "ask_baseline": Text("Compared with", "比較の基準"),
    "varied": Text("Besides, `vary` makes {count} rulesets.", "ほかに、`vary`で作る{count}種のルール。"),
    "leave_out": Text("Leave out:", "外す："),
    "ask_players": Text("Who plays?", "プレイヤー"),
    "ask_players_lead": Text(
        "Each plays against itself. Balance depends on strength: take several.",
        "それぞれ自分自身と対局する。有利不利は強さで変わるので、複数選ぶとよい。",
    ),
    "pairs": Text("Besides, {count} pairs of players of the file.", "ほかに、ファイルに書かれた{count}組。"),
    "player_learned": Text(
        "The same, by what it has learned of each ruleset; training takes a while.",
        "各ルールで学習した評価で1手に1万局面を読む。学習に時間がかかる。",
    ),
    "ask_question": Text("What is asked?", "問い"),
    "ask_games": Text("Games for each ruleset and player", "ルールとプレイヤーごとの対局数"),
    "plies": Text("plies", "手数"),
    "size": Text(
        "{rulesets} rulesets × {players} players × {games} games = {total} games",
        "ルール{rulesets} × プレイヤー{players} × {games}局 = {total}局",
    ),
    "size_at_most": Text(
        "{rulesets} rulesets × {players} players × at most {games} games = at most {total} games",
        "ルール{rulesets} × プレイヤー{players} × 最大{games}局 = 最大{total}局",
    ),
    "cost": Text("What it costs", "かかる時間"),
    "foretell": Text("Foretell", "見積もる"),
    "cost_lead": Text(
        "A pilot of a few seconds tells how long it takes, and what more or fewer games would show.",
        "数秒の試し対局から、かかる時間と、対局数を変えると何がわかるかを見積もる。",
    ),
    "pilot": Text("The pilot plays…", "試し対局中…"),
    "cost_stale": Text("The experiment has changed since.", "見積もりのあとで実験の内容が変わった。"),
    "cost_what": Text("What you get", "わかること"),
    "cost_games": Text("Games each", "対局数"),
    "cost_take": Text("Take it", "これにする"),
    "cost_players": Text("Players", "プレイヤー"),
    "cost_speed": Text("Games/s a core", "毎秒の局数（1コア）"),
    "cost_draws": Text("Draws", "引き分け"),
    "cost_plies": Text("Plies", "手数"),
    "with_workers": Text("Time, {n} workers", "時間（{n}並列）"),
    "wish_file": Text("What the file asks for", "ファイルのとおり"),
    "wish_precision": Text("Each score to ±{size} points", "各得点率を±{size}ポイントまで"),
    "wish_gain": Text("A gain in fairness of {size} points is found (80 %)", "公平さ{size}ポイントの改善を検出（80%）"),
    "wish_difference": Text("A difference of {size} points is found (80 %)", "{size}ポイントの差を検出（80%）"),
    "wish_equality": Text(
        "No difference is shown, to ±{size} points (80 %)", "差がないことを±{size}ポイントで示す（80%）"
    ),
    "chart_first_score": Text("Score of the first player", "先手の得点率"),
    "chart_gain": Text("Gain in fairness", "公平さの改善"),
    "chart_lengths": Text("How long the games are", "対局の長さ"),
    "chart_openings": Text("Openings", "序盤"),
    "chart_portraits": Text("Portraits of the games", "対局の姿"),
    "no_number": Text("no number will do", "何局でも足りない"),
    "experiment_yaml": Text("The experiment's file as YAML", "実験ファイル（YAML）"),
    "save_experiment": Text("Save as an experiment", "実験として保存"),
    "experiment_name": Text("Name, such as my-question", "名前（例：my-question）"),
    "save_first": Text("Save it first.", "先に保存する。"),
}
