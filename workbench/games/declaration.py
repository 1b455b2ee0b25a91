"""The declaration of a game family: its toggles, features, events and endings.

A family declares each rule choice once, as plain data. The checks of the loader, ``workbench rules``, the JSON Schema,
the rule text of a ruleset and the integers of the compiled kernel are derived from it. This module and every family's
``rules.py`` import the standard library only, so that checking a ruleset starts no compiler.
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
    """An allowed value of a toggle and its sentence in the rule book."""

    name: Setting
    sentence: str
    label: str = ""
    """A short name for rules with this value, if the sentence is too long for one."""
    code: int | None = None
    """The number in the kernel's ``Rules`` field; by default the value itself if it is a number or a bool, else its
    index among the toggle's values."""


class Blank(Value):
    """A default under which nothing happens: rule books omit it, comparisons do not."""


@dataclass(frozen=True)
class Span:
    """A range of numbers that a toggle allows besides its named values; the kernel reads a number in steps."""

    low: int
    high: int
    sentence: str
    """The rule sentence, with ``{n}`` in place of the number."""
    step: float = 1
    """1, or a fraction such as 0.5."""

    def allows(self, setting: object) -> bool:
        """Return whether this is a number of the range, written without a needless fraction (7, not 7.0)."""
        if type(setting) is float and setting.is_integer():
            return False
        return type(setting) in (int, float) and self.low <= setting <= self.high and not setting % self.step  # type: ignore[operator]

    def numbers(self) -> Iterator[Setting]:
        """Yield all numbers of the range as files write them."""
        steps = (self.low + n * self.step for n in range(round((self.high - self.low) / self.step) + 1))
        return (int(number) if number == int(number) else number for number in steps)

    def words(self) -> str:
        """Return the range in words."""
        kind = tr("a whole number") if self.step == 1 else tr("a multiple of {step:g}", step=self.step)
        return tr("{kind} from {low} to {high}", kind=kind, low=self.low, high=self.high)


@dataclass(frozen=True)
class Files:
    """YAML files that a toggle selects by name; their content is part of the rules and of their fingerprint.

    They are in ``rulesets/<game>/<folder>``. The family's module with the name of the folder reads their YAML trees:
    ``read(root, settings)`` returns the integers for the kernel's array, and ``check(root)`` checks a file that no
    ruleset uses; both raise `InputError`.
    """

    folder: str
    what: str
    """A noun for such a file, such as ``an army``."""
    sentence: str
    """The rule sentence that precedes the file's name."""


def with_setting(sentence: str, setting: Setting) -> str:
    """Return a rule sentence followed by the setting as the ruleset has it."""
    return tr("{sentence}: {setting}.", sentence=strip_period(sentence), setting=untranslated(setting))


