"""The home page: the steps from a game to an answer, the games, and unfinished work."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from urllib.parse import quote

from fastapi import Request
from markupsafe import Markup
from nicegui import ui

from workbench import games
from workbench.base.errors import InputError
from workbench.base.language import tr
from workbench.studio import frame, report_files
from workbench.studio.documents.rulesets import DraftStore
from workbench.studio.frame import Studio, rules_address
from workbench.studio.jobs import Queue
from workbench.studio.pages.play.kept import kept_games
from workbench.studio.visitor import Visitor

STEPS = {
    tr("Choose a game"): tr("You start from the current rules."),
    tr("Change a rule"): tr("Choose a different setting on its rules page; the rule book updates."),
    tr("Try it"): tr("Play it yourself, or let quick players play many games and look at the results."),
}
MAX_LISTED = 4
"""The most drafts, games in progress and user's rulesets in the list."""


def register(studio: Studio) -> None:
    """Register the page."""

    def home(request: Request) -> None:
        home_page(studio, request)

    ui.page("/")(home)


def home_page(studio: Studio, request: Request) -> None:
    """Draw the page; each card leads to its game's current rules."""
    visitor, store = Visitor.from_request(request), studio.store
    frame.begin_page(visitor, "", "/")
    if not store.games():
        text = tr("This folder contains no rulesets. “workbench init my-rules” creates a folder that does.")
        frame.note_page(visitor, text)
        return
    translate = visitor.translate
    steps = Markup("").join(
        Markup("<li><b>{}</b> <span>{}</span></li>").format(translate(step), translate(description))
        for step, description in STEPS.items()
    )
    cards = Markup("").join(_card(store, game, visitor) for game in store.games())
    work = Markup("").join(
        Markup('<li><a href="{}"><span>{}</span> {}</a></li>').format(address, translate(kind), translate(title))
        for kind, title, address in unfinished_work(store, studio.queue)
    )
    if work:
        work = Markup('<section><h2>{}</h2><ul class="begun">{}</ul></section>').format(
            translate(tr("Continue with")), work
        )
    ui.html(
        Markup(
            '<div id="main" class="front" tabindex="-1"><h1>{}</h1><ol class="way">{}</ol>'
            '<ul class="cards" aria-label="{}">{}</ul>{}</div>'
        ).format(translate(tr("What happens if you change a rule?")), steps, translate(tr("Games")), cards, work),
        sanitize=False,
    )


def unfinished_work(store: DraftStore, queue: Queue) -> Iterator[tuple[str, str, str]]:
    """Yield the kind, title and address of jobs, drafts, games, the user's rulesets and the latest report."""
    for job in (*([queue.running] if queue.running else []), *queue.waiting):
        yield tr("Running"), job.heading, job.address
    for key in store.autosave.names("drafts")[:MAX_LISTED]:
        kind, _, name = key.partition(" ")
        with contextlib.suppress(InputError):
            draft = store.peek(name, kind)
            if draft.dirty:
                yield tr("Draft"), draft.title(draft.read()), rules_address(kind, name)
    for game in itertools.islice((game for game in kept_games(store) if not game.over), MAX_LISTED):
        yield tr("Game in progress"), game.title, game.address
    own = [ruleset for game in store.games() for ruleset in store.family_rulesets(game) if not ruleset.shipped]
    for ruleset in own[:MAX_LISTED]:
        yield tr("Your rules"), ruleset.heading or ruleset.name, f"/edit/{quote(ruleset.name)}"
    for folder in report_files.list_folders(store.project)[:1]:
        yield tr("Latest report"), report_files.report_title(store.project, folder), f"/report/{quote(folder.name)}"


def _card(store: DraftStore, game: str, visitor: Visitor) -> Markup:
    if game not in games.names():
        # The ruleset page shows why the game was refused.
        refused = visitor.translate(frame.GAME_REFUSED)
        return Markup('<li><a href="/rules/{}"><b>{} ⚠</b><span>{}</span></a></li>').format(game, game, refused)
    current = store.current_ruleset(game)
    return Markup(
        '<li><a href="/begin/{0}"><span class="sample"><i>{3}</i>'
        '<img src="/sample/{0}" alt="" width="160" height="160"></span><b>{1}</b><span>{2}</span></a></li>'
    ).format(
        quote(current),
        visitor.translate(games.declaration(game).title),
        visitor.translate(store.heading(current)),
        visitor.translate(tr("Drawing…")),
    )
