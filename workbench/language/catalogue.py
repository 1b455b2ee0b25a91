"""The catalogue of Japanese texts: templates with numbered fields, and how a text finds its template.

The file is in the format of gettext (PO), so that editors for translators open it. A field ``{0}`` of the English
stands for whatever the program put there; the Japanese may put fields in another order. Braces of the text are doubled.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("ja.po")
_ENTRY = re.compile(r'^(#, verbatim\n)?msgid (".*")\nmsgstr (".*")$', re.MULTILINE)
_TOKEN = re.compile(r"(\{\{|\}\}|\{\d+\})")
_LATIN = re.compile("[A-Za-z]")
_BOUNDARY = re.compile(r"(?<=[.!?])( )|(\n+|: |; | \(|\)|, )")
"""Where a text that has no template as a whole may be cut: behind a sentence (the space is dropped), or at a sign."""
_ENUMERATED = re.compile(r"(, | or | and )")
_JOINED = {", ": "、", " or ": "か", " and ": "と"}
_ENGLISH = re.compile(r"(?<![A-Za-z0-9_'/.:=@<-])[A-Za-z]?[a-z]{2,}(?![A-Za-z0-9_/=(-]|:[A-Za-z0-9]|\.[A-Za-z0-9])")
_QUOTED = re.compile(r"「[^」]*」|'[^']*'|\"[^\"]*\"|`[^`]*`|\{[^}]*\}")
_SETTING = re.compile(r"([a-z_][a-z0-9_]*): [\w.+-]+")
"""A line of a ruleset's file, as users may type it."""
UNBALANCED = 5
"""How many words a bracket counts that a field cuts off from its other one."""
WEAK = 12
"""Signs of a template below which it fits many a text by chance."""
QUOTES = {"'": "'", "`": "`", '"': '"'}


class Entry(NamedTuple):
    """A template in both languages."""

    en: str
    ja: str
    verbatim: bool = False
    """Whether its fields are what somebody wrote (a source, a path), and not to be translated."""


def shipped() -> list[Entry]:
    """The entries of the catalogue."""
    text = FILE.read_text(encoding="utf-8")
    return [Entry(json.loads(en), json.loads(ja), bool(flag)) for flag, en, ja in _ENTRY.findall(text) if en != '""']


def parts(template: str) -> list[str | int]:
    """The literal texts of a template and the numbers of its fields, in order.

    >>> parts("expected {{n: {1}}}, found {0}")
    ['expected {n: ', 1, '}, found ', 0]
    """
    found: list[str | int] = []
    for token in _TOKEN.split(template):
        if token in ("{{", "}}"):
            token = token[0]
        elif _TOKEN.fullmatch(token):
            found.append(int(token[1:-1]))
            continue
        if token and found and isinstance(last := found[-1], str):
            found[-1] = last + token
        elif token:
            found.append(token)
    return found


@dataclass(frozen=True)
class Template:
    """A text with fields, in both languages."""

    en: str
    ja: str
    verbatim: bool = False

    @functools.cached_property
    def english(self) -> list[str | int]:
        """Its parts."""
        return parts(self.en)

    @functools.cached_property
    def rank(self) -> int:
        """Letters and signs that a text must have to be one of this template: the more, the more it says."""
        return sum(len(part) for part in self.english if isinstance(part, str))

    @functools.cached_property
    def label(self) -> bool:
        """Whether a label and a colon begin it, so that it is meant where these are seen."""
        first = self.english[0]
        return isinstance(first, str) and ": " in first

    @functools.cached_property
    def weak(self) -> bool:
        """Whether it fits many a text by chance: it says little, and does not begin with a label or with words."""
        first = self.english[0]
        return self.rank < WEAK and not self.label and not (isinstance(first, str) and " " in first.rstrip())

    def fits(self, fields: Iterable[str]) -> bool:
        """Whether a text that leaves words over may be of the template all the same: these are names then."""
        begins = isinstance(self.english[0], str) and not any(
            " " in field and not _SETTING.fullmatch(field) for field in fields
        )
        return not self.weak or begins

    @functools.cached_property
    def longest(self) -> str:
        """The longest literal part, by which most texts are seen not to be of this template."""
        return max((part for part in self.english if isinstance(part, str)), key=len)

    def matches(self, text: str) -> list[tuple[str, ...]]:
        """What may stand in the fields if a text is of the template, read in each of the ways of `patterns`."""
        found = [match.groups() for pattern in self.patterns if (match := pattern.fullmatch(text))]
        return found[:1] if len(set(found)) == 1 else found

    @functools.cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """Match the texts of the template."""
        short, long, after = "(.*?)", "(.*)", r"((?:[^\w\s].*)?)"
        kinds = [(short, short), (long, long)]
        if any(isinstance(one, int) and isinstance(other, int) for one, other in itertools.pairwise(self.english)):
            # The second of two that stand beside each other begins with a comma or the like, or is empty.
            kinds.append((short, after))
        return tuple(re.compile(self._pattern(*kind), re.DOTALL) for kind in kinds)

    def _pattern(self, field: str, beside: str) -> str:
        """A regular expression with one expression for each field, and one for those that follow another at once."""
        before: list[str | int] = ["", *self.english]
        return "".join(
            re.escape(part) if isinstance(part, str) else beside if isinstance(last, int) else field
            for last, part in zip(before, self.english, strict=False)
        )

    @functools.cached_property
    def quoted(self) -> frozenset[int]:
        """The fields that stand in quotation marks: what somebody wrote, and no text of the workbench."""
        english = self.english
        if self.verbatim:
            return frozenset(part for part in english if isinstance(part, int))
        return frozenset(
            part
            for place, part in enumerate(english)
            if isinstance(part, int)
            and 0 < place < len(english) - 1
            and isinstance(before := english[place - 1], str)
            and isinstance(after := english[place + 1], str)
            and before[-1] in QUOTES
            and after[0] == QUOTES[before[-1]]
        )


