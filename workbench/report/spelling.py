"""Report folders of versions that wrote moves or squares otherwise: what they say, as it is written today.

Records are of a family's present spelling (`Declaration.spelling`) if the versions of their run say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from workbench import games
from workbench.games.drawings import Drawing
from workbench.language import tr


def move_respeller(provenance: Mapping[str, Any], name: str) -> Callable[[str], str] | None:
    """What writes the moves of a ruleset of the run as they are written today; None if they are."""
    entry = next(entry for entry in provenance["rulesets"] if entry["name"] == name)
    if entry.get("game") not in games.names():
        return None
    family = games.declaration(str(entry["game"]))
    said = (provenance.get("versions") or {}).get(f"{family.name}-notation", "1")
    if family.respelled is None or said == str(family.spelling):
        return None
    rules = {**family.defaults(), **(entry.get("settings") or {})}
    return family.respelled(rules)


def respell_provenance(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance with the lines that games begin with, and the positions that rules draw, as written today."""
    rulesets, lines = [], dict(provenance.get("openings") or {})
    for entry in provenance["rulesets"]:
        name, settings = str(entry["name"]), dict(entry.get("settings") or {})
        if respelled := move_respeller(provenance, name):
            for toggle in games.declaration(str(entry["game"])).toggles:
                if isinstance(toggle, Drawing) and toggle.is_drawn(settings.get(toggle.name, toggle.default)):
                    settings[toggle.name] = respelled(str(settings[toggle.name]))
            if name in lines:
                lines[name] = {**lines[name], "lines": [respelled(line) for line in lines[name]["lines"]]}
        rulesets.append({**entry, **({"settings": settings} if settings else {})})
    return {**provenance, "rulesets": rulesets, **({"openings": lines} if lines else {})}


def respelling_notes(provenance: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each ruleset whose first moves are in the records as they are not written any more."""
    for entry in provenance["rulesets"]:
        if move_respeller(provenance, str(entry["name"])):
            yield tr(
                "The first moves of {entry} are in these records as versions before 0.3 wrote them.",
                entry=entry["name"],
            )
