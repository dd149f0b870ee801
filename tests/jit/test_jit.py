"""torch.jit: names that packages import, and their meaning where nothing is compiled."""

import copy
import warnings
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

        def forward(self, x):
            return x * self.weight

    with pytest.warns(DeprecationWarning, match="script_method"):
        assert jit.script_method(Scaled.forward) is Scaled.forward
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
        jit.CompilationUnit,
        jit.last_executed_optimized_graph,
    ):
        with pytest.raises(NotImplementedError, match="torch"):
            call()


def test_deprecations_are_told_at_lines_of_the_library_and_so_not_shown_by_default():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        jit.trace(nn.Linear(1, 1), torch.ones(1, 1))
        jit.script(nn.Linear(1, 1))
    words = [str(w.message).split("`")[1].removeprefix("torch.jit.") for w in caught]
    assert words == ["trace", "trace_method", "trace_method", "script"]
    assert {w.filename.rpartition("/")[2] for w in caught} == {"_trace.py", "_script.py"}


def test_nothing_is_traced_or_scripted():
    assert not jit.is_tracing()
    assert not jit.is_scripting()
    assert jit.script_if_tracing(lambda x: x)(3) == 3
    assert jit.annotate(int, 3) == 3
    with pytest.warns(DeprecationWarning, match=r"jit\.(fork|wait)` is deprecated"):
        assert jit.wait(jit.fork(lambda: 3)) == 3
    assert jit.Attribute(3, int).value == 3


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
        self.register_buffer("scale", torch.full((1,), 2.0))

    def forward(self, x):
        return self.inner(x) * self.scale


def scripted(make, *args):
    with pytest.warns(DeprecationWarning, match="is deprecated"):
        return make(*args)


def test_script_of_a_module_shares_its_tensors_and_not_its_flags():
    net = Scaled()
    script = scripted(jit.script, net)
    assert isinstance(script, jit.ScriptModule)
    assert script.inner[0].weight is net.inner[0].weight
    assert script.scale is net.scale
    script.eval()
    assert not script.inner[1].training
    assert net.inner[1].training
    x = torch.ones(1, 2)
    assert torch.equal(script(x), net.eval()(x))


def test_script_of_a_module_prints_original_names():
    assert repr(scripted(jit.script, nn.Linear(2, 2))) == (
        "RecursiveScriptModule(original_name=Linear)"
    )
    traced = scripted(jit.trace, nn.ReLU(), torch.ones(1))
    assert repr(traced) == "ReLU(original_name=ReLU)"


def test_script_of_a_module_converts_and_loads():
    script = scripted(jit.script, Scaled())
    script.double()
    assert script.scale.dtype is torch.float64
    assert script(torch.ones(1, 2, dtype=torch.float64)).dtype is torch.float64
    script.load_state_dict({k: torch.zeros_like(v) for k, v in script.state_dict().items()})
    assert script(torch.ones(1, 2, dtype=torch.float64)).tolist() == [[0.0, 0.0]]


def test_script_of_a_function_is_a_script_function():
    double = scripted(jit.script, lambda x: x * 2)
    assert isinstance(double, jit.ScriptFunction)
    assert double(torch.ones(1)).tolist() == [2.0]
    with pytest.raises(NotImplementedError, match=r"ScriptFunction\.graph is not implemented"):
        _ = double.graph


def test_is_tracing_is_true_within_a_trace_alone():
    seen = []
    scripted(jit.trace, lambda x: seen.append(jit.is_tracing()) or x, torch.ones(1))
    assert seen == [True]
    assert not jit.is_tracing()


def test_freeze_wants_a_script_in_evaluation_mode():
    with pytest.raises(RuntimeError, match="Freezing expects a ScriptModule"):
        scripted(jit.freeze, nn.Linear(2, 2))
    script = scripted(jit.script, nn.Linear(2, 2))
    with pytest.raises(RuntimeError, match="only implemented for modules in eval mode"):
        scripted(jit.freeze, script)
    assert scripted(jit.freeze, script.eval()) is script


@pytest.mark.parametrize("kind", [list, tuple])
def test_traced_methods_are_called_with_all_of_their_inputs(kind):
    x = torch.ones(2)
    module, seen = nn.Bilinear(2, 2, 1), []
    module.register_forward_pre_hook(lambda module, inputs: seen.append(inputs))
    with pytest.warns(DeprecationWarning, match="trace_method"):
        jit.trace_module(module, {"forward": kind([x, x])})
    assert {len(inputs) for inputs in seen} == {2}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_scripts_and_traces_are_the_functions_where_jit_is_disabled():
    from minitorch.jit import _state as state

    def double(x):
        return 2 * x

    assert state._enabled
    state.disable()
    try:
        assert torch.jit.script(double) is double
        assert torch.jit.trace(double, torch.ones(1)) is double
    finally:
        state.enable()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_script_of_a_GraphModule_computes_as_it_does():
    class Doubled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 2)

        def forward(self, x):
            return self.linear(x) * 2

    traced = torch.fx.symbolic_trace(Doubled())
    x = torch.ones(1, 2)
    scripted = torch.jit.script(traced)
    assert torch.equal(scripted(x), traced(x))
    assert torch.equal(copy.deepcopy(scripted)(x), traced(x))
    assert scripted.linear.weight is traced.linear.weight


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_script_of_a_module_calls_no_new_of_its_class():
    class Counted(torch.nn.Module):
        def __new__(cls, number):
            return super().__new__(cls)

        def __init__(self, number):
            super().__init__()
            self.number = number

        def forward(self, x):
            return x + self.number

    assert torch.jit.script(Counted(3))(torch.zeros(1)).item() == 3


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_error_of_an_operator_leaves_a_script_as_a_RuntimeError():
    def third(x):
        return x[..., 2]

    scripted = torch.jit.script(third)
    traced = torch.jit.trace(third, torch.ones(2, 3))
    for function in (scripted, traced, torch.jit.script(lambda x: scripted(x))):
        with pytest.raises(RuntimeError) as caught:
            function(torch.ones(2, 2))
        assert type(caught.value) is RuntimeError
        first, *_, last = str(caught.value).splitlines()
        assert first == "The following operation failed in the TorchScript interpreter."
        assert last.startswith("RuntimeError: ")
        assert "return x[..., 2]" in str(caught.value)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_error_that_a_script_raises_leaves_it_as_an_Error():
    class Refusing(torch.nn.Module):
        def forward(self, x):
            raise ValueError("no")

    with pytest.raises(torch.jit.Error) as caught:
        torch.jit.script(Refusing())(torch.ones(1))
    assert str(caught.value).splitlines()[-1] == "builtins.ValueError: no"
    with pytest.raises(torch.jit.Error, match=r"builtins\.ValueError: expected 4D input"):
        torch.jit.script(torch.nn.BatchNorm2d(1))(torch.ones(1))
