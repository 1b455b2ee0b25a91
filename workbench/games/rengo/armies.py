"""Army files: the units that a player of the mixed game sets up, checked against the board and the budget.

An army is a YAML file in ``rulesets/rengo/armies``. It contains one king, pieces, and stones on the board and in hand:

    title: Shogi classic
    width: 8
    king: {玉: e1}
    pieces: {金: [d1, f1], 歩: [a0, b0]}
    stones: {翻: [a1]}
    hand: {碁: 50, 珠: 5}

A cell is a column, lettered from the player's left, and the number of rows behind the row of soldiers, so a0 is on that
row. The letters denote ``width`` columns, which are centred on a wider board (rounded to the left). One army can
therefore be set up on boards of several sizes.

Source: 「続・連合将棋」, sections 2 and 3, and its first article, blog.hangame.co.jp/P427369068.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from workbench.base.errors import NONE, InputError, Problem, expected
from workbench.base.language import tr
from workbench.base.yamlfile import Node
from workbench.games.declaration import Setting
from workbench.games.prices import PriceList
from workbench.games.rengo.rules import DECLARATION, DRAUGHTS, KIND, LETTERS, SOLDIER_ROW, UNITS, Unit

KEYS = {
    "title": tr("The army's name."),
    "title_ja": tr("The same in Japanese."),
    "idea": tr("How the army is meant to win."),
    "width": tr("The number of columns that the cells' letters refer to; 8 by default."),
    "king": tr("The king, of any kind, and its cell."),
    "pieces": tr("All other pieces, each with a list of cells."),
    "stones": tr("Stones that start on the board (碁 and 翻), each with a list of cells."),
    "hand": tr("Stones in hand (碁, 翻 and 珠) and their numbers."),
}
WIDTH = 8
CELL = re.compile(r"([a-s])([0-9]|1[0-8])")
DRAUGHTS_SET = 20


@dataclass
class _Army:
    """An army that is being read from a file."""

    board: int
    width: int = WIDTH
    placed: dict[int, tuple[Unit, Node]] = field(default_factory=dict)
    """Unit and place in the file by cell, numbered as in the kernel from the owner's side."""
    hand: Counter[str] = field(default_factory=Counter)
    numbers: Counter[str] = field(default_factory=Counter)
    kings: list[Node] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def check(self) -> None:
        """Raise an InputError with all problems in line order, if there are any."""
        if self.problems:
            raise InputError(sorted(self.problems, key=lambda problem: problem.line or 0))


def read(root: Node, settings: Mapping[str, Setting]) -> tuple[int, ...]:
    """Return a file's army in the kernel's format, checked against the settings' board, prices and budget.

    The result contains the number of units on the board, each unit as ``kind << 16 | cell`` (cells row by row from the
    enemy's left corner, seen by the owner), and the units in hand as ``kind << 16 | number``.

    Raises:
        InputError: the file is not an army or violates the setup rules; lists all problems.
    """
    army = _load(root, settings)
    army.problems += _over_budget(army, root, settings)
    army.check()
    units = [KIND[unit.letter] << 16 | cell for cell, (unit, _) in sorted(army.placed.items())]
    in_hand = sorted(KIND[letter] << 16 | number for letter, number in army.hand.items())
    return (len(units), *units, *in_hand)


def unit_counts(root: Node, settings: Mapping[str, Setting]) -> Mapping[str, int]:
    """Count the units of each kind in a file's army, regardless of cost.

    Raises:
        InputError: the file is not an army for the settings' board.
    """
    army = _load(root, settings)
    army.check()
    return army.numbers


def content_counts(content: tuple[int, ...]) -> Mapping[str, int]:
    """Count the units of each kind in an army, given the result of `read`."""
    count, *words = content
    units: Counter[str] = Counter(LETTERS[word >> 16] for word in words[:count])
    units.update({LETTERS[word >> 16]: word & 0xFFFF for word in words[count:]})
    return units


