"""The box on the first page that answers an idea in words with changes of the rules."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import RedirectResponse, Response
from nicegui import app, ui
from nicegui.events import GenericEventArguments

from workbench import games
from workbench.addons.ideas import ideas
from workbench.base.language import tr
from workbench.base.yamlfile import snapshot
from workbench.games.declaration import Toggle, setting_text
from workbench.games.wording import sentence_beside
from workbench.studio.frame import Panel, Studio, component
from workbench.studio.pages.rules.view import parse_setting
from workbench.studio.visitor import View, Visitor

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
        """Show the rules with the most similar words, and then also the changes that fulfil a wish in saved games."""
        base, idea = str(event.args["base"]), " ".join(str(event.args["idea"]).split())[: ideas.LONGEST]
        asked = self.asked = base, idea
        with snapshot():
            answer = self._answer(base, idea)
        self.panel.show(answer=answer)
        if answer:
            wish = await self.studio.workers.reading.run(ideas.fulfil_wish, base, idea, self.studio.project)
            if wish and self.asked == asked:
                self.panel.show(answer=self._with_wish(answer, self.visitor.localize(wish)))

    def open(self, event: GenericEventArguments) -> None:
        """Open a draft that makes one change."""
        base, name = str(event.args["base"]), str(event.args["toggle"])
        toggle = games.declaration(base.partition("/")[0]).toggle(name)
        setting = parse_setting(toggle, str(event.args["setting"]))
        assert setting is not None
        with snapshot():
            draft = self.studio.store.draft_with(base, {name: setting})
        ui.navigate.to(f"/rules/{quote(draft.page)}#toggle-{name}")

    def _answer(self, base: str, idea: str) -> View | None:
        candidates = self.studio.store.family_rulesets(base.partition("/")[0])
        ruleset = next((ruleset for ruleset in candidates if ruleset.name == base), None)
        if ruleset is None or not idea:
            return None
        matches = ideas.match(idea, ruleset, [ruleset for ruleset in candidates if ruleset.sound])
        view = {
            "now": "",
            "near": [self._toggle_view(toggle, matches, idea) for toggle in matches.toggles],
            "nothing": tr("No rule of {game} uses similar words.", game=matches.family.title),
            "same": [
                {"url": f"/rules/{quote(ruleset.name)}", "title": ruleset.heading or ruleset.name}
                for ruleset in matches.rulesets
            ],
        }
        return self.visitor.localize(view)

    def _toggle_view(self, toggle: Toggle, matches: ideas.Matches, idea: str) -> View:
        numbers = [int(digits) for digits in re.findall(r"\d{1,4}", unicodedata.normalize("NFKC", idea))]
        allowed = [number for number in numbers if toggle.allows(number)]
        values = [*(value.name for value in toggle.values), *allowed]
        impossible = ""
        if numbers and not allowed and all(type(value.name) in (int, float) for value in toggle.values):
            impossible = tr("{n} is not possible here, only {choices}.", n=numbers[0], choices=toggle.choices())
        now = setting_text(matches.base.settings[toggle.name])
        others = {setting_text(value): sentence_beside(toggle, value) for value in values}
        return {
            "name": toggle.name,
            "title": toggle.title,
            "now": ideas.NOW.format(sentence=matches.now(toggle)),
            "impossible": impossible,
            "values": [
                {"setting": text, "sentence": words, "note": ""} for text, words in others.items() if text != now
            ],
        }

    def _with_wish(self, answer: View, wish: Mapping[str, Any]) -> View:
        """Return the answer to a wish: the measured changes first, and the others marked as not measured."""
        unmeasured = self.visitor.translate(tr("not measured yet"))
        others = {
            toggle["name"]: toggle | {"values": [value | {"note": unmeasured} for value in toggle["values"]]}
            for toggle in answer["near"]
        }
        measured = {toggle["name"]: toggle for toggle in wish["changes"]}
        near = [] if wish["moot"] else [*{**measured, **others, **measured}.values()]
        return {**answer, "now": wish["now"], "near": near}


def register(studio: Studio) -> None:
    """Add the box to the first page, and redirect the address of the former page."""
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

    def former_page(request: Request, game: str = "") -> Response:
        query = {"game": request.query_params.get("from") or game, "idea": request.query_params.get("idea", "")}
        return RedirectResponse(f"/?{urlencode(query)}", status_code=303)

    studio.on_first_page.append(draw)
    app.get("/idea")(former_page)
    app.get("/idea/{game}")(former_page)