@dataclass(frozen=True)
class NoEffect:
    """Settings of other toggles under which a toggle has no effect.

    Rule books omit its sentence there. If there is a ``message``, values other than the default are a `Conflict`.
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
        for place, value in enumerate(self.values):
            if equal_settings(value.name, setting):
                if value.code is not None:
                    return value.code
                return int(value.name) if isinstance(value.name, int) else place
        if self.files and self.allows(setting):
            return ()
        if self.span and self.span.allows(setting):
            assert isinstance(setting, int | float)
            return round(setting / self.span.step)
        raise ValueError(f"{self.name} cannot be {setting!r}")

    def allows(self, setting: object) -> bool:
        """Return whether a ruleset may give this value (types count: ``1`` is not ``true``)."""
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
        """Return a short name for an allowed setting, or "" if it needs none."""
        return next((value.label for value in self.values if equal_settings(value.name, setting)), "")

    def makes_irrelevant(self, setting: Setting) -> tuple[str, ...]:
        """Return the toggles that have no effect under this setting, regardless of other settings."""
        return ()

    def conflicts(self) -> Iterator[Conflict]:
        """Yield the conflicts of settings without effect."""
        numbers = self.span.numbers() if self.span else ()
        others = (*(value.name for value in self.values), *numbers)
        others = tuple(one for one in others if not equal_settings(one, self.default))
        return (
            Conflict({self.name: others, **idle.settings}, idle.message)
            for idle in self.has_no_effect_when
            if idle.message
        )

    def choices(self) -> str:
        """Return the allowed values in words, for messages."""
        words = [setting_text(value.name) for value in self.values]
        if self.span:
            words.append(self.span.words())
        if self.files:
            words.append(
                tr("the name of {what}, a file of the folder {folder}", what=self.files.what, folder=self.files.folder)
            )
        return join_list(words, OR)


@dataclass(frozen=True)
class Conflict:
    """A combination of settings that makes no sense.

    The conflict exists if every toggle in ``settings`` has one of its listed values; ``message`` says why, and what to
    write instead. For settings without effect use `NoEffect`.
    """

    settings: Mapping[str, tuple[Setting, ...]]
    message: str


SWAP, NO_SWAP = "swap", "none"
"""The toggle of the pie rule, and its value without swaps."""
# Declarations are laid out by hand: each text stands beside the name of its value.
# fmt: off
COMMON = (
    Toggle(
        name=SWAP, title=tr("Swapping sides (pie rule)"),
        source=tr("the pie rule: 'one cuts, the other chooses'; in Hex: C. Browne, 'Hex Strategy: Making the Right "
                  "Connections', A K Peters, 2000. After how many plies, and at whose turn, is ours"),
        default=NO_SWAP,
        values=(
            Blank(NO_SWAP, tr("The players keep their sides.")),
            Value("after-first", tr("Pie rule: after the first ply the second player may swap sides instead of "
                                    "moving; the first player then continues with the other side."),
                  tr("swapping sides after the first ply")),
            Value("after-second", tr("Pie rule: at their first turn after ply 2 the second player may swap "
                                     "sides instead of moving; the first player then continues with the other "
                                     "side."),
                  tr("swapping sides after ply 2")),
        ),
        span=Span(3, 40, tr("Pie rule: at their first turn after ply {n} the second player may swap sides "
                            "instead of moving; the first player then continues with the other side.")),
    ),
    Toggle(
        name="draw_value", title=tr("The value of a draw"),
        source=tr("FIDE, regulations of the World Cup: in the sudden death game (Armageddon) a draw is Black's win"),
        default=0.5,
        values=(
            # The code is the result in the engine's numbering.
            Blank(0.5, tr("A draw counts one half for each player."), code=3),
            Value(0, tr("A draw counts as a win for the side that moves second (Armageddon)."),
                  tr("a draw is won by the side that moves second"), code=2),
            Value(1, tr("A draw counts as a win for the side that moves first."),
                  tr("a draw is won by the side that moves first"), code=1),
        ),
    ),
)
# fmt: on
"""The rules of every family: swapping sides, and the value of a draw. The drivers read them, not the kernels."""


@dataclass(frozen=True)
class SquareNaming:
    """A rule book sentence about the names of squares, for rules with these settings; play does not depend on it.

    ``when`` lists settings as in a `Conflict`.
    """

    when: Mapping[str, tuple[Setting, ...]]
    sentence: str
    turned: bool = False
    """True if the colour that otherwise moves second in this family moves first."""


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
    """Events only: the denominator, another event or ``plies``; reports show the ratio of the sums."""


@dataclass(frozen=True)
class UnitKind:
    """A kind of piece or stone, whose worth players learn for each place on the board and in hand."""

    name: str
    title: str = ""
    """The displayed name; by default ``name``."""
    fold: Fold = MIRRORED
    """The places with equal worth, from its owner's point of view (`engine.folds`)."""


@dataclass(frozen=True)
class Landmark:
    """A place that each player chooses once, early in the game; heat maps show the results by place.

    The seats alternate plies until both have chosen.
    """

    name: str
    sentence: str
    pattern: str
    """A regular expression for the whole move, with groups ``column`` and ``row``; a player's first match counts."""
    fold: Fold = UNFOLDED
    """The symmetries of rules and start: squares that they exchange are the same choice. Columns are letters starting
    at a, rows are numbers starting at 1, on hexagonal boards at the top."""
    size: str = ""
    """The toggle with the number of columns and rows; required by a fold."""


@dataclass(frozen=True)
class PlayerChoice:
    """A choice of each player before the game, such as an army; reports show which choice beats which."""

    name: str
    toggles: tuple[str, str]
    """The toggles of the first and the second seat, with the same values."""
    title: str = ""
    """The displayed name; by default ``name``."""


@dataclass(frozen=True)
class Group:
    """Toggles that a page shows together under a title."""

    title: str
    toggles: tuple[str, ...]


