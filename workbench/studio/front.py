"""The first page: the way from a game to an answer in three steps, and a card for every game."""

from __future__ import annotations

from urllib.parse import quote

from markupsafe import Markup
from nicegui import ui

from workbench import games
from workbench.studio.drafts import Desk
from workbench.studio.visitor import Visitor
from workbench.studio.words import WORDS

STEPS = (("step_game", "step_game_how"), ("step_change", "step_change_how"), ("step_try", "step_try_how"))


def front_page(desk: Desk, visitor: Visitor) -> None:
    """Draws the page; each card leads to the current rules of its game."""
    say = visitor.translate
    steps = Markup("").join(
        Markup("<li><b>{}</b> <span>{}</span></li>").format(say(WORDS[step]), say(WORDS[how])) for step, how in STEPS
    )
    cards = Markup("").join(_card(desk, game, visitor) for game in desk.games())
    ui.html(
        Markup(
            '<div id="main" class="front" tabindex="-1"><h1>{}</h1><ol class="way">{}</ol>'
            '<ul class="cards" aria-label="{}">{}</ul></div>'
        ).format(say(WORDS["front"]), steps, say(WORDS["games"]), cards),
        sanitize=False,
    )


def _card(desk: Desk, game: str, visitor: Visitor) -> Markup:
    if game not in games.names():
        # The page of its rules says why it may not play.
        refused = visitor.translate(WORDS["game_refused"])
        return Markup('<li><a href="/rules/{}"><b>{} ⚠</b><span>{}</span></a></li>').format(game, game, refused)
    current = desk.current_ruleset(game)
    title = next(one.heading for one in desk.family_rulesets(game) if one.name == current)
    return Markup(
        '<li><a href="/rules/{0}"><img src="/sample/{0}" alt="" width="160" height="160"><b>{1}</b>'
        "<span>{2}</span></a></li>"
    ).format(quote(current), visitor.translate(games.declaration(game).title), visitor.translate(title))
