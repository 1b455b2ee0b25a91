"""The page of an idea: what rulesets can say of it, the draft that says it, and a request for what none can say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.errors import InputError, Problem
from workbench.files.yamlfile import snapshot
from workbench.games.declaration import Setting, Toggle, equal_settings, setting_text
from workbench.games.drawings import Drawing
from workbench.games.wording import sentence_beside
from workbench.ideas.answers import Answer, answer_idea
from workbench.ideas.spoken import family_terms
from workbench.language import COMMA, without_stop
from workbench.questions.settings import find_conflicts
from workbench.studio import drawing_board, rules_view
from workbench.studio.drafts import Desk, Draft, RulesetReading, new_ruleset_text
from workbench.studio.editing import Pages
from workbench.studio.idea_trial import Trial, try_settings
from workbench.studio.visitor import Visitor
from workbench.studio.words import WORDS

LONGEST = 300
"""Letters of an idea."""
_HEADS = {"can": "idea_can", "near": "idea_near", "cannot": "idea_cannot"}
_OPEN = {"value": "idea_choose_value", "number": "idea_choose_number", "base": "idea_choose_base"}
_QUESTIONS = ("request_means", "request_when", "request_whom", "request_order", "request_ends", "request_sentence")
_STEPS = ("idea_how_1", "idea_how_2", "idea_how_3", "idea_how_4", "idea_how_5", "idea_how_more")

View = dict[str, Any]


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
        draft, text = self.draft, new_ruleset_text(self.draft.base)
        self._begin = Draft(text, project=draft.project, name=draft.name, kind="new", base=draft.base)
        family_terms(self.draft.game)  # Kept, so that the first answer takes no longer than others.
        self.panel.on("ask", self.ask)
        self.panel.on("open", self.open)
        self.panel.on(
            "save", lambda: ui.download.content(self.panel.props["answer"]["request"], f"idea-{self.draft.game}.md")
        )

    def ask(self, given: GenericEventArguments) -> None:
        """Answers an idea."""
        idea = " ".join(str(given.args).split())[:LONGEST]
        with snapshot():
            self.panel.props["answer"] = self._answer(idea) if idea else None
        self.panel.update()

    def open(self, given: GenericEventArguments) -> None:
        """Opens the draft with what the idea sets, and nothing else, or beside what it changes already."""
        with snapshot():
            added = given.args is True
            self.draft.step(
                try_settings(self.draft, self._wanted).text if added else self._begin.text_with(self._wanted)
            )
            self.desk.save_draft(self.draft)
            for draw in list(self.pages[id(self.draft)]):
                draw()
        ui.navigate.to(f"/rules/{quote(self.draft.page)}")

    def _answer(self, idea: str) -> View:
        self._wanted = {}
        reading, game = self._begin.read(), self.draft.game
        after = reading
        there = [one for one in self.desk.family_rulesets(game) if one.sound]
        listed = [(one.name, (one.title, one.title_ja), one.settings) for one in there]
        answer = answer_idea(game, idea, reading.settings, listed)
        try:
            trial = try_settings(self._begin, answer.settings) if answer.settings else None
        except InputError as error:
            trial = Trial("", {}, tuple(error.problems))
        if trial:
            after = replace(reading, settings={**reading.settings, **trial.also, **answer.settings})
        problems = trial.problems if trial else ()
        if trial and not problems:
            self._wanted = {**trial.also, **answer.settings}
        verdict = "near" if answer.verdict == "can" and problems else answer.verdict
        view: View = {
            "verdict": verdict,
            "head": self._head(verdict, answer, reading),
            "sets": [self._change_view(name, reading, after) for name in answer.settings],
            "also": [self._change_view(name, reading, after) for name in (trial.also if trial else ())],
            "problems": [self._problem_text(problem) for problem in problems],
            "unsaid": self._unsaid(answer) if verdict != "can" and answer.nearest else "",
            "written": self.visitor.translate(answer.written.sentence) if verdict == "can" and answer.written else "",
            "next": self._say("idea_next") if verdict != "can" and not answer.nearest else "",
            "nearest": [],
            "open": bool(self._wanted),
            "draft": self._unsaved() if self._wanted else "",
            "same": [
                {"url": f"/rules/{quote(one.name)}", "title": self.visitor.translate(one.heading) or one.name}
                for name in answer.rulesets
                for one in self.desk.family_rulesets(game)
                if one.name == name
            ],
            "request": "",
        }
        if verdict != "can":
            clashing = {name for one in find_conflicts(reading.family, after.settings) for name in one.settings}
            nearest = [*answer.nearest, *(one for one in reading.family.toggles if one.name in clashing)]
            others = {toggle.name: toggle for toggle in nearest if toggle.name not in answer.settings}.values()
            view["nearest"] = [self._toggle_view(toggle, reading, not place) for place, toggle in enumerate(others)]
            view["request"] = (
                "" if answer.open in ("number", "base") else "\n".join(self._request(idea, answer, reading))
            )
        return view

    def _head(self, verdict: str, answer: Answer, reading: RulesetReading) -> str:
        said = all(equal_settings(reading.settings[name], one) for name, one in answer.settings.items())
        key = _HEADS[verdict] if answer.nearest else "idea_nothing"
        if answer.open:
            key = _OPEN[answer.open]
        if answer.written:
            key = "idea_fixed"
        return self._say(
            "idea_already" if verdict == "can" and said else key,
            game=reading.family.title,
            sentence=without_stop(answer.written.sentence) if answer.written else "",
            **dict(zip(("than", "title"), (one.title for one in answer.nearest), strict=False)),
        )

    def _say(self, key: str, **fields: object) -> str:
        return self.visitor.translate(WORDS[key].format(**fields))

    def _unsaid(self, answer: Answer) -> str:
        return self._say("idea_unsaid", words=COMMA.join(answer.unsaid)) if answer.unsaid else ""

    def _unsaved(self) -> str:
        """What becomes of a draft with changes that are not saved; "" if there are none."""
        draft = self.draft.read()
        if not self.draft.dirty or draft.problems:
            return ""
        return self._say("idea_draft", title=self.visitor.translate(self.draft.title(draft)))

    def _problem_text(self, problem: Problem) -> str:
        view = rules_view.ruleset_problem_view(problem, self.visitor, self._begin.read().family)
        return f"{view['message']} {view['hint']}".strip()

    def _change_view(self, name: str, before: RulesetReading, after: RulesetReading) -> View:
        toggle, setting = before.family.toggle(name), after.settings[name]
        was = sentence_beside(toggle, before.settings[name])
        return {
            "name": name,
            "title": self.visitor.translate(toggle.title),
            "sentence": self.visitor.translate(sentence_beside(toggle, setting)),
            "was": "" if equal_settings(before.settings[name], setting) else self._say("idea_was", sentence=was),
            "picture": drawing_board.picture(toggle, after.family.name, after.settings),
        }

    def _toggle_view(self, toggle: Toggle, reading: RulesetReading, whole: bool) -> View:
        """A toggle with all that it can say, or with what it says now."""
        now = reading.settings[toggle.name]
        values = [("", toggle.sentence(one.name)) for one in toggle.values]
        if toggle.span:
            values.append((f"{toggle.span.low}–{toggle.span.high}", toggle.span.sentence.format(n="n")))
        if isinstance(toggle, Drawing):
            values.append((self._say("drawn"), toggle.drawn))
        if not whole:
            values = [(self._say("idea_now"), toggle.sentence(now))]
        return {
            "name": toggle.name,
            "title": self.visitor.translate(toggle.title),
            "values": [{"label": label, "sentence": self.visitor.translate(sentence)} for label, sentence in values],
        }

    def _request(self, idea: str, answer: Answer, reading: RulesetReading) -> Iterator[str]:
        """What a developer has to know who is to add the rule."""
        family, titles = reading.family, [self.visitor.translate(toggle.title) for toggle in answer.nearest]
        folder = f"workbench/games/{family.name}"
        places = {
            "rules": f"{folder}/rules.py",
            "kernel": f"{folder}/kernel*.py",
            "twin": f"tests/naive/{family.name}*.py",
            "witnesses": f"{folder}/witnesses.yaml",
            "ideas": f"{folder}/ideas.yaml",
            "guide": "CONTRIBUTING.md, docs/extending.md",
        }
        yield f"# {self._say('request_title', idea=idea)}"
        yield ""
        yield self._say("request_game", game=family.title, name=family.name, base=self.draft.base)
        yield self._say("request_words", idea=idea)
        if answer.settings:
            said = ", ".join(f"{name}: {setting_text(one)}" for name, one in answer.settings.items())
            yield self._say("request_said", settings=said)
        if answer.unsaid:
            yield self._unsaid(answer)
        if answer.nearest:
            yield from ("", f"## {self._say('request_now')}", "")
        for toggle, title in zip(answer.nearest, titles, strict=True):
            sentence = self.visitor.translate(toggle.sentence(reading.settings[toggle.name]))
            choices = self.visitor.translate(toggle.choices())
            yield f"- {self._say('request_toggle', title=title, name=toggle.name, sentence=sentence, choices=choices)}"
        yield from ("", f"## {self._say('request_decide')}", "")
        for key in _QUESTIONS:
            if key != "request_order" or titles:
                yield f"- {self._say(key, titles=', '.join(titles))}"
        yield from ("", f"## {self._say('request_steps')}", "")
        for place, key in enumerate(_STEPS, 1):
            yield f"{place}. {self._say(key, **places)}"
