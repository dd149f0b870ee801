"""The page: a recording as one file of HTML that needs no network and no server.

The files of page/ are joined as they are, so that what a browser shows is what stands there.
"""

from __future__ import annotations

import html as escaping
import json
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

from minitorch.study.reports.checkpoint_choices import choices, first_of_each_name
from minitorch.study.reports.findings import findings
from minitorch.study.reports.history import History
from minitorch.study.rules.catalogue import rule_of
from minitorch.study.tape.recording import Recording, page_data

_FILES = Path(__file__).parent
_SHOWN_CHECKPOINTS = 8

# In the order in which they are read. All of them share one scope.
_SCRIPTS = (
    *("words", "data", "zones", "memory", "layout", "values"),
    *("code", "camera", "graph", "step", "leaves", "events", "reports"),
    *("tape", "predict", "timeline", "app"),
)


class Mark(NamedTuple):
    """A value that a page points at: it opens there and says why.

    Args:
        event: the number of the event at which the page opens.
        tensor: the number of the tensor whose box or chips are marked.
        text: what is wrong with it, in one or two sentences.
    """

    event: int
    tensor: int
    text: str


def html(recording: Recording, mark: Mark | None = None) -> str:
    """The page of a recording, as text.

    Args:
        recording: what the page replays.
        mark: the value that the page points at, if any.

    Returns:
        A whole HTML document. It names no other file and makes no request.
    """
    data, numbers = page_data(recording)
    parts = {
        "title": escaping.escape(recording.title or "recording"),
        "style": _text_of("style.css"),
        "script": "\n".join([_text_of(f"{name}.js") for name in _SCRIPTS]),
        "data": data,
        "numbers": numbers,
        "rules": _json(_rules_of(recording)),
        "reports": _json({**_reports_of(recording), "mark": mark and mark._asdict()}),
    }
    # One pass: text that was put in is not searched again.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _text_of("template.html"))


def write(recording: Recording, path: str | os.PathLike[str], mark: Mark | None = None) -> None:
    """Writes the page of a recording to a file.

    Args:
        recording: what the page replays.
        path: the file; one that is there is replaced.
        mark: the value that the page points at, if any.
    """
    Path(path).write_text(html(recording, mark), encoding="utf-8")


def frame(recording: Recording, mark: Mark | None = None) -> str:
    """The page in a frame of its own, as notebooks show it: scripts in outputs do not run.

    Args:
        recording: what the page replays.
        mark: the value that the page points at, if any.
    """
    text = escaping.escape(html(recording, mark), quote=True)
    style = "width:100%;height:720px;border:0"
    return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{text}"></iframe>'


def _text_of(name: str) -> str:
    return (_FILES / name).read_text(encoding="utf-8").strip()


def _json(data: Any) -> str:
    # A "<" could end the script element that holds the text.
    return json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")


def _reports_of(recording: Recording) -> dict[str, list[dict[str, Any]]]:
    """The reports on the page: findings, and the memory that checkpoints would save."""
    best = first_of_each_name(choices(History(recording)))[:_SHOWN_CHECKPOINTS]
    return {
        "findings": [
            {"kind": each.kind, "event": each.event, "text": each.text}
            for each in findings(recording)
        ],
        "checkpoints": [
            {
                "name": each.name,
                "calls": each.calls,
                "bytes": each.bytes,
                "microseconds": each.microseconds,
                "event": each.events[0],
            }
            for each in best
        ],
    }


def _rules_of(recording: Recording) -> dict[str, Any]:
    """The rules of the nodes that occur: the page spells them with the reader's names."""
    names = {node.name for node in recording.nodes}
    rules: dict[str, Any] = {}
    for name in sorted(names):
        rule = rule_of(name)
        shown = {each: text.partition(" = ")[2] for each, text in rule.shown.items()}
        rules[name] = {
            "formulas": [[each, shown[each]] for each in rule.formulas],
            "where": [[each, text] for each, text in shown.items() if each not in rule.formulas],
            "tag": rule.tag,
            "sentence": rule.sentence,
        }
    return rules
