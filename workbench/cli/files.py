"""Commands about the files of a project, and about the rules that they say."""

from __future__ import annotations

import json
import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.app import app, examples
from workbench.cli.common import (
    AsJson,
    RulesetName,
    echo,
    folder_name,
    games_line,
    load_ruleset,
    print_json,
    print_lines,
)
from workbench.errors import BAD_INPUT, InputError, Problem, display_path
from workbench.files.project import find_project
from workbench.language import join, tr, translated, trn

if TYPE_CHECKING:
    from workbench.store.trials import Trials


@app.command(
    epilog=examples(
        "workbench check                              everything in rulesets/, experiments/ and searches/",
        "workbench check rulesets/chatra/my-idea.yaml",
        "workbench check chatra/C+D quickstart",
        "workbench check reports/quickstart           are its records whole, and which games are they",
    )
)
def check(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILES]...", help="Files, folders, names or report folders.", show_default="all of the project"
        ),
    ] = None,
) -> None:
    """Checks files and reports; prints every problem.

    A problem names the file, the line and the key, what was expected and what was found. The exit code is 2 if there
    is any. Of a report folder the records are compared with their digests; the digest of its games, which `run` prints
    too, tells two people whether they have the same ones.
    """
    from workbench.questions import workspace

    reports = [word for word in files or () if (Path(word) / "provenance.json").is_file()]
    others = [word for word in files or () if word not in reports]
    problems: list[Problem] = []
    for word in reports:
        try:
            echo(join(": ", (word, games_line(_trials(Path(word))))))
        except InputError as error:
            problems += error.problems
    fine = 0
    if others or not reports:
        fine, wrong = workspace.check_files(others, find_project())
        problems += wrong
    if not problems:
        if others or not reports:
            echo(trn("{n} file is fine.", "{n} files are fine.", fine))
        return
    echo(InputError(problems), err=True)
    rest = trn("; {n} other file is fine", "; {n} other files are fine", fine) if fine else ""
    echo(trn("{n} problem{rest}.", "{n} problems{rest}.", len(problems), rest=rest))
    raise typer.Exit(BAD_INPUT)


def _trials(folder: Path) -> Trials:
    """The records of a report folder, each compared with its digest."""
    from workbench.report import reading
    from workbench.statistics import AnalysisPlan

    provenance = reading.read_run_provenance(folder)
    return reading.read_report_trials(folder, provenance, AnalysisPlan.from_provenance(provenance).pairings)


class Kind(StrEnum):
    """What there are schemas for."""

    RULESET = "ruleset"
    EXPERIMENT = "experiment"
    SEARCH = "search"


@app.command(
    epilog=examples(
        "workbench schema ruleset",
        "workbench schema experiment > experiment.schema.json",
        "workbench schema --write      into the folders of the files, where these look for them",
    )
)
def schema(
    kind: Annotated[Kind | None, typer.Argument(help="Of what; all if left out.", show_default=False)] = None,
    write: Annotated[bool, typer.Option("--write", help="Write the files instead of printing.")] = False,
) -> None:
    """Prints the JSON Schemas of the files that people write.

    Editors complete and explain from them. Without a kind it prints one object that holds all.
    """
    from workbench.questions import workspace

    where = find_project()
    kinds = [kind.value] if kind else [each.value for each in Kind]
    if write:
        for path in workspace.write_schemas(where, kinds):
            echo(tr("wrote {path}", path=display_path(path)))
        return
    schemas = workspace.schemas(where)
    typer.echo(json.dumps(schemas[kind.value] if kind else schemas, indent=2, ensure_ascii=False))


