"""Rulesets of chess from variants.ini of Fairy-Stockfish: what goes out comes back, and the moves are pyffish's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests import few
from tests.command_line import call, refused
from tests.games.chess.test_fairy import agree
from workbench.addons.engines.import_rules import BEYOND, read_sections
from workbench.base.errors import InputError, Problem
from workbench.games.chess import uci
from workbench.games.chess.rules import DECLARATION
from workbench.games.chess.uci import sections
from workbench.games.declaration import Setting
from workbench.games.uci_variants import UciVariant, uci_variant
from workbench.rules import rulebook, rulesets
from workbench.rules.rulesets import Ruleset

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("in_the_checkout")]

CHESS = [name for name in rulesets.ruleset_names() if name.startswith("chess/")]
SAID = """3check 5check almost amazon antichess armageddon atomic berolina breakthrough chaturanga chess chigorin
clobber codrus crazyhouse extinction fairy fischerandom fox-and-hounds gardner giveaway hoppelpoppel horde kinglet
kingofthehill knightmate loop losalamos newzealand nightrider nocastle normal pawnback pawnsideways raazuvaa racingkings
shatranj sortofalmost threekings torpedo"""
"""What Fairy-Stockfish knows by name, and rulesets of chess can say."""
SECTIONS = {
    "3check-crazyhouse": "[{}:crazyhouse]\ncheckCounting = true\n"
    "startFen = rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 3+3 0 1\n",
    "coffeehouse": "[{}:crazyhouse]\nmustCapture = true\n",
    "anti-losalamos": "[{}:losalamos]\nking = -\ncommoner = k\npromotionPieceTypes = nrqk\nmustCapture = true\n"
    "stalemateValue = win\nextinctionValue = win\nextinctionPieceTypes = *\n",
    "centaurking": "[{}:chess]\nking = k:KN\n",
    "peasant": "[{}:chess]\nstartFen = 1nn1k1n1/4p3/8/8/8/8/PPPPPPPP/4K3 w - - 0 1\n",
    "semitorpedo": "[{}:chess]\ndoubleStepRegionWhite = *2 *3\ndoubleStepRegionBlack = *7 *6\n",
    "ordamirror": "[{}:chess]\ncentaur = h\nknibis = a\nkniroo = l\ncustomPiece1 = f:mQcN\npromotionPieceTypes = lhaf\n"
    "startFen = lhafkahl/8/pppppppp/8/8/PPPPPPPP/8/LHAFKAHL w - - 0 1\nflagPiece = k\nflagRegionWhite = *8\n"
    "flagRegionBlack = *1\n",
    "breakthrough6": "[{}:breakthrough]\nmaxFile = 6\nmaxRank = 6\nflagRegionWhite = *6\nflagRegionBlack = *1\n"
    "startFen = pppppp/pppppp/6/6/PPPPPP/PPPPPP w - - 0 1\n",
    "advancedpawn": "[{}:chess]\ndoubleStep = false\n"
    "startFen = rnbqkbnr/8/pppppppp/8/8/PPPPPPPP/8/RNBQKBNR w KQkq - 0 1\n",
    "shogi-knights": "[{}:chess]\nshogiKnight = s\n"
    "startFen = rsbqkbsr/pppppppp/8/8/8/8/PPPPPPPP/RSBQKBSR w KQkq - 0 1\n"
    "promotionPieceTypes = sbrq\nnFoldRule = 0\nwhiteFlag = d4\nblackFlag = d5\nflagPiece = s\n",
}
"""Sections of users, most of them after those of variants.ini, with {} for their name."""
PLAYED = {name: f"[{{}}:{name}]\n" for name in SAID.split()} | SECTIONS
QUICK = {"chigorin", "clobber", "ordamirror"}


def imported(text: str, folder: Path) -> Ruleset:
    path = folder / "variants.ini"
    path.write_text(text, "utf-8")
    found, problems = read_sections(path)
    assert not problems, [str(problem) for problem in problems]
    return next(reversed(found.values())).ruleset


def returned(settings: dict[str, Setting], folder: Path) -> Ruleset | None:
    """What comes back of settings; None if Fairy-Stockfish cannot be told them."""
    told = uci_variant("chess", settings)
    return imported(told.section, folder) if isinstance(told, UciVariant) else None


@pytest.mark.parametrize("name", few.one_in(5, CHESS))
def test_what_fairy_stockfish_is_told_of_a_ruleset_comes_back(name: str, tmp_path: Path) -> None:
    ruleset = rulesets.load_ruleset(name)
    back = returned(dict(ruleset.settings), tmp_path)
    assert back is None or back.fingerprint == ruleset.fingerprint


def test_most_rulesets_come_back(tmp_path: Path) -> None:
    told = [
        name for name in CHESS if isinstance(uci_variant("chess", rulesets.load_ruleset(name).settings), UciVariant)
    ]
    assert len(told) >= 24


@pytest.mark.parametrize("witness", few.one_in(5, rulebook.family_witnesses("chess")), ids=str)
def test_every_value_that_can_be_told_comes_back(witness: rulebook.Witness, tmp_path: Path) -> None:
    settings = {**DECLARATION.defaults(), **witness.base, witness.toggle: witness.value}
    if str(witness) == "pawn_double_step=first-and-second":
        # Alone it says nothing: no pawn begins there.
        settings |= rulesets.load_ruleset("chess/horde").own
    back = returned(settings, tmp_path)
    if back is not None:
        # Fairy-Stockfish is not told whether too few pieces are a draw, where they may be.
        settings["insufficient_material"] = back.settings["insufficient_material"]
        contents = rulesets.kernel_codes("chess", settings)
        assert back.codes() == contents, str(witness)


def letters_there(section: str) -> tuple[dict[str, str], dict[str, str]]:
    """For each colour: a letter of Fairy-Stockfish -> the one that stands for it here."""
    read = next(sections(section))
    variant = uci.built_in()[read.base].extended(read)
    letters = uci.assign_letters(variant)
    white, black = ({variant.pieces[kind][0]: own for kind, own in each.items()} for each in letters)
    return white, black


def here(move: str, letters: dict[str, str]) -> str:
    if "@" in move:
        return f"{letters[move[0].lower()].upper()}{move[1:]}"
    return move[:4] + (letters[move[4]] if len(move) > 4 else "")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in PLAYED]
)
def test_pyffish_plays_a_section_the_same(name: str, tmp_path: Path) -> None:
    pyffish: Any = pytest.importorskip("pyffish")
    own = f"imported-{name}"
    section = PLAYED[name].format(own)
    pyffish.load_variant_config(section)
    letters, ruleset, seed = letters_there(section), imported(section, tmp_path), 0
    start, settings = pyffish.start_fen(own), dict(ruleset.settings)
    positions = 150 if name in QUICK else 1000
    while positions > 0:
        positions -= agree(own, start, settings, seed, ours=lambda move, colour: here(move, letters[colour]))[0]
        seed += 1


def test_the_names_are_those_of_pyffish() -> None:
    pytest.importorskip("pyffish")
    # In a process of its own, to which no test has told variants.
    names = subprocess.check_output([sys.executable, "-c", "import pyffish; print(*pyffish.variants())"], text=True)
    assert {name for name in uci.built_in() if name} | {*BEYOND.split()} >= {*names.split()}


WRONG = {
    "[a:ches]\n": (1, "chess/a", "ches", "did you mean 'chess'?"),
    "[a:b]\n[b:a]\n": (1, "a", "'b'", "on line 2"),
    "[a:a]\n": (1, "a", "'a'", "on line 1"),
    "[a:chess]\n[a:chess]\n": (2, "a", "found 'a' again", ""),
    "[a:shogi]\n": (1, "a", "can be based on 'shogi'", ""),
    "[a:chess]\n\nqueeen = q\n": (3, "a.queeen", "a Fairy-Stockfish key", "did you mean 'queen'?"),
    "[a:chess]\ncustomPiece1 = a:X5\n": (2, "a.customPiece1", "Betza notation", "X5"),
    "[a:chess]\ncustomPiece1 = a\n": (2, "a.customPiece1", "with moves such as a:NC", ""),
    "[a:chess]\ncastling = no\n": (2, "a.castling", "true or false", "'no'"),
    "[a:chess]\nstalemateValue = lost\n": (2, "a.stalemateValue", "win, loss, draw or none", "'lost'"),
    "[a:chess]\nnMoveRule = many\n": (2, "a.nMoveRule", "a number", "'many'"),
    "[a:chess]\nflagRegion = d9x\n": (2, "a.flagRegion", "squares such as d4", "'d9x'"),
    "[a:chess]\npromotionPieceTypes = qz\n": (2, "a.promotionPieceTypes", "piece letters", "'z'"),
    "[a:chess]\ncustomPiece1 = q:gQ\n": (2, "a.customPiece1", "q:gQ", "a hop over a piece"),
    "[a:chess]\nchecking = true\npass = true\n": (3, "a.pass", "true", ""),
    "[b:shatar]\nshatarMateRule = false\n": (1, "b.extinctionValue", "inherited from 'shatar'", ""),
    "[a:chess]\nstartFen = 8/8/8/8/8/8/8/RNBQKBNR w - - 0 1\n": (1, "a", "pieces of both colours", ""),
    "[a:chess]\ncastling: false\n": (2, "a", "expected a section such as [name:chess], or key = value", ""),
    "[singlestep]\ndoubleStep = false\n": (1, "singlestep.startFen", "bknpqr", "write [singlestep:chess]"),
    "[a:chess]\nstartFen = 3zk3/8/8/8/8/8/8/3QK3 w - - 0 1\n": (2, "a.startFen", "position has pieces", "name: z"),
    "[a:chess]\nstartFen = rnbqkbnr/pppppppp/PPPPPPPP/RNBQKBNR w - - 0 1\n": (2, "a.startFen", "ranks", "found 4"),
    "[a:chess]\nstartFen = 4k2/8/8/8/8/8/8/4K3 w - - 0 1\n": (2, "a.startFen", "squares in each rank", "in rank 7"),
    "[a:chess]\nstartFen =\n[b:a]\nstartFen = 8/8 w\n": (4, "b.startFen", "5 to 8 ranks", "found 2"),
}


@pytest.mark.parametrize("text", WRONG, ids=lambda text: text.replace("\n", " "))
def test_what_cannot_be_read_or_said_is_named_by_line_and_key(text: str, tmp_path: Path) -> None:
    line, key, *words = WRONG[text]
    path = tmp_path / "variants.ini"
    path.write_text(text)
    problems = read_sections(path)[1]
    said = next((problem for problem in problems if problem.line == line), None)
    assert said is not None, [str(problem) for problem in problems]
    assert said.key is not None and said.key.removeprefix("chess/") == key.removeprefix("chess/")
    assert all(word in str(said) for word in words), said
    assert said.told("ja") != str(said) and any("\u3041" <= sign <= "\u30ff" for sign in said.told("ja"))


@pytest.mark.parametrize(
    ("text", "line"), [("", None), ("no section\n", 1), ("[a:chess\ncastling = false\n", 1), ("castling = true\n", 1)]
)
def test_what_is_no_file_of_sections_is_refused(text: str, line: int | None, tmp_path: Path) -> None:
    path = tmp_path / "variants.ini"
    path.write_text(text)
    with pytest.raises(InputError, match="expected") as error:
        read_sections(path)
    assert error.value.problems[0].line == line


LINES = """\
stray
[one:chess]
doubleStep = false
[two:chess]
castling: false
stalemateValue = loss
more rubbish
[broken
castling = false
[three:chess]
castling = false
[four:two]
[one:chess]
castling = false
[five:one]
[]
[six: chess] ; comment
nFoldRule = 0
[seven:chess]
= 4
"""


def test_a_line_that_cannot_be_read_refuses_its_section_alone(tmp_path: Path) -> None:
    path = tmp_path / "variants.ini"
    path.write_text(LINES)
    imported, problems = read_sections(path)
    assert {name: dict(each.ruleset.own) for name, each in imported.items()} == {
        "one": {"pawn_double_step": "never"},
        "three": {"castling": "never"},
        "five": {"pawn_double_step": "never"},
        "six": {"repetition": 0},
    }
    assert [(each.line, each.key) for each in problems] == [
        *((1, None), (5, "two"), (7, "two"), (8, None), (12, "four"), (13, "one"), (16, None), (20, "seven"))
    ]
    assert read_sections(path, only=["six"])[1] == []
    with pytest.raises(InputError, match=r"\(known are one, two, three, four, five, six, seven\)"):
        read_sections(path, only=["none of them"])
    # What a section lacks, one that inherits from it may have.
    path.write_text("[b]\ncastling = false\n[two:b]\nking = k\nstartFen = 4k3/8/8/8/8/8/8/4K3 w - - 0 1\n")
    imported, problems = read_sections(path)
    assert list(imported) == ["two"] and [each.key for each in problems] == ["b.startFen"]
    # Fairy-Stockfish keeps what it knows by a name, whatever a section of that name says.
    path.write_bytes(b"[placement]\ncastling = true\n[my:placement]\n[latin\xe9:chess]\n")
    imported, problems = read_sections(path)
    assert dict(imported["my"].ruleset.own) == {"drops": "placement"}
    assert [each.line for each in problems] == [1, 4]


@pytest.mark.parametrize(
    ("section", "own"),
    [
        ("[my:placement]\nstartFen = 8/pppppppp/8/8/8/8/PPPPPPPP/8[QKRRBBNNqkrrbbnn] w\n", {"drops": "placement"}),
        ("[my]\npawn = p\nknight = n\nbishop = b\nrook = r\nqueen = q\nking = k\npromotionPieceTypes = qrbn\n", {}),
    ],
)
def test_what_a_section_inherits_is_read(section: str, own: dict[str, Setting], tmp_path: Path) -> None:
    assert dict(imported(section, tmp_path).own) == own


@pytest.mark.parametrize(("section", "why"), [("[my:chigorin]\n", "knight_moves: N/B"), ("[my:crazyhouse]\n", "")])
def test_what_no_engine_can_be_told_is_said_at_import(section: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "variants.ini"
    path.write_text(section)
    done = call("import-rules", str(path), "--out", str(tmp_path / "rules"))
    assert done.exit_code == 0 and "my.yaml" in done.stdout
    said = f"my: no UCI engine can play this ruleset: UCI cannot express {why}"
    assert " ".join(done.stderr.split()) == (said if why else "")
    done = call("import-rules", str(path), "--out", str(tmp_path / "ja"), "--lang", "ja")
    assert done.stderr.replace("\n", "").endswith(f"：UCIでは{why}を表せない" if why else "")


MIXED = "[tea:crazyhouse]\nmustCapture = true\n[hop:chess]\ncustomPiece1 = q:gQ\n"


def test_the_command_writes_what_can_be_said_and_names_the_rest(tmp_path: Path) -> None:
    path, out = tmp_path / "variants.ini", tmp_path / "rules"
    path.write_text(MIXED)
    result = call("import-rules", str(path), "--out", str(out))
    assert result.exit_code == 2 and "variants.ini:4: hop.customPiece1" in result.stderr
    assert "tea.yaml" in result.stdout and [each.name for each in out.iterdir()] == ["tea.yaml"]
    written = rulesets.load_ruleset(out / "tea.yaml")
    assert written.own == {"drops": "captured", "capture": "obligatory", "insufficient_material": "play-on"}
    assert written.title == "tea: a variant of crazyhouse" and written.title_ja != written.title
    # What is there stays as it is.
    (out / "tea.yaml").write_text("mine")
    assert "the file already exists" in refused("import-rules", str(path), "--out", str(out))
    assert (out / "tea.yaml").read_text() == "mine"
    assert call("import-rules", str(path), "--out", str(out), "--only", "tea", "--replace").exit_code == 0
    assert rulesets.load_ruleset(out / "tea.yaml").fingerprint == written.fingerprint
    assert "did you mean 'tea'?" in refused("import-rules", str(path), "--only", "teas", "--out", str(out))
    assert "no such file" in refused("import-rules", str(tmp_path / "nothing.ini"))


def test_programs_read_variants(tmp_path: Path) -> None:
    path = tmp_path / "variants.ini"
    path.write_text(MIXED)
    with pytest.raises(wb.InputError, match="customPiece1"):
        wb.read_variants(path)
    unsaid: list[Problem] = []
    assert list(wb.read_variants(path, unsaid=unsaid.append)) == ["tea"]
    assert [problem.key for problem in unsaid] == ["hop.customPiece1"]
