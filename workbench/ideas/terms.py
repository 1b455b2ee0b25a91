"""Ideas as terms: words of both languages with one meaning are one term, however they are written.

What words mean stands in ``ideas.yaml``: here for all games, and beside a family's declaration for that family.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml

from workbench import games
from workbench.games.betza import Moves
from workbench.games.prices import PriceList

Kind = Literal["word", "number", "size", "ordinal"]

_COUNT = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_NUMBERS = {word: str(number) for number, word in enumerate(_COUNT)} | {
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100", "twice": "2", "double": "2",
}  # fmt: skip
_ORDINALS = {"third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "seventh": "7", "eighth": "8", "tenth": "10"}
_KANJI = {sign: number for number, sign in enumerate("〇一二三四五六七八九")}
_TENS = {"十": 10, "百": 100}
_COUNTERS = "個|枚|回|手|つ|段|列|行|路|マス|目|番|倍|度|筋|本"
_COUNTED = re.compile(
    rf"[〇一二三四五六七八九十百]+(?=\s*(?:{_COUNTERS}|点|連|[x×*]|かける|掛け))|(?<=[x×*けるず])[〇一二三四五六七八九十百]+"
)
_TIMES = r"\s*(?:[x×*✕]|-?by-?|かける|掛ける|掛け)\s*"
_SIZES = re.compile(rf"\b({'|'.join(_COUNT)})[ -]by[ -]({'|'.join(_COUNT)})\b")
_PART = re.compile(
    rf"(?P<size>(?P<wide>\d+){_TIMES}(?P<high>\d+)|(?P<ways>\d+)(?:路|マス四方))(?:マス)?"
    rf"|(?P<ordinal>(?P<place>\d+)(?:st|nd|rd|th|(?:{_COUNTERS})目))"
    rf"|(?P<half>\d+)目半|(?P<number>(?<![\w])-?\d+(?:\.\d+)?|\d+)(?P<unit>{_COUNTERS})?"
    r"|(?P<latin>[a-zà-ÿ]+)|(?P<japanese>[々\u3040-\u30ff\u3400-\u9fff★☆○●]+)"
)
_GAMES = (
    "本?将棋|囲?碁|チェス|オセロ|リバーシ|連珠|五目並べ|5目並べ|チェッカー|ドラフツ|国際ルール|国際式|go|chess|shogi|othello|reversi|gomoku|renju|"
    "checkers|draughts|other games"
)
_COMPARISON = re.compile(
    rf"(?:{_GAMES})(?:のルール|の盤)?(?:のように|みたいに|と同じように|と同様に|風に|に倣って|にならって)、?"
    rf"|,?\s*\b(?:as|like) in (?:{_GAMES})\b|,?\s*\blike (?:{_GAMES})$|^like (?:{_GAMES}),"
)
_INSTEAD_OF = re.compile(
    rf"\d+(?:{_COUNTERS})?から(?=\s*\d)|\bfrom \w+ (?=to \w+)|\binstead of (?:{'|'.join(_COUNT)}|\d+)\b"
)
_REASONS = (
    re.compile(r"[^。、]*(?:ので|ために|(?:だ|[いるた])から、|[のるいな]ため、)、?"),
    re.compile(r"[。、][^。、]*(?:から|ので|ため)(?:だ|です)?。?$"),
    re.compile(r"^(?:because|since|as)\b[^,]*,\s*"),
    re.compile(r"^[^,;]*[,;.] (?:so(?! that)|therefore|hence|thus)\b,?\s*(?:let )?"),
    re.compile(r"[,;]?\s*\b(?:because|since|so that|in order to|so as to)\b.*$"),
    re.compile(
        r"(?:ようにして|[るす]ことで|[てで])、?(?:もっと|より|少し)?(?:ゲーム|対局|先手と後手|先後|勝負)?[をが]?"
        r"(?:公平|平等|互角|五分|対等)[^。、]*。?$"
    ),
    re.compile(r"[,;]?\s*\bto (?:make (?:the game|it fair)|shorten|speed up|reduce|avoid|prevent)\b.*$"),
)
"""What gives a reason: a clause before the idea, or behind it."""
_SUBJECT = re.compile(
    r"^(?:(?:because|since|as) )?(?:the |a )?(?P<subject>[^\W\d_]+(?: [a-z]+)??)"
    r"(?=が|は|も| (?:is|are|has|have|seems?|takes?|wins?)\b)"
)
_PRONOUN = re.compile(r"\b(?:it|they|them)\b")
_SMALL = str.maketrans("ぁぃぅぇぉゃゅょゎゔ", "あいうえおやゆよわぶ", "ーっ")
_PARTICLE = "(?:は|を|に|で|と|も|の|が(?![るりらろれっ]))"
_WORD = re.compile(
    rf"[A-Za-zÀ-ÿ'’-]+|[\d一二三四五六七八九十百]+(?:{_COUNTERS})"
    rf"|[々\u30a0-\u30ff\u3400-\u9fff★☆○●]+(?:(?!{_PARTICLE})[\u3040-\u309f]+?(?={_PARTICLE}?(?:[^\u3040-\u309f]|$)))?"
    rf"|(?<=[はをにでともがの])[\u3040-\u309f]+|[\u3040-\u309f]{{4,}}|[^\W\u3040-\u9fffA-Za-z]+"
)
"""A word as it is written, in Japanese with its ending and without a particle behind it."""
_LONGEST = 12
"""Letters of the longest Japanese word that is looked for."""


@dataclass(frozen=True)
class Token:
    """A word of a text, or a number."""

    term: str
    """What it means; of a number the number itself."""
    text: str
    """As it is written."""
    kind: Kind = "word"
    known: bool = True
    """Whether somebody has said what it means."""


@dataclass(frozen=True)
class Meanings:
    """What words mean in a family, and the family's own file of ideas."""

    english: Mapping[str, Mapping[tuple[str, ...], str]]
    """By the first stem, words of one stem or several, longest first, with what they mean; "" for nothing."""
    japanese: Mapping[str, str]
    own: Mapping[str, Any]
    general: Mapping[str, Any]

    def tokens(self, text: str) -> list[Token]:
        """The words of a text that say something."""
        return [token for token in self._tokens(plain(text)) if token.term]

    def terms(self, text: str) -> frozenset[str]:
        """The same without their order, and without single letters that nobody has heard of."""
        return frozenset(token.term for token in self.tokens(text) if token.known or len(token.text) > 1)

    def term(self, word: str) -> str:
        """What one word or name means."""
        return next(iter(token.term for token in self.tokens(word)), "")

    def _tokens(self, text: str) -> Iterator[Token]:
        parts = list(_PART.finditer(text))
        at = 0
        while at < len(parts):
            part = parts[at]
            if part["latin"]:
                stems = [stem(one["latin"]) for one in _latin_run(parts, at)]
                length, term = self._longest(stems)
                written = text[part.start() : parts[at + length - 1].end()]
                if term is None:
                    term = stems[0]
                    if number := _NUMBERS.get(part["latin"]):
                        yield Token(number, written, "number")
                    elif place := _ORDINALS.get(part["latin"]):
                        yield Token(f"{place}th", written, "ordinal")
                    else:
                        yield Token(term, written, known=False)
                else:
                    yield Token(term, written)
                at += length
                continue
            if part["size"]:
                wide, high = (int(part[one] or part["ways"]) for one in ("wide", "high"))
                yield Token(f"{wide}x{high}", part[0], "size")
            elif part["ordinal"]:
                places = {"1": self.term("first"), "2": self.term("second")}
                yield Token(places.get(part["place"], f"{part['place']}th"), part[0], "ordinal")
            elif part["japanese"]:
                yield from self._japanese_tokens(part[0])
            else:
                number = f"{part['half']}.5" if part["half"] else part["number"]
                number = number if number.startswith("00") else f"{float(number):g}"
                yield Token(number, part[0], "number")
                if unit := self.japanese.get(kana(part["unit"] or "")):
                    yield Token(unit, part["unit"])
            at += 1

    def _longest(self, stems: Sequence[str]) -> tuple[int, str | None]:
        for words, term in self.english.get(stems[0], {}).items():
            if tuple(stems[: len(words)]) == words:
                return len(words), term
        return 1, None

    def _japanese_tokens(self, run: str) -> Iterator[Token]:
        start, end = 0, 0
        """Letters that mean nothing yet."""
        while end < len(run):
            length, term = self._japanese_word(run, end)
            if not length:
                end += 1
                continue
            yield from _unknown(run[start:end])
            yield Token(term, run[end : end + length])
            start = end = end + length
        yield from _unknown(run[start:])

    def _japanese_word(self, run: str, at: int) -> tuple[int, str]:
        for length in range(min(_LONGEST, len(run) - at), 0, -1):
            word = run[at : at + length]
            term = self.japanese.get(kana(word))
            if term is not None and self._is_word(run, at, at + length):
                return length, term
        return 0, ""

    def _is_word(self, run: str, start: int, end: int) -> bool:
        """Whether a part of a run is no cut out of a longer word in katakana that says something else."""
        first, last = start, end
        while first and _katakana(run[start]) and _katakana(run[first - 1]):
            first -= 1
        while last < len(run) and _katakana(run[end - 1]) and _katakana(run[last]):
            last += 1
        return self._splits(run[first:start]) and self._splits(run[end:last])

    def _splits(self, word: str) -> bool:
        """Whether a word consists of words with a meaning."""
        return not word or any(
            kana(word[:end]) in self.japanese and self._splits(word[end:]) for end in range(len(word), 0, -1)
        )