def check(root: Node, all_settings: Iterable[Mapping[str, Setting]]) -> None:
    """Check that an army can be set up on some board with the prices and budget of one of ``all_settings``.

    Raises:
        InputError: the problems on the board with the fewest problems.
    """
    errors: list[InputError] = []
    by_budget = {(settings["prices"], settings["budget"]): settings for settings in all_settings}
    for settings in by_budget.values():
        for value in DECLARATION.toggle("board").values:
            try:
                read(root, {**settings, "board": value.name})
            except InputError as error:
                errors.append(error)
            else:
                return
    raise min(errors, key=lambda error: len(error.problems))


def _load(root: Node, settings: Mapping[str, Setting]) -> _Army:
    """Return a file's army with all its problems except the cost."""
    size = DECLARATION.toggle("board").code(settings["board"])
    assert isinstance(size, int) and isinstance(root.value, dict)
    army = _Army(size)
    _read(army, root, root.value, str(settings["board"]))
    return army


def _over_budget(army: _Army, root: Node, settings: Mapping[str, Setting]) -> list[Problem]:
    """Return the problem of an army over budget, naming its most expensive units, or an empty list."""
    prices = DECLARATION.toggle("prices")
    assert isinstance(prices, PriceList)
    costs, budget = prices.costs(army.numbers, settings["prices"]), settings["budget"]
    assert isinstance(budget, int)
    cost = sum(costs.values())
    if cost <= budget:
        return []
    costliest = sorted((letter for letter in costs if costs[letter] > 0), key=lambda letter: -costs[letter])[:4]
    default_prices = settings["prices"] == prices.default
    price_note = "" if default_prices else tr(", at the prices {table}", table=settings["prices"])
    actual_cost = tr("{cost}: {excess} too many{by_these}", cost=cost, excess=cost - budget, by_these=price_note)
    message = expected(tr("an army of at most {budget} points", budget=budget), actual_cost)
    listed = ", ".join(f"{army.numbers[letter]} {letter} ({costs[letter]})" for letter in costliest)
    return [Problem(root.file, root.line, None, message, tr("most expensive: {most}", most=listed))]


def _read(army: _Army, root: Node, entries: Mapping[str, Node], board: str) -> None:
    unknown = {key: node for key, node in entries.items() if key not in KEYS}
    army.problems += [node.unknown(tr("a key of an army"), key, KEYS) for key, node in unknown.items()]
    if "title" not in entries:
        army.problems.append(replace(root, key="title").expected(tr("a title"), found=NONE))
    for key in ("title", "title_ja", "idea"):
        if key in entries and not entries[key].is_scalar:
            army.problems.append(entries[key].expected(tr("text")))
    width = entries.get("width")
    if width is not None:
        if type(width.value) is int and 1 <= width.value <= army.board:
            army.width = width.value
        else:
            expectation = tr("a number of columns from 1 to {most} (the board is {columns})")
            army.problems.append(width.expected(expectation.format(most=army.board, columns=board)))
    for key in ("king", "pieces", "stones"):
        for letter, unit, node in _units(army, entries.get(key)):
            _place(army, key, letter, unit, node, board)
    for letter, unit, node in _units(army, entries.get("hand")):
        if unit.role != "stone":
            army.problems.append(node.expected(tr("stones (碁, 翻, 珠) in hand"), found=letter))
        elif type(node.value) is not int or node.value < 1:
            army.problems.append(node.expected(tr("the number of {letter} in hand", letter=letter)))
        else:
            army.hand[letter] += node.value
            _count(army, unit, node.value, node)
    if len(army.kings) != 1:
        king = army.kings[1] if army.kings else entries.get("king", root)
        names = ", ".join(unit.letter for unit in UNITS if unit.role == "king")
        hint = tr("the kings are {names}", names=names)
        army.problems.append(replace(king, key="king").expected(tr("exactly one king"), hint, len(army.kings) or NONE))


def _units(army: _Army, node: Node | None) -> Iterator[tuple[str, Unit, Node]]:
    """Yield the letter, unit and node of each valid entry in a mapping, recording problems."""
    if node is None or node.value is None:
        return
    if not isinstance(node.value, dict):
        army.problems.append(node.expected(tr("units such as {歩: [a0, b0]}")))
        return
    for letter, unit_node in node.value.items():
        if letter not in KIND:
            hint = tr("units are {placeable}", placeable=" ".join(_placeable()))
            army.problems.append(unit_node.unknown(tr("a unit"), letter, hint=hint))
        elif letter not in _placeable():
            promoted = tr("{letter}, which exists only through promotion", letter=letter)
            army.problems.append(unit_node.expected(tr("a unit that can be placed"), found=promoted))
        else:
            yield letter, UNITS[KIND[letter] - 1], unit_node


