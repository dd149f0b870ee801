"""The page in a real browser: steps, keys, pictures, themes, sizes, frames."""

import html
from itertools import pairwise

import pytest

from minitorch.study.exercises import Verdict
from tests.study.notebooks import FOLDER

SMALL_PROGRAMS = ["by_hand", "classifier", "transformer", "failing", "scalars", "twice", "penalty"]
PROGRAMS = [*SMALL_PROGRAMS, "recurrent"]
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
TABS = ["step", "tape", "memory", "gradients", "findings"]


def test_arrow_keys_take_steps_and_home_and_end_go_to_the_ends(opened, page_file):
    tab = opened(page_file("by_hand"))
    last = tab.evaluate("steps.length")
    for _ in range(3):
        tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowLeft")
    assert tab.text_content("#count") == f"3 / {last}"
    tab.keyboard.press("End")
    assert tab.text_content("#count") == f"{last} / {last}"
    tab.keyboard.press("Home")
    assert tab.text_content("#count") == f"1 / {last}"


def test_shift_and_an_arrow_key_go_to_another_line(opened, page_file):
    tab = opened(page_file("by_hand"))
    line = "steps[view.step].place.line"
    tab.evaluate("go(steps.findIndex((step) => step.place.line === 11))")
    tab.keyboard.press("Shift+ArrowRight")
    assert tab.evaluate(line) == 12
    tab.keyboard.press("Shift+ArrowLeft")
    assert tab.evaluate(line) == 11
    assert tab.evaluate("steps[view.step - 1].place.line") != 11


def test_keys_open_tabs_theme_graphs_search_and_help(opened, page_file):
    tab = opened(page_file("by_hand"))
    for number, name in enumerate(TABS):
        tab.keyboard.press(str(number + 1))
        assert tab.get_attribute(f"#tab-{name}", "aria-selected") == "true"
    before = tab.evaluate("document.documentElement.dataset.theme")
    tab.keyboard.press("t")
    assert tab.evaluate("document.documentElement.dataset.theme") != before
    tab.keyboard.press("]")
    assert tab.evaluate("steps[view.step].graph") == 1
    tab.keyboard.press("[")
    assert tab.evaluate("steps[view.step].graph") == 0
    tab.keyboard.press("?")
    assert tab.is_visible("#keys")
    tab.keyboard.press("Escape")
    tab.wait_for_selector("#keys", state="hidden")
    tab.keyboard.press("/")
    tab.keyboard.type("relu")
    tab.keyboard.press("Escape")
    tab.wait_for_selector("#search", state="hidden")
    tab.keyboard.press("/")
    tab.keyboard.type("relu")
    tab.keyboard.press("Enter")
    assert tab.evaluate("recording.events[steps[view.step].first].name") == "relu"


def test_space_plays_until_it_is_pressed_again(opened, page_file):
    tab = opened(page_file("by_hand"))
    tab.keyboard.press(" ")
    tab.wait_for_function("view.step >= 2")
    tab.keyboard.press(" ")
    assert tab.evaluate("view.player") is None


def test_a_line_number_goes_to_the_next_step_of_its_line(opened, page_file):
    tab = opened(page_file("by_hand"))
    tab.click(".line:nth-child(12) .gutter")
    assert tab.evaluate("steps[view.step].place.line") == 12


def test_the_mark_lies_on_the_expression_of_the_step(opened, page_file):
    tab = opened(page_file("by_hand"))
    tab.evaluate("goToFirst('op', 'relu')")
    line = tab.locator(".line.now .text")
    assert line.text_content() == "    h = torch.relu(x @ w1 + b1)"
    assert tab.evaluate("markedText()").endswith("(x @ w1 + b1)")
    bounds, mark = line.bounding_box(), tab.locator(".line.now .mark").bounding_box()
    assert bounds["x"] < mark["x"]
    assert mark["x"] + mark["width"] <= bounds["x"] + bounds["width"] + 1


