"""The files that are made from others: JSON Schemas, tables in docs/, fingerprints, playthroughs.

    python -m tests.generated                            says which of them are not current; exit code 1 if any is
    python -m tests.generated --write                    writes these, and removes the playthroughs of no ruleset
    python -m tests.generated --write --ruleset chess/C  the same; of the playthroughs, looks only at the named ones

What it writes is a record of what the workbench does: read the diff, and say in the commit why it changed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests import playthroughs
from workbench import games
from workbench.base.project import Project
from workbench.experiments import workspace
from workbench.players.agent_kinds import KINDS
from workbench.records import records
from workbench.rules import rulesets

ROOT = Path(__file__).resolve().parent.parent
GUIDE, COLUMNS = ROOT / "docs" / "guide.md", ROOT / "docs" / "columns.md"
OWN = ("chatra", "chess", "draughts", "rengo", "star")
"""The families that come with the workbench: tests add others."""
FINGERPRINTS = ROOT / "tests" / "fingerprints.txt"
HEAD = (
    "# ruleset and fingerprint of its resolved rules; a change here means that old results are results of other rules\n"
)


def fingerprints() -> str:
    """What ``tests/fingerprints.txt`` should hold."""
    return HEAD + "".join(f"{each.name} {each.fingerprint}\n" for each in rulesets.load_all_rulesets(Project(ROOT)))


def guide() -> str:
    """What ``docs/guide.md`` should hold: itself, with a table of the players that are declared."""
    rows = ["| player | what it does | options |", "|---|---|---|"]
    for kind in KINDS.values():
        options = ", ".join(f"`{name}`" for name in tuple(kind.keys()))
        rows.append(f"| `{kind.name}` | {kind.sentence} | {options} |")
    before, _, rest = _read(GUIDE).partition(rows[0])
    return "\n".join([before + rows[0], *rows[1:], "", rest.partition("\n\n")[2]])


def columns() -> str:
    """What ``docs/columns.md`` should hold: the columns that records declare, and those that data frames add."""
    page = [
        "# The columns of trials",
        "",
        "`wb.run`, `wb.load` and `wb.read_games` return a data frame, a row a game; the files in `trials/` hold the",
        "same but for `winner`. [From Python](python.md) shows what to do with them. (This page is written by",
        "`python -m tests.generated --write`.)",
        "",
        *_table(records.COLUMNS),
        "| `winner` | string | | The agent that has won, of those two; missing where neither has. |",
        "",
        "## Columns that only some records have",
        "",
        "What begins with given lines, keeps its moves, may swap sides, or was read from games of people:",
        "",
        *_table((records.LINE, records.MOVES, records.SWAPPED, *records.PEOPLE)),
    ]
    for name in games.names():
        family = games.declaration(name)
        if family.events and name in OWN:
            page += ["", f"## Events of {name}", "", *_table(records.event_columns([family]))]
    return "\n".join(page) + "\n"


def _table(some: Iterable[records.Column]) -> list[str]:
    rows = [f"| `{one.name}` | {one.dtype} | {one.unit} | {one.meaning} |" for one in some]
    return ["| column | type | unit | what it says |", "|---|---|---|---|", *rows]


def stale_schemas() -> list[str]:
    """The kinds of YAML files whose committed schema is not the one that the declarations give."""
    kinds = workspace.schemas(Project(ROOT)).items()
    return [kind for kind, schema in kinds if _json(ROOT / workspace.SCHEMAS[kind]) != json.dumps(schema)]


def changed_fingerprints() -> list[str]:
    """The rulesets whose fingerprint is not the recorded one, or that are no more."""
    old, new = _read(FINGERPRINTS).splitlines(), fingerprints().splitlines()
    return sorted({line.partition(" ")[0] for line in {*old} ^ {*new}})


def stale_playthroughs(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Those of the rulesets that play another game than the one that is recorded, each with the text of its game."""
    for name in names:
        text = playthroughs.playthrough(name)
        if not playthroughs.is_current(name, text):
            yield name, text


def playthroughs_of_no_ruleset() -> list[str]:
    """Playthroughs whose ruleset is gone."""
    return sorted({*playthroughs.recorded()} - {*rulesets.ruleset_names()})


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _json(path: Path) -> str:
    """A JSON file without its layout; "" if there is none."""
    return json.dumps(json.loads(_read(path))) if path.exists() else ""


def main(arguments: list[str]) -> int:
    """Compares, writes if asked to, and says what it did; returns how many files are still not current."""
    parser = argparse.ArgumentParser(prog="python -m tests.generated", description="Files that are made from others.")
    parser.add_argument("--write", action="store_true", help="write the files that are not current")
    parser.add_argument(
        "--ruleset", action="append", choices=rulesets.ruleset_names(), metavar="NAME",
        help="look only at the playthrough of this ruleset; may be repeated",
    )  # fmt: skip
    said = parser.parse_args(arguments)
    told: list[str] = []

    def tell(file: str, done: str = "written") -> None:
        told.append(file)
        print(f"{file}: {done if said.write else 'not current'}", flush=True)

    for kind in stale_schemas():
        tell(workspace.SCHEMAS[kind])
        if said.write:
            workspace.write_schemas(Project(ROOT), [kind])
    for path, content in ((GUIDE, guide()), (COLUMNS, columns())):
        if content != _read(path):
            tell(f"docs/{path.name}")
            if said.write:
                path.write_text(content, encoding="utf-8")
    changed = changed_fingerprints()
    for name in changed:
        tell(f"tests/fingerprints.txt, {name}")
    if changed and said.write:
        FINGERPRINTS.write_text(fingerprints(), encoding="utf-8")
    played = said.ruleset or rulesets.ruleset_names()
    for name, text in stale_playthroughs(played):
        tell(f"tests/playthroughs, {name}")
        if said.write:
            playthroughs.record(name, text)
    for name in playthroughs_of_no_ruleset():
        tell(f"tests/playthroughs, {name}, of no ruleset", "removed")
        if said.write:
            playthroughs.record(name, "")
    looked_at = f"schemas, fingerprints and playthroughs ({len(played)} of {len(rulesets.ruleset_names())})"
    done = "Changed" if said.write else "Not current"
    print(f"{done}: {len(told)} of the {looked_at}." if told else f"All are current: {looked_at}.")
    return 0 if said.write else len(told)


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
