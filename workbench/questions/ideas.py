"""An idea answered: whether rules can say it, the ruleset that says it, and a request for what none can say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench import games
from workbench.console import wrapped
from workbench.errors import InputError, Problem
from workbench.files import output
from workbench.files.project import Project
from workbench.games.declaration import Setting, Toggle, equal_settings, setting_text
from workbench.games.drawings import Drawing
from workbench.games.wording import changes_words, sentence_beside
from workbench.ideas.answers import Answer, Ruleset, Verdict, answer_idea
from workbench.language import COMMA, join, tr, without_stop
from workbench.questions import workspace
from workbench.questions.idea_trial import Trial, try_settings
from workbench.questions.naming import unused_name
from workbench.questions.rulebook import describe_choices
from workbench.questions.ruleset_files import Library
from workbench.questions.ruleset_texts import RulesetReading, RulesetText, new_ruleset, settings_of
from workbench.questions.rulesets import current_ruleset, load_ruleset, ruleset_names
from workbench.questions.settings import find_conflicts

LONGEST = 300
"""Letters of an idea."""
ALSO = tr("These have to change with it:")
CLASH = tr("Conflicts with the other rules:")
SAME = tr("Rulesets that have it already:")
DRAWN = tr("A drawing of your own")
NOW = tr("currently")
REQUEST = tr("Request for a developer")


def all_values(toggle: Toggle) -> list[tuple[str, str]]:
    """What a toggle can say: labels with sentences."""
    values = [("", toggle.sentence(one.name)) for one in toggle.values]
    if toggle.span:
        values.append((f"{toggle.span.low}–{toggle.span.high}", toggle.span.sentence.format(n="n")))
    if isinstance(toggle, Drawing):
        values.append((DRAWN, toggle.drawn))
    return values


@dataclass(frozen=True)
class AnsweredIdea:
    """What is said of an idea to who had it."""

    idea: str
    base: str
    """The ruleset that it is to change."""
    reading: RulesetReading
    """The rules of the base."""
    answer: Answer
    trial: Trial | None
    """The ruleset that says it, or what of it can be said; None if nothing can."""

    @property
    def sets(self) -> Mapping[str, Setting]:
        """What a ruleset that goes together sets: what else has to change, and what the idea says; or nothing."""
        if self.trial is None or self.trial.problems:
            return {}
        return {**self.trial.also, **self.answer.settings}

    @property
    def changes(self) -> Collection[str]:
        """The toggles that this sets to something else than the base."""
        return [name for name, one in self.sets.items() if not equal_settings(one, self.reading.settings[name])]

    @property
    def after(self) -> Mapping[str, Setting]:
        """Every toggle with what the idea says, whether or not it goes together."""
        return {**self.reading.settings, **(self.trial.also if self.trial else {}), **self.answer.settings}

    @property
    def verdict(self) -> Verdict:
        """Whether rules can say it: what does not go together with other rules only comes near."""
        return "near" if self.answer.verdict == "can" and self.trial and self.trial.problems else self.answer.verdict

    @property
    def head(self) -> str:
        """The verdict in a sentence."""
        answer, before = self.answer, self.reading.settings
        if self.verdict == "can" and all(equal_settings(before[name], one) for name, one in answer.settings.items()):
            return tr("The rules already say so.")
        if answer.written:
            return tr(
                "The rule book says: “{sentence}”. No setting changes that yet.",
                sentence=without_stop(answer.written.sentence),
            )
        if answer.open == "value":
            return tr("There is a choice about this.")
        if answer.open == "number":
            return tr("The rules can express this: choose the number.")
        if answer.open == "base":
            return tr(
                "“{than}” has no number to count from yet: choose one, then “{title}”.",
                than=answer.nearest[0].title,
                title=answer.nearest[1].title,
            )
        if not answer.nearest:
            return tr(
                "The rules cannot express this yet, and no setting of {game} is about it.",
                game=self.reading.family.title,
            )
        return {
            "can": tr("The rules can express this."),
            "near": tr("Not exactly, but something close can be expressed."),
            "cannot": tr("The rules cannot express this yet. Closest to it:"),
        }[self.verdict]

    @property
    def quoted(self) -> str:
        """The sentence of the rule book that says it already; "" if there is none."""
        return self.answer.written.sentence if self.verdict == "can" and self.answer.written else ""

    @property
    def unsaid(self) -> str:
        """Which words of the idea nothing says; "" if all is said, or nothing is."""
        return self._unsaid() if self.verdict != "can" and self.answer.nearest else ""

    def _unsaid(self) -> str:
        return tr("Not covered: {words}", words=COMMA.join(self.answer.unsaid)) if self.answer.unsaid else ""

    @property
    def nearest(self) -> Sequence[Toggle]:
        """The toggles to look at where the idea cannot be said, nearest first, without those that it sets."""
        if self.verdict == "can":
            return ()
        family = self.reading.family
        clashing = {name for one in find_conflicts(family, self.after) for name in one.settings}
        toggles = [*self.answer.nearest, *(one for one in family.toggles if one.name in clashing)]
        return tuple({one.name: one for one in toggles if one.name not in self.answer.settings}.values())

    def was(self, name: str) -> str:
        """What the base says of a toggle that the idea changes; "" if the same."""
        before = self.reading.settings[name]
        sentence = sentence_beside(self.reading.family.toggle(name), before)
        return "" if equal_settings(before, self.after[name]) else tr("Currently: {sentence}", sentence=sentence)

    def now(self, toggle: Toggle) -> str:
        """What the base says of a toggle."""
        return toggle.sentence(self.reading.settings[toggle.name])

    def request(self) -> Iterator[str]:
        """The lines of what a developer has to know who is to add the rule; none where only a choice is open."""
        if self.verdict == "can" or self.answer.open in ("number", "base"):
            return
        family, nearest = self.reading.family, self.answer.nearest
        titles = join(COMMA, [toggle.title for toggle in nearest])
        folder = f"workbench/games/{family.name}"
        yield "# " + tr("Rule request: {idea}", idea=self.idea)
        yield ""
        yield tr("Game: {game} ({name}), starting from {base}", game=family.title, name=family.name, base=self.base)
        yield tr("Idea in the designer's words: “{idea}”", idea=self.idea)
        if self.answer.settings:
            said = ", ".join(f"{name}: {setting_text(one)}" for name, one in self.answer.settings.items())
            yield tr("Already possible: {settings}", settings=said)
        if self.answer.unsaid:
            yield self._unsaid()
        if nearest:
            yield from ("", "## " + tr("Current rules that it concerns"), "")
        for toggle in nearest:
            yield _point(
                tr(
                    "{title} ({name}): {sentence} Allowed: {choices}.",
                    title=toggle.title,
                    name=toggle.name,
                    sentence=self.now(toggle),
                    choices=toggle.choices(),
                )
            )
        yield from ("", "## " + tr("To be decided"), "")
        yield _point(tr("What exactly does the idea mean: which pieces, which squares, which situations?"))
        yield _point(tr("From which move on does it apply, and does it ever stop?"))
        yield _point(tr("Does it apply to both players alike?"))
        if nearest:
            yield _point(tr("Which rule takes precedence where it meets these: {titles}?", titles=titles))
        yield _point(tr("Can it end a game, and who wins then?"))
        yield _point(
            tr("Its sentence in the rule book, in English and Japanese, and its value in the existing rulesets.")
        )
        yield from ("", "## " + tr("How to add a rule"), "")
        steps = (
            tr(
                "Declare the toggle, with a sentence of the rule book for each value in both languages, in {rules}.",
                rules=f"{folder}/rules.py",
            ),
            tr(
                "Say in the kernel what it does, one “if” at the place where the rule book has the sentence: {kernel}.",
                kernel=f"{folder}/kernel*.py",
            ),
            tr(
                "Say the same a second time in the slow twin, from the rule text: {twin}.",
                twin=f"tests/naive/{family.name}*.py",
            ),
            tr("Give a position in which it shows: {witnesses}.", witnesses=f"{folder}/witnesses.yaml"),
            tr("List what players call it in {ideas}.", ideas=f"{folder}/ideas.yaml"),
            tr("The steps are told in full in {guide}.", guide="CONTRIBUTING.md, docs/extending.md"),
        )
        yield from (f"{place}. " + step for place, step in enumerate(steps, 1))


def _point(text: str) -> str:
    return "- " + text


def answered(idea: str, base: str, begin: RulesetText, rulesets: Sequence[Ruleset]) -> AnsweredIdea:
    """What is said of an idea; ``begin`` is the text of new rules that change nothing yet in those of the base."""
    reading = begin.read()
    answer = answer_idea(reading.family.name, idea, reading.settings, rulesets)
    try:
        trial = try_settings(begin, answer.settings) if answer.settings else None
    except InputError as error:
        trial = Trial("", {}, tuple(error.problems))
    return AnsweredIdea(idea, base, reading, answer, trial)


def answer_about(idea: str, base: str, project: Project) -> AnsweredIdea:
    """What is said of an idea about a ruleset of the project, or about a game's current one.

    Raises:
        InputError: there is no such ruleset.
    """
    if base in games.names():
        base = current_ruleset(base, Library(project)) or f"{base}/"
    ruleset = load_ruleset(base, project)
    workspace.require_listed(ruleset, project, "--base")
    own = ruleset.name.rpartition("/")[2]
    unused = unused_name([own, "idea"], ruleset_names(project))
    begin = new_ruleset(ruleset.name, f"{ruleset.game}/{unused}", project)
    return answered(idea, ruleset.name, begin, known_rulesets(ruleset.game, project))


def save(found: AnsweredIdea, name: str, project: Project) -> Path:
    """Writes the ruleset that says an idea, or what of it can be said; returns its path.

    Raises:
        InputError: no ruleset says anything of it, or the name cannot be used or is taken.
    """
    if not (found.trial and found.changes):
        raise InputError([Problem("", None, "--save", tr("there is nothing to save"), found.head)])
    path = workspace.ruleset_path(name, found.reading.family.name, project)
    workspace.require_new(path)
    return output.write_file(path, found.trial.text.encode(), new=True)


def known_rulesets(game: str, project: Project) -> list[Ruleset]:
    """The rulesets of a family that may be what somebody means."""
    library = Library(project)
    there = (library.examined(name) for name in library.catalogue if name.startswith(f"{game}/"))
    return [(one.name, (one.title, one.title_ja), settings_of(one)) for one, problems in there if not problems]


def describe_ideas(answers: Sequence[AnsweredIdea]) -> Iterator[str]:
    """Lines with what several games make of an idea, those that can say it first."""
    ranked = sorted(answers, key=lambda one: ("can", "near", "cannot").index(one.verdict))
    for found in ranked:
        family = found.reading.family
        yield wrapped(join(": ", (found.base, found.head)), "", "  ")
        if found.changes:
            yield wrapped(changes_words(family.name, family.toggles, found.reading.settings, found.after), "  ", "    ")
        elif found.nearest:
            yield wrapped(join(COMMA, [toggle.name for toggle in found.nearest]), "  ", "    ")
    yield ""
    yield wrapped(tr("In full, with the ruleset or a request: workbench idea … --base {base}", base=ranked[0].base))


def describe_idea(found: AnsweredIdea) -> Iterator[str]:
    """Lines with all that is said of an idea: the ruleset that says it, and a request where none does."""
    yield wrapped(join(": ", (found.base, found.head)), "", "  ")
    if found.quoted:
        yield wrapped(found.quoted, "  ")
    if found.unsaid:
        yield wrapped(found.unsaid, "  ")
    yield from _changes(found, found.answer.settings)
    if found.trial and found.trial.also:
        yield from ("", ALSO)
        yield from _changes(found, found.trial.also)
    if found.trial and found.trial.problems:
        yield from ("", CLASH)
        yield from (wrapped(join(" ", [one.message, one.hint]), "  ") for one in found.trial.problems)
    if found.answer.rulesets:
        yield from ("", join(" ", [SAME, ", ".join(found.answer.rulesets)]))
    for place, toggle in enumerate(found.nearest):
        yield from ("", toggle.name + ": " + toggle.title)
        yield wrapped(tr("Currently: {sentence}", sentence=found.now(toggle)), "  ", "    ")
        for _, choice in describe_choices(found.reading.family, toggle) if not place else ():
            yield wrapped(choice, "  - ", "    ")
    if found.trial and found.changes:
        head = tr("The ruleset:") if found.verdict == "can" else tr("A ruleset with the part that works:")
        yield from ("", head, "", found.trial.text.rstrip())
    if request := tuple(found.request()):
        yield from ("", join("", [REQUEST, ":"]), "", *request)


def _changes(found: AnsweredIdea, names: Iterable[str]) -> Iterator[str]:
    """Lines with what toggles are set to, and what the base says."""
    for name in names:
        toggle = found.reading.family.toggle(name)
        yield from ("", name + ": " + toggle.title)
        yield wrapped(sentence_beside(toggle, found.after[name]), "  ", "    ")
        if was := found.was(name):
            yield wrapped(was, "  ", "    ")