@pytest.mark.parametrize("program", PROGRAMS)
def test_boxes_and_chips_never_overlap(opened, page_file, program):
    tab = opened(page_file(program))
    assert tab.evaluate("overlaps()") == []


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_line_of_a_box_ends_before_its_badge(opened, page_file, program):
    tab = opened(page_file(program))
    assert tab.evaluate("coveredLines()") == []


def test_a_number_is_written_with_fewer_digits_rather_than_cut_off(opened, page_file):
    tab = opened(page_file("by_hand"))
    numbers = "[0.004883, -0.06988, 12345.6, -4.88e-4, 1e30, NaN, 3]"
    assert tab.evaluate(f"{numbers}.map((each) => fittingNumber(each, 6))") == (
        ["0.0049", "−0.07", "12350", "−5e−4", "1e+30", "nan", "3"]
    )


def test_an_update_by_hand_belongs_to_the_graph_before_it(opened, page_file):
    tab = opened(page_file("by_hand"))
    of_line = "steps.filter(({place}) => place && place.line === 17)"
    steps = tab.evaluate(f"{of_line}.map(({{phase, graph}}) => [phase, graph])")
    assert steps == [["update", 0]] * 6 + [["update", 1]] * 6
    tab.evaluate("goToFirst('op', 'item')")
    assert tab.evaluate("[steps[view.step].graph, drawn.item]") == [0, 6]


def test_a_gradient_with_a_history_is_a_chip_of_its_own(opened, page_file):
    tab = opened(page_file("penalty"))
    assert tab.locator(".chip.outside").all_text_contents() == ["slope (3,)"]
    tab.evaluate("goToFirst('node', 'TanhBackwardBackward0')")
    assert tab.text_content(".line.now .text") == (
        "(slope,) = torch.autograd.grad(y, x, create_graph=True)"
    )


@pytest.mark.parametrize("program", SMALL_PROGRAMS)
def test_every_step_shows_in_every_tab(opened, page_file, program):
    tab = opened(page_file(program))
    assert tab.evaluate("spoiledPanes(TABS, allSteps())") == []


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_every_step_of_a_notebook_shows_in_every_tab(opened, notebook_files, notebook):
    for path in notebook_files(notebook):
        tab = opened(path)
        assert tab.evaluate("spoiledPanes(TABS, allSteps())") == []


# A step costs 35 to 55 ms with its graph: of the largest page 60 of 18,609 steps are a sample.
def test_steps_across_ten_thousand_nodes_show_in_every_tab(opened, page_file):
    tab = opened(page_file("recurrent"))
    assert tab.evaluate("spoiledPanes(TABS, stepsAcross(60))") == []


# In the side pane alone, for which nothing is laid out, a step costs 0.2 to 0.7 ms in each tab.
def test_every_step_of_ten_thousand_nodes_shows_in_every_tab(opened, page_file):
    tab = opened(page_file("recurrent"))
    assert tab.evaluate("allSteps().length") > 18_000
    for name in TABS:
        assert tab.evaluate(f"spoiledPanes(['{name}'], allSteps(), goUnseen)") == []


def test_a_value_without_its_numbers_says_so(opened, page_file):
    tab = opened(page_file("recurrent"))
    of_norm = "recording.nodes[recording.events[step.first].node]?.name.startsWith('NativeLayer')"
    tab.evaluate(f"go(steps.findLastIndex((step) => {of_norm}))")
    assert "numbers left out" in tab.text_content("#side")
    assert "no elements" not in tab.text_content("#side")


def test_only_what_is_around_the_step_is_drawn_of_ten_thousand_nodes(opened, page_file):
    tab = opened(page_file("recurrent"))
    assert tab.evaluate("recording.nodes.length") > 10_000
    counts = tab.evaluate(
        "[0, 0.2, 0.5, 0.8, 1].map((part) => {"
        " go(Math.floor(part * (steps.length - 1))); return drawn.boxes.length; })"
    )
    assert max(counts) <= 44
    tab.evaluate("go(Math.floor(0.7 * steps.length))")
    assert "T), round" in tab.text_content("#graph").replace("\xa0", " ")


