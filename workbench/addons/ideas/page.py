"""The page that finds the rules most similar to an idea."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import RedirectResponse, Response
from nicegui import app, ui
from nicegui.events import GenericEventArguments

from workbench import games
from workbench.addons.ideas import ideas
from workbench.base.language import tr
from workbench.base.yamlfile import snapshot
from workbench.games.declaration import Toggle
from workbench.studio import frame
from workbench.studio.documents.rulesets import DraftStore, RulesetDocument
from workbench.studio.frame import Panel, Studio, component
from workbench.studio.pages.rules import list_games
from workbench.studio.visitor import View, Visitor

IdeaPanel = component("idea.js", __file__)


@dataclass
class IdeaPage:
    """An open idea page."""

    store: DraftStore
    draft: RulesetDocument
    """The draft to open; its changes do not affect answers."""
    visitor: Visitor
    panel: Panel

    def __post_init__(self) -> None:
        self.panel.on("ask", self.ask)
        self.panel.on("open", self.open)

    def ask(self, event: GenericEventArguments) -> None:
        """Show the rules most similar to the submitted idea."""
        idea = " ".join(str(event.args).split())[: ideas.LONGEST]
        with snapshot():
            self.panel.show(answer=self._answer(idea) if idea else None)

    def open(self, event: GenericEventArguments) -> None:
        """Set a toggle to the selected value and open the draft."""
        toggle = self.draft.read().family.toggle(str(event.args["toggle"]))
        with snapshot():
            self.draft.set_toggle(toggle.name, toggle.values[int(event.args["value"])].name)
            self.store.save_draft(self.draft)
        ui.navigate.to(f"/rules/{quote(self.draft.page)}#toggle-{toggle.name}")

    def _answer(self, idea: str) -> View | None:
        candidates = self.store.family_rulesets(self.draft.game)
        base = next((ruleset for ruleset in candidates if ruleset.name == self.draft.base), None)
        if base is None:  # its file was deleted after the page was opened
            return None
        matches = ideas.match(idea, base, [ruleset for ruleset in candidates if ruleset.sound])
        translate = self.visitor.translate
        return {
            "near": [self._toggle_view(toggle, matches) for toggle in matches.toggles],
            "nothing": "" if matches.toggles else translate(ideas.NOTHING.format(game=matches.family.title)),
            "groups": [
                {
                    "title": translate(title),
                    "toggles": [{"name": toggle.name, "title": translate(toggle.title)} for toggle in toggles],
                }
                for title, toggles in matches.groups()
            ],
            "same": [
                {"url": f"/rules/{quote(ruleset.name)}", "title": translate(ruleset.heading) or ruleset.name}
                for ruleset in matches.rulesets
            ],
        }

    def _toggle_view(self, toggle: Toggle, matches: ideas.Matches) -> View:
        translate = self.visitor.translate
        names = [value.name for value in toggle.values]
        others = list(matches.alternatives(toggle))
        return {
            "name": toggle.name,
            "title": translate(toggle.title),
            "now": translate(ideas.NOW.format(sentence=matches.now(toggle))),
            "values": [
                {"place": names.index(setting), "sentence": translate(sentence)}
                for setting, _, sentence in others[: len(names)]
                if setting in names
            ],
        }


def register(studio: Studio) -> None:
    """Register the page's addresses."""
    store = studio.store

    def last_idea(game: str = "") -> Response:
        game = store.last_page(game).partition("/")[2].partition("/")[0]
        return RedirectResponse(f"/idea/{game}" if game else "/", status_code=303)

    def idea(request: Request, game: str) -> Response | None:
        """Show a game's page for the ruleset in the query parameter ``from``, or for the current ruleset."""
        if game not in store.games() or game not in games.names():
            return RedirectResponse("/", status_code=303)
        visitor = Visitor.from_request(request)
        titles = {
            ruleset.name: visitor.translate(ruleset.heading) or ruleset.name for ruleset in store.family_rulesets(game)
        }
        requested = request.query_params.get("from", "")
        base = requested if requested in titles else store.current_ruleset(game)
        frame.begin_page(visitor, "rules", f"/idea/{game}", game, title=visitor.translate(tr("An idea")))
        lead = tr(
            "Describe your idea for {game} in a few words. The page lists the rules with the most similar "
            "wording; choose new values for them.",
            game=games.declaration(game).title,
        )
        idea = request.query_params.get("idea", "")
        panel = IdeaPanel(
            games=visitor.localize(list_games(store, game, "idea")),
            lead=visitor.translate(lead),
            here={"game": game, "base": base, "rules": titles, "idea": idea},
        )
        IdeaPage(store, store.peek(base, "new"), visitor, panel)
        return None

    app.get("/idea")(last_idea)
    ui.page("/idea/{game}")(idea)
