"""The pages of rule searches: a form with three questions, and what a search has found."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, quote

from fastapi import Request
from nicegui import ui
from nicegui.events import GenericEventArguments

from workbench import games
from workbench.addons.search import progress
from workbench.addons.search.question import CANDIDATES, KIND, search_status
from workbench.base.errors import InputError, WorkbenchError, error_text
from workbench.base.language import COMMA, join, tr, translated
from workbench.base.project import SEARCH, SEARCHES, Project
from workbench.base.yamlfile import snapshot
from workbench.experiments import workspace
from workbench.experiments.measures import FIRST_SCORE, PLIES
from workbench.games.declaration import Setting
from workbench.games.wording import sentence_beside
from workbench.rules.edits import yaml_scalar
from workbench.rules.rulesets import NamedRules, Ruleset, load_ruleset
from workbench.runs.progress import FolderState
from workbench.studio import frame
from workbench.studio.documents import change_stamp, write_once
from workbench.studio.documents.rulesets import MOST_OWN, DraftStore, named_settings
from workbench.studio.frame import NOT_FOUND, Studio, component, not_found_page
from workbench.studio.jobs import file_of
from workbench.studio.runs import REFRESH_SECONDS
from workbench.studio.visitor import View, Visitor

FormPanel, FoundPanel = component("form.js", __file__), component("found.js", __file__)
RECIPE = 1
"""The version of the searches' design."""
STEPS = 2
"""The number of steps on either side of the base's number."""
GOALS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    FIRST_SCORE: (tr("Fairness"), {
        "[0.47, 0.53]": tr("as even as possible (the first player wins 47–53 %)"),
        "[0.45, 0.55]": tr("fairly even (45–55 %)"),
    }),
    "draw_rate": (tr("How many draws"), {
        '"<0.05"': tr("hardly any draws (below 5 %)"), '"<0.15"': tr("few draws (below 15 %)"),
        '"<0.3"': tr("some draws (below 30 %)"),
    }),
    PLIES: (tr("Length of a game"), {
        "[20, 40]": tr("short games (20–40 moves)"), "[40, 80]": tr("medium games (40–80 moves)"),
        "[80, 160]": tr("long games (80–160 moves)"),
    }),
}  # fmt: skip
"""The goals in words: by measure, a title, and targets in file notation with their words."""
USUAL = {FIRST_SCORE: "[0.47, 0.53]", "draw_rate": '"<0.05"'}
"""The targets of a new form."""


@dataclass(frozen=True)
class SearchQuestion:
    """The question of a form: the same question has the same file, so that asking again continues its search."""

    project: Project
    base: Ruleset
    space: Mapping[str, Sequence[Setting]]
    """The settings that may replace the base's, by toggle."""
    targets: Mapping[str, str]
    """Targets in file notation by measure."""
    hours: str

    @classmethod
    @snapshot()
    def of(cls, query: str, store: DraftStore) -> SearchQuestion:
        """Return the question in a form's query; raises `InputError` if the base has problems."""
        chosen = parse_qs(query)
        base = load_ruleset(chosen["base"][0], store.project)
        varied = chosen.get("vary", ())
        space = {name: values for name, values in variable(store, base).items() if name in varied}
        asked = [(measure, target) for measure in GOALS for target in chosen.get(measure, ())]
        targets = {measure: target for measure, target in asked if target in GOALS[measure][1]}
        return cls(store.project, base, space, targets, re.sub(r"[^\d.]", "", "".join(chosen.get("hours", ()))))

    @property
    def name(self) -> str:
        """The name of the search."""
        identity = RECIPE, self.base.fingerprint, {**self.space}, {**self.targets}, self.hours
        return f"{self.base.name.replace('/', '-')}-{hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:8]}"

    @property
    def path(self) -> Path:
        """The search's file, which need not exist; raises `InputError` without a project folder."""
        return workspace.new_path(KIND, self.name, self.project)

    @property
    def text(self) -> str:
        """The text of the search's file."""
        goals = [GOALS[measure][1][target] for measure, target in self.targets.items()]
        title = tr("{base}: {goals}", base=self.base.heading, goals=join(COMMA, goals))
        targets = [f"  {measure}: {target}\n" for measure, target in self.targets.items()]
        space = [f"  {name}: [{', '.join(map(yaml_scalar, values))}]\n" for name, values in self.space.items()]
        return (
            f"# yaml-language-server: $schema=search.schema.json\n#\n#     workbench search {self.name}\n"
            f"title: {json.dumps(str(title), ensure_ascii=False)}\n"
            f"title_ja: {json.dumps(translated(title, 'ja'), ensure_ascii=False)}\n"
            f"base: {self.base.name}\nspace:\n{''.join(space)}"
            'must: {capped_rate: "<0.02"}\n'
            f"targets:\n{''.join(targets)}"
            "indifferent: 0.02\nplayers: {quick: [greedy]}\nopenings: {plies: 4, lines: 400}\n"
            f"budget: {{hours: {self.hours}, confirm: 0.4}}\nfinalists: 4\nseed: 1\n"
        )

    def write(self) -> None:
        """Write the search's file unless it exists."""
        write_once(self.project, self.path, self.text)


