"""The declaration of a game family: its toggles, features, events and endings.

A family declares each rule choice once, as plain data. The loader's checks, ``workbench rules``, the JSON Schema, the
rule text of a ruleset and the integers of the compiled kernel are derived from it. This module and every family's
``rules.py`` import only the standard library, so checking a ruleset starts no compiler.
"""

from __future__ import annotations

import keyword
import re
from collections import namedtuple
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from workbench.base.language import OR, join_list, strip_period, tr, untranslated
from workbench.engine.folds import MIRRORED, UNFOLDED, Fold

Setting = str | int | float | bool
"""A value that a ruleset file may give to a toggle."""


@dataclass(frozen=True)
class Value:
    """An allowed value of a toggle, with its sentence in the rule book."""

    name: Setting
    sentence: str
    label: str = ""
    """A short name for rules with this value, if the sentence is too long."""
    code: int | None = None
    """The number in the kernel's ``Rules`` field; by default the value itself if it is a number or a bool, else its
    index among the toggle's values."""


class Blank(Value):
    """A default that adds no rule; rule books omit it, but comparisons do not."""


@dataclass(frozen=True)
class Span:
    """A range of numbers that a toggle allows besides its named values. The kernel reads a number in steps."""

    low: int
    high: int
    sentence: str
    """The rule sentence, with the placeholder ``{n}``."""
    step: float = 1
    """1 or a fraction such as 0.5."""
    label: str = ""
    """As for a value, with the placeholder ``{n}``."""

    def allows(self, setting: object) -> bool:
        """Return whether a setting is a number in the range, with integers written as 7 rather than 7.0."""
        if type(setting) is float and setting.is_integer():
            return False
        return type(setting) in (int, float) and self.low <= setting <= self.high and not setting % self.step  # type: ignore[operator]

    def numbers(self) -> Iterator[Setting]:
        """Yield all numbers in the range, as written in files."""
        steps = (self.low + n * self.step for n in range(round((self.high - self.low) / self.step) + 1))
        return (int(number) if number == int(number) else number for number in steps)

    def words(self) -> str:
        """Return the range in words."""
        kind = tr("a whole number") if self.step == 1 else tr("a multiple of {step:g}", step=self.step)
        return tr("{kind} from {low} to {high}", kind=kind, low=self.low, high=self.high)


@dataclass(frozen=True)
class Files:
    """YAML files that a toggle selects by name. Their content is part of the rules and the fingerprint.

    They are in ``rulesets/<game>/<folder>``. The family's module with the folder's name reads their YAML trees:
    ``read(root, settings)`` returns the integers for the kernel's array, and ``check(root)`` checks a file that no
    ruleset uses. Both raise `InputError`.
    """

    folder: str
    what: str
    """A noun for a file, such as ``an army``."""
    sentence: str
    """The rule sentence that precedes the file's name."""


def with_setting(sentence: str, setting: Setting) -> str:
    """Return a rule sentence followed by the setting, spelt as in the ruleset."""
    return tr("{sentence}: {setting}.", sentence=strip_period(sentence), setting=untranslated(setting))


@dataclass(frozen=True)
class NoEffect:
    """Settings of other toggles under which a toggle has no effect.

    Rule books then omit its sentence. If there is a ``message``, values other than the default are a `Conflict`.
    """

    settings: Mapping[str, tuple[Setting, ...]]
    message: str = ""


