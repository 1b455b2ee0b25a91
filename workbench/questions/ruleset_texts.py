"""The text of a ruleset file that extends another one: what it means, and how settings are written into it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from workbench import games
from workbench.errors import InputError, Problem
from workbench.files import yamlfile
from workbench.files.project import Project
from workbench.files.yamlfile import snapshot
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings, setting_text
from workbench.games.drawings import Drawing
from workbench.games.prices import EACH, FREE, PriceList
from workbench.games.wording import changes_words, is_picture
from workbench.language import COMMA, given, join, tr, translated
from workbench.questions import edits, rulesets
from workbench.questions.ruleset_files import Library, RulesetFile
from workbench.questions.rulesets import Ruleset, title_head
from workbench.questions.settings import combine_settings

TITLES = (("title", "en"), ("title_ja", "ja"))
"""The keys of titles, with their languages."""


@dataclass(frozen=True)
class RulesetReading:
    """What the text of a ruleset file means."""

    family: Declaration
    file: RulesetFile
    """The text, as far as it could be read."""
    settings: Mapping[str, Setting]
    """Every toggle, as far as the text can be understood."""
    inherited: Mapping[str, Setting]
    """The same without what the text itself writes: the base."""
    problems: tuple[Problem, ...]
    ruleset: Ruleset | None
    """The rules; None while there are problems."""

    @property
    def understood(self) -> bool:
        """Whether the text is YAML of keys and values, so that it can say anything."""
        return bool(self.file.family or self.ruleset)

    def is_changed(self, toggle: Toggle) -> bool:
        """Whether a toggle differs from the base."""
        return not equal_settings(self.settings[toggle.name], self.inherited[toggle.name])


def short_title(base: str, project: Project) -> str:
    """What a ruleset is called for short: by its own name, and in Japanese by the head of its title."""
    own = base.rpartition("/")[2]
    try:
        head = title_head(rulesets.load_ruleset(base, project))
    except InputError:
        head = ""
    return given(en=own, ja=head or own)


def new_ruleset(base: str, name: str, project: Project) -> RulesetText:
    """New rules that extend a ruleset and change nothing yet; they are called as it is for short."""
    own, called = base.rpartition("/")[2], short_title(base, project)
    plain = re.fullmatch(r"[\w+.-]+", own) and isinstance(yamlfile.parse_scalar(own), str)
    text = (
        "# yaml-language-server: $schema=../ruleset.schema.json\n"
        f"game: {base.partition('/')[0]}\n"
        f"extends: {own if plain else json.dumps(own, ensure_ascii=False)}\n"
        + "".join(f"{key}: {json.dumps(translated(called, lang), ensure_ascii=False)}\n" for key, lang in TITLES)
        + "rules:\n"
    )
    return RulesetText(project, name, text, called)


@dataclass(frozen=True)
class RulesetText:
    """The text of a ruleset file, be it written or not."""

    project: Project
    name: str
    """Of the ruleset; of one that has no file yet a name that no file has."""
    text: str
    base: str = ""
    """The short title of what new rules extend, whose title follows their changes unless it was chosen."""

    @snapshot()
    def read(self) -> RulesetReading:
        """What the text means, with what it extends as it is on disk now."""
        return read_ruleset_text(self.project, self.name, self.text)

    def text_with(self, settings: Mapping[str, Setting]) -> str:
        """The text with toggles set, or left out where that says the same, and with the title that this gives it.

        Raises:
            InputError: the text cannot be understood, so nothing can be written into it.
        """
        reading, text = self.read(), self.text
        for toggle, setting in settings.items():
            text = _with_toggle(self.project, self.name, text, toggle, setting)
        if self.base and is_named_by_changes(reading, self.base):
            after = {**reading.settings, **settings}
            title = changed_title(self.base, reading.family, reading.inherited, after)
            for key, language in TITLES:
                text = edits.set_text_key(text, key, translated(title, language))
        return text


def is_named_by_changes(reading: RulesetReading, base: str) -> bool:
    """Whether the text has the titles that its changes in a base give."""
    title = changed_title(base, reading.family, reading.inherited, reading.settings)
    return [reading.file.title, reading.file.title_ja] == [translated(title, language) for _, language in TITLES]


def _with_toggle(project: Project, name: str, text: str, toggle: str, setting: Setting) -> str:
    reading = read_ruleset_text(project, name, text)
    if toggle not in reading.settings or not reading.family.toggle(toggle).allows(setting):
        raise InputError.of(tr("is no such setting"), key=f"rules.{toggle}")
    written = edits.set_rule(text, toggle, _yaml_of_setting(reading, toggle, setting))
    if equal_settings(reading.inherited[toggle], setting):
        without = edits.set_rule(text, toggle, None)
        left_out = read_ruleset_text(project, name, without)
        # Parents that start from different rulesets may leave the toggle unclear unless it is written.
        if len(left_out.problems) <= len(read_ruleset_text(project, name, written).problems):
            return without
    return written


@snapshot()
def read_ruleset_text(project: Project, name: str, text: str) -> RulesetReading:
    """What a text means as the file of a ruleset of that name."""
    library = Library(project, {name: text})
    file, problems = library.examined(name)
    family = games.declaration(name.partition("/")[0])
    ruleset = None
    if not problems:
        try:
            ruleset = rulesets.load_ruleset(name, library=library)
        except InputError as error:
            problems = error.problems
    settings, inherited = _base_and_settings(family, file)
    return RulesetReading(
        family=family,
        file=file,
        settings=settings,
        inherited=inherited,
        problems=tuple(dict.fromkeys(problems)),
        ruleset=ruleset,
    )


def _base_and_settings(family: Declaration, file: RulesetFile) -> tuple[dict[str, Setting], dict[str, Setting]]:
    before = [one.own for one in file.ancestry if one is not file and one.family is family]
    inherited = combine_settings(family, family.defaults(), *before)
    return combine_settings(family, inherited, file.own if file.family is family else {}), inherited


def settings_of(file: RulesetFile) -> Mapping[str, Setting]:
    """Every toggle of a ruleset file, as far as it can be understood; none of a family that may not play."""
    return _base_and_settings(file.family, file)[0] if file.family else {}


def _yaml_of_setting(reading: RulesetReading, name: str, setting: Setting) -> str:
    """What a file writes to set a toggle: of a price list what differs from the one that is inherited."""
    toggle = reading.family.toggle(name)
    if isinstance(toggle, Drawing) and toggle.is_drawn(setting) and "/" in str(setting) and not toggle.fields:
        return edits.BLOCK + str(setting).replace("/", "\n")
    if not isinstance(toggle, PriceList) or setting == toggle.default:
        return edits.yaml_scalar(setting)
    before, after = toggle.table(reading.inherited[name]), toggle.table(setting)
    entries = []
    for unit, price in after.items():
        said = {EACH: price.each, FREE: price.free}
        differing = [f"{what}: {number}" for what, number in said.items() if number != getattr(before[unit], what)]
        if differing == [f"{EACH}: {price.each}"]:
            entries.append(f"{edits.yaml_scalar(unit)}: {price.each}")
        elif differing:
            entries.append(f"{edits.yaml_scalar(unit)}: {{{', '.join(differing)}}}")
    return f"{{{', '.join(entries)}}}" if entries else edits.yaml_scalar(setting)


LONGEST_NAME = 48
"""Characters of a file's name that is proposed."""


def changed_title(base: str, family: Declaration, before: Mapping[str, Setting], after: Mapping[str, Setting]) -> str:
    """A title such as ``2008-02, A drop may give check``; the base's name alone if nothing is changed."""
    changes = changes_words(family.name, family.toggles, before, after)
    return join(COMMA, [base, changes]) if changes else base


def changed_name(
    base: str, family: Declaration, before: Mapping[str, Setting], after: Mapping[str, Setting], known: Collection[str]
) -> str:
    """The name of a file such as ``2008-02-drop_check-allowed``, other than the names that are known."""
    parts = [base]
    for toggle in family.toggles:
        setting = after[toggle.name]
        if not equal_settings(before[toggle.name], setting):
            parts += [toggle.name] if is_picture(toggle, setting) else [toggle.name, setting_text(setting)]
    return unused_name(parts, known)


def unused_name(parts: Sequence[str], known: Collection[str]) -> str:
    """The name of a file made of some words, other than the names that are known."""
    stem = re.sub(r"[^\w+.-]+", "-", "-".join(parts))[:LONGEST_NAME].rstrip("-._")
    return next(name for n in range(1, len(known) + 3) if (name := f"{stem}{f'-{n}' if n > 1 else ''}") not in known)
