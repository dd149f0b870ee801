"""Assembled code reads as code that was written by hand: its lines are folded, and say what for."""

from pathlib import Path

import pytest

import minitorch as torch
from minitorch.core.base.formulas import RAW
from minitorch.core.declare import registry
from minitorch.core.declare.codegen import assemble, folding
from minitorch.core.declare.codegen.folding import all_of, any_of, call, fold, fold_choice, fold_if
from minitorch.core.declare.codegen.node import node_source
from minitorch.core.declare.general import observe
from minitorch.core.declare.registry import BY_KEY, FUNCTIONS, PLACES, ROWS, is_installed, resolved

COLUMNS = 100


@pytest.fixture(scope="module")
def everything():
    """All texts that rows and composite operators are assembled from, by key."""
    registry.load_families()
    for row in list(ROWS.values()):
        if row.node:
            assemble.node_class(row)
        if is_installed(row):
            observe.unwatched(row)
        getattr(RAW, row.key, None)
    for table in (FUNCTIONS, BY_KEY, dict(vars(torch.Tensor))):
        for function in list(table.values()):
            if hasattr(function, "__kwdefaults__"):
                resolved(function)
    return dict(assemble.SOURCES)


def test_no_assembled_line_is_longer_than_the_lines_of_the_house(everything):
    assert len(everything) > 2 * len(ROWS)
    long = {
        key: [line for line in text.splitlines() if len(line) > COLUMNS]
        for key, text in everything.items()
    }
    assert {key: lines for key, lines in long.items() if lines} == {}


def test_functions_that_record_say_where_they_do(everything):
    package = str(Path(torch.__file__).parent)
    for key, row in ROWS.items():
        if key not in everything or not PLACES[key][0].co_filename.startswith(package):
            continue  # other tests declare rows, or load more of them meanwhile
        if row.node and is_installed(row) and row.family != "pointwise":
            text = everything[key]
            comments = [line.strip() for line in text.splitlines() if line.strip()[:1] == "#"]
            assert {"# nothing to record", "# recorded"} <= set(comments), key
            assert len(comments) >= 3, key


def test_what_was_saved_is_taken_up_in_local_variables(everything):
    assert "                other = node.saved_other\n" in node_source(ROWS["mul_Tensor"])
    assert ":=" not in "".join(everything.values())


def test_a_line_that_fits_stays_one():
    assert fold("    ", call("x = f(", ["a", call("g(", ["b"])])) == ["    x = f(a, g(b))"]
    assert fold("", call("return (", ["a"])) == ["return (a,)"]


def test_a_call_is_folded_in_its_brackets():
    short = ["a" * 40, "b" * 40]
    assert fold("  ", call("x = function(", short), ":") == [
        "  x = function(",
        f"      {short[0]}, {short[1]}",
        "  ):",
    ]
    inner = call("inner(", [*short, "c" * 40])
    assert fold("", call("outer(", [*short, inner])) == [
        "outer(",
        *[f"    {each}," for each in short],
        "    inner(",
        *[f"        {each}," for each in [*short, "c" * 40]],
        "    ),",
        ")",
    ]


def test_conditions_join_those_of_their_word_and_keep_others_in_brackets():
    assert all_of(["a"]) == "a"
    condition = any_of(["a", any_of(["b", "c"]), all_of(["d", "e"])])
    assert condition == ("or", "a", "b", "c", ("and", "d", "e"))
    assert fold_if("    ", condition) == ["    if a or b or c or (d and e):"]


def test_a_long_condition_begins_its_lines_with_the_word_that_joins():
    a, b, c = "a" * 50, "b" * 50, "c" * 50
    assert fold_if("", ("or", a, ("and", b, c))) == [
        "if (",
        f"    {a}",
        "    or (",
        f"        {b}",
        f"        and {c}",
        "    )",
        "):",
    ]


def test_a_choice_that_does_not_fit_is_two_statements():
    assert fold_choice("    ", "c", "x", "a", "b") == ["    x = a if c else b"]
    long = "a" * 70
    assert fold_choice("    ", "c", "x", long, "b" * 70) == [
        f"    if c: x = {long}",
        f"    else: x = {'b' * 70}",
    ]


def test_a_function_may_be_set_one_step_in():
    assert folding.WIDTH + len(folding.STEP) == COLUMNS