@dataclass(frozen=True)
class Declaration:
    """The declaration of a game family."""

    name: str
    title: str
    version: int
    """Raised only if the same toggles begin to mean another game; part of every fingerprint."""
    source: str
    summary: tuple[str, ...]
    """The rules that do not depend on toggles, one sentence or paragraph each."""
    toggles: tuple[Toggle, ...]
    conflicts: tuple[Conflict, ...]
    features: tuple[Named, ...]
    events: tuple[Named, ...]
    terminations: Mapping[int, Named]
    """The names and sentences of the kernel's endings by code. The engine adds its own (cap, repetition)."""
    seats: tuple[str, str]
    """The names of the first and the second seat."""
    units: tuple[UnitKind, ...] = ()
    """Kinds of pieces and stones; the index is the kernel's code."""
    notation: tuple[str, ...] = field(default=())
    """The notation of moves, one sentence each."""
    square_namings: tuple[SquareNaming, ...] = ()
    """The names of squares if they depend on the rules; the rule book shows the first match."""
    landmarks: tuple[Landmark, ...] = ()
    styles: tuple[Named, ...] = ()
    """Opening styles that an agent can be given; the index, starting at 1, is the kernel's code."""
    player_choice: PlayerChoice | None = None
    pace: int = 1
    """The number of games of this family that take about as long as a game of Chatra; it scales the block size."""
    training_nodes: int = 150_000_000
    """Positions that a player of this family searches during training: a few minutes for every ruleset."""
    net_rounds: int = 1
    """Rounds of games in the training of a net that starts from a base net (`players.trainer.FROM_BASE`)."""
    trainer: int = 3
    """The version of the trainer (`players.trainer`) for all players of the family: that of its shipped players."""
    legend: str = ""
    """The meaning of the signs on boards, in one line; empty if every player knows them."""
    current: str = ""
    """The ruleset in current use, without the family's name; pages of rules start with it."""
    groups: tuple[Group, ...] = ()
    """Groups of toggles in page order; toggles without a group come last."""

    def __post_init__(self) -> None:
        own = (toggle for toggle in self.toggles if toggle not in COMMON)
        object.__setattr__(self, "toggles", (*own, *COMMON))
        names = tuple(toggle.name for toggle in COMMON)
        if self.groups and names not in (group.toggles for group in self.groups):
            object.__setattr__(self, "groups", (*self.groups, Group(tr("Sides and score"), names)))

    def grouped(self) -> Iterator[tuple[str, list[Toggle]]]:
        """Yield the toggles by group, each group with its title; ungrouped toggles come last, without one."""
        named = {name for group in self.groups for name in group.toggles}
        for group in self.groups:
            yield group.title, [self.toggle(name) for name in group.toggles]
        if rest := [toggle for toggle in self.toggles if toggle.name not in named]:
            yield "", rest

    def toggle(self, name: str) -> Toggle:
        """Return the toggle with this name."""
        for toggle in self.toggles:
            if toggle.name == name:
                return toggle
        raise KeyError(name)

    def square_naming(self, settings: Mapping[str, Setting]) -> tuple[str, ...]:
        """Return the sentence about the names of squares under these settings, if there is one."""
        return tuple(naming.sentence for naming in self.square_namings if all_match(naming.when, settings))[:1]

    def defaults(self) -> dict[str, Setting]:
        """Return the default of every toggle."""
        return {toggle.name: toggle.default for toggle in self.toggles}

    def excluded(self) -> list[Conflict]:
        """Return all conflicts, including those of settings without effect."""
        return [*self.conflicts, *(conflict for toggle in self.toggles for conflict in toggle.conflicts())]

    def without_effect(self, settings: Mapping[str, Setting]) -> set[str]:
        """Return the toggles that have no effect, given the settings of all toggles."""
        found = {name for toggle in self.toggles for name in toggle.makes_irrelevant(settings[toggle.name])}
        return found | {
            toggle.name
            for toggle in self.toggles
            if any(all_match(one.settings, settings) for one in toggle.has_no_effect_when)
        }

    def sentences(self, settings: Mapping[str, Setting], named: Collection[str] = ()) -> Iterator[tuple[Toggle, str]]:
        """Yield each toggle that has an effect with its sentence, given the settings of all toggles.

        `Blank` settings are included only for the toggles in ``named``.
        """
        idle = self.without_effect(settings)
        for toggle in self.toggles:
            blank = any(
                type(value) is Blank and equal_settings(value.name, settings[toggle.name]) for value in toggle.values
            )
            if toggle.name not in idle and (toggle.name in named or not blank):
                yield toggle, toggle.sentence(settings[toggle.name])

    def codes(self, settings: Mapping[str, Setting]) -> dict[str, int | tuple[int, ...]]:
        """Return the kernel's numbers by toggle, given the settings of all toggles (see `Toggle.code`)."""
        return {toggle.name: toggle.code(settings[toggle.name]) for toggle in self.toggles}


