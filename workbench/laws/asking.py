"""All laws asked of a family: first by a process without machine code, then compiled.

As plain Python an index that leaves an array is an error with its line; in machine code it would write into the memory
of others.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import workbench
from workbench import games
from workbench.engine import jit
from workbench.language import tr
from workbench.laws import families, positions
from workbench.laws.subject import LAWS, Breach, Broken, Law, Subject, raised
from workbench.questions import rulesets
from workbench.questions.rulesets import Ruleset

MARKER = "laws: "
"""What the line begins with in which `main` answers."""
RULESETS = LAWS[positions.__name__]
"""The laws of rulesets, in the order in which they are asked."""
FAMILIES = (
    Law("complete", tr("The kernel and the notation have all their functions, which take what they are given.")),
    Law("answers", tr("Every function answers what its name promises.")),
    Law("imports", tr("A kernel imports the engine, the declaration and NumPy alone, a declaration Python's modules.")),
    Law("agreement", tr("Kernel and declaration agree.")),
    Law("witnesses", tr("Each witness in witnesses.yaml can be played and shows what it expects.")),
    Law("uniform", tr("sample_move draws each legal move equally often.")),
    Law("machine_code", tr("With and without machine code the same games are played.")),
    Law("pie_rule", tr("Games with the pie rule are played, judged and reported.")),
)
OF_FILES: dict[str, Callable[[str], None]] = {
    "imports": families.imports_are_few,
    "complete": families.files_are_complete,
    "agreement": families.kernel_and_declaration_agree,
    "witnesses": families.witnesses_show_it,
}
"""The laws of a family's files, in the order in which they are asked."""


def law(name: str) -> Law:
    """The law of that name."""
    return next(one for one in (*RULESETS, *FAMILIES) if one.name == name)


def check(family: str, asked: Sequence[Ruleset], seeds: int, tell: Callable[[str], None]) -> list[Breach]:
    """What some rulesets of a family break, with random games of so many seeds; at most one breach of a law each.

    ``tell`` is called with what is being done. Where something is broken without machine code, nothing is compiled.
    """
    found = [breach for name, ask in OF_FILES.items() if (breach := _of_family(family, name, ask))]
    if found:
        return found[:1]
    if jit.DISABLED:
        families.watch(family)
    else:
        tell(tr("without machine code…"))
        broken, plain = _asked_without_machine_code(family, asked)
        if broken:
            return broken
        tell(tr("with machine code…"))
    for ruleset in asked:
        found += list(_of_ruleset(ruleset, seeds))
    if not found:
        subjects = [Subject(ruleset) for ruleset in asked]
        if uniform := _of_family(family, "uniform", lambda _: _uniform(subjects)):
            at = next((one for one in subjects if one.at[2] is not None), subjects[0])
            found.append(dataclasses.replace(uniform, ruleset=at.ruleset.name, moves=at.at[2]))
    if not found and not jit.DISABLED:
        compiled = [line for ruleset in asked for line in positions.short_games(Subject(ruleset), True)]
        found += list(_differing(compiled, plain))
    if not found and (
        breach := _of_family(family, "pie_rule", lambda _: positions.the_pie_rule_is_played_and_reported(asked))
    ):
        found.append(breach)
    return found


def _uniform(subjects: list[Subject]) -> None:
    families.samples_are_uniform(subjects)


def _of_family(family: str, name: str, ask: Callable[[str], None]) -> Breach | None:
    try:
        ask(family)
    except Broken as broken:
        return Breach(name, "", str(broken), 0)
    except Exception as error:  # whatever the code of a family may raise
        return Breach(name, "", raised(error, games.folder(family)), 0)
    return None


def _of_ruleset(ruleset: Ruleset, seeds: int) -> Iterator[Breach]:
    """The first breach of each law; what was found already is not told again."""
    said: set[str] = set()
    subjects = [Subject(ruleset, seed) for seed in range(seeds)]
    for one in RULESETS:
        assert one.ask is not None
        breaches = (subject.breach(one.name, one.ask) for subject in subjects)
        if (found := next((breach for breach in breaches if breach), None)) and found.said not in said:
            said.add(found.said)
            yield found
            if found.moves is None:
                return  # it does not get as far as a position: all other laws would say the same


def _differing(compiled: list[str], plain: list[str]) -> Iterator[Breach]:
    for one, other in zip(compiled, plain, strict=True):
        if one != other:
            ruleset, player, column, _ = one.split(" ", 3)
            said = tr("{column} of the same games differs: is a number larger than its machine type?", column=column)
            yield Breach("machine_code", ruleset, said, 0, f"{player} {player}")
            return


def _asked_without_machine_code(family: str, asked: Sequence[Ruleset]) -> tuple[list[Breach], list[str]]:
    """What a process without machine code finds broken, and the games that it plays."""
    package = str(Path(workbench.__file__).resolve().parents[1])
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    # Not safe would be the working folder among those that modules are imported from.
    more = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1", "NUMBA_DISABLE_JIT": "1"}
    names = [ruleset.name for ruleset in asked]
    done = subprocess.run(
        [sys.executable, "-m", __name__, *names],
        env=os.environ | more, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    told = next((line for line in done.stdout.splitlines() if line.startswith(MARKER)), "")
    if not told:
        last = done.stderr.strip().splitlines()[-1:] or [tr("exit code {returncode}", returncode=done.returncode)]
        return [Breach("complete", "", tr("the process without machine code ended: {last}", last=last[0]), 0)], []
    answer = json.loads(told.removeprefix(MARKER))
    return [_breach(one) for one in answer["breaches"]], answer["games"]


def _breach(said: dict[str, Any]) -> Breach:
    return Breach(**said | {"moves": None if said["moves"] is None else tuple(said["moves"])})


def main() -> None:
    """Prints, as JSON, what the rulesets of the command line break without machine code, and short games of them."""
    asked = [rulesets.load_ruleset(name) for name in sys.argv[1:]]
    families.watch(asked[0].game)
    breaches = [breach for ruleset in asked for breach in _of_ruleset(ruleset, 1)]
    lines = [] if breaches else [line for ruleset in asked for line in positions.short_games(Subject(ruleset), True)]
    print(MARKER + json.dumps({"breaches": [dataclasses.asdict(one) for one in breaches], "games": lines}))


if __name__ == "__main__":
    main()