@app.command(
    epilog=examples(
        "workbench new free-drops --from chatra/2008-02",
        'workbench new free-drops --from chatra/2008-02 --title "Drops next to subjects are allowed"',
        "workbench new stuck-loses --from chatra/2008-02 --set stuck=loss   a toggle and its value; may be repeated",
        "workbench new my-question --experiment --from chatra/C     C against what it extends",
        "workbench new my-question --experiment --from quickstart   what the quickstart asks, to be changed",
    )
)
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new file's name, without an ending.")],
    parent: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="RULESET",
            help="What it starts from; of an experiment also an experiment.",
            show_default="quickstart, for an experiment",
        ),
    ] = "",
    title: Annotated[str, typer.Option(help="Its title in a line.", show_default=False)] = "",
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="TOGGLE=VALUE", help="A toggle of the ruleset, with its value; may be repeated."),
    ] = None,
    experiment: Annotated[bool, typer.Option("--experiment", help="An experiment instead of a ruleset.")] = False,
) -> None:
    """Writes a ruleset that extends another one, or an experiment.

    It is there to be filled in: every toggle that may be set, or every key, stands in it as a comment that says what
    it does. With --set it is whole: these toggles stand in it and no others. An existing file is never touched.
    """
    from workbench.questions import workspace

    where = find_project()
    if experiment and changes:
        raise typer.BadParameter(
            translated(tr("an experiment has no toggles: set them in a ruleset")), param_hint="--set"
        )
    if experiment:
        path = workspace.new_experiment(name, parent or "quickstart", title, where)
        echo(tr("wrote {path}", path=display_path(path)))
        echo(tr("Next: change it in an editor, then: workbench check {stem} && workbench run {stem}", stem=path.stem))
        return
    if not parent:
        raise typer.BadParameter(translated(tr("a ruleset starts from another one: name it")), param_hint="--from")
    ruleset = load_ruleset(parent)
    path = workspace.new_ruleset(name, ruleset, title, where, changes or ())
    full = f"{ruleset.game}/{path.stem}"
    echo(tr("wrote {path}", path=display_path(path)))
    echo(
        tr(
            "Next: change it in an editor, then: workbench check {full} && workbench diff {ruleset} {full}",
            full=full,
            ruleset=ruleset.name,
        )
    )


@app.command(
    "import-rules",
    epilog=examples(
        "workbench import-rules variants.ini              every section, into rulesets/chess/",
        "workbench import-rules variants.ini --only coffeehouse --out /tmp/rules",
        "workbench import-rules variants.ini --replace    write files anew that are there",
    ),
)
def import_rules(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A variants.ini of Fairy-Stockfish.", show_default=False),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            parser=folder_name, metavar="DIR", help="The folder of the rulesets.", show_default="rulesets/chess"
        ),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="SECTION", help="This section; may be repeated.", show_default="all")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Write files anew that are there already.")] = False,
) -> None:
    """Makes rulesets of chess from variants of Fairy-Stockfish.

    A section becomes a ruleset if all of it can be said: then both play by the same rules. Of every other section it
    names the keys that no ruleset of chess says, with their lines, and the exit code is 2.
    """
    from workbench.questions import variant_files

    where = find_project()
    imported, problems = variant_files.read_variants(file, where, only or ())
    for path in variant_files.write_variants(imported, out or variant_files.own_folder(where), replace):
        echo(tr("wrote {path}", path=display_path(path)))
    for name, each in imported.items():
        if each.untold:
            echo(tr("{name}: no UCI engine can play this ruleset: {reason}", name=name, reason=each.untold), err=True)
    if problems:
        echo(InputError(problems), err=True)
        echo(trn("{n} section is a ruleset now", "{n} sections are rulesets now", len(imported)))
        raise typer.Exit(BAD_INPUT)


@app.command(epilog=examples("workbench init my-rules", "cd my-rules && workbench run quickstart"))
def init(
    directory: Annotated[Path, typer.Argument(parser=folder_name, metavar="DIR", help="A new or empty folder.")],
) -> None:
    """Makes a working folder with the shipped files.

    These are the rulesets, experiments and searches that come with the workbench, and the schemas for editors. A
    folder that was made so before gets what is missing in it; nothing is ever overwritten.
    """
    from workbench.questions import workspace

    written, kept = workspace.init_project(directory)
    before = tr(" ({kept} were there before)", kept=kept) if kept else ""
    echo(
        tr(
            "wrote {written} files to {directory}{before}",
            written=written,
            directory=display_path(directory),
            before=before,
        )
    )
    echo(tr("Next: cd {quote} && workbench run quickstart", quote=shlex.quote(display_path(directory))))


