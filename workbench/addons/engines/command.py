"""The command ``import-rules``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.base.errors import BAD_INPUT, InputError
from workbench.base.language import tr, trn
from workbench.base.project import find_project
from workbench.cli import application as cli


@cli.app.command(
    cli.RULES,
    "workbench import-rules variants.ini              converts all sections, writing to rulesets/chess/",
    "workbench import-rules variants.ini --only coffeehouse --out /tmp/rules",
    "workbench import-rules variants.ini --replace    overwrite existing files",
)
def import_rules(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A Fairy-Stockfish variants.ini file.", show_default=False)
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            parser=cli.folder_name, metavar="DIR", help="The folder for the rulesets.", show_default="rulesets/chess"
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="SECTION", help="Only this section; may be repeated.", show_default="all"),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite existing files.")] = False,
) -> None:
    """Convert Fairy-Stockfish variants to chess rulesets.

    A section becomes a ruleset with the same rules if all its keys can be expressed. For all other sections, the keys
    that no chess ruleset can express are listed with their line numbers, and the exit code is 2.
    """
    from workbench.addons.engines import import_rules as variant_files

    project = find_project()
    imported, problems = variant_files.read_sections(file, project, only or ())
    cli.echo_written(variant_files.write_variants(imported, out or variant_files.ruleset_folder(project), replace))
    for name, variant in imported.items():
        if variant.unplayable:
            cli.echo(
                tr("{name}: no UCI engine can play this ruleset: {reason}", name=name, reason=variant.unplayable),
                err=True,
            )
    if problems:
        cli.echo(InputError(problems), err=True)
        cli.echo(trn("{n} section became a ruleset", "{n} sections became rulesets", len(imported)))
        raise typer.Exit(BAD_INPUT)
