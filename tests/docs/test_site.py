"""The site that `tox -e docs` has built: what its search finds, its navigation, its API.

SITE names its folder; without it there is nothing to look at.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import DOCS

QUESTIONS = [
    # A question as a newcomer types it, and the pages that answer it.
    ("where is retain_grad done", {"questions"}),
    ("where is retain_grad implemented", {"questions"}),
    ("retain gradient of a non-leaf", {"questions"}),
    ("retain_grad", {"questions", "where-is"}),
    ("what does this flag mean", {"questions"}),
    ("what is WATCHED", {"glossary", "questions"}),
    ("TENSOR_FORMULAS", {"glossary"}),
    ("what does PENDING_RETYPES mean", {"glossary"}),
    ("SHAPES_CHANGED", {"glossary", "questions"}),
    ("ANY_HOOKS flag", {"glossary", "questions"}),
    ("how do I add a binary operator", {"questions"}),
    ("binary operator", {"add-an-operator", "questions"}),
    ("add a new operator", {"add-an-operator", "questions"}),
    ("implement elementwise operator", {"questions"}),
    ("how do I forbid out= to overlap", {"questions"}),
    ("prevent out= overlap", {"questions"}),
    ("out must not share memory with an input", {"questions"}),
    ("out overlap", {"questions", "where-is"}),
    ("softmax backward wrong", {"questions", "debugging"}),
    ("incorrect gradient of softmax", {"questions", "debugging"}),
    ("the backward of softmax is wrong where do I start", {"questions"}),
]
CORE = DOCS.parent / "minitorch" / "core"
MOST_READ = 5  # results that a person looks at


@pytest.fixture(scope="module")
def site() -> Path:
    """The folder of the site."""
    if not os.environ.get("SITE"):
        pytest.skip("no site was built: tox -e docs builds one, and sets SITE")
    return Path(os.environ["SITE"])


@pytest.fixture(scope="module")
def index(site: Path) -> dict[str, Any]:
    """The index that the site's search looks into."""
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))


def found(index: dict[str, Any], query: str) -> list[str]:
    """The pages that a search finds, the best first, as Sphinx's searchtools.js finds them.

    Titles of pages and of sections that hold the query count 15, a word in a title 15, a word in
    the text 5, parts of words 7 and 2. A page must have all words of more than two letters.
    """
    english = pytest.importorskip("sphinx.search.en").SearchEnglish({})
    words = [word for word in re.split(r"[^\w]+", query) if word]
    terms = {english.stem(word.lower()) for word in words if english.word_filter(word)}
    scores: dict[int, float] = {}
    for title, places in index["alltitles"].items():
        if query.lower().strip() in title.lower() and len(query) >= len(title) / 2:
            for page, _ in places:
                scores[page] = scores.get(page, 0) + 15
    having: dict[int, set[str]] = {}
    for term in terms:
        for table, whole, part in (("terms", 5, 2), ("titleterms", 15, 7)):
            for word, pages in index[table].items():
                if word == term or (len(term) > 2 and term in word):
                    score = whole if word == term else part
                    for page in [pages] if isinstance(pages, int) else pages:
                        having.setdefault(page, set()).add(term)
                        scores[page] = max(scores.get(page, 0), score)
    needed = {term for term in terms if len(term) > 2}
    best = sorted(scores, key=lambda page: (-scores[page], index["docnames"][page]))
    titled = {
        page
        for title, places in index["alltitles"].items()
        if query.lower() in title.lower()
        for page, _ in places
    }
    names = index["docnames"]
    return [names[page] for page in best if page in titled or needed <= having.get(page, set())]


# Words that the search leaves out, among those of the questions.
LEFT_OUT = frozenset("a an do does how i in is of start the this to what where which with".split())


@pytest.mark.parametrize(("query", "pages"), QUESTIONS)
def test_a_page_has_all_words_of_the_question_that_it_answers(query, pages):
    # Without a site: a page that lacks one is not found, however well it answers.
    words = [word for word in re.split(r"[^\w]+", query.lower()) if len(word) > 2]
    stems = [re.sub(r"(ed|s)$", "", word) for word in words if word not in LEFT_OUT]
    texts = {page: (DOCS / f"{page}.md").read_text(encoding="utf-8").lower() for page in pages}
    assert [page for page, text in texts.items() if all(stem in text for stem in stems)]


@pytest.mark.parametrize(("query", "pages"), QUESTIONS)
def test_a_newcomers_question_finds_a_page_that_answers_it(index, query, pages):
    results = [name for name in found(index, query) if not name.startswith("api/")]
    assert pages & set(results[:MOST_READ]), results


def test_the_glossary_explains_each_flag_of_the_process():
    latch = re.compile(r"^([A-Z_]+) = (?:Latch|IntegerHistories)\(\)$", re.MULTILINE)
    modes = CORE / "base" / "modes.py"
    flags = re.findall(r"^([A-Z_]+): list\[", modes.read_text(encoding="utf-8"), re.MULTILINE)
    for path in CORE.rglob("*.py"):
        flags += latch.findall(path.read_text(encoding="utf-8"))
    explained = (DOCS / "glossary.md").read_text(encoding="utf-8")
    assert "ANY_HOOKS" in flags
    assert [flag for flag in flags if not re.search(rf"\b{flag}\b", explained)] == []


def test_a_word_that_no_page_has_finds_nothing(index):
    assert found(index, "xylophone") == []


def test_every_page_is_in_the_index_of_the_search(index):
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}
    assert set(index["docnames"]) == pages


def test_every_page_is_in_the_navigation_once(site, index):
    text = (site / "index.html").read_text(encoding="utf-8")
    tree = text[text.index('class="sidebar-tree"') : text.index("</aside>")]
    linked = re.findall(r'class="reference internal" href="([\w./-]+)\.html"', tree)
    assert sorted(linked) == sorted(set(index["docnames"]) - {"index"})


@pytest.mark.parametrize(
    ("page", "name"),
    [
        ("api/functions", "torch.mul"),
        ("api/functions", "torch.matmul"),
        ("api/tensor", "torch.Tensor.backward"),
        ("api/nn", "torch.nn.Linear"),
        ("api/optim", "torch.optim.Adam"),
        ("api/study", "minitorch.study.explain"),
    ],
)
def test_the_api_has_an_entry_for_a_public_name(site, index, page, name):
    assert f'id="{name}"' in (site / f"{page}.html").read_text(encoding="utf-8")
    owner, _, last = name.rpartition(".")
    assert last in json.dumps(index["objects"][owner])
