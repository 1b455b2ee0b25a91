"""Commands that ask for changes of rules: effects, why, handicap, search."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.base.console import WIDEST
from workbench.base.errors import display_path
from workbench.base.language import tr
from workbench.base.project import BEYOND, CONFIRMED, find_project
from workbench.cli.app import PLAYERS, QUESTIONS, app
from workbench.cli.common import (
    AsJson,
    Lang,
    Language,
    On,
    announce_compiling,
    confirm_fresh,
    echo,
    folder_name,
    load_ruleset,
    make_console,
    print_json,
    whole_number,
)
from workbench.cli.games import MAX_PLIES, MAX_SEED


@app.command(
    QUESTIONS,
    'workbench effects draughts --want "fewer draws, same length"',
    'workbench effects chatra/2008-02 --want "fairer"',
    "workbench effects chess --want draw_rate:less,plies:same --reports docs/results",
    "workbench effects --want 引き分けを減らしたい --json",
)
def effects(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[GAME|RULESET]", help="Changes of a game, or of the settings of a ruleset.", show_default="all"
        ),
    ] = "",
    want: Annotated[str, typer.Option(metavar="WISH", help="What should change, and what should stay.")] = "",
    folders: Annotated[
        list[Path] | None,
        typer.Option(
            "--reports", parser=folder_name, metavar="DIR", help="A folder of reports.", show_default="reports/"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tells which change of the rules does what you wish for.

    It asks the games of all kept reports and searches, and plays none. Two rulesets of a report that differ in one rule
    alone say what this rule changes. All reports together say what is to be expected of it beside a ruleset: those with
    like rules and players count most.

    A wish is a sentence in English or Japanese, or names of measures as in the examples. Without one all known changes
    are listed.

    JSON: {"wish", "changes": [{"game", "toggle", "before", "after", "words", "effects", "games", "players", "reports",
    "chance"}]}; an effect is {"value", "low", "high"}.
    """
    from workbench import games
    from workbench.addons.effects import changes as pages
    from workbench.addons.effects import kept_effects
    from workbench.experiments import measures
    from workbench.report.render.documents import print_document
    from workbench.rules import rulebook, rulesets
    from workbench.rules.ruleset_files import Library

    project = find_project()
    wish = measures.read_wish(want) if want else None
    # A word is a game, a path or a name with its game is a ruleset.
    own = load_ruleset(name) if "/" in name or name.endswith((".yaml", ".yml")) else None
    if name and not own:
        rulebook.find_family(name)
    game = own.game if own else name
    estimates = kept_effects.kept_estimates(folders or [project.reports], project, game)
    told = pages.measures_told(wish, kept_effects.PLAIN)
    console, everything = make_console(WIDEST), []
    library = Library(project)
    current = {each: rulesets.current_ruleset(each, library) for each in games.names()}
    for each in [game] if game else sorted(estimates["game"].unique()) or filter(current.get, current):
        base = own or rulesets.load_ruleset(current[each] or each, library=library)
        changes = kept_effects.known_changes(estimates, base, told)
        if wish is not None:
            changes = kept_effects.serve(wish, changes, own)
        everything += [pages.plain_change(change, base) for change in changes]
        if not as_json:
            heading = games.declaration(each).title
            title = tr("{game}: {wish}", game=heading, wish=pages.wish_words(wish)) if wish else heading
            print_document(pages.effects_document(title, changes, wish, base, told), console)
    if as_json:
        said = {name: {1: "more", -1: "less"}[direction] for name, direction in wish.toward.items()} if wish else {}
        print_json({"wish": said | dict.fromkeys(wish.keep if wish else (), "same"), "changes": everything})