def variable(store: DraftStore, base: NamedRules | Ruleset) -> dict[str, list[Setting]]:
    """Return the settings of each toggle that may vary: named ones, and numbers near the base's or in use."""
    family = games.declaration(base.name.partition("/")[0])
    rulesets = [base, *store.family_rulesets(family.name)]
    choices = {}
    for toggle in family.toggles:
        values, now = named_settings(toggle, store.project, family), base.settings[toggle.name]
        numbers = list(toggle.span.numbers()) if toggle.span else []
        place = numbers.index(now) if now in numbers else -math.inf
        used = {ruleset.settings.get(toggle.name) for ruleset in rulesets}
        values += [number for i, number in enumerate(numbers) if abs(i - place) <= STEPS or number in used]
        if len(values) > 1:
            choices[toggle.name] = values
    return choices


class SearchPages:
    """The pages of searches."""

    def __init__(self, studio: Studio) -> None:
        self.store, self.workers, self.queue = studio.store, studio.workers, studio.queue

    def new(self, request: Request, base: str = "") -> None:
        """Draw the form with the choices in the address, or else with the rules opened last and the usual choices."""
        visitor, store, query = Visitor.from_request(request), self.store, request.query_params
        listed = [item for game in store.games() if game in games.names() for item in store.family_rulesets(game)]
        rulesets = {item.name: item for item in listed if item.sound}
        latest = store.current_ruleset(store.last_page().partition("/")[2].partition("/")[0])
        base = next((name for name in (base, latest, *rulesets) if name in rulesets), "")
        if not base:
            not_found_page(visitor, "ask", NOT_FOUND)
            return
        rules, family = rulesets[base], games.declaration(base.partition("/")[0])
        choices = variable(store, rules)
        # Proposals with a letter, such as Chatra's A, say best what is in question.
        named = {name for change in store.named_changes(family.name) for name in change.settings}
        small = [item.own for item in store.family_rulesets(family.name) if len(item.own) <= MOST_OWN]
        usual = named if len(named) > 1 else {name for own in small for name in own}
        varied = query.getlist("vary") or usual
        bases: dict[str, list[list[str]]] = {}
        for item in rulesets.values():
            game = games.declaration(item.name.partition("/")[0])
            bases.setdefault(game.title, []).append([item.name, item.heading])
        groups = [
            (title, [
                (toggle.name, toggle.title, sentence_beside(toggle, rules.settings[toggle.name]), toggle.name in varied)
                for toggle in toggles
                if toggle.name in choices
            ])
            for title, toggles in family.grouped()
        ]  # fmt: skip
        goals = [
            (measure, title, [*words.items()], query.get(measure, USUAL.get(measure, "")))
            for measure, (title, words) in GOALS.items()
        ]
        frame.begin_page(visitor, "ask", f"/new-search?{query}", title=tr("Search for proposals"))
        view = {"base": base, "bases": [*bases.items()], "groups": groups, "goals": goals}
        panel = FormPanel(**visitor.localize(view), hours=query.get("hours", "1"), lines=[], trouble="")
        counted, counting = "", asyncio.Lock()

        async def count(event: GenericEventArguments) -> None:
            """Show the number of rulesets, or what is wrong with the question."""
            nonlocal counted
            asked = counted = str(event.args)
            async with counting:
                # A later choice is counted in its turn.
                if asked != counted:
                    return
                try:
                    question = SearchQuestion.of(asked, store)
                    lines = await self.workers.planning.run(
                        progress.describe_text, question.path, store.project, question.text
                    )
                except WorkbenchError as error:
                    lines = [error_text(error)]
            if asked == counted:
                panel.show(lines=visitor.localize(lines), trouble="")

        async def start(event: GenericEventArguments) -> None:
            """Write the question's file and queue it, or continue its search."""
            try:
                question = SearchQuestion.of(str(event.args), store)
                await asyncio.to_thread(question.write)
                name = f"{SEARCHES}/{question.name}"
                if search_status(store.project.reports / name).state is not FolderState.DONE:
                    self.queue.add(name, visitor.language)
            except WorkbenchError as error:
                panel.show(trouble=visitor.translate(error_text(error)))
            else:
                panel.client.open(f"/report/{quote(name)}")

        panel.on("count", count)
        panel.on("start", start)

    def draw(self, name: str, visitor: Visitor) -> None:
        """Draw what a search has found, on the page of its run."""
        project, (kind, path) = self.store.project, file_of(name, self.store.project)
        if kind is not KIND:
            return
        folder, panel = project.reports / name, FoundPanel(found=None, trouble="")
        read: object = None
        rows: dict[int, View] = {}

        async def look() -> None:
            """Read the search's folder if it has changed."""
            nonlocal read
            written = change_stamp([path, folder / CANDIDATES, folder / SEARCH])
            if written != read:
                read = written
                found = await self.workers.reading.run(progress.read_overview, project, path.stem)
                rows.update({row["place"]: row for row in found["rows"]} if found else {})
                panel.show(found=visitor.localize(found))

        def open_draft(event: GenericEventArguments) -> None:
            """Open a ruleset of the search as a draft based on the base, perhaps to be saved at once."""
            row = rows[int(event.args["place"])]
            try:
                with snapshot():
                    draft = self.store.draft_with(row["start"], row["settings"])
            except InputError as error:
                panel.show(trouble=visitor.translate(error_text(error)))
                return
            panel.client.open(f"/rules/{quote(draft.page)}{'?save' * (event.args['way'] == 'save')}")

        panel.on("open", open_draft)
        ui.timer(REFRESH_SECONDS, look, immediate=True)


def register(studio: Studio) -> None:
    """Register the form, and what searches have found as a part of their runs' pages."""
    pages = SearchPages(studio)
    ui.page("/new-search")(pages.new)
    studio.on_run.append(pages.draw)
