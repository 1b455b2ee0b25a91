"""What the functions of a family are given and answer, watched while they run as plain Python.

Machine code has types, and wrong ones are an error of the compiler. As plain Python a function answers anything: a
forgotten ``return`` would show far from it, as a `TypeError` of the workbench.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from workbench import games
from workbench.engine import contract, jit
from workbench.engine.contract import DRAW, ONGOING, REPETITION, SWAP
from workbench.errors import abbreviated
from workbench.games import results
from workbench.games.declaration import Board
from workbench.language import tr
from workbench.laws.subject import Broken, WrongAnswer

NOTATION = {
    "format_move": ("rules", "state", "move"), "parse_move": ("rules", "state", "text"),
    "explain": ("rules", "state", "text", "move"), "board": ("rules", "state"), "set_up": ("rules", "state", "setup"),
}  # fmt: skip
"""What a notation must have, and what its functions are given."""
COMPILED = {contract.kernel_name(one): tuple(inspect.signature(one).parameters) for one in contract.MACHINE_TYPES}
KERNEL = dict.fromkeys(("state_size", "max_moves", "repetition_draws"), ("rules",)) | COMPILED
"""The same of a kernel."""


def _whole(answer: Any, low: int = 0, high: int = SWAP - 1) -> bool:
    return isinstance(answer, int | np.integer) and low <= answer <= high


def _truth(answer: Any) -> bool:
    return isinstance(answer, bool | np.bool_)


def _stops(answer: Any) -> bool:
    return isinstance(answer, tuple) and len(answer) == 2 and _whole(answer[0]) and _truth(answer[1])


def _ends(answer: Any, endings: Any) -> bool:
    if not isinstance(answer, tuple) or len(answer) != 2 or not all(_whole(one) for one in answer):
        return False
    return answer == (ONGOING, 0) or (ONGOING < answer[0] <= DRAW and answer[1] in endings)


def _drawn(answer: Any) -> bool:
    return (
        isinstance(answer, Board)
        and {len(row) for row in answer.cells} <= {len(answer.columns)}
        and len(answer.cells) == len(answer.rows)
        and all(isinstance(sign, str) for row in (*answer.cells, answer.columns, answer.rows) for sign in row)
    )


def _written(answer: Any) -> bool:
    return isinstance(answer, str) and answer.split() == [answer] and answer != results.SWAP


def _expected(family: str) -> dict[str, tuple[Callable[[Any], bool], str]]:
    """What each function must answer: the test, and the same in words."""
    endings = games.declaration(family).terminations
    size = functools.partial(_whole, low=1), tr("a whole number from 1 on")
    number, truth = (_whole, tr("a whole number from 0 on")), (_truth, tr("True or False"))
    stops = _stops, tr("how many moves it has listed and whether a search may stop, such as 0, True")
    result = tr("ONGOING, 0, or FIRST, SECOND or DRAW with one of ENDINGS")
    again = functools.partial(_ends, endings=(*endings, REPETITION)), tr("{result} or REPETITION", result=result)
    return {
        **dict.fromkeys(("state_size", "max_moves", "board_size"), size),
        **dict.fromkeys(("legal_moves", "count_moves", "units"), number),
        **dict.fromkeys(("has_move", "quiet", "counts_positions", "repetition_draws"), truth),
        **dict.fromkeys(("tactical_moves", "followed_moves"), stops),
        "sample_move": (functools.partial(_whole, low=-1), tr("a legal move, or -1")),
        "seat": (functools.partial(_whole, high=1), tr("whose turn it is, 0 or 1")),
        "key": (functools.partial(_whole, high=2**64 - 1), tr("a hash, np.uint64")),
        "outcome": (functools.partial(_ends, endings=endings), result),
        "repetition": again,
        "format_move": (_written, tr("a text without blanks, other than swap")),
        "parse_move": (_whole, tr("the number of a move, or a ValueError that says why there is none")),
        "explain": (lambda answer: isinstance(answer, str) and bool(answer), tr("a sentence")),
        "board": (_drawn, tr("a Board of texts, a row for each of rows and a cell for each of columns")),
    }


def signatures_fit(module: ModuleType, wanted: dict[str, tuple[str, ...]], optional: Collection[str] = ()) -> None:
    """A module has its functions, and they take what they are given."""
    for name, given in wanted.items():
        call = f"def {name}({', '.join(given)})"
        if not callable(function := getattr(module, name, None)):
            if name in optional:
                continue
            file = Path(str(module.__file__)).name
            raise Broken(tr("{path} has no {missing}: write {call}", path=file, missing=name, call=call))
        try:
            inspect.signature(_plain(function)).bind(*given)
        except TypeError:
            raise Broken(
                tr("{place}: it takes {found}; write {call}", place=_place(function), call=call,
                   found=f"{name}{inspect.signature(_plain(function))}")
            ) from None  # fmt: skip
        if name in COMPILED and not (jit.DISABLED or hasattr(inspect.unwrap(function), "py_func")):
            raise Broken(tr("{place}: {name} needs @njit above it", place=_place(function), name=name))


def watch(family: str) -> None:
    """From now on the functions of a family say in words that they answer what they must not."""
    for module in (games.kernel(family), games.notation(family)):
        for name, (right, words) in _expected(family).items():
            if (function := getattr(module, name, None)) and not hasattr(function, "__wrapped__"):
                setattr(module, name, _watched(function, right, words))


def _watched(function: Any, right: Callable[[Any], bool], words: str) -> Any:
    @functools.wraps(function)
    def asked(*given: Any) -> Any:
        answer = function(*given)
        if not right(answer):
            found = tr("nothing: is a return missing?") if answer is None else abbreviated(_shown(answer))
            raise WrongAnswer(
                tr("{place}: {name} answers {found}; expected {words}",
                   place=_place(function), name=function.__name__, found=found, words=words)
            )  # fmt: skip
        for move in given[2][:answer] if function.__name__ == "legal_moves" else ():
            if not _whole(move):
                numbers = tr("moves are numbers from 0 to {most}", most=SWAP - 1)
                raise WrongAnswer(
                    tr("{place}: it lists {move}; {numbers}", place=_place(function), move=move, numbers=numbers)
                )
        return answer

    return asked


def _shown(answer: Any) -> str:
    """An answer as one might have written it."""
    if isinstance(answer, tuple) and len(answer) == 2 and answer[0] in range(1, 4):
        return f"{('FIRST', 'SECOND', 'DRAW')[answer[0] - 1]}, {answer[1]}"
    return str(answer) if isinstance(answer, np.generic) else repr(answer)


def _plain(function: Any) -> Any:
    """A function as it was written."""
    return getattr(inspect.unwrap(function), "py_func", inspect.unwrap(function))


def _place(function: Any) -> str:
    """The file and the line in which a function begins."""
    lines, first = inspect.getsourcelines(_plain(function))
    first += next((after for after, line in enumerate(lines) if line.startswith("def ")), 0)
    return tr("{where}, line {line}", where=Path(str(inspect.getsourcefile(_plain(function)))).name, line=first)
