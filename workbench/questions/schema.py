"""JSON Schemas of the files that people write, from which editors complete and explain keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench import games
from workbench.games.declaration import Declaration, Toggle, setting_text
from workbench.games.drawings import Drawing
from workbench.games.prices import PriceList
from workbench.language import tr, translated
from workbench.questions import agents, experiment, price_lists, rule_search, ruleset_files
from workbench.questions.keys import Key

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def ruleset_schema(game: str | None = None, known: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ruleset files, for editors; of one game's files if it is named.

    ``known`` are the names of rulesets to offer where one extends another.

    Raises:
        KeyError: there is no such game.
    """
    families = [games.declaration(name) for name in ([game] if game else games.names())]
    properties = {name: declared.schema() for name, declared in ruleset_files.KEYS.items()}
    if game:
        properties["game"]["oneOf"] = [{"const": family.name, "description": family.title} for family in families]
    return {
        "$schema": DIALECT,
        "title": "Ruleset",
        "description": tr("Rules of a game: the rulesets it extends, and the toggles that it sets otherwise."),
        "type": "object",
        "properties": properties,
        "required": ["game"],
        "anyOf": [{"required": ["title"]}, {"required": ["title_ja"]}],
        "additionalProperties": False,
        "allOf": [
            {
                "if": {"properties": {"game": {"const": family.name}}, "required": ["game"]},
                "then": {"properties": {"rules": {"$ref": f"#/$defs/{family.name}"}, **_extends(family, known)}},
            }
            for family in families
        ],
        "$defs": {family.name: _of_rules(family) for family in families},
    }


def _extends(family: Declaration, known: Sequence[str]) -> dict[str, Any]:
    """What a ruleset of a family may extend: any name, and those that are known are offered."""
    own = [name.removeprefix(f"{family.name}/") for name in known if name.startswith(f"{family.name}/")]
    if not own:
        return {}
    one = {"anyOf": [{"enum": own}, {"type": ["string", "number"]}]}
    return {"extends": {"anyOf": [one, {"type": "array", "items": one}]}}


def translated_schema(schema: Any) -> Any:
    """A schema whose titles and descriptions are in the language that is spoken."""
    if isinstance(schema, list):
        return [translated_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: translated(value)
        if key in ("title", "description") and isinstance(value, str)
        else translated_schema(value)
        for key, value in schema.items()
    }


def experiment_schema(known: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of experiment files; ``known`` are the names of rulesets to offer."""
    return _schema_of_keys(tr("Experiment of the rule workbench"), experiment.KEYS, known)


def search_schema(known: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the files of searches; ``known`` are the names of rulesets to offer."""
    return _schema_of_keys(tr("Search of the rule workbench"), rule_search.KEYS, known)


def _schema_of_keys(title: str, keys: Mapping[str, Key], known: Sequence[str]) -> dict[str, Any]:
    ruleset: dict[str, Any] = {"type": "string", "pattern": "^[^/]+/[^/]+$"}
    required = [key for key in keys.values() if key.required]
    return {
        "$schema": DIALECT,
        "title": title,
        "type": "object",
        "additionalProperties": False,
        "required": [key.name for key in required if not key.instead],
        "allOf": [
            {"anyOf": [{"required": [key.name]}, {"required": [key.instead]}]} for key in required if key.instead
        ],
        "properties": {name: key.schema() for name, key in keys.items()},
        "$defs": {
            "agent": agents.agent_schema(),
            "ruleset": {"anyOf": [{"enum": list(known)}, ruleset]} if known else ruleset,
        },
    }


def _of_rules(family: Declaration) -> dict[str, Any]:
    return {
        "description": tr("Toggles of {family}.", family=family.title),
        "type": ["object", "null"],
        "properties": {
            toggle.name: {
                "title": toggle.title,
                "description": tr(
                    "{toggle}. Default: {default}. Source: {source}.",
                    toggle=toggle.title,
                    default=setting_text(toggle.default),
                    source=toggle.source,
                ),
                "default": toggle.default,
                "oneOf": _of_values(toggle),
            }
            for toggle in family.toggles
        },
        "additionalProperties": False,
    }


def _of_values(toggle: Toggle) -> list[dict[str, Any]]:
    values: list[dict[str, Any]] = [{"const": v.name, "description": v.sentence} for v in toggle.values]
    if toggle.files:
        values.append({"type": "string", "description": toggle.files.sentence})
    if isinstance(toggle, PriceList):
        values += price_lists.price_list_schemas(toggle)
    if isinstance(toggle, Drawing):
        other = {"enum": [value.name for value in toggle.values]}
        values.append({"type": "string", "pattern": toggle.pattern, "not": other, "description": toggle.drawn})
    if toggle.span:
        numbers: dict[str, Any] = {
            "type": "integer" if toggle.span.step == 1 else "number",
            "minimum": toggle.span.low,
            "maximum": toggle.span.high,
            "description": toggle.span.sentence.format(n="n"),
        }
        if toggle.span.step != 1:
            numbers["multipleOf"] = toggle.span.step
        if named := [v.name for v in toggle.values if type(v.name) is int]:
            numbers["not"] = {"enum": named}
        values.append(numbers)
    return values
