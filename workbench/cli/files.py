"""Commands about the files of a project: check, schema, new, import-rules, init."""

from __future__ import annotations

import json
import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.app import app, examples
from workbench.cli.common import echo, folder_name, games_line, load_ruleset
from workbench.errors import BAD_INPUT
from workbench.language import join, tr, translated, trn

if TYPE_CHECKING:
    from workbench.errors import Problem
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
            metavar="[FILES]...",
            help="Files, folders, names or report folders.",
            show_default="all of the project",
        ),
    ] = None,
) -> None:
    """Checks files and reports; prints every problem.

    A problem names the file, the line and the key, what was expected and what was found. The exit code is 2 if there
    is any. Of a report folder the records are compared with their digests; the digest of its games, which `run` prints
    too, tells two people whether they have the same ones.
    """
    from workbench.errors import InputError
    from workbench.files import project
    from workbench.questions import workspace

    reports = [word for word in files or () if (Path(word) / "provenance.json").is_file()]
    others = [word for word in files or () if word not in reports]
    problems: list[Problem] = []
    for word in reports:
        try:
            echo(join(": ", (word, games_line(_trials(Path(word))))))
            problems += _damaged_traces(Path(word))
        except InputError as error:
            problems += error.problems
    fine = 0
    if others or not reports:
        fine, wrong = workspace.check_files(others, project.find_project())
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


def _damaged_traces(folder: Path) -> list[Problem]:
    """The files of traces of a report folder that are not as they were written."""
    from workbench.errors import Problem
    from workbench.report import reading

    hint = tr("the records are whole; workbench run … --traces plays the first games once more and traces them")
    damaged = reading.read_report_traces(folder, reading.read_run_provenance(folder))[1]
    return [Problem(str(path), None, None, tr("is damaged: the portraits of the games rest on fewer of them"), hint)
            for path in damaged]  # fmt: skip


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
    from workbench.errors import display_path
    from workbench.files import project
    from workbench.questions import workspace

    where = project.find_project()
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
    from workbench.errors import display_path
    from workbench.files import project
    from workbench.questions import workspace

    where = project.find_project()
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
    from workbench.errors import InputError, display_path
    from workbench.files import project
    from workbench.questions import variant_files

    where = project.find_project()
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
    from workbench.errors import display_path
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