@dataclass(frozen=True)
class Toggle:
    """A typed, named rule choice."""

    name: str
    title: str
    source: str
    default: Setting
    values: tuple[Value, ...] = ()
    span: Span | None = None
    files: Files | None = None
    has_no_effect_when: tuple[NoEffect, ...] = ()

    def code(self, setting: Setting) -> int | tuple[int, ...]:
        """Return the kernel's integer for an allowed setting; ``()`` for a file name, whose content is read later."""
        for index, value in enumerate(self.values):
            if equal_settings(value.name, setting):
                if value.code is not None:
                    return value.code
                return int(value.name) if isinstance(value.name, int) else index
        if self.files and self.allows(setting):
            return ()
        if self.span and self.span.allows(setting):
            assert isinstance(setting, int | float)
            return round(setting / self.span.step)
        raise ValueError(f"{self.name} cannot be {setting!r}")

    def allows(self, setting: object) -> bool:
        """Return whether a setting is allowed; its type matters (``1`` is not ``true``)."""
        if self.files is not None:
            return isinstance(setting, str) and re.fullmatch(r"\w[\w+-]*", setting) is not None
        return any(equal_settings(value.name, setting) for value in self.values) or (
            self.span is not None and self.span.allows(setting)
        )

    def sentence(self, setting: Setting) -> str:
        """Return the rule book's sentence for an allowed setting."""
        for value in self.values:
            if equal_settings(value.name, setting):
                return value.sentence
        if self.files:
            return with_setting(self.files.sentence, setting)
        assert self.span is not None
        return self.span.sentence.format(n=setting)

    def label(self, setting: Setting) -> str:
        """Return a short name for an allowed setting, or ""."""
        number = self.span.label.format(n=setting) if self.span else ""
        return next((value.label for value in self.values if equal_settings(value.name, setting)), number)

    def makes_irrelevant(self, setting: Setting) -> tuple[str, ...]:
        """Return the toggles that have no effect under this setting, regardless of other settings."""
        return ()

    def conflicts(self) -> Iterator[Conflict]:
        """Yield the conflicts with settings that make this toggle irrelevant."""
        numbers = self.span.numbers() if self.span else ()
        others = (*(value.name for value in self.values), *numbers)
        others = tuple(setting for setting in others if not equal_settings(setting, self.default))
        return (
            Conflict({self.name: others, **no_effect.settings}, no_effect.message)
            for no_effect in self.has_no_effect_when
            if no_effect.message
        )

    def choices(self) -> str:
        """Return the allowed values in words, for messages."""
        words = [setting_text(value.name) for value in self.values]
        if self.span:
            words.append(self.span.words())
        if self.files:
            words.append(
                tr("the name of {what}, a file in the folder {folder}", what=self.files.what, folder=self.files.folder)
            )
        return join_list(words, OR)


@dataclass(frozen=True)
class Conflict:
    """An invalid combination of settings.

    The conflict exists if every toggle in ``settings`` has one of its listed values. ``message`` gives the reason and
    the remedy. For settings without effect, use `NoEffect`.
    """

    settings: Mapping[str, tuple[Setting, ...]]
    message: str


SWAP, NO_SWAP = "swap", "none"
"""The name of the pie rule's toggle, and its value for no swaps."""
# Declarations are formatted by hand, with each text beside the name of its value.
# fmt: off
COMMON = (
    Toggle(
        name=SWAP, title=tr("Swapping sides (pie rule)"),
        source=tr("the pie rule: 'one cuts, the other chooses'; in Hex: C. Browne, 'Hex Strategy: Making the "
                  "Right Connections', A K Peters, 2000. The number of plies and the turn are our choice"),
        default=NO_SWAP,
        values=(
            Blank(NO_SWAP, tr("The players keep their sides.")),
            Value("after-first", tr("Pie rule: after the first ply the second player may swap sides instead of "
                                    "moving; the first player then continues with the other side."),
                  tr("swapping sides after the first ply")),
            Value("after-second", tr("Pie rule: on their first turn after ply 2 the second player may swap sides "
                                     "instead of moving; the first player then continues with the other side."),
                  tr("swapping sides after ply 2")),
        ),
        span=Span(3, 40, tr("Pie rule: on their first turn after ply {n} the second player may swap sides "
                            "instead of moving; the first player then continues with the other side.")),
    ),
    Toggle(
        name="draw_value", title=tr("The value of a draw"),
        source=tr("FIDE World Cup regulations: in the sudden-death game (Armageddon) a draw is a win for Black"),
        default=0.5,
        values=(
            # The codes are the engine's results.
            Blank(0.5, tr("A draw counts as half a win for each player."), code=3),
            Value(0, tr("A draw counts as a win for the side that moves second (Armageddon)."),
                  tr("a draw is a win for the side that moves second"), code=2),
            Value(1, tr("A draw counts as a win for the side that moves first."),
                  tr("a draw is a win for the side that moves first"), code=1),
        ),
    ),
)
# fmt: on
"""The toggles of every family, which are implemented by drivers instead of kernels."""