def _placeable() -> list[str]:
    return [unit.letter for unit in UNITS if unit.most > 0]


def _place(army: _Army, key: str, letter: str, unit: Unit, node: Node, board: str) -> None:
    """Place all units of a kind on the board, recording problems."""
    section = "stones" if unit.role == "stone" else "king" if unit.role == "king" else "pieces"
    if section != key:
        expected_place = tr("{letter} under {belongs}", letter=letter, belongs=section)
        army.problems.append(node.expected(expected_place, found=tr("it under {key}", key=key)))
    if letter == "珠":
        message = tr("expected 珠 only in hand, found it on the board")
        army.problems.append(node.problem(message, tr("write it under hand")))
        return
    for cell_node in node.value if isinstance(node.value, tuple) else (node,):
        match = CELL.fullmatch(cell_node.text) if cell_node.is_scalar else None
        if match is None:
            expectation = tr("a cell for {letter} such as c1 (column, rows behind the soldiers)", letter=letter)
            army.problems.append(cell_node.expected(expectation))
            continue
        column, row = ord(match[1]) - ord("a"), int(match[2])
        if problem := _cell_problem(army, unit, cell_node, column, row, board):
            army.problems.append(problem)
            continue
        cell = (army.board - SOLDIER_ROW[army.board] + row) * army.board + column + (army.board - army.width) // 2
        if cell in army.placed:
            other, other_node = army.placed[cell]
            fields = {"unit": letter, "cell": cell_node.text, "other": other.letter, "line": other_node.line}
            message = tr("{unit} on {cell}: {other} is already there (line {line})", **fields)
            army.problems.append(cell_node.problem(message))
            continue
        army.placed[cell] = unit, cell_node
        if unit.role == "king":
            army.kings.append(cell_node)
        _count(army, unit, 1, cell_node)


def _cell_problem(army: _Army, unit: Unit, node: Node, column: int, row: int, board: str) -> Problem | None:
    """Return the problem of placing a unit on a cell, regardless of other units, or None."""
    fields = {"letter": unit.letter, "each": node.text}
    if column >= army.width:
        last = chr(ord("a") + army.width - 1)
        return node.problem(tr("{letter} on {each}: the army has columns a to {last}", last=last, **fields))
    if unit.role == "soldier" and row != 0:
        message = tr("{letter} on {each}: soldiers may be placed only on the soldiers' row", **fields)
        return node.problem(message, tr("write {match}0", match=node.text[0]))
    last_row = SOLDIER_ROW[army.board] - 1
    if unit.role != "soldier" and not 1 <= row <= last_row:
        rows = "row 1" if last_row == 1 else tr("rows 1 to {behind}", behind=last_row)
        message = tr("{letter} on {each}: on {board}, all units except soldiers are placed behind them, on {rows}",
                     board=board, rows=rows, **fields)  # fmt: skip
        return node.problem(message)
    return None


def _count(army: _Army, unit: Unit, number: int, node: Node) -> None:
    """Add units to the counts, and record a problem if there are more than a player's sets contain."""
    previous = army.numbers[unit.letter]
    army.numbers[unit.letter] += number
    # The number of kings is checked separately.
    if unit.role != "king" and previous <= unit.most < army.numbers[unit.letter]:
        with_this = tr("{count} with this", count=army.numbers[unit.letter])
        maximum = tr("at most {most} {letter}", most=unit.most, letter=unit.letter)
        army.problems.append(node.expected(maximum, found=with_this))
    draughts = sum(army.numbers[kind.letter] for kind in UNITS if kind.game == DRAUGHTS)
    too_many = draughts - number <= DRAUGHTS_SET < draughts
    if unit.game == DRAUGHTS and too_many and unit.most >= army.numbers[unit.letter]:
        with_this = tr("{count} including this {letter}", count=draughts, letter=unit.letter)
        maximum = tr("at most {most} draughts units in all", most=DRAUGHTS_SET)
        army.problems.append(node.expected(maximum, found=with_this))