def plain(text: str) -> str:
    """A text with its letters in one width, small, with digits where it writes numbers in kanji."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    text = re.sub(r"n't\b", " not", text.replace("can't", "cannot")).replace("'s ", " ").replace("・", " ")
    text = _SIZES.sub(lambda match: f"{_NUMBERS[match[1]]}x{_NUMBERS[match[2]]}", text)
    return _COUNTED.sub(lambda match: str(_from_kanji(match[0])), text)


def without_reasons(text: str) -> str:
    """A plain text without its reasons and comparisons with other games, unless it says nothing besides.

    >>> without_reasons("rooks are too strong, so they move one square"), without_reasons("囲碁のように盤を9路に")
    ('rooks move one square', '盤を9路に')
    """
    for pattern in (_INSTEAD_OF, _COMPARISON, *_REASONS):
        match = pattern.search(text)
        rest = f"{text[: match.start()]}{text[match.end() :]}".strip() if match else ""
        if match and re.search(r"\w", rest):
            subject = _SUBJECT.search(match[0])
            if subject and not re.search(r"[^\W\d]{2}", _PRONOUN.sub("", rest).replace("make", "")):
                rest = f"{subject['subject']} {_PRONOUN.sub('', rest)}"
            text = _PRONOUN.sub(subject["subject"], rest) if subject else rest
    return text


def whole_words(text: str, parts: Iterable[str]) -> tuple[str, ...]:
    """The words of a text as it is written in which parts of them stand, the parts being plain.

    >>> whole_words("王を取ったら勝ち", ["王", "取っ"])
    ('王', '取ったら')
    """
    written = {word: plain(word) for word in _WORD.findall(text)}
    found = []
    for part in parts:
        same = [word for word, simple in written.items() if simple == part]
        core = re.sub(f"{_PARTICLE}$", "", part) or part
        around = [word for word, simple in written.items() if core in simple and not part.isascii()]
        found.append(next(iter(same + around), part))
    return tuple(dict.fromkeys(found))


def _from_kanji(written: str) -> int:
    """The number that kanji write: 四十二 is 42."""
    whole, digit = 0, 0
    for sign in written:
        if sign in _TENS:
            whole, digit = whole + max(1, digit) * _TENS[sign], 0
        else:
            digit = 10 * digit + _KANJI[sign]
    return whole + digit


def kana(text: str) -> str:
    """Japanese by its sound, as far as kana say it: hiragana without small and long ones."""
    hiragana = "".join(chr(ord(sign) - 0x60) if "ァ" <= sign <= "ヴ" else sign for sign in text)
    return hiragana.translate(_SMALL)


def bigrams(text: str) -> set[str]:
    """Pairs of neighbouring letters of a Japanese word; of one letter that letter."""
    text = kana(text)
    return {text[i : i + 2] for i in range(len(text) - 1)} or {text}


def stem(word: str) -> str:
    """What drop, drops, dropped and dropping share.

    >>> {stem(word) for word in ("capture", "captures", "captured", "capturing")}
    {'captur'}
    """
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def _latin_run(parts: Sequence[re.Match[str]], at: int) -> Iterator[re.Match[str]]:
    """A word and those behind it with nothing but blanks and hyphens between."""
    yield parts[at]
    for before, part in zip(parts[at:], parts[at + 1 :], strict=False):
        between = part.string[before.end() : part.start()]
        if not part["latin"] or between.strip(" -'") or len(between) > 2:
            return
        yield part


def _katakana(sign: str) -> bool:
    return "ァ" <= sign <= "ヺ" or sign == "ー"


def _unknown(run: str) -> Iterator[Token]:
    """What is left of Japanese between known words: words in kanji and katakana; hiragana are mostly endings."""
    for match in re.finditer(r"[\u30a0-\u30ff]+|[々\u3400-\u9fff★☆○●]+|[\u3040-\u309f]{4,}", run):
        yield Token(kana(match[0]), match[0], known=False)


@cache
def meanings(family: str, turned: bool = False) -> Meanings:
    """What words mean in a family."""
    general = _load(Path(__file__).with_name("ideas.yaml"))
    path = games.folder(family) / "ideas.yaml"
    own = _load(path) if path.is_file() else {}
    english: dict[tuple[str, ...], str] = {}
    japanese: dict[str, str] = {}

    def mean(word: object, term: str) -> None:
        word = plain(str(word))
        if re.search(r"[a-z]", word):
            english.setdefault(tuple(stem(one) for one in re.findall(r"[a-zà-ÿ]+", word)), term)
        else:
            japanese.setdefault(kana(word), term)

    seats = own.get("seats", [[], []])[:: -1 if turned else 1]
    for number, (seat, names) in enumerate(
        zip((("先手", "first player"), ("後手", "second player")), seats, strict=True)
    ):
        for word in (*seat, *names):
            mean(word, f"seat {number}")
    for toggle in games.declaration(family).toggles:
        for unit in toggle.units if isinstance(toggle, PriceList) else ():
            mean(unit.name, unit.name)
    for first, *rest in own.get("words", []):
        for word in (first, *rest):
            mean(word, plain(str(first)))
    for region, words in general["regions"].items():
        for word in words:
            mean(word, f"region {region}")
    for first, *rest in general["words"]:
        for word in (first, *rest):
            mean(word, plain(str(first)))
    if any(isinstance(toggle, Moves) for toggle in games.declaration(family).toggles):
        for words in general["movers"].values():
            for word in words:
                mean(word, plain(str(words[0])))
    for word in general["chatter"]:
        mean(word, "")
    grouped: dict[str, dict[tuple[str, ...], str]] = {}
    for words, term in sorted(english.items(), key=lambda pair: -len(pair[0])):
        grouped.setdefault(words[0], {})[words] = term
    return Meanings(grouped, japanese, own, general)


def _load(path: Path) -> dict[str, Any]:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content