@dataclass(frozen=True)
class SquareNaming:
    """A rule book sentence about square names, for rules with these settings; it does not affect play.

    ``when`` lists settings as in a `Conflict`.
    """

    when: Mapping[str, tuple[Setting, ...]]
    sentence: str
    turned: bool = False
    """True if the colour that usually moves second in this family moves first."""


@dataclass(frozen=True)
class Named:
    """A named number that the kernel fills in: a heuristic feature, an event counter or an ending."""

    name: str
    sentence: str
    weight: float = 0.0
    """Features only: the default weight in the heuristic."""
    toggles: tuple[str, ...] = ()
    """Events and endings only: the toggles whose rules can cause it."""
    per: str = ""
    """Events only: the denominator (another event or ``plies``) of the ratio that reports show."""


@dataclass(frozen=True)
class UnitKind:
    """A kind of piece or stone. Players learn its worth for each place on the board and in hand."""

    name: str
    title: str = ""
    """The displayed name; by default ``name``."""
    fold: Fold = MIRRORED
    """The symmetries that preserve the worth of a place, from the owner's view (`engine.folds`)."""


@dataclass(frozen=True)
class Landmark:
    """A place that each player chooses once, early in the game. Heat maps show the results by place.

    The seats alternate plies until both have chosen.
    """

    name: str
    sentence: str
    pattern: str
    """A regular expression for the whole move, with groups ``column`` and ``row``. A player's first match counts."""
    fold: Fold = UNFOLDED
    """The symmetries of the rules and the start, which make squares equivalent. Columns are letters from a, rows are
    numbers from 1; hexagonal boards number their rows from the top."""
    size: str = ""
    """The toggle for the number of columns and rows; required by a fold."""


@dataclass(frozen=True)
class PlayerChoice:
    """A choice that each player makes before the game, such as an army. Reports compare the choices."""

    name: str
    toggles: tuple[str, str]
    """The toggles of the first and the second seat; both have the same values."""
    title: str = ""
    """The displayed name; by default ``name``."""


@dataclass(frozen=True)
class Group:
    """Toggles that pages show together under a title."""

    title: str
    toggles: tuple[str, ...]


