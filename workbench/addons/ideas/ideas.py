"""An idea in a few words: the toggles and rulesets that come closest to it, ready to be tried."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workbench import games
from workbench.base.console import wrapped
from workbench.base.language import join, tr
from workbench.base.project import Project
from workbench.experiments import workspace
from workbench.games.declaration import Declaration, Setting, Toggle, setting_text
from workbench.games.wording import sentence_beside
from workbench.rules import toggle_search
from workbench.rules.edits import settings_of
from workbench.rules.rulebook import choices
from workbench.rules.ruleset_files import Library
from workbench.rules.rulesets import NamedRules, current_ruleset, load_ruleset
from workbench.rules.toggle_search import LONGEST as LONGEST

MOST_TOGGLES, MOST_RULESETS = 5, 3
NOW = tr("Now: {sentence}")
NEAR_RULESETS = tr("Rulesets with similar words:")
NOTHING = tr("No rule of {game} has similar words. Its rules are about:")


@dataclass(frozen=True)
class Matches:
    """The toggles and rulesets that come closest to an idea, closest first."""

    base: NamedRules
    family: Declaration
    toggles: Sequence[Toggle]
    rulesets: Sequence[NamedRules]
    score: float
    """The score of the closest toggle; 0 if there is none."""

    def now(self, toggle: Toggle) -> str:
        """Return what the base says of a toggle."""
        return sentence_beside(toggle, self.base.settings[toggle.name])

    def others(self, toggle: Toggle) -> Iterator[tuple[Setting | None, str, str]]:
        """Yield what else a ruleset may say of a toggle, as `choices` does."""
        now = setting_text(self.base.settings[toggle.name])
        return (one for one in choices(self.family, toggle) if one[1] != now)

    def groups(self) -> Iterator[tuple[str, Sequence[Toggle]]]:
        """Yield all groups of toggles with their titles, if no toggle comes close; else none."""
        return iter(()) if self.toggles else self.family.grouped()


def match(idea: str, base: NamedRules, rulesets: Sequence[NamedRules]) -> Matches:
    """Return what comes closest to an idea that is to change the rules of ``base``."""
    family = games.declaration(base.name.partition("/")[0])
    scores = toggle_search.toggle_index(family.name).nearest(idea)
    entries = ((one.name, (one.title, one.title_ja), one.settings) for one in rulesets)
    near = toggle_search.ruleset_index(family.name, entries).nearest(idea)
    by_name = {one.name: one for one in rulesets}
    return Matches(
        # A file that cannot be understood sets nothing.
        replace(base, settings={**family.defaults(), **base.settings}),
        family,
        [family.toggle(name) for name in scores][:MOST_TOGGLES],
        [by_name[name] for name in near if name != base.name][:MOST_RULESETS],
        max(scores.values(), default=0),
    )


def match_in_project(idea: str, base: str, project: Project, *, toggles_only: bool = False) -> Matches:
    """Return the same of a ruleset of a project, or of a game's current one; without rulesets, it reads few files.

    Raises:
        InputError: there is no such ruleset, or a file is not what it should be.
    """
    library = Library(project)
    if base in games.names():
        base = current_ruleset(base, library) or base
    ruleset = load_ruleset(base, project, library)
    workspace.require_listed(ruleset, project, "--base")
    names = [] if toggles_only else [name for name in library.catalogue if name.startswith(f"{ruleset.game}/")]
    files = [library.examined(name) for name in names]
    rulesets = [NamedRules(one.name, one.title, one.title_ja, settings_of(one)) for one, wrong in files if not wrong]
    return match(idea, NamedRules(ruleset.name, ruleset.title, ruleset.title_ja, ruleset.settings), rulesets)


def describe_games(matches: Sequence[Matches], idea: str) -> Iterator[str]:
    """Yield lines with what comes closest in each game, the closest game first."""
    near = sorted((one for one in matches if one.toggles), key=lambda one: -one.score)
    for found in near or matches:
        yield wrapped(join(": ", (found.base.name, found.base.heading)), "", "  ")
        for toggle in found.toggles[:MOST_RULESETS]:
            yield wrapped(join(": ", (toggle.name, toggle.title)), "  ", "    ")
        yield from _groups(found)
    if near:
        yield ""
        command = shlex.join(("workbench", "idea", idea, "--base", near[0].base.name))
        yield tr("With all values: {command}", command=command)


def describe(found: Matches) -> Iterator[str]:
    """Yield lines with what comes closest in one game, each toggle with all its values as rulesets write them."""
    yield wrapped(join(": ", (found.base.name, found.base.heading)), "", "  ")
    for toggle in found.toggles:
        yield from ("", join(": ", (toggle.name, toggle.title)))
        yield wrapped(NOW.format(sentence=found.now(toggle)), "  ", "    ")
        for _, text, sentence in found.others(toggle):
            yield wrapped(join(": ", (toggle.name, text)), "  ", "    ")
            yield wrapped(sentence, "      ")
    yield from _groups(found)
    if found.rulesets:
        yield from ("", NEAR_RULESETS)
        for one in found.rulesets:
            yield wrapped(join(": ", (one.name, one.heading)), "  ", "    ")
    if found.toggles:
        yield ""
        yield tr("To try one: workbench new my-idea --from {base} --set TOGGLE=VALUE", base=found.base.name)


def _groups(found: Matches) -> Iterator[str]:
    for place, (title, toggles) in enumerate(found.groups()):
        if not place:
            yield wrapped(NOTHING.format(game=found.family.title), "  ", "    ")
        names = ", ".join(one.name for one in toggles)
        yield wrapped(join(": ", (title, names)) if title else names, "    ", "      ")