def test_memory_kept_for_a_backward_is_zero_after_it(opened, page_file):
    tab = opened(page_file("by_hand"))
    kept = tab.evaluate("steps.map((step) => [step.kind, step.phase, memoryAt(step.end).kept])")
    forward = [size for kind, phase, size in kept if phase == "forward"]
    ends = [
        size
        for (kind, phase, size), following in pairwise(kept)
        if phase == "backward" and following[1] != "backward"
    ]
    assert max(forward) > 0
    assert ends == [0, 0]


def test_paths_of_the_chain_rule_add_up_to_the_gradient(opened, page_file):
    tab = opened(page_file("scalars"))
    tab.evaluate("goToFirst('accumulate', 'x')")
    paths = tab.text_content(".paths")
    for sum_of_path in ("1 · 14 · 1 · 3 = 42", "1 · 6 = 6", "1 · 2 · 3 = 6", "sum = 54"):
        assert sum_of_path in paths


def test_a_gradient_added_to_an_old_one_is_explained(opened, page_file):
    tab = opened(page_file("scalars"))
    tab.evaluate("go(steps.findLastIndex((s) => s.kind === 'accumulate'))")
    text = tab.text_content("#side")
    assert "zero_grad()" in text
    assert "66 + 12 = 78" in text


def test_a_cut_and_a_kept_graph_are_marked(opened, page_file):
    tab = opened(page_file("scalars"))
    tab.evaluate("goToFirst('op', 'detach')")
    assert "Cuts the graph: x requires grad" in tab.text_content("#side")
    tab.evaluate("go(steps.findIndex((s) => recording.events[s.first].keep))")
    assert "retain_graph is set" in tab.text_content("#side")


def test_reading_a_number_is_no_cut_in_the_graph(opened, page_file):
    tab = opened(page_file("classifier"))
    tab.evaluate("goToFirst('op', 'item')")
    assert "autograd does not follow it there" in tab.text_content("#side")
    assert tab.locator(".chip.cut").count() == 0


def test_findings_lead_to_their_steps(opened, page_file):
    tab = opened(page_file("scalars"))
    tab.keyboard.press("5")
    assert tab.locator(".finding b").all_text_contents() == ["No gradient"]
    assert "no operator used unused" in tab.text_content(".finding")
    tab.click(".finding")
    assert "unused" in tab.text_content(".line.now")


def test_a_grave_finding_is_marked(opened, page_file):
    tab = opened(page_file("failing"))
    tab.keyboard.press("5")
    assert tab.locator(".finding.bad b").all_text_contents() == ["Error"]


def test_a_checkpoint_of_the_memory_report_leads_to_its_part(opened, page_file):
    tab = opened(page_file("transformer"))
    tab.keyboard.press("3")
    tab.click("#side .link:text-is('each Block')")
    module = tab.evaluate("recording.events[steps[view.step].first].module")
    assert module[-1].endswith("Block") or "Block" in " ".join(module)


def test_an_error_names_the_line_that_wrote_what_was_kept(opened, page_file):
    tab = opened(page_file("failing"))
    tab.keyboard.press("End")
    text = tab.text_content("#side")
    assert "SigmoidBackward0, made in failing.py:6, keeps h" in text
    assert "failing.py:8 wrote it: h[0] = 0" in text


def test_a_second_backward_names_the_first_one(opened, page_file):
    tab = opened(page_file("twice"))
    tab.keyboard.press("End")
    text = tab.text_content("#side")
    assert "The backward of twice.py:19 let go of what the nodes kept" in text