@dataclass(frozen=True)
class Declaration:
    """The declaration of a game family."""

    name: str
    title: str
    version: int
    """Part of every fingerprint; increased only if the same toggles come to define another game."""
    source: str
    summary: tuple[str, ...]
    """The rules that do not depend on toggles, one sentence or paragraph each."""
    toggles: tuple[Toggle, ...]
    conflicts: tuple[Conflict, ...]
    features: tuple[Named, ...]
    events: tuple[Named, ...]
    terminations: Mapping[int, Named]
    """The kernel's endings by code. The engine adds its own, such as the cap and repetition."""
    seats: tuple[str, str]
    """The names of the first and the second seat."""
    units: tuple[UnitKind, ...] = ()
    """Kinds of pieces and stones, indexed by the kernel's codes."""
    introduction: str = ""
    """The game and the aim of its players, in one sentence."""
    aim: tuple[str, ...] = ()
    """The toggles that the introduction describes; rules that change them are not introduced by it."""
    notation: tuple[str, ...] = field(default=())
    """The notation of moves, one sentence each."""
    square_namings: tuple[SquareNaming, ...] = ()
    """The names of squares if they depend on the rules; the rule book shows the first match."""
    landmarks: tuple[Landmark, ...] = ()
    styles: tuple[Named, ...] = ()
    """Opening styles for agents; the kernel's codes are the indices, starting at 1."""
    player_choice: PlayerChoice | None = None
    pace: int = 1
    """The number of games that take about as long as one game of Chatra, which scales the block size."""
    training_nodes: int = 150_000_000
    """Number of positions searched during training, which takes a few minutes per ruleset."""
    net_rounds: int = 1
    """Number of rounds of games to train a net from a base net (`players.trainer.FROM_BASE`)."""
    trainer: int = 3
    """The version of the trainer (`players.trainer`) used for all players of the family, including shipped ones."""
    legend: str = ""
    """The meaning of the signs on boards, in one line; empty if they are common knowledge."""
    current: str = ""
    """The ruleset in current use, without the family's name; pages of rules start with it."""
    groups: tuple[Group, ...] = ()
    """Groups of toggles in page order, to be followed by ungrouped toggles."""

    def __post_init__(self) -> None:
        declared = (toggle for toggle in self.toggles if toggle not in COMMON)
        object.__setattr__(self, "toggles", (*declared, *COMMON))
        names = tuple(toggle.name for toggle in COMMON)
        if self.groups and names not in (group.toggles for group in self.groups):
            object.__setattr__(self, "groups", (*self.groups, Group(tr("Sides and score"), names)))

    def grouped(self) -> Iterator[tuple[str, list[Toggle]]]:
        """Yield the title and toggles of each group, followed by any ungrouped toggles with an empty title."""
        grouped_names = {name for group in self.groups for name in group.toggles}
        for group in self.groups:
            yield group.title, [self.toggle(name) for name in group.toggles]
        if ungrouped := [toggle for toggle in self.toggles if toggle.name not in grouped_names]:
            yield "", ungrouped

    def toggle(self, name: str) -> Toggle:
        """Return the toggle with this name."""
        for toggle in self.toggles:
            if toggle.name == name:
                return toggle
        raise KeyError(name)

    def square_naming(self, settings: Mapping[str, Setting]) -> tuple[str, ...]:
        """Return a tuple with the sentence about square names under these settings, or an empty tuple."""
        return tuple(naming.sentence for naming in self.square_namings if all_match(naming.when, settings))[:1]

    def defaults(self) -> dict[str, Setting]:
        """Return the default of every toggle."""
        return {toggle.name: toggle.default for toggle in self.toggles}

    def excluded(self) -> list[Conflict]:
        """Return all conflicts, including those with settings that have no effect."""
        return [*self.conflicts, *(conflict for toggle in self.toggles for conflict in toggle.conflicts())]

    def without_effect(self, settings: Mapping[str, Setting]) -> set[str]:
        """Return the names of toggles that have no effect, given the settings of all toggles."""
        irrelevant = {name for toggle in self.toggles for name in toggle.makes_irrelevant(settings[toggle.name])}
        return irrelevant | {
            toggle.name
            for toggle in self.toggles
            if any(all_match(condition.settings, settings) for condition in toggle.has_no_effect_when)
        }

    def sentences(self, settings: Mapping[str, Setting], named: Collection[str] = ()) -> Iterator[tuple[Toggle, str]]:
        """Yield each toggle that has an effect with its sentence, given the settings of all toggles.

        `Blank` settings are included only for the toggles in ``named``.
        """
        irrelevant = self.without_effect(settings)
        for toggle in self.toggles:
            blank = any(
                type(value) is Blank and equal_settings(value.name, settings[toggle.name]) for value in toggle.values
            )
            if toggle.name not in irrelevant and (toggle.name in named or not blank):
                yield toggle, toggle.sentence(settings[toggle.name])

    def codes(self, settings: Mapping[str, Setting]) -> dict[str, int | tuple[int, ...]]:
        """Return the kernel's numbers by toggle, given the settings of all toggles (see `Toggle.code`)."""
        return {toggle.name: toggle.code(settings[toggle.name]) for toggle in self.toggles}


class Names(ModuleType):
    """The names in a declaration, with their values in a kernel: ``TOGGLES.stalemate.loss`` is 1.

    Characters that Python names cannot contain are replaced by ``_``: ``king-and-rook`` becomes ``king_and_rook``. The
    type is a module because Numba resolves module attributes at compile time, so a name costs no more than a number.
    """

    def __init__(self, description: str, content: Mapping[str, Any]) -> None:
        super().__init__(description)
        vars(self).update({identifier(name): value for name, value in content.items()})
        self._count = len(content)

    def __len__(self) -> int:
        return self._count

    def __getattr__(self, name: str) -> Any:
        available = ", ".join(key for key in vars(self) if not key.startswith("_"))
        raise AttributeError(f"{self.__name__} has no '{name}'; it has {available}")


