"""What an experiment file may write in forms of their own: targets, and what becomes of games that reach the cap."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.errors import Problem, guess
from workbench.files.yamlfile import Node
from workbench.language import OR, tr
from workbench.questions.keys import Key, MappingOf, Number
from workbench.questions.measures import TARGETS

Target = list[float] | str
"""``[lowest, highest]`` or a limit such as ``<0.05``."""
_LIMIT = re.compile(r"[<>]=?\s*(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")

THRESHOLD = 0.9
"""From which expected score on a capped game is adjudicated to a side, if nothing is said."""
THRESHOLDS = Number(0.6, 1, tr("an expected score"))
"""What a threshold may be."""
CAPPED: Mapping[str, str] = {
    "bounds": tr("They stay unfinished; intervals allow for either result."),
    "adjudicate": tr(
        "The strongest player of the experiment judges the last position; a side whose expected "
        "score is at least the threshold ({threshold} if left out) has won, and else the game "
        "stays unfinished.",
        threshold=THRESHOLD,
    ),
}
"""What may become of games that reach max_plies."""


@dataclass(frozen=True)
class Targets:
    """Measures and what they should reach."""

    most_plies: int

    def read(self, node: Node, problems: list[Problem]) -> dict[str, Target] | None:
        """Those targets that are right."""
        if not isinstance(node.value, dict):
            problems.append(node.expected(tr('targets such as {draw_rate: "<0.05"}')))
            return None
        targets: dict[str, Target] = {}
        for name, inner in node.value.items():
            if name not in TARGETS:
                problems.append(inner.unknown(tr("something to set a target for"), name, TARGETS))
            elif (target := self._target(name, inner, problems)) is not None:
                targets[name] = target
        return targets

    def _target(self, name: str, node: Node, problems: list[Problem]) -> Target | None:
        high = float(self.most_plies) if name == "plies" else 1.0
        limit = node.text.strip()
        if isinstance(node.value, str) and _LIMIT.fullmatch(limit) and float(limit.lstrip("<>= ")) <= high:
            return limit
        if isinstance(node.value, tuple) and len(node.value) == 2:
            ends = [float(each.value) for each in node.value if type(each.value) in (int, float)]  # type: ignore[arg-type]
            if len(ends) == 2 and 0 <= ends[0] <= ends[1] <= high:
                return ends
        what = node.plain() if isinstance(node.value, tuple) else node.describe()
        expected = tr('[lowest, highest] or a limit such as "<0.05", from 0 to {high:,.0f}', high=high)
        problems.append(node.expected(expected, found=what))
        return None

    def schema(self) -> dict[str, Any]:
        """A band or a limit for each measure."""
        band = {"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 2, "maxItems": 2}
        target = {"anyOf": [band, {"type": "string", "pattern": f"^{_LIMIT.pattern}$"}]}
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {name: {"description": text, **target} for name, text in TARGETS.items()},
        }


_ADJUDICATE = MappingOf(
    "adjudicate",
    {
        "threshold": Key(
            "threshold", THRESHOLDS, tr("The expected score from which on a side has won."), 0.95, default=THRESHOLD
        )
    },
)


@dataclass(frozen=True)
class Capped:
    """``bounds``, ``adjudicate``, or ``{adjudicate: {threshold: 0.95}}``."""

    def read(self, node: Node, problems: list[Problem]) -> float | None:
        """The threshold of adjudication; None if games that reach the cap stay unfinished, or for a wrong value."""
        if isinstance(node.value, dict) and list(node.value) == ["adjudicate"]:
            return self._threshold(node.value["adjudicate"], problems)
        if node.is_scalar and node.text in CAPPED:
            return None if node.text == "bounds" else THRESHOLD
        hint = (
            guess(node.text, CAPPED)
            if node.is_scalar
            else tr("or {{adjudicate: {{threshold: {threshold}}}}}", threshold=THRESHOLD)
        )
        problems.append(node.expected(OR.join(CAPPED), hint))
        return None

    def _threshold(self, node: Node, problems: list[Problem]) -> float | None:
        """The threshold among the options of ``adjudicate``."""
        if node.value is None:
            return THRESHOLD
        before = len(problems)
        threshold: float = _ADJUDICATE.values(node, problems).get("threshold", THRESHOLD)
        return threshold if len(problems) == before else None

    def schema(self) -> dict[str, Any]:
        """The names, or the threshold as an option."""
        properties = _ADJUDICATE.schema()["properties"]
        options = {
            "description": CAPPED["adjudicate"],
            "type": ["object", "null"],
            "additionalProperties": False,
            "properties": properties,
        }
        names = [{"const": name, "description": sentence} for name, sentence in CAPPED.items()]
        mapping = {
            "type": "object",
            "additionalProperties": False,
            "required": ["adjudicate"],
            "properties": {"adjudicate": options},
        }
        return {"anyOf": [*names, mapping], "default": "bounds"}
