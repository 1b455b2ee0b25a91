"""The box on the first page that answers an idea in words with changes of the rules."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.events import GenericEventArguments

from workbench import games
from workbench.addons.ideas.text_search import LONGEST
from workbench.addons.ideas.view import idea_view
from workbench.base.errors import WorkbenchError, error_text
from workbench.base.yamlfile import snapshot
from workbench.studio.frame import Studio, component
from workbench.studio.interim_report import load_statistics
from workbench.studio.pages.rules.view import parse_setting
from workbench.studio.visitor import Visitor

IdeaPanel = component("idea.js", __file__)


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
        latest = "", ""

        async def ask(event: GenericEventArguments) -> None:
            """Show the answer to an idea."""
            nonlocal latest
            base, idea = latest = str(event.args["base"]), " ".join(str(event.args["idea"]).split())[:LONGEST]
            answer = None
            if idea and base in titles:
                try:
                    answer = await studio.workers.reading.run(idea_view, base, idea, store.project, visitor)
                except WorkbenchError as error:
                    answer = dict.fromkeys(("now", "near", "wishes", "same"), "")
                    answer["nothing"] = visitor.translate(error_text(error))
            if latest == (base, idea):
                panel.show(answer=answer)

        def open_draft(event: GenericEventArguments) -> None:
            """Open a draft that makes one change."""
            base, name = str(event.args["base"]), str(event.args["toggle"])
            setting = parse_setting(games.declaration(base.partition("/")[0]).toggle(name), str(event.args["setting"]))
            assert setting is not None
            with snapshot():
                draft = store.draft_with(base, {name: setting})
            ui.navigate.to(f"/rules/{quote(draft.page)}#toggle-{name}")

        # The first wish is read in saved reports.
        studio.workers.reading.begin(load_statistics)
        panel.on("ask", ask)
        panel.on("open", open_draft)

    studio.on_first_page.append(draw)
