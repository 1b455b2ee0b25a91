"""The page of an idea: what rulesets can say of it, the draft that says it, and a request for what none can say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.errors import Problem
from workbench.files.yamlfile import snapshot
from workbench.games.declaration import Setting, Toggle
from workbench.games.wording import sentence_beside
from workbench.ideas.spoken import family_terms
from workbench.questions import ideas
from workbench.questions.idea_trial import try_settings
from workbench.questions.ideas import AnsweredIdea
from workbench.questions.ruleset_texts import new_ruleset
from workbench.studio import drawing_board, rules_view
from workbench.studio.drafts import Desk, Draft
from workbench.studio.editing import Pages
from workbench.studio.visitor import Visitor
from workbench.studio.words import WORDS

View = dict[str, Any]
FEW = 4
"""Choices of a toggle that are all listed, though another toggle is nearer to an idea."""


class IdeaPanel(Element, component="parts/idea.js"):
    """The page of an idea that is not a rule yet."""


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
    _wanted: Mapping[str, Setting] = field(default_factory=dict)
    """What the draft is to set."""

    def __post_init__(self) -> None:
        draft = self.draft
        self._begin = new_ruleset(draft.base, draft.name, draft.project)
        family_terms(draft.game)  # Kept, so that the first answer takes no longer than others.
        self.panel.on("ask", self.ask)
        self.panel.on("open", self.open)
        self.panel.on(
            "save", lambda: ui.download.content(self.panel.props["answer"]["request"], f"idea-{self.draft.game}.md")
        )

    def ask(self, given: GenericEventArguments) -> None:
        """Answers an idea."""
        idea = " ".join(str(given.args).split())[: ideas.LONGEST]
        with snapshot():
            self.panel.props["answer"] = self._answer(idea) if idea else None
        self.panel.update()

    def open(self, given: GenericEventArguments) -> None:
        """Opens the draft with what the idea sets, and nothing else, or beside what it changes already."""
        with snapshot():
            added = given.args is True
            self.draft.step(
                try_settings(self.draft.written, self._wanted).text if added else self._begin.text_with(self._wanted)
            )
            self.desk.save_draft(self.draft)
            for draw in list(self.pages[id(self.draft)]):
                draw()
        ui.navigate.to(f"/rules/{quote(self.draft.page)}")

    def _answer(self, idea: str) -> View:
        game = self.draft.game
        there = [one for one in self.desk.family_rulesets(game) if one.sound]
        listed = [(one.name, (one.title, one.title_ja), one.settings) for one in there]
        found = ideas.answered(idea, self.draft.base, self._begin, listed)
        self._wanted = found.sets
        translate = self.visitor.translate
        return {
            "verdict": found.verdict,
            "head": translate(found.head),
            "sets": [self._change_view(name, found) for name in found.answer.settings],
            "also": [self._change_view(name, found) for name in (found.trial.also if found.trial else ())],
            "problems": [
                self._problem_text(problem, found) for problem in (found.trial.problems if found.trial else ())
            ],
            "unsaid": translate(found.unsaid),
            "written": translate(found.quoted),
            "next": translate(WORDS["idea_next"]) if found.verdict != "can" and not found.answer.nearest else "",
            "nearest": [self._toggle_view(toggle, found, not place) for place, toggle in enumerate(found.nearest)],
            "open": bool(self._wanted),
            "draft": self._unsaved() if self._wanted else "",
            "same": [
                {"url": f"/rules/{quote(one.name)}", "title": translate(one.heading) or one.name}
                for name in found.answer.rulesets
                for one in there
                if one.name == name
            ],
            "request": "\n".join(map(translate, found.request())),
        }

    def _unsaved(self) -> str:
        """What becomes of a draft with changes that are not saved; "" if there are none."""
        draft = self.draft.read()
        if not self.draft.dirty or draft.problems:
            return ""
        return self.visitor.translate(WORDS["idea_draft"].format(title=self.draft.title(draft)))

    def _problem_text(self, problem: Problem, found: AnsweredIdea) -> str:
        view = rules_view.ruleset_problem_view(problem, self.visitor, found.reading.family)
        return f"{view['message']} {view['hint']}".strip()

    def _change_view(self, name: str, found: AnsweredIdea) -> View:
        family, settings = found.reading.family, found.after
        toggle = family.toggle(name)
        return {
            "name": name,
            "title": self.visitor.translate(toggle.title),
            "sentence": self.visitor.translate(sentence_beside(toggle, settings[name])),
            "was": self.visitor.translate(found.was(name)),
            "picture": drawing_board.picture(toggle, family.name, settings),
        }

    def _toggle_view(self, toggle: Toggle, found: AnsweredIdea, whole: bool) -> View:
        """A toggle with all that it can say, what it says now marked; unless ``whole``, many are not listed."""
        now = found.now(toggle)
        values = [(ideas.NOW if text == now and not label else label, text) for label, text in ideas.all_values(toggle)]
        if not whole and len(values) > FEW:
            values = [(ideas.NOW, now)]
        return {
            "name": toggle.name,
            "title": self.visitor.translate(toggle.title),
            "values": [
                {"label": self.visitor.translate(label), "sentence": self.visitor.translate(sentence)}
                for label, sentence in values
            ],
        }
