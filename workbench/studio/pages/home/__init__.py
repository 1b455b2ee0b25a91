"""The first page: unfinished work, the parts that add-ons draw there, and the games."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from urllib.parse import quote

from fastapi import Request
from markupsafe import Markup
from nicegui import ui

from workbench import games
from workbench.base.language import join, tr
from workbench.studio import frame, report_files
from workbench.studio.documents.rulesets import DraftStore
from workbench.studio.frame import Studio, rules_address
from workbench.studio.jobs import Queue, outlook
from workbench.studio.pages.play.kept import kept_games
from workbench.studio.visitor import Visitor

MAX_LISTED = 2
"""The most drafts, games in progress and own proposals in the list, so that none hides the others."""


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
    work = Markup("").join(
        Markup('<li><a href="{}"><span>{}</span> {}</a></li>').format(address, translate(kind), translate(title))
        for kind, title, address in unfinished_work(store, studio.queue)
    )
    if work:
        work = Markup('<section class="begun"><h2>{}</h2><ul>{}</ul></section>').format(translate(tr("Continue")), work)
    way = tr("Choose a game, change a rule, and play it yourself or ask computer players what the change does.")
    heading = Markup("<h1>{}</h1><p>{}</p>").format(translate(tr("What happens if you change a rule?")), translate(way))
    cards = Markup("").join(_card(store, game, visitor) for game in store.games())
    with ui.element().props('id="main" tabindex="-1"').classes("front"):
        ui.html(heading + work, sanitize=False)
        for draw in studio.on_first_page:
            draw(request, visitor)
        games_list = Markup('<h2 id="games">{}</h2><ul class="cards" aria-labelledby="games">{}</ul>')
        ui.html(games_list.format(translate(tr("Games")), cards), sanitize=False)


def unfinished_work(store: DraftStore, queue: Queue) -> Iterator[tuple[str, str, str]]:
    """Yield the kind, title and address of jobs, the latest answer, drafts, games in progress and own proposals."""
    for address in dict.fromkeys(job.address for job in queue.active):
        jobs = [job for job in queue.active if job.address == address]
        yield outlook(jobs)[1] or (tr("Running") if jobs[0].begun else tr("waiting")), jobs[0].heading, address
    for name in [*report_files.list_reports(store.project)][:1]:
        yield tr("Latest answer"), report_files.read_head(store.project, name)[0], f"/report/{quote(name)}"
    for draft in itertools.islice(store.changed_drafts(), MAX_LISTED):
        yield _of(tr("Draft"), draft.game), draft.title(draft.read()), rules_address(draft.kind, draft.page)
    for game in itertools.islice((game for game in kept_games(store) if not game.over), MAX_LISTED):
        yield _of(tr("Game in progress"), game.reading.family.name), game.title, game.address
    own = (ruleset for game in store.games() for ruleset in store.family_rulesets(game) if not ruleset.shipped)
    for ruleset in itertools.islice(own, MAX_LISTED):
        title, address = ruleset.heading or ruleset.name, rules_address("file", ruleset.name)
        yield _of(tr("Your proposal"), ruleset.name.partition("/")[0]), title, address


def _of(kind: str, game: str) -> str:
    return join(" – ", [games.declaration(game).title if game in games.names() else game, kind])


def _card(store: DraftStore, game: str, visitor: Visitor) -> Markup:
    if game not in games.names():
        # The ruleset page shows why the game was refused.
        refused = visitor.translate(frame.GAME_REFUSED)
        return Markup('<li><a href="/rules/{}"><b>{} ⚠</b><span>{}</span></a></li>').format(game, game, refused)
    family, current = games.declaration(game), quote(store.current_ruleset(game))
    return Markup(
        '<li><a href="/begin/{0}" aria-labelledby="game-{1}" aria-describedby="aim-{1}">'
        '<img src="/sample/{0}" alt="" width="160" height="160"><b id="game-{1}">{2}</b><span id="aim-{1}">{3}</span>'
        "</a></li>"
    ).format(current, game, visitor.translate(family.title), visitor.translate(family.introduction))
