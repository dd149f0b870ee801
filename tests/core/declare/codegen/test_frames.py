"""Frames of failed calls: whatever looks at them, in any state, the interpreter goes on."""

import dis
import os
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import pytest

import minitorch

ROOT = Path(minitorch.__file__).parents[1]
FAILING_CALLS = Path(__file__).with_name("failing_calls.py")


def done(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess:
    """The finished process of Python with these arguments: a crash ends that process alone."""
    command = [sys.executable, "-X", "faulthandler", "-X", "dev", *map(str, arguments)]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env={**os.environ, "PYTHONPATH": path}
    )


@pytest.mark.parametrize(
    ("state", "least"),
    [("unwatched", 1500), ("subclass", 1500), ("inference", 500), ("vmap", 500), ("autocast", 500)],
)
def test_frames_of_every_failing_call_can_be_read(state, least):
    result = done(FAILING_CALLS, state)
    assert result.returncode == 0, result.stderr
    functions, failures = map(int, result.stdout.split())
    assert functions > least
    assert failures > 2 * functions


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code and all that it makes functions and classes of."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from codes(each)


def replaced_cells(code: CodeType) -> list[str]:
    """The cells of a code in whose places comprehensions put values that are no cells."""
    count = Counter((each.opname, each.argval) for each in dis.get_instructions(code))
    return [
        name
        for name in (*code.co_cellvars, *code.co_freevars)
        if count["MAKE_CELL", name]
        < count["LOAD_FAST_AND_CLEAR", name] + (name in code.co_cellvars)
    ]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="comprehensions have frames of their own")
def test_no_comprehension_has_a_variable_of_the_name_of_a_cell():
    """Python 3.13.0 ends where a frame's locals are read within such a comprehension."""

    def found(text: str, name: str) -> list[tuple[str, str, list[str]]]:
        every = codes(compile(text, name, "exec", dont_inherit=True))
        cells = [(name, code.co_qualname, replaced_cells(code)) for code in every]
        return [each for each in cells if each[2]]

    assert found("def f(y):\n x = [x for x in y]\n return lambda: x", "f.py")
    assert not found("def f(y):\n x = [lambda: x for x in y]\n return x", "f.py")
    package = Path(minitorch.__file__).parent
    files = [*package.rglob("*.py"), *Path(__file__).parent.glob("failing_calls.py")]
    assert [each for path in files for each in found(path.read_text("utf-8"), str(path))] == []


SCRIPT = textwrap.dedent("""
    import torch

    class Mine(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return super().__torch_function__(func, types, args, kwargs or {})
""")


def test_a_script_with_a_subclass_reads_the_frames_of_an_error(tmp_path):
    script = tmp_path / "script.py"
    reads = textwrap.dedent("""
        try:
            torch.zeros((2, 2), device="nonsense")
        except Exception as error:
            frame = error.__traceback__
            while frame:
                print(frame.tb_frame.f_code.co_name, len(frame.tb_frame.f_locals) > 0)
                frame = frame.tb_next
    """)
    script.write_text(SCRIPT + reads)
    result = done("-m", "minitorch", script)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("<module> True\n_forward True\n")


def test_pytest_shows_the_locals_of_failures_beside_a_subclass(tmp_path):
    suite = tmp_path / "test_suite.py"
    cases = textwrap.dedent("""
        import pytest
        from torch.nn import functional as F

        CALLS = [
            lambda x: torch.zeros((2, 2), device="nonsense"),
            lambda x: torch.mean(x, object()),
            lambda x: x.reshape(object()),
            lambda x: torch.matmul(x, object()),
            lambda x: F.linear(x, object()),
            lambda x: torch.add(x, object()),
            lambda x: x.add_(object()),
            lambda x: x @ object(),
        ]

        @pytest.mark.parametrize("call", CALLS)
        @pytest.mark.parametrize("kind", [torch.Tensor, Mine])
        def test_fails(call, kind):
            call(torch.ones(2, 2).as_subclass(kind))
    """)
    suite.write_text("import minitorch.drop_in\nminitorch.drop_in.install()\n" + SCRIPT + cases)
    plain = ("-p", "no:cacheprovider", "-p", "no:xdist", "-c", os.devnull, "--rootdir", tmp_path)
    result = done("-m", "pytest", "--showlocals", "--tb=long", *plain, suite, cwd=tmp_path)
    assert result.returncode == 1, result.stdout[-2000:] + result.stderr
    assert "16 failed" in result.stdout
    assert "kwargs     = {'device': 'nonsense'}" in result.stdout


def test_functions_keep_what_they_say_of_themselves_when_a_class_is_asked(tmp_path):
    script = tmp_path / "script.py"
    keeps = textwrap.dedent("""
        import inspect
        from types import FunctionType
        from minitorch.core.declare import registry

        registry.load_families()
        functions = [*registry.FUNCTIONS.values(), *vars(torch.Tensor).values()]
        functions = {each for each in functions if type(each) is FunctionType}

        def said(function):
            registry.resolved(function)
            signature = inspect.signature(function)
            return function.__name__, function.__qualname__, function.__doc__, signature

        before = {each: said(each) for each in functions}
        assert torch.mean.__code__.co_name != "_forward"
    """)
    changed = textwrap.dedent("""
        asked = [each for each in functions if each.__code__.co_name == "_forward"]
        changed = [each for each in functions if said(each) != before[each]]
        print(len(asked) > 1000, changed, torch.mean in functions)
    """)
    # In a text of its own: the code that imports minitorch would be looked through for the class.
    subclass = f"exec({SCRIPT.replace('import torch', '')!r})\n"
    script.write_text("import minitorch as torch\n" + keeps + subclass + changed)
    result = done(script)
    assert result.stdout == "True [] True\n", result.stderr