class Catalogue:
    """Templates in both languages, and the Japanese of texts."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        """Keeps the entries; of two with the same English the last one counts."""
        self.exact: dict[str, str] = {}
        templates: dict[str, Template] = {}
        for en, ja, verbatim in entries:
            if "{" not in en:
                self.exact[en] = ja
            elif not any(isinstance(part, int) for part in parts(en)):
                self.exact["".join(map(str, parts(en)))] = "".join(map(str, parts(ja)))
            else:
                templates[en] = Template(en, ja, verbatim)
        self.templates = sorted(templates.values(), key=lambda template: (not template.label, -template.rank))
        self.labels = {en.partition(": ")[0] for en in templates if ": {" in en}
        self.best = functools.lru_cache(maxsize=4096)(self._best)

    def translate(self, text: str) -> str:
        """The text in Japanese as far as the catalogue has it."""
        bare = text.strip()
        if not _LATIN.search(bare):
            return text
        start = text.index(bare)
        return text[:start] + self._translate(bare) + text[start + len(bare) :]

    def _translate(self, text: str) -> str:
        if (exact := self.exact.get(text)) is not None:
            return exact
        return text if self._is_setting(text) else self.best(text)[1]

    def _is_setting(self, text: str) -> bool:
        """Whether a text is a key and its value, which stay as files write them, and no label of a sentence."""
        match = _SETTING.fullmatch(text)
        return match is not None and match[1] not in self.labels

    def _best(self, text: str) -> tuple[int, str]:
        """The reading of a text that leaves the fewest words in English, and how many these are.

        An enumeration is one whatever it names; of equal ones the template that says most goes first, then pieces.
        """
        if members := self._enumerated(text):
            return 0, members
        best = (len(text) + 1, text)
        for template in self.templates:
            if best[0] == 0:
                return best
            if template.rank > len(text) or template.longest not in text:
                continue
            for fields in template.matches(text):
                left, said = self._filled(template, fields)
                if left < best[0] and (left == 0 or template.fits(fields)):
                    best = (left, said)
        pieces = self._cut(text)
        if (left := left_in(pieces)) < best[0]:
            best = (left, pieces)
        return best

    def known(self, text: str) -> str | None:
        """The text if it is a sentence or the like of the catalogue; None if it is not."""
        if (exact := self.exact.get(text)) is not None:
            return exact
        left, said = self.best(text)
        return said if left == 0 and said != text else None

    def _filled(self, template: Template, found: tuple[str, ...]) -> tuple[int, str]:
        numbers = [part for part in template.english if isinstance(part, int)]
        fields = {
            number: field if number in template.quoted else self.translate(field)
            for number, field in zip(numbers, found, strict=True)
        }
        said = "".join(part if isinstance(part, str) else fields[part] for part in parts(template.ja))
        own = (field.strip() for number, field in zip(numbers, found, strict=True) if number not in template.quoted)
        left = sum(self.best(field)[0] for field in own if field and field not in self.exact)
        return left + UNBALANCED * sum(not _balanced(field) for field in found), said

    def _enumerated(self, text: str) -> str:
        """``A, B or C`` whose members are known texts or words, which are names and stay; "" if it is no such text."""
        pieces = _ENUMERATED.split(text)
        if len(pieces) < 3:
            return ""
        members = [piece if " " not in piece or self._is_setting(piece) else self.known(piece) for piece in pieces[::2]]
        if any(member is None for member in members):
            return ""
        signs = [_JOINED[sign] for sign in pieces[1::2]]
        return "".join(str(word) for pair in zip(members, [*signs, ""], strict=True) for word in pair)

    def _cut(self, text: str) -> str:
        """The text in pieces, each of which may be known; the longest that begins the text goes first."""
        cuts = [(match.start(), match.end(), match[1] is not None) for match in _BOUNDARY.finditer(text)]
        if not cuts:
            return text
        for start, end, sentence in reversed(cuts):
            if (head := self.known(text[:start])) is not None:
                between = "" if sentence and head.endswith("。") else text[start:end]
                return head + between + self.translate(text[end:])
        _, end, _ = cuts[0]
        return text[:end] + self.translate(text[end:])


def _balanced(text: str) -> bool:
    depth = 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return False
    return depth == 0


def left_in(text: str) -> int:
    """Words in English that a text has outside of quotation marks; names with a sign or digit in them are none."""
    return len(_ENGLISH.findall(_QUOTED.sub("", text)))
