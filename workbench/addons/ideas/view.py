"""The answer to an idea as plain data, for ``idea.js``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from urllib.parse import quote

from workbench.addons.ideas import directions, ideas
from workbench.addons.ideas.directions import BOARD
from workbench.base.language import tr, translated, trc
from workbench.base.project import Project
from workbench.base.yamlfile import snapshot
from workbench.experiments.measures import FAIRNESS
from workbench.games.declaration import Setting, Toggle, equal_settings, setting_text
from workbench.games.wording import sentence_beside
from workbench.studio.visitor import View, Visitor, with_titles

ONE = re.compile(r"(?<!\d)1 ?(?:局|手|回|度|番|つ|試合|ゲーム)")
"""Words of one thing of a kind, which name no setting."""
WISHES = (
    trc("wish", "shorter games"), trc("wish", "longer games"), trc("wish", "reduce the first player's advantage"),
    trc("wish", "fewer draws"), trc("wish", "a smaller board"), trc("wish", "a larger board"),
)  # fmt: skip


@snapshot()
def idea_view(base: str, idea: str, project: Project, visitor: Visitor) -> View:
    """Return the changes in the direction that an idea names, the measured ones first, or rules with similar words."""
    matches = ideas.match_in_project(idea, base, project)
    goals = directions.goals(idea)
    wish = ideas.fulfil_wish(base, idea, project) if goals else {}
    found: dict[str, dict[Setting, str]] = {}
    reasons: dict[str, str] = {}
    nothing = ""
    if not goals:
        for toggle in matches.toggles:
            found[toggle.name], reasons[toggle.name] = _settings(toggle, matches, idea, project)
        if not (found or matches.rulesets):
            nothing = ideas.NOTHING.format(game=matches.family.title)
    elif BOARD in goals or not wish.get("moot"):
        notes, unmeasured = wish.get("notes", {}), tr("not measured yet")
        for name, setting in wish.get("changes", ()):
            if not matches.obstacle(matches.family.toggle(name), setting, project):
                found.setdefault(name, {})[setting] = notes[name, setting]
        if FAIRNESS in goals and wish.get("first_is_behind"):
            goals[FAIRNESS] = -1
        others, nothing = matches.toward(goals, project)
        for name, settings in others.items():
            told = {setting: notes.get((name, setting), unmeasured) for setting in settings}
            # A rule that was measured to do nothing for a wish is left out.
            if all(told.values()) or BOARD in goals:
                found[name] = {setting: note or unmeasured for setting, note in told.items()} | found.get(name, {})

    def worded(text: str) -> str:
        return with_titles(visitor.translate(text), matches.family, visitor)

    toggles = [(matches.family.toggle(name), notes) for name, notes in found.items()]
    view = {
        "now": wish.get("now", ""),
        "near": [
            {
                "name": toggle.name, "title": toggle.title, "now": ideas.NOW.format(sentence=matches.now(toggle)),
                "impossible": worded(reasons.get(toggle.name, "")),
                "values": [
                    {"setting": setting_text(setting), "sentence": sentence_beside(toggle, setting), "note": note}
                    for setting, note in notes.items()
                ],
            }
            for toggle, notes in toggles
        ],
        "nothing": "" if found else worded(nothing),
        "wishes": [] if any(found.values()) else _open_wishes(goals, matches, project),
        "same": [
            {"url": f"/rules/{quote(ruleset.name)}", "title": ruleset.heading or ruleset.name}
            for ruleset in (() if goals and BOARD not in goals else matches.rulesets)
        ],
    }  # fmt: skip
    return visitor.localize(view)


def _open_wishes(goals: Mapping[str, int], matches: ideas.Matches, project: Project) -> list[str]:
    """Return wishes besides these goals that a game leaves open."""
    settled = ideas.fulfil_wish(matches.base.name, "", project).get("settled", {})
    wishes = {text: directions.goals(translated(text, "en")) for text in WISHES}
    wishes = {text: wish for text, wish in wishes.items() if not wish.items() <= (settled | goals).items()}
    return [text for text, wish in wishes.items() if BOARD not in wish or matches.toward(wish, project)[0]]


def _settings(toggle: Toggle, matches: ideas.Matches, idea: str, project: Project) -> tuple[dict[Setting, str], str]:
    """Return a toggle's settings that can be tried, and why the one that an idea names cannot."""
    numbers = [int(digits) for digits in re.findall(r"\d{1,4}", ONE.sub("", unicodedata.normalize("NFKC", idea)))]
    allowed = [number for number in numbers if toggle.allows(number)]
    obstacles = {
        setting: matches.obstacle(toggle, setting, project)
        for setting in dict.fromkeys((*(value.name for value in toggle.values), *allowed))
        if not equal_settings(setting, matches.base.settings[toggle.name])
    }
    possible = {setting: "" for setting, obstacle in obstacles.items() if not obstacle}
    if numbers and not allowed and all(type(value.name) in (int, float) for value in toggle.values):
        return possible, tr("{n} is not possible here, only {choices}.", n=numbers[0], choices=toggle.choices())
    reason = next(filter(None, map(obstacles.get, allowed if possible else obstacles)), "")
    return possible, ideas.IMPOSSIBLE.format(reason=reason) if reason else ""