@app.command(
    QUESTIONS,
    "workbench why chatra/2007-09 chatra/C",
    "workbench why chess/orthodox chess/stalemate-wins --games 1_000 --agent alphabeta-500n",
    "workbench why draughts/english draughts/pool --agent greedy --agent alphabeta-2 --json",
)
def why(
    was: Annotated[str, typer.Argument(metavar="RULESET", help="The rules without the change.", show_default=False)],
    now: Annotated[str, typer.Argument(metavar="CHANGED", help="The rules with it.", show_default=False)],
    agent: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="AGENT", help="Who plays both sides; may be repeated.", show_default="greedy"),
    ] = None,
    games: Annotated[
        int,
        typer.Option(
            parser=lambda text: whole_number(text, 2),
            metavar="N",
            help="Games; each is played again.",
            show_default="400",
        ),
    ] = 400,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Decides the games.")] = 0,
    max_plies: Annotated[int, typer.Option(min=1, max=MAX_PLIES, help="Games are stopped here.")] = 400,
    lang: Lang = None,
    as_json: AsJson = False,
) -> None:
    """Tells where in a game a changed rule has its effect.

    Games are played without the change, and again with the change from a ply on: from the first, the second, the third,
    the fifth … on. What the first player's score, the draws or the length lose from one to the next arises between.
    Besides, it tells which events and endings of games become more or less frequent. A chart is
    written to reports/why/.

    JSON: a list with, for each player, {"was", "now", "player", "games", "effects": [{"measure", "effect", "low",
    "high", "sure", "part", "chance", "start", "stop", "share", "bands"}], "clearest", "events": [{"name", "result",
    "before", "after", "size", "p", "along"}], "sentences"}; plies count from 0. What has no value is null, such
    as the place of an effect that is not sure.
    """
    from workbench.addons.effects import changes as pages
    from workbench.api.rulesets import to_agent
    from workbench.report.render.documents import print_document
    from workbench.runs.self_play import play_switched

    rulesets = load_ruleset(was), load_ruleset(now)
    players = [to_agent(each, rulesets[0], "agent") for each in agent or ["greedy"]]
    announce_compiling("trials._play_block", rulesets[:1], players)
    found = []
    for player in players:
        explained = pages.explain(play_switched(*rulesets, player, games, seed, max_plies))
        found.append(pages.plain_why(explained))
        files = pages.write_why(pages.why_folder(find_project(), explained), explained, lang)
        if not as_json:
            print_document(pages.why_document(explained), make_console())
            echo(tr("wrote {path}", path=display_path(files[0])))
    if as_json:
        print_json(found)