def kernel_names(declaration: Declaration) -> tuple[Names, Names, Names, Names, Names, Names]:
    """Return the names of toggle values, features, events, endings, styles and units, in this order.

    ``TOGGLES.stalemate.loss`` is the code of a value (numbers need no names), ``FEATURES.mobility`` and
    ``EVENTS.captures`` are indices into the kernel's arrays, and ``ENDINGS.mate``, ``STYLES.corner`` and ``UNITS.pawn``
    are codes.
    """
    game = declaration.name
    toggles = {
        toggle.name: Names(
            f"the toggle {toggle.name} of {game}",
            {
                setting_text(value.name): toggle.code(value.name)
                for value in toggle.values
                if type(value.name) in (str, bool)
            },
        )
        for toggle in declaration.toggles
    }
    return (
        Names(f"the declaration of {game}", toggles),
        Names(f"the features of {game}", {entry.name: index for index, entry in enumerate(declaration.features)}),
        Names(f"the events of {game}", {entry.name: index for index, entry in enumerate(declaration.events)}),
        Names(f"the endings of {game}", {entry.name: code for code, entry in declaration.terminations.items()}),
        Names(f"the styles of {game}", {entry.name: index for index, entry in enumerate(declaration.styles, 1)}),
        Names(f"the units of {game}", {entry.name: index for index, entry in enumerate(declaration.units)}),
    )


def rules_type(declaration: Declaration, module: str) -> Any:
    """Return the type of a kernel's ``Rules``: a named tuple with one field per toggle, in declaration order.

    ``module`` is the name of the module that defines ``Rules``; machine code is cached under this name.
    """
    return namedtuple("Rules", [toggle.name for toggle in declaration.toggles], module=module)


@dataclass(frozen=True)
class Board:
    """A position as a grid of cell symbols, for text, SVG and HTML boards."""

    cells: tuple[tuple[str, ...], ...]
    """Symbols row by row from the top; ``""`` for empty cells."""
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    shaded: frozenset[tuple[int, int]] = frozenset()
    """(row, column) of darker cells, such as every other zone."""
    notes: tuple[str, ...] = ()
    """Facts that the board does not show: hands, flags, side to move, check."""
    check: str = ""
    """The note about a check, or ""."""
    owners: tuple[tuple[int, ...], ...] = ()
    """The owner of each cell's piece (0, 1 or -1); empty if the symbols show it. As in shogi, pieces of seat 0 point up
    and pieces of seat 1 down; in text the latter are preceded by ``v``."""

    hexagonal: bool = False
    """True for hexagonal cells, with each row shifted half a cell to the right, as in Hex."""
    outside: frozenset[tuple[int, int]] = frozenset()
    """(row, column) of grid places that are not cells."""
    goals: tuple[int, int, int, int] = (-1, -1, -1, -1)
    """The seat whose goal is the top, right, bottom and left edge, or -1. Edges are drawn in that seat's colour."""

    def pieces(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        """Return each cell's symbol and owner; the owner is -1 if the cell is empty or the symbol shows it."""
        owners = self.owners or tuple((-1,) * len(row) for row in self.cells)
        return tuple(
            tuple((symbol, owner if symbol else -1) for symbol, owner in zip(*pair, strict=True))
            for pair in zip(self.cells, owners, strict=True)
        )

    def changes(self, after: Board) -> frozenset[tuple[int, int]]:
        """Return the cells, as (row, column), whose pieces differ from those in a later position."""
        return frozenset(
            (y, x)
            for y, (old, new) in enumerate(zip(self.pieces(), after.pieces(), strict=True))
            for x, (was, now) in enumerate(zip(old, new, strict=True))
            if was != now
        )


def equal_settings(a: object, b: object) -> bool:
    """Return whether two settings have the same value and type."""
    return type(a) is type(b) and a == b


def all_match(conditions: Mapping[str, tuple[Setting, ...]], settings: Mapping[str, Setting]) -> bool:
    """Return whether every toggle in ``conditions`` has one of its listed values."""
    return all(any(equal_settings(settings[name], value) for value in values) for name, values in conditions.items())


def identifier(name: str) -> str:
    """Convert a declared name into a Python identifier."""
    name = re.sub(r"\W", "_", name)
    return name + "_" * keyword.iskeyword(name)


def setting_text(setting: Setting) -> str:
    """Return a setting as written in YAML."""
    return str(setting).lower() if isinstance(setting, bool) else str(setting)
