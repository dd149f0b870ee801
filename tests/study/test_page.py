"""The page as text: one file, no network, safe against what a program prints or is called."""

import json
import re
from pathlib import Path

import pytest

import minitorch
from minitorch import study
from minitorch.study import page

FILES = sorted(
    each for each in Path(page.__file__).parent.iterdir() if each.suffix in (".html", ".css", ".js")
)


@pytest.fixture(scope="module")
def recording():
    with study.record(title="</script><b>title</b>") as tape:
        w = minitorch.ones(2, requires_grad=True)
        minitorch.relu(w).sum().backward()
        print("</script><script>1</script>")
    return tape


def test_page_names_no_address_but_the_svg_namespace(recording):
    found = set(re.findall(r"https?://[^\s\"'`<)]*", page.html(recording)))
    assert found == {"http://www.w3.org/2000/svg"}


def test_page_allows_nothing_but_itself(recording):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page.html(recording))[1]
    assert policy.startswith("default-src 'none';")
    assert "unsafe-eval" not in policy


def test_page_escapes_what_comes_from_the_program(recording):
    text = page.html(recording)
    assert "<b>title</b>" not in text
    assert text.count("</script>") == text.count("<script") == 5


def test_page_holds_each_of_its_files_as_it_is(recording):
    text = page.html(recording)
    for file in FILES:
        if file.suffix != ".html":
            assert file.read_text(encoding="utf-8").strip() in text, file.name


def test_page_carries_the_rules_of_the_nodes_that_occur(recording):
    rules = re.search(r'id="rules">(.*?)</script>', page.html(recording))[1]
    assert '"ReluBackward0"' in rules
    assert '"MmBackward0"' not in rules


def test_page_has_a_sentence_for_a_function_of_the_reader():
    class Twice(minitorch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad

    with study.record() as tape:
        Twice.apply(minitorch.ones(2, requires_grad=True)).sum().backward()
    rules = json.loads(re.search(r'id="rules">(.*?)</script>', page.html(tape))[1])
    assert "Twice" in rules["TwiceBackward"]["sentence"]
    assert rules["TwiceBackward"]["formulas"] == []


def test_page_is_read_back_as_the_recording(recording, tmp_path):
    page.write(recording, tmp_path / "page.html")
    assert study.load(tmp_path / "page.html").to_json() == recording.to_json()


def test_page_needs_no_javascript_to_say_what_it_is(recording):
    assert "--text" in re.search(r"<noscript>(.*?)</noscript>", page.html(recording), re.S)[1]


def test_page_files_are_short_and_narrow():
    for file in FILES:
        lines = file.read_text(encoding="utf-8").splitlines()
        assert len(lines) < 700, file.name
        if file.suffix == ".js":
            assert max(map(len, lines)) <= 100, file.name
