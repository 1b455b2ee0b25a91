"""Matching of an idea in a few words with the most similar toggles and rulesets."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench import games
from workbench.addons.ideas import directions, text_search
from workbench.addons.ideas.directions import BOARD
from workbench.addons.ideas.text_search import LONGEST as LONGEST
from workbench.base.addons import addons
from workbench.base.console import wrapped
from workbench.base.errors import InputError
from workbench.base.language import join, tr
from workbench.base.project import Project
from workbench.experiments import workspace
from workbench.experiments.wishes import read_wish
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings, setting_text
from workbench.games.wording import sentence_beside
from workbench.rules.edits import file_settings
from workbench.rules.rulebook import choices
from workbench.rules.ruleset_files import Library
from workbench.rules.rulesets import NamedRules, current_ruleset, load_ruleset
from workbench.rules.settings import find_conflicts, read_contents

MOST_TOGGLES, MOST_RULESETS = 5, 3
NOW = tr("Now: {sentence}")
NOTHING = tr("No rule of {game} uses similar words.")
NO_BOARD = {-1: tr("The board cannot be made smaller here."), 1: tr("The board cannot be made larger here.")}
IMPOSSIBLE = tr("Not possible with these rules: {reason}")
LAST_BOARD = {-1: tr("The board is already the smallest."), 1: tr("The board is already the largest.")}


@dataclass(frozen=True)
class Matches:
    """Toggles and rulesets similar to an idea, most similar first."""

    base: NamedRules
    family: Declaration
    toggles: Sequence[Toggle]
    rulesets: Sequence[NamedRules]
    score: float

    def now(self, toggle: Toggle) -> str:
        """Return the sentence that describes a toggle's setting in the base."""
        return sentence_beside(toggle, self.base.settings[toggle.name])

    def obstacle(self, toggle: Toggle, setting: Setting, project: Project) -> str:
        """Return why a setting cannot be tried in the base, or ""."""
        after = {**self.base.settings, toggle.name: setting}
        today = find_conflicts(self.family, self.base.settings)
        for conflict in find_conflicts(self.family, after):
            if conflict not in today:
                return conflict.message
        if toggle.name in self.family.without_effect(after):
            return tr("it has no effect")
        try:
            read_contents(self.family, after, project=project)
        except InputError as error:
            return error.problems[0].text
        return ""

    def toward(self, goals: Mapping[str, int], project: Project) -> tuple[dict[str, list[Setting]], str]:
        """Return the settings that are known to bring the goals of an idea, and why there are none.

        Settings are listed by toggle: those of similar words first, and the nearest sizes first.
        """
        found, reason = dict[str, list[Setting]](), tr("No change is known to do this.")
        if BOARD in goals:
            has_size = any(directions.area(toggle, toggle.default) for toggle in self.family.toggles)
            reason = (LAST_BOARD if has_size else NO_BOARD)[goals[BOARD]]
        similar = [toggle.name for toggle in self.toggles]
        order = sorted(self.family.toggles, key=lambda toggle: (toggle.name not in similar, toggle.name))
        for toggle in order:
            now = self.base.settings[toggle.name]
            settings = [value.name for value in toggle.values if directions.SOLVED not in value.sentence]
            settings += [number for goal in goals for number in directions.numbers(goal, toggle, now)]
            settings.sort(key=lambda setting: abs(directions.area(toggle, setting) - directions.area(toggle, now)))
            for setting in dict.fromkeys(settings):
                signs = {sign * directions.direction(goal, toggle, now, setting) for goal, sign in goals.items()}
                if max(signs) > 0 and min(signs) >= 0 and not equal_settings(setting, now):
                    obstacle = self.obstacle(toggle, setting, project)
                    if not obstacle:
                        found.setdefault(toggle.name, []).append(setting)
                    elif not found:
                        reason = IMPOSSIBLE.format(reason=obstacle)
        return dict([*found.items()][:MOST_TOGGLES]), reason


def match_in_project(idea: str, base: str, project: Project, *, toggles_only: bool = False) -> Matches:
    """Return the toggles and rulesets most similar to an idea for changing a ruleset, or the current one of a game.

    ``toggles_only`` skips other rulesets.
    """
    library = Library(project)
    if base in games.names():
        base = current_ruleset(base, library) or base
    ruleset = load_ruleset(base, project, library)
    workspace.require_listed(ruleset, project, "--base")
    family = games.declaration(ruleset.game)
    scores = text_search.toggle_index(family.name).nearest(idea)
    names = [] if toggles_only else [name for name in library.catalogue if name.startswith(f"{ruleset.game}/")]
    rulesets = {
        name: NamedRules(name, file.title, file.title_ja, file_settings(file))
        for name in names
        for file, problems in [library.examine(name)]
        if not problems
    }
    entries = ((name, (rules.title, rules.title_ja), rules.settings) for name, rules in rulesets.items())
    nearest = text_search.ruleset_index(family.name, entries).nearest(idea)
    return Matches(
        NamedRules(ruleset.name, ruleset.title, ruleset.title_ja, ruleset.settings),
        family,
        [family.toggle(name) for name in scores][:MOST_TOGGLES],
        [rulesets[name] for name in nearest if name != ruleset.name][:MOST_RULESETS],
        max(scores.values(), default=0),
    )


def fulfil_wish(base: str, idea: str, project: Project) -> Mapping[str, Any]:
    """Return the changes of a ruleset that fulfil the wish in an idea according to saved games, as plain data."""
    return addons().fulfil_wish(ruleset=load_ruleset(base, project), wish=read_wish(idea, lenient=True)) or {}


def describe_games(all_matches: Sequence[Matches], idea: str) -> Iterator[str]:
    """Yield lines about the most similar rules of each game, most similar game first."""
    similar = sorted((matches for matches in all_matches if matches.toggles), key=lambda matches: -matches.score)
    for matches in similar or all_matches:
        yield wrapped(join(": ", (matches.base.name, matches.base.heading)), "", "  ")
        for toggle in matches.toggles[:MOST_RULESETS]:
            yield wrapped(join(": ", (toggle.name, toggle.title)), "  ", "    ")
        if not similar:
            yield wrapped(NOTHING.format(game=matches.family.title), "  ", "    ")
    if similar:
        yield ""
        command = shlex.join(("workbench", "idea", idea, "--base", similar[0].base.name))
        yield tr("With all values: {command}", command=command)


def describe(matches: Matches) -> Iterator[str]:
    """Yield lines about the rules most similar to an idea, with all values of each toggle in file notation."""
    yield wrapped(join(": ", (matches.base.name, matches.base.heading)), "", "  ")
    for toggle in matches.toggles:
        yield from ("", join(": ", (toggle.name, toggle.title)))
        yield wrapped(NOW.format(sentence=matches.now(toggle)), "  ", "    ")
        for _, text, sentence in choices(matches.family, toggle):
            if text != setting_text(matches.base.settings[toggle.name]):
                yield wrapped(join(": ", (toggle.name, text)), "  ", "    ")
                yield wrapped(sentence, "      ")
    if not matches.toggles:
        yield wrapped(NOTHING.format(game=matches.family.title), "  ", "    ")
    if matches.rulesets:
        yield from ("", tr("Rulesets that use similar words:"))
        for ruleset in matches.rulesets:
            yield wrapped(join(": ", (ruleset.name, ruleset.heading)), "  ", "    ")
    if matches.toggles:
        yield ""
        yield tr("To try one: workbench new my-idea --from {base} --set TOGGLE=VALUE", base=matches.base.name)
