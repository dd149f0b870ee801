"""torch.jit: names that packages import, and what they mean where nothing is compiled."""

from typing import Dict, List, Optional, Tuple  # noqa: UP035

import pytest

import minitorch as torch
from minitorch import _jit_internal, jit, nn


@pytest.mark.parametrize(
    ("value", "kind", "result"),
    [
        ([1], List[int], True),  # noqa: UP006
        ([1.0], list[int], False),
        ({"a": 1}, Dict[str, int], True),  # noqa: UP006
        ((1, "a"), Tuple[int, str], True),  # noqa: UP006
        ((1,), Tuple[int, str], False),  # noqa: UP006
        (None, Optional[int], True),  # noqa: UP045
        ([[1]], List[List[int]], True),  # noqa: UP006
        (1, int | str, True),
        (1, (float, int), True),
    ],
)
def test_jit_isinstance_looks_into_containers(value, kind, result):
    assert jit.isinstance(value, kind) is result


def test_jit_isinstance_wants_whole_types():
    with pytest.raises(RuntimeError, match="must be a type or a tuple of types"):
        jit.isinstance(1, [int])
    with pytest.raises(RuntimeError, match="Attempted to use list without a contained type"):
        jit.isinstance([1], list)
    with pytest.warns(UserWarning, match="The inner type of a container is lost"):
        assert jit.isinstance([], list[int])


def test_marks_of_functions_are_kept():
    for mark, name in ((jit.ignore, "IGNORE"), (jit.unused, "UNUSED"), (jit.export, "EXPORT")):
        fn = mark(lambda: None)
        modifier = getattr(_jit_internal.FunctionModifiers, name)
        assert _jit_internal.get_torchscript_modifier(fn) == modifier
    with pytest.raises(RuntimeError, match="must be a bool or a function but got 3"):
        jit.ignore(3)
    with pytest.warns(FutureWarning, match=r"ignore\(True\) has been deprecated"):
        assert _jit_internal.is_ignored_fn(jit.ignore(True)(lambda: None))


def test_script_module_is_a_module_whose_methods_run():
    class Scaled(jit.ScriptModule):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(2))

        @jit.script_method
        def forward(self, x):
            return x * self.weight

    module = Scaled()
    assert module(torch.ones(2)).tolist() == [1, 1]
    assert [name for name, _ in module.named_parameters()] == ["weight"]
    assert not isinstance(nn.Linear(2, 2), jit.ScriptModule)


def test_overloads_are_declarations():
    @_jit_internal._overload
    def declared(x: int) -> int: ...

    name = _jit_internal._qualified_name(declared)
    assert _jit_internal._get_fn_overloads(name) == [declared]
    with pytest.raises(RuntimeError, match="can be the body of overload declaration"):

        @jit._overload
        def wrong(x):
            return 3


def test_boolean_dispatch_calls_one_of_two():
    chosen = _jit_internal.boolean_dispatch(
        "flag", 1, False, lambda x, flag=False: 1, lambda x, flag=False: 0, "module", "name"
    )
    assert (chosen(0), chosen(0, True), chosen(0, flag=True)) == (0, 1, 1)
    assert (chosen.__module__, chosen.__name__) == ("module", "name")


def test_what_looks_into_scripts_refuses():
    for call in (
        lambda: jit.save(None, "file"),
        lambda: jit.load("file"),
        jit.CompilationUnit,
        jit.ScriptFunction,
        jit.last_executed_optimized_graph,
    ):
        with pytest.raises(NotImplementedError, match="torch"):
            call()


def test_nothing_is_traced_or_scripted():
    assert not jit.is_tracing()
    assert not jit.is_scripting()
    assert jit.script_if_tracing(lambda x: x)(3) == 3
    assert jit.annotate(int, 3) == 3
    assert jit.wait(jit.fork(lambda: 3)) == 3
    assert jit.Attribute(3, int).value == 3
