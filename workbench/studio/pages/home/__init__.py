"""The first page: the way from a game to an answer, and the games."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fastapi import Request
from markupsafe import Markup
from nicegui import ui

from workbench import games
from workbench.base.errors import InputError
from workbench.base.language import tr, untranslated
from workbench.studio import frame, report_files
from workbench.studio.documents.rulesets import DraftStore
from workbench.studio.frame import rules_address
from workbench.studio.jobs import Queue
from workbench.studio.visitor import Visitor

if TYPE_CHECKING:
    from workbench.rules.edits import RulesetReading
from workbench.studio.frame import Studio

STEPS = {
    tr("Choose a game"): tr("You begin with the rules that are played today."),
    tr("Change a rule"): tr("Choose another answer on the page of its rules: the rule book changes with it."),
    tr("Try it"): tr("Play it yourself, or let quick players play many games and see what becomes of them."),
}
"""The way from a game to an answer, and how each step is taken."""
MOST = 4
"""Drafts, games and rulesets of one's own that the page lists, of each."""


def register(studio: Studio) -> None:
    """Give the page its address."""

    def home(request: Request) -> None:
        home_page(studio, request)

    ui.page("/")(home)


def home_page(studio: Studio, request: Request) -> None:
    """Draw the page; each card leads to the current rules of its game."""
    visitor, store = Visitor.from_request(request), studio.store
    frame.begin_page(visitor, "", "/", "")
    if not store.games():
        text = tr("This folder holds no rulesets. The command “workbench init my-rules” makes one that does.")
        frame.note_page(visitor, text)
        return
    say = visitor.translate
    steps = Markup("").join(
        Markup("<li><b>{}</b> <span>{}</span></li>").format(say(step), say(how)) for step, how in STEPS.items()
    )
    cards = Markup("").join(_card(store, game, visitor) for game in store.games())
    begun = Markup("").join(
        Markup('<li><a href="{}"><span>{}</span> {}</a></li>').format(address, say(what), say(title))
        for what, title, address in _begun(store, studio.queue)
    )
    if begun:
        begun = Markup('<section><h2>{}</h2><ul class="begun">{}</ul></section>').format(say(tr("Go on with")), begun)
    ui.html(
        Markup(
            '<div id="main" class="front" tabindex="-1"><h1>{}</h1><ol class="way">{}</ol>'
            '<ul class="cards" aria-label="{}">{}</ul>{}</div>'
        ).format(say(tr("What would a change of the rules do?")), steps, say(tr("Games")), cards, begun),
        sanitize=False,
    )


def _begun(store: DraftStore, queue: Queue) -> Iterator[tuple[str, str, str]]:
    """What there is to go on with: what it is, its title, its address."""
    for job in (*([queue.running] if queue.running else []), *queue.waiting):
        yield tr("Running"), job.heading, job.address
    for what, kept in ((tr("Draft"), "drafts"), (tr("Game in play"), "games")):
        for key in store.autosave.names(kept)[:MOST]:  # type: ignore[arg-type]
            kind, _, name = key.partition(" ")
            with contextlib.suppress(InputError):
                draft = store.peek(name, kind)
                reading = draft.read()
                if kept == "drafts" and draft.dirty:
                    yield what, draft.title(reading), rules_address(kind, name)
                elif kept == "games" and _goes_on(store.autosave.load("games", key), reading):
                    yield what, draft.title(reading), f"/play/{kind}/{quote(name)}"
    own = [one for game in store.games() for one in store.family_rulesets(game) if not one.shipped]
    for one in own[:MOST]:
        yield tr("Your rules"), one.heading or one.name, f"/edit/{quote(one.name)}"
    for folder in report_files.list_folders(store.project)[:1]:
        title = report_files.folder_title(store.project.reports / folder.name) or untranslated(folder.name)
        yield tr("Latest report"), title, f"/report/{quote(folder.name)}"


def _goes_on(game: Mapping[str, Any], reading: RulesetReading) -> bool:
    """Return whether a game that was kept is not over, and its page has still the rules by which it was played."""
    rules = reading.ruleset.fingerprint if reading.ruleset else ""
    return not game.get("over") and game.get("rules") == rules


def _card(store: DraftStore, game: str, visitor: Visitor) -> Markup:
    if game not in games.names():
        # The page of its rules says why it may not play.
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