@app.command("list", epilog=examples("workbench list", "workbench list chess", "workbench list --json"))
def list_(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="A game, such as chatra.", show_default="all")] = "",
    as_json: AsJson = False,
) -> None:
    """Lists rulesets, experiments and searches, with their titles.

    JSON: {"rulesets": [{"name", "title", "title_ja", "games", "file"}], "experiments": […], "searches": […]}; a title
    that is not given is null.
    """
    from workbench.questions import rulebook, workspace

    if game:
        rulebook.find_family(game)
    listed = workspace.list_files(find_project(), game)
    if as_json:
        print_json(listed)
    else:
        print_lines(workspace.describe_files(listed))


@app.command(epilog=examples("workbench rules chatra"))
def rules(game: Annotated[str, typer.Argument(metavar="GAME", help="A game, such as chatra.")]) -> None:
    """Lists everything that a ruleset of a game may set.

    Each toggle with all its values, what each value says in the rule book, the default (starred), and where the rule
    comes from.
    """
    from workbench.questions import rulebook

    print_lines(rulebook.describe_toggles(rulebook.find_family(game)))


@app.command(epilog=examples("workbench show chatra/C+D", "workbench show chatra/2008-02 --json"))
def show(name: RulesetName, as_json: AsJson = False) -> None:
    """Shows a ruleset: settings, plain rules, changes.

    What differs is told against each ruleset that it extends and against the game's default. Rulesets with the same
    fingerprint are the same rules.
    """
    from workbench.questions import rulebook

    ruleset = load_ruleset(name)
    if as_json:
        print_json(rulebook.ruleset_as_json(ruleset))
    else:
        print_lines(rulebook.describe_ruleset(ruleset))


@app.command(epilog=examples("workbench diff chatra/2007-09 chatra/2008-02", "workbench diff chatra/A my-idea.yaml"))
def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="A ruleset or YAML file.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
) -> None:
    """Shows what two rulesets of a game set differently.

    Each toggle with both settings and what they say in the rule book.
    """
    from workbench.questions import rulebook

    print_lines(rulebook.describe_difference(load_ruleset(a), load_ruleset(b)))


@app.command(
    epilog=examples(
        'workbench idea "no castling"                  in every game, in short',
        'workbench idea "smaller board" --base chatra   with all values',
        'workbench idea "キャスリングなし" --base chess --lang ja',
    )
)
def idea(
    words: Annotated[str, typer.Argument(metavar="TEXT", help="The idea in a few words, in English or Japanese.")],
    base: Annotated[
        str,
        typer.Option(
            metavar="RULESET",
            help="The rules that it changes; of a game's name its current rules.",
            show_default="the current rules of each game, in short",
        ),
    ] = "",
) -> None:
    """Searches for the rules that come closest to an idea.

    It compares words, synonyms and similar spellings, and understands nothing: it lists toggles with what they say now
    and could say instead, ready to try, and rulesets with similar words.
    """
    from workbench import games
    from workbench.questions import ideas, rulesets

    where, text = find_project(), " ".join(words.split())
    if not text:
        raise typer.BadParameter(translated(tr("expected an idea in a few words, found none")), param_hint="TEXT")
    if len(text) > ideas.LONGEST:
        message = tr("expected at most {most} letters, found {count}", most=ideas.LONGEST, count=len(text))
        raise typer.BadParameter(translated(message), param_hint="TEXT")
    there = {name.partition("/")[0] for name in rulesets.ruleset_names(where)}
    bases = [base] if base else [name for name in games.names() if name in there]
    matches = [ideas.match_in_project(text, one, where, toggles_only=not base) for one in bases]
    print_lines(ideas.describe(matches[0]) if base else ideas.describe_games(matches, text))
