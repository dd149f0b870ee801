"""python -m minitorch.study script.py: records a script and writes its page.

    python -m minitorch.study [--torch] [-o FILE] [--text] [--open] script.py arguments...

    --torch     runs the script with real torch; without it `import torch` finds minitorch
    -o FILE     where to write: FILE.html for a page, FILE.json for data (script.html if not given)
    --text      prints the steps as text as well
    --open      opens the page in a browser

-o may stand right behind the script as well, if its FILE has one of these endings. A script that
is to get such an option itself has it behind two dashes: script.py -- -o FILE.html

The exit status is the script's. What the recording holds is said in one line on stderr.
"""

from __future__ import annotations

import builtins
import os
import sys
import traceback
import webbrowser
from importlib import import_module
from types import TracebackType
from typing import Any, NamedTuple

from minitorch.study.tape.recorder import record
from minitorch.study.tape.recording import Operator, Recording, TensorInfo

_ENDINGS = (".html", ".json")


class Options(NamedTuple):
    """The options of a command line."""

    script: str
    arguments: list[str]
    output: str
    torch: bool
    text: bool
    opens: bool


def options_of(arguments: list[str]) -> Options:
    """The options of a command line. SystemExit if it is wrong."""
    rest = list(arguments)
    flags, output = set(), None
    while rest and rest[0].startswith("-"):
        flag = rest.pop(0)
        if flag in ("-h", "--help"):
            print(__doc__)
            raise SystemExit(0)
        if flag == "-o" and rest:
            output = rest.pop(0)
        elif flag in ("--torch", "--text", "--open"):
            flags.add(flag)
        else:
            print(f"minitorch.study: unknown option {flag!r}\n\n{__doc__}", file=sys.stderr)
            raise SystemExit(2)
    if not rest:
        print(__doc__, file=sys.stderr)
        raise SystemExit(2)
    script = rest.pop(0)
    if output is None and rest[:1] == ["-o"] and rest[1:2] and rest[1].endswith(_ENDINGS):
        output = rest[1]
        del rest[:2]
    if rest[:1] == ["--"]:
        del rest[0]
    if output is None:
        output = f"{os.path.splitext(os.path.basename(script))[0]}.html"
    if not output.endswith(_ENDINGS):
        print(f"minitorch.study: -o takes a .html or a .json, not {output!r}", file=sys.stderr)
        raise SystemExit(2)
    return Options(
        *(script, rest, output),
        *("--torch" in flags, "--text" in flags, "--open" in flags),
    )


def main() -> None:
    """Records the script that the command line names."""
    options = options_of(sys.argv[1:])
    path = os.path.abspath(options.script)
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        print(f"minitorch.study: can't open {path!r}: {error.strerror}", file=sys.stderr)
        raise SystemExit(2) from None
    _prepare(options.torch, b"__torch_function__" in source)
    sys.argv = [options.script, *options.arguments]
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    names = sys.modules["__main__"].__dict__
    names.clear()
    names.update(
        __name__="__main__",
        __doc__=None,
        __package__=None,
        __loader__=None,
        __spec__=None,
        __builtins__=builtins,
        __file__=path,
    )
    status: Any = 0
    library = "torch" if options.torch else "minitorch"
    block = record(library, title=os.path.basename(path))
    recording = block.__enter__()
    try:
        code = compile(source, path, "exec", dont_inherit=True)
        exec(code, names)
    except SystemExit as leaving:
        status = leaving.code
        block.__exit__(SystemExit, leaving, leaving.__traceback__)
    except BaseException as error:
        block.__exit__(type(error), error, error.__traceback__)
        traceback.print_exception(error.with_traceback(_of_script(error.__traceback__)))
        status = 130 if isinstance(error, KeyboardInterrupt) else 1
    else:
        block.__exit__(None, None, None)
    sys.stdout.flush()
    _write(recording, options)
    raise SystemExit(status)


def _prepare(is_torch: bool, has_own_calls: bool) -> None:
    """Loads real torch, or lets `import torch` find minitorch.

    has_own_calls: whether the script has classes that take calls over, Tensors or not.
    """
    if is_torch:
        try:
            __import__("torch")
        except ImportError as error:
            print(f"minitorch.study: --torch needs real torch: {error}", file=sys.stderr)
            raise SystemExit(2) from None
    else:
        from minitorch import drop_in  # start-up: 1 ms, not needed for real torch

        drop_in.install()
        if has_own_calls:
            import_module("minitorch.core.declare.protocols.torch_function").ask_everywhere()


def _of_script(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of this module."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace


def _write(recording: Recording, options: Options) -> None:
    if options.text:
        print("\n".join(text_of(recording)))
    recording.save(options.output)
    size = os.path.getsize(options.output)
    steps, nodes = len(recording.events), len(recording.nodes)
    print(f"{options.output}: {steps:,} steps, {nodes:,} nodes, {size:,} bytes", file=sys.stderr)
    if options.opens:
        webbrowser.open(f"file://{os.path.abspath(options.output)}")


def text_of(recording: Recording) -> list[str]:
    """The steps of a recording, a line each: where, what, and what came out: names and shapes."""
    lines = []
    for number, event in enumerate(recording.events):
        place = recording.place_of(number)
        parts = [f"{number:6}", f"{recording.where(number):20}", f"{event.kind:12}"]
        node = getattr(event, "node", None)
        parts.append(getattr(event, "name", recording.nodes[node].name if node is not None else ""))
        if isinstance(event, Operator):
            parts += [_named(recording.tensors[each.tensor]) for each in event.outs]
        elif node is not None and recording.nodes[node].leaf is not None:
            parts.append(_named(recording.tensors[recording.nodes[node].leaf]))
        if place is not None:
            parts.append(place.expression)
        rounds = [f"{text}, round {count + 1}" for text, count in recording.rounds_of(number)]
        lines.append("  ".join([*parts, *rounds]).rstrip())
    return lines


def _named(tensor: TensorInfo) -> str:
    shape = str(tuple(tensor.shape))
    return shape if tensor.name is None else f"{tensor.name} {shape}"
