"""The lines for the next release: files of known kinds, which go into the log of changes."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "changelog.d"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
KINDS = {kind["directory"] for kind in SETTINGS["type"]}


def faults_of(path: Path) -> list[str]:
    """The faults of a fragment, in its name or in its text."""
    text = path.read_text(encoding="utf-8")
    faults = []
    if not re.fullmatch(rf"[a-z0-9_-]+\.({'|'.join(sorted(KINDS))})\.md", path.name):
        faults.append(f"{path.name} is not called WORDS.KIND.md, KIND one of {sorted(KINDS)}")
    if not text.strip() or text.lstrip().startswith(("-", "#", "*")) or "\n\n" in text.strip():
        faults.append(f"{path.name} is not one paragraph")
    return faults


def test_fragments_are_paragraphs_named_by_their_kind():
    fragments = set(FOLDER.glob("*")) - {ROOT / SETTINGS["template"]}
    assert [fault for path in sorted(fragments) for fault in faults_of(path)] == []
    assert sorted(KINDS) == ["added", "changed", "fixed", "removed"]


def test_a_fragment_of_another_kind_or_form_is_found(tmp_path: Path):
    for name, text in (("a.feature.md", "A."), ("b.fixed.md", "- B."), ("c.fixed.md", "")):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        assert len(faults_of(path)) == 1, name


def test_the_log_of_changes_has_the_place_where_releases_go():
    text = (ROOT / SETTINGS["filename"]).read_text(encoding="utf-8")
    assert text.count(SETTINGS["start_string"]) == 1
