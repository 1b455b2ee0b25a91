"""What the functions of a family are given and answer, watched while they run as plain Python.

Machine code has types. As plain Python a function answers anything, and a forgotten ``return`` shows far from it.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from workbench import games
from workbench.engine import contract, jit
from workbench.engine.contract import DRAW, FIRST, ONGOING, REPETITION, SECOND
from workbench.errors import abbreviated
from workbench.games import results
from workbench.games.declaration import Board
from workbench.language import tr
from workbench.laws.subject import Broken, WrongAnswer

NOTATION = {"format_move": "move", "parse_move": "text", "explain": "text, move", "board": "", "set_up": "setup"}
"""What a notation must have, and what its functions are given behind rules and state."""
COMPILED = {contract.kernel_name(one): ", ".join(inspect.signature(one).parameters) for one in contract.MACHINE_TYPES}
KERNEL = dict.fromkeys(("state_size", "max_moves", "repetition_draws"), "rules") | COMPILED
"""The same of a kernel, with all that is given."""
_Test = Callable[[Any], bool]


def _whole(low: int = 0, high: int = 2**31 - 1) -> _Test:
    return lambda answer: isinstance(answer, int | np.integer) and low <= int(answer) <= high


def _ends(codes: Collection[int]) -> _Test:
    return lambda answer: answer in [(ONGOING, 0), *itertools.product((FIRST, SECOND, DRAW), codes)]


def _truth(answer: Any) -> bool:
    return isinstance(answer, bool | np.bool_)


def _stops(answer: Any) -> bool:
    return isinstance(answer, tuple) and len(answer) == 2 and _whole()(answer[0]) and _truth(answer[1])


def _written(text: Any) -> bool:
    return isinstance(text, str) and text.split() == [text] != [results.SWAP]


def _drawn(board: Any) -> bool:
    if not isinstance(board, Board) or [len(row) for row in board.cells] != [len(board.columns)] * len(board.rows):
        return False
    return all(isinstance(sign, str) for row in (*board.cells, board.columns, board.rows) for sign in row)


def _expected(family: str) -> Iterator[tuple[str, _Test, str]]:
    """Functions, the test of what they answer, and the same in words."""
    endings, result = games.declaration(family).terminations, tr("ONGOING, 0, or a result with one of ENDINGS")
    yield "state_size max_moves board_size", _whole(1), tr("a whole number from 1 on")
    yield "legal_moves count_moves units parse_move", _whole(), tr("a whole number from 0 on")
    yield "sample_move", _whole(-1), tr("a legal move, or -1")
    yield "seat", _whole(high=1), tr("whose turn it is, 0 or 1")
    yield "key", _whole(high=2**64 - 1), tr("a hash, np.uint64")
    yield "has_move quiet counts_positions repetition_draws", _truth, tr("True or False")
    yield "tactical_moves followed_moves", _stops, tr("how many moves are listed, and whether a search may stop")
    yield "outcome", _ends(endings), result
    yield "repetition", _ends((*endings, REPETITION)), tr("{result} or REPETITION", result=result)
    yield "format_move", _written, tr("a text without blanks, other than swap")
    yield "explain", lambda text: isinstance(text, str) and text != "", tr("a sentence")
    yield "board", _drawn, tr("a Board of texts, a row for each of rows and a cell for each of columns")


def signatures_fit(module: ModuleType, wanted: dict[str, str], optional: Collection[str] = ()) -> None:
    """A module has its functions, and they take what they are given."""
    for name, given in wanted.items():
        given = given if given.startswith("rules") else ", ".join(filter(None, ("rules, state", given)))
        call, function = f"def {name}({given})", getattr(module, name, None)
        if function is None and name not in optional:
            file = Path(str(module.__file__)).name
            raise Broken(tr("{path} has no {missing}: write {call}", path=file, missing=name, call=call))
        plain = isinstance(function, FunctionType) and not hasattr(function, "__wrapped__")
        if plain and name in COMPILED and not jit.DISABLED:
            raise Broken(tr("{place}: write @njit above {call}", place=_place(function), call=call))
        try:
            _ = function and inspect.signature(_plain(function)).bind(*given.split(", "))
        except TypeError:
            raise Broken(tr("{place}: write {call}", place=_place(function), call=call)) from None


def watch(family: str) -> None:
    """From now on the functions of a family say in words that they answer what they must not."""
    for module in (games.kernel(family), games.notation(family)):
        for names, right, words in _expected(family):
            for name in names.split():
                if (function := getattr(module, name, None)) and not hasattr(function, "__wrapped__"):
                    setattr(module, name, _watched(function, right, words))


def _watched(function: Any, right: _Test, words: str) -> Any:
    @functools.wraps(function)
    def asked(*given: Any) -> Any:
        if right(answer := function(*given)):
            return answer
        answer = answer.item() if isinstance(answer, np.generic) else answer
        found = tr("nothing: is a return missing?") if answer is None else abbreviated(repr(answer))
        about = tr("{place}: {name} answers {found}", place=_place(function), name=function.__name__, found=found)
        raise WrongAnswer(tr("{about}; expected {words}", about=about, words=words))

    return asked


def _plain(function: Any) -> Any:
    """A function as it was written."""
    return getattr(inspect.unwrap(function), "py_func", inspect.unwrap(function))


def _place(function: Any) -> str:
    """The file and the line in which a function begins."""
    lines, first = inspect.getsourcelines(_plain(function))
    first += next((after for after, line in enumerate(lines) if line.startswith("def ")), 0)
    return tr("{where}, line {line}", where=Path(str(inspect.getsourcefile(_plain(function)))).name, line=first)
