"""The rule book of a proposal to hand to players: its aim, its start and its rules, ready to print."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fastapi import Request
from markupsafe import Markup, escape
from nicegui import ui

from workbench.base.errors import InputError
from workbench.base.language import tr
from workbench.base.yamlfile import snapshot
from workbench.games.declaration import equal_settings
from workbench.rules.edits import RulesetReading
from workbench.studio import frame, game_tasks
from workbench.studio.frame import Proposal, Studio
from workbench.studio.pages.rules.view import RulesView
from workbench.studio.visitor import View, Visitor

TAG = re.compile(r"（[^（）]{1,2}案）| \(proposal \w\)")
"""A mention of where a rule comes from, which players do not need."""
YEAR, LABEL = re.compile(r"(1[89]|20)\d\d"), re.compile(r"^[^,、「]{1,25}?(?:：|: )")
"""What a further work in a source has, and what may stand before it."""


def register(studio: Studio) -> None:
    """Register the page."""
    store = studio.store

    async def book(request: Request, kind: str, name: str) -> None:
        """Draw the rule book of a ruleset's document."""
        visitor = Visitor.from_request(request)
        with snapshot():
            try:
                draft = store.peek(name, kind)
            except InputError as error:
                frame.missing_page(visitor, name, error, store)
                return
            reading, proposal = draft.read(), Proposal(kind, name, store.title(draft))
            lines = list(RulesView(reading, store.project, visitor).book())
        frame.begin_page(visitor, "rules", proposal.address("book"), proposal.title, proposal)
        if reading.ruleset is None:
            frame.note_page(visitor, frame.NOT_PLAYABLE, [problem.text for problem in reading.problems])
            return
        changed = [toggle.name for toggle in reading.family.toggles if reading.is_changed(toggle)]
        changes = {name: reading.inherited[name] for name in changed}
        drawn = await studio.workers.drawing.run(game_tasks.draw_book, reading.ruleset, changes)
        ui.html(Markup("").join(_parts(reading, proposal, lines, visitor.localize(drawn), visitor)), sanitize=False)

    ui.page("/book/{kind}/{name:path}", response_timeout=60)(book)


def _parts(
    reading: RulesetReading, proposal: Proposal, lines: list[View], drawn: View, visitor: Visitor
) -> Iterator[Markup]:
    """Yield the parts of the page; ``drawn`` are the pictures of `game_tasks.draw_book`."""
    family, translate = reading.family, visitor.translate
    yield Markup(
        '<div id="main" class="handout" tabindex="-1"><header><h1>{}</h1> <span>{}</span>'
        '<label class="marks"><input type="checkbox"> {}</label>'
        '<button type="button" class="button" data-print>{}</button></header>'
    ).format(translate(proposal.title), translate(family.title), translate(tr("Show changes")), translate(tr("Print")))
    figure = Markup('<figure class="{}">{}<figcaption>{}</figcaption></figure>')
    yield figure.format("start", Markup(drawn["start"]), translate(family.legend))
    defaults = family.defaults()
    if all(equal_settings(reading.settings[name], defaults[name]) for name in family.aim):
        yield Markup('<p class="aim">{}</p>').format(translate(family.introduction))
    for line in lines:
        if line["heading"]:
            yield Markup("<h2>{}</h2>").format(translate(line["heading"]))
        picture, sentence = drawn["positions"].get(line["toggle"], (line.get("picture"), ""))
        shown = figure.format("shows", Markup(picture), sentence) if picture else ""
        text = TAG.sub(r"<small>\g<0></small>", str(escape(translate(line["text"]))))
        mark = Markup(' class="changed"') if line["was"] else ""
        yield Markup('<div class="rule"><p{}>{}</p>{}</div>').format(mark, Markup(text), shown)
    toggles = [family.toggle(line["toggle"]) for line in lines if line["toggle"]]
    sources = filter(None, (reading.file.source, family.source, *(toggle.source for toggle in toggles)))
    yield Markup('<details class="more"><summary>{}</summary><ul>{}</ul></details></div>').format(
        translate(tr("Sources")), Markup("").join(map(Markup("<li>{}</li>").format, _works(map(translate, sources))))
    )


def _works(sources: Iterable[str]) -> list[str]:
    """Return sources as one line per work: its shortest mention."""
    works: dict[str, list[str]] = {}
    for source in sources:
        first, *others = re.split(r"; |。(?=.)", source)
        for mention in (first, *(LABEL.sub("", other) for other in others if YEAR.search(other))):
            works.setdefault(mention[:16], []).append(mention)
    return [min(mentions, key=len) for mentions in works.values()]
