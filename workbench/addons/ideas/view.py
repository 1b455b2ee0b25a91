"""The answer to an idea as plain data, for ``idea.js``."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

from workbench.addons.ideas import directions, ideas
from workbench.base.language import tr
from workbench.base.project import Project
from workbench.base.yamlfile import snapshot
from workbench.games.declaration import Setting, Toggle, equal_settings, setting_text
from workbench.games.wording import sentence_beside
from workbench.studio.visitor import View, Visitor, with_titles

ONE = re.compile(r"(?<!\d)1 ?(?:局|手|回|度|番|つ|試合|ゲーム)")
"""Words of one thing of a kind, which name no setting."""


@snapshot()
def idea_view(base: str, idea: str, project: Project, visitor: Visitor) -> View:
    """Return the changes in the direction that an idea names, the measured ones first, or rules with similar words."""
    matches = ideas.match_in_project(idea, base, project)
    goals, wish = directions.goals(idea), ideas.fulfil_wish(base, idea, project)
    found: dict[str, dict[Setting, str]] = {}
    reasons: dict[str, str] = {}
    nothing = ""
    if not goals:
        for toggle in matches.toggles:
            found[toggle.name], reasons[toggle.name] = _settings(toggle, matches, idea, project)
        if not (found or matches.rulesets):
            nothing = tr("No rule of {game} uses similar words.", game=matches.family.title)
    elif not (wish and wish["moot"] and len(goals) == len(wish["toward"])):
        for change in wish["changes"] if wish else ():
            if not matches.obstacle(matches.family.toggle(change["toggle"]), change["setting"], project):
                found.setdefault(change["toggle"], {})[change["setting"]] = change["note"]
        others, nothing = matches.toward(goals, project)
        for name, settings in others.items():
            notes = found.setdefault(name, {})
            notes |= {setting: tr("not measured yet") for setting in settings if setting not in notes}

    def worded(text: str) -> str:
        return with_titles(visitor.translate(text), matches.family, visitor)

    toggles = [(matches.family.toggle(name), notes) for name, notes in found.items()]
    view = {
        "now": wish["now"] if wish else "",
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
        "same": [
            {"url": f"/rules/{quote(ruleset.name)}", "title": ruleset.heading or ruleset.name}
            for ruleset in matches.rulesets
        ],
    }  # fmt: skip
    return visitor.localize(view)


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