class Names(ModuleType):
    """Names of a declaration with their values in a kernel: ``TOGGLES.stalemate.loss`` is 1.

    Characters that Python names cannot contain become ``_``: ``king-and-rook`` is ``king_and_rook``. The type is a
    module because Numba resolves attributes of modules at compile time, so that a name costs no more than a number.
    """

    def __init__(self, what: str, content: Mapping[str, Any]) -> None:
        super().__init__(what)
        vars(self).update({identifier(name): value for name, value in content.items()})
        self._count = len(content)

    def __len__(self) -> int:
        return self._count

    def __getattr__(self, name: str) -> Any:
        known = ", ".join(known for known in vars(self) if not known.startswith("_"))
        raise AttributeError(f"{self.__name__} has no '{name}'; it has {known}")


def kernel_names(declaration: Declaration) -> tuple[Names, Names, Names, Names, Names, Names]:
    """Return the names that a kernel uses for its numbers.

    The names are those of toggle values, features, events, endings, styles and units, in this order:
    ``TOGGLES.stalemate.loss`` is the code of a value (numbers need no names), ``FEATURES.mobility`` and
    ``EVENTS.captures`` are indices of the kernel's arrays, ``ENDINGS.mate`` is an ending's code, ``STYLES.corner`` a
    style's, and ``UNITS.pawn`` a kind of unit's.
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
        Names(f"the features of {game}", {one.name: place for place, one in enumerate(declaration.features)}),
        Names(f"the events of {game}", {one.name: place for place, one in enumerate(declaration.events)}),
        Names(f"the endings of {game}", {one.name: code for code, one in declaration.terminations.items()}),
        Names(f"the styles of {game}", {one.name: place for place, one in enumerate(declaration.styles, 1)}),
        Names(f"the units of {game}", {one.name: place for place, one in enumerate(declaration.units)}),
    )


def rules_type(declaration: Declaration, module: str) -> Any:
    """Return the type of a kernel's ``Rules``: a named tuple with one field per toggle, in declaration order.

    ``module`` is the module that defines ``Rules``; machine code is cached under this name.
    """
    return namedtuple("Rules", [toggle.name for toggle in declaration.toggles], module=module)


@dataclass(frozen=True)
class Board:
    """A position as a grid of cell symbols, from which text, SVG and HTML boards are made."""

    cells: tuple[tuple[str, ...], ...]
    """Symbols row by row from the top; ``""`` for empty cells."""
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    shaded: frozenset[tuple[int, int]] = frozenset()
    """(row, column) of cells that are drawn darker, such as every other zone."""
    notes: tuple[str, ...] = ()
    """Facts that the board does not show: hands, flags, side to move, check."""
    check: str = ""
    """The note about a check; empty if there is none."""
    owners: tuple[tuple[int, ...], ...] = ()
    """The owner of each cell's piece: seat 0 or 1, or -1; empty if the symbols show it. As in shogi, pieces of seat 0
    point up the board and those of seat 1 down; in text the latter are preceded by ``v``."""

    hexagonal: bool = False
    """True for hexagonal cells, with each row shifted half a cell to the right, as in Hex."""
    outside: frozenset[tuple[int, int]] = frozenset()
    """(row, column) of places in the grid without a cell."""
    goals: tuple[int, int, int, int] = (-1, -1, -1, -1)
    """The seat whose goal is the top, right, bottom and left edge, or -1; edges are drawn in that seat's colour."""

    def pieces(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        """Return the symbol and owner of each cell; the owner is -1 if the cell is empty or the symbol shows it."""
        owners = self.owners or tuple((-1,) * len(row) for row in self.cells)
        return tuple(
            tuple((symbol, owner if symbol else -1) for symbol, owner in zip(*pair, strict=True))
            for pair in zip(self.cells, owners, strict=True)
        )

    def changes(self, after: Board) -> frozenset[tuple[int, int]]:
        """Return the cells, as (row, column), whose pieces differ in a later position."""
        return frozenset(
            (y, x)
            for y, (old, new) in enumerate(zip(self.pieces(), after.pieces(), strict=True))
            for x, (was, now) in enumerate(zip(old, new, strict=True))
            if was != now
        )


def equal_settings(a: object, b: object) -> bool:
    """Return whether two settings have the same value and type."""
    return type(a) is type(b) and a == b


def all_match(parts: Mapping[str, tuple[Setting, ...]], settings: Mapping[str, Setting]) -> bool:
    """Return whether each toggle in ``parts`` has one of its listed values."""
    return all(any(equal_settings(settings[name], one) for one in part) for name, part in parts.items())


def identifier(name: str) -> str:
    """Return a declared name as a Python identifier."""
    name = re.sub(r"\W", "_", name)
    return name + "_" * keyword.iskeyword(name)


def setting_text(setting: Setting) -> str:
    """Return a setting as YAML writes it."""
    return str(setting).lower() if isinstance(setting, bool) else str(setting)
