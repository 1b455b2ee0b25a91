"""Nothing of a declaration is left out elsewhere: what is missing is told, with where to write it and what.

Whoever adds a toggle declares it and then does what these tests say, one sentence after the other.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from workbench import games
from workbench.games.declaration import (
    Declaration,
    Named,
    Setting,
    Toggle,
    Value,
    equal_settings,
    identifier,
    kernel_names,
    setting_text,
)
from workbench.questions import witnesses

ROOT = Path(__file__).resolve().parent.parent
FAMILIES = games.names()
every_family = pytest.mark.parametrize("family", FAMILIES)

NO_RULE_OF_PLAY = {("rengo", "budget"), ("rengo", "first_army"), ("rengo", "second_army")}
"""Toggles that decide what is set up, or what the loader refuses: no position tells of them, and no twin reads them."""
KINDS = ("TOGGLES", "FEATURES", "EVENTS", "ENDINGS", "STYLES")


def kernel_files(family: str) -> dict[str, str]:
    """The compiled sources of a family, by their path in the repository."""
    folder = ROOT / "workbench" / "games" / family
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in folder.glob("kernel*.py")}


def missing_in_kernel(declaration: Declaration, sources: Mapping[str, str]) -> Iterator[str]:
    """What is declared and the kernel neither reads nor writes."""
    source = "\n".join(sources.values())
    files = f"workbench/games/{declaration.name}/kernel*.py"
    for toggle in declaration.toggles:
        if not re.search(rf"\brules\.{toggle.name}\b", source) and (declaration.name, toggle.name) != (
            "rengo",
            "budget",
        ):
            value = next(
                (value.name for value in toggle.values if not equal_settings(value.name, toggle.default)), None
            )
            named = "" if value is None else f" == TOGGLES.{toggle.name}.{identifier(setting_text(value))}"
            yield (
                f"{files}: no kernel reads the toggle {toggle.name}; where the rule book has its sentence, write "
                f"`if rules.{toggle.name}{named}:`"
            )
    for kind, names, what in (
        ("FEATURES", declaration.features, "out[FEATURES.{}] = …"),
        ("EVENTS", declaration.events, "counts[EVENTS.{}] += 1"),
        ("ENDINGS", declaration.terminations.values(), "return FIRST, ENDINGS.{}"),
    ):
        for name in (identifier(one.name) for one in names):
            if not re.search(rf"\b{kind}\.{name}\b", source):
                yield f"{files}: no kernel writes what is declared as {name}; write `{what.format(name)}`"


def undeclared(declaration: Declaration, sources: Mapping[str, str]) -> Iterator[str]:
    """Names that a source reads from the declaration and that are not in it."""
    known = dict(zip(KINDS, kernel_names(declaration), strict=True))
    for file, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, ast.Attribute):
                continue
            words = ast.unparse(node).split(".")
            if words[0] not in known:
                continue
            try:
                declared = known[words[0]]
                for word in words[1:]:
                    declared = getattr(declared, word)
            except AttributeError as error:
                yield f"{file}, line {node.lineno}: {error}"


def misread(sources: Mapping[str, str]) -> Iterator[str]:
    """What runs as Python and is refused by Numba when it reaches it, minutes later."""
    for file, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "scratch":
                for attribute in (each for each in ast.walk(node.args[0]) if isinstance(each, ast.Attribute)):
                    yield (
                        f"{file}, line {node.lineno}: import {attribute.attr} by its own name: to Numba an "
                        "attribute of a module is no literal, and `scratch` needs one"
                    )
            if isinstance(node, ast.Attribute) and node.attr == "view":
                yield f"{file}, line {node.lineno}: find another name: Numba takes `view` for the method of arrays"


def missing_in_twin(declaration: Declaration, source: str) -> Iterator[str]:
    """Toggles that the slow twin does not know."""
    words = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    for toggle in declaration.toggles:
        if toggle.name not in words and (declaration.name, toggle.name) not in NO_RULE_OF_PLAY:
            yield (
                f'tests/naive/{declaration.name}.py: the twin never reads settings["{toggle.name}"]; write its rule '
                "there, from the rule text and not from the kernel"
            )


def missing_witnesses(declaration: Declaration, known: tuple[witnesses.Witness, ...]) -> Iterator[str]:
    """Values of toggles that no position tells from the default."""
    file = f"workbench/games/{declaration.name}/witnesses.yaml"

    def lacking(toggle: Toggle, value: Setting) -> str:
        return (
            f"{file}: write a witness for {toggle.name}: {setting_text(value)}, a position that differs from the "
            f"default's ({toggle.name}: {setting_text(toggle.default)}):\n"
            f"- toggle: {toggle.name}\n  value: {setting_text(value)}\n  moves: [the moves that lead there]\n"
            "  expect: {legal: [some], illegal: [some], result: first, termination: mate}  # or some of them\n"
            '  sentence: What differs, in English.\n  sentence_ja: "日本語で。"'
        )

    for toggle in declaration.toggles:
        witnessed = [one.value for one in known if one.toggle == toggle.name]
        for value in toggle.values:
            if not equal_settings(value.name, toggle.default) and not any(
                equal_settings(value.name, one) for one in witnessed
            ):
                yield lacking(toggle, value.name)
        numbers = [one for one in witnessed if type(one) in (int, float) and toggle.allows(one)]
        if toggle.span and not numbers and (declaration.name, toggle.name) not in NO_RULE_OF_PLAY:
            yield lacking(toggle, toggle.span.high)


def missing_in_japanese(declaration: Declaration) -> Iterator[str]:
    """Sentences and titles that are there in English only."""
    file = f"workbench/games/{declaration.name}/rules.py"
    for toggle in declaration.toggles:
        if not toggle.title_ja:
            yield f"{file}: the toggle {toggle.name} has no title_ja"
        values: list[Value | object] = [*toggle.values, *([toggle.span] if toggle.span else [])]
        for value in values:
            if not getattr(value, "ja", "").endswith("。"):
                yield f"{file}: a value of {toggle.name} has no Japanese sentence (ja=…。): {value}"
    for one in (*declaration.features, *declaration.events, *declaration.terminations.values()):
        if not one.ja.endswith("。"):
            yield f"{file}: {one.name} has no Japanese sentence (ja=…。)"


def no_toggles(declaration: Declaration) -> Iterator[str]:
    """Events and endings that tell of what is no toggle."""
    known = {toggle.name for toggle in declaration.toggles}
    for one in (*declaration.events, *declaration.terminations.values()):
        for name in sorted({*one.toggles} - known):
            yield f"workbench/games/{declaration.name}/rules.py: {one.name} tells of {name}, which is no toggle"


@every_family
def test_the_kernel_does_all_that_is_declared(family: str) -> None:
    assert "\n".join(missing_in_kernel(games.declaration(family), kernel_files(family))) == ""


@every_family
def test_kernel_and_notation_use_declared_names_only(family: str) -> None:
    notation = f"workbench/games/{family}/notation.py"
    sources = {**kernel_files(family), notation: (ROOT / notation).read_text(encoding="utf-8")}
    assert "\n".join(undeclared(games.declaration(family), sources)) == ""


@every_family
def test_kernels_hold_nothing_that_numba_misreads(family: str) -> None:
    assert "\n".join(misread(kernel_files(family))) == ""
    wrong = "a = scratch(b.CELLS + 1)\nc = b.view(a)\n"
    assert [line.partition(": ")[0] for line in misread({"kernel.py": wrong})] == [
        "kernel.py, line 1",
        "kernel.py, line 2",
    ]


@every_family
def test_the_twin_knows_every_toggle(family: str) -> None:
    source = (ROOT / "tests" / "naive" / f"{family}.py").read_text(encoding="utf-8")
    assert "\n".join(missing_in_twin(games.declaration(family), source)) == ""


@every_family
def test_every_value_has_a_witness(family: str) -> None:
    assert "\n".join(missing_witnesses(games.declaration(family), witnesses.of(family))) == ""


@every_family
def test_every_sentence_is_there_in_japanese(family: str) -> None:
    assert "\n".join(missing_in_japanese(games.declaration(family))) == ""


@every_family
def test_what_events_tell_of_are_toggles(family: str) -> None:
    assert "\n".join(no_toggles(games.declaration(family))) == ""


def test_what_a_new_toggle_lacks_is_told_one_by_one() -> None:
    chess = games.declaration("chess")
    toggle = Toggle(
        "bare_king", "A king without other pieces", "nowhere", "nothing",
        (Value("nothing", "It means nothing.", ja="何もない。"), Value("wins-at-once", "It wins.")),
        title_ja="裸の王",
    )  # fmt: skip
    more = dataclasses.replace(
        chess,
        toggles=(*chess.toggles, toggle),
        events=(*chess.events, Named("walks", "Walks of a king.", ja="王の歩み。", toggles=("bare_kings",))),
        terminations={**chess.terminations, 999: Named("bare-king", "A king is alone.", ja="王だけになった。")},
    )
    sources = kernel_files("chess")
    # What chess itself lacks, as while a toggle is being added, is told by the other tests.
    lacking = set(missing_in_kernel(chess, sources))
    assert [line for line in missing_in_kernel(more, sources) if line not in lacking] == [
        "workbench/games/chess/kernel*.py: no kernel reads the toggle bare_king; where the rule book has its "
        "sentence, write `if rules.bare_king == TOGGLES.bare_king.wins_at_once:`",
        "workbench/games/chess/kernel*.py: no kernel writes what is declared as walks; write "
        "`counts[EVENTS.walks] += 1`",
        "workbench/games/chess/kernel*.py: no kernel writes what is declared as bare_king; write "
        "`return FIRST, ENDINGS.bare_king`",
    ]
    wrong = "def f(rules):\n    return rules.king == TOGGLES.king.capturd or ENDINGS.bare_king\n"
    assert list(undeclared(more, {"kernel.py": wrong})) == [
        "kernel.py, line 2: the toggle king of chess has no 'capturd'; it has checkmate, capture"
    ]
    twin = (ROOT / "tests" / "naive" / "chess.py").read_text(encoding="utf-8")
    lacking = set(missing_in_twin(chess, twin))
    assert [line for line in missing_in_twin(more, twin) if line not in lacking] == [
        'tests/naive/chess.py: the twin never reads settings["bare_king"]; write its rule there, from the '
        "rule text and not from the kernel"
    ]
    known = witnesses.of("chess")
    (witness,) = set(missing_witnesses(more, known)) - set(missing_witnesses(chess, known))
    assert witness.startswith(
        "workbench/games/chess/witnesses.yaml: write a witness for bare_king: wins-at-once, a position that "
        "differs from the default's (bare_king: nothing):\n- toggle: bare_king\n  value: wins-at-once\n"
    )
    (japanese,) = set(missing_in_japanese(more)) - set(missing_in_japanese(chess))
    assert japanese.startswith("workbench/games/chess/rules.py: a value of bare_king has no Japanese sentence")
    assert list(no_toggles(more)) == ["workbench/games/chess/rules.py: walks tells of bare_kings, which is no toggle"]