@app.command(
    PLAYERS,
    "workbench handicap rengo/go9 --toggle komi --agent alphabeta-1k",
    "workbench handicap star/four-pieces star/default star/two-pieces --games 2_000",
    "workbench handicap chatra/2008-02 --toggle subjects --from 5 --to 25 --json",
)
def handicap(
    names: Annotated[
        list[str], typer.Argument(metavar="RULESET", help="A ruleset, or several by the handicap that they give.")
    ],
    toggle: Annotated[str, typer.Option(metavar="NAME", help="The rule whose numbers are the handicap.")] = "",
    low: Annotated[float | None, typer.Option("--from", metavar="N", help="The smallest number to try.")] = None,
    high: Annotated[float | None, typer.Option("--to", metavar="N", help="The largest number to try.")] = None,
    agent: Annotated[str, typer.Option("--agent", metavar="AGENT", help="Who plays both sides.")] = "greedy",
    games: Annotated[
        int, typer.Option(parser=whole_number, metavar="N", help="Games in all.", show_default="1_000")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Decides the games.")] = 0,
    max_plies: Annotated[int, typer.Option(min=1, max=MAX_PLIES, help="Games are stopped here: draws.")] = 400,
    as_json: AsJson = False,
) -> None:
    """Looks for the amount of a handicap that makes the game even.

    Two players of one strength play, more and more games near the answer; a curve is fitted to the scores, and no
    amount is named where they do not lie on one. What is found holds for players of this strength. The amounts are the
    numbers of a rule (komi, say), or the places, from 0, of several rulesets that are named in order. JSON: {"verdict",
    "even", "low", "high", "nearest", "games": [{"amount", "ruleset", "games", "score"}]}; unless the verdict is named,
    even, low and high are null.
    """
    from workbench.api.experiments import handicap as look

    rulesets = [load_ruleset(name) for name in names]
    announce_compiling("trials._play_block", rulesets)
    found = look(
        rulesets if len(rulesets) > 1 else rulesets[0],
        toggle,
        low=low,
        high=high,
        agent=agent,
        games=games,
        seed=seed,
        max_plies=max_plies,
    )
    if as_json:
        ends = {name: getattr(found, name) for name in ("even", "low", "high")}
        about = {"verdict": found.verdict} | ends
        print_json(about | {"nearest": found.nearest.name, "games": found.table.to_dict("records")})
        return
    for line in found.sentences:
        echo(line)


@app.command(
    QUESTIONS,
    "workbench search fair-chatra",
    "workbench search fair-chatra --dry-run      what it would look at, without a game",
    "workbench search searches/fair-chatra.yaml --workers 4",
    "workbench search fair-chatra --beyond 12 --why",
    "workbench search fair-chatra --on dask:tcp://host:8786",
    "workbench search fair-chatra --fresh --yes --json",
)
def search(
    name: Annotated[str, typer.Argument(metavar="SEARCH", help="A YAML file, or the stem of its name in searches/.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be searched, and play nothing.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew: the games of this search are deleted.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --fresh: do not ask.")] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Processes.", show_default="one for each core")
    ] = None,
    beyond: Annotated[
        int, typer.Option(min=0, max=200, metavar="N", help="Then play so many rulesets one step beyond the space.")
    ] = 0,
    why: Annotated[
        bool, typer.Option("--why", help="Say where in a game the changes of the best ruleset act (400 quick games).")
    ] = False,
    on: On = None,
    lang: Lang = None,
    as_json: AsJson = False,
) -> None:
    """Finds rulesets that meet targets with few changes.

    They are sought among all that a file lets be changed. Quick players leave out what cannot be played; games of
    strong players go, round after round, to the rulesets that may be the best by a model of what every rule does.
    The most promising and the base are then played once more, with fresh games and players that have learned them,
    and only these games decide. The same command again continues a search that was stopped in any way, and the
    games are the same for any number of processes.

    The page is reports/searches/NAME/report.html, the games of the finalists are the report reports/NAME.confirmed.
    With --beyond changes that the space does not have are tried around the finalists (reports/NAME.beyond): the next
    numbers, other values, moves with a letter more or less, areas with squares more or less.

    JSON, with --dry-run {"name", "rulesets", "sentences"}, else what search.json holds: {"name", "base", "fingerprint",
    "space", "budget", "rounds", "targets", "must", "result": {"verdict", "finalists": [{"ruleset", "title", "values",
    "targets", "price", "changes", "alike", "regret", "loss", "nearer", "buys"}], "base", "players"}}; verdict is met,
    nearest, promising or base_as_near.
    """
    from workbench.addons.search import question as searches
    from workbench.addons.search import run as runs
    from workbench.records import kept_files
    from workbench.runs.executor import open_executor, parse_cluster_address

    if on:
        parse_cluster_address(on)
    where = find_project()
    loaded = searches.load_search(searches.find_search(name, where), where)
    folder = kept_files.search_folder(where, loaded.name)
    candidates = searches.list_candidates(loaded)
    described = [loaded.heading, *runs.describe_space(loaded, candidates)]
    if dry_run and as_json:
        print_json({"name": loaded.name, "rulesets": len(candidates), "sentences": described})
    for line in () if as_json else described:
        echo(line)
    if dry_run:
        return
    if fresh:
        reports = [where.report(pattern.format(name=loaded.name)) for pattern in (CONFIRMED, BEYOND)]
        confirm_fresh(runs.files_of_search(folder, *reports), display_path(folder), yes)
        runs.forget(folder, *reports)
    asked = [*(["--beyond", str(beyond)] if beyond else []), *(["--why"] if why else [])]
    again = shlex.join(["workbench", "search", name, *asked, *(["--on", on] if on else [])])
    if not on:
        announce_compiling("trials._play_block", [loaded.base], runs.all_players(loaded))
    console = make_console()
    with open_executor(on, workers) as executor:
        begun = runs.begin_search(loaded, where, executor=executor, command=again, candidates=candidates)
        begun.say = lambda line: echo(line, err=as_json)
        if not as_json:
            for line in runs.describe_budget(begun):
                echo(line)
        with runs.progress_display(None if as_json else console) as report:
            begun.play_rounds(report)
        if not as_json:
            echo(tr("The finalists, by fresh games:"))
        with runs.progress_display(None if as_json else console) as report:
            _, confirmed = begun.confirm(report)
        written = [confirmed]
        if beyond:
            if not as_json:
                echo(tr("One step beyond the space:"))
            with runs.progress_display(None if as_json else console) as report:
                if played := runs.play_beyond(begun, beyond, report):
                    written.append(played)
    from workbench.addons.effects import changes
    from workbench.players.agents import AgentSpec
    from workbench.report import writing
    from workbench.runs.self_play import play_switched

    best = begun.best_ruleset()
    kept = kept_files.kept_search(folder)
    runs.keep_notes(folder, "nearest", changes.nearest_effects(kept, loaded.base, best))
    if why and best.fingerprint != loaded.base.fingerprint:
        quick = next(iter(loaded.quick), AgentSpec.of("greedy"))
        switched = play_switched(loaded.base, best, quick, 400, loaded.seed, loaded.max_plies)
        first, *others = changes.why_sentences(changes.explain(switched))
        said = tr("Between players of {player}, who are quick: {text}", player=quick.label, text=first)
        runs.keep_notes(folder, "why", [said, *others])
    if as_json:
        _write_page(folder, lang)
        print_json(kept_files.kept_search(folder))
    else:
        show_search(folder, lang)
    for path in written:
        writing.write_report(path, lang)
        echo(tr("wrote {path}", path=display_path(path / "report.html")), err=as_json)


def show_search(folder: Path, lang: Language | None) -> None:
    """Writes the page of a search into its folder, and prints what it says."""
    from workbench.addons.search import report as pages

    kept = _write_page(folder, lang)
    pages.print_search(kept, make_console())
    echo("")
    echo(tr("wrote {path}", path=display_path(folder / "report.html")))


def _write_page(folder: Path, lang: Language | None) -> dict[str, Any]:
    import pandas as pd

    from workbench.addons.search import report as pages
    from workbench.records import kept_files
    from workbench.rules import rulesets

    kept = kept_files.kept_search(folder)
    base = rulesets.load_ruleset(str(kept["base"]))
    known, effects = pd.read_csv(folder / kept_files.CANDIDATES), pd.read_csv(folder / kept_files.EFFECTS)
    pages.write_search(folder, kept, base, known, effects, lang)
    return kept
