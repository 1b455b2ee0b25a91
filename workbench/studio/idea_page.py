"""The page of an idea: the toggles and rulesets that come closest to it, each value a draft away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.files.yamlfile import snapshot
from workbench.games.declaration import Toggle
from workbench.questions import ideas
from workbench.studio.drafts import Desk, Draft
from workbench.studio.editing import Pages
from workbench.studio.visitor import Visitor

View = dict[str, Any]


class IdeaPanel(Element, component="parts/idea.js"):
    """The page of an idea."""


@dataclass
class IdeaPage:
    """One page on the rules that a draft begins from."""

    desk: Desk
    draft: Draft
    """The draft that opens; what it already changes has no part in an answer."""
    pages: Pages
    """What shows the same draft."""
    visitor: Visitor
    panel: IdeaPanel

    def __post_init__(self) -> None:
        self.panel.on("ask", self.ask)
        self.panel.on("open", self.open)

    def ask(self, given: GenericEventArguments) -> None:
        """Show what comes closest to an idea."""
        idea = " ".join(str(given.args).split())[: ideas.LONGEST]
        with snapshot():
            self.panel.props["answer"] = self._answer(idea) if idea else None
        self.panel.update()

    def open(self, given: GenericEventArguments) -> None:
        """Open the draft with one value of a toggle more."""
        toggle = self.draft.read().family.toggle(str(given.args["toggle"]))
        with snapshot():
            self.draft.set_toggle(toggle.name, toggle.values[int(given.args["value"])].name)
            self.desk.save_draft(self.draft)
            for draw in list(self.pages[id(self.draft)]):
                draw()
        ui.navigate.to(f"/rules/{quote(self.draft.page)}#toggle-{toggle.name}")

    def _answer(self, idea: str) -> View | None:
        listed = self.desk.family_rulesets(self.draft.game)
        base = next((one for one in listed if one.name == self.draft.base), None)
        if base is None:  # Its file has gone since the page was opened.
            return None
        found = ideas.match(idea, base, [one for one in listed if one.sound])
        translate = self.visitor.translate
        return {
            "near": [self._toggle_view(one, found) for one in found.toggles],
            "nothing": "" if found.toggles else translate(ideas.NOTHING.format(game=found.family.title)),
            "groups": [
                {
                    "title": translate(title),
                    "toggles": [{"name": one.name, "title": translate(one.title)} for one in toggles],
                }
                for title, toggles in found.groups()
            ],
            "same": [
                {"url": f"/rules/{quote(one.name)}", "title": translate(one.heading) or one.name}
                for one in found.rulesets
            ],
        }

    def _toggle_view(self, toggle: Toggle, found: ideas.Matches) -> View:
        translate = self.visitor.translate
        names = [one.name for one in toggle.values]
        others = list(found.others(toggle))
        return {
            "name": toggle.name,
            "title": translate(toggle.title),
            "now": translate(ideas.NOW.format(sentence=found.now(toggle))),
            "values": [
                {"place": names.index(setting), "sentence": translate(sentence)}
                for setting, _, sentence in others[: len(names)]
                if setting in names
            ],
        }