def test_a_function_of_the_reader_is_an_operator_and_its_lines_are_lines(opened, page_file):
    tab = opened(page_file("twice"))
    tab.evaluate("goToFirst('node', 'CubeBackward')")
    assert (
        tab.evaluate("drawn.boxes.map((box) => recording.events[box.item.event].name)")[0] == "Cube"
    )
    assert tab.locator(".chip.cut").count() == 0
    phases = (
        "steps.filter((step) => step.place && step.place.line === 13).map((step) => step.phase)"
    )
    assert set(tab.evaluate(phases)) == {"backward"}


def test_predict_hides_a_gradient_until_it_is_answered(opened, page_file):
    tab = opened(page_file("scalars"))
    tab.keyboard.press("p")
    tab.evaluate("goToFirst('node', 'PowBackward0')")
    assert "14" not in tab.text_content("#side")
    tab.fill(".question input", "7")
    tab.keyboard.press("Enter")
    assert "Not quite" in tab.text_content(".verdict")
    assert "14" in tab.text_content("#side")


def test_predict_takes_a_right_formula(opened, page_file):
    tab = opened(page_file("by_hand"))
    tab.keyboard.press("p")
    tab.evaluate("goToFirst('node', 'MmBackward0')")
    assert tab.locator(".formula").count() == 0
    tab.click(".choice:text-is('G @ w2ᵀ')")
    assert "Right" in tab.text_content(".verdict")
    assert tab.locator(".formula").count() == 2


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("program", ["by_hand", "transformer", "failing", "scalars"])
def test_text_has_a_contrast_of_at_least_4_5(opened, page_file, program, theme):
    tab = opened(page_file(program))
    tab.evaluate(f"setTheme('{theme}')")
    for part in (0, 0.3, 0.6, 1):
        for name in TABS:
            tab.evaluate(f"showTab('{name}'); go(Math.floor({part} * (steps.length - 1)))")
            assert tab.evaluate("paleTexts()") == []


def test_every_control_has_a_name_and_is_reached_by_tab(opened, page_file):
    tab = opened(page_file("by_hand"))
    assert tab.evaluate("namelessControls()") == []
    count = tab.evaluate("numberControls()")
    reached = set()
    for _ in range(count + 60):
        tab.keyboard.press("Tab")
        reached.add(tab.evaluate("document.activeElement.dataset.mark"))
    assert reached - {None} == {str(number) for number in range(count)}


def test_boxes_and_leaves_of_the_graph_work_by_keyboard(opened, page_file):
    tab = opened(page_file("by_hand"))
    tab.evaluate("document.querySelectorAll('.box')[2].focus()")
    tab.keyboard.press("Enter")
    assert tab.evaluate("recording.events[steps[view.step].first].name") == "relu"
    tab.evaluate("document.querySelector('.chip.leaf').focus()")
    tab.keyboard.press("Enter")
    assert tab.evaluate("view.tab") == "gradients"


@pytest.mark.parametrize("size", [(390, 844), (1280, 720)], ids=["phone", "small screen"])
def test_what_the_keyboard_reaches_is_in_sight_and_outlined(opened, page_file, size):
    tab = opened(page_file("by_hand"), *size)
    tab.evaluate("go(20)")
    for _ in range(tab.evaluate("numberControls()") + 14):
        tab.keyboard.press("Tab")
        assert tab.evaluate("hiddenFocus()") is None


def test_the_focus_stays_where_a_key_has_led_to_a_step(opened, page_file):
    tab = opened(page_file("by_hand"))
    tab.keyboard.press("4")
    tab.focus("#side .link")
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "side"
    tab.keyboard.press("2")
    tab.focus(".row.now")
    tab.keyboard.press("ArrowRight")
    assert "now" in tab.evaluate("document.activeElement.className").split()


def test_line_numbers_stay_in_sight_of_long_lines(opened, page_file):
    tab = opened(page_file("transformer"), 1280, 720)
    tab.evaluate("go(steps.findLastIndex(({place}) => place?.expression === 'tokens[:, 1:]'))")
    assert tab.evaluate("byId('code').scrollLeft") > 0
    number = tab.locator(".line.now .gutter").bounding_box()
    assert number["x"] >= tab.locator("#code").bounding_box()["x"]


