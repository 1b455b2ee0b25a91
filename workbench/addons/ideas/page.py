"""The box on the first page that answers an idea in words with changes of the rules."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.events import GenericEventArguments

from workbench import games
from workbench.addons.ideas import directions, ideas
from workbench.base.language import tr
from workbench.base.yamlfile import snapshot
from workbench.games.declaration import Setting, Toggle, equal_settings, setting_text
from workbench.games.wording import sentence_beside
from workbench.studio.frame import Panel, Studio, component
from workbench.studio.pages.rules.view import parse_setting
from workbench.studio.visitor import View, Visitor, with_titles

ONE = re.compile(r"(?<!\d)1 ?(?:局|手|回|度|番|つ|試合|ゲーム)")
"""Words of one thing of a kind, which name no setting."""
IdeaPanel = component("idea.js", __file__)


@dataclass
class IdeaBox:
    """An open box."""

    studio: Studio
    visitor: Visitor
    panel: Panel
    asked: tuple[str, str] = "", ""
    """The ruleset and the idea of the last answer."""

    def __post_init__(self) -> None:
        self.panel.on("ask", self.ask)
        self.panel.on("open", self.open)

    async def ask(self, event: GenericEventArguments) -> None:
        """Show the rules with the most similar words, or the changes in the direction that the idea names."""
        base, idea = str(event.args["base"]), " ".join(str(event.args["idea"]).split())[: ideas.LONGEST]
        asked = self.asked = base, idea
        wish = (
            await self.studio.workers.reading.run(ideas.fulfil_wish, base, idea, self.studio.project) if idea else None
        )
        if self.asked == asked:
            with snapshot():
                self.panel.show(answer=self._answer(base, idea, wish))

    def open(self, event: GenericEventArguments) -> None:
        """Open a draft that makes one change."""
        base, name = str(event.args["base"]), str(event.args["toggle"])
        toggle = games.declaration(base.partition("/")[0]).toggle(name)
        setting = parse_setting(toggle, str(event.args["setting"]))
        assert setting is not None
        with snapshot():
            draft = self.studio.store.draft_with(base, {name: setting})
        ui.navigate.to(f"/rules/{quote(draft.page)}#toggle-{name}")

    def _answer(self, base: str, idea: str, wish: Mapping[str, Any] | None) -> View | None:
        candidates = self.studio.store.family_rulesets(base.partition("/")[0])
        ruleset = next((ruleset for ruleset in candidates if ruleset.name == base), None)
        if ruleset is None or not idea:
            return None
        matches = ideas.match(idea, ruleset, [ruleset for ruleset in candidates if ruleset.sound])
        goals = {**(wish["toward"] if wish else {}), **directions.goals(idea)}
        same = [
            {"url": f"/rules/{quote(ruleset.name)}", "title": ruleset.heading or ruleset.name}
            for ruleset in matches.rulesets
        ]
        if goals:
            near, nothing = self._toward(goals, matches, wish)
        else:
            near = [self._toggle_view(toggle, matches, idea) for toggle in matches.toggles]
            nothing = "" if near or same else tr("No rule of {game} uses similar words.", game=matches.family.title)
        now = wish["now"] if wish else ""
        return self.visitor.localize({"now": now, "near": near, "nothing": nothing, "same": same})

    def _toward(
        self, goals: Mapping[str, int], matches: ideas.Matches, wish: Mapping[str, Any] | None
    ) -> tuple[list[View], str]:
        """Return the changes in the direction of goals, the measured ones first, and why there are none."""
        if wish and wish["moot"] and len(goals) == len(wish["toward"]):
            return [], ""
        near = dict[str, View]()
        for change in wish["changes"] if wish else ():
            toggle = matches.family.toggle(change["name"])
            if possible := [value for value in change["values"] if self._can_be_tried(toggle, value, matches)]:
                near[toggle.name] = {**change, "values": possible}
        settings, nothing = matches.toward(goals, self.studio.project)
        for name, others in settings.items():
            toggle = matches.family.toggle(name)
            values = near.setdefault(name, self._view(toggle, matches))["values"]
            known = [value["setting"] for value in values]
            unmeasured = [self._value(toggle, setting, tr("not measured yet")) for setting in others]
            values += [value for value in unmeasured if value["setting"] not in known]
        words = with_titles(self.visitor.translate(nothing), matches.family, self.visitor)
        return [*near.values()], "" if near else words

    def _can_be_tried(self, toggle: Toggle, value: View, matches: ideas.Matches) -> bool:
        setting = parse_setting(toggle, value["setting"])
        return setting is not None and not matches.obstacle(toggle, setting, self.studio.project)

    def _toggle_view(self, toggle: Toggle, matches: ideas.Matches, idea: str) -> View:
        """Return a toggle with the settings that can be tried, or why the one that the idea names cannot."""
        words = ONE.sub("", unicodedata.normalize("NFKC", idea))
        numbers = [int(digits) for digits in re.findall(r"\d{1,4}", words)]
        allowed = [number for number in numbers if toggle.allows(number)]
        view, now = self._view(toggle, matches), matches.base.settings[toggle.name]
        others = dict.fromkeys((*(value.name for value in toggle.values), *allowed))
        obstacles = {
            setting: matches.obstacle(toggle, setting, self.studio.project)
            for setting in others
            if not equal_settings(setting, now)
        }
        view["values"] = [self._value(toggle, setting) for setting, obstacle in obstacles.items() if not obstacle]
        asked = allowed if view["values"] else obstacles
        if numbers and not allowed and all(type(value.name) in (int, float) for value in toggle.values):
            view["impossible"] = tr("{n} is not possible here, only {choices}.", n=numbers[0], choices=toggle.choices())
        elif reason := next(filter(None, map(obstacles.get, asked)), ""):
            words = with_titles(self.visitor.translate(reason), matches.family, self.visitor)
            view["impossible"] = ideas.IMPOSSIBLE.format(reason=words)
        return view

    def _view(self, toggle: Toggle, matches: ideas.Matches) -> View:
        now = ideas.NOW.format(sentence=matches.now(toggle))
        return {"name": toggle.name, "title": toggle.title, "now": now, "impossible": "", "values": []}

    def _value(self, toggle: Toggle, setting: Setting, note: str = "") -> View:
        return {"setting": setting_text(setting), "sentence": sentence_beside(toggle, setting), "note": note}


def register(studio: Studio) -> None:
    """Add the box to the first page."""
    store = studio.store

    def draw(request: Request, visitor: Visitor) -> None:
        """Draw the box for the ``game`` or ruleset and the ``idea`` in the address."""
        asked = request.query_params.get("game", "")
        game = asked.partition("/")[0]
        bases = {name: store.current_ruleset(name) for name in store.games() if name in games.names()}
        if game in bases and any(ruleset.name == asked for ruleset in store.family_rulesets(game)):
            bases[game] = asked
        titles = {
            base: games.declaration(name).title if base != asked else store.heading(base)
            for name, base in bases.items()
        }
        panel = IdeaPanel(
            bases=visitor.localize(titles),
            here={"base": bases.get(game) or next(iter(titles), ""), "idea": request.query_params.get("idea", "")},
        )
        IdeaBox(studio, visitor, panel)

    studio.on_first_page.append(draw)
