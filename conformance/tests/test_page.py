"""The page and the boards: they hold what the ledger holds, and stay readable."""

import io
import json
import re

import pytest
from rich.console import Console

from conformance.cases.case import PROPERTIES
from conformance.cases.snippet import Snippet
from conformance.cases.sources import Unit
from conformance.differ.compare import Grade
from conformance.differ.gaps import Gap
from conformance.differ.texts import parts, texts
from conformance.examine import Example, Found, Shown, Verdict
from conformance.report.as_html import content, page
from conformance.report.board import ROWS, boards, overview
from conformance.report.verdicts import Ledger

NASTY = '</script><b>&amp; it\'s "here" ☃'
ABOUT = {"impl": "other", "units": 3, "profile": "quick", "seed": 0, "wall": 1.0}


def verdict(source, key, grade=Grade.SAME, name="value"):
    case = Snippet("x = 1\n", NASTY)
    found = Found(cases=2, grades={(grade, "")}, example=Example(case, NASTY, NASTY))
    if grade:
        found.differing = 1
        found.differences = [Shown(case, ".x", grade, f"{NASTY} 1", f"{NASTY} 2")]
    return Verdict(Unit(source, key), {name: found})


def ledger():
    verdicts = [
        verdict("opinfo", "add"),
        verdict("opinfo", "mul", Grade.WRONG),
        verdict("operators", "add", Grade.KIND),
    ]
    return Ledger(("value",), [Gap("mul", "value", NASTY, "https://example.org")], verdicts)


def test_the_page_holds_every_unit():
    data = content(ledger(), ABOUT)
    assert [(unit["source"], unit["key"]) for unit in data["units"]] == [
        ("opinfo", "add"),
        ("opinfo", "mul"),
        ("operators", "add"),
    ]
    grades = [unit["found"]["value"]["grade"] for unit in data["units"]]
    assert grades == ["SAME", "GAP", "KIND"]
    assert data["units"][1]["found"]["value"]["gaps"] == [[NASTY, "https://example.org"]]
    (title, path, script, theirs, ours), *_ = data["units"][2]["found"]["value"]["shown"]
    assert (title, path) == (NASTY, ".x")
    assert "x = 1" in data["scripts"][script]
    assert (theirs[1::2], ours[1::2]) == (["1"], ["2"])


def test_the_page_is_one_file_in_which_no_text_ends_an_element():
    source = page(content(ledger(), ABOUT))
    assert source.count("</script>") == 2
    assert not re.search(r"""(?:src|href)=["'](?!data:|\$)""", source)
    assert "/* page." not in source
    (embedded,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', source)
    assert json.loads(embedded) == json.loads(json.dumps(content(ledger(), ABOUT)))


def test_what_differs_is_marked():
    assert parts("a (1, 2)", "a (1, 3)") == (["a (1, ", "2", ")"], ["a (1, ", "3", ")"])
    assert parts("same", "same") == (["same"], ["same"])
    assert parts("a long text", "a long new text") == (
        ["a long ", "", "text"],
        ["a long ", "new ", "text"],
    )
    assert parts("one thing", "another") == (["one thing"], ["another"])


def test_long_texts_are_shown_around_the_first_difference():
    lines = [f"line {number}" for number in range(900)]
    theirs, ours = texts(lines, [*lines[:600], "other", *lines[601:]], 200)
    assert "line 600" in theirs
    assert "other" in ours
    assert theirs.startswith("... line 59")
    assert max(len(theirs), len(ours)) <= 210


def printed(*things, width):
    console = Console(width=width, record=True, file=io.StringIO())
    for thing in things:
        console.print(thing)
    return console.export_text()


@pytest.mark.parametrize("width", [80, 100, 150])
def test_the_overview_fits(width):
    found = {name: Found(1000, grades={(Grade.SAME, "")}) for name in PROPERTIES}
    bad = {name: Found(1000, grades={(Grade.WRONG, "")}) for name in PROPERTIES}
    verdicts = [Verdict(Unit("opinfo", str(n)), bad if n % 9 else found) for n in range(702)]
    text = printed(overview(Ledger(tuple(PROPERTIES), [], verdicts), width), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    assert text.count("78/702") == len(PROPERTIES) + 1


def test_a_long_board_is_cut_and_says_so():
    verdicts = [verdict("opinfo", f"o{number}", Grade.WRONG) for number in range(200)]
    verdicts += [verdict("operators", f"g{number}", Grade.KIND) for number in range(3)]
    ledger = Ledger(("value",), [], verdicts)
    text = printed(*boards(ledger), width=100)
    assert sum("WRONG value" in line or "KIND value" in line for line in text.splitlines()) == ROWS
    assert f"and {203 - ROWS} more of opinfo" in text
    assert "g2" in text
    assert "more of" not in printed(*boards(ledger, everything=True), width=100)