def test_a_leaf_lights_up_at_each_of_its_uses(opened, page_file):
    tab = opened(page_file("scalars"))
    tab.evaluate("lightLeaf(recording.tensors.findIndex((t) => t.name === 'x'))")
    assert tab.locator(".chip.lit").count() == 2


def test_the_page_works_in_a_sandboxed_frame(browser, page_file, tmp_path):
    inner = html.escape(page_file("by_hand").read_text(encoding="utf-8"), quote=True)
    outer = tmp_path / "outer.html"
    outer.write_text(f'<iframe sandbox="allow-scripts" width="1000" height="700" srcdoc="{inner}">')
    context = browser.new_context(offline=True)
    tab = context.new_page()
    complaints = []
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("console", lambda message: complaints.append(message.text))
    tab.goto(outer.as_uri())
    frame = tab.frame_locator("iframe")
    frame.locator("#next").click()
    frame.locator("#theme").click()
    assert frame.locator("#count").text_content().startswith("2 / ")
    context.close()
    assert complaints == []


@pytest.mark.parametrize("program", ["by_hand", "transformer", "recurrent"])
@pytest.mark.parametrize("size", [(390, 844), (1280, 720)], ids=["phone", "small screen"])
def test_nothing_needs_horizontal_scrolling(opened, page_file, program, size):
    tab = opened(page_file(program), *size)
    for name in TABS:
        tab.evaluate(f"showTab('{name}'); go(Math.floor(steps.length * 0.7))")
        assert tab.evaluate("wideParts()") == []


def test_the_address_leads_to_a_step(opened, page_file):
    tab = opened(page_file("by_hand"))
    tab.evaluate("location.hash = '#step=9'")
    tab.wait_for_function("view.step === 8")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("location.hash") == "#step=10"


def test_the_page_of_a_wrong_answer_opens_at_the_first_wrong_value(opened, tmp_path):
    text = "b.grad is -5.5, and -7 is right."
    program = "a = Value(-3.0, requires_grad=True)\nb = Value(-2.5, requires_grad=True)\n"
    program += "c = a + b\nd = b + 1.0\ne = c * d\ne.backward()"
    Verdict("accumulation", False, text, program, "b").save(tmp_path / "wrong.html")
    tab = opened(tmp_path / "wrong.html")
    assert text in tab.text_content("#side .verdict.wrong")
    assert tab.locator(".chip.marked").all_text_contents() == ["✗ b", "✗ b"]
    assert tab.evaluate("nameOf(recording.events[steps[view.step].first].leaf)") == "b"
    tab.evaluate("setTheme('dark'); go(view.step)")
    assert tab.evaluate("paleTexts()") == []
    tab.keyboard.press("Home")
    assert tab.locator("#side .verdict").count() == 0
    tab.keyboard.press("5")
    tab.click("#side .link")
    assert tab.evaluate("view.step === markedStep()")


def test_the_page_of_a_wrong_answer_marks_the_box_of_an_inner_value(opened, tmp_path):
    program = "a = Value(2.0, requires_grad=True)\nc = a * a\nd = c + a"
    Verdict("value and graph", False, "c.data is 5.", program, "c").save(tmp_path / "wrong.html")
    tab = opened(tmp_path / "wrong.html")
    assert tab.locator(".box.marked .variable").all_text_contents() == ["✗ c"]


def test_an_empty_recording_says_so(opened, tmp_path):
    from minitorch import study

    with study.record(title="empty") as tape:
        pass
    path = tmp_path / "empty.html"
    tape.save(path)
    tab = opened(path)
    assert "No operator was called" in tab.text_content("#side")
    for key in ("ArrowRight", "End", " ", "p", "f", "]", "2"):
        tab.keyboard.press(key)
    assert tab.text_content("#count") == "0 steps"
